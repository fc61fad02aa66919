//! Mirror of `std::sync::Once`.

use std::fmt;

use raddle_runtime::Registration;
use raddle_trace::{ObjectId, Place};

use super::run_state::{self, Entered};
use crate::place::here;

/// Something that is done once: the mirror of the type of this name in `std`.
///
/// One that lives longer than a run is new in every run, unless it was done outside all runs.
///
/// ```
/// use raddle::sync::Once;
/// use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
///
/// static START: Once = Once::new();
///
/// raddle::check(|| {
///     let starts = AtomicU32::new(0);
///     raddle::thread::scope(|scope| {
///         scope.spawn(|| START.call_once(|| drop(starts.fetch_add(1, SeqCst))));
///         START.call_once(|| drop(starts.fetch_add(1, SeqCst)));
///     });
///     assert_eq!(starts.into_inner(), 1);
/// });
/// ```
pub struct Once {
    registration: Registration,
    real: std::sync::Once,
}

/// What [`Once::call_once_force`] tells its closure.
///
/// ```
/// # use raddle::sync::{Once, OnceState};
/// Once::new().call_once_force(|state: &OnceState| assert!(!state.is_poisoned()));
/// ```
#[derive(Debug)]
pub struct OnceState {
    poisoned: bool,
}

impl OnceState {
    /// Whether an attempt before panicked.
    ///
    /// ```
    /// # use raddle::sync::Once;
    /// Once::new().call_once_force(|state| assert!(!state.is_poisoned()));
    /// ```
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

const POISONED: &str = "Once instance has previously been poisoned";

impl Once {
    /// Something that has not been done.
    ///
    /// ```
    /// # use raddle::sync::Once;
    /// static START: Once = Once::new();
    /// ```
    #[expect(clippy::new_without_default, reason = "the one of `std` has none")]
    #[must_use]
    pub const fn new() -> Once {
        Once { registration: Registration::new(), real: std::sync::Once::new() }
    }

    fn number(&self, place: Place) -> ObjectId {
        run_state::number(&self.registration, place, || self.real.is_completed())
    }

    /// Calls `f` unless that was done before; waits if somebody is doing it.
    ///
    /// # Panics
    /// If an attempt before panicked.
    ///
    /// ```
    /// # use raddle::sync::Once;
    /// let once = Once::new();
    /// let mut calls = 0;
    /// once.call_once(|| calls += 1);
    /// once.call_once(|| calls += 1);
    /// assert_eq!(calls, 1);
    /// ```
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        if !self.registration.in_run() {
            return self.real.call_once(f);
        }
        self.call_in_run(here(), false, |_| f());
    }

    /// Like [`Once::call_once`], but also after an attempt that panicked.
    ///
    /// ```
    /// # use raddle::sync::Once;
    /// let once = Once::new();
    /// once.call_once_force(|state| assert!(!state.is_poisoned()));
    /// assert!(once.is_completed());
    /// ```
    #[track_caller]
    pub fn call_once_force(&self, f: impl FnOnce(&OnceState)) {
        if !self.registration.in_run() {
            return self.real.call_once_force(|state| {
                f(&OnceState { poisoned: state.is_poisoned() });
            });
        }
        self.call_in_run(here(), true, f);
    }

    #[track_caller]
    fn call_in_run(&self, place: Place, forced: bool, f: impl FnOnce(&OnceState)) {
        let object = self.number(place);
        if let Entered::Ours(running) = run_state::enter(object, place) {
            let poisoned = run_state::state(object, |state| std::mem::replace(&mut state.poisoned, true));
            assert!(forced || !poisoned, "{POISONED}");
            f(&OnceState { poisoned });
            run_state::state(object, |state| state.poisoned = false);
            running.complete();
        }
    }

    /// Whether it has been done.
    ///
    /// ```
    /// # use raddle::sync::Once;
    /// assert!(!Once::new().is_completed());
    /// ```
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        if !self.registration.in_run() {
            return self.real.is_completed();
        }
        let place = here();
        run_state::look(self.number(place), place)
    }

    /// Waits until it has been done.
    ///
    /// # Panics
    /// If an attempt panicked.
    ///
    /// ```
    /// # use raddle::sync::Once;
    /// let once = Once::new();
    /// raddle::thread::scope(|scope| {
    ///     scope.spawn(|| once.call_once(|| ()));
    ///     once.wait();
    /// });
    /// ```
    #[track_caller]
    pub fn wait(&self) {
        if !self.registration.in_run() {
            return self.real.wait();
        }
        let place = here();
        let object = self.number(place);
        while !run_state::look(object, place) {
            let poisoned = run_state::state(object, |state| state.poisoned);
            let running =
                raddle_runtime::with_world(|world| world.level(object) == raddle_trace::level::once::RUNNING);
            assert!(!poisoned || running, "{POISONED}");
            crate::thread::give_way(None, place);
        }
    }

    /// Like [`Once::wait`], but goes on waiting after an attempt that panicked.
    ///
    /// ```
    /// # use raddle::sync::Once;
    /// let once = Once::new();
    /// once.call_once(|| ());
    /// once.wait_force();
    /// ```
    #[track_caller]
    pub fn wait_force(&self) {
        if !self.registration.in_run() {
            return self.real.wait_force();
        }
        let place = here();
        let object = self.number(place);
        while !run_state::look(object, place) {
            crate::thread::give_way(None, place);
        }
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}
