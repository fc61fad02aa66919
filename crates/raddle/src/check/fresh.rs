//! OS threads for runs.
//!
//! A run that ended early is unwound, so that its destructors run. A destructor that then waits for something that will
//! never come is left alone, in the middle of its panic, and the OS thread counts as panicking. For runs such a thread is
//! *spent*, until the panic that nobody will go on with is forgotten.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::Duration;

use raddle_runtime::{can_forget_panics, forget_panics, stack_left, watched};

/// Bytes of its stack that a search may need. The threads of the program have stacks of their own.
const SEARCH_STACK: usize = 1 << 19;

/// Whether a run on this OS thread left a panic behind.
pub(super) fn is_spent() -> bool {
    thread::panicking()
}

/// Does something on an OS thread that is not spent, on this one if that can be: to hand over to another takes longer than a short
/// search. A run that goes on, or sleeps, for so long without a step is ended.
pub(super) fn on_search_thread<R: Send>(without_step: Duration, f: impl FnOnce() -> R + Send) -> R {
    if is_spent() || stack_left() < SEARCH_STACK || !can_forget_panics() {
        return on_fresh_thread(without_step, f);
    }
    let outcome = watched(without_step, || catch_unwind(AssertUnwindSafe(f)));
    forget_panics();
    outcome.unwrap_or_else(|payload| resume_unwind(payload))
}

/// The same on an OS thread of its own, of which nothing is left afterwards.
pub(super) fn on_fresh_thread<R: Send>(without_step: Duration, f: impl FnOnce() -> R + Send) -> R {
    let outcome = thread::scope(|scope| {
        // What it throws is caught there: it may be spent by then, and could not be unwound.
        let fresh = scope.spawn(|| watched(without_step, || catch_unwind(AssertUnwindSafe(f))));
        fresh.join()
    });
    outcome.and_then(|outcome| outcome).unwrap_or_else(|payload| resume_unwind(payload))
}
