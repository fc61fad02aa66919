//! A search that was stopped goes on as if it had not been: in another program, with another strategy object.

#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

use std::time::Duration;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::{Strategy, thread};
use raddle_explore::{Budget, Reached, RunLimits, Search, Settings, Stop};
use raddle_runtime::{Names, Program, StageOptions};

const RESUMABLE: [Strategy; 7] = [
    Strategy::Every,
    Strategy::PreemptionBound,
    Strategy::Dpor,
    Strategy::DporSleep,
    Strategy::DporCr,
    Strategy::DporCrSleep,
    Strategy::OptimalDpor,
];

/// One part of a search: everything in it is new but what was kept of the part before.
fn part(
    strategy: Strategy,
    before: Option<Reached>,
    max_runs: Option<u64>,
    f: fn(),
) -> Result<Reached, &'static str> {
    let search = || {
        let mut program = Program::new(f, StageOptions::default());
        program.share_names(Names::default());
        let mut strategy = strategy.make(&Settings::default());
        let mut search = Search {
            subject: &mut program,
            strategy: &mut *strategy,
            budget: Budget { max_runs, max_time: None },
            limits: RunLimits::default(),
            elapsed: &|| Duration::ZERO,
        };
        let mut judge = |_: &_, _, _: &dyn raddle_explore::Strategy| Stop::No;
        match before {
            Some(before) => search.resume(before, &mut judge),
            None => Ok(search.run_watched(&mut judge)),
        }
    };
    std::thread::scope(|scope| scope.spawn(search).join()).expect("the search itself does not panic")
}

fn locks() {
    let lock = Arc::new(Mutex::new(0));
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                for _ in 0..2 {
                    *lock.lock().unwrap() += 1;
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
}

/// Choices, a condition variable, cells that are met in another order in other runs.
fn mixed() {
    let shared = Arc::new((Mutex::new(0), Condvar::new(), AtomicUsize::new(0)));
    let waiter = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            let own = AtomicUsize::new(raddle::choose(2) as usize);
            let mut ready = shared.0.lock().unwrap();
            while *ready == 0 {
                ready = shared.1.wait(ready).unwrap();
            }
            shared.2.fetch_add(own.load(SeqCst), SeqCst);
        }
    });
    let setters = [1, 2].map(|number| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            shared.2.store(number, SeqCst);
            *shared.0.lock().unwrap() += number;
            shared.1.notify_all();
        })
    });
    for setter in setters {
        setter.join().unwrap();
    }
    waiter.join().unwrap();
}

fn counts(reached: &Reached) -> (u64, u64, u64, usize, usize) {
    (reached.runs, reached.blocked, reached.steps, reached.longest, reached.threads)
}

/// Stops after every so many runs until there is nothing left.
fn in_parts(strategy: Strategy, runs: u64, f: fn()) -> (Reached, u32) {
    let mut reached = part(strategy, None, Some(runs), f).unwrap();
    let mut parts = 1;
    while !reached.finished {
        assert!(reached.saved.is_some(), "{strategy} can go on");
        reached = part(strategy, Some(reached), Some(runs), f).unwrap();
        parts += 1;
    }
    (reached, parts)
}

#[test]
fn a_search_in_two_parts_makes_the_runs_of_one() {
    for strategy in [Strategy::OptimalDpor, Strategy::DporCrSleep] {
        let stopped = part(strategy, None, Some(1_000), locks).unwrap();
        assert_eq!((stopped.runs, stopped.finished), (1_000, false));
        let whole = part(strategy, Some(stopped), None, locks).unwrap();
        assert_eq!((whole.runs, whole.finished), (2_520, true));
        assert_eq!(counts(&whole), counts(&part(strategy, None, None, locks).unwrap()));
    }
}

#[test]
fn a_search_in_many_parts_makes_the_runs_of_one() {
    for strategy in RESUMABLE {
        let whole = part(strategy, None, Some(20_000), mixed).unwrap();
        let every = (whole.runs / 9).max(1);
        if !whole.finished {
            let stopped = part(strategy, None, Some(9_000), mixed).unwrap();
            let on = part(strategy, Some(stopped), Some(11_000), mixed).unwrap();
            assert_eq!(counts(&on), counts(&whole), "{strategy}");
            continue;
        }
        let (reached, parts) = in_parts(strategy, every, mixed);
        assert_eq!(counts(&reached), counts(&whole), "{strategy} in {parts} parts");
        assert!(parts > 5, "{strategy}: {parts} parts of {every} runs");
    }
}

#[test]
fn another_program_and_another_strategy_are_refused() {
    let stopped = part(Strategy::OptimalDpor, None, Some(10), locks).unwrap();
    assert!(part(Strategy::OptimalDpor, Some(stopped.clone()), None, mixed).is_err());
    assert!(part(Strategy::Every, Some(stopped), None, locks).is_err());
    let sampled = part(Strategy::Random, None, Some(10), locks).unwrap();
    assert_eq!(sampled.saved, None);
}
