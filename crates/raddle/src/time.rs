//! Mirror of `std::time`, virtual in a check.
//!
//! In a check no time is spent. Every thread has a clock of its own, which starts at the one of the thread that created
//! it, is put forward by [`sleep`](crate::thread::sleep) and by operations that time out, and is never behind what others
//! slept before it heard from them, by a lock, a message, an atomic or a join. So what a program sees of time does not depend
//! on how fast the check is.

mod instant;
mod system_time;

pub use instant::Instant;
pub use std::time::{Duration, SystemTimeError, TryFromFloatSecsError};
pub use system_time::{SystemTime, UNIX_EPOCH};

/// Puts the clock of the current thread of a run forward.
pub(crate) fn pass(duration: Duration) {
    let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    raddle_runtime::virtual_now(nanoseconds);
}
