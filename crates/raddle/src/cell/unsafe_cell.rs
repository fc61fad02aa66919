//! Mirror of loom's `UnsafeCell`.

use std::fmt;

use raddle_runtime::Registration;
use raddle_trace::Kind;

use super::pointer::{ConstPtr, MutPtr};
use super::tracked;
use crate::place::here;

/// Memory that can be changed through a shared reference, with accesses that a check sees.
///
/// Like the one of `std` it is not `Sync`; who shares it has to say why that is right, and a check finds out whether it
/// is.
///
/// ```
/// use raddle::cell::UnsafeCell;
///
/// let number = UnsafeCell::new(5);
/// // SAFETY: nobody else uses the cell.
/// number.with_mut(|number| unsafe { *number += 1 });
/// assert_eq!(number.with(|number| unsafe { *number }), 6);
/// ```
#[derive(Default)]
pub struct UnsafeCell<T: ?Sized> {
    registration: Registration,
    memory: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with this value.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// let number = UnsafeCell::new(5);
    /// ```
    #[must_use]
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell { registration: Registration::new(), memory: std::cell::UnsafeCell::new(value) }
    }

    /// The value, at the end of the cell.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// assert_eq!(UnsafeCell::new(5).into_inner(), 5);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn into_inner(self) -> T {
        tracked::access(&self.registration, Kind::PlainWrite, here());
        self.memory.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads: `f` gets a pointer that is good for reading, until it returns.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// let number = UnsafeCell::new(5);
    /// // SAFETY: nobody else uses the cell.
    /// assert_eq!(number.with(|number| unsafe { *number }), 5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        tracked::during(&self.registration, Kind::PlainRead, here(), || f(self.memory.get()))
    }

    /// Writes: `f` gets a pointer that is good for reading and writing, until it returns.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// let number = UnsafeCell::new(5);
    /// // SAFETY: nobody else uses the cell.
    /// number.with_mut(|number| unsafe { *number = 6 });
    /// ```
    #[inline]
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        tracked::during(&self.registration, Kind::PlainWrite, here(), || f(self.memory.get()))
    }

    /// A pointer for reading, which is in use until it is dropped.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// let number = UnsafeCell::new(5);
    /// // SAFETY: nobody else uses the cell.
    /// assert_eq!(unsafe { *number.get().deref() }, 5);
    /// ```
    #[track_caller]
    pub fn get(&self) -> ConstPtr<'_, T> {
        ConstPtr::new(&self.registration, self.memory.get(), here())
    }

    /// A pointer for reading and writing, which is in use until it is dropped.
    ///
    /// ```
    /// # use raddle::cell::UnsafeCell;
    /// let number = UnsafeCell::new(5);
    /// // SAFETY: nobody else uses the cell.
    /// unsafe { *number.get_mut().deref() += 1 };
    /// assert_eq!(number.into_inner(), 6);
    /// ```
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<'_, T> {
        MutPtr::new(&self.registration, self.memory.get(), here())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
