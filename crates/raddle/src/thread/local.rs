//! Thread-local variables.

use std::cell::{Cell, RefCell};
use std::fmt;

use raddle_runtime::{LocalKeyId, in_run, with_local};

/// A thread-local variable, declared by [`thread_local!`](crate::thread_local).
///
/// ```
/// use std::cell::Cell;
/// use raddle::thread::LocalKey;
///
/// raddle::thread_local!(static COUNT: Cell<u32> = Cell::new(0));
///
/// let count: &'static LocalKey<Cell<u32>> = &COUNT;
/// count.with(|count| count.set(1));
/// assert_eq!(COUNT.get(), 1);
/// ```
pub struct LocalKey<T: 'static> {
    real: &'static std::thread::LocalKey<T>,
    first: fn() -> T,
}

/// The variable has been destroyed: its thread is coming to its end.
///
/// ```
/// raddle::thread_local!(static NUMBER: u32 = 5);
///
/// let seen: Result<u32, raddle::thread::AccessError> = NUMBER.try_with(|number| *number);
/// assert_eq!(seen, Ok(5));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl std::error::Error for AccessError {}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(real: &'static std::thread::LocalKey<T>, first: fn() -> T) -> LocalKey<T> {
        LocalKey { real, first }
    }

    fn key(&'static self) -> LocalKeyId {
        LocalKeyId(std::ptr::from_ref(self) as usize)
    }

    /// Uses the variable, making it first if need be.
    ///
    /// # Panics
    /// If it has been destroyed.
    ///
    /// ```
    /// raddle::thread_local!(static NUMBER: u32 = 5);
    /// assert_eq!(NUMBER.with(|number| number + 1), 6);
    /// ```
    #[track_caller]
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        match self.try_with(f) {
            Ok(result) => result,
            Err(error) => {
                panic!("cannot access a Thread Local Storage value during or after destruction: {error}")
            }
        }
    }

    /// Uses the variable, making it first if need be.
    ///
    /// # Errors
    /// If it has been destroyed.
    ///
    /// ```
    /// raddle::thread_local!(static NUMBER: u32 = 5);
    /// assert_eq!(NUMBER.try_with(|number| number + 1), Ok(6));
    /// ```
    pub fn try_with<R>(&'static self, f: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        if in_run() {
            with_local(self.key(), self.first, f).ok_or(AccessError)
        } else {
            self.real.try_with(f).map_err(|_| AccessError)
        }
    }

    /// Gives the variable a value: `make` makes the variable if there is none, `set` changes it if there is one.
    #[track_caller]
    fn put<V>(&'static self, value: V, make: impl FnOnce(V) -> T, set: impl FnOnce(&T, V)) {
        let value = Cell::new(Some(value));
        let take = || value.take().expect("bug in raddle: a value was used twice");
        let made = Cell::new(false);
        let make = || {
            made.set(true);
            make(take())
        };
        with_local(self.key(), make, |variable| {
            if !made.get() {
                set(variable, take());
            }
        })
        .expect("cannot access a Thread Local Storage value during or after destruction: already destroyed");
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Gives the variable a value, without making its first one.
    ///
    /// # Panics
    /// If it has been destroyed.
    ///
    /// ```
    /// # use std::cell::Cell;
    /// raddle::thread_local!(static NUMBER: Cell<u32> = panic!("there is no first value"));
    /// NUMBER.set(5);
    /// assert_eq!(NUMBER.get(), 5);
    /// ```
    #[track_caller]
    pub fn set(&'static self, value: T) {
        if in_run() {
            self.put(value, Cell::new, |cell, value| cell.set(value));
        } else {
            self.real.set(value);
        }
    }

    /// The value.
    ///
    /// # Panics
    /// If it has been destroyed.
    ///
    /// ```
    /// # use std::cell::Cell;
    /// raddle::thread_local!(static NUMBER: Cell<u32> = Cell::new(5));
    /// assert_eq!(NUMBER.get(), 5);
    /// ```
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the value and leaves the default one.
    ///
    /// # Panics
    /// If it has been destroyed.
    ///
    /// ```
    /// # use std::cell::Cell;
    /// raddle::thread_local!(static NUMBER: Cell<u32> = Cell::new(5));
    /// assert_eq!((NUMBER.take(), NUMBER.get()), (5, 0));
    /// ```
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Takes the value and leaves another one.
    ///
    /// # Panics
    /// If it has been destroyed.
    ///
    /// ```
    /// # use std::cell::Cell;
    /// raddle::thread_local!(static NUMBER: Cell<u32> = Cell::new(5));
    /// assert_eq!((NUMBER.replace(6), NUMBER.get()), (5, 6));
    /// ```
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Uses the value.
    ///
    /// # Panics
    /// If it has been destroyed, or is being changed.
    ///
    /// ```
    /// # use std::cell::RefCell;
    /// raddle::thread_local!(static NAMES: RefCell<Vec<u32>> = RefCell::new(vec![5]));
    /// assert_eq!(NAMES.with_borrow(Vec::len), 1);
    /// ```
    #[track_caller]
    pub fn with_borrow<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Changes the value.
    ///
    /// # Panics
    /// If it has been destroyed, or is being used.
    ///
    /// ```
    /// # use std::cell::RefCell;
    /// raddle::thread_local!(static NAMES: RefCell<Vec<u32>> = RefCell::new(vec![5]));
    /// NAMES.with_borrow_mut(|names| names.push(6));
    /// assert_eq!(NAMES.with_borrow(Vec::len), 2);
    /// ```
    #[track_caller]
    pub fn with_borrow_mut<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Gives the variable a value, without making its first one.
    ///
    /// # Panics
    /// If it has been destroyed, or is being used.
    ///
    /// ```
    /// # use std::cell::RefCell;
    /// raddle::thread_local!(static NUMBER: RefCell<u32> = panic!("there is no first value"));
    /// NUMBER.set(5);
    /// assert_eq!(NUMBER.take(), 5);
    /// ```
    #[track_caller]
    pub fn set(&'static self, value: T) {
        if in_run() {
            self.put(value, RefCell::new, |cell, value| *cell.borrow_mut() = value);
        } else {
            self.real.set(value);
        }
    }

    /// Takes the value and leaves the default one.
    ///
    /// # Panics
    /// If it has been destroyed, or is being used.
    ///
    /// ```
    /// # use std::cell::RefCell;
    /// raddle::thread_local!(static NUMBER: RefCell<u32> = RefCell::new(5));
    /// assert_eq!((NUMBER.take(), NUMBER.take()), (5, 0));
    /// ```
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Takes the value and leaves another one.
    ///
    /// # Panics
    /// If it has been destroyed, or is being used.
    ///
    /// ```
    /// # use std::cell::RefCell;
    /// raddle::thread_local!(static NUMBER: RefCell<u32> = RefCell::new(5));
    /// assert_eq!((NUMBER.replace(6), NUMBER.take()), (5, 6));
    /// ```
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}
