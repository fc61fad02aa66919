//! Compares a strategy with brute force on one small program.

use std::collections::BTreeSet;
use std::time::Duration;

use raddle_explore::{Budget, Reached, RunLimits, Search, Settings, Stop, StrategyName};
use raddle_oracle::{EndState, Ending, Outcomes, Program};
use raddle_trace::{Event, TraceKey};

use crate::stand::Stand;

/// What a strategy saw of a program.
pub struct Seen {
    pub traces: BTreeSet<TraceKey>,
    pub ends: BTreeSet<EndState>,
    pub reached: Reached,
}

/// Runs a strategy on a program to its end.
pub fn explore(program: &Program, strategy: StrategyName, bound: Option<u32>, max_runs: u64) -> Seen {
    let mut stand = Stand::new(program);
    let mut strategy = strategy.make(&Settings { bound, ..Settings::default() });
    let mut seen: Vec<(Vec<Event>, raddle_trace::Ending)> = Vec::new();
    let (mut traces, mut ends) = (BTreeSet::new(), BTreeSet::new());
    // The end state is read off the stand between two runs, so the search is driven here, run by run.
    let mut reached = Reached::default();
    let mut again = true;
    while again && strategy.begin() {
        let run = raddle_explore::Subject::run(&mut stand, as_chooser(&mut *strategy), &RunLimits::default());
        strategy.learn(run);
        if run.ending == raddle_trace::Ending::Blocked {
            reached.blocked += 1;
            continue;
        }
        reached.runs += 1;
        seen.push((run.events.clone(), run.ending));
        let (events, ending) = seen.pop().expect("it was just pushed");
        traces.insert(TraceKey::of(&events));
        ends.insert(stand.end_state(ending));
        again = reached.runs < max_runs;
    }
    reached.finished = again;
    Seen { traces, ends, reached }
}

fn as_chooser(strategy: &mut (dyn raddle_explore::Strategy + Send)) -> &mut dyn raddle_explore::Chooser {
    strategy
}

/// How a strategy differs from what it promises on a program.
pub fn difference(program: &Program, strategy: StrategyName, truth: &Outcomes) -> Option<String> {
    // A strategy that visits traces more than once may still not go on for ever.
    let seen = explore(program, strategy, None, 64 * truth.interleavings + 1000);
    if !seen.reached.finished {
        return Some(format!("did not finish within {} runs", seen.reached.runs));
    }
    if truth.endings().contains(&Ending::Panic) {
        // A panic ends a run wherever the other threads are; only that it is found is promised.
        let found = seen.ends.iter().any(|end| end.ending == Ending::Panic);
        return (!found).then(|| "missed a panic".to_owned());
    }
    let missing = truth.traces.difference(&seen.traces).count();
    let invented = seen.traces.difference(&truth.traces).count();
    if missing + invented > 0 {
        return Some(format!("{missing} of {} traces missing, {invented} invented", truth.traces.len()));
    }
    if seen.ends != truth.ends {
        let missing = truth.ends.difference(&seen.ends).count();
        let invented = seen.ends.difference(&truth.ends).count();
        return Some(format!("{missing} of {} end states missing, {invented} invented", truth.ends.len()));
    }
    wasted(strategy, &seen, truth)
}

/// What a strategy that promises not to repeat itself repeated.
fn wasted(strategy: StrategyName, seen: &Seen, truth: &Outcomes) -> Option<String> {
    let redundant = seen.reached.runs - seen.traces.len() as u64;
    match strategy {
        StrategyName::OptimalDpor if redundant + seen.reached.blocked > 0 => {
            Some(format!("{redundant} redundant and {} blocked runs", seen.reached.blocked))
        }
        StrategyName::Every if seen.reached.runs != truth.interleavings => {
            Some(format!("{} runs for {} interleavings", seen.reached.runs, truth.interleavings))
        }
        _ => None,
    }
}

/// How `preemption-bound` differs from the traces that have a schedule with so few pre-emptions.
pub fn bound_difference(program: &Program, bound: u32, truth: &Outcomes) -> Option<String> {
    let seen = explore(program, StrategyName::PreemptionBound, Some(bound), truth.interleavings + 1);
    let expected = &truth.within[bound as usize];
    (seen.traces != *expected).then(|| {
        let missing = expected.difference(&seen.traces).count();
        let beyond = seen.traces.difference(expected).count();
        format!("bound {bound}: {missing} of {} traces missing, {beyond} beyond the bound", expected.len())
    })
}

/// Whether the search loop itself calls the program deterministic, as every small program is.
pub fn is_under_control(program: &Program, strategy: StrategyName) -> bool {
    let mut stand = Stand::new(program);
    let mut strategy = strategy.make(&Settings::default());
    let mut search = Search {
        subject: &mut stand,
        strategy: &mut *strategy,
        budget: Budget { max_runs: Some(200), max_time: None },
        limits: RunLimits::default(),
        elapsed: &|| Duration::ZERO,
    };
    search.run(&mut |_, _| Stop::No).doubt.is_none()
}

pub fn show(program: &Program, strategy: StrategyName) {
    let mut stand = Stand::new(program);
    let mut strategy = strategy.make(&Settings::default());
    while strategy.begin() {
        let run = raddle_explore::Subject::run(&mut stand, as_chooser(&mut *strategy), &RunLimits::default());
        let text: Vec<String> = run
            .events
            .iter()
            .filter(|e| e.decided || e.alternatives > 1)
            .map(|e| {
                format!(
                    "{}{}{:?}{}{}{}",
                    e.thread,
                    if e.decided { ":" } else { "!" },
                    e.operation.kind,
                    e.operation.object,
                    if e.outcome == raddle_trace::Outcome::Done {
                        String::new()
                    } else {
                        format!("-{:?}", e.outcome)
                    },
                    if e.alternatives > 1 { format!("={}", e.alternative) } else { String::new() }
                )
            })
            .collect();
        println!(
            "{:?} {:016x} {} [replayed {}]",
            run.ending,
            TraceKey::of(&run.events).0,
            text.join(" "),
            strategy.replayed()
        );
        strategy.learn(run);
    }
}
