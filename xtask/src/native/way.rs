//! The ways in which a program is searched, and what each of them promises.

use std::collections::BTreeSet;

use raddle_channel::{Isolation, Races, Task};
use raddle_detect::FindingKind;
use raddle_explore::{StrategyName, Verdict};
use raddle_native::{Keeping, Limits, Plan, Program as Binary, Survey, Watcher, survey};
use raddle_oracle::{Cells, Ending, Memory, Program, Stmt, follow};
use raddle_trace::TraceKey;

use super::batch::{Batch, Case};
use crate::compare::is_fickle;

/// What a search promises to have shown at its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Promise {
    /// Every trace, and none twice.
    EachOnce,
    /// Every trace.
    Each,
    /// Every trace, and none twice; runs are not told, only counted.
    EachOnceUntold,
    /// Every interleaving.
    EveryRun,
    /// Every trace with at most so many pre-emptions.
    Within(u32),
    /// How runs can end.
    Ends,
}

/// A way to search.
pub(super) struct Way {
    pub(super) name: &'static str,
    strategy: StrategyName,
    isolation: Isolation,
    checkpoints: bool,
    workers: u32,
    promise: Promise,
}

impl Way {
    /// All of them.
    pub(super) fn all() -> Vec<Way> {
        use StrategyName::*;
        let inline = |name, strategy, promise| Way {
            name,
            strategy,
            isolation: Isolation::Inline,
            checkpoints: true,
            workers: 1,
            promise,
        };
        let optimal = |name| inline(name, OptimalDpor, Promise::EachOnce);
        vec![
            optimal("optimal-dpor"),
            Way { checkpoints: false, ..optimal("optimal-dpor without checkpoints") },
            Way { isolation: Isolation::Fork, ..optimal("optimal-dpor in forked processes") },
            Way { workers: 2, promise: Promise::EachOnceUntold, ..optimal("optimal-dpor with 2 workers") },
            inline("dpor-cr-sleep", DporCrSleep, Promise::Each),
            inline("dpor", Dpor, Promise::Each),
            inline("every", Every, Promise::EveryRun),
            inline("preemption-bound", PreemptionBound, Promise::Within(2)),
            inline("unfolding", Unfolding, Promise::Ends),
            inline("stateful-naive", StatefulNaive, Promise::Ends),
            inline("auto", Auto, Promise::Each),
        ]
    }

    /// Whether it makes sense for this program.
    pub(super) fn fits(&self, case: &Case) -> bool {
        match (self.promise, self.isolation) {
            (Promise::EachOnceUntold, _) => !is_fickle(&case.program) && case.index.is_multiple_of(4),
            // Handles of threads are memory too, and to read them is a step; so is to tell registers.
            (Promise::EveryRun, _) => case.form.cells == Cells::Atomic && !case.form.tells,
            (Promise::Within(_), _) if case.form.tells => false,
            (Promise::Within(_), _) if case.memory() != Memory::Visible => false,
            // What the only thread does to memory is no step, so nothing is pre-empted after it.
            (Promise::Within(_), _) => !begins_with_memory(&case.program),
            (_, Isolation::Fork) => case.truth.traces.len() <= 200,
            _ => true,
        }
    }

    fn plan(&self, batch: &Batch, index: usize, races: Races) -> Plan {
        let bound = match self.promise {
            Promise::Within(bound) => Some(bound),
            _ => None,
        };
        let task = Task {
            strategy: self.strategy,
            bound,
            keep_going: true,
            races,
            checkpoints: self.checkpoints,
            listed: true,
            max_runs: Some(200_000),
            ..Task::default()
        };
        let program = Binary {
            path: batch.binary.clone(),
            arguments: vec!["x".into(); index],
            libraries: batch.libraries.clone(),
        };
        Plan {
            program,
            task,
            keeping: Keeping::Always(self.isolation),
            limits: Limits::default(),
            workers: self.workers,
            wants_output: false,
        }
    }

    /// How what the search says differs from what is true, and how many runs were followed.
    pub(super) fn difference(&self, batch: &Batch, index: usize, case: &Case) -> (Option<String>, u64) {
        let mut told = Told::default();
        let plan = self.plan(batch, index, case.races);
        let outcome = survey(
            &plan,
            &mut Watcher {
                progress: &mut |_, _, _| (),
                listed: &mut |run| told.run(case, run.number, run.events, run.ending),
                interrupted: &|| false,
            },
        );
        let runs = told.runs;
        let difference = match outcome {
            Err(error) => Some(error.to_string()),
            Ok(survey) => told
                .problem
                .take()
                .or_else(|| self.wrong_verdict(case, &survey))
                .or_else(|| self.wrong_runs(case, &survey, &told)),
        };
        (difference, runs)
    }

