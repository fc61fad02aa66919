//! The atomic integers.

use std::fmt;

use raddle_runtime::Registration;
use raddle_trace::Place;

use super::Ordering;
use super::visible::{self, Strength, Visible};
use crate::place::here;

/// An example that starts with an atomic `number` which is 5.
macro_rules! example {
    ($atomic:ident, $code:literal) => {
        concat!(
            "```\nuse raddle::sync::atomic::{",
            stringify!($atomic),
            ", Ordering::SeqCst};\n\n# #[allow(unused_mut)]\nlet mut number = ",
            stringify!($atomic),
            "::new(5);\n",
            $code,
            "\n# let _ = SeqCst;\n```"
        )
    };
}

macro_rules! fetch {
    ($atomic:ident, $integer:ident, $name:ident, $what:literal, $code:literal, $new:expr) => {
        #[doc = $what]
        ///
        #[doc = example!($atomic, $code)]
        #[inline]
        #[track_caller]
        pub fn $name(&self, operand: $integer, order: Ordering) -> $integer {
            if !self.registration.in_run() {
                return self.plain.$name(operand, order);
            }
            let new: fn($integer, $integer) -> $integer = $new;
            self.visible(here()).update(order, |old| new(old as $integer, operand) as u64) as $integer
        }
    };
}

macro_rules! integer {
    ($atomic:ident, $integer:ident) => {
        #[doc = concat!("An atomic `", stringify!($integer), "`: the mirror of the type of this name in `std`.")]
        ///
        #[doc = example!(
                    $atomic,
                    "raddle::check(move || {
    raddle::thread::scope(|scope| {
        scope.spawn(|| number.fetch_add(1, SeqCst));
        scope.spawn(|| number.fetch_add(1, SeqCst));
    });
    assert_eq!(number.load(SeqCst), 7);
});"
                )]
        pub struct $atomic {
            plain: std::sync::atomic::$atomic,
            registration: Registration,
        }

        impl $atomic {
            /// An atomic with this value.
            ///
            #[doc = example!($atomic, "assert_eq!(number.into_inner(), 5);")]
            #[must_use]
            pub const fn new(value: $integer) -> $atomic {
                $atomic { plain: std::sync::atomic::$atomic::new(value), registration: Registration::new() }
            }

            #[inline]
            fn visible(&self, place: Place) -> Visible<'_, impl FnOnce() -> u64 + '_> {
                Visible {
                    registration: &self.registration,
                    first: || self.plain.load(Ordering::Relaxed) as u64,
                    place,
                }
            }

            /// Reads the value.
            ///
            /// # Panics
            /// If `order` is `Release` or `AcqRel`.
            ///
            #[doc = example!($atomic, "assert_eq!(number.load(SeqCst), 5);")]
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $integer {
                if !self.registration.in_run() {
                    return self.plain.load(order);
                }
                self.visible(here()).load(order) as $integer
            }

            /// Overwrites the value.
            ///
            /// # Panics
            /// If `order` is `Acquire` or `AcqRel`.
            ///
            #[doc = example!($atomic, "number.store(6, SeqCst);\nassert_eq!(number.load(SeqCst), 6);")]
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $integer, order: Ordering) {
                if !self.registration.in_run() {
                    return self.plain.store(value, order);
                }
                self.visible(here()).store(value as u64, order);
            }

            /// Overwrites the value if it is `current`. Returns the value before: `Ok` if it was overwritten.
            ///
            /// # Panics
            /// If `failure` is `Release` or `AcqRel`.
            ///
            #[doc = example!(
                        $atomic,
                        "assert_eq!(number.compare_exchange(5, 6, SeqCst, SeqCst), Ok(5));
assert_eq!(number.compare_exchange(5, 7, SeqCst, SeqCst), Err(6));"
                    )]
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $integer,
                new: $integer,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$integer, $integer> {
                if !self.registration.in_run() {
                    return self.plain.compare_exchange(current, new, success, failure);
                }
                self.exchange(Strength::Strong, (current, new), (success, failure), here())
            }

            /// Like `compare_exchange`, but may fail for no reason. A check tries both.
            ///
            /// # Panics
            /// If `failure` is `Release` or `AcqRel`.
            ///
            #[doc = example!(
                        $atomic,
                        "while number.compare_exchange_weak(5, 6, SeqCst, SeqCst).is_err() {}
assert_eq!(number.into_inner(), 6);"
                    )]
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $integer,
                new: $integer,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$integer, $integer> {
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
                (current, new): ($integer, $integer),
                orders: (Ordering, Ordering),
                place: Place,
            ) -> Result<$integer, $integer> {
                self.visible(place)
                    .compare_exchange(strength, (current as u64, new as u64), orders)
                    .map(|old| old as $integer)
                    .map_err(|old| old as $integer)
            }

            /// Reads the value and replaces it by what `new` makes of it, again and again until nobody else changed it
            /// in between; gives up with `Err` when `new` returns `None`.
            ///
            /// # Panics
            /// If `failure` is `Release` or `AcqRel`.
            ///
            #[doc = example!(
                        $atomic,
                        "assert_eq!(number.fetch_update(SeqCst, SeqCst, |old| old.checked_mul(2)), Ok(5));
