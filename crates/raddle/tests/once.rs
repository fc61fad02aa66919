//! One-time initialisations, in and outside of a check.

mod common;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{finding_of, outcomes, runs};
use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use raddle::sync::{Arc, LazyLock, Once, OnceLock};
use raddle::{Check, Strategy, thread};

#[test]
fn a_static_once_is_new_in_every_run() {
    static START: Once = Once::new();
    let seen = outcomes(|| {
        assert!(!START.is_completed());
        let calls = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&calls);
        let rival = thread::spawn(move || START.call_once(|| _ = other.fetch_add(10, SeqCst)));
        START.call_once(|| _ = calls.fetch_add(1, SeqCst));
        assert!(START.is_completed());
        rival.join().unwrap();
        calls.load(SeqCst)
    });
    assert_eq!(seen, [1, 10].into());
    assert!(!START.is_completed());
}

#[test]
fn a_once_that_was_done_outside_is_done_in_the_run() {
    let once = Arc::new(Once::new());
    once.call_once(|| ());
    raddle::check(move || once.call_once(|| panic!("called again")));
}

#[test]
fn a_panic_poisons_a_once() {
    raddle::check(|| {
        let once = Once::new();
        let first = catch_unwind(AssertUnwindSafe(|| once.call_once(|| panic!("on purpose"))));
        assert!(first.is_err() && !once.is_completed());
        assert!(catch_unwind(AssertUnwindSafe(|| once.call_once(|| ()))).is_err());
        once.call_once_force(|state| assert!(state.is_poisoned()));
        once.call_once(|| panic!("it is done"));
    });
}

#[test]
fn waiting_for_a_once_ends_when_it_is_done() {
    raddle::check(|| {
        let once = Arc::new(Once::new());
        let other = Arc::clone(&once);
        let rival = thread::spawn(move || other.call_once(|| ()));
        once.wait();
        assert!(once.is_completed());
        rival.join().unwrap();
    });
}

#[test]
fn one_of_two_values_gets_into_a_once_lock() {
    static WINNER: OnceLock<String> = OnceLock::new();
    let seen = outcomes(|| {
        assert_eq!(WINNER.get(), None);
        let rival = thread::spawn(|| WINNER.set("rival".to_owned()).is_ok());
        let mine = WINNER.set("main".to_owned()).is_ok();
        assert!(mine != rival.join().unwrap());
        WINNER.get().cloned()
    });
    assert_eq!(seen, [Some("main".to_owned()), Some("rival".to_owned())].into());
    assert_eq!(WINNER.get(), None);
}

#[test]
fn two_threads_that_initialise_have_two_runs() {
    let count = runs(|| {
        let cell = Arc::new(OnceLock::new());
        let other = Arc::clone(&cell);
        let rival = thread::spawn(move || *other.get_or_init(|| 1));
        assert_eq!(*cell.get_or_init(|| 2), rival.join().unwrap());
    });
    assert_eq!(count, 2);
}

#[test]
fn a_once_lock_filled_outside_is_full_in_the_run() {
    let cell = Arc::new(OnceLock::from(5));
    let in_check = Arc::clone(&cell);
    raddle::check(move || {
        assert_eq!(in_check.get(), Some(&5));
        assert_eq!(in_check.set(6), Err(6));
    });
    assert_eq!(cell.get(), Some(&5));
}

#[test]
fn the_owner_of_a_once_lock_takes_the_value_of_the_run() {
    raddle::check(|| {
        let mut cell = OnceLock::new();
        assert_eq!(cell.get_or_init(|| 5), &5);
        *cell.get_mut().unwrap() += 1;
        assert_eq!(format!("{cell:?}"), "OnceLock(6)");
        assert_eq!(cell.clone().into_inner(), Some(6));
        assert_eq!((cell.take(), cell.get()), (Some(6), None));
        assert_eq!(cell.set(7), Ok(()));
        assert_eq!(cell.into_inner(), Some(7));
    });
}

#[test]
fn a_panic_leaves_a_once_lock_empty() {
    raddle::check(|| {
        let cell = OnceLock::new();
        let panic = catch_unwind(AssertUnwindSafe(|| _ = cell.get_or_init(|| panic!("on purpose"))));
        assert!(panic.is_err() && cell.get().is_none());
        assert_eq!(cell.get_or_init(|| 5), &5);
    });
}

