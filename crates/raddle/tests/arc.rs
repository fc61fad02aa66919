//! Reference counts, where a program can tell them.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use common::outcomes;
use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, Weak};
use raddle::{Check, Strategy, thread};

/// What `f` returns in all runs of a strategy that claims everything, and how many runs that took.
fn all<T: Ord + Send>(strategy: Strategy, f: impl Fn() -> T + Send + Sync) -> (BTreeSet<T>, u64) {
    let seen = std::sync::Mutex::new(BTreeSet::new());
    let report = Check::new().strategy(strategy).run(|| {
        let outcome = f();
        seen.lock().unwrap().insert(outcome);
    });
    assert_eq!(report.verdict(), "exhausted", "{report}");
    (seen.into_inner().unwrap(), report.runs())
}

/// The outcomes of `f`, and how many traces it has. All schedules are tried as well, and must show the same.
fn traces<T: Ord + Send + std::fmt::Debug>(f: impl Fn() -> T + Send + Sync) -> (Vec<T>, u64) {
    let (every, _) = all(Strategy::Every, &f);
    let (optimal, traces) = all(Strategy::OptimalDpor, &f);
    assert_eq!(optimal, every);
    (every.into_iter().collect(), traces)
}

#[test]
fn counts_that_nobody_looks_at_are_no_steps() {
    let program = || {
        let data = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> =
            (0..3).map(|_| Arc::clone(&data)).map(|data| thread::spawn(move || drop(data))).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    assert_eq!(all(Strategy::Every, program).1, 1);
}

#[test]
fn an_upgrade_meets_data_or_comes_too_late() {
    let program = || {
        let data = Arc::new(5);
        let weak: Weak<i32> = Arc::downgrade(&data);
        let other = thread::spawn(move || drop(data));
        let met = weak.upgrade().is_some();
        other.join().unwrap();
        met
    };
    assert_eq!(traces(program), (vec![false, true], 2));
}

#[test]
fn only_the_number_that_is_looked_at_matters() {
    let program = || {
        let data = Arc::new(5);
        let others = [0, 1].map(|_| {
            let data = Arc::clone(&data);
            thread::spawn(move || drop(data))
        });
        let seen = Arc::strong_count(&data);
        others.into_iter().for_each(|other| other.join().unwrap());
        seen
    };
    // Each thread is before or after the look: four traces, three numbers.
    assert_eq!(traces(program), (vec![1, 2, 3], 4));
}

#[test]
fn unwrapping_after_the_joins_costs_no_more_traces() {
    let program = || {
        let data = Arc::new(Mutex::new(0));
        let others = [0, 1, 2].map(|_| {
            let data = Arc::clone(&data);
            thread::spawn(move || *data.lock().unwrap() += 1)
        });
        others.into_iter().for_each(|other| other.join().unwrap());
        Arc::try_unwrap(data).unwrap().into_inner().unwrap()
    };
    assert_eq!(all(Strategy::OptimalDpor, program), (BTreeSet::from([3]), 6));
}

#[test]
fn both_may_fail_to_unwrap_or_one_succeeds() {
    let program = || {
        let data = Arc::new(5);
        let other = thread::spawn({
            let data = Arc::clone(&data);
            move || Arc::try_unwrap(data).is_ok()
        });
        let mine = Arc::try_unwrap(data).is_ok();
        (mine, other.join().unwrap())
    };
    assert_eq!(traces(program).0, [(false, false), (false, true), (true, false)]);
}

#[test]
fn exactly_one_gets_the_inner_value() {
    let program = || {
        let data = Arc::new(5);
        let other = thread::spawn({
            let data = Arc::clone(&data);
            move || Arc::into_inner(data)
        });
        (Arc::into_inner(data), other.join().unwrap())
    };
    assert_eq!(traces(program), (vec![(None, Some(5)), (Some(5), None)], 2));
}

#[test]
fn data_is_mutable_when_nobody_else_has_it() {
    let program = || {
        let mut data = Arc::new(5);
        let weak = Arc::downgrade(&data);
        let other = thread::spawn({
            let data = Arc::clone(&data);
            move || drop((data, weak))
        });
        let alone = Arc::get_mut(&mut data).is_some();
        other.join().unwrap();
        alone
    };
    assert_eq!(traces(program).0, [false, true]);
}

/// Writes down that it was destroyed.
struct Noted(Arc<Mutex<Vec<u32>>>);

impl Drop for Noted {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(9);
    }
}

#[test]
fn whoever_comes_last_destroys() {
    let program = || {
        let log = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::new(Noted(Arc::clone(&log)));
        let others = [0, 1].map(|number| {
            let (noted, log) = (Arc::clone(&noted), Arc::clone(&log));
            thread::spawn(move || {
                drop(noted);
                log.lock().unwrap().push(number);
            })
        });
        drop(noted);
        others.into_iter().for_each(|other| other.join().unwrap());
        std::mem::take(&mut *log.lock().unwrap())
    };
    // If main comes last, the end can fall anywhere between what the others write.
    let every: Vec<Vec<u32>> =
        [[0, 1, 9], [0, 9, 1], [1, 0, 9], [1, 9, 0], [9, 0, 1], [9, 1, 0]].map(Vec::from).into();
    assert_eq!(traces(program).0, every);
}

/// Is looked at when it is destroyed.
struct Looked(UnsafeCell<u32>);

// SAFETY: only one thread uses the cell, or that which destroys it.
unsafe impl Sync for Looked {}

