//! Programs whose number of traces, or of interleavings, is known: published, or by a closed formula.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should not")]

use std::collections::BTreeSet;
use std::sync::Mutex as RealMutex;

use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex, RwLock, mpsc};
use raddle::{Check, Strategy, thread};

/// Runs `body` in `threads` threads with their numbers, and joins them.
fn in_threads(threads: usize, body: impl Fn(usize) + Send + Sync + 'static) {
    let body = Arc::new(body);
    let handles: Vec<_> = (0..threads)
        .map(|number| {
            let body = Arc::clone(&body);
            thread::spawn(move || body(number))
        })
        .collect();
    for handle in handles {
        handle.join().unwrap();
    }
}

/// Every trace is run exactly once, and no run is given up.
#[track_caller]
fn traces(expected: u64, program: impl Fn() + Send + Sync) {
    let report = Check::new().run(program);
    assert!(report.is_exhausted(), "{report}");
    assert_eq!((report.runs(), report.blocked()), (expected, 0));
}

/// Without reduction every interleaving is one run.
#[track_caller]
fn interleavings(expected: u64, program: impl Fn() + Send + Sync) {
    let report = Check::new().strategy(Strategy::Every).run(program);
    assert!(report.is_exhausted(), "{report}");
    assert_eq!(report.runs(), expected);
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// The hash table of Flanagan and Godefroid: 128 places, four messages a thread, compare-exchange.
fn indexer(threads: usize) {
    const SIZE: usize = 128;
    let table: Arc<Vec<AtomicUsize>> = Arc::new((0..SIZE).map(|_| AtomicUsize::new(0)).collect());
    in_threads(threads, move |thread| {
        for message in 1..=4 {
            let word = message * 11 + thread;
            let mut place = (word * 7) % SIZE;
            while table[place].compare_exchange(0, word, SeqCst, SeqCst).is_err() {
                place = (place + 1) % SIZE;
            }
        }
    });
}

#[test]
fn indexer_has_eight_times_as_many_traces_with_every_thread_beyond_eleven() {
    for (threads, expected) in [(11, 1), (12, 8), (13, 64), (14, 512), (15, 4096)] {
        traces(expected, move || indexer(threads));
    }
}

/// The file system of Flanagan and Godefroid: 32 inodes, 26 blocks, a lock for each.
fn file_system(threads: usize) {
    const INODES: usize = 32;
    const BLOCKS: usize = 26;
    let inodes: Arc<Vec<Mutex<usize>>> = Arc::new((0..INODES).map(|_| Mutex::new(0)).collect());
    let busy: Arc<Vec<Mutex<bool>>> = Arc::new((0..BLOCKS).map(|_| Mutex::new(false)).collect());
    in_threads(threads, move |thread| {
        let number = thread % INODES;
        let mut inode = inodes[number].lock().unwrap();
        if *inode == 0 {
            let mut block = (number * 2) % BLOCKS;
            loop {
                let mut busy = busy[block].lock().unwrap();
                if !*busy {
                    *busy = true;
                    *inode = block + 1;
                    break;
                }
                drop(busy);
                block = (block + 1) % BLOCKS;
            }
        }
    });
}

#[test]
fn file_system_has_four_times_as_many_traces_with_every_two_threads_beyond_fourteen() {
    for (threads, expected) in [(14, 2), (16, 8), (18, 32), (20, 128)] {
        traces(expected, move || file_system(threads));
    }
}

#[test]
fn n_writers_of_one_variable_have_n_factorial_traces() {
    for writers in 1..=6 {
        traces(factorial(writers as u64), move || self::writers(writers));
    }
}

fn writers(count: usize) {
    let variable = Arc::new(AtomicUsize::new(0));
    in_threads(count, move |number| variable.store(number, SeqCst));
}

fn one_lock(threads: usize, times: usize) {
    let counter = Arc::new(Mutex::new(0));
    in_threads(threads, move |_| {
        for _ in 0..times {
            *counter.lock().unwrap() += 1;
        }
    });
}

#[test]
fn critical_sections_can_come_in_any_order_that_keeps_each_threads_own() {
    for (threads, times) in [(2, 1), (2, 5), (3, 2), (4, 1), (4, 2)] {
        let sections = factorial((threads * times) as u64) / factorial(times as u64).pow(threads as u32);
        traces(sections, move || one_lock(threads, times));
        interleavings(sections, move || one_lock(threads, times));
    }
}

#[test]
fn independent_steps_have_one_trace_and_all_their_interleavings() {
    let program = |steps: [usize; 2]| {
        move || {
            in_threads(2, move |number| {
                let own = AtomicUsize::new(0);
                for _ in 0..steps[number] {
                    own.fetch_add(1, SeqCst);
                }
            });
        }
    };
    for (n, m) in [(1, 1), (2, 3), (4, 4), (5, 6)] {
        let binomial = factorial(n + m) / factorial(n) / factorial(m);
        let steps = [n as usize, m as usize];
        traces(1, program(steps));
        interleavings(binomial, program(steps));
    }
}

#[test]
fn increments_of_one_atomic_all_depend_on_each_other() {
    for (threads, times, expected) in [(2, 7, 3432), (3, 3, 1680), (4, 2, 2520)] {
        traces(expected, move || {
            let sum = Arc::new(AtomicUsize::new(0));
            in_threads(threads, move |_| {
                for _ in 0..times {
                    sum.fetch_add(1, SeqCst);
                }
            });
        });
    }
}

#[test]
fn readers_commute() {
    let program = || {
        let variable = Arc::new(AtomicUsize::new(0));
        in_threads(4, move |number| {
            if number == 3 {
                variable.store(1, SeqCst);
            } else {
                variable.load(SeqCst);
                variable.load(SeqCst);
            }
        });
    };
    traces(27, program);
    interleavings(630, program);
}

#[test]
fn readers_of_a_lock_commute() {
    let program = || {
        let lock = Arc::new(RwLock::new(0));
        in_threads(4, move |number| {
            if number == 3 {
                *lock.write().unwrap() += 1;
            } else {
                drop(lock.read().unwrap());
            }
        });
    };
    traces(8, program);
    interleavings(216, program);
}

/// Philosopher `i` takes fork `i`, then the next one; the last one the other way round.
fn philosophers(count: usize, meals: usize) {
    let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..count).map(|_| Mutex::new(())).collect());
    in_threads(count, move |number| {
        let (left, right) = (number, (number + 1) % count);
        let (first, second) = if number + 1 == count { (right, left) } else { (left, right) };
        for _ in 0..meals {
            let _first = forks[first].lock().unwrap();
            let _second = forks[second].lock().unwrap();
        }
    });
}

