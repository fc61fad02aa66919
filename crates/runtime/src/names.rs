//! Threads by their place in the creation tree.

use std::sync::{Arc, Mutex, PoisonError};

use raddle_trace::ThreadId;
use raddle_trace::limits::MAX_THREADS;
use raddle_trace::schedule::ThreadName;

/// The numbers of all threads that a search has met. They stay the same from run to run, and clones share them, so that
/// several workers speak of the same threads.
#[derive(Clone)]
pub struct Names {
    shared: Arc<Mutex<Vec<ThreadName>>>,
    /// Who numbers threads for others as well, if somebody does.
    register: Option<Arc<Register>>,
    /// What this clone has asked for before: for each thread, the threads it created, in order.
    known: Vec<Vec<ThreadId>>,
}

/// Adds to the names that are known those that others have found, and then this one if it is not among them and there is
/// room.
pub type Register = dyn Fn(&mut Vec<ThreadName>, &ThreadName) + Send + Sync;

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("all", &self.all()).finish_non_exhaustive()
    }
}

impl Default for Names {
    fn default() -> Names {
        let shared = Arc::new(Mutex::new(vec![ThreadName::default()]));
        Names { shared, register: None, known: Vec::new() }
    }
}

impl Names {
    /// Names whose numbers are given elsewhere, for workers that share no memory.
    #[must_use]
    pub fn kept_by(register: Arc<Register>) -> Names {
        Names { register: Some(register), ..Names::default() }
    }

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
        let number = |names: &[ThreadName]| names.iter().position(|other| *other == name).map(ThreadId::new);
        if let Some(known) = number(&names) {
            return Some(known);
        }
        if let Some(register) = &self.register {
            register(&mut names, &name);
            return number(&names);
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
