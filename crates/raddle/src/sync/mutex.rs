//! Mirror of `std::sync::Mutex`.

use std::fmt;
use std::ops::{Deref, DerefMut};

use raddle_runtime::{Registration, visit};
use raddle_trace::{Kind, ObjectId, Operation, Outcome, Place};
use raddle_world::ObjectKind;

use super::held::{Held, must_be_free};
use super::poison::Poison;
use super::{LockResult, PoisonError, TryLockError, TryLockResult};
use crate::place::here;

/// A lock around a value: the mirror of the type of this name in `std`.
///
/// A mutex that lives longer than a run is free and not poisoned at the start of each, but its value is as the run
/// before left it.
///
/// ```
/// use raddle::sync::Mutex;
/// use raddle::thread;
///
/// raddle::check(|| {
///     let sum = Mutex::new(0);
///     thread::scope(|scope| {
///         scope.spawn(|| *sum.lock().unwrap() += 1);
///         scope.spawn(|| *sum.lock().unwrap() += 2);
///     });
///     assert_eq!(sum.into_inner().unwrap(), 3);
/// });
/// ```
pub struct Mutex<T: ?Sized> {
    registration: Registration,
    /// Whether the value has any size, so that what a thread does depends on who had the lock before.
    carries: bool,
    poison: Poison,
    real: std::sync::Mutex<T>,
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> Mutex<T> {
    /// A mutex that nobody holds.
    ///
    /// ```
    /// # use raddle::sync::Mutex;
    /// static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());
    /// ```
    #[must_use]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            registration: Registration::new(),
            carries: size_of::<T>() != 0,
            poison: Poison::new(),
            real: std::sync::Mutex::new(value),
        }
    }

    /// The value, at the end of the mutex.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    ///
    /// ```
    /// # use raddle::sync::Mutex;
    /// assert_eq!(Mutex::new(5).into_inner().unwrap(), 5);
    /// ```
    pub fn into_inner(self) -> LockResult<T> {
        raddle_runtime::note_unseen_access();
        self.real.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Whether the lock hands over something that the run does not see: its value, or that a thread panicked.
    pub(super) fn carries(&self) -> bool {
        self.carries || raddle_runtime::panics_allowed()
    }

    pub(super) fn number(&self, place: Place) -> ObjectId {
        self.registration.number(place, || {
            self.real.clear_poison();
            self.poison.begin_run();
            ObjectKind::Mutex
        })
    }

    /// Takes the mutex, waiting until it is free.
    ///
    /// # Errors
    /// If the mutex is poisoned: a thread panicked while it held it. The error holds the guard.
    ///
    /// ```
    /// # use raddle::sync::Mutex;
    /// let number = Mutex::new(5);
    /// *number.lock().unwrap() += 1;
    /// assert_eq!(*number.lock().unwrap(), 6);
    /// ```
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        if !self.registration.in_run() {
            return self.guard(self.real.lock(), None);
        }
        let place = here();
        let (lock, carries) = (self.number(place), self.carries());
        visit(Operation::new(Kind::Lock, lock, 0).carrying(carries), place);
        self.take(Held { lock, place, carries, touched: false })
    }

    /// Takes the mutex if it is free.
    ///
    /// # Errors
    /// If somebody holds it, or if it is poisoned.
    ///
    /// ```
    /// # use raddle::sync::Mutex;
    /// let number = Mutex::new(5);
    /// let first = number.try_lock();
    /// assert!(first.is_ok());
    /// assert!(number.try_lock().is_err());
    /// ```
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let held = if self.registration.in_run() {
            let place = here();
            let (lock, carries) = (self.number(place), self.carries());
            let executed = visit(Operation::new(Kind::TryLock, lock, 0).carrying(carries), place);
            if !executed.skipped {
                if executed.outcome != Outcome::Done {
                    return Err(TryLockError::WouldBlock);
                }
                return Ok(self.take(Held { lock, place, carries, touched: false })?);
            }
            Some(Held { lock, place, carries, touched: false })
        } else {
            None
        };
        match self.real.try_lock() {
            Ok(real) => Ok(self.guard(Ok(real), held)?),
            Err(TryLockError::Poisoned(poisoned)) => Ok(self.guard(Err(poisoned), held)?),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        }
    }

    /// Takes the real mutex, which the run gave to the current thread.
    #[track_caller]
    pub(super) fn take(&self, held: Held) -> LockResult<MutexGuard<'_, T>> {
        self.poison.taken(held.place);
        self.guard(must_be_free(self.real.try_lock()), Some(held))
    }

    pub(super) fn guard<'a>(
        &'a self,
        real: LockResult<std::sync::MutexGuard<'a, T>>,
        held: Option<Held>,
    ) -> LockResult<MutexGuard<'a, T>> {
        let guard = |real| MutexGuard { mutex: self, real: Some(real), held };
        match real {
            Ok(real) => Ok(guard(real)),
            Err(poisoned) => Err(PoisonError::new(guard(poisoned.into_inner()))),
        }
    }

    /// Whether a thread panicked while it held the mutex.
    ///
    /// ```
    /// # use raddle::sync::Mutex;
    /// assert!(!Mutex::new(5).is_poisoned());
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
    /// # use raddle::sync::Mutex;
    /// let number = Mutex::new(5);
    /// number.clear_poison();
    /// assert!(number.lock().is_ok());
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
    /// If the mutex is poisoned.
    ///
    /// ```
    /// # use raddle::sync::Mutex;
    /// let mut number = Mutex::new(5);
    /// *number.get_mut().unwrap() += 1;
    /// assert_eq!(number.into_inner().unwrap(), 6);
    /// ```
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        raddle_runtime::note_unseen_access();
        self.real.get_mut()
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}

/// Shows the value if the mutex is free, without being an operation that other threads could notice.
impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.real, f)
    }
}

/// The right to use the value of a [`Mutex`]; gives the mutex back when it is dropped.
///
/// ```
/// use raddle::sync::{Mutex, MutexGuard};
///
/// let number = Mutex::new(5);
/// let mut guard: MutexGuard<'_, i32> = number.lock().unwrap();
/// *guard += 1;
/// drop(guard);
/// assert_eq!(*number.lock().unwrap(), 6);
/// ```
#[must_use = "the mutex is given back at once if its guard is not kept"]
pub struct MutexGuard<'a, T: ?Sized> {
    pub(super) mutex: &'a Mutex<T>,
    /// Always there, except while the guard is being taken apart.
    real: Option<std::sync::MutexGuard<'a, T>>,
    held: Option<Held>,
}

// SAFETY: as in `std`. A guard that is shared shows only the value, by shared references; the mutex, which could hand the value over
// to another thread, is used only by who owns the guard, and a guard cannot be sent.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

/// The parts of a guard.
pub(super) struct Parts<'a, T: ?Sized> {
    pub mutex: &'a Mutex<T>,
    pub real: std::sync::MutexGuard<'a, T>,
    pub held: Option<Held>,
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Takes the guard apart without giving the mutex back.
    pub(super) fn into_parts(mut self) -> Parts<'a, T> {
        let real = self.real.take().expect("bug in raddle: a guard without its real guard");
        Parts { mutex: self.mutex, real, held: self.held.take() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(held) = self.held {
            self.mutex.poison.give_back(held.place);
            self.real = None;
            held.release(Kind::Unlock);
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.real.as_deref().expect("bug in raddle: a guard without its real guard")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        if let Some(held) = &mut self.held {
            held.touched = true;
        }
        self.real.as_deref_mut().expect("bug in raddle: a guard without its real guard")
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}
