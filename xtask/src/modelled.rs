//! Compares a strategy that builds a model with brute force: what threads can have done and seen, and how runs can end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use raddle_explore::model::{Beyond, ModelEnd, ModelSummary};
use raddle_explore::strategies::{StatefulNaive, Unfolding};
use raddle_explore::{ModelSize, RunLimits, Strategy, Subject};
use raddle_oracle::{Object, Program, Reached, ReachedEnd};
use raddle_trace::Ending;

use crate::stand::Stand;

/// A strategy that builds a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// `stateful-naive`.
    Naive,
    /// `stateful-naive`, with valuations named by values.
    NaiveByValue,
    /// `unfolding`.
    Unfolding,
    /// `unfolding`, with valuations named by values.
    UnfoldingByValue,
    /// `unfolding-stateless`.
    Stateless,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 5] =
        [Model::Naive, Model::NaiveByValue, Model::Unfolding, Model::UnfoldingByValue, Model::Stateless];

    /// Whether valuations are named by values: such models are smaller.
    fn is_by_value(self) -> bool {
        matches!(self, Model::NaiveByValue | Model::UnfoldingByValue)
    }
}

/// What came out of a search with a model.
pub struct Outcome {
    /// What was reached; `None` if the program is beyond the model.
    pub summary: Option<ModelSummary>,
    /// Why the program is beyond the model.
    pub beyond: Option<Beyond>,
    /// How large the model is.
    pub size: Option<ModelSize>,
    /// Complete runs.
    pub runs: u64,
    /// How many of them ended in a deadlock.
    pub deadlocks: u64,
    /// Whether one of them panicked.
    pub panicked: bool,
    /// Why the search does not trust itself.
    pub doubt: Option<String>,
}

/// Searches a program to the end.
pub fn search(program: &Program, model: Model, max_runs: u64) -> Outcome {
    match model {
        Model::Naive => run(
            program,
            &mut StatefulNaive::new(false),
            max_runs,
            StatefulNaive::summary,
            StatefulNaive::beyond,
        ),
        Model::NaiveByValue => run(
            program,
            &mut StatefulNaive::new(true),
            max_runs,
            StatefulNaive::summary,
            StatefulNaive::beyond,
        ),
        Model::Unfolding => {
            run(program, &mut Unfolding::new(false), max_runs, Unfolding::summary, Unfolding::beyond)
        }
        Model::UnfoldingByValue => {
            run(program, &mut Unfolding::new(true), max_runs, Unfolding::summary, Unfolding::beyond)
        }
        Model::Stateless => {
            run(program, &mut Unfolding::stateless(false), max_runs, Unfolding::summary, Unfolding::beyond)
        }
    }
}

fn run<S: Strategy>(
    program: &Program,
    strategy: &mut S,
    max_runs: u64,
    summary: impl FnOnce(&mut S) -> Option<ModelSummary>,
    beyond: impl FnOnce(&S) -> Option<Beyond>,
) -> Outcome {
    let mut stand = Stand::new(program);
    let mut outcome = Outcome {
        summary: None,
        beyond: None,
        size: None,
        runs: 0,
        deadlocks: 0,
        panicked: false,
        doubt: None,
    };
    while strategy.begin() {
        if outcome.runs >= max_runs {
            outcome.doubt = Some(format!("did not finish within {max_runs} runs"));
            return outcome;
        }
        let run = stand.run(&mut *strategy, &RunLimits::default());
        strategy.learn(run);
        outcome.runs += 1;
        outcome.deadlocks += u64::from(run.ending == Ending::Deadlock);
        outcome.panicked |= run.ending == Ending::Panic;
        if run.ending == Ending::Diverged {
            outcome.doubt = Some("a planned run diverged".to_owned());
        }
        if let Some(doubt) = strategy.doubt() {
            outcome.doubt = Some(format!("{doubt:?}"));
        }
        if outcome.doubt.is_some() {
            return outcome;
        }
    }
    outcome.size = strategy.model();
    outcome.beyond = beyond(strategy);
    outcome.summary = summary(strategy);
    outcome
}

/// How a search with a model differs from the truth.
pub fn difference(program: &Program, model: Model, truth: &Reached, max_runs: u64) -> Option<String> {
    caught(|| search(program, model, max_runs)).map_or_else(Some, |outcome| judge(program, &outcome, truth))
}

fn caught(search: impl FnOnce() -> Outcome) -> Result<Outcome, String> {
    catch_unwind(AssertUnwindSafe(search)).map_err(|payload| {
        let message = payload.downcast_ref::<String>().map_or("", String::as_str);
        format!("panicked: {message}")
    })
}

