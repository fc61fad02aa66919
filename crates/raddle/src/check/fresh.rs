//! OS threads for runs.
//!
//! A run that ended early is unwound, so that its destructors run. A destructor that then waits for something that will
//! never come is left alone, in the middle of its panic, and the OS thread counts as panicking for ever. Such a thread is
//! of no more use for runs, so the search moves to a fresh one.

use std::thread;

/// Does something on an OS thread of its own.
pub(super) fn on_fresh_thread<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| match scope.spawn(f).join() {
        Ok(result) => result,
        Err(payload) => std::panic::resume_unwind(payload),
    })
}

/// Whether a run on this OS thread left a panic behind.
pub(super) fn is_spent() -> bool {
    thread::panicking()
}
