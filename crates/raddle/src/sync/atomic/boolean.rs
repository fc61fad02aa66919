//! The atomic `bool`.

use std::fmt;

use raddle_runtime::Registration;
use raddle_trace::Place;

use super::Ordering;
use super::visible::{self, Strength, Visible};
use crate::place::here;

/// An atomic `bool`: the mirror of the type of this name in `std`.
///
/// ```
/// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
/// use raddle::{sync::Arc, thread};
///
/// raddle::check(|| {
///     let taken = Arc::new(AtomicBool::new(false));
///     let other = Arc::clone(&taken);
///     let rival = thread::spawn(move || !other.swap(true, SeqCst));
///     let won = !taken.swap(true, SeqCst);
///     assert!(won != rival.join().unwrap());
/// });
/// ```
pub struct AtomicBool {
    plain: std::sync::atomic::AtomicBool,
    registration: Registration,
}

macro_rules! fetch {
    ($name:ident, $what:literal, $code:literal, $new:expr) => {
        #[doc = $what]
        ///
        /// ```
        /// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
        ///
        /// let flag = AtomicBool::new(true);
        #[doc = $code]
        /// ```
        #[inline]
        #[track_caller]
        pub fn $name(&self, operand: bool, order: Ordering) -> bool {
            if !self.registration.in_run() {
                return self.plain.$name(operand, order);
            }
            let new: fn(bool, bool) -> bool = $new;
            self.visible(here()).update(order, |old| u64::from(new(old != 0, operand))) != 0
        }
    };
}

impl AtomicBool {
    /// An atomic with this value.
    ///
    /// ```
    /// # use raddle::sync::atomic::AtomicBool;
    /// static READY: AtomicBool = AtomicBool::new(false);
    /// ```
    #[must_use]
    pub const fn new(value: bool) -> AtomicBool {
        AtomicBool { plain: std::sync::atomic::AtomicBool::new(value), registration: Registration::new() }
    }

    #[inline]
    fn visible(&self, place: Place) -> Visible<'_, impl FnOnce() -> u64 + '_> {
        Visible {
            registration: &self.registration,
            first: || u64::from(self.plain.load(Ordering::Relaxed)),
            place,
        }
    }

    /// Reads the value.
    ///
    /// # Panics
    /// If `order` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    ///
    /// assert!(AtomicBool::new(true).load(SeqCst));
    /// ```
    #[inline]
    #[track_caller]
    pub fn load(&self, order: Ordering) -> bool {
        if !self.registration.in_run() {
            return self.plain.load(order);
        }
        self.visible(here()).load(order) != 0
    }

    /// Overwrites the value.
    ///
    /// # Panics
    /// If `order` is `Acquire` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    ///
    /// let flag = AtomicBool::new(false);
    /// flag.store(true, SeqCst);
    /// assert!(flag.into_inner());
    /// ```
    #[inline]
    #[track_caller]
    pub fn store(&self, value: bool, order: Ordering) {
        if !self.registration.in_run() {
            return self.plain.store(value, order);
        }
        self.visible(here()).store(u64::from(value), order);
    }

    /// Overwrites the value if it is `current`. Returns the value before: `Ok` if it was overwritten.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    ///
    /// let flag = AtomicBool::new(false);
    /// assert_eq!(flag.compare_exchange(false, true, SeqCst, SeqCst), Ok(false));
    /// assert_eq!(flag.compare_exchange(false, true, SeqCst, SeqCst), Err(true));
    /// ```
    #[inline]
    #[track_caller]
    pub fn compare_exchange(
        &self,
        current: bool,
        new: bool,
        success: Ordering,
        failure: Ordering,
    ) -> Result<bool, bool> {
        if !self.registration.in_run() {
            return self.plain.compare_exchange(current, new, success, failure);
        }
        self.exchange(Strength::Strong, (current, new), (success, failure), here())
    }

    /// Like [`AtomicBool::compare_exchange`], but may fail for no reason. A check tries both.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    ///
    /// let lock = AtomicBool::new(false);
    /// while lock.compare_exchange_weak(false, true, SeqCst, SeqCst).is_err() {}
    /// assert!(lock.into_inner());
    /// ```
    #[inline]
    #[track_caller]
    pub fn compare_exchange_weak(
        &self,
        current: bool,
        new: bool,
        success: Ordering,
        failure: Ordering,
    ) -> Result<bool, bool> {
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
        (current, new): (bool, bool),
        orders: (Ordering, Ordering),
        place: Place,
    ) -> Result<bool, bool> {
        self.visible(place)
            .compare_exchange(strength, (u64::from(current), u64::from(new)), orders)
            .map(|old| old != 0)
            .map_err(|old| old != 0)
    }

