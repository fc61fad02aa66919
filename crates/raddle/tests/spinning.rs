//! Loops that only wait: with a hint, without one, and without anything but hints.

use std::time::Duration;

use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, RwLock, RwLockWriteGuard, mpsc};
use raddle::time::Instant;
use raddle::{Check, Strategy, thread};

/// Without any doubt: no loop was taken for waiting that may do something else.
#[track_caller]
fn exhausted(program: impl Fn() + Send + Sync) -> u64 {
    let report = Check::new().run(program);
    assert!(report.is_exhausted(), "{report}");
    assert!(!report.to_string().contains("if one loop only waits"), "{report}");
    report.runs()
}

/// A flag, and the thread that will raise it.
fn raised_by_another() -> (Arc<AtomicBool>, thread::JoinHandle<()>) {
    let flag = Arc::new(AtomicBool::new(false));
    let other = thread::spawn({
        let flag = Arc::clone(&flag);
        move || flag.store(true, SeqCst)
    });
    (flag, other)
}

/// The message can come before the first look, between the first and the second, or later; and the sender can go before or
/// after each look that finds nothing.
#[test]
fn polling_a_channel_ends() {
    let runs = exhausted(|| {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send(1).unwrap());
        while receiver.try_recv().is_err() {
            thread::yield_now();
        }
        other.join().unwrap();
    });
    assert_eq!(runs, 7);
}

#[test]
fn polling_under_a_lock_ends() {
    exhausted(|| {
        let flag = Arc::new(Mutex::new(false));
        let other = thread::spawn({
            let flag = Arc::clone(&flag);
            move || *flag.lock().unwrap() = true
        });
        while !*flag.lock().unwrap() {
            thread::yield_now();
        }
        other.join().unwrap();
    });
}

/// A loop that downgrades in each round has only looked. One that gives way before it gives the lock back must not be made
/// to wait with it: nobody could write.
#[test]
fn polling_under_a_downgraded_lock_ends() {
    for gives_way_inside in [false, true] {
        exhausted(move || {
            let flag = Arc::new(RwLock::new(false));
            let other = thread::spawn({
                let flag = Arc::clone(&flag);
                move || *flag.write().unwrap() = true
            });
            loop {
                let reading = RwLockWriteGuard::downgrade(flag.write().unwrap());
                if *reading {
                    break;
                }
                if gives_way_inside {
                    thread::yield_now();
                }
                drop(reading);
                if !gives_way_inside {
                    thread::yield_now();
                }
            }
            other.join().unwrap();
        });
    }
}

/// Who takes from a queue may have changed it, and whether it has is not seen: the verdict says so.
#[test]
fn polling_a_queue_under_a_lock_ends_on_a_condition() {
    let report = Check::new().run(|| {
        let queue = Arc::new(Mutex::new(Vec::new()));
        let other = thread::spawn({
            let queue = Arc::clone(&queue);
            move || queue.lock().unwrap().push(1)
        });
        while queue.lock().unwrap().pop().is_none() {
            thread::yield_now();
        }
        other.join().unwrap();
    });
    assert!(report.is_exhausted(), "{report}");
    assert!(report.to_string().contains("if one loop only waits"), "{report}");
}

/// What it counts under the lock decides when it gives up: before the flag is raised or after.
#[test]
fn a_loop_that_counts_under_a_lock_may_give_up_before_and_after() {
    let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
    let runs = exhausted(|| {
        let (flag, other) = raised_by_another();
        let rounds = Arc::new(Mutex::new(0));
        while !flag.load(SeqCst) {
            let mut rounds = rounds.lock().unwrap();
            *rounds += 1;
            if *rounds == 5 {
                break;
            }
            drop(rounds);
            thread::yield_now();
        }
        seen.lock().unwrap().insert(*rounds.lock().unwrap());
        other.join().unwrap();
    });
    assert_eq!((runs, seen.into_inner().unwrap()), (6, (0..=5).collect()));
}

#[test]
fn polling_under_a_lock_without_a_hint_ends() {
    exhausted(|| {
        let flag = Arc::new(Mutex::new(false));
        let other = thread::spawn({
            let flag = Arc::clone(&flag);
            move || *flag.lock().unwrap() = true
        });
        while !*flag.lock().unwrap() {}
        other.join().unwrap();
    });
}

