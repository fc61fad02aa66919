//! The atomic pointer.
//!
//! In a run the cell holds the address; the provenance is exposed when a pointer goes in and found again when it comes
//! out.

use std::fmt;

use raddle_runtime::Registration;
use raddle_trace::Place;

use super::Ordering;
use super::visible::{self, Strength, Visible};
use crate::place::here;

/// An atomic `*mut T`: the mirror of the type of this name in `std`.
///
/// ```
/// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
///
/// raddle::check(|| {
///     let slot = AtomicPtr::new(std::ptr::null_mut());
///     raddle::thread::scope(|scope| {
///         scope.spawn(|| slot.store(Box::into_raw(Box::new(5)), SeqCst));
///     });
///     let five = unsafe { Box::from_raw(slot.load(SeqCst)) };
///     assert_eq!(*five, 5);
/// });
/// ```
pub struct AtomicPtr<T> {
    plain: std::sync::atomic::AtomicPtr<T>,
    registration: Registration,
}

fn bits<T>(pointer: *mut T) -> u64 {
    pointer.expose_provenance() as u64
}

fn pointer<T>(bits: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(bits as usize)
}

impl<T> AtomicPtr<T> {
    /// An atomic with this value.
    ///
    /// ```
    /// # use raddle::sync::atomic::AtomicPtr;
    /// static HEAD: AtomicPtr<u32> = AtomicPtr::new(std::ptr::null_mut());
    /// ```
    #[must_use]
    pub const fn new(pointer: *mut T) -> AtomicPtr<T> {
        AtomicPtr { plain: std::sync::atomic::AtomicPtr::new(pointer), registration: Registration::new() }
    }

    #[inline]
    fn visible(&self, place: Place) -> Visible<'_, impl FnOnce() -> u64 + '_> {
        Visible {
            registration: &self.registration,
            first: || bits(self.plain.load(Ordering::Relaxed)),
            place,
        }
    }