fn judge(program: &Program, outcome: &Outcome, truth: &Reached) -> Option<String> {
    if outcome.doubt.is_some() {
        return outcome.doubt.clone();
    }
    if truth.panics {
        // A panic ends a run wherever the other threads are; only that it is found is promised.
        return (!outcome.panicked).then(|| "missed a panic".to_owned());
    }
    let summary = outcome.summary.as_ref()?;
    if outcome.panicked || summary.fails {
        return Some("invented a panic".to_owned());
    }
    let missing = truth.locals.difference(&summary.locals).count();
    let invented = summary.locals.difference(&truth.locals).count();
    if missing + invented > 0 {
        let all = truth.locals.len();
        return Some(format!("{missing} of {all} local states missing, {invented} invented"));
    }
    let ends: std::collections::BTreeSet<ReachedEnd> =
        summary.ends.iter().map(|end| translate(program, end)).collect();
    let missing = truth.ends.difference(&ends).count();
    let invented = ends.difference(&truth.ends).count();
    if missing + invented > 0 {
        return Some(format!("{missing} of {} ends missing, {invented} invented", truth.ends.len()));
    }
    let deadlocks = truth.ends.iter().any(|end| end.deadlock);
    if deadlocks != (outcome.deadlocks > 0) {
        return Some("no run shows the deadlock".to_owned());
    }
    None
}

/// What came out of a program with several models.
#[derive(Default)]
pub struct Compared {
    /// What differs, and for which model or in what way.
    pub differences: Vec<(Option<Model>, String)>,
    /// Whether the program is within the model.
    pub within: bool,
    /// Whether sizes of models were compared.
    pub sized: bool,
}

/// Compares models of a program with the truth, and their sizes with each other.
pub fn compare(program: &Program, models: &[Model], truth: &Reached, max_runs: u64) -> Compared {
    let mut compared = Compared::default();
    let mut sizes = Vec::new();
    for &model in models {
        match caught(|| search(program, model, max_runs)) {
            Err(panicked) => compared.differences.push((Some(model), panicked)),
            Ok(outcome) => {
                let difference = judge(program, &outcome, truth);
                compared.differences.extend(difference.map(|difference| (Some(model), difference)));
                compared.within |= outcome.summary.is_some();
                // Where a run fails depends on the order in which the model was explored, and so does what lies behind.
                sizes.extend(outcome.size.filter(|_| !outcome.panicked).map(|size| (model, size)));
            }
        }
    }
    compared.sized = compared.within
        && models.iter().all(|model| {
            let of_its_sort = |(other, _): &&(Model, ModelSize)| other.is_by_value() == model.is_by_value();
            sizes.iter().filter(of_its_sort).count() > 1
        });
    compared.differences.extend(unequal(&sizes).map(|difference| (None, difference)));
    compared
}

/// How the models of a program differ in size, if they do: the paper's sanity check.
pub fn size_difference(program: &Program, models: &[Model], max_runs: u64) -> Option<String> {
    let sizes = models.iter().filter_map(|&model| {
        let outcome = search(program, model, max_runs);
        Some((model, outcome.size.filter(|_| !outcome.panicked)?))
    });
    unequal(&sizes.collect::<Vec<_>>())
}

fn unequal(sizes: &[(Model, ModelSize)]) -> Option<String> {
    let words = |size: &ModelSize| format!("{} places and {} transitions", size.places, size.transitions);
    sizes.iter().enumerate().find_map(|(index, (model, size))| {
        let others =
            sizes[index + 1..].iter().filter(|(other, _)| other.is_by_value() == model.is_by_value());
        let mut differing = others.filter(|(_, other)| words(other) != words(size));
        differing.next().map(|(other, differs)| {
            format!("{} by {model:?} or {} by {other:?}", words(size), words(differs))
        })
    })
}

/// An end of the model in the words of the oracle.
fn translate(program: &Program, end: &ModelEnd) -> ReachedEnd {
    let mut threads = vec![Vec::new(); program.threads.len()];
    for (thread, path) in &end.threads {
        threads[*thread] = path.clone();
    }
    let mut cells = Vec::new();
    for (index, object) in program.objects.iter().enumerate() {
        if let Object::Cell { initial } = object {
            // The token of the main thread is the first object of a run.
            let changed = end.cells.iter().find(|(number, _)| *number == index + 1);
            cells.push(changed.map_or(*initial, |(_, value)| *value));
        }
    }
    ReachedEnd { deadlock: end.deadlock, threads, cells }
}
