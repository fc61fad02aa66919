//! Schedules: the choices that make a run happen again.

mod file;

pub use file::{FORMAT_VERSION, ReadError};

use crate::ThreadId;

/// A thread's place in the creation tree: the empty name is the main thread, `[1, 0]` the first thread created by the
/// second thread that main created.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ThreadName(pub Vec<u32>);

impl std::fmt::Display for ThreadName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("main")?;
        self.0.iter().try_for_each(|child| write!(f, ".{child}"))
    }
}

/// One choice of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// This thread goes next.
    Thread(ThreadId),
    /// This alternative is chosen.
    Alternative(u32),
}

/// The choices of one run, with what is needed to notice that they belong to another program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// The program it was recorded from.
    pub program: String,
    /// The names of the threads, by number.
    pub threads: Vec<ThreadName>,
    /// The choices, in order.
    pub steps: Vec<Step>,
    /// A short text per step that says what was done, to notice a program that has changed; may be empty.
    pub notes: Vec<String>,
}