    /// Reads the pointer.
    ///
    /// # Panics
    /// If `order` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut number = 5;
    /// let pointer = AtomicPtr::new(&mut number);
    /// assert_eq!(unsafe { *pointer.load(SeqCst) }, 5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn load(&self, order: Ordering) -> *mut T {
        if !self.registration.in_run() {
            return self.plain.load(order);
        }
        pointer(self.visible(here()).load(order))
    }

    /// Overwrites the pointer.
    ///
    /// # Panics
    /// If `order` is `Acquire` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut number = 5;
    /// let pointer = AtomicPtr::new(&mut number);
    /// pointer.store(std::ptr::null_mut(), SeqCst);
    /// assert!(pointer.load(SeqCst).is_null());
    /// ```
    #[inline]
    #[track_caller]
    pub fn store(&self, value: *mut T, order: Ordering) {
        if !self.registration.in_run() {
            return self.plain.store(value, order);
        }
        self.visible(here()).store(bits(value), order);
    }

    /// Overwrites the pointer. Returns the one before.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut number = 5;
    /// let pointer = AtomicPtr::new(&mut number);
    /// assert_eq!(pointer.swap(std::ptr::null_mut(), SeqCst), &raw mut number);
    /// ```
    #[inline]
    #[track_caller]
    pub fn swap(&self, value: *mut T, order: Ordering) -> *mut T {
        if !self.registration.in_run() {
            return self.plain.swap(value, order);
        }
        pointer(self.visible(here()).update(order, |_| bits(value)))
    }

    /// Overwrites the pointer if it is `current`. Returns the one before: `Ok` if it was overwritten.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut number = 5;
    /// let slot = AtomicPtr::new(std::ptr::null_mut());
    /// assert!(slot.compare_exchange(std::ptr::null_mut(), &mut number, SeqCst, SeqCst).is_ok());
    /// assert!(slot.compare_exchange(std::ptr::null_mut(), &mut number, SeqCst, SeqCst).is_err());
    /// ```
    #[inline]
    #[track_caller]
    pub fn compare_exchange(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        if !self.registration.in_run() {
            return self.plain.compare_exchange(current, new, success, failure);
        }
        self.exchange(Strength::Strong, (current, new), (success, failure), here())
    }

    /// Like [`AtomicPtr::compare_exchange`], but may fail for no reason. A check tries both.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut number = 5;
    /// let slot = AtomicPtr::new(std::ptr::null_mut());
    /// while slot.compare_exchange_weak(std::ptr::null_mut(), &mut number, SeqCst, SeqCst).is_err() {}
    /// ```
    #[inline]
    #[track_caller]
    pub fn compare_exchange_weak(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        if !self.registration.in_run() {
            return self.plain.compare_exchange_weak(current, new, success, failure);
        }
        self.exchange(Strength::Weak, (current, new), (success, failure), here())
    }

    #[inline]
    #[track_caller]
    fn exchange(
        &self,
        strength: Strength,
        (current, new): (*mut T, *mut T),
        orders: (Ordering, Ordering),
        place: Place,
    ) -> Result<*mut T, *mut T> {
        self.visible(place)
            .compare_exchange(strength, (bits(current), bits(new)), orders)
            .map(pointer)
            .map_err(pointer)
    }

    /// Reads the pointer and replaces it by what `new` makes of it, again and again until nobody else changed it in
    /// between; gives up with `Err` when `new` returns `None`.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let slot = AtomicPtr::<u32>::default();
    /// assert!(slot.fetch_update(SeqCst, SeqCst, |old| (!old.is_null()).then_some(old)).is_err());
    /// ```
    #[track_caller]
    pub fn fetch_update(
        &self,
        success: Ordering,
        failure: Ordering,
        mut new: impl FnMut(*mut T) -> Option<*mut T>,
    ) -> Result<*mut T, *mut T> {
        let mut old = self.load(failure);
        while let Some(value) = new(old) {
            match self.compare_exchange(old, value, success, failure) {
                Ok(old) => return Ok(old),
                Err(other) => old = other,
            }
        }
        Err(old)
    }

    /// The newer name of `fetch_update`.
    ///
    /// # Errors
    /// With the value, when `new` returns `None`.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let slot = AtomicPtr::<u32>::default();
    /// assert!(slot.try_update(SeqCst, SeqCst, |old| (!old.is_null()).then_some(old)).is_err());
    /// ```
    #[track_caller]
    pub fn try_update(
        &self,
        success: Ordering,
        failure: Ordering,
        new: impl FnMut(*mut T) -> Option<*mut T>,
    ) -> Result<*mut T, *mut T> {
        self.fetch_update(success, failure, new)
    }

    /// Reads the value and replaces it by what `new` makes of it, again and again until nobody else changed it in between.
    /// Returns the one before.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let slot = AtomicPtr::<u32>::default();
    /// let mut number = 5;
    /// assert!(slot.update(SeqCst, SeqCst, |_| &raw mut number).is_null());
    /// assert_eq!(slot.load(SeqCst), &raw mut number);
    /// ```
    #[track_caller]
    pub fn update(
        &self,
        success: Ordering,
        failure: Ordering,
        mut new: impl FnMut(*mut T) -> *mut T,
    ) -> *mut T {
        // There is always a new value, so it cannot give up.
        self.fetch_update(success, failure, |old| Some(new(old))).unwrap_or_else(|old| old)
    }

    /// Moves the pointer on by so many elements. Returns the one before.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut numbers = [1_u32, 2, 3];
    /// let slot = AtomicPtr::new(&raw mut numbers[1]);
    /// slot.fetch_ptr_add(1, SeqCst);
    /// assert_eq!(slot.load(SeqCst), &raw mut numbers[2]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn fetch_ptr_add(&self, count: usize, order: Ordering) -> *mut T {
        self.change(order, |old| old.wrapping_add(count))
    }

    /// Moves the pointer back by so many elements. Returns the one before.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut numbers = [1_u32, 2, 3];
    /// let slot = AtomicPtr::new(&raw mut numbers[1]);
    /// slot.fetch_ptr_sub(1, SeqCst);
    /// assert_eq!(slot.load(SeqCst), &raw mut numbers[0]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn fetch_ptr_sub(&self, count: usize, order: Ordering) -> *mut T {
        self.change(order, |old| old.wrapping_sub(count))
    }

    /// Moves the pointer on by so many bytes. Returns the one before.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut numbers = [1_u32, 2, 3];
    /// let slot = AtomicPtr::new(&raw mut numbers[1]);
    /// slot.fetch_byte_add(4, SeqCst);
    /// assert_eq!(slot.load(SeqCst), &raw mut numbers[2]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn fetch_byte_add(&self, bytes: usize, order: Ordering) -> *mut T {
        self.change(order, |old| old.wrapping_byte_add(bytes))
    }

    /// Moves the pointer back by so many bytes. Returns the one before.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut numbers = [1_u32, 2, 3];
    /// let slot = AtomicPtr::new(&raw mut numbers[1]);
    /// slot.fetch_byte_sub(4, SeqCst);
    /// assert_eq!(slot.load(SeqCst), &raw mut numbers[0]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn fetch_byte_sub(&self, bytes: usize, order: Ordering) -> *mut T {
        self.change(order, |old| old.wrapping_byte_sub(bytes))
    }

    /// Sets the bits of the address that are set in `mask`. Returns the one before.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut number = 5_u32;
    /// let slot = AtomicPtr::new(&raw mut number);
    /// slot.fetch_or(1, SeqCst);
    /// assert_eq!(slot.load(SeqCst).addr() & 1, 1);
    /// ```
    #[inline]
    #[track_caller]
    pub fn fetch_or(&self, mask: usize, order: Ordering) -> *mut T {
        self.change(order, |old| old.map_addr(|address| address | mask))
    }

    /// Clears the bits of the address that are not set in `mask`. Returns the one before.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut number = 5_u32;
    /// let slot = AtomicPtr::new(&raw mut number);
    /// slot.fetch_or(1, SeqCst);
    /// slot.fetch_and(!1, SeqCst);
    /// assert_eq!(slot.load(SeqCst), &raw mut number);
    /// ```
    #[inline]
    #[track_caller]
    pub fn fetch_and(&self, mask: usize, order: Ordering) -> *mut T {
        self.change(order, |old| old.map_addr(|address| address & mask))
    }

    /// Turns the bits of the address that are set in `mask`. Returns the one before.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    ///
    /// let mut number = 5_u32;
    /// let slot = AtomicPtr::new(&raw mut number);
    /// slot.fetch_xor(1, SeqCst);
    /// assert_eq!(slot.load(SeqCst).addr() & 1, 1);
    /// ```
    #[inline]
    #[track_caller]
    pub fn fetch_xor(&self, mask: usize, order: Ordering) -> *mut T {
        self.change(order, |old| old.map_addr(|address| address ^ mask))
    }

    /// Replaces the pointer by what `new` makes of it, in one step. Returns the one before.
    #[inline]
    #[track_caller]
    fn change(&self, order: Ordering, new: impl Fn(*mut T) -> *mut T) -> *mut T {
        if !self.registration.in_run() {
            // It goes on until it has succeeded, so what a failure reads is not used.
            let changed = self.plain.fetch_update(order, Ordering::Relaxed, |old| Some(new(old)));
            return changed.unwrap_or_else(|old| old);
        }
        pointer(self.visible(here()).update(order, |old| bits(new(pointer(old)))))
    }

    /// The pointer, which nobody else can use now.
    ///
    /// ```
    /// # use raddle::sync::atomic::AtomicPtr;
    /// let mut number = 5;
    /// let mut slot = AtomicPtr::default();
    /// *slot.get_mut() = &raw mut number;
    /// assert!(!slot.into_inner().is_null());
    /// ```
    #[inline]
    pub fn get_mut(&mut self) -> &mut *mut T {
        if let Some(value) = visible::value_in_run(&self.registration) {
            *self.plain.get_mut() = pointer(value);
            self.registration.forget();
        }
        self.plain.get_mut()
    }

    /// The pointer, at the end of the atomic.
    ///
    /// ```
    /// # use raddle::sync::atomic::AtomicPtr;
    /// assert!(AtomicPtr::<u32>::default().into_inner().is_null());
    /// ```
    #[inline]
    #[must_use]
    pub fn into_inner(mut self) -> *mut T {
        *self.get_mut()
    }
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

impl<T> From<*mut T> for AtomicPtr<T> {
    fn from(pointer: *mut T) -> AtomicPtr<T> {
        AtomicPtr::new(pointer)
    }
}

/// Shows the pointer, without being an operation that other threads could notice.
impl<T> fmt::Debug for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match visible::value_in_run(&self.registration) {
            Some(value) => fmt::Debug::fmt(&pointer::<T>(value), f),
            None => fmt::Debug::fmt(&self.plain, f),
        }
    }
}

/// Shows the pointer, without being an operation that other threads could notice.
impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
