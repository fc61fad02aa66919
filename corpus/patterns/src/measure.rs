//! Searching a program until something is found.

use std::time::{Duration, Instant};

use raddle_coverage::{HapSets, Learner};
use raddle_detect::judge;
use raddle_explore::{Budget, RunLimits, Search, Settings, Stop, StrategyName};
use raddle_runtime::{Program, StageOptions};

/// What came first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct First {
    /// The run of the first finding and its kind, if there was one.
    pub found: Option<(u64, &'static str)>,
    /// The runs that were made.
    pub runs: u64,
    /// The verdict.
    pub verdict: &'static str,
}

/// Searches with a strategy until something is found or so many runs have been made.
pub fn first_finding(
    strategy: StrategyName,
    settings: &Settings,
    max_runs: u64,
    program: &(dyn Fn() + Sync),
) -> First {
    // A run that failed may leave its OS thread panicking, which the next search must not inherit.
    std::thread::scope(|scope| {
        let search = scope.spawn(|| search(strategy, settings, max_runs, program));
        search.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload))
    })
}

fn search(strategy: StrategyName, settings: &Settings, max_runs: u64, program: &(dyn Fn() + Sync)) -> First {
    let mut subject = Program::new(program, StageOptions::default());
    let mut strategy = strategy.make(settings);
    let mut found = None;
    let mut search = Search {
        subject: &mut subject,
        strategy: &mut *strategy,
        budget: Budget { max_runs: Some(max_runs), max_time: None },
        limits: RunLimits::default(),
        elapsed: &|| Duration::ZERO,
    };
    let reached = search.run(&mut |run, number| {
        let finding = judge(run);
        found = finding.map(|finding| (number, finding.kind.word()));
        Stop::after(found.is_some(), found.is_some())
    });
    let verdict = reached.verdict(usize::from(found.is_some())).word();
    First { found, runs: reached.runs, verdict }
}

/// How far a search came in a given time.
#[derive(Clone, PartialEq, Debug)]
pub struct Reach {
    /// The run of the first finding, if there was one.
    pub found: Option<u64>,
    /// The runs that were made.
    pub runs: u64,
    /// The part of everything that they are, if the strategy can tell.
    pub done: Option<f64>,
    /// Whether it came to its end.
    pub finished: bool,
}

/// Searches for so long, whatever is found.
pub fn reach(strategy: StrategyName, time: Duration, program: &(dyn Fn() + Sync)) -> Reach {
    let mut subject = Program::new(program, StageOptions::default());
    let (start, mut found) = (Instant::now(), None);
    let mut search = Search {
        subject: &mut subject,
        strategy: &mut *strategy.make(&Settings::default()),
        budget: Budget { max_runs: None, max_time: Some(time) },
        limits: RunLimits::default(),
        elapsed: &|| start.elapsed(),
    };
    let reached = search.run(&mut |run, number| {
        let failed = judge(run).is_some();
        found = found.or(failed.then_some(number));
        Stop::after(failed, false)
    });
    let done = reached.estimate.map(|estimate| estimate.done);
    Reach { found, runs: reached.runs, done, finished: reached.finished }
}

/// Whether a search learns from its runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Learning {
    /// From every run.
    Yes,
    /// Never.
    No,
}

/// Makes so many random runs, the same ones with and without learning.
pub fn make_runs(runs: u64, learning: Learning, program: &(dyn Fn() + Sync)) {
    let mut subject = Program::new(program, StageOptions::default());
    let (mut learner, mut sets) = (Learner::default(), HapSets::new(0));
    let mut search = Search {
        subject: &mut subject,
        strategy: &mut *StrategyName::Random.make(&Settings::default()),
        budget: Budget { max_runs: Some(runs), max_time: None },
        limits: RunLimits::default(),
        elapsed: &|| Duration::ZERO,
    };
    search.run(&mut |run, _| {
        if learning == Learning::Yes {
            learner.learn(&mut sets, &run.events);
        }
        Stop::No
    });
}

/// The part of the time per run that learning from every run adds, on a program: the least of several measurements, which
/// alternate with the same runs without learning, so that a change of the machine's load falls on both.
pub fn learning_overhead(runs: u64, program: &(dyn Fn() + Sync)) -> f64 {
    let once = |learning: Learning| {
        let start = Instant::now();
        make_runs(runs, learning, program);
        start.elapsed().as_secs_f64()
    };
    let (mut plain, mut learning) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..7 {
        plain = plain.min(once(Learning::No));
        learning = learning.min(once(Learning::Yes));
    }
    learning / plain - 1.0
}
