//! Atomics, in and outside of a check.

mod common;

use common::{outcomes, runs};
use raddle::sync::Arc;
use raddle::sync::atomic::{
    AtomicBool, AtomicI8, AtomicPtr, AtomicU64, AtomicUsize, Ordering, Ordering::SeqCst, fence,
};
use raddle::{Check, thread};

#[test]
fn two_threads_that_add_twice_have_six_runs() {
    let count = runs(|| {
        let sum = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&sum);
        let adder = thread::spawn(move || {
            other.fetch_add(1, SeqCst);
            other.fetch_add(1, SeqCst);
        });
        sum.fetch_add(1, SeqCst);
        sum.fetch_add(1, SeqCst);
        adder.join().unwrap();
        assert_eq!(sum.load(SeqCst), 4);
    });
    assert_eq!(count, 6);
}

#[test]
fn a_lost_update_is_one_of_the_outcomes() {
    let seen = outcomes(|| {
        let sum = Arc::new(AtomicU64::new(0));
        let other = Arc::clone(&sum);
        let adder = thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
        sum.store(sum.load(SeqCst) + 1, SeqCst);
        adder.join().unwrap();
        sum.load(SeqCst)
    });
    assert_eq!(seen, [1, 2].into());
}

#[test]
fn a_static_starts_every_run_with_its_first_value() {
    static COUNT: AtomicUsize = AtomicUsize::new(3);
    let seen = outcomes(|| {
        let adder = thread::spawn(|| COUNT.fetch_add(1, SeqCst));
        let mine = COUNT.fetch_add(1, SeqCst);
        (mine, adder.join().unwrap(), COUNT.load(SeqCst))
    });
    assert_eq!(seen, [(3, 4, 5), (4, 3, 5)].into());
    assert_eq!(COUNT.load(SeqCst), 3);
}

#[test]
fn small_and_negative_integers_keep_their_value() {
    raddle::check(|| {
        let number = AtomicI8::new(-1);
        assert_eq!(number.compare_exchange(-1, i8::MIN, SeqCst, SeqCst), Ok(-1));
        assert_eq!(number.fetch_sub(1, SeqCst), i8::MIN);
        assert_eq!(number.load(SeqCst), i8::MAX);
        assert_eq!(number.fetch_min(-5, SeqCst), i8::MAX);
        assert_eq!(format!("{number:?}"), "-5");
        assert_eq!(number.into_inner(), -5);
    });
}

#[test]
fn what_the_owner_changes_directly_is_seen_by_the_run() {
    raddle::check(|| {
        let mut flag = AtomicBool::new(false);
        flag.store(true, SeqCst);
        assert!(*flag.get_mut());
        *flag.get_mut() = false;
        assert!(!flag.load(SeqCst));
    });
}

#[test]
fn pointers_go_in_and_come_out() {
    raddle::check(|| {
        let slot = AtomicPtr::new(Box::into_raw(Box::new(1)));
        thread::scope(|scope| {
            scope.spawn(|| {
                let old = slot.swap(Box::into_raw(Box::new(2)), SeqCst);
                // SAFETY: the pointer is from a box, and nobody else has it any more.
                drop(unsafe { Box::from_raw(old) });
            });
        });
        // SAFETY: as above.
        assert_eq!(*unsafe { Box::from_raw(slot.into_inner()) }, 2);
    });
}

#[test]
fn a_weak_compare_exchange_can_fail_for_no_reason() {
    let seen = outcomes(|| {
        let number = AtomicUsize::new(0);
        number.compare_exchange_weak(0, 1, SeqCst, SeqCst)
    });
    assert_eq!(seen, [Ok(0), Err(0)].into());
}

#[test]
fn a_loop_of_weak_compare_exchanges_ends() {
    let seen = outcomes(|| {
        let number = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&number);
        let add = |number: &AtomicUsize| {
            let mut rounds = 1;
            let mut old = number.load(SeqCst);
            while let Err(now) = number.compare_exchange_weak(old, old + 1, SeqCst, SeqCst) {
                (old, rounds) = (now, rounds + 1);
            }
            rounds
        };
        let adder = thread::spawn(move || add(&other));
        let mine = add(&number);
        assert!(adder.join().unwrap() <= 4);
        assert_eq!(number.load(SeqCst), 2);
        mine
    });
    assert_eq!(seen, [1, 2, 3, 4].into());
}