    fn wrong_verdict(&self, case: &Case, survey: &Survey) -> Option<String> {
        if let Some(doubt) = &survey.reached.doubt {
            return Some(format!("does not trust itself: {doubt:?}"));
        }
        if !survey.reached.finished {
            return Some(format!("did not finish: {:?}", survey.verdict));
        }
        if case.races_itself {
            // An assertion that fails earlier may keep a thread from its access in every run.
            let panics = case.truth.endings().contains(&Ending::Panic);
            let is_race = |kind: FindingKind| kind == FindingKind::DataRace || panics;
            let found = survey.found.iter().any(|(finding, _)| is_race(finding.kind));
            return (!found).then(|| "missed a data race".to_owned());
        }
        let kinds: BTreeSet<&str> = survey.found.iter().map(|(finding, _)| sort(finding.kind)).collect();
        let endings = case.truth.endings();
        let truth = [(Ending::Deadlock, "waits for ever"), (Ending::Panic, "assertion")];
        let expected: BTreeSet<&str> =
            truth.iter().filter(|(ending, _)| endings.contains(ending)).map(|(_, word)| *word).collect();
        // A panic ends a run wherever the other threads are, and within a bound not everything is seen.
        let some_are_enough = endings.contains(&Ending::Panic) || matches!(self.promise, Promise::Within(_));
        let missed = expected.difference(&kinds).next().is_some() && !some_are_enough;
        let invented = kinds.difference(&expected).next().is_some();
        let missed_panic = expected.contains("assertion")
            && !kinds.contains("assertion")
            && !matches!(self.promise, Promise::Within(_));
        if missed || invented || missed_panic {
            return Some(format!("found {kinds:?}, but there are {expected:?}"));
        }
        let claims = match (&survey.verdict, self.promise) {
            (Verdict::Failed, _) => !kinds.is_empty(),
            (Verdict::ExhaustedWithin(bound), Promise::Within(asked)) => *bound == asked,
            (Verdict::Exhausted, Promise::Within(_)) => true,
            (verdict, _) => *verdict == Verdict::Exhausted,
        };
        (!claims).then(|| format!("says {:?}", survey.verdict))
    }

    fn wrong_runs(&self, case: &Case, survey: &Survey, told: &Told) -> Option<String> {
        let truth = &case.truth;
        if truth.endings().contains(&Ending::Panic) || spins(&case.program) || case.races_itself {
            return None;
        }
        let traces = truth.traces.len() as u64;
        let expected = match self.promise {
            Promise::EachOnceUntold => {
                let runs = survey.reached.runs;
                return (runs != traces).then(|| format!("{runs} runs for {traces} traces"));
            }
            Promise::Ends => {
                let invented = told.traces.difference(&truth.traces).count();
                return (invented > 0).then(|| format!("{invented} traces invented"));
            }
            Promise::Within(bound) => &truth.within[bound as usize],
            _ => &truth.traces,
        };
        let missing = expected.difference(&told.traces).count();
        let invented = told.traces.difference(expected).count();
        if missing + invented > 0 {
            return Some(format!("{missing} of {} traces missing, {invented} invented", expected.len()));
        }
        let once = match self.promise {
            Promise::EachOnce => traces,
            Promise::EveryRun => truth.interleavings,
            _ => return None,
        };
        let (runs, blocked) = (survey.reached.runs, survey.reached.blocked);
        (runs != once || blocked > 0 || told.runs != once)
            .then(|| format!("{runs} runs, {} told, {blocked} given up, for {once}", told.runs))
    }
}

/// What a search told of its runs.
#[derive(Default)]
struct Told {
    traces: BTreeSet<TraceKey>,
    runs: u64,
    problem: Option<String>,
}

impl Told {
    fn run(
        &mut self,
        case: &Case,
        number: u64,
        events: &[raddle_trace::Event],
        ending: raddle_trace::Ending,
    ) {
        self.runs += 1;
        // A race ends all rules.
        if spins(&case.program) || case.races_itself {
            return;
        }
        match follow(&case.program, events, ending, case.memory()) {
            Ok(followed) => drop(self.traces.insert(followed.key)),
            Err(problem) if self.problem.is_none() => {
                let steps: Vec<String> = events.iter().map(crate::compare::describe).collect();
                self.problem = Some(format!("run {number}: {problem}\n  {ending:?}: {}", steps.join(" ")));
            }
            Err(_) => {}
        }
    }
}

fn sort(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Deadlock | FindingKind::Livelock => "waits for ever",
        other => other.word(),
    }
}

/// Whether the program has a loop that only waits. How often it goes round depends on what the thread saw before, so its
/// runs are not told apart as the oracle does it, and only how they end is compared.
fn spins(program: &Program) -> bool {
    let mut spins = false;
    program.visit(&mut |_, statement| spins |= matches!(statement, Stmt::SpinUntil { .. }));
    spins
}

/// Whether the main thread touches memory before it creates another.
fn begins_with_memory(program: &Program) -> bool {
    let first = program.threads[0].iter().take_while(|statement| !matches!(statement, Stmt::Spawn(_)));
    let alone = Program { objects: Vec::new(), threads: vec![first.cloned().collect()] };
    let mut memory = false;
    alone.visit(&mut |_, statement| {
        use Stmt::*;
        memory |= matches!(
            statement,
            Load { .. }
                | Store { .. }
                | FetchAdd { .. }
                | CompareExchange { .. }
                | WeakCompareExchange { .. }
        );
    });
    memory
}
