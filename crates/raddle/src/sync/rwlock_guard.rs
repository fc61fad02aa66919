//! The guards of `RwLock`.

use std::fmt;
use std::ops::{Deref, DerefMut};

use raddle_trace::Kind;

use super::held::Held;
use super::poison::Poison;
use crate::place::here;

const GONE: &str = "bug in raddle: a guard without its real guard";

/// The right to read the value of an [`RwLock`](crate::sync::RwLock); gives the lock back when it is dropped.
///
/// ```
/// use raddle::sync::{RwLock, RwLockReadGuard};
///
/// let number = RwLock::new(5);
/// let guard: RwLockReadGuard<'_, i32> = number.read().unwrap();
/// assert_eq!(*guard, 5);
/// ```
#[must_use = "the lock is given back at once if its guard is not kept"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    /// Always there, except while the guard is being dropped.
    real: Option<std::sync::RwLockReadGuard<'a, T>>,
    held: Option<Held>,
}

/// The right to use the value of an [`RwLock`](crate::sync::RwLock) alone; gives the lock back when it is dropped.
///
/// ```
/// use raddle::sync::{RwLock, RwLockWriteGuard};
///
/// let number = RwLock::new(5);
/// let mut guard: RwLockWriteGuard<'_, i32> = number.write().unwrap();
/// *guard += 1;
/// ```
#[must_use = "the lock is given back at once if its guard is not kept"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    /// Always there, except while the guard is being dropped.
    real: Option<std::sync::RwLockWriteGuard<'a, T>>,
    held: Option<Held>,
    poison: &'a Poison,
}

impl<'a, T: ?Sized> RwLockReadGuard<'a, T> {
    pub(super) fn new(real: std::sync::RwLockReadGuard<'a, T>, held: Option<Held>) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard { real: Some(real), held }
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    pub(super) fn new(
        real: std::sync::RwLockWriteGuard<'a, T>,
        held: Option<Held>,
        poison: &'a Poison,
    ) -> RwLockWriteGuard<'a, T> {
        RwLockWriteGuard { real: Some(real), held, poison }
    }

    /// Goes from writing to reading in one step: other readers may come from now on, and no writer gets in between.
    ///
    /// ```
    /// use raddle::sync::{RwLock, RwLockWriteGuard};
    /// use raddle::thread;
    ///
    /// raddle::check(|| {
    ///     let number = RwLock::new(0);
    ///     thread::scope(|scope| {
    ///         scope.spawn(|| *number.write().unwrap() = 5);
    ///         let mut writing = number.write().unwrap();
    ///         *writing = 6;
    ///         let reading = RwLockWriteGuard::downgrade(writing);
    ///         assert_eq!(*reading, 6);
    ///         assert!(number.try_read().is_ok());
    ///     });
    /// });
    /// ```
    #[track_caller]
    pub fn downgrade(mut s: RwLockWriteGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        let place = here();
        let real = std::sync::RwLockWriteGuard::downgrade(s.real.take().expect(GONE));
        // What is taken out here is not given back when `s` is dropped.
        let held = s.held.take().map(|held| held.downgrade(place));
        RwLockReadGuard::new(real, held)
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        self.real = None;
        if let Some(held) = self.held {
            held.release(Kind::ReadUnlock);
        }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(held) = self.held {
            self.poison.give_back(held.place);
            self.real = None;
            held.release(Kind::WriteUnlock);
        }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.real.as_deref().expect(GONE)
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.real.as_deref().expect(GONE)
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        if let Some(held) = &mut self.held {
            held.touched = true;
        }
        self.real.as_deref_mut().expect(GONE)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}
