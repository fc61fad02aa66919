//! Threads that panic, when that is allowed or when they catch it.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex as RealMutex;
use std::time::Duration;

use common::finding_of;
use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, Once, RwLock, TryLockError};
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

/// Writes when it is dropped.
struct Writes(Arc<AtomicU32>, u32);

impl Drop for Writes {
    fn drop(&mut self) {
        self.0.store(self.1, SeqCst);
    }
}

#[test]
fn others_go_on_while_a_thread_unwinds_that_catches_its_panic() {
    let seen = common::outcomes(|| {
        let number = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&number);
        let rival = thread::spawn(move || {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _second = Writes(Arc::clone(&other), 2);
                let _first = Writes(other, 1);
                panic!("on purpose");
            }));
            assert!(caught.is_err());
        });
        let seen = number.load(SeqCst);
        rival.join().unwrap();
        seen
    });
    assert_eq!(seen, [0, 1, 2].into());
}

#[test]
fn the_locks_of_a_thread_that_panics_are_given_back_one_by_one() {
    let seen = outcomes(|| {
        let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
        let other = Arc::clone(&locks);
        let rival = thread::spawn(move || {
            let _first = other.0.lock().unwrap();
            let _second = other.1.lock().unwrap();
            panic!("on purpose");
        });
        let is_poisoned = locks.1.lock().is_err();
        let is_held = matches!(locks.0.try_lock(), Err(TryLockError::WouldBlock));
        let _ = rival.join();
        (is_poisoned, is_held)
    });
    assert_eq!(seen, [(false, false), (false, true), (true, false), (true, true)].into());
}

#[test]
fn a_destructor_waits_for_a_lock_in_the_middle_of_a_panic() {
    struct Adds(Arc<Mutex<u32>>);
    impl Drop for Adds {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let seen = common::outcomes(|| {
        let number = Arc::new(Mutex::new(0));
        let adds = Adds(Arc::clone(&number));
        let rival = thread::spawn(move || {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _adds = adds;
                panic!("on purpose");
            }));
            assert!(caught.is_err());
        });
        let guard = number.lock().unwrap();
        let seen = *guard;
        thread::yield_now();
        drop(guard);
        rival.join().unwrap();
        let at_the_end = *number.lock().unwrap();
        (seen, at_the_end)
    });
    assert_eq!(seen, [(0, 1), (1, 1)].into());
}

#[test]
fn nobody_panics_but_the_thread_that_does() {
    let seen = common::outcomes(|| {
        let number = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&number);
        let lock = Mutex::new(());
        let rival = thread::spawn(move || {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _writes = Writes(other, 1);
                panic!("on purpose");
            }));
            assert!(caught.is_err() && !thread::panicking());
        });
        let guard = lock.lock().unwrap();
        let seen = number.load(SeqCst);
        assert!(!thread::panicking());
        drop(guard);
        rival.join().unwrap();
        (seen, lock.is_poisoned())
    });
    assert_eq!(seen, [(0, false), (1, false)].into());
}

#[test]
fn whether_a_lock_is_poisoned_depends_on_when_one_looks() {
    let seen = outcomes(|| {
        let locks = Arc::new((Mutex::new(0), RwLock::new(0)));
        let other = Arc::clone(&locks);
        let rival = thread::spawn(move || {
            let _first = other.0.lock().unwrap();
            let _second = other.1.write().unwrap();
            panic!("on purpose");
        });
        let mutex = locks.0.is_poisoned();
        let rwlock = locks.1.is_poisoned();
        let _ = rival.join();
        (mutex, rwlock, locks.0.is_poisoned() && locks.1.is_poisoned())
    });
    // The lock for writing is given back first.
    assert_eq!(seen, [(false, false, true), (false, true, true), (true, true, true)].into());
}

#[test]
fn a_lock_is_declared_to_be_in_order_before_or_after_it_is_poisoned_or_taken() {
    let cleared = outcomes(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let rival = thread::spawn(move || {
            let _guard = other.lock();
            panic!("on purpose");
        });
        lock.clear_poison();
        let _ = rival.join();
        lock.is_poisoned()
    });
    assert_eq!(cleared, [false, true].into());
    let taken = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let poisons = AssertUnwindSafe(|| {
            let _guard = lock.write();
            panic!("on purpose");
        });
        assert!(catch_unwind(poisons).is_err());
        let other = Arc::clone(&lock);
        let clears = thread::spawn(move || other.clear_poison());
        let is_poisoned = lock.read().is_err();
        clears.join().unwrap();
        is_poisoned
    });
    assert_eq!(taken, [false, true].into());
}

#[test]
fn a_loop_waits_until_a_lock_is_poisoned() {
    let seen = outcomes(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let rival = thread::spawn(move || {
            let _guard = other.lock();
            panic!("on purpose");
        });
        while !lock.is_poisoned() {
            thread::yield_now();
        }
        rival.join().is_err()
    });
    assert_eq!(seen, [true].into());
}

#[test]
fn a_panic_is_not_hidden_by_a_destructor_that_waits_for_ever() {
    struct Waits(Arc<Mutex<u8>>);
    impl Drop for Waits {
        fn drop(&mut self) {
            let _ = self.0.lock();
        }
    }
    let finding = finding_of(|| {
        let mutex = Arc::new(Mutex::new(0));
        let waits = Waits(Arc::clone(&mutex));
        let other = thread::spawn(move || {
            let _waits = waits;
            panic!("the real bug");
        });
        let _guard = mutex.lock().unwrap();
        other.join().unwrap();
    });
    assert!(finding.contains("the real bug"), "{finding}");
}
