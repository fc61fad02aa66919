//! A counting semaphore, which `std` does not have.

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use raddle_runtime::{Executed, Registration, end_of_run, visit};
use raddle_trace::{Kind, ObjectId, Operation, Outcome, Place};
use raddle_world::ObjectKind;

use crate::place::here;

/// A number of permits that threads take and give.
///
/// A semaphore that lives longer than a run has in every run the permits it had before the check.
///
/// ```
/// use raddle::sync::Semaphore;
///
/// raddle::check(|| {
///     let done = Semaphore::new(0);
///     raddle::thread::scope(|scope| {
///         scope.spawn(|| done.release(2));
///         done.acquire();
///         done.acquire();
///     });
///     assert!(!done.try_acquire());
/// });
/// ```
pub struct Semaphore {
    registration: Registration,
    permits: Mutex<usize>,
    more: Condvar,
}

impl Semaphore {
    /// The most permits that a semaphore can have.
    ///
    /// ```
    /// # use raddle::sync::Semaphore;
    /// assert!(Semaphore::new(Semaphore::MAX_PERMITS).try_acquire());
    /// ```
    pub const MAX_PERMITS: usize = usize::MAX >> 3;

    /// A semaphore with so many permits.
    ///
    /// # Panics
    /// If these are more than [`Semaphore::MAX_PERMITS`].
    ///
    /// ```
    /// # use raddle::sync::Semaphore;
    /// static CONNECTIONS: Semaphore = Semaphore::new(10);
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn new(permits: usize) -> Semaphore {
        assert!(permits <= Semaphore::MAX_PERMITS, "too many permits in a semaphore");
        Semaphore { registration: Registration::new(), permits: Mutex::new(permits), more: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.permits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn number(&self, place: Place) -> ObjectId {
        self.registration.number(place, || ObjectKind::Semaphore(*self.lock() as u64))
    }

    fn visit(&self, kind: Kind, operand: u64, place: Place) -> Executed {
        visit(Operation::new(kind, self.number(place), operand), place)
    }

    /// Takes a permit, waiting until there is one.
    ///
    /// ```
    /// # use raddle::sync::Semaphore;
    /// let semaphore = Semaphore::new(1);
    /// semaphore.acquire();
    /// assert!(!semaphore.try_acquire());
    /// ```
    #[track_caller]
    pub fn acquire(&self) {
        if !self.registration.in_run() {
            let mut permits = self.lock();
            while *permits == 0 {
                permits = self.more.wait(permits).unwrap_or_else(PoisonError::into_inner);
            }
            *permits -= 1;
            return;
        }
        if self.visit(Kind::Acquire, 0, here()).skipped {
            // A destructor waits for a thread that will never act again.
            end_of_run();
        }
    }

    /// Takes a permit if there is one; whether there was.
    ///
    /// ```
    /// # use raddle::sync::Semaphore;
    /// let semaphore = Semaphore::new(1);
    /// assert!(semaphore.try_acquire());
    /// assert!(!semaphore.try_acquire());
    /// ```
    #[must_use = "without a permit there is nothing to give back"]
    #[track_caller]
    pub fn try_acquire(&self) -> bool {
        if !self.registration.in_run() {
            let mut permits = self.lock();
            let some = *permits > 0;
            *permits -= usize::from(some);
            return some;
        }
        let executed = self.visit(Kind::TryAcquire, 0, here());
        !executed.skipped && executed.outcome == Outcome::Done
    }

    /// Takes a permit, but does not wait for longer than `timeout`; whether it got one. A check tries both.
    ///
    /// ```
    /// # use raddle::sync::Semaphore;
    /// # use raddle::time::Duration;
    /// assert!(!Semaphore::new(0).acquire_timeout(Duration::from_millis(1)));
    /// ```
    #[must_use = "without a permit there is nothing to give back"]
    #[track_caller]
    pub fn acquire_timeout(&self, timeout: Duration) -> bool {
        if !self.registration.in_run() {
            let (mut permits, result) = self
                .more
                .wait_timeout_while(self.lock(), timeout, |permits| *permits == 0)
                .unwrap_or_else(PoisonError::into_inner);
            *permits -= usize::from(!result.timed_out());
            return !result.timed_out();
        }
        let executed = self.visit(Kind::TimedAcquire, 0, here());
        if !executed.skipped && executed.outcome == Outcome::TimedOut {
            crate::time::pass(timeout);
        }
        !executed.skipped && executed.outcome == Outcome::Done
    }

    /// Adds permits.
    ///
    /// # Panics
    /// If there would be more than [`Semaphore::MAX_PERMITS`].
    ///
    /// ```
    /// # use raddle::sync::Semaphore;
    /// let semaphore = Semaphore::new(0);
    /// semaphore.release(1);
    /// semaphore.acquire();
    /// ```
    #[track_caller]
    pub fn release(&self, permits: usize) {
        self.release_at(permits, here());
    }

    #[track_caller]
    fn release_at(&self, added: usize, place: Place) {
        let fits = |before: usize| before <= Semaphore::MAX_PERMITS - added;
        if added == 0 {
            return;
        }
        assert!(added <= Semaphore::MAX_PERMITS, "too many permits in a semaphore");
        if self.registration.in_run() {
            let executed = self.visit(Kind::Post, added as u64, place);
            assert!(executed.skipped || fits(executed.before as usize), "too many permits in a semaphore");
        } else {
            let mut permits = self.lock();
            assert!(fits(*permits), "too many permits in a semaphore");
            *permits += added;
            drop(permits);
            self.more.notify_all();
        }
    }

    /// Takes a permit, waiting until there is one, and gives it back when the guard is dropped.
    ///
    /// ```
    /// # use raddle::sync::Semaphore;
    /// let semaphore = Semaphore::new(1);
    /// drop(semaphore.access());
    /// assert!(semaphore.try_acquire());
    /// ```
    #[track_caller]
    pub fn access(&self) -> SemaphoreGuard<'_> {
        self.acquire();
        SemaphoreGuard { semaphore: self, place: here() }
    }
}

/// A permit of a [`Semaphore`]; gives it back when it is dropped.
///
/// ```
/// use raddle::sync::{Semaphore, SemaphoreGuard};
///
/// let semaphore = Semaphore::new(1);
/// let permit: SemaphoreGuard<'_> = semaphore.access();
/// drop(permit);
/// ```
#[must_use = "the permit is given back at once if its guard is not kept"]
pub struct SemaphoreGuard<'a> {
    semaphore: &'a Semaphore,
    place: Place,
}

impl Drop for SemaphoreGuard<'_> {
    fn drop(&mut self) {
        self.semaphore.release_at(1, self.place);
    }
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semaphore").finish_non_exhaustive()
    }
}

impl fmt::Debug for SemaphoreGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SemaphoreGuard").finish_non_exhaustive()
    }
}