#[test]
fn fetch_update_ends() {
    let seen = outcomes(|| {
        let number = Arc::new(AtomicUsize::new(1));
        let other = Arc::clone(&number);
        let doubler = thread::spawn(move || other.fetch_update(SeqCst, SeqCst, |old| Some(old * 2)).is_ok());
        number.fetch_update(SeqCst, SeqCst, |old| Some(old + 3)).unwrap();
        assert!(doubler.join().unwrap());
        number.load(SeqCst)
    });
    assert_eq!(seen, [5, 8].into());
}

#[test]
fn orders_that_make_no_sense_panic_as_in_std() {
    let number = AtomicUsize::new(0);
    let messages: Vec<String> = [
        common::panic_of(|| _ = number.load(Ordering::Release)),
        common::panic_of(|| number.store(0, Ordering::Acquire)),
        common::panic_of(|| fence(Ordering::Relaxed)),
    ]
    .into();
    let in_check: Vec<String> = [
        common::finding_of(|| _ = AtomicUsize::new(0).load(Ordering::Release)),
        common::finding_of(|| AtomicUsize::new(0).store(0, Ordering::Acquire)),
        common::finding_of(|| fence(Ordering::Relaxed)),
    ]
    .into();
    for (outside, inside) in messages.iter().zip(&in_check) {
        assert!(inside.contains(outside.as_str()), "{inside} does not contain {outside}");
    }
}

#[test]
fn outside_a_check_atomics_work_between_real_threads() {
    let sum = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| _ = sum.fetch_add(1, SeqCst)));
        }
    });
    assert_eq!(sum.into_inner(), 400);
}

/// Two steps each, which nobody can come between unnoticed.
#[test]
fn updates_are_not_lost() {
    let report = Check::new().run(|| {
        let number = Arc::new(AtomicUsize::new(1));
        let other = Arc::clone(&number);
        let doubler = thread::spawn(move || other.update(SeqCst, SeqCst, |old| old * 2));
        let before = number.try_update(SeqCst, SeqCst, |old| (old < 100).then_some(old + 3)).unwrap();
        let doubled = doubler.join().unwrap();
        assert!((before, doubled) == (1, 4) || (before, doubled) == (2, 1), "{before}, {doubled}");
        assert_eq!(number.load(SeqCst), if doubled == 4 { 8 } else { 5 });
    });
    assert!(report.is_exhausted(), "{report}");
    let flag = AtomicBool::new(false);
    assert!(!flag.update(SeqCst, SeqCst, |old| !old));
    assert_eq!(flag.try_update(SeqCst, SeqCst, |_| None), Err(true));
}

/// Moving a pointer and changing its tag is one step, inside of a check and outside.
#[test]
fn a_pointer_is_moved_and_tagged_in_one_step() {
    static NUMBERS: [u32; 4] = [0, 1, 2, 3];
    let first = || (&raw const NUMBERS[0]).cast_mut();
    let report = Check::new().run(|| {
        let slot = Arc::new(AtomicPtr::new(first()));
        let other = Arc::clone(&slot);
        let mover = thread::spawn(move || {
            other.fetch_ptr_add(1, SeqCst);
            other.fetch_or(1, SeqCst);
        });
        slot.fetch_byte_add(8, SeqCst);
        mover.join().unwrap();
        assert_eq!(slot.fetch_and(!3, SeqCst), first().wrapping_add(3).wrapping_byte_add(1));
        assert_eq!(slot.load(SeqCst), first().wrapping_add(3));
    });
    assert!(report.is_exhausted(), "{report}");
    // The addition commutes with nothing that sees the bits: each of the three steps is one, not a loop of them.
    assert_eq!(report.runs(), 3, "{report}");
    let slot = AtomicPtr::new(first());
    slot.fetch_ptr_add(3, SeqCst);
    slot.fetch_ptr_sub(1, SeqCst);
    slot.fetch_byte_sub(4, SeqCst);
    assert_eq!(slot.fetch_xor(1, SeqCst), first().wrapping_add(1));
    assert_eq!(slot.load(SeqCst), first().wrapping_add(1).wrapping_byte_add(1));
}

#[test]
fn a_weak_compare_exchange_fails_for_no_reason_as_often_in_a_row_as_it_may() {
    let most_failures = |times| {
        let most = std::sync::Mutex::new(0);
        let check = Check::new().spurious_failures(times);
        let report = check.run(|| {
            let number = AtomicU64::new(0);
            let mut failures = 0;
            while number.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_err() {
                failures += 1;
            }
            let mut most = most.lock().unwrap();
            *most = failures.max(*most);
        });
        assert!(report.is_exhausted(), "{report}");
        let most = *most.lock().unwrap();
        (most, report.runs())
    };
    assert_eq!([0, 1, 3].map(most_failures), [(0, 1), (1, 2), (3, 4)]);
}
