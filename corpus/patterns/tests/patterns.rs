//! Every pattern is found by the guided strategies, whatever the number of threads; the seeds are fixed.

use raddle_explore::{Settings, StrategyName};
use raddle_patterns::{CHAIN, PATTERNS, Pattern, first_finding};

/// The run of the first finding of the pattern's kind.
fn first(pattern: &Pattern, threads: usize, strategy: StrategyName, seed: u64, runs: u64) -> Option<u64> {
    let settings = Settings { seed, ..Settings::default() };
    let first = first_finding(strategy, &settings, runs, &|| (pattern.run)(threads));
    let (run, kind) = first.found?;
    assert_eq!(kind, pattern.finding, "{} with {threads} threads, {strategy}", pattern.name);
    Some(run)
}

/// The median over twenty-one seeds; all of them have to find it.
fn median(pattern: &Pattern, threads: usize, strategy: StrategyName) -> u64 {
    let mut firsts: Vec<u64> = (1..=21)
        .map(|seed| {
            first(pattern, threads, strategy, seed, 10_000)
                .unwrap_or_else(|| panic!("{strategy} missed {} with {threads} threads", pattern.name))
        })
        .collect();
    firsts.sort_unstable();
    firsts[10]
}

#[test]
fn there_are_at_least_twenty_five_patterns_with_names_of_their_own() {
    let names: std::collections::BTreeSet<&str> = PATTERNS.iter().map(|pattern| pattern.name).collect();
    assert_eq!(names.len(), PATTERNS.len());
    assert!(names.len() >= 25);
}

/// At most linear: with ten threads, and with any number on the way there, at most five times the runs that two need.
#[test]
fn hapset_and_auto_find_every_pattern_in_runs_that_grow_with_the_threads_at_most() {
    for pattern in PATTERNS {
        for strategy in [StrategyName::HapSet, StrategyName::Auto] {
            let with_two = median(pattern, 2, strategy);
            for threads in [4, 6, 8, 10] {
                let runs = median(pattern, threads, strategy);
                assert!(
                    runs <= 5 * with_two && runs <= 60,
                    "{strategy} needs {runs} runs for {} with {threads} threads, {with_two} with two",
                    pattern.name
                );
            }
        }
    }
}

#[test]
fn twenty_threads_need_no_more_than_ten_times_the_runs_of_two() {
    for pattern in PATTERNS {
        for strategy in [StrategyName::HapSet, StrategyName::Auto] {
            let (few, many) = (median(pattern, 2, strategy), median(pattern, 20, strategy));
            assert!(many <= 10 * few, "{strategy} on {}: {few}, {many}", pattern.name);
        }
    }
}

#[test]
fn a_chain_of_two_stage_locks_with_a_hundred_threads_is_found() {
    for strategy in [StrategyName::HapSet, StrategyName::Auto] {
        assert!(first(&CHAIN, 100, strategy, 1, 500).is_some(), "{strategy}");
    }
}

/// What the guided strategies are for: others miss these in ten times as many runs.
#[test]
fn a_random_walk_and_a_complete_search_miss_what_guidance_finds() {
    let named =
        |name: &str| *PATTERNS.iter().find(|pattern| pattern.name == name).expect("a pattern of that name");
    let rare = named("between_adjacent_steps");
    assert_eq!(first(&rare, 10, StrategyName::Random, 1, 2000), None);
    assert!(median(&rare, 10, StrategyName::HapSet) <= 200);
    let many = named("two_variables");
    assert_eq!(first(&many, 10, StrategyName::OptimalDpor, 1, 2000), None);
    assert_eq!(first(&many, 10, StrategyName::PreemptionBound, 1, 2000), None);
    assert!(median(&many, 10, StrategyName::HapSet) <= 200);
}
