//! Threads that never make another step: the run is ended, and the check goes on to its report.

#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool as StdAtomicBool, AtomicUsize as StdAtomicUsize};
use std::time::{Duration, Instant};

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Check, Report, thread};

const SOON: Duration = Duration::from_millis(60);

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("raddle-endless-{}", std::process::id())).join(name)
}

fn check(name: &str) -> Check {
    Check::new().name(name).out(folder(name)).max_run_time(SOON)
}

#[track_caller]
fn livelock_of(report: &Report, thread: &str) {
    let finding = report.findings().first().unwrap_or_else(|| panic!("there is no finding: {report}"));
    assert_eq!(finding.kind(), "livelock", "{report}");
    let words = report.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    let headline = format!("endless loop: {thread} went on for too long without a visible step");
    assert!(words.contains(&headline), "`{headline}` is missing in:\n{report}");
    assert!(words.contains("a loop that looks at objects of std"), "{report}");
}

fn black_hole() {
    let other = thread::spawn(|| {
        loop {
            black_box(0);
        }
    });
    other.join().unwrap();
}

#[test]
fn a_loop_without_a_step_is_a_livelock() {
    let report = check("black_hole").run(black_hole);
    livelock_of(&report, "T1");
    assert!(report.to_string().contains("endless.rs:"), "where it was last seen is missing in:\n{report}");
    // Nothing is left of it that would disturb the next one.
    assert!(Check::new().run(|| ()).is_exhausted());
}

#[test]
fn a_check_panics_because_of_it() {
    let panic = catch_unwind(AssertUnwindSafe(|| check("panics").check(black_hole))).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains("endless loop: T1"), "{text}");
}

#[test]
fn it_is_replayed_from_its_file() {
    let report = check("replayed").run(black_hole);
    let id = report.findings()[0].id().to_owned();
    let again = check("replayed").replay(id).run(black_hole);
    livelock_of(&again, "T1");
}

/// Polls an atomic of `std`, which the other thread sets before or after a step.
fn polls(set_before: bool) {
    let ready = std::sync::Arc::new(StdAtomicBool::new(false));
    let number = AtomicUsize::new(0);
    let waiter = thread::spawn({
        let ready = std::sync::Arc::clone(&ready);
        move || while !ready.load(SeqCst) {}
    });
    ready.store(set_before, SeqCst);
    number.store(1, SeqCst);
    ready.store(true, SeqCst);
    waiter.join().unwrap();
}

#[test]
fn polling_an_atomic_of_std_is_one_if_nobody_else_gets_a_turn() {
    livelock_of(&check("polls").run(|| polls(false)), "T1");
    assert!(check("polls_once").run(|| polls(true)).is_exhausted());
}

/// Allocating is done by a library, whose locks must not be held for ever: the run is ended between two allocations.
#[test]
fn a_loop_that_allocates_is_ended_outside_of_the_allocator() {
    let allocates = || {
        loop {
            black_box(vec![0_u8; 100]);
        }
    };
    for round in 0..2 {
        let report = check("allocates").run(allocates);
        livelock_of(&report, "T0 main");
        assert!(!vec![round; 100].is_empty());
    }
}

#[test]
fn other_threads_are_unwound_as_always() {
    static DROPPED: StdAtomicUsize = StdAtomicUsize::new(0);
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    let report = check("unwound").run(|| {
        let _waits = Counted;
        let other = thread::spawn(|| {
            // What this thread owns stays where it is.
            let _lost = Counted;
            loop {
                black_box(0);
            }
        });
        other.join().unwrap();
    });
    livelock_of(&report, "T1");
    let dropped = DROPPED.load(SeqCst);
    assert!(dropped >= 3, "main in the search, in its replay, and in the one from the file: {dropped}");
}

/// What the endless thread borrows must outlive it, so the one that owns it is left alone, too.
#[test]
fn what_an_endless_thread_borrows_is_not_dropped() {
    static DROPPED: StdAtomicUsize = StdAtomicUsize::new(0);
    struct Lent;
    impl Drop for Lent {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    let report = check("borrows").run(|| {
        let lent = Lent;
        thread::scope(|scope| {
            scope.spawn(|| {
                loop {
                    black_box(&lent);
                }
            });
        });
    });
    livelock_of(&report, "T1");
    assert_eq!(DROPPED.load(SeqCst), 0);
    assert!(Check::new().run(|| ()).is_exhausted());
}

#[test]
fn a_destructor_that_never_ends_does_not_hide_the_finding() {
    struct Endless(bool);
    impl Drop for Endless {
        fn drop(&mut self) {
            while black_box(self.0) {}
        }
    }
    let report = check("destructor").run(|| {
        let lock = Arc::new(Mutex::new(()));
        let _held = lock.lock();
        let other = thread::spawn({
            let lock = Arc::clone(&lock);
            move || {
                let _endless = Endless(true);
                drop(lock.lock());
            }
        });
        other.join().unwrap();
    });
    assert_eq!(report.findings()[0].kind(), "deadlock", "{report}");
}

/// As long as it makes steps now and then, a run may take as long as it likes.
#[test]
fn a_run_that_computes_between_its_steps_is_left_alone() {
    let limit = Duration::from_millis(40);
    let report = check("computes").max_run_time(limit).max_runs(1).run(move || {
        let number = AtomicUsize::new(0);
        let start = Instant::now();
        while start.elapsed() < limit * 4 {
            let round = Instant::now();
            while round.elapsed() < limit / 8 {
                black_box(0);
            }
            number.fetch_add(1, SeqCst);
        }
    });
    assert!(report.findings().is_empty(), "{report}");
}

#[test]
fn a_replay_that_waits_outside_ends_too() {
    static WAITS: StdAtomicBool = StdAtomicBool::new(false);
    let program = || {
        let number = AtomicUsize::new(0);
        number.store(1, SeqCst);
        if WAITS.load(SeqCst) {
            let lock = std::sync::Mutex::new(());
            let _first = lock.lock();
            let _second = lock.lock();
        }
        panic!("found");
    };
    let found = check("waits").run(program);
    WAITS.store(true, SeqCst);
    let again = check("waits").replay(found.findings()[0].id()).run(program);
    assert_eq!(again.verdict(), "untrusted", "{again}");
}

/// How long a run takes is up to the machine: one that ends after all is no reason not to trust the program.
#[test]
fn a_run_that_ends_when_it_is_made_again_was_only_slow() {
    static RUNS: StdAtomicUsize = StdAtomicUsize::new(0);
    let report = check("slow").run(|| {
        let is_first = RUNS.fetch_add(1, SeqCst) == 0;
        while black_box(is_first) {}
    });
    assert_eq!(report.verdict(), "stopped", "{report}");
    let words = report.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("a run that made no step for max_run_time 60ms"), "{report}");
}