#[test]
fn philosophers_meet_in_as_many_ways_as_others_count() {
    traces(14, || philosophers(4, 1));
    interleavings(64_000, || philosophers(4, 1));
    traces(786, || philosophers(4, 2));
}

#[test]
fn a_queue_of_one_place_hands_over_in_512_ways() {
    let program = || {
        let queue = Arc::new((Mutex::new(None), Condvar::new(), Condvar::new()));
        let producer = Arc::clone(&queue);
        let handle = thread::spawn(move || {
            let (place, filled, emptied) = &*producer;
            for item in 0..5 {
                let mut place = place.lock().unwrap();
                while place.is_some() {
                    place = emptied.wait(place).unwrap();
                }
                *place = Some(item);
                filled.notify_one();
            }
        });
        let (place, filled, emptied) = &*queue;
        for expected in 0..5 {
            let mut place = place.lock().unwrap();
            while place.is_none() {
                place = filled.wait(place).unwrap();
            }
            assert_eq!(place.take(), Some(expected));
            emptied.notify_one();
        }
        handle.join().unwrap();
    };
    traces(512, program);
    interleavings(512, program);
}

#[test]
fn messages_arrive_in_any_order_that_keeps_each_senders_own() {
    traces(1680, || {
        let (sender, receiver) = mpsc::channel();
        let senders: Vec<_> = (0..3)
            .map(|number| {
                let sender = sender.clone();
                thread::spawn(move || (0..3).for_each(|message| sender.send((number, message)).unwrap()))
            })
            .collect();
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        assert_eq!(receiver.try_iter().count(), 9);
    });
}

/// The outcomes of a program over all runs, and how many runs there were.
fn outcomes<T: Ord + Send + 'static>(program: impl Fn() -> T + Send + Sync) -> (BTreeSet<T>, u64) {
    let seen = RealMutex::new(BTreeSet::new());
    let report = Check::new().run(|| {
        let outcome = program();
        seen.lock().unwrap().insert(outcome);
    });
    assert!(report.is_exhausted(), "{report}");
    (seen.into_inner().unwrap(), report.runs())
}

