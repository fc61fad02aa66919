//! References to data that is yet to be written.

use std::mem::MaybeUninit;

use super::*;

impl<T> Arc<T> {
    /// Room for data.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let mut data = Arc::<u32>::new_uninit();
    /// Arc::get_mut(&mut data).unwrap().write(5);
    /// // SAFETY: it was just written.
    /// assert_eq!(*unsafe { data.assume_init() }, 5);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new_uninit() -> Arc<MaybeUninit<T>> {
        Arc::begin(real::Arc::new_uninit())
    }

    /// Room for data, filled with zeros.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// // SAFETY: zero is a number.
    /// assert_eq!(*unsafe { Arc::<u32>::new_zeroed().assume_init() }, 0);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new_zeroed() -> Arc<MaybeUninit<T>> {
        Arc::begin(real::Arc::new_zeroed())
    }
}

impl<T> Arc<[T]> {
    /// Room for so many items.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let mut items = Arc::<[u32]>::new_uninit_slice(2);
    /// Arc::get_mut(&mut items).unwrap().iter_mut().for_each(|item| drop(item.write(5)));
    /// // SAFETY: all were just written.
    /// assert_eq!(*unsafe { items.assume_init() }, [5, 5]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new_uninit_slice(length: usize) -> Arc<[MaybeUninit<T>]> {
        Arc::begin(real::Arc::new_uninit_slice(length))
    }

    /// Room for so many items, filled with zeros.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// // SAFETY: zero is a number.
    /// assert_eq!(*unsafe { Arc::<[u32]>::new_zeroed_slice(2).assume_init() }, [0, 0]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new_zeroed_slice(length: usize) -> Arc<[MaybeUninit<T>]> {
        Arc::begin(real::Arc::new_zeroed_slice(length))
    }
}

impl<T> Arc<MaybeUninit<T>> {
    /// The same data, which has been written.
    ///
    /// # Safety
    /// As for [`std::sync::Arc::assume_init`].
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// // SAFETY: zero is a number.
    /// assert_eq!(*unsafe { Arc::<u32>::new_zeroed().assume_init() }, 0);
    /// ```
    #[must_use]
    pub unsafe fn assume_init(self) -> Arc<T> {
        // SAFETY: passed on to the caller.
        Arc::known(unsafe { self.into_real().assume_init() })
    }
}

impl<T> Arc<[MaybeUninit<T>]> {
    /// The same items, which have been written.
    ///
    /// # Safety
    /// As for [`std::sync::Arc::assume_init`].
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// // SAFETY: zero is a number.
    /// assert_eq!(*unsafe { Arc::<[u32]>::new_zeroed_slice(2).assume_init() }, [0, 0]);
    /// ```
    #[must_use]
    pub unsafe fn assume_init(self) -> Arc<[T]> {
        // SAFETY: passed on to the caller.
        Arc::known(unsafe { self.into_real().assume_init() })
    }
}
