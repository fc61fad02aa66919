//! Compares a strategy with brute force on one small program.

use std::collections::BTreeSet;
use std::panic::catch_unwind;

use raddle_explore::{Claims, Guarantee, RunLimits, Settings, Share, StrategyName, Subject};
use raddle_oracle::{EndState, Ending, Outcomes, Program, Stmt};
use raddle_runtime::Names;
use raddle_trace::TraceKey;

use crate::fault;
use crate::stand::{Meets, Stand};

/// The strategies that promise to cover everything.
pub const COMPLETE: [StrategyName; 7] = [
    StrategyName::Every,
    StrategyName::Dpor,
    StrategyName::DporSleep,
    StrategyName::DporCr,
    StrategyName::DporCrSleep,
    StrategyName::OptimalDpor,
    StrategyName::Auto,
];

/// The strategies that only sample.
pub const SAMPLING: [StrategyName; 5] =
    [StrategyName::Random, StrategyName::Pct, StrategyName::Pos, StrategyName::Surw, StrategyName::HapSet];

/// Runs of a strategy that only samples.
const SAMPLES: u64 = 40;

/// What a strategy saw of a program.
struct Seen {
    traces: BTreeSet<TraceKey>,
    ends: BTreeSet<EndState>,
    runs: u64,
    blocked: u64,
    finished: bool,
    guarantee: Guarantee,
}

/// Runs a strategy on a program to its end, or until it has made too many runs.
fn explore(mut stand: Stand, strategy: StrategyName, bound: Option<u32>, max_runs: u64) -> Seen {
    let mut strategy = strategy.make(&Settings { bound, ..Settings::default() });
    let mut seen = Seen {
        traces: BTreeSet::new(),
        ends: BTreeSet::new(),
        runs: 0,
        blocked: 0,
        finished: false,
        guarantee: Guarantee::Sample,
    };
    while seen.runs + seen.blocked < max_runs {
        if !strategy.begin() {
            seen.finished = true;
            break;
        }
        let run = stand.run(&mut *strategy, &RunLimits::default());
        strategy.learn(run);
        if run.ending == raddle_trace::Ending::Blocked {
            seen.blocked += 1;
            continue;
        }
        seen.runs += 1;
        // A fault in the relation must not spoil the measure that it is measured with.
        let (key, ending) = fault::pause(|| (TraceKey::of(&run.events), run.ending));
        seen.traces.insert(key);
        seen.ends.insert(stand.end_state(ending));
    }
    seen.guarantee = strategy.guarantee();
    seen
}

/// What a strategy that only samples showed that no schedule has, or claimed.
pub fn sample_difference(program: &Program, strategy: StrategyName, truth: &Outcomes) -> Option<String> {
    let Ok(seen) = catch_unwind(|| explore(Stand::new(program), strategy, None, SAMPLES)) else {
        return Some("panicked".to_owned());
    };
    if seen.guarantee != Guarantee::Sample {
        return Some(format!("a sample claims {:?}", seen.guarantee));
    }
    // A panic ends a run wherever the other threads are, so its trace is not one of a whole run.
    let panics = truth.endings().contains(&Ending::Panic);
    let invented = seen.traces.difference(&truth.traces).count();
    let ends = seen.ends.difference(&truth.ends).count();
    (!panics && invented + ends > 0).then(|| format!("{invented} traces and {ends} end states invented"))
}

/// How a strategy differs from what it promises on a program.
pub fn difference(program: &Program, strategy: StrategyName, truth: &Outcomes) -> Option<String> {
    difference_meeting(program, strategy, truth, Meets::AtStart).or_else(|| {
        // Only plans are compared between runs, and only there does it matter how objects are numbered.
        (strategy == StrategyName::OptimalDpor)
            .then(|| difference_meeting(program, strategy, truth, Meets::OnTheWay))
            .flatten()
            .map(|difference| format!("objects met on the way: {difference}"))
    })
}

