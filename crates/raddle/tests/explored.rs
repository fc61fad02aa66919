//! What a search tried and what it left out, and why.

#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

use std::time::Duration;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Strategy, thread};
use raddle_explore::{Budget, Explored, Fate, Reached, RunLimits, Search, Settings, Stop};
use raddle_runtime::{Program, StageOptions};

fn search(strategy: Strategy, settings: &Settings, max_runs: u64, f: impl Fn() + Sync) -> Reached {
    let search = || {
        let mut program = Program::new(&f, StageOptions::default());
        let mut search = Search {
            subject: &mut program,
            strategy: &mut *strategy.make(settings),
            budget: Budget { max_runs: Some(max_runs), max_time: None },
            limits: RunLimits::default(),
            elapsed: &|| Duration::ZERO,
        };
        search.run(&mut |run, _| Stop::after(raddle_detect::judge(run).is_some(), false))
    };
    std::thread::scope(|scope| scope.spawn(search).join()).expect("the search itself does not panic")
}

fn watched(strategy: Strategy, max_runs: u64, f: impl Fn() + Sync) -> (Reached, Explored) {
    let settings = Settings { watched: true, bound: Some(0), ..Settings::default() };
    let reached = search(strategy, &settings, max_runs, f);
    let explored = reached.explored.clone().expect("a search that is watched tells what it tried");
    (reached, explored)
}

/// How many prefixes have this fate.
fn with(explored: &Explored, fate: Fate) -> usize {
    explored.prefixes.iter().filter(|prefix| prefix.fate == fate).count()
}

/// Two threads that add to one cell: two decisions matter, who comes first.
fn two_adders() {
    let sum = Arc::new(AtomicUsize::new(0));
    let adders = [1, 2].map(|number| {
        let sum = Arc::clone(&sum);
        thread::spawn(move || sum.fetch_add(number, SeqCst))
    });
    for adder in adders {
        adder.join().unwrap();
    }
}

/// Two threads that add to a cell each: no order matters.
fn strangers() {
    let adders = [1, 2].map(|number| thread::spawn(move || AtomicUsize::new(0).fetch_add(number, SeqCst)));
    for adder in adders {
        adder.join().unwrap();
    }
}

/// One thread stores; another looks elsewhere before it stores, too. Once the first has been tried first, it sleeps while the
/// other looks.
fn look_and_store() {
    let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let one = thread::spawn({
        let x = Arc::clone(&x);
        move || x.store(1, SeqCst)
    });
    let other = thread::spawn(move || {
        y.load(SeqCst);
        x.store(2, SeqCst);
    });
    one.join().unwrap();
    other.join().unwrap();
}

fn locks(threads: usize, times: usize) {
    let lock = Arc::new(Mutex::new(0));
    let workers: Vec<_> = (0..threads)
        .map(|_| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                for _ in 0..times {
                    *lock.lock().unwrap() += 1;
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
}

#[test]
fn both_orders_of_two_additions_are_tried_and_one_of_two_strangers() {
    let (reached, explored) = watched(Strategy::OptimalDpor, 100, two_adders);
    assert_eq!((reached.runs, explored.prefixes.len()), (2, 2));
    assert!(explored.prefixes.iter().all(|prefix| prefix.runs == 1 && prefix.fate == Fate::Explored));
    let (reached, explored) = watched(Strategy::OptimalDpor, 100, strangers);
    assert_eq!((reached.runs, explored.prefixes.len()), (1, 2));
    assert_eq!((with(&explored, Fate::Explored), with(&explored, Fate::Equivalent)), (1, 1));
}

#[test]
fn every_strategy_says_why_it_left_something_out() {
    let (_, explored) = watched(Strategy::PreemptionBound, 100, strangers);
    assert_eq!(with(&explored, Fate::BeyondBound) + with(&explored, Fate::Explored), explored.prefixes.len());
    let (_, explored) = watched(Strategy::Random, 1, strangers);
    assert_eq!((with(&explored, Fate::Explored), with(&explored, Fate::NotDrawn)), (1, 1));
    for strategy in [Strategy::DporCrSleep, Strategy::OptimalDpor] {
        let (reached, explored) = watched(strategy, 100, look_and_store);
        assert_eq!((reached.runs, with(&explored, Fate::Asleep)), (2, 1), "{explored:#?}");
    }
    let (_, explored) = watched(Strategy::Every, 1, two_adders);
    assert_eq!((with(&explored, Fate::Explored), with(&explored, Fate::Waiting)), (1, 1));
    let (_, explored) = watched(Strategy::OptimalDpor, 1, two_adders);
    assert_eq!((with(&explored, Fate::Explored), with(&explored, Fate::Waiting)), (1, 1));
}

#[test]
fn runs_add_up_level_by_level_and_a_large_tree_is_kept_small() {
    for strategy in [Strategy::OptimalDpor, Strategy::Every, Strategy::DporCrSleep] {
        let (reached, explored) = watched(strategy, 100_000, || locks(4, 2));
        assert_eq!(reached.runs, 2520);
        assert!(explored.prefixes.len() <= 2_000 && explored.left_out > 0, "{}", explored.prefixes.len());
        let first: u64 =
            explored.prefixes.iter().filter(|prefix| prefix.parent.is_none()).map(|p| p.runs).sum();
        assert_eq!(first, 2520);
        for (index, prefix) in explored.prefixes.iter().enumerate() {
            assert!(prefix.parent.is_none_or(|parent| parent < index));
            let below = explored.prefixes.iter().filter(|other| other.parent == Some(index));
            let below: Vec<u64> = below.map(|other| other.runs).collect();
            assert!(below.is_empty() || below.iter().sum::<u64>() == prefix.runs, "{prefix:?}: {below:?}");
        }
    }
}

#[test]
fn a_way_to_a_finding_is_marked_and_a_search_that_nobody_watches_keeps_nothing() {
    let lost = || {
        let sum = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let sum = Arc::clone(&sum);
            move || {
                let seen = sum.load(SeqCst);
                sum.store(seen + 1, SeqCst);
            }
        });
        let seen = sum.load(SeqCst);
        sum.store(seen + 1, SeqCst);
        other.join().unwrap();
        assert_eq!(sum.load(SeqCst), 2);
    };
    let (_, explored) = watched(Strategy::OptimalDpor, 1_000, lost);
    assert!(with(&explored, Fate::Found) > 0 && with(&explored, Fate::Explored) > 0, "{explored:#?}");
    assert!(search(Strategy::OptimalDpor, &Settings::default(), 1_000, lost).explored.is_none());
}

