//! What shows a program how many references there are.

use raddle_trace::level::count::{STRONG, strong, weak};

use super::*;

/// Whether a reference was given up.
enum GivenUp<T: ?Sized> {
    /// It was the last one; the data is only ours.
    Last(real::Arc<T>),
    /// There were others, and it was kept.
    Kept(Arc<T>),
}

impl<T: ?Sized> Arc<T> {
    /// How many references keep the data.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// let other = data.clone();
    /// assert_eq!(Arc::strong_count(&data), 2);
    /// # drop(other);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        match this.count() {
            Some(count) => strong(count.look(Order::Relaxed, here())) as usize,
            None => real::Arc::strong_count(&this.data),
        }
    }

    /// How many references there are that do not keep the data.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// let weak = Arc::downgrade(&data);
    /// assert_eq!(Arc::weak_count(&data), 1);
    /// # drop(weak);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn weak_count(this: &Arc<T>) -> usize {
        match this.count() {
            Some(count) => weak(count.look(Order::Relaxed, here())) as usize,
            None => real::Arc::weak_count(&this.data),
        }
    }

    /// Whether this is the only reference, weak ones included.
    fn is_unique(&self, place: Place) -> bool {
        match self.count() {
            Some(count) => count.look(Order::Acquire, place) == STRONG,
            None => real::Arc::strong_count(&self.data) == 1 && real::Arc::weak_count(&self.data) == 0,
        }
    }

    /// The data, if this is the only reference.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let mut data = Arc::new(5);
    /// *Arc::get_mut(&mut data).unwrap() += 1;
    /// let other = data.clone();
    /// assert!(Arc::get_mut(&mut data).is_none());
    /// # drop(other);
    /// ```
    #[track_caller]
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        if !this.is_unique(here()) {
            return None;
        }
        real::Arc::get_mut(&mut this.data)
    }

    /// Gives the reference up if it is the only one that keeps the data.
    fn give_up_if_last(this: Arc<T>, place: Place) -> GivenUp<T> {
        let last = match this.count() {
            None => real::Arc::strong_count(&this.data) == 1,
            Some(count) => {
                let given = |level| if strong(level) == 1 { level - STRONG } else { level };
                let executed = count.change(Order::Acquire, place, given);
                strong(executed.before) == 1
            }
        };
        if last { GivenUp::Last(this.into_real()) } else { GivenUp::Kept(this) }
    }
}

impl<T> Arc<T> {
    /// The data, if no other reference keeps it.
    ///
    /// # Errors
    /// If there are others: with the reference itself.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// let other = data.clone();
    /// let data = Arc::try_unwrap(data).unwrap_err();
    /// drop(other);
    /// assert_eq!(Arc::try_unwrap(data), Ok(5));
    /// ```
    #[track_caller]
    pub fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>> {
        match Arc::give_up_if_last(this, here()) {
            GivenUp::Last(data) => real::Arc::try_unwrap(data).map_err(Arc::known),
            GivenUp::Kept(arc) => Err(arc),
        }
    }

    /// Gives the reference up; the data, if it was the last one.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// let other = data.clone();
    /// assert_eq!(Arc::into_inner(data), None);
    /// assert_eq!(Arc::into_inner(other), Some(5));
    /// ```
    #[track_caller]
    pub fn into_inner(this: Arc<T>) -> Option<T> {
        if let Some(count) = this.count() {
            count.change(Order::AcquireRelease, here(), |level| level - STRONG);
        }
        real::Arc::into_inner(this.into_real())
    }
}

impl<T: Clone> Arc<T> {
    /// The data if no other reference keeps it, or else a copy.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// assert_eq!(Arc::unwrap_or_clone(data.clone()), 5);
    /// assert_eq!(Arc::unwrap_or_clone(data), 5);
    /// ```
    #[track_caller]
    pub fn unwrap_or_clone(this: Arc<T>) -> T {
        Arc::try_unwrap(this).unwrap_or_else(|arc| (*arc).clone())
    }

    /// The data if this is the only reference, or else a copy of it that becomes the data of this reference.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let mut data = Arc::new(5);
    /// let other = data.clone();
    /// *Arc::make_mut(&mut data) += 1;
    /// assert_eq!((*data, *other), (6, 5));
    /// ```
    #[track_caller]
    pub fn make_mut(this: &mut Arc<T>) -> &mut T {
        let place = here();
        if !this.is_unique(place) {
            *this = Arc::begin_at(real::Arc::new((**this).clone()), place);
        }
        real::Arc::get_mut(&mut this.data)
            .unwrap_or_else(|| unreachable!("bug in raddle: a new `Arc` is shared"))
    }
}

impl<T: ?Sized> Weak<T> {
    /// A reference that keeps the data, if there is still one.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// let weak = Arc::downgrade(&data);
    /// assert_eq!(*weak.upgrade().unwrap(), 5);
    /// drop(data);
    /// assert!(weak.upgrade().is_none());
    /// ```
    #[must_use = "this returns a new `Arc` and changes nothing else"]
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        if let Some(count) = self.count() {
            let kept = |level| if strong(level) == 0 { level } else { level + STRONG };
            count.change(Order::Acquire, here(), kept);
        }
        self.real().upgrade().map(Arc::known)
    }

    /// How many references keep the data.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// assert_eq!(Arc::downgrade(&data).strong_count(), 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        match self.count() {
            Some(count) => strong(count.look(Order::Relaxed, here())) as usize,
            None => self.real().strong_count(),
        }
    }

    /// How many references there are that do not keep the data; zero if no reference keeps it.
    ///
    /// ```
    /// # use raddle::sync::Arc;
    /// let data = Arc::new(5);
    /// assert_eq!(Arc::downgrade(&data).weak_count(), 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        match self.count() {
            Some(count) => {
                let level = count.look(Order::Relaxed, here());
                if strong(level) == 0 { 0 } else { weak(level) as usize }
            }
            None => self.real().weak_count(),
        }
    }
}
