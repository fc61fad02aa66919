//! Mirror of `std::sync::Barrier`.

use std::fmt;

use raddle_runtime::{Registration, end_of_run, visit, wait_for_turn};
use raddle_trace::{Kind, Operation, Outcome};
use raddle_world::ObjectKind;

use crate::place::here;

/// A point where threads wait for each other: the mirror of the type of this name in `std`.
///
/// ```
/// use raddle::sync::Barrier;
///
/// raddle::check(|| {
///     let barrier = Barrier::new(2);
///     let leaders = raddle::thread::scope(|scope| {
///         let other = scope.spawn(|| barrier.wait().is_leader());
///         u32::from(barrier.wait().is_leader()) + u32::from(other.join().unwrap())
///     });
///     assert_eq!(leaders, 1);
/// });
/// ```
pub struct Barrier {
    registration: Registration,
    count: usize,
    real: std::sync::Barrier,
}

/// What a thread learns at a [`Barrier`].
///
/// ```
/// use raddle::sync::{Barrier, BarrierWaitResult};
///
/// let result: BarrierWaitResult = Barrier::new(1).wait();
/// assert!(result.is_leader());
/// ```
#[derive(Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for one of the threads that met.
    ///
    /// ```
    /// # use raddle::sync::Barrier;
    /// assert!(Barrier::new(1).wait().is_leader());
    /// ```
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for so many threads.
    ///
    /// ```
    /// # use raddle::sync::Barrier;
    /// static MEETING: Barrier = Barrier::new(3);
    /// ```
    #[must_use]
    pub const fn new(count: usize) -> Barrier {
        Barrier { registration: Registration::new(), count, real: std::sync::Barrier::new(count) }
    }

    /// Waits until all threads have arrived. The last one is the leader.
    ///
    /// ```
    /// # use raddle::sync::Barrier;
    /// let barrier = Barrier::new(2);
    /// raddle::thread::scope(|scope| {
    ///     scope.spawn(|| barrier.wait());
    ///     barrier.wait();
    /// });
    /// ```
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        if !self.registration.in_run() {
            return BarrierWaitResult(self.real.wait().is_leader());
        }
        let place = here();
        let barrier = self.registration.number(place, || ObjectKind::Barrier);
        let arrived = visit(Operation::new(Kind::Arrive, barrier, self.count as u64), place);
        if arrived.skipped || wait_for_turn().skipped {
            // A destructor waits for threads that will never act again.
            end_of_run();
        }
        BarrierWaitResult(arrived.outcome == Outcome::Last)
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}