    /// Reads the value and replaces it by what `new` makes of it, again and again until nobody else changed it in
    /// between; gives up with `Err` when `new` returns `None`.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    ///
    /// let flag = AtomicBool::new(false);
    /// assert_eq!(flag.fetch_update(SeqCst, SeqCst, |old| Some(!old)), Ok(false));
    /// assert_eq!(flag.fetch_update(SeqCst, SeqCst, |_| None), Err(true));
    /// ```
    #[track_caller]
    pub fn fetch_update(
        &self,
        success: Ordering,
        failure: Ordering,
        mut new: impl FnMut(bool) -> Option<bool>,
    ) -> Result<bool, bool> {
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
    /// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    ///
    /// let flag = AtomicBool::new(false);
    /// assert_eq!(flag.try_update(SeqCst, SeqCst, |old| Some(!old)), Ok(false));
    /// assert_eq!(flag.try_update(SeqCst, SeqCst, |_| None), Err(true));
    /// ```
    #[track_caller]
    pub fn try_update(
        &self,
        success: Ordering,
        failure: Ordering,
        new: impl FnMut(bool) -> Option<bool>,
    ) -> Result<bool, bool> {
        self.fetch_update(success, failure, new)
    }

    /// Reads the value and replaces it by what `new` makes of it, again and again until nobody else changed it in between.
    /// Returns the one before.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    ///
    /// let flag = AtomicBool::new(false);
    /// assert_eq!(flag.update(SeqCst, SeqCst, |old| !old), false);
    /// assert_eq!(flag.load(SeqCst), true);
    /// ```
    #[track_caller]
    pub fn update(&self, success: Ordering, failure: Ordering, mut new: impl FnMut(bool) -> bool) -> bool {
        // There is always a new value, so it cannot give up.
        self.fetch_update(success, failure, |old| Some(new(old))).unwrap_or_else(|old| old)
    }

    fetch!(
        swap,
        "Overwrites the value. Returns the one before.",
        "assert_eq!((flag.swap(false, SeqCst), flag.load(SeqCst)), (true, false));",
        |_, new| new
    );
    fetch!(
        fetch_and,
        "Logical and with the value. Returns the one before.",
        "assert_eq!((flag.fetch_and(false, SeqCst), flag.load(SeqCst)), (true, false));",
        |a, b| a & b
    );
    fetch!(
        fetch_nand,
        "Logical nand with the value. Returns the one before.",
        "assert_eq!((flag.fetch_nand(true, SeqCst), flag.load(SeqCst)), (true, false));",
        |a, b| !(a & b)
    );
    fetch!(
        fetch_or,
        "Logical or with the value. Returns the one before.",
        "assert_eq!((flag.fetch_or(false, SeqCst), flag.load(SeqCst)), (true, true));",
        |a, b| a | b
    );
    fetch!(
        fetch_xor,
        "Logical exclusive or with the value. Returns the one before.",
        "assert_eq!((flag.fetch_xor(true, SeqCst), flag.load(SeqCst)), (true, false));",
        |a, b| a ^ b
    );

    /// Turns the value round. Returns the one before.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    ///
    /// let flag = AtomicBool::new(true);
    /// assert_eq!((flag.fetch_not(SeqCst), flag.load(SeqCst)), (true, false));
    /// ```
    #[inline]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }

    /// The value, which nobody else can use now.
    ///
    /// ```
    /// # use raddle::sync::atomic::AtomicBool;
    /// let mut flag = AtomicBool::new(false);
    /// *flag.get_mut() = true;
    /// assert!(flag.into_inner());
    /// ```
    #[inline]
    pub fn get_mut(&mut self) -> &mut bool {
        if let Some(value) = visible::value_in_run(&self.registration) {
            *self.plain.get_mut() = value != 0;
            self.registration.forget();
        }
        self.plain.get_mut()
    }

    /// The value, at the end of the atomic.
    ///
    /// ```
    /// # use raddle::sync::atomic::AtomicBool;
    /// assert!(AtomicBool::new(true).into_inner());
    /// ```
    #[inline]
    #[must_use]
    pub fn into_inner(mut self) -> bool {
        *self.get_mut()
    }
}

impl Default for AtomicBool {
    fn default() -> AtomicBool {
        AtomicBool::new(false)
    }
}

impl From<bool> for AtomicBool {
    fn from(value: bool) -> AtomicBool {
        AtomicBool::new(value)
    }
}

/// Shows the value, without being an operation that other threads could notice.
impl fmt::Debug for AtomicBool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match visible::value_in_run(&self.registration) {
            Some(value) => fmt::Debug::fmt(&(value != 0), f),
            None => fmt::Debug::fmt(&self.plain, f),
        }
    }
}
