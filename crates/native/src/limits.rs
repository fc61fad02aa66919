//! What a program may use.

use std::time::Duration;

/// What a program may use. Everything is limited unless it is said otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Memory in bytes, all its processes together.
    pub memory: u64,
    /// Bytes of output that are kept; a program that writes more is ended.
    pub output: u64,
    /// Processes that it may start.
    pub processes: u64,
    /// Bytes of the largest file that it may write.
    pub file_size: u64,
    /// Files that it may have open at the same time.
    pub descriptors: u64,
    /// How long it may go on without a sign of progress.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory: 2 << 30,
            output: 16 << 20,
            processes: 64,
            file_size: 1 << 30,
            descriptors: 1024,
            silence: Duration::from_secs(10),
        }
    }
}
