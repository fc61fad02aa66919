//! Pointers into an `UnsafeCell`.
//!
//! Each use is recorded, and the end of a pointer that was used once more: what was got from it may have been used until
//! then. Loom has the same rule.

use std::cell::Cell;
use std::fmt;

use raddle_runtime::Registration;
use raddle_trace::{Kind, Place};

use super::tracked;
use crate::place::here;

/// A pointer for reading: see [`UnsafeCell::get`](super::UnsafeCell::get).
///
/// ```
/// use raddle::cell::{ConstPtr, UnsafeCell};
///
/// let number = UnsafeCell::new(5);
/// let pointer: ConstPtr<'_, i32> = number.get();
/// // SAFETY: nobody else uses the cell.
/// assert_eq!(unsafe { *pointer.deref() }, 5);
/// ```
pub struct ConstPtr<'a, T: ?Sized>(Pointer<'a, T>);

/// A pointer for reading and writing: see [`UnsafeCell::get_mut`](super::UnsafeCell::get_mut).
///
/// ```
/// use raddle::cell::{MutPtr, UnsafeCell};
///
/// let number = UnsafeCell::new(5);
/// let pointer: MutPtr<'_, i32> = number.get_mut();
/// // SAFETY: nobody else uses the cell.
/// unsafe { *pointer.deref() = 6 };
/// ```
pub struct MutPtr<'a, T: ?Sized>(Pointer<'a, T>);

struct Pointer<'a, T: ?Sized> {
    registration: &'a Registration,
    memory: *mut T,
    kind: Kind,
    place: Place,
    used: Cell<bool>,
}

impl<T: ?Sized> Pointer<'_, T> {
    fn use_it(&self, place: Place) -> *mut T {
        self.used.set(true);
        tracked::access(self.registration, self.kind, place);
        self.memory
    }
}

impl<T: ?Sized> Drop for Pointer<'_, T> {
    fn drop(&mut self) {
        if self.used.get() {
            tracked::access(self.registration, self.kind, self.place);
        }
    }
}

impl<'a, T: ?Sized> ConstPtr<'a, T> {
    pub(super) fn new(registration: &'a Registration, memory: *mut T, place: Place) -> ConstPtr<'a, T> {
        ConstPtr(Pointer { registration, memory, kind: Kind::PlainRead, place, used: Cell::new(false) })
    }

    /// The memory.
    ///
    /// # Safety
    /// As for a `*const T`: nobody may write while the reference is used.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// let number = UnsafeCell::new(5);
    /// // SAFETY: nobody else uses the cell.
    /// assert_eq!(unsafe { *number.get().deref() }, 5);
    /// ```
    #[track_caller]
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: passed on to the caller.
        unsafe { &*self.0.use_it(here()) }
    }

    /// Reads: `f` gets the pointer.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// let number = UnsafeCell::new(5);
    /// // SAFETY: nobody else uses the cell.
    /// assert_eq!(number.get().with(|number| unsafe { *number }), 5);
    /// ```
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.use_it(here()))
    }
}

impl<'a, T: ?Sized> MutPtr<'a, T> {
    pub(super) fn new(registration: &'a Registration, memory: *mut T, place: Place) -> MutPtr<'a, T> {
        MutPtr(Pointer { registration, memory, kind: Kind::PlainWrite, place, used: Cell::new(false) })
    }

    /// The memory.
    ///
    /// # Safety
    /// As for a `*mut T`: nobody else may use the memory while the reference is used.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// let number = UnsafeCell::new(5);
    /// // SAFETY: nobody else uses the cell.
    /// unsafe { *number.get_mut().deref() = 6 };
    /// ```
    #[expect(clippy::mut_from_ref, reason = "the signature is the one of loom, and the function is unsafe")]
    #[track_caller]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: passed on to the caller.
        unsafe { &mut *self.0.use_it(here()) }
    }

    /// Writes: `f` gets the pointer.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// let number = UnsafeCell::new(5);
    /// // SAFETY: nobody else uses the cell.
    /// number.get_mut().with(|number| unsafe { *number = 6 });
    /// ```
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.use_it(here()))
    }
}

impl<T: ?Sized> fmt::Debug for ConstPtr<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.0.memory, f)
    }
}

impl<T: ?Sized> fmt::Debug for MutPtr<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.0.memory, f)
    }
}
