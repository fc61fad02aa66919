//! Mirror of `std::sync::RwLock`.

use std::fmt;

use raddle_runtime::{Registration, visit};
use raddle_trace::{Kind, ObjectId, Operation, Outcome, Place};
use raddle_world::ObjectKind;

use super::held::{Held, must_be_free};
use super::poison::Poison;
use super::{LockResult, PoisonError, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult};
use crate::place::here;

/// A lock that many can hold to read or one to write: the mirror of the type of this name in `std`.
///
/// In a check neither readers nor writers are preferred: any order that the lock allows is tried. The one of `std` may let nobody
/// read while somebody waits to write, so a thread that reads while it reads already can wait for ever there. Where a
/// thread does that, threads queue for the lock in the check, and the deadlock is found.
///
/// ```
/// use raddle::sync::RwLock;
/// use raddle::thread;
///
/// raddle::check(|| {
///     let pair = RwLock::new((0, 0));
///     thread::scope(|scope| {
///         scope.spawn(|| *pair.write().unwrap() = (1, 1));
///         let seen = pair.read().unwrap();
///         assert_eq!(seen.0, seen.1);
///     });
/// });
/// ```
pub struct RwLock<T: ?Sized> {
    registration: Registration,
    /// Where threads wait for each other before they wait for the lock, if that is visible.
    queue: Registration,
    /// Whether the value has any size, so that what a thread does depends on who had the lock before.
    carries: bool,
    poison: Poison,
    real: std::sync::RwLock<T>,
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> RwLock<T> {
    /// A lock that nobody holds.
    ///
    /// ```
    /// # use raddle::sync::RwLock;
    /// static LIMITS: RwLock<(u32, u32)> = RwLock::new((0, 100));
    /// ```
    #[must_use]
    pub const fn new(value: T) -> RwLock<T> {
        RwLock {
            registration: Registration::new(),
            queue: Registration::new(),
            carries: size_of::<T>() != 0,
            poison: Poison::new(),
            real: std::sync::RwLock::new(value),
        }
    }

    /// The value, at the end of the lock.
    ///
    /// # Errors
    /// If the lock is poisoned.
    ///
    /// ```
    /// # use raddle::sync::RwLock;
    /// assert_eq!(RwLock::new(5).into_inner().unwrap(), 5);
    /// ```
    pub fn into_inner(self) -> LockResult<T> {
        raddle_runtime::note_unseen_access();
        self.real.into_inner()
    }
}

/// What came of an attempt to take the lock in a run.
enum Attempt {
    /// Somebody holds it.
    Failed,
    /// The run gave it to us.
    Given(Held),
    /// The run is over; nobody gives anything.
    Over(Held),
}

impl<T: ?Sized> RwLock<T> {
    /// Whether the lock hands over something that the run does not see: its value, or that a thread panicked.
    pub(super) fn carries(&self) -> bool {
        self.carries || raddle_runtime::panics_allowed()
    }

    fn number(&self, place: Place) -> ObjectId {
        self.registration.number(place, || {
            self.real.clear_poison();
            self.poison.begin_run();
            ObjectKind::RwLock
        })
    }

    /// Comes to the head of the queue, or leaves it.
    fn queue(&self, kind: Kind, place: Place) {
        let queue = self.queue.number(place, || ObjectKind::Queue);
        visit(Operation::new(kind, queue, 0), place);
    }

    fn wait_for(&self, kind: Kind, place: Place) -> Held {
        let (lock, carries) = (self.number(place), self.carries());
        let queues = raddle_runtime::queues_for(lock);
        if queues {
            self.queue(Kind::Lock, place);
        }
        visit(Operation::new(kind, lock, 0).carrying(carries), place);
        if queues {
            self.queue(Kind::Unlock, place);
        }
        self.poison.taken(place);
        Held { lock, place, carries, touched: false }
    }

    fn attempt(&self, kind: Kind, place: Place) -> Attempt {
        let (lock, carries) = (self.number(place), self.carries());
        let executed = visit(Operation::new(kind, lock, 0).carrying(carries), place);
        let held = Held { lock, place, carries, touched: false };
        if executed.skipped {
            Attempt::Over(held)
        } else if executed.outcome == Outcome::Done {
            self.poison.taken(place);
            Attempt::Given(held)
        } else {
            Attempt::Failed
        }
    }

    /// Takes the lock to read, waiting while somebody writes.
    ///
    /// # Errors
    /// If the lock is poisoned: a thread panicked while it held it to write. The error holds the guard.
    ///
    /// ```
    /// # use raddle::sync::RwLock;
    /// let number = RwLock::new(5);
    /// assert_eq!(*number.read().unwrap() + *number.read().unwrap(), 10);
    /// ```
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        if !self.registration.in_run() {
            return with(self.real.read(), |real| RwLockReadGuard::new(real, None));
        }
        let held = self.wait_for(Kind::Read, here());
        with(must_be_free(self.real.try_read()), |real| RwLockReadGuard::new(real, Some(held)))
    }

