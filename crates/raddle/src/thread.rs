//! Mirror of `std::thread`.
//!
//! In a check all threads are fibers that take turns on one OS thread, and time is virtual: see [`crate::time`].

mod builder;
mod handle;
mod join;
mod local;
mod packet;
mod park;
mod scope;
mod scoped_handle;

use std::num::NonZero;
use std::time::Duration;

use raddle_runtime::{Frame, in_run};
use raddle_trace::Place;

use crate::place::here;

pub use builder::Builder;
pub use handle::{Thread, ThreadId, current};
pub use join::{JoinHandle, spawn};
pub use local::{AccessError, LocalKey};
#[expect(deprecated, reason = "as in `std`")]
pub use park::park_timeout_ms;
pub use park::{park, park_timeout};
pub use scope::{Scope, scope};
pub use scoped_handle::ScopedJoinHandle;
pub use std::thread::{Result, panicking};

#[doc(inline)]
pub use crate::thread_local;

/// Lets other threads go on: see [`crate::hint::spin_loop`].
///
/// ```
/// raddle::check(|| {
///     let other = raddle::thread::spawn(|| 5);
///     raddle::thread::yield_now();
///     assert_eq!(other.join().unwrap(), 5);
/// });
/// ```
#[inline(always)]
#[track_caller]
pub fn yield_now() {
    if in_run() {
        give_way(Some(&Frame::here()), here());
    } else {
        std::thread::yield_now();
    }
}

/// Sleeps.
///
/// In a check no time is spent: the thread's own clock is put forward, and it is a hint like [`yield_now`].
///
/// ```
/// use raddle::time::{Duration, Instant};
///
/// raddle::check(|| {
///     let start = Instant::now();
///     raddle::thread::sleep(Duration::from_secs(3600));
///     assert_eq!(start.elapsed(), Duration::from_secs(3600));
/// });
/// ```
#[inline(always)]
#[track_caller]
pub fn sleep(duration: Duration) {
    if in_run() {
        crate::time::pass(duration);
        give_way(Some(&Frame::here()), here());
    } else {
        std::thread::sleep(duration);
    }
}

/// Sleeps for so many milliseconds.
///
/// ```
/// #[allow(deprecated)]
/// raddle::check(|| raddle::thread::sleep_ms(5));
/// ```
#[deprecated(note = "replaced by `sleep`, as in `std`")]
#[inline(always)]
#[track_caller]
pub fn sleep_ms(milliseconds: u32) {
    sleep(Duration::from_millis(u64::from(milliseconds)));
}

/// How many threads are worth having; in a check always 2, so that runs are the same everywhere.
///
/// # Errors
/// Outside a check, if the system does not say.
///
/// ```
/// raddle::check(|| assert_eq!(raddle::thread::available_parallelism().unwrap().get(), 2));
/// ```
pub fn available_parallelism() -> std::io::Result<NonZero<usize>> {
    if in_run() {
        Ok(const { NonZero::new(2).expect("two is not zero") })
    } else {
        std::thread::available_parallelism()
    }
}

/// The current thread of a run has nothing to do until something changes; `own` is where it keeps what nobody else sees, if it
/// may count how often it comes by.
pub(crate) fn give_way(own: Option<&Frame>, place: Place) {
    if raddle_runtime::unwinding() && std::thread::panicking() {
        // A destructor waits for a thread that will never act again.
        raddle_runtime::end_of_run();
    }
    raddle_runtime::spin_hint(own, place);
}
