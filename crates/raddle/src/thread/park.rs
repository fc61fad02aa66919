//! Parking.

use std::time::Duration;

use raddle_runtime::{current_thread, in_run, visit, with_world};
use raddle_trace::{Kind, ObjectId, Operation, Outcome};

use crate::place::here;

/// Waits for the thread's token, and takes it: see [`Thread::unpark`](crate::thread::Thread::unpark).
///
/// ```
/// raddle::check(|| {
///     let this = raddle::thread::current();
///     let other = raddle::thread::spawn(move || this.unpark());
///     raddle::thread::park();
///     other.join().unwrap();
/// });
/// ```
#[track_caller]
pub fn park() {
    if !in_run() {
        return std::thread::park();
    }
    let executed = visit(Operation::new(Kind::Park, own_token(), 0), here());
    if executed.skipped {
        // A destructor waits for a thread that will never act again.
        raddle_runtime::end_of_run();
    }
}

/// Waits for the thread's token, and takes it, but not for longer than `timeout`. A check tries both.
///
/// ```
/// use raddle::time::Duration;
///
/// raddle::check(|| raddle::thread::park_timeout(Duration::from_secs(1)));
/// ```
#[track_caller]
pub fn park_timeout(timeout: Duration) {
    if !in_run() {
        return std::thread::park_timeout(timeout);
    }
    let executed = visit(Operation::new(Kind::TimedPark, own_token(), 0), here());
    if !executed.skipped && executed.outcome == Outcome::TimedOut {
        crate::time::pass(timeout);
    }
}

/// Like [`park_timeout`], with milliseconds.
///
/// ```
/// #[allow(deprecated)]
/// raddle::check(|| raddle::thread::park_timeout_ms(5));
/// ```
#[deprecated(note = "replaced by `park_timeout`, as in `std`")]
#[track_caller]
pub fn park_timeout_ms(milliseconds: u32) {
    park_timeout(Duration::from_millis(u64::from(milliseconds)));
}

fn own_token() -> ObjectId {
    let current = current_thread();
    with_world(|world| world.token(current))
}
