//! What OS threads that are no part of a run do to its objects.
//!
//! Outside a run everything behaves like `std`, so a thread started by `std::thread` inside of one would use the run's
//! objects unseen, and the verdict would claim orders that nobody tried. Such a use leaves a note, and the run says so at its
//! end.

use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers of runs. Zero is never one: it marks what no run has met.
static STAMPS: AtomicU64 = AtomicU64::new(1);

/// For how many runs at once there is room; a run finds its note by its number.
const NOTES: usize = 64;

/// The last run of which an object was used from outside, among those with the same place here.
static USED: [AtomicU64; NOTES] = [const { AtomicU64::new(0) }; NOTES];

/// A number that no other run of the process has; larger than those of all runs that began before.
pub(crate) fn next_stamp() -> u64 {
    STAMPS.fetch_add(1, Ordering::Relaxed)
}

/// The number of the last run that has begun; zero if there was none.
pub(crate) fn last_stamp() -> u64 {
    STAMPS.load(Ordering::Relaxed) - 1
}

/// Takes note that an object of this run was used by a thread that is no part of it.
pub(crate) fn note_use(stamp: u64) {
    USED[stamp as usize % NOTES].store(stamp, Ordering::Relaxed);
}

/// Whether an object of this run was used by a thread that is no part of it.
#[inline]
pub(crate) fn was_used(stamp: u64) -> bool {
    USED[stamp as usize % NOTES].load(Ordering::Relaxed) == stamp
}