fn difference_meeting(
    program: &Program,
    strategy: StrategyName,
    truth: &Outcomes,
    meets: Meets,
) -> Option<String> {
    // A strategy that visits traces more than once may still not go on for ever.
    let max_runs = 64 * truth.interleavings + 1000;
    let seen = match catch_unwind(|| explore(Stand::meeting(program, meets), strategy, None, max_runs)) {
        Ok(seen) => seen,
        Err(payload) => {
            let message = payload.downcast_ref::<String>().map_or("", String::as_str);
            return Some(format!("panicked: {message}"));
        }
    };
    if !seen.finished {
        return Some(format!("did not finish within {} runs", seen.runs));
    }
    if seen.guarantee != Guarantee::All {
        return Some("came to its end without saying that it covered everything".to_owned());
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
    wasted(program, strategy, &seen, truth)
}

/// Whether the program has an operation whose alternatives touch its object in different ways.
pub fn is_fickle(program: &Program) -> bool {
    let mut fickle = false;
    program.visit(&mut |_, statement| fickle |= matches!(statement, Stmt::WeakCompareExchange { .. }));
    fickle
}

/// What a strategy that promises not to repeat itself repeated.
fn wasted(program: &Program, strategy: StrategyName, seen: &Seen, truth: &Outcomes) -> Option<String> {
    let redundant = seen.runs - seen.traces.len() as u64;
    match strategy {
        StrategyName::OptimalDpor if redundant + seen.blocked > 0 => {
            Some(format!("{redundant} redundant and {} blocked runs", seen.blocked))
        }
        // Without reduction every interleaving is one run. Sleep sets never let a trace be run twice to its end, except
        // that threads sleep as a whole there, and a weak compare-exchange may have to wake for one of its alternatives.
        StrategyName::Every if seen.runs != truth.interleavings => {
            Some(format!("{} runs for {} interleavings", seen.runs, truth.interleavings))
        }
        StrategyName::DporCrSleep if redundant > 0 && !is_fickle(program) => {
            Some(format!("{redundant} redundant runs"))
        }
        _ => None,
    }
}

/// How `preemption-bound` differs from the traces that have a schedule with so few pre-emptions.
pub fn bound_difference(program: &Program, bound: u32, truth: &Outcomes) -> Option<String> {
    let seen =
        explore(Stand::new(program), StrategyName::PreemptionBound, Some(bound), truth.interleavings + 1);
    let expected = &truth.within[bound as usize];
    (seen.traces != *expected).then(|| {
        let missing = expected.difference(&seen.traces).count();
        let beyond = seen.traces.difference(expected).count();
        format!("bound {bound}: {missing} of {} traces missing, {beyond} beyond the bound", expected.len())
    })
}

/// How workers that share a search differ from one alone.
pub fn shared_difference(program: &Program, strategy: StrategyName, truth: &Outcomes) -> Option<String> {
    // Three of them, so that one gets work from another that got it itself.
    const WORKERS: u64 = 3;
    let (claims, names) = (Claims::default(), Names::default());
    let parts: Vec<Vec<TraceKey>> = std::thread::scope(|scope| {
        let work = |worker| {
            let share = Some(Share::new(claims.clone(), 3, worker));
            let mut strategy = strategy.make(&Settings { share, ..Settings::default() });
            let mut stand = Stand::meeting(program, Meets::OnTheWay);
            stand.share_names(names.clone());
            let mut keys = Vec::new();
            while strategy.begin() {
                let run = stand.run(&mut *strategy, &RunLimits::default());
                strategy.learn(run);
                if run.ending.is_complete() && strategy.keeps() {
                    keys.push(TraceKey::of(&run.events));
                }
            }
            keys
        };
        let workers: Vec<_> = (0..WORKERS).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker comes to its end")).collect()
    });
    let runs = parts.iter().map(Vec::len).sum::<usize>();
    let traces: BTreeSet<TraceKey> = parts.into_iter().flatten().collect();
    let promises_once = strategy == StrategyName::OptimalDpor && !is_fickle(program);
    let once = !promises_once || runs == traces.len();
    (traces != truth.traces || !once).then(|| {
        let missing = truth.traces.difference(&traces).count();
        format!("{WORKERS} workers: {missing} of {} traces missing, {runs} runs", truth.traces.len())
    })
}

/// Prints every run of a strategy, for whoever looks for the reason of a difference.
pub fn show(program: &Program, strategy: StrategyName, meets: Meets) {
    let mut stand = Stand::meeting(program, meets);
    let mut strategy = strategy.make(&Settings::default());
    while strategy.begin() {
        let run = stand.run(&mut *strategy, &RunLimits::default());
        let steps = run.events.iter().filter(|event| event.decided || event.alternatives > 1);
        let words: Vec<String> = steps.map(describe).collect();
        println!(
            "{:?} {:016x} from {}: {}",
            run.ending,
            TraceKey::of(&run.events).0,
            strategy.replayed(),
            words.join(" ")
        );
        strategy.learn(run);
    }
    if let Some(size) = strategy.model() {
        println!("{size:?}");
    }
}

pub fn describe(event: &raddle_trace::Event) -> String {
    let mut word = format!("{}:{:?}{}", event.thread, event.operation.kind, event.operation.object);
    if event.outcome != raddle_trace::Outcome::Done {
        word += &format!("-{:?}", event.outcome);
    }
    if event.alternatives > 1 {
        word += &format!("={}", event.alternative);
    }
    word
}
