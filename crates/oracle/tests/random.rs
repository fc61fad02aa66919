//! The generator draws what it should, and the relation holds on what it draws.

use std::collections::BTreeMap;

use raddle_oracle::{
    Difference, Distribution, Ending, Feature, Foresight, Shape, Topic, brute_force, check_commutes,
    check_commutes_with, for_each_run, generate, parse, shrink,
};

use raddle_trace::{Kind, TraceKey};

const LIMIT: u64 = 20_000;

fn shapes() -> Vec<Shape> {
    let everything = |threads, statements| Shape::about(threads, statements, &Topic::ALL);
    vec![everything(2, 3), everything(2, 4), everything(3, 3)]
}

#[test]
fn text_is_read_back() {
    for seed in 0..3_000 {
        let program = generate(seed, &shapes()[seed as usize % 3]);
        let text = program.to_string();
        assert_eq!(parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")), program, "\n{text}");
    }
}

#[test]
fn errors_name_the_line() {
    for (text, line) in [
        ("cell a 0\nthread 0\n  load b r0", 3),
        ("cell a 0\nthread 0\n\n  load a r4", 4),
        ("thread 0\n  if r0 1 {\n  park", 2),
        ("thread 1", 1),
        ("thread 0\n }", 2),
        ("cell a", 1),
        ("thread 0\n park 1", 2),
    ] {
        assert_eq!(parse(text).unwrap_err().line, line, "{text}");
    }
}

#[test]
fn every_feature_is_drawn() {
    let mut distribution = Distribution::default();
    let mut sizes = [0u64; 3];
    for seed in 0..1_500 {
        let program = generate(seed, &shapes()[seed as usize % 3]);
        let Ok(outcomes) = brute_force(&program, LIMIT) else {
            sizes[2] += 1;
            continue;
        };
        sizes[usize::from(outcomes.interleavings >= 10)] += 1;
        distribution.add(&program, &outcomes.endings());
    }
    println!("{distribution}\nfewer than 10, fitting, too large: {sizes:?}");
    assert_eq!(distribution.never_drawn(), []);
    for ending in [Ending::Finished, Ending::Deadlock, Ending::Panic] {
        assert!(distribution.count_ending(ending) > 50, "{ending:?}");
    }
    assert!(distribution.distinct() * 100 >= distribution.programs() * 99);
    assert!(sizes[1] * 10 >= sizes.iter().sum::<u64>() * 6, "{sizes:?}");
}

#[test]
fn independent_steps_commute() {
    let mut pairs = 0;
    for seed in 0..1_000 {
        let program = generate(seed, &shapes()[seed as usize % 3]);
        let tested = check_commutes(&program, 500).unwrap_or_else(|error| panic!("{error}\n{program}"));
        pairs += tested.pairs;
    }
    assert!(pairs > 10_000, "{pairs}");
}

/// Two arrivals that would not be the last ones may become it: the one exception to what a search can foresee.
#[test]
fn only_arrivals_end_differently_after_an_independent_step() {
    for seed in 0..1_000 {
        let program = generate(seed, &shapes()[seed as usize % 3]);
        if let Err(error) = check_commutes_with(&program, 500, Foresight::Pending) {
            assert_eq!(error.difference, Difference::Outcome, "{error}\n{program}");
            assert_eq!(error.first.1.kind, Kind::Arrive, "{error}\n{program}");
        }
    }
}

/// Two runs of one trace leave the same behind: the key tells apart all that matters.
#[test]
fn runs_of_one_trace_end_alike() {
    for seed in 0..400 {
        let program = generate(seed, &shapes()[seed as usize % 3]);
        let mut ends = BTreeMap::new();
        // If there are too many runs, the first ones do.
        let _ = for_each_run(&program, 5_000, &mut |run| {
            let key = TraceKey::of(run.events);
            let end = ends.entry(key).or_insert_with(|| run.end.clone());
            assert_eq!(*end, run.end, "{program}");
            let preemptions = run.events.iter().filter(|event| event.preempts).count();
            assert_eq!(preemptions, run.preemptions);
        });
    }
}

#[test]
fn more_preemptions_give_more_traces() {
    for seed in 0..400 {
        let program = generate(seed, &shapes()[seed as usize % 3]);
        if let Ok(outcomes) = brute_force(&program, 5_000) {
            assert!(outcomes.within.windows(2).all(|pair| pair[0].is_subset(&pair[1])), "{program}");
            assert!(outcomes.within[3].is_subset(&outcomes.traces) && !outcomes.within[0].is_empty());
        }
    }
}

#[test]
fn shrinking_keeps_only_what_matters() {
    let deadlocks = |program: &raddle_oracle::Program| {
        brute_force(program, LIMIT).is_ok_and(|outcomes| outcomes.endings().contains(&Ending::Deadlock))
    };
    let shape = Shape::about(3, 4, &[Topic::Mutex, Topic::Memory]);
    let crossed = |program: &raddle_oracle::Program| !Feature::of(program).contains(&Feature::KeptLock);
    let mut fails = |program: &raddle_oracle::Program| crossed(program) && deadlocks(program);
    let mut shrunk = 0;
    for program in (0..2_000).map(|seed| generate(seed, &shape)) {
        if fails(&program) {
            let small = shrink(&program, &mut fails);
            assert!(
                small.check().is_ok() && fails(&small) && small.len() <= 12,
                "{program}\nbecame\n{small}"
            );
            shrunk += 1;
        }
        if shrunk == 10 {
            return;
        }
    }
    panic!("only {shrunk} programs deadlock");
}
