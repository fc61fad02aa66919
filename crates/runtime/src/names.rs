//! Threads by their place in the creation tree.

use std::sync::{Arc, Mutex, PoisonError};

use raddle_trace::ThreadId;
use raddle_trace::limits::MAX_THREADS;
use raddle_trace::schedule::ThreadName;

/// The numbers of all threads that a search has met. They stay the same from run to run, and clones share them, so that
/// several workers speak of the same threads.
#[derive(Clone, Debug)]
pub struct Names {
    shared: Arc<Mutex<Vec<ThreadName>>>,
    /// What this clone has asked for before: for each thread, the threads it created, in order.
    known: Vec<Vec<ThreadId>>,
}

impl Default for Names {
    fn default() -> Names {
        Names { shared: Arc::new(Mutex::new(vec![ThreadName::default()])), known: Vec::new() }
    }
}

impl Names {
    /// The number of the thread that `parent` creates after having created `nth` others; `None` if there are more
    /// threads than can be told apart.
    pub fn child(&mut self, parent: ThreadId, nth: usize) -> Option<ThreadId> {
        if let Some(&known) = self.known.get(parent.index()).and_then(|children| children.get(nth)) {
            return Some(known);
        }
        let thread = self.number(parent, nth)?;
        if self.known.len() <= parent.index() {
            self.known.resize_with(parent.index() + 1, Vec::new);
        }
        if self.known[parent.index()].len() == nth {
            self.known[parent.index()].push(thread);
        }
        Some(thread)
    }

    fn number(&self, parent: ThreadId, nth: usize) -> Option<ThreadId> {
        let mut names = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut name = names[parent.index()].clone();
        name.0.push(nth as u32);
        if let Some(known) = names.iter().position(|other| *other == name) {
            return Some(ThreadId::new(known));
        }
        if names.len() >= MAX_THREADS {
            return None;
        }
        names.push(name);
        Some(ThreadId::new(names.len() - 1))
    }

    /// Makes sure that the thread of this name has a number, and returns it.
    pub fn find(&mut self, name: &ThreadName) -> Option<ThreadId> {
        name.0.iter().try_fold(ThreadId::MAIN, |parent, &nth| self.child(parent, nth as usize))
    }

    /// All names, by number.
    #[must_use]
    pub fn all(&self) -> Vec<ThreadName> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