impl Drop for Looked {
    fn drop(&mut self) {
        // SAFETY: nobody else has it any more.
        self.0.with(|value| assert_eq!(unsafe { *value }, 1));
    }
}

#[test]
fn what_was_written_before_a_reference_was_given_up_comes_before_the_end() {
    let program = || {
        let looked = Arc::new(Looked(UnsafeCell::new(0)));
        // SAFETY: nobody else uses the cell.
        looked.0.with_mut(|value| unsafe { *value = 1 });
        let others = [Arc::clone(&looked), looked].map(|looked| thread::spawn(move || drop(looked)));
        others.into_iter().for_each(|other| other.join().unwrap());
    };
    assert_eq!(traces(program), (vec![()], 2));
    let writes_beside = || {
        let looked = Arc::new(Looked(UnsafeCell::new(1)));
        let other = Arc::clone(&looked);
        let writer = thread::spawn(move || {
            // SAFETY: not sound, if the other one looks at it; it does not while this one has its reference.
            other.0.with_mut(|value| unsafe { *value = 1 });
        });
        drop(looked);
        writer.join().unwrap();
    };
    assert_eq!(traces(writes_beside), (vec![()], 2));
}

#[test]
fn a_clone_orders_nothing() {
    let program = || {
        let looked = Arc::new(Looked(UnsafeCell::new(1)));
        let other = thread::spawn({
            let looked = Arc::clone(&looked);
            move || {
                // SAFETY: not sound: that is what is to be found.
                looked.0.with_mut(|value| unsafe { *value = 1 });
                drop(Arc::clone(&looked));
            }
        });
        drop(Arc::clone(&looked));
        // SAFETY: as above.
        looked.0.with(|value| assert_eq!(unsafe { *value }, 1));
        other.join().unwrap();
    };
    let report = Check::new().name("a_clone_orders_nothing").out(out()).run(program);
    assert_eq!(report.findings()[0].kind(), "data-race", "{report}");
}

fn out() -> std::path::PathBuf {
    std::env::temp_dir().join(format!("raddle-arc-{}", std::process::id()))
}

#[test]
fn a_finding_with_visible_counts_replays_from_its_file() {
    fn late() {
        let data = Arc::new(AtomicUsize::new(0));
        let weak = Arc::downgrade(&data);
        let other = thread::spawn(move || {
            data.store(1, SeqCst);
            drop(data);
        });
        assert!(weak.upgrade().is_some(), "too late");
        other.join().unwrap();
    }
    let check = || Check::new().name("late").out(out());
    let report = check().run(late);
    let finding = &report.findings()[0];
    assert_eq!(finding.kind(), "panic", "{report}");
    let text = report.to_string();
    assert!(text.contains("Arc count 1 ← 0 and 1 weak"), "{text}");
    let again = check().replay(finding.id()).run(late);
    assert_eq!(again.findings()[0].trace(), finding.trace());
}

#[test]
fn outcomes_of_weak_references_are_those_of_std_outside_a_check() {
    assert!(Weak::<i32>::new().upgrade().is_none());
    let data = Arc::new_cyclic(|own: &Weak<(Weak<i32>, i32)>| {
        assert!(own.upgrade().is_none());
        (Weak::new(), 5)
    });
    assert_eq!((data.1, Arc::strong_count(&data), Arc::weak_count(&data)), (5, 1, 0));
    let in_check = outcomes(|| {
        let own = Arc::new_cyclic(|own: &Weak<u8>| {
            let others = (own.clone(), own.clone());
            u8::from(others.0.upgrade().is_some())
        });
        (Arc::strong_count(&own), Arc::weak_count(&own), *own)
    });
    assert_eq!(in_check, BTreeSet::from([(1, 0, 0)]));
}

#[test]
fn a_finding_with_visible_ends_replays_from_its_file() {
    fn ended() {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let flag = Arc::clone(&flag);
            move || flag.store(1, SeqCst)
        });
        assert!(flag.load(SeqCst) == 0 || !other.is_finished(), "too late");
        other.join().unwrap();
    }
    let check = || Check::new().name("ended").out(out());
    let report = check().run(ended);
    let again = check().replay(report.findings()[0].id()).run(ended);
    assert_eq!(again.findings()[0].trace(), report.findings()[0].trace());
}

#[test]
fn references_are_counted_together_when_their_data_is_seen_otherwise() {
    let seen = outcomes(|| {
        let text: Arc<str> = Arc::from("warp");
        let other = Arc::clone(&text);
        let bytes = thread::spawn(move || {
            let bytes: Arc<[u8]> = other.into();
            let four: Result<Arc<[u8; 4]>, _> = bytes.try_into();
            assert_eq!(four.as_deref(), Ok(b"warp"));
        });
        let count = Arc::strong_count(&text);
        bytes.join().unwrap();
        (count, Arc::strong_count(&text))
    });
    assert_eq!(seen, [(1, 1), (2, 1)].into());
}

#[test]
fn data_is_written_after_room_was_made_for_it() {
    let seen = outcomes(|| {
        let mut room = Arc::<u32>::new_uninit();
        Arc::get_mut(&mut room).unwrap().write(5);
        // SAFETY: it was just written.
        let data = unsafe { room.assume_init() };
        let other = Arc::clone(&data);
        let reader = thread::spawn(move || *other);
        let count = Arc::strong_count(&data);
        (count, reader.join().unwrap())
    });
    assert_eq!(seen, [(1, 5), (2, 5)].into());
}
