//! References that do not keep what they refer to.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync as real;

use raddle_runtime::Count;
use raddle_trace::level::count::WEAK;
use raddle_trace::{Order, Place};

use crate::place::here;

/// A reference to what an [`Arc`](super::Arc) shares that does not keep it, as [`std::sync::Weak`].
///
/// ```
/// use raddle::sync::{Arc, Weak};
///
/// let data = Arc::new(5);
/// let weak: Weak<i32> = Arc::downgrade(&data);
/// assert!(weak.upgrade().is_some());
/// ```
pub struct Weak<T: ?Sized> {
    data: ManuallyDrop<real::Weak<T>>,
}

impl<T> Weak<T> {
    /// A reference to nothing.
    ///
    /// ```
    /// # use raddle::sync::Weak;
    /// assert!(Weak::<i32>::new().upgrade().is_none());
    /// ```
    #[must_use]
    pub const fn new() -> Weak<T> {
        Weak { data: ManuallyDrop::new(real::Weak::new()) }
    }
}

impl<T: ?Sized> Weak<T> {
    /// What `std` refers to, of which the run may know.
    pub(super) fn known(data: real::Weak<T>) -> Weak<T> {
        Weak { data: ManuallyDrop::new(data) }
    }

    /// What `std` refers to; the run does not know of this reference yet.
    pub(super) fn from_real(data: real::Weak<T>, place: Place) -> Weak<T> {
        let weak = Weak::known(data);
        if let Some(count) = weak.count() {
            count.begins(place);
            count.add(WEAK, Order::Relaxed, place);
        }
        weak
    }

    pub(super) fn real(&self) -> &real::Weak<T> {
        &self.data
    }

    /// The count of the data, if there is data. Until the run meets it, all is counted that `std` counts.
    pub(super) fn count(&self) -> Option<Count> {
        let address = self.data.as_ptr().cast::<()>() as usize;
        // A reference to nothing.
        if address == usize::MAX {
            return None;
        }
        Count::of(address, self.data.strong_count(), self.data.weak_count())
    }

    /// Whether both refer to the same data.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// assert!(Arc::downgrade(&data).ptr_eq(&Arc::downgrade(&data)));
    /// ```
    #[must_use]
    pub fn ptr_eq(&self, other: &Weak<T>) -> bool {
        self.data.ptr_eq(&other.data)
    }
}

impl<T> Weak<T> {
    /// Where the data is, or was.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// assert!(std::ptr::eq(Arc::downgrade(&data).as_ptr(), &*data));
    /// ```
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.data.as_ptr()
    }

    /// The reference as a pointer; it is still counted.
    ///
    /// ```
    /// # use raddle::sync::{Arc, Weak};
    /// let data = Arc::new(5);
    /// let pointer = Arc::downgrade(&data).into_raw();
    /// // SAFETY: the pointer is that of a weak reference.
    /// assert!(unsafe { Weak::from_raw(pointer) }.upgrade().is_some());
    /// ```
    #[must_use = "losing the pointer will leak memory"]
    pub fn into_raw(self) -> *const T {
        let mut weak = ManuallyDrop::new(self);
        // SAFETY: `weak` is never used again, and its destructor does not run.
        unsafe { ManuallyDrop::take(&mut weak.data) }.into_raw()
    }

    /// The reference that a pointer is.
    ///
    /// # Safety
    /// As for [`std::sync::Weak::from_raw`], with a pointer from [`Weak::into_raw`].
    ///
    /// ```
    /// # use raddle::sync::{Arc, Weak};
    /// let data = Arc::new(5);
    /// let pointer = Arc::downgrade(&data).into_raw();
    /// // SAFETY: the pointer is that of a weak reference.
    /// drop(unsafe { Weak::from_raw(pointer) });
    /// ```
    pub unsafe fn from_raw(pointer: *const T) -> Weak<T> {
        // SAFETY: passed on to the caller.
        Weak::known(unsafe { real::Weak::from_raw(pointer) })
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Weak<T> {
        if let Some(count) = self.count() {
            count.add(WEAK, Order::Relaxed, here());
        }
        Weak::known(real::Weak::clone(&self.data))
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    fn drop(&mut self) {
        let count = self.count();
        // SAFETY: the field is not used after its owner's destructor. As a value of its own it is destroyed in any case, also
        // if the run is over and the visit below unwinds.
        let _data = unsafe { ManuallyDrop::take(&mut self.data) };
        if let Some(count) = count {
            count.add(-WEAK, Order::Release, Place::Unknown);
        }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Weak<T> {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
