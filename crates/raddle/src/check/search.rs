//! Searching, on one OS thread or on several.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use raddle_detect::judge;
use raddle_explore::{
    Budget, Claims, Guarantee, Guidance, Limit, Moment, Reached, Replay, RunLimits, Search, Settings, Share,
    Stop, Strategy, StrategyName, Verdict, preemptions,
};
use raddle_report::{DRAWN_NODES, Met};
use raddle_runtime::{Names, Program};
use raddle_trace::{Run, Step};

use super::fresh::{is_spent, on_search_thread};
use super::report::{Report, say};
use super::runs::{Claim, Runs};
use super::{Check, DEFAULT_AUTO, DEFAULT_SAMPLES, coverage, findings, keep, model};

/// Levels of decisions that workers share out among themselves. Enough for hundreds of parts where there are many.
const SHARED_LEVELS: usize = 6;

/// A finding as the search met it.
pub(super) struct Found {
    pub finding: raddle_detect::Finding,
    pub steps: Vec<Step>,
    /// What the threads of the steps are called.
    pub names: Names,
    pub run: u64,
    pub length: usize,
    pub preemptions: usize,
    /// In how many runs.
    pub times: u64,
    /// What may be said about that, once the search has ended.
    pub met: Option<Met>,
}

impl Found {
    fn new(finding: raddle_detect::Finding, run: &Run, number: u64, names: Names) -> Found {
        Found {
            length: finding.length(run),
            finding,
            steps: Replay::steps_of(&run.events),
            names,
            run: number,
            preemptions: preemptions(&run.events),
            times: 1,
            met: None,
        }
    }
}

/// What the workers of one search share.
struct Common<'a> {
    check: &'a Check,
    guidance: &'a Guidance,
    start: Instant,
    claims: Claims,
    names: Names,
    stop: AtomicBool,
    runs: Runs,
}

/// Searches, and reports.
pub(super) fn search<F: Fn() + Send + Sync>(check: &Check, f: &F) -> Result<Report, String> {
    let mut check = check.clone();
    let guidance = coverage::guidance(&check)?;
    check.options.shared = check.workers > 1;
    let events = keep::begin(&check);
    loop {
        let common = Common {
            check: &check,
            guidance: &guidance,
            start: Instant::now(),
            claims: Claims::default(),
            names: Names::default(),
            stop: AtomicBool::new(false),
            runs: Runs::up_to(check.max_runs.or(samples(&check))),
        };
        let (reached, mut found) = search_once(&common, f);
        let seconds = common.start.elapsed().as_secs_f64();
        if let Some(hidden) = reached.needs_visible {
            check.options.show(hidden);
            continue;
        }
        if let Some(covered) = &reached.covered {
            coverage::keep(&check, &covered.sets)?;
        }
        // Workers may meet the same trace, and who stops at the first finding has met nothing else.
        if check.keep_going && check.workers == 1 {
            for found in &mut found {
                found.met = Some(Met::of(check.strategy, &reached, found.times, None));
            }
        }
        let mut verdict = verdict(&reached, found.len());
        let findings = findings::prepare(&check, f, found, &mut verdict);
        let report = Report::new(&check, verdict, reached, seconds, findings);
        keep::keep(&check, &report, events);
        return Ok(report);
    }
}

/// A strategy that only samples never ends by itself, and one that may go over to sampling has to know when.
fn samples(check: &Check) -> Option<u64> {
    let samples = match check.strategy {
        StrategyName::Auto => Some(DEFAULT_AUTO),
        strategy => strategy.only_samples().then_some(DEFAULT_SAMPLES),
    };
    samples.filter(|_| check.max_time.is_none())
}

fn settings(common: &Common<'_>, share: Option<Share>) -> Settings {
    let (seed, bound, guidance) = (common.check.seed, common.check.bound, common.guidance.clone());
    let match_values = common.check.match_values;
    // What is tried is looked at only in the report of the whole check; parts of a search do not see the whole.
    let watched = (common.check.report_to.is_some() || common.check.record) && share.is_none();
    Settings { seed, bound, share, guidance, match_values, watched }
}

fn verdict(reached: &Reached, findings: usize) -> Verdict {
    match reached.verdict(findings) {
        // Time was the limit that was asked for, so the samples that were taken are what was asked for.
        Verdict::Stopped(Limit::Time(_)) if reached.guarantee == Some(Guarantee::Sample) => {
            Verdict::Sampled(reached.runs)
        }
        verdict => verdict,
    }
}

