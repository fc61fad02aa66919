//! Mirror of `std::sync::LazyLock`.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use raddle_runtime::{Registration, in_run};

use super::run_state::{self, Entered, Kept};
use crate::place::here;

/// A value that is made when it is first used: the mirror of the type of this name in `std`.
///
/// One in a static is made anew in every run, unless it was made outside all runs. References to its values may live for
/// ever, so a check leaks one value per run. One that is made outside a check from a closure with captured variables can
/// be used in a single run only, since such a closure can be called only once.
///
/// ```
/// use raddle::sync::{LazyLock, Mutex};
///
/// static NAMES: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(Vec::new()));
///
/// raddle::check(|| {
///     let other = raddle::thread::spawn(|| NAMES.lock().unwrap().push(1));
///     NAMES.lock().unwrap().push(2);
///     other.join().unwrap();
///     assert_eq!(NAMES.lock().unwrap().len(), 2);
/// });
/// ```
pub struct LazyLock<T, F = fn() -> T> {
    registration: Registration,
    kept: Kept<T>,
    real: std::sync::OnceLock<T>,
    /// What makes the value, until it has been called.
    make: Mutex<Option<F>>,
}

const POISONED: &str = "LazyLock instance has previously been poisoned";

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value that `f` will make.
    ///
    /// ```
    /// # use raddle::sync::LazyLock;
    /// static SQUARES: LazyLock<Vec<u32>> = LazyLock::new(|| (0..10).map(|n| n * n).collect());
    /// assert_eq!(SQUARES[3], 9);
    /// ```
    #[must_use]
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock {
            registration: Registration::new(),
            kept: Kept::new(),
            real: std::sync::OnceLock::new(),
            make: Mutex::new(Some(f)),
        }
    }

    /// The value; makes it first if nobody has; waits if somebody is doing that.
    ///
    /// # Panics
    /// If the function that makes it panicked.
    ///
    /// ```
    /// # use raddle::sync::LazyLock;
    /// let lazy = LazyLock::new(|| 5);
    /// assert_eq!(LazyLock::force(&lazy), &5);
    /// ```
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        if !this.registration.in_run() {
            return this.real.get_or_init(|| this.take().expect(POISONED)());
        }
        let place = here();
        let object = run_state::number(&this.registration, place, || this.real.get().is_some());
        if let Entered::Ours(running) = run_state::enter(object, place) {
            let poisoned = run_state::state(object, |state| std::mem::replace(&mut state.poisoned, true));
            assert!(!poisoned, "{POISONED}");
            let make = this.take().expect(
                "a LazyLock was made outside the check from a closure that can be called only once, and an earlier run \
                 has called it: make the LazyLock inside the check",
            );
            this.kept.keep(object, make());
            run_state::state(object, |state| state.poisoned = false);
            running.complete();
        }
        this.kept
            .get(object)
            .or_else(|| this.real.get())
            .expect("bug in raddle: an initialisation without a value")
    }

    /// The value, which nobody else can use now; makes it first if nobody has.
    ///
    /// # Panics
    /// If the function that makes it panicked.
    ///
    /// ```
    /// # use raddle::sync::LazyLock;
    /// let mut lazy = LazyLock::new(|| 5);
    /// *LazyLock::force_mut(&mut lazy) += 1;
    /// assert_eq!(*lazy, 6);
    /// ```
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        LazyLock::force(this);
        LazyLock::get_mut(this).expect("bug in raddle: an initialisation without a value")
    }

    /// What makes the value. A function can be called again, in the next run; any other closure only once.
    fn take(&self) -> Option<F> {
        let mut make = self.make.lock().unwrap_or_else(PoisonError::into_inner);
        if is_same_type::<F, fn() -> T>() && in_run() {
            // SAFETY: `F` is a function pointer, which is `Copy`.
            make.as_ref().map(|make| unsafe { std::ptr::read(make) })
        } else {
            make.take()
        }
    }
}

impl<T, F> LazyLock<T, F> {
    /// The value, if it has been made.
    ///
    /// ```
    /// # use raddle::sync::LazyLock;
    /// let lazy = LazyLock::new(|| 5);
    /// assert_eq!(LazyLock::get(&lazy), None);
    /// LazyLock::force(&lazy);
    /// assert_eq!(LazyLock::get(&lazy), Some(&5));
    /// ```
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        if !this.registration.in_run() {
            return this.real.get();
        }
        let place = here();
        let object = run_state::number(&this.registration, place, || this.real.get().is_some());
        let is_made = run_state::look(object, place);
        if is_made { this.kept.get(object).or_else(|| this.real.get()) } else { None }
    }

    /// The value, if it has been made, which nobody else can use now.
    ///
    /// ```
    /// # use raddle::sync::LazyLock;
    /// let mut lazy = LazyLock::new(|| 5);
    /// assert_eq!(LazyLock::get_mut(&mut lazy), None);
    /// LazyLock::force(&lazy);
    /// *LazyLock::get_mut(&mut lazy).unwrap() += 1;
    /// assert_eq!(*lazy, 6);
    /// ```
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        raddle_runtime::note_unseen_access();
        match in_run().then(|| this.registration.known()).flatten() {
            Some(object) if this.kept.get(object).is_some() => this.kept.get_mut(object),
            _ => this.real.get_mut(),
        }
    }
}

/// Whether two types are the same, up to lifetimes.
fn is_same_type<A, B>() -> bool {
    fn id<T>() -> TypeId {
        trait Typed {
            fn id(&self) -> TypeId
            where
                Self: 'static;
        }
        impl<T> Typed for PhantomData<T> {
            fn id(&self) -> TypeId
            where
                Self: 'static,
            {
                TypeId::of::<T>()
            }
        }
        let phantom = PhantomData::<T>;
        let typed: &dyn Typed = &phantom;
        // SAFETY: only the bound of the trait object is longer; it is used to read a number that does not depend on
        // lifetimes.
        Typed::id(unsafe { std::mem::transmute::<&dyn Typed, &(dyn Typed + 'static)>(typed) })
    }
    id::<A>() == id::<B>()
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

/// Shows the value if it has been made, without being an operation that other threads could notice.
impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = in_run().then(|| self.registration.known()).flatten();
        let value = known.and_then(|object| self.kept.get(object)).or_else(|| self.real.get());
        let mut tuple = f.debug_tuple("LazyLock");
        match value {
            Some(value) => tuple.field(value),
            None => tuple.field(&format_args!("<uninit>")),
        };
        tuple.finish()
    }
}
