//! Mirror of `std::sync::OnceLock`.

use std::fmt;

use raddle_runtime::{Registration, in_run};
use raddle_trace::{ObjectId, Place};

use super::run_state::{self, Entered, Kept};
use crate::place::here;

/// A value that is written once: the mirror of the type of this name in `std`.
///
/// One that lives longer than a run is empty at the start of every run, unless it was filled outside all runs. What a run
/// puts in is kept until the lock is dropped, because references to it may live as long; for a static that is never, so
/// a check leaks one value per run.
///
/// ```
/// use raddle::sync::OnceLock;
///
/// static WINNER: OnceLock<u32> = OnceLock::new();
///
/// raddle::check(|| {
///     let other = raddle::thread::spawn(|| *WINNER.get_or_init(|| 1));
///     let mine = *WINNER.get_or_init(|| 2);
///     assert_eq!(mine, other.join().unwrap());
/// });
/// ```
pub struct OnceLock<T> {
    registration: Registration,
    kept: Kept<T>,
    real: std::sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// An empty lock.
    ///
    /// ```
    /// # use raddle::sync::OnceLock;
    /// static NAME: OnceLock<String> = OnceLock::new();
    /// ```
    #[must_use]
    pub const fn new() -> OnceLock<T> {
        OnceLock { registration: Registration::new(), kept: Kept::new(), real: std::sync::OnceLock::new() }
    }

    fn number(&self, place: Place) -> ObjectId {
        run_state::number(&self.registration, place, || self.real.get().is_some())
    }

    /// The value in the current run.
    fn value(&self, object: ObjectId) -> Option<&T> {
        self.kept.get(object).or_else(|| self.real.get())
    }

    /// The value, if there is one; never waits.
    ///
    /// ```
    /// # use raddle::sync::OnceLock;
    /// assert_eq!(OnceLock::<u32>::new().get(), None);
    /// ```
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if !self.registration.in_run() {
            return self.real.get();
        }
        let place = here();
        let object = self.number(place);
        if run_state::look(object, place) { self.value(object) } else { None }
    }

    /// The value, which nobody else can use now.
    ///
    /// ```
    /// # use raddle::sync::OnceLock;
    /// let mut number = OnceLock::from(5);
    /// *number.get_mut().unwrap() += 1;
    /// assert_eq!(number.get(), Some(&6));
    /// ```
    pub fn get_mut(&mut self) -> Option<&mut T> {
        raddle_runtime::note_unseen_access();
        match self.known() {
            Some(object) if self.kept.get(object).is_some() => self.kept.get_mut(object),
            _ => self.real.get_mut(),
        }
    }

    fn known(&self) -> Option<ObjectId> {
        in_run().then(|| self.registration.known()).flatten()
    }

    /// Puts a value in, if there is none; waits if somebody is doing that.
    ///
    /// # Errors
    /// If there is a value: gives the new one back.
    ///
    /// ```
    /// # use raddle::sync::OnceLock;
    /// let number = OnceLock::new();
    /// assert_eq!(number.set(5), Ok(()));
    /// assert_eq!(number.set(6), Err(6));
    /// ```
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("bug in raddle: initialised twice"));
        value.map_or(Ok(()), Err)
    }

    /// The value; makes it first if there is none; waits if somebody is doing that. If `f` panics, the lock stays empty.
    ///
    /// ```
    /// # use raddle::sync::OnceLock;
    /// let number = OnceLock::new();
    /// assert_eq!(number.get_or_init(|| 5), &5);
    /// assert_eq!(number.get_or_init(|| 6), &5);
    /// ```
    #[track_caller]
    pub fn get_or_init(&self, f: impl FnOnce() -> T) -> &T {
        if !self.registration.in_run() {
            return self.real.get_or_init(f);
        }
        let place = here();
        let object = self.number(place);
        if let Entered::Ours(running) = run_state::enter(object, place) {
            self.kept.keep(object, f());
            running.complete();
        }
        self.value(object).expect("bug in raddle: an initialisation without a value")
    }

    /// Waits until there is a value.
    ///
    /// ```
    /// # use raddle::sync::OnceLock;
    /// let number = OnceLock::new();
    /// raddle::thread::scope(|scope| {
    ///     scope.spawn(|| number.set(5));
    ///     assert_eq!(number.wait(), &5);
    /// });
    /// ```
    #[track_caller]
    pub fn wait(&self) -> &T {
        if !self.registration.in_run() {
            return self.real.wait();
        }
        let place = here();
        loop {
            if let Some(value) = self.get() {
                return value;
            }
            crate::thread::give_way(None, place);
        }
    }

    /// The value, if there is one, at the end of the lock.
    ///
    /// ```
    /// # use raddle::sync::OnceLock;
    /// assert_eq!(OnceLock::from(5).into_inner(), Some(5));
    /// ```
    #[must_use]
    pub fn into_inner(mut self) -> Option<T> {
        raddle_runtime::note_unseen_access();
        self.take()
    }

    /// Takes the value out, if there is one.
    ///
    /// ```
    /// # use raddle::sync::OnceLock;
    /// let mut number = OnceLock::from(5);
    /// assert_eq!((number.take(), number.take()), (Some(5), None));
    /// ```
    pub fn take(&mut self) -> Option<T> {
        raddle_runtime::note_unseen_access();
        let kept = self.known().and_then(|object| self.kept.take(object));
        self.registration.forget();
        kept.or_else(|| self.real.take())
    }

    /// The value without a visible operation.
    fn peek(&self) -> Option<&T> {
        match self.known() {
            Some(object) => self.value(object),
            None => self.real.get(),
        }
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> OnceLock<T> {
        OnceLock {
            registration: Registration::new(),
            kept: Kept::new(),
            real: std::sync::OnceLock::from(value),
        }
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> OnceLock<T> {
        self.get().map_or_else(OnceLock::new, |value| OnceLock::from(value.clone()))
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

/// Shows the value, without being an operation that other threads could notice.
impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("OnceLock");
        match self.peek() {
            Some(value) => tuple.field(value),
            None => tuple.field(&format_args!("<uninit>")),
        };
        tuple.finish()
    }
}
