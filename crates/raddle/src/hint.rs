//! Mirror of `std::hint`: what a thread says when it has nothing to do.

use crate::place::here;

pub use std::hint::{assert_unchecked, black_box, select_unpredictable, unreachable_unchecked};

/// Says that the thread is in a loop that waits for another thread.
///
/// In a check, a loop whose rounds see the same again and again waits here until something that it read has changed.
/// Without the hint such a loop is recognised too, but only after many rounds.
///
/// ```
/// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
/// use raddle::{hint, sync::Arc, thread};
///
/// raddle::check(|| {
///     let ready = Arc::new(AtomicBool::new(false));
///     let other = Arc::clone(&ready);
///     let setter = thread::spawn(move || other.store(true, SeqCst));
///     while !ready.load(SeqCst) {
///         hint::spin_loop();
///     }
///     setter.join().unwrap();
/// });
/// ```
#[inline(always)]
#[track_caller]
pub fn spin_loop() {
    if raddle_runtime::in_run() {
        crate::thread::give_way(Some(&raddle_runtime::Frame::here()), here());
    } else {
        std::hint::spin_loop();
    }
}