#[test]
fn a_static_lazy_lock_is_made_in_every_run() {
    static MADE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    static LAZY: LazyLock<Vec<u32>> = LazyLock::new(|| {
        MADE.fetch_add(1, SeqCst);
        vec![5]
    });
    let seen = outcomes(|| {
        let before = MADE.load(SeqCst);
        let rival = thread::spawn(|| LAZY[0]);
        assert_eq!(LAZY[0] + rival.join().unwrap(), 10);
        MADE.load(SeqCst) - before
    });
    assert_eq!(seen, [1].into());
    assert_eq!(*LAZY, [5]);
    raddle::check(|| assert_eq!(*LAZY, [5]));
}

#[test]
fn a_lazy_lock_from_a_closure_works_in_the_run_that_made_it() {
    raddle::check(|| {
        let text = "five".to_owned();
        let lazy = LazyLock::new(move || text);
        assert_eq!(lazy.len(), 4);
        assert_eq!(format!("{lazy:?}"), "LazyLock(\"five\")");
    });
}

#[test]
fn a_lazy_lock_whose_closure_is_used_up_says_so() {
    let text = "five".to_owned();
    let lazy = LazyLock::new(move || text);
    // The search makes the first run twice.
    let message = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let in_check = std::sync::Arc::clone(&message);
    finding_of(move || {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| assert_eq!(lazy.len(), 4))) {
            let text = payload.downcast_ref::<String>().cloned();
            *in_check.lock().unwrap() = text.unwrap_or_default();
        }
    });
    let message = message.lock().unwrap();
    assert!(message.contains("make the LazyLock inside the check"), "{message}");
}

#[test]
fn outside_a_check_initialisation_happens_once_among_real_threads() {
    let (cell, once, calls) = (OnceLock::new(), Once::new(), AtomicU32::new(0));
    thread::scope(|scope| {
        for number in 0..4 {
            let (cell, once, calls) = (&cell, &once, &calls);
            scope.spawn(move || {
                once.call_once(|| _ = calls.fetch_add(1, SeqCst));
                cell.get_or_init(|| number);
            });
        }
        assert!(*cell.wait() < 4);
        once.wait();
    });
    assert_eq!(calls.into_inner(), 1);
}

/// Looking whether a lazy value has been made is a step of its own: both answers are tried.
#[test]
fn a_lazy_value_may_be_seen_before_and_after_it_is_made() {
    let seen = outcomes(|| {
        let lazy = Arc::new(LazyLock::new(|| 5));
        let other = Arc::clone(&lazy);
        let maker = thread::spawn(move || **other);
        let seen = LazyLock::get(&lazy).copied();
        maker.join().expect("it makes a number");
        assert_eq!(LazyLock::get(&lazy), Some(&5));
        seen
    });
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [None, Some(5)]);
}

#[test]
fn the_owner_of_a_lazy_value_changes_it_directly() {
    let change = || {
        let mut lazy = LazyLock::new(|| 5);
        assert_eq!(LazyLock::get_mut(&mut lazy), None);
        *LazyLock::force_mut(&mut lazy) += 1;
        assert_eq!(LazyLock::get_mut(&mut lazy), Some(&mut 6));
        assert_eq!(*lazy, 6);
    };
    change();
    assert!(raddle::Check::new().run(change).is_exhausted());
}

#[test]
fn a_model_tells_an_attempt_that_failed_from_none() {
    let by_whom = || {
        let (once, number) = (Arc::new(Once::new()), Arc::new(AtomicU32::new(0)));
        let rivals = [1, 10].map(|add| {
            let (once, number) = (Arc::clone(&once), Arc::clone(&number));
            thread::spawn(move || {
                once.call_once(|| {
                    number.fetch_add(add, SeqCst);
                    panic!("on purpose");
                });
            })
        });
        let both_panicked = rivals.map(|rival| rival.join().is_err()) == [true; 2];
        (both_panicked, number.load(SeqCst))
    };
    for strategy in [Strategy::StatefulNaive, Strategy::Unfolding, Strategy::UnfoldingStateless] {
        let seen = std::sync::Mutex::new(BTreeSet::new());
        let check = Check::new().strategy(strategy).allow_panics(true);
        let report = check.run(|| _ = seen.lock().unwrap().insert(by_whom()));
        assert!(report.is_exhausted(), "{strategy}: {report}");
        assert_eq!(seen.into_inner().unwrap(), [(true, 1), (true, 10)].into(), "{strategy}");
    }
}