#[test]
fn a_spin_lock_without_a_hint_ends() {
    exhausted(|| {
        let lock = Arc::new(AtomicBool::new(false));
        let threads = [(); 2].map(|()| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                while lock.compare_exchange_weak(false, true, SeqCst, SeqCst).is_err() {}
                lock.store(false, SeqCst);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

/// What it counts lies where nobody else looks, and decides when it gives up.
#[test]
fn a_loop_that_counts_its_rounds_may_give_up_before_and_after() {
    let gives_up = |hint: fn()| {
        let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
        let runs = exhausted(|| {
            let (flag, other) = raised_by_another();
            let mut found = None;
            for round in 0..4 {
                if flag.load(SeqCst) {
                    found = Some(round);
                    break;
                }
                hint();
            }
            other.join().unwrap();
            seen.lock().unwrap().insert(found);
        });
        // The store comes before one of the four looks, or after all of them.
        assert_eq!(runs, 5);
        assert_eq!(seen.into_inner().unwrap(), [None, Some(0), Some(1), Some(2), Some(3)].into());
    };
    gives_up(raddle::hint::spin_loop);
    gives_up(thread::yield_now);
    gives_up(|| thread::sleep(Duration::from_millis(1)));
}

/// The compiler may unroll such a loop: then its rounds are told apart by where they are in the code.
#[test]
fn a_loop_that_was_unrolled_may_give_up_too() {
    let runs = exhausted(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = thread::spawn({
            let flag = Arc::clone(&flag);
            move || {
                for _ in 0..4 {
                    if flag.load(SeqCst) {
                        return;
                    }
                    raddle::hint::spin_loop();
                }
            }
        });
        flag.store(true, SeqCst);
        other.join().unwrap();
    });
    assert_eq!(runs, 5);
}

/// One that counts for ever lets the others go at last; then not everything was tried.
#[test]
fn a_loop_that_counts_without_end_ends() {
    let report = Check::new().run(|| {
        let (flag, other) = raised_by_another();
        let mut rounds = 0_u64;
        while !flag.load(SeqCst) {
            rounds += 1;
            raddle::hint::spin_loop();
        }
        std::hint::black_box(rounds);
        other.join().unwrap();
    });
    assert_eq!(report.verdict(), "stopped", "{report}");
    assert!(report.to_string().contains("with the first rounds of the loop at"), "{report}");
}

#[test]
fn waiting_for_the_clock_ends() {
    exhausted(|| {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(1) {
            thread::yield_now();
        }
    });
}

/// How fast the others are is not known: the time can be up before the answer comes.
#[test]
fn a_deadline_can_pass_before_the_answer_comes() {
    let answered = |hint: fn()| {
        let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
        exhausted(|| {
            let (answer, other) = raised_by_another();
            let start = Instant::now();
            let mut came = answer.load(SeqCst);
            while !came && start.elapsed() < Duration::from_secs(5) {
                hint();
                came = answer.load(SeqCst);
            }
            other.join().unwrap();
            seen.lock().unwrap().insert(came);
        });
        seen.into_inner().unwrap()
    };
    let both = [false, true].into();
    assert_eq!(answered(raddle::hint::spin_loop), both);
    assert_eq!(answered(thread::yield_now), both);
    assert_eq!(answered(|| thread::sleep(Duration::from_millis(1))), both);
}

/// Between a deadline that has passed and a later one that has not lies a state of its own.
#[test]
fn one_deadline_can_pass_without_the_other() {
    let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
    exhausted(|| {
        let (answer, other) = raised_by_another();
        let (start, mut warned) = (Instant::now(), false);
        let came = loop {
            if answer.load(SeqCst) {
                break true;
            }
            warned |= start.elapsed() > Duration::from_secs(1);
            if start.elapsed() > Duration::from_secs(60) {
                break false;
            }
            thread::yield_now();
        };
        other.join().unwrap();
        seen.lock().unwrap().insert((warned, came));
    });
    assert_eq!(seen.into_inner().unwrap(), [(false, true), (true, false), (true, true)].into());
}

#[test]
fn a_loop_of_nothing_but_hints_is_given_up() {
    let report = Check::new().max_steps(50).run(|| {
        loop {
            thread::yield_now();
        }
    });
    assert_eq!(report.verdict(), "stopped");
    let report = Check::new().out(std::env::temp_dir()).run(|| {
        loop {
            thread::yield_now();
        }
    });
    assert_eq!(report.findings()[0].kind(), "livelock");
}

#[test]
fn a_check_inside_a_check_is_refused() {
    let nested = Check::new().out(std::env::temp_dir()).run(|| raddle::check(|| ()));
    assert!(nested.findings()[0].message().contains("inside another check"), "{nested}");
}

/// What a program may count its rounds in, where neither registers nor the stack show it.
struct Elsewhere(std::cell::Cell<u32>);

impl Elsewhere {
    fn next(&self) -> u32 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
}

/// The loop gives up in its fourth round, whatever the other thread does: before the flag is raised, or not at all.
#[test]
fn a_count_on_the_heap_gives_up_before_and_after() {
    let gives_up = |hint: fn()| {
        let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
        let runs = exhausted(|| {
            let (flag, other) = raised_by_another();
            let rounds = Box::new(Elsewhere(std::cell::Cell::new(0)));
            let rounds = std::hint::black_box(&rounds);
            let mut came = flag.load(SeqCst);
            while !came && rounds.next() < 4 {
                hint();
                came = flag.load(SeqCst);
            }
            seen.lock().unwrap().insert((came, rounds.0.get()));
            other.join().unwrap();
        });
        (runs, seen.into_inner().unwrap())
    };
    // The flag is raised before one of the four looks, or after all of them.
    let all = std::collections::BTreeSet::from([(true, 0), (true, 1), (true, 2), (true, 3), (false, 4)]);
    assert_eq!(gives_up(thread::yield_now), (5, all.clone()));
    assert_eq!(gives_up(raddle::hint::spin_loop), (5, all));
}

/// The same without a hint: such a loop is taken for waiting after many more rounds.
#[test]
fn a_count_on_the_heap_gives_up_after_many_rounds_without_a_hint() {
    let report = Check::new().max_runs(1_000).run(|| {
        let (flag, other) = raised_by_another();
        let rounds = Box::new(Elsewhere(std::cell::Cell::new(0)));
        let rounds = std::hint::black_box(&rounds);
        while !flag.load(SeqCst) {
            assert!(rounds.next() < 300, "gave up");
        }
        other.join().unwrap();
    });
    assert!(!report.is_exhausted(), "{report}");
}

/// A count that nobody looks at changes nothing: the loop waits.
#[test]
fn a_count_on_the_heap_that_decides_nothing_is_left_aside() {
    let runs = exhausted(|| {
        let (flag, other) = raised_by_another();
        let rounds = Box::new(Elsewhere(std::cell::Cell::new(0)));
        let rounds = std::hint::black_box(&rounds);
        while !flag.load(SeqCst) {
            rounds.next();
            thread::yield_now();
        }
        other.join().unwrap();
    });
    assert_eq!(runs, 3);
}

/// Whoever is asked to replay such a finding has not searched, and does not know of the count.
#[test]
fn a_finding_behind_a_count_on_the_heap_replays() {
    let program = || {
        let (flag, other) = raised_by_another();
        let rounds = Box::new(Elsewhere(std::cell::Cell::new(0)));
        let rounds = std::hint::black_box(&rounds);
        while !flag.load(SeqCst) {
            assert!(rounds.next() < 5, "gave up");
            thread::yield_now();
        }
        other.join().unwrap();
    };
    let out = std::env::temp_dir().join(format!("raddle-count-on-the-heap-{}", std::process::id()));
    let check = || Check::new().name("count on the heap").out(&out);
    let found = check().run(program);
    let [finding] = found.findings() else { panic!("{found}") };
    let replayed = check().replay(finding.id()).run(program);
    let [again] = replayed.findings() else { panic!("{replayed}") };
    assert_eq!(again.message(), finding.message());
    std::fs::remove_dir_all(&out).unwrap();
}

/// However many loops of a program that has changed count their rounds, a replay comes to its end.
#[test]
fn a_replay_of_a_program_with_many_loops_ends() {
    let out = std::env::temp_dir().join(format!("raddle-many-loops-{}", std::process::id()));
    let check = || Check::new().name("many loops").out(&out);
    let found = check().run(|| assert!(AtomicBool::new(false).load(SeqCst), "too early"));
    let [finding] = found.findings() else { panic!("{found}") };
    macro_rules! waits {
        ($flag:ident, $($hint:expr),*) => {
            $(let flag = std::sync::Arc::clone(&$flag);
            thread::spawn(move || {
                let rounds = Box::new(Elsewhere(std::cell::Cell::new(0)));
                let rounds = std::hint::black_box(&rounds);
                while !flag.load(SeqCst) && rounds.next() < 4 {
                    $hint
                }
            });)*
        };
    }
    let replayed = std::panic::catch_unwind(|| {
        check().replay(finding.id()).run(|| {
            let flag = std::sync::Arc::new(AtomicBool::new(false));
            waits!(flag, thread::yield_now(), thread::yield_now(), thread::yield_now(), thread::yield_now());
            waits!(flag, thread::yield_now(), thread::yield_now(), thread::yield_now(), thread::yield_now());
            waits!(flag, thread::yield_now(), thread::yield_now(), thread::yield_now(), thread::yield_now());
        })
    });
    assert!(replayed.is_err(), "the schedule belongs to another program");
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn a_loop_that_tries_to_take_a_lock_goes_on_when_it_is_given_back() {
    let mutex = || {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let rival = thread::spawn(move || *other.lock().unwrap() += 1);
        while !lock.try_lock().is_ok_and(|value| *value == 1) {
            thread::yield_now();
        }
        rival.join().unwrap();
    };
    let rwlock = || {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let rival = thread::spawn(move || *other.write().unwrap() += 1);
        while !lock.try_read().is_ok_and(|value| *value == 1) {
            thread::yield_now();
        }
        rival.join().unwrap();
    };
    for strategy in [Strategy::Every, Strategy::Dpor, Strategy::DporCrSleep, Strategy::OptimalDpor] {
        let report = Check::new().strategy(strategy).run(mutex);
        assert!(report.is_exhausted(), "{report}");
        let report = Check::new().strategy(strategy).run(rwlock);
        assert!(report.is_exhausted(), "{report}");
    }
}

#[test]
fn a_loop_that_reads_under_a_lock_without_a_hint_waits() {
    let report = Check::new().run(|| {
        let number = Arc::new(RwLock::new(0));
        let other = Arc::clone(&number);
        let writer = thread::spawn(move || *other.write().unwrap() = 1);
        while *number.read().unwrap() == 0 {}
        writer.join().unwrap();
    });
    assert_eq!(report.verdict(), "exhausted", "{report}");
}
