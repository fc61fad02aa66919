//! How the result of a thread gets to whoever joins it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Result;

/// The result of one thread of a run, once it is there.
pub(super) struct Packet<T> {
    result: Mutex<Option<Result<T>>>,
}

impl<T> Packet<T> {
    pub(super) fn new() -> Packet<T> {
        Packet { result: Mutex::new(None) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Result<T>>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the function of the thread. Its panic is the end of the run, unless a thread may panic.
    pub(super) fn fill(&self, f: impl FnOnce() -> T) {
        let result = if raddle_runtime::panics_allowed() {
            let result = catch_unwind(AssertUnwindSafe(f));
            match result {
                // Not a panic of the program: the run is over, and the thread is being unwound.
                Err(payload) if raddle_runtime::unwinding() => resume_unwind(payload),
                result => result,
            }
        } else {
            Ok(f())
        };
        *self.lock() = Some(result);
    }

    /// Whether the thread panicked and nobody has taken the panic.
    pub(super) fn has_panicked(&self) -> bool {
        matches!(*self.lock(), Some(Err(_)))
    }

    /// The result of a thread that was joined.
    pub(super) fn take(&self) -> Result<T> {
        let result = self.lock().take();
        match result {
            Some(result) => result,
            None if raddle_runtime::in_run() && raddle_runtime::unwinding() => raddle_runtime::end_of_run(),
            None => panic!(
                "joined a thread of a run that is over and in which the thread did not come to its end"
            ),
        }
    }
}