/// A read that nobody uses must not hide an outcome. loom 0.7.2 misses (1, 0) here (tokio-rs/loom#166).
#[test]
fn a_useless_read_hides_no_outcome_of_two_variables() {
    for useless_read in [true, false] {
        let program = move || {
            let (key, value) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let writer = thread::spawn({
                let (key, value) = (Arc::clone(&key), Arc::clone(&value));
                move || {
                    key.store(1, SeqCst);
                    value.store(1, SeqCst);
                    value.store(0, SeqCst);
                    if useless_read {
                        key.load(SeqCst);
                    }
                    key.store(0, SeqCst);
                }
            });
            let reader = thread::spawn(move || {
                let value = value.load(SeqCst);
                (value, key.load(SeqCst))
            });
            writer.join().unwrap();
            reader.join().unwrap()
        };
        let (seen, runs) = outcomes(program);
        assert_eq!(seen, BTreeSet::from([(0, 0), (0, 1), (1, 0), (1, 1)]));
        assert_eq!(runs, 7, "useless read: {useless_read}");
    }
}

/// The same with one flag. loom 0.7.2 misses `true` (tokio-rs/loom#392).
#[test]
fn a_useless_read_hides_no_outcome_of_a_flag() {
    let (seen, runs) = outcomes(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let setter = thread::spawn({
            let flag = Arc::clone(&flag);
            move || {
                flag.load(SeqCst);
                flag.store(true, SeqCst);
            }
        });
        let seen = flag.load(SeqCst);
        setter.join().unwrap();
        seen
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
    assert_eq!(runs, 2);
}

#[test]
fn workers_together_run_every_trace_once() {
    for workers in [1, 2, 4] {
        for (strategy, expected) in [(Strategy::OptimalDpor, 2520), (Strategy::Every, 2520)] {
            let report = Check::new().workers(workers).strategy(strategy).run(|| one_lock(4, 2));
            assert!(report.is_exhausted(), "{report}");
            assert_eq!(report.runs(), expected, "{workers} workers, {strategy}");
        }
        let traces = |program: &(dyn Fn() + Send + Sync)| {
            let report = Check::new().workers(workers).run(program);
            assert!(report.is_exhausted(), "{workers} workers: {report}");
            report.runs()
        };
        assert_eq!(traces(&|| philosophers(4, 2)), 786, "{workers} workers");
        assert_eq!(traces(&|| indexer(13)), 64, "{workers} workers");
        assert_eq!(traces(&|| writers(5)), factorial(5), "{workers} workers");
    }
}

#[test]
fn workers_together_make_exactly_as_many_runs_as_they_may() {
    for workers in [1, 2, 4] {
        for strategy in [Strategy::OptimalDpor, Strategy::Every, Strategy::PreemptionBound, Strategy::Random]
        {
            for most in [1, 3, 37] {
                let check = Check::new().workers(workers).strategy(strategy).max_runs(most);
                assert_eq!(check.run(|| one_lock(4, 2)).runs(), most, "{workers} workers, {strategy}");
            }
        }
    }
}

/// Of the 3! orders of three writers, a third ends with each of them.
#[test]
fn a_finding_says_how_many_of_all_traces_end_like_it_if_the_search_went_on() {
    let out = std::env::temp_dir().join(format!("raddle-met-{}", std::process::id()));
    let last_writer = || {
        let last = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&last);
        in_threads(3, move |number| last.store(number, SeqCst));
        assert_ne!(seen.load(SeqCst), 2);
    };
    let check = Check::new().out(&out);
    let whole = check.clone().keep_going(true).run(last_writer);
    assert!(whole.findings()[0].text().contains("2 of 6 traces end this way"), "{whole}");
    let part = check.clone().keep_going(true).max_runs(5).run(last_writer);
    assert!(part.findings()[0].text().contains("so far in "), "{part}");
    // Who stops at the first finding does not know.
    let first = check.run(last_writer);
    assert!(!first.findings()[0].text().contains("this way"), "{first}");
    let _ = std::fs::remove_dir_all(out);
}
