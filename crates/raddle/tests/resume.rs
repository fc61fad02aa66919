//! A search that was stopped goes on as if it had not been: in another program, with another strategy object.

#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

use std::time::Duration;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::{Strategy, thread};
use raddle_explore::{Budget, Moment, Reached, RunLimits, Search, Settings, Stop, digest};
use raddle_runtime::{Names, Program, StageOptions};
use raddle_trace::Run;

const RESUMABLE: [Strategy; 13] = [
    Strategy::Every,
    Strategy::PreemptionBound,
    Strategy::Dpor,
    Strategy::DporSleep,
    Strategy::DporCr,
    Strategy::DporCrSleep,
    Strategy::OptimalDpor,
    Strategy::Random,
    Strategy::Pct,
    Strategy::Pos,
    Strategy::Surw,
    Strategy::HapSet,
    Strategy::Auto,
];

/// One part of a search: everything in it is new but what was kept of the part before.
fn part(
    strategy: Strategy,
    before: Option<Reached>,
    max_runs: Option<u64>,
    f: fn(),
) -> Result<Reached, &'static str> {
    part_judged(strategy, before, Budget { max_runs, max_time: None }, f, &mut |_, _| Stop::No)
}

/// The same, with somebody who looks at every run and can say stop.
fn part_judged(
    strategy: Strategy,
    before: Option<Reached>,
    budget: Budget,
    f: fn(),
    look: &mut (dyn FnMut(&Run, u64) -> Stop + Send),
) -> Result<Reached, &'static str> {
    let search = || {
        let mut program = Program::new(f, StageOptions::default());
        program.share_names(Names::default());
        let mut strategy = strategy.make(&Settings::default());
        let mut search = Search {
            subject: &mut program,
            strategy: &mut *strategy,
            budget,
            limits: RunLimits::default(),
            elapsed: &|| Duration::ZERO,
        };
        let mut judge = |moment: Moment<'_>, _: &dyn raddle_explore::Strategy| match moment {
            Moment::Run(run, number) => look(run, number),
            Moment::Begins | Moment::Thinking => Stop::No,
        };
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
    for strategy in [Strategy::OptimalDpor, Strategy::DporCrSleep, Strategy::Auto] {
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
    let modelled = part(Strategy::Unfolding, None, Some(10), locks).unwrap();
    assert_eq!(modelled.saved, None);
}

/// What tells the runs of a search apart, one by one, when it is stopped after each of these numbers of runs.
fn stopped_at(strategy: Strategy, stops: &[u64], f: fn()) -> (Vec<u64>, Reached) {
    let mut seen = Vec::new();
    let mut before = None;
    for stop in stops {
        let mut look = |run: &Run, number: u64| {
            seen.push(digest(&run.events));
            Stop::after(false, number == *stop)
        };
        let reached = part_judged(strategy, before, Budget::default(), f, &mut look);
        let reached = reached.unwrap_or_else(|error| panic!("{strategy} before run {stop}: {error}"));
        if reached.finished {
            return (seen, reached);
        }
        assert!(reached.saved.is_some(), "{strategy} can go on after {stop} runs");
        before = Some(reached);
    }
    (seen, before.unwrap())
}

#[test]
fn whoever_draws_or_learns_goes_on_with_the_same_runs_wherever_it_was_stopped() {
    use Strategy::{Auto, HapSet, Pct, Pos, Random, Surw};
    for (strategy, f) in
        [Random, Pct, Pos, Surw, HapSet, Auto].into_iter().flat_map(|s| [(s, locks as fn()), (s, mixed)])
    {
        let (whole, reached) = stopped_at(strategy, &[700], f);
        // In the middle of learning, of a turn of each of the two of `auto`, of a round, and where they change.
        let stops = [1, 3, 5, 6, 8, 9, 12, 16, 17, 20, 31, 32, 33, 100, 257, 511, 512, 530, 700];
        let (in_parts, again) = stopped_at(strategy, &stops, f);
        assert_eq!(in_parts, whole, "{strategy}");
        assert_eq!(counts(&again), counts(&reached), "{strategy}");
        let learned = |reached: &Reached| reached.covered.as_ref().map(|covered| covered.sets.clone());
        assert_eq!(learned(&again), learned(&reached), "{strategy}");
    }
}