fn search_once<F: Fn() + Send + Sync>(common: &Common<'_>, f: &F) -> (Reached, Vec<Found>) {
    if common.check.workers == 1 {
        return work(common, None, f);
    }
    let parts: Vec<(Reached, Vec<Found>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..common.check.workers as u64)
            .map(|worker| {
                let share = Share::new(common.claims.clone(), SHARED_LEVELS, worker);
                scope.spawn(move || work(common, Some(share), f))
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload)))
            .collect()
    });
    let mut all = (Reached { finished: true, ..Reached::default() }, Vec::new());
    for (reached, found) in parts {
        all.0.add(&reached);
        add_new(&mut all.1, found);
    }
    all
}

fn add_new(all: &mut Vec<Found>, more: Vec<Found>) {
    for found in more {
        match all.iter_mut().find(|known| known.finding.is_same(&found.finding)) {
            Some(known) => known.times += found.times,
            None => all.push(found),
        }
    }
}

/// One worker: as many OS threads, one after the other, as it takes.
fn work<F: Fn() + Send + Sync>(common: &Common<'_>, share: Option<Share>, f: &F) -> (Reached, Vec<Found>) {
    let alone = share.is_none();
    let mut strategy = common.check.strategy.make(&settings(common, share));
    let mut all = (Reached { finished: true, ..Reached::default() }, Vec::new());
    loop {
        let before = all.0.runs;
        let strategy = &mut *strategy;
        let (reached, found, goes_on) =
            on_search_thread(common.check.max_run_time, || work_here(common, strategy, alone, before, f));
        all.0.finished = true;
        all.0.add(&reached);
        all.0.estimate = reached.estimate;
        // The strategy lives on, and with it the model: the last word counts.
        (all.0.model, all.0.beyond) = (reached.model, reached.beyond);
        add_new(&mut all.1, found);
        if !goes_on {
            all.0.net = strategy.net(DRAWN_NODES).map(Box::new);
            if let Some(problem) = model::keep(common.check, strategy) {
                say(&problem);
            }
            return all;
        }
    }
}

/// Searches on this OS thread until there is nothing left to try, something says stop, or the thread is spent; then true.
fn work_here<F: Fn()>(
    common: &Common<'_>,
    strategy: &mut (dyn Strategy + Send),
    alone: bool,
    runs_before: u64,
    f: &F,
) -> (Reached, Vec<Found>, bool) {
    let check = common.check;
    let mut program = Program::new(f, check.options);
    program.share_names(common.names.clone());
    program.try_loops();
    let mut found: Vec<Found> = Vec::new();
    let elapsed = || common.start.elapsed();
    let mut search = Search {
        subject: &mut program,
        strategy,
        budget: Budget {
            max_runs: common.runs.max().filter(|_| alone).map(|max| max.saturating_sub(runs_before)),
            max_time: check.max_time,
        },
        limits: RunLimits { max_steps: check.max_steps },
        elapsed: &elapsed,
    };
    let (mut out_of_runs, mut spent) = (false, false);
    let mut claim: Option<Claim<'_>> = None;
    let mut reached = search.run_watched(&mut |moment, _| {
        let (run, number) = match moment {
            Moment::Run(run, number) => (run, number),
            Moment::Begins if !alone => {
                // A run that did not count leaves its claim to the next.
                claim = claim.take().or_else(|| common.runs.claim());
                out_of_runs = claim.is_none();
                return Stop::after(false, out_of_runs);
            }
            Moment::Begins | Moment::Thinking => return Stop::No,
        };
        let total = claim.take().map_or(runs_before + number, Claim::made);
        let finding = judge(run);
        let is_finding = finding.is_some();
        if let Some(finding) = finding {
            add_new(&mut found, vec![Found::new(finding, run, total, common.names.clone())]);
            if !check.keep_going {
                common.stop.store(true, Ordering::Relaxed);
            }
        }
        spent = is_spent();
        Stop::after(is_finding, spent || common.stop.load(Ordering::Relaxed))
    });
    if reached.doubt.is_some() || matches!(reached.limit, Some(Limit::Steps(_))) {
        // The run that ended the search counts, although we were not told of it.
        claim.map(Claim::made);
    }
    if out_of_runs && !reached.finished {
        reached.limit = reached.limit.or(common.runs.max().map(Limit::Runs));
    }
    let goes_on = spent && !out_of_runs && !common.stop.load(Ordering::Relaxed);
    (reached, found, goes_on)
}
