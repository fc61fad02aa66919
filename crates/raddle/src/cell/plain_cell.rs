//! Mirror of `std::cell::Cell`.

use std::cmp::Ordering;
use std::fmt;

use raddle_runtime::Registration;
use raddle_trace::Kind;

use super::tracked;
use crate::place::here;

/// A value that can be replaced through a shared reference: the mirror of the type of this name in `std`, with accesses
/// that a check sees.
///
/// ```
/// use raddle::cell::Cell;
///
/// let number = Cell::new(5);
/// number.set(6);
/// assert_eq!(number.get(), 6);
/// ```
#[derive(Default)]
pub struct Cell<T> {
    registration: Registration,
    value: std::cell::Cell<T>,
}

impl<T> Cell<T> {
    /// A cell with this value.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// let number = Cell::new(5);
    /// ```
    #[must_use]
    pub const fn new(value: T) -> Cell<T> {
        Cell { registration: Registration::new(), value: std::cell::Cell::new(value) }
    }

    /// The value.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// assert_eq!(Cell::new(5).get(), 5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        tracked::access(&self.registration, Kind::PlainRead, here());
        self.value.get()
    }

    /// Replaces the value.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// let number = Cell::new(5);
    /// number.set(6);
    /// assert_eq!(number.get(), 6);
    /// ```
    #[inline]
    #[track_caller]
    pub fn set(&self, value: T) {
        tracked::access(&self.registration, Kind::PlainWrite, here());
        self.value.set(value);
    }

    /// Replaces the value. Returns the one before.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// assert_eq!(Cell::new(5).replace(6), 5);
    /// ```
    #[inline]
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        tracked::access(&self.registration, Kind::PlainWrite, here());
        self.value.replace(value)
    }

    /// Takes the value and leaves the default one.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// let number = Cell::new(5);
    /// assert_eq!((number.take(), number.get()), (5, 0));
    /// ```
    #[inline]
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// Replaces the value by what `f` makes of it.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// let number = Cell::new(5);
    /// number.update(|number| number + 1);
    /// assert_eq!(number.get(), 6);
    /// ```
    #[track_caller]
    pub fn update(&self, f: impl FnOnce(T) -> T)
    where
        T: Copy,
    {
        self.set(f(self.get()));
    }

    /// Exchanges the values of two cells.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// let (five, six) = (Cell::new(5), Cell::new(6));
    /// five.swap(&six);
    /// assert_eq!((five.get(), six.get()), (6, 5));
    /// ```
    #[track_caller]
    pub fn swap(&self, other: &Cell<T>) {
        tracked::access(&self.registration, Kind::PlainWrite, here());
        tracked::access(&other.registration, Kind::PlainWrite, here());
        self.value.swap(&other.value);
    }

    /// Where the value is. Accesses by the pointer are not seen.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// let number = Cell::new(5);
    /// // SAFETY: nobody else uses the cell.
    /// assert_eq!(unsafe { *number.as_ptr() }, 5);
    /// ```
    pub const fn as_ptr(&self) -> *mut T {
        self.value.as_ptr()
    }

    /// The value, which nobody else can use now.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// let mut number = Cell::new(5);
    /// *number.get_mut() += 1;
    /// assert_eq!(number.get(), 6);
    /// ```
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        tracked::access(&self.registration, Kind::PlainWrite, here());
        self.value.get_mut()
    }

    /// The value, at the end of the cell.
    ///
    /// ```
    /// # use raddle::cell::Cell;
    /// assert_eq!(Cell::new(5).into_inner(), 5);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn into_inner(self) -> T {
        tracked::access(&self.registration, Kind::PlainWrite, here());
        self.value.into_inner()
    }
}

impl<T: Copy> Clone for Cell<T> {
    #[track_caller]
    fn clone(&self) -> Cell<T> {
        Cell::new(self.get())
    }
}

impl<T> From<T> for Cell<T> {
    fn from(value: T) -> Cell<T> {
        Cell::new(value)
    }
}

impl<T: Copy + PartialEq> PartialEq for Cell<T> {
    #[track_caller]
    fn eq(&self, other: &Cell<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Copy + Eq> Eq for Cell<T> {}

impl<T: Copy + PartialOrd> PartialOrd for Cell<T> {
    #[track_caller]
    fn partial_cmp(&self, other: &Cell<T>) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

impl<T: Copy + Ord> Ord for Cell<T> {
    #[track_caller]
    fn cmp(&self, other: &Cell<T>) -> Ordering {
        self.get().cmp(&other.get())
    }
}

/// Shows the value, without being an access that a check sees.
impl<T: Copy + fmt::Debug> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value, f)
    }
}