/// The steps of a prefix, as the run that is kept for it makes them: who goes at each of its decisions.
fn begins_with(explored: &Explored, mut prefix: usize, run: &raddle_trace::Run) -> bool {
    loop {
        let decision = &explored.prefixes[prefix];
        let event = run.events.get(decision.event);
        if event.is_some_and(|event| event.thread != decision.thread || event.place != decision.place) {
            return false;
        }
        match decision.parent {
            Some(parent) => prefix = parent,
            None => return true,
        }
    }
}

#[test]
fn every_prefix_that_was_followed_has_a_run_that_begins_with_it() {
    let strategies = [Strategy::OptimalDpor, Strategy::Every, Strategy::DporCrSleep, Strategy::Random];
    for (strategy, program) in strategies.into_iter().flat_map(|strategy| {
        [(strategy, two_adders as fn()), (strategy, look_and_store), (strategy, || locks(3, 2))]
    }) {
        let (reached, explored) = watched(strategy, 200, program);
        for (number, prefix) in explored.prefixes.iter().enumerate() {
            assert!(prefix.kept.is_some() || prefix.runs == 0, "{strategy:?}: {prefix:?}");
            let Some(kept) = prefix.kept.map(|kept| &explored.kept[kept]) else { continue };
            assert!(begins_with(&explored, number, &kept.run), "{strategy:?}: {prefix:?} {kept:?}");
            assert!(!kept.run.objects.is_empty(), "what is shown has names");
            assert_eq!(kept.number.is_some(), prefix.runs > 0, "a complete run tells more");
            assert!(kept.number.is_none_or(|number| number <= reached.runs));
        }
        let is_used = |run: usize| explored.prefixes.iter().any(|prefix| prefix.kept == Some(run));
        assert!((0..explored.kept.len()).all(is_used), "{strategy:?}");
    }
}

#[test]
fn runs_that_are_kept_to_be_shown_stay_few_and_short() {
    let (_, explored) = watched(Strategy::Random, 400, || locks(3, 600));
    let events: usize = explored.kept.iter().map(|kept| kept.run.events.len()).sum();
    assert!(events <= 30_000 && explored.kept.iter().all(|kept| kept.run.events.len() == 1_000));
    assert!(explored.kept.iter().all(|kept| kept.left_out > 0), "the runs are longer");
    assert!(
        explored.prefixes.iter().any(|prefix| prefix.runs > 0 && prefix.kept.is_none()),
        "there is no room"
    );
}

#[test]
fn where_a_finding_was_made_its_run_is_shown() {
    let (_, explored) = watched(Strategy::OptimalDpor, 1_000, || {
        let (first, sum) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let other = thread::spawn({
            let (first, sum) = (Arc::clone(&first), Arc::clone(&sum));
            move || {
                first.store(1, SeqCst);
                sum.store(2, SeqCst);
            }
        });
        first.load(SeqCst);
        assert!(sum.load(SeqCst) == 0);
        other.join().unwrap();
    });
    let found = || explored.prefixes.iter().filter(|prefix| prefix.fate == Fate::Found);
    assert!(found().count() > 0);
    assert!(found().all(|prefix| prefix.kept.is_some_and(|kept| explored.kept[kept].found)));
}
