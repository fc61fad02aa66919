//! Threads that panic when that is allowed.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex as RealMutex;
use std::time::Duration;

use raddle::sync::{Arc, Mutex, Once};
use raddle::thread;
use raddle_explore::strategies::OptimalDpor;
use raddle_explore::{Budget, RunLimits, Search, Stop};
use raddle_runtime::{Program, StageOptions};
use raddle_trace::Ending;

/// What `f` returned in all runs, in which threads may panic; all of them have to come to their end.
fn outcomes<T: Ord>(f: impl Fn() -> T) -> BTreeSet<T> {
    let seen = RealMutex::new(BTreeSet::new());
    let options = StageOptions { panics_allowed: true, ..StageOptions::default() };
    let mut program = Program::new(|| _ = seen.lock().unwrap().insert(f()), options);
    let mut search = Search {
        subject: &mut program,
        strategy: &mut OptimalDpor::new(),
        budget: Budget::default(),
        limits: RunLimits::default(),
        elapsed: &|| Duration::ZERO,
    };
    let reached = search.run(&mut |run, _| {
        assert_eq!(run.ending, Ending::Finished, "{:?} {:?}", run.trouble, run.blocked);
        Stop::No
    });
    assert!(reached.doubt.is_none(), "{:?}", reached.doubt);
    drop(program);
    seen.into_inner().unwrap()
}

#[test]
fn who_joins_gets_the_panic() {
    let seen = outcomes(|| {
        let panic = thread::spawn(|| panic!("on purpose")).join().unwrap_err();
        panic.downcast_ref::<&str>().copied()
    });
    assert_eq!(seen, [Some("on purpose")].into());
}

#[test]
fn a_mutex_is_poisoned_or_not_when_another_thread_takes_it() {
    let seen = outcomes(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let rival = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("on purpose");
        });
        let clean = lock.lock().is_ok();
        let joined = rival.join().is_ok();
        (clean, joined, lock.is_poisoned())
    });
    assert_eq!(seen, [(false, false, true), (true, false, true)].into());
}

#[test]
fn a_once_is_poisoned_by_the_thread_that_panicked_in_it() {
    let seen = outcomes(|| {
        let once = Arc::new(Once::new());
        let other = Arc::clone(&once);
        let rival = thread::spawn(move || other.call_once(|| panic!("on purpose")));
        let mut poisoned = false;
        once.call_once_force(|state| poisoned = state.is_poisoned());
        (poisoned, rival.join().is_err())
    });
    assert_eq!(seen, [(false, false), (true, true)].into());
}

#[test]
fn a_scope_panics_at_its_end_if_nobody_joined_the_thread_that_did() {
    let seen = outcomes(|| {
        let joined = thread::scope(|scope| scope.spawn(|| panic!("on purpose")).join().is_err());
        let scope = AssertUnwindSafe(|| thread::scope(|scope| _ = scope.spawn(|| panic!("on purpose"))));
        let panic = catch_unwind(scope).unwrap_err();
        (joined, panic.downcast_ref::<&str>().copied())
    });
    assert_eq!(seen, [(true, Some("a scoped thread panicked"))].into());
}
