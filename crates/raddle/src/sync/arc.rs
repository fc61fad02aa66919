//! Data that threads share, counted.

mod from;
mod looks;
mod raw;
mod uninit;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::error::Error;
use std::ffi::CStr;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem::{ManuallyDrop, needs_drop};
use std::ops::Deref;
use std::pin::Pin;
use std::sync as real;

use raddle_runtime::{Count, GivesUp, destroy_last, in_run};
use raddle_trace::level::count::{STRONG, WEAK};
use raddle_trace::{Order, Place};

use super::Weak;
use crate::place::here;

/// Data that threads share, as [`std::sync::Arc`].
///
/// How many references there are is something that a check tries in every order, if the program can tell: if it looks at
/// the number ([`Arc::strong_count`], [`Arc::try_unwrap`], [`Arc::get_mut`], [`Weak::upgrade`]…), or if the destructor of the
/// data has visible operations. In all other programs counting costs nothing.
///
/// ```
/// use raddle::sync::{Arc, Mutex};
///
/// raddle::check(|| {
///     let sum = Arc::new(Mutex::new(0));
///     let adds = raddle::thread::spawn({
///         let sum = Arc::clone(&sum);
///         move || *sum.lock().unwrap() += 1
///     });
///     adds.join().unwrap();
///     assert_eq!(*sum.lock().unwrap(), 1);
/// });
/// ```
///
/// There is no coercion to a trait object, which only `std` can have; an `Arc<dyn Trait>` is made from a box or from an
/// [`std::sync::Arc`]:
///
/// ```
/// use raddle::sync::Arc;
///
/// let shout: Arc<dyn Fn(&str) -> String> = Arc::from(Box::new(|word: &str| word.to_uppercase()) as Box<dyn Fn(&str) -> String>);
/// assert_eq!(shout("warp"), "WARP");
/// ```
pub struct Arc<T: ?Sized> {
    data: ManuallyDrop<real::Arc<T>>,
}

impl<T> Arc<T> {
    /// Puts data where threads can share it.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// assert_eq!(*Arc::new(5), 5);
    /// ```
    #[track_caller]
    pub fn new(data: T) -> Arc<T> {
        Arc::begin(real::Arc::new(data))
    }

    /// Data that holds a weak reference to itself.
    ///
    /// ```
    /// # use raddle::sync::{Arc, Weak};
    /// struct Loop(Weak<Loop>);
    /// let own = Arc::new_cyclic(|own| Loop(own.clone()));
    /// assert!(own.0.upgrade().is_some());
    /// ```
    #[track_caller]
    pub fn new_cyclic<F: FnOnce(&Weak<T>) -> T>(data: F) -> Arc<T> {
        let place = here();
        let data = real::Arc::new_cyclic(|own| data(&Weak::from_real(own.clone(), place)));
        Arc::begin_at(data, place)
    }

    /// Data that stays where it is.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// assert_eq!(*Arc::pin(5), 5);
    /// ```
    #[track_caller]
    pub fn pin(data: T) -> Pin<Arc<T>> {
        // SAFETY: the data is behind a reference count and is never moved out while it is shared as pinned: there is no way
        // from `Pin<Arc<T>>` to a `&mut T` or to a `T`, as in `std`.
        unsafe { Pin::new_unchecked(Arc::new(data)) }
    }
}

impl<T: ?Sized> Arc<T> {
    /// What `std` shares, seen by the run from now on as new.
    #[track_caller]
    fn begin(data: real::Arc<T>) -> Arc<T> {
        Arc::begin_at(data, here())
    }

    fn begin_at(data: real::Arc<T>, place: Place) -> Arc<T> {
        let arc = Arc::known(data);
        if let Some(count) = arc.count() {
            count.begins(place);
        }
        arc
    }

    /// What `std` shares, of which the run may know.
    pub(super) fn known(data: real::Arc<T>) -> Arc<T> {
        Arc { data: ManuallyDrop::new(data) }
    }

    /// The reference of `std`; the run does not notice.
    fn into_real(self) -> real::Arc<T> {
        let mut arc = ManuallyDrop::new(self);
        // SAFETY: `arc` is never used again, and its destructor does not run.
        unsafe { ManuallyDrop::take(&mut arc.data) }
    }

    fn count(&self) -> Option<Count> {
        let (strong, weak) = (real::Arc::strong_count(&self.data), real::Arc::weak_count(&self.data));
        Count::of(Arc::as_ptr(self).cast::<()>() as usize, strong, weak)
    }

    /// A reference that does not keep the data.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// let weak = Arc::downgrade(&data);
    /// drop(data);
    /// assert!(weak.upgrade().is_none());
    /// ```
    #[must_use = "this returns a new `Weak` and changes nothing else"]
    #[track_caller]
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        if let Some(count) = this.count() {
            count.add(WEAK, Order::Relaxed, here());
        }
        Weak::known(real::Arc::downgrade(&this.data))
    }

    /// Whether both share the same data.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// assert!(Arc::ptr_eq(&data, &data.clone()));
    /// ```
    #[must_use]
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        real::Arc::ptr_eq(&this.data, &other.data)
    }

    /// Where the data is.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// assert!(std::ptr::eq(Arc::as_ptr(&data), &*data));
    /// ```
    #[must_use]
    pub fn as_ptr(this: &Arc<T>) -> *const T {
        real::Arc::as_ptr(&this.data)
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Arc<T> {
        if let Some(count) = self.count() {
            count.add(STRONG, Order::Relaxed, here());
        }
        Arc::known(real::Arc::clone(&self.data))
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    fn drop(&mut self) {
        // SAFETY: the field is not used after its owner's destructor. As a value of its own it is destroyed in any case, also
        // if the run is over and the visit below unwinds.
        let data = unsafe { ManuallyDrop::take(&mut self.data) };
        if !in_run() {
            return;
        }
        let how = if needs_drop::<T>() { GivesUp::WithDestructor } else { GivesUp::Silently };
        let (strong, weak) = (real::Arc::strong_count(&data), real::Arc::weak_count(&data));
        if let Some(count) = Count::of(real::Arc::as_ptr(&data).cast::<()>() as usize, strong, weak) {
            count.give_up(how, Place::Unknown);
        }
        if how == GivesUp::WithDestructor && real::Arc::strong_count(&data) == 1 {
            destroy_last(|| drop(data));
        }
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Arc<T> {
        Arc::new(T::default())
    }
}

impl Default for Arc<str> {
    fn default() -> Arc<str> {
        Arc::from("")
    }
}

impl Default for Arc<CStr> {
    fn default() -> Arc<CStr> {
        Arc::from(c"")
    }
}

impl<T: ?Sized> Default for Pin<Arc<T>>
where
    Arc<T>: Default,
{
    fn default() -> Pin<Arc<T>> {
        // SAFETY: as in `Arc::pin`.
        unsafe { Pin::new_unchecked(Arc::default()) }
    }
}

impl<T> Default for Arc<[T]> {
    fn default() -> Arc<[T]> {
        Arc::from([])
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Pointer for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&Arc::as_ptr(self), f)
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Arc<T>) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Arc<T>) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Arc<T>) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: ?Sized + Error> Error for Arc<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        (**self).source()
    }
}
