//! References as pointers.

use super::*;

impl<T: ?Sized> Arc<T> {
    /// The reference as a pointer; it is still counted.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let pointer = Arc::into_raw(Arc::new(5));
    /// // SAFETY: the pointer is that of a reference.
    /// assert_eq!(*unsafe { Arc::from_raw(pointer) }, 5);
    /// ```
    #[must_use = "losing the pointer will leak memory"]
    pub fn into_raw(this: Arc<T>) -> *const T {
        real::Arc::into_raw(this.into_real())
    }

    /// The reference that a pointer is.
    ///
    /// # Safety
    /// As for [`std::sync::Arc::from_raw`], with a pointer from [`Arc::into_raw`].
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let pointer = Arc::into_raw(Arc::new(5));
    /// // SAFETY: the pointer is that of a reference.
    /// drop(unsafe { Arc::from_raw(pointer) });
    /// ```
    pub unsafe fn from_raw(pointer: *const T) -> Arc<T> {
        // SAFETY: passed on to the caller.
        Arc::known(unsafe { real::Arc::from_raw(pointer) })
    }

    /// One more reference to the data at a pointer.
    ///
    /// # Safety
    /// As for [`std::sync::Arc::increment_strong_count`].
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let pointer = Arc::into_raw(Arc::new(5));
    /// // SAFETY: the pointer is that of a reference, and from now on of two.
    /// unsafe { Arc::increment_strong_count(pointer) };
    /// // SAFETY: as above.
    /// let both = unsafe { (Arc::from_raw(pointer), Arc::from_raw(pointer)) };
    /// assert_eq!(Arc::strong_count(&both.0), 2);
    /// ```
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: passed on to the caller. The reference is not given up here: its destructor does not run.
        let arc = ManuallyDrop::new(unsafe { Arc::from_raw(pointer) });
        std::mem::forget(Arc::clone(&arc));
    }

    /// One reference less to the data at a pointer.
    ///
    /// # Safety
    /// As for [`std::sync::Arc::decrement_strong_count`].
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// let pointer = Arc::into_raw(data.clone());
    /// // SAFETY: the pointer is that of a reference.
    /// unsafe { Arc::decrement_strong_count(pointer) };
    /// assert_eq!(Arc::strong_count(&data), 1);
    /// ```
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: passed on to the caller.
        drop(unsafe { Arc::from_raw(pointer) });
    }
}

impl Arc<dyn std::any::Any + Send + Sync> {
    /// The same reference, if the data is of this type.
    ///
    /// # Errors
    /// If it is not: with the reference itself.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// use std::any::Any;
    ///
    /// let data: Arc<dyn Any + Send + Sync> = Arc::from(Box::new(5) as Box<dyn Any + Send + Sync>);
    /// assert_eq!(*data.downcast::<i32>().unwrap(), 5);
    /// ```
    pub fn downcast<T: std::any::Any + Send + Sync>(self) -> Result<Arc<T>, Self> {
        self.into_real().downcast().map(Arc::known).map_err(Arc::known)
    }
}
