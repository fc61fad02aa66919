//! Threads by their place in the creation tree.

use raddle_trace::ThreadId;
use raddle_trace::limits::MAX_THREADS;
use raddle_trace::schedule::ThreadName;

/// The numbers of all threads that a search has met. They stay the same from run to run.
#[derive(Clone, Debug)]
pub struct Names {
    /// For each thread, the threads it created, in order.
    children: Vec<Vec<ThreadId>>,
    names: Vec<ThreadName>,
}

impl Default for Names {
    fn default() -> Names {
        Names { children: vec![Vec::new()], names: vec![ThreadName::default()] }
    }
}

impl Names {
    /// The number of the thread that `parent` creates after having created `nth` others; `None` if there are more
    /// threads than can be told apart.
    pub fn child(&mut self, parent: ThreadId, nth: usize) -> Option<ThreadId> {
        if let Some(&known) = self.children[parent.index()].get(nth) {
            return Some(known);
        }
        if self.names.len() >= MAX_THREADS {
            return None;
        }
        let thread = ThreadId::new(self.names.len());
        let mut name = self.names[parent.index()].clone();
        name.0.push(nth as u32);
        self.names.push(name);
        self.children.push(Vec::new());
        self.children[parent.index()].push(thread);
        Some(thread)
    }

    /// Makes sure that the thread of this name has a number, and returns it.
    pub fn find(&mut self, name: &ThreadName) -> Option<ThreadId> {
        name.0.iter().try_fold(ThreadId::MAIN, |parent, &nth| {
            (0..=nth as usize).map(|each| self.child(parent, each)).last().flatten()
        })
    }

    /// All names, by number.
    #[must_use]
    pub fn all(&self) -> &[ThreadName] {
        &self.names
    }
}
