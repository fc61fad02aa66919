//! How the result of a thread gets to whoever joins it.

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::Result;

/// The packet of a thread, as it and whoever has its handle share it. In a run it is a step who gives it up last, if the
/// result's destructor makes steps: the handle may be dropped before the result is there.
pub(super) type Shared<T> = crate::sync::Arc<Packet<T>>;

/// The result of one thread of a run, once it is there.
///
/// It is put there once, by the thread, and taken once, by whoever consumes the thread's handle. So it needs no lock: taking and
/// giving back one would take longer than all the rest.
pub(super) struct Packet<T> {
    /// The result is there, and stays until it is taken.
    is_full: AtomicBool,
    result: UnsafeCell<Option<Result<T>>>,
}

// SAFETY: whoever finds it full got the result from the thread that put it there, and nobody else takes it at the same time.
unsafe impl<T: Send> Sync for Packet<T> {}

impl<T> Packet<T> {
    pub(super) fn new() -> Packet<T> {
        Packet { is_full: AtomicBool::new(false), result: UnsafeCell::new(None) }
    }

    /// Calls the function of the thread; true if it panicked. That is the end of the run, unless a thread may panic.
    pub(super) fn fill(&self, f: impl FnOnce() -> T) -> bool {
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
        let panicked = result.is_err();
        // SAFETY: only the thread itself comes here, once, and nobody looks before it is said to be there.
        unsafe { *self.result.get() = Some(result) };
        self.is_full.store(true, Ordering::Release);
        panicked
    }

    /// The result of a thread that was joined.
    pub(super) fn take(&self) -> Result<T> {
        // SAFETY: it is there, and only who consumes the one handle of the thread takes it.
        let result = self.is_full.load(Ordering::Acquire).then(|| unsafe { &mut *self.result.get() }.take());
        match result.flatten() {
            Some(result) => result,
            None if raddle_runtime::in_run() && raddle_runtime::unwinding() => raddle_runtime::end_of_run(),
            None => panic!(
                "joined a thread of a run that is over and in which the thread did not come to its end"
            ),
        }
    }
}