assert_eq!(number.fetch_update(SeqCst, SeqCst, |_| None), Err(10));"
                    )]
            #[track_caller]
            pub fn fetch_update(
                &self,
                success: Ordering,
                failure: Ordering,
                mut new: impl FnMut($integer) -> Option<$integer>,
            ) -> Result<$integer, $integer> {
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
            #[doc = example!(
                        $atomic,
                        "assert_eq!(number.try_update(SeqCst, SeqCst, |old| old.checked_mul(2)), Ok(5));
assert_eq!(number.try_update(SeqCst, SeqCst, |_| None), Err(10));"
                    )]
            #[track_caller]
            pub fn try_update(
                &self,
                success: Ordering,
                failure: Ordering,
                new: impl FnMut($integer) -> Option<$integer>,
            ) -> Result<$integer, $integer> {
                self.fetch_update(success, failure, new)
            }

            /// Reads the value and replaces it by what `new` makes of it, again and again until nobody else changed it
            /// in between. Returns the one before.
            ///
            /// # Panics
            /// If `failure` is `Release` or `AcqRel`.
            ///
            #[doc = example!(
                        $atomic,
                        "assert_eq!(number.update(SeqCst, SeqCst, |old| old + 1), 5);
assert_eq!(number.load(SeqCst), 6);"
                    )]
            #[track_caller]
            pub fn update(
                &self,
                success: Ordering,
                failure: Ordering,
                mut new: impl FnMut($integer) -> $integer,
            ) -> $integer {
                // There is always a new value, so it cannot give up.
                self.fetch_update(success, failure, |old| Some(new(old))).unwrap_or_else(|old| old)
            }

            fetch!(
                $atomic,
                $integer,
                swap,
                "Overwrites the value. Returns the one before.",
                "assert_eq!(number.swap(6, SeqCst), 5);\nassert_eq!(number.load(SeqCst), 6);",
                |_, new| new
            );
            fetch!(
                $atomic,
                $integer,
                fetch_add,
                "Adds to the value, wrapping around. Returns the one before.",
                "assert_eq!(number.fetch_add(2, SeqCst), 5);\nassert_eq!(number.load(SeqCst), 7);",
                $integer::wrapping_add
            );
            fetch!(
                $atomic,
                $integer,
                fetch_sub,
                "Subtracts from the value, wrapping around. Returns the one before.",
                "assert_eq!(number.fetch_sub(2, SeqCst), 5);\nassert_eq!(number.load(SeqCst), 3);",
                $integer::wrapping_sub
            );
            fetch!(
                $atomic,
                $integer,
                fetch_and,
                "Bitwise and with the value. Returns the one before.",
                "assert_eq!(number.fetch_and(6, SeqCst), 5);\nassert_eq!(number.load(SeqCst), 4);",
                |a, b| a & b
            );
            fetch!(
                $atomic,
                $integer,
                fetch_nand,
                "Bitwise nand with the value. Returns the one before.",
                "assert_eq!(number.fetch_nand(6, SeqCst), 5);\nassert_eq!(number.load(SeqCst), !4);",
                |a, b| !(a & b)
            );
            fetch!(
                $atomic,
                $integer,
                fetch_or,
                "Bitwise or with the value. Returns the one before.",
                "assert_eq!(number.fetch_or(6, SeqCst), 5);\nassert_eq!(number.load(SeqCst), 7);",
                |a, b| a | b
            );
            fetch!(
                $atomic,
                $integer,
                fetch_xor,
                "Bitwise exclusive or with the value. Returns the one before.",
                "assert_eq!(number.fetch_xor(6, SeqCst), 5);\nassert_eq!(number.load(SeqCst), 3);",
                |a, b| a ^ b
            );
            fetch!(
                $atomic,
                $integer,
                fetch_max,
                "The greater of the value and the operand. Returns the one before.",
                "assert_eq!(number.fetch_max(6, SeqCst), 5);\nassert_eq!(number.load(SeqCst), 6);",
                $integer::max
            );
            fetch!(
                $atomic,
                $integer,
                fetch_min,
                "The lesser of the value and the operand. Returns the one before.",
                "assert_eq!(number.fetch_min(6, SeqCst), 5);\nassert_eq!(number.load(SeqCst), 5);",
                $integer::min
            );

            /// The value, which nobody else can use now.
            ///
            #[doc = example!($atomic, "*number.get_mut() += 1;\nassert_eq!(number.into_inner(), 6);")]
            #[inline]
            pub fn get_mut(&mut self) -> &mut $integer {
                if let Some(value) = visible::value_in_run(&self.registration) {
                    *self.plain.get_mut() = value as $integer;
                    self.registration.forget();
                }
                self.plain.get_mut()
            }

            /// The value, at the end of the atomic.
            ///
            #[doc = example!($atomic, "assert_eq!(number.into_inner(), 5);")]
            #[inline]
            #[must_use]
            pub fn into_inner(mut self) -> $integer {
                *self.get_mut()
            }
        }

        impl Default for $atomic {
            fn default() -> $atomic {
                $atomic::new(0)
            }
        }

        impl From<$integer> for $atomic {
            fn from(value: $integer) -> $atomic {
                $atomic::new(value)
            }
        }

        /// Shows the value, without being an operation that other threads could notice.
        impl fmt::Debug for $atomic {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match visible::value_in_run(&self.registration) {
                    Some(value) => fmt::Debug::fmt(&(value as $integer), f),
                    None => fmt::Debug::fmt(&self.plain, f),
                }
            }
        }
    };
}

integer!(AtomicI8, i8);
integer!(AtomicI16, i16);
integer!(AtomicI32, i32);
integer!(AtomicI64, i64);
integer!(AtomicIsize, isize);
integer!(AtomicU8, u8);
integer!(AtomicU16, u16);
integer!(AtomicU32, u32);
integer!(AtomicU64, u64);
integer!(AtomicUsize, usize);
