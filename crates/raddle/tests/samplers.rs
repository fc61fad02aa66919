//! What strategies that sample draw, and how often. The seeds are fixed, so the numbers are always the same; the bounds are
//! four standard deviations around what is promised.

#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

use std::collections::BTreeMap;
use std::sync::Mutex as StdMutex;

use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::{Check, Strategy, thread};

const RUNS: u64 = 4000;

/// How often each outcome came in all runs of a strategy.
fn outcomes<T: Ord + Send>(strategy: Strategy, program: impl Fn() -> T + Send + Sync) -> BTreeMap<T, u64> {
    let counts = StdMutex::new(BTreeMap::new());
    let report = Check::new().strategy(strategy).seed(7).max_runs(RUNS).run(|| {
        let outcome = program();
        *counts.lock().expect("no run panics").entry(outcome).or_insert(0) += 1;
    });
    assert_eq!(report.verdict(), "sampled");
    assert_eq!(report.runs(), RUNS);
    counts.into_inner().expect("no run panics")
}

/// Whether a count is what `part` of all runs would be. Runs that are made again as a test of determinism count too: there
/// are at most twelve.
fn is_about(count: u64, part: f64) -> bool {
    let (runs, count) = (RUNS as f64, count as f64);
    let deviation = (runs * part * (1.0 - part)).sqrt();
    (count - runs * part).abs() <= 4.0 * deviation + 12.0
}

/// One thread adds once, the other three times: after how many of the three did the one come?
fn one_among_three() -> usize {
    let counter = Arc::new(AtomicUsize::new(0));
    let one = thread::spawn({
        let counter = Arc::clone(&counter);
        move || counter.fetch_add(100, SeqCst)
    });
    let three = thread::spawn({
        let counter = Arc::clone(&counter);
        move || (0..3).for_each(|_| _ = counter.fetch_add(1, SeqCst))
    });
    three.join().unwrap();
    one.join().unwrap()
}

#[track_caller]
fn comes_with(counts: &BTreeMap<usize, u64>, parts: [f64; 4]) {
    for (position, part) in parts.into_iter().enumerate() {
        let count = counts.get(&position).copied().unwrap_or(0);
        assert!(is_about(count, part), "place {position}: {count} of {RUNS}, expected {part}: {counts:?}");
    }
}

#[test]
fn random_halves_the_chance_with_every_step() {
    comes_with(&outcomes(Strategy::Random, one_among_three), [0.5, 0.25, 0.125, 0.125]);
}

#[test]
fn surw_makes_all_orders_equally_likely() {
    comes_with(&outcomes(Strategy::Surw, one_among_three), [0.25; 4]);
}

/// Where everything races, everything is drawn again after every step.
#[test]
fn pos_draws_again_what_races() {
    comes_with(&outcomes(Strategy::Pos, one_among_three), [0.5, 0.25, 0.125, 0.125]);
}

/// The writer has eight steps of its own before it writes what the reader reads.
fn written_after_eight_other_steps() -> bool {
    let shared = Arc::new(AtomicUsize::new(0));
    let own = Arc::new(AtomicUsize::new(0));
    let reader = thread::spawn({
        let shared = Arc::clone(&shared);
        move || shared.load(SeqCst) == 1
    });
    let writer = thread::spawn({
        let own = Arc::clone(&own);
        move || {
            (0..8).for_each(|_| _ = own.fetch_add(1, SeqCst));
            shared.store(1, SeqCst);
        }
    });
    writer.join().unwrap();
    reader.join().unwrap()
}

/// The reader keeps its priority, which has to be the lowest of ten; drawing threads, it has to lose nine times in a row.
#[test]
fn pos_keeps_the_priority_of_what_does_not_race() {
    let counts = outcomes(Strategy::Pos, written_after_eight_other_steps);
    assert!(is_about(counts[&true], 0.1), "{counts:?}");
    let counts = outcomes(Strategy::Random, written_after_eight_other_steps);
    assert!(is_about(counts.get(&true).copied().unwrap_or(0), 1.0 / 512.0), "{counts:?}");
}

/// In one run out of two only the shared cell counts, where both orders are even; in the others everything does, and the
/// read has to be the last of ten.
#[test]
fn surw_selects_what_is_shared() {
    let counts = outcomes(Strategy::Surw, written_after_eight_other_steps);
    assert!(is_about(counts[&true], 0.3), "{counts:?}");
}

#[test]
fn the_same_seed_makes_the_same_sample() {
    for strategy in [Strategy::Pos, Strategy::Surw] {
        assert_eq!(outcomes(strategy, one_among_three), outcomes(strategy, one_among_three), "{strategy}");
    }
}