    /// Takes the lock to read if nobody writes.
    ///
    /// # Errors
    /// If somebody holds it to write, or if it is poisoned.
    ///
    /// ```
    /// # use raddle::sync::RwLock;
    /// let number = RwLock::new(5);
    /// let writing = number.write();
    /// assert!(number.try_read().is_err());
    /// ```
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        if !self.registration.in_run() {
            return try_with(self.real.try_read(), |real| RwLockReadGuard::new(real, None));
        }
        match self.attempt(Kind::TryRead, here()) {
            Attempt::Failed => Err(TryLockError::WouldBlock),
            Attempt::Given(held) => {
                Ok(with(must_be_free(self.real.try_read()), |real| RwLockReadGuard::new(real, Some(held)))?)
            }
            Attempt::Over(held) => {
                try_with(self.real.try_read(), |real| RwLockReadGuard::new(real, Some(held)))
            }
        }
    }

    /// Takes the lock to write, waiting until nobody else holds it.
    ///
    /// # Errors
    /// If the lock is poisoned: a thread panicked while it held it to write. The error holds the guard.
    ///
    /// ```
    /// # use raddle::sync::RwLock;
    /// let number = RwLock::new(5);
    /// *number.write().unwrap() += 1;
    /// assert_eq!(*number.read().unwrap(), 6);
    /// ```
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        if !self.registration.in_run() {
            return with(self.real.write(), |real| RwLockWriteGuard::new(real, None, &self.poison));
        }
        let held = self.wait_for(Kind::Write, here());
        with(must_be_free(self.real.try_write()), |real| {
            RwLockWriteGuard::new(real, Some(held), &self.poison)
        })
    }

    /// Takes the lock to write if nobody else holds it.
    ///
    /// # Errors
    /// If somebody holds it, or if it is poisoned.
    ///
    /// ```
    /// # use raddle::sync::RwLock;
    /// let number = RwLock::new(5);
    /// let reading = number.read();
    /// assert!(number.try_write().is_err());
    /// ```
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        if !self.registration.in_run() {
            return try_with(self.real.try_write(), |real| RwLockWriteGuard::new(real, None, &self.poison));
        }
        match self.attempt(Kind::TryWrite, here()) {
            Attempt::Failed => Err(TryLockError::WouldBlock),
            Attempt::Given(held) => Ok(with(must_be_free(self.real.try_write()), |real| {
                RwLockWriteGuard::new(real, Some(held), &self.poison)
            })?),
            Attempt::Over(held) => {
                try_with(self.real.try_write(), |real| RwLockWriteGuard::new(real, Some(held), &self.poison))
            }
        }
    }

    /// Whether a thread panicked while it held the lock to write.
    ///
    /// ```
    /// # use raddle::sync::RwLock;
    /// assert!(!RwLock::new(5).is_poisoned());
    /// ```
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        if raddle_runtime::in_run() {
            let place = here();
            self.number(place);
            self.poison.look(place);
        }
        self.real.is_poisoned()
    }

    /// Declares the value to be in order again.
    ///
    /// ```
    /// # use raddle::sync::RwLock;
    /// let number = RwLock::new(5);
    /// number.clear_poison();
    /// assert!(number.read().is_ok());
    /// ```
    #[track_caller]
    pub fn clear_poison(&self) {
        if raddle_runtime::in_run() {
            let place = here();
            self.number(place);
            self.poison.clear(place);
        }
        self.real.clear_poison();
    }

    /// The value, which nobody else can use now.
    ///
    /// # Errors
    /// If the lock is poisoned.
    ///
    /// ```
    /// # use raddle::sync::RwLock;
    /// let mut number = RwLock::new(5);
    /// *number.get_mut().unwrap() += 1;
    /// assert_eq!(number.into_inner().unwrap(), 6);
    /// ```
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        raddle_runtime::note_unseen_access();
        self.real.get_mut()
    }
}

/// Makes a guard of a real one, poisoned or not.
fn with<R, G>(real: LockResult<R>, guard: impl FnOnce(R) -> G) -> LockResult<G> {
    match real {
        Ok(real) => Ok(guard(real)),
        Err(poisoned) => Err(PoisonError::new(guard(poisoned.into_inner()))),
    }
}

fn try_with<R, G>(real: TryLockResult<R>, guard: impl FnOnce(R) -> G) -> TryLockResult<G> {
    match real {
        Ok(real) => Ok(guard(real)),
        Err(TryLockError::Poisoned(poisoned)) => Ok(with(Err(poisoned), guard)?),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}

/// Shows the value unless somebody writes, without being an operation that other threads could notice.
impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.real, f)
    }
}
