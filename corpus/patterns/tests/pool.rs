//! The thread pool: its deadlock needs three workers, each in the middle of a task of the circle.

use raddle_explore::{Settings, StrategyName};
use raddle_patterns::{BROKEN, CORRECT, First, Pool, first_finding};

fn search(strategy: StrategyName, seed: u64, runs: u64, pool: Pool) -> First {
    first_finding(strategy, &Settings { seed, ..Settings::default() }, runs, &|| pool.day())
}

#[test]
fn hapset_finds_the_deadlock_of_three_workers_in_less_than_two_thousand_runs() {
    for seed in 1..=5 {
        let first = search(StrategyName::HapSet, seed, 2000, BROKEN);
        let (_, kind) = first.found.unwrap_or_else(|| panic!("missed with seed {seed}"));
        assert_eq!(kind, "deadlock");
    }
}

#[test]
fn auto_finds_it_too() {
    assert!(search(StrategyName::Auto, 1, 2000, BROKEN).found.is_some());
}

#[test]
fn two_workers_do_not_deadlock_and_three_that_sort_their_locks_do_not_either() {
    for pool in [Pool { workers: 2, ..BROKEN }, CORRECT] {
        let first = search(StrategyName::HapSet, 1, 300, pool);
        assert_eq!((first.found, first.verdict), (None, "sampled"), "{pool:?}");
    }
}

#[test]
fn a_complete_search_is_far_from_its_end_after_as_many_runs() {
    let first = search(StrategyName::OptimalDpor, 1, 2000, CORRECT);
    assert_eq!((first.runs, first.verdict), (2000, "stopped"));
}
