//! Checking a program: search, and make sure of what was found.

mod confirm;
mod learn;
mod search;
mod workers;

use confirm::Unconfirmed;
pub(crate) use confirm::{again, again_task, name_objects};
pub use learn::{Learned, learn};

use std::time::{Duration, Instant};

use raddle_channel::{
    Isolation, Message, Module, Outcome as RunOutcome, Progress, Resume, Task, Times, Told, Uncontrolled,
};
use raddle_detect::{Finding, FindingKind};
use raddle_explore::{Doubt, Guarantee, Limit, Reached, Verdict};
use raddle_trace::{Ending, Event, Place};

use crate::{Limits, Program, ProgramOutput};

/// How runs are to be kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keeping {
    /// Within one process if what the program calls allows it, otherwise in a process each.
    #[default]
    Auto,
    /// As said.
    Always(Isolation),
}

/// What is to be checked, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program.
    pub program: Program,
    /// The settings of the search. What is to be done, and the isolation, are filled in here.
    pub task: Task,
    /// How runs are to be kept apart.
    pub keeping: Keeping,
    /// What the program may use.
    pub limits: Limits,
    /// How many processes search at the same time.
    pub workers: u32,
    /// Whether the program's output is wanted although nothing was found.
    pub wants_output: bool,
}

impl Plan {
    /// The program's arguments as text.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        self.program.arguments.iter().map(|text| text.to_string_lossy().into_owned()).collect()
    }
}

/// A run that was made.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// Its number, counted from one.
    pub number: u64,
    /// What happened, in order.
    pub events: &'a [Event],
    /// How it ended.
    pub ending: Ending,
    /// What is wrong with it, if anything is.
    pub found: Option<FindingKind>,
}

/// Who watches a check.
pub struct Watcher<'a> {
    /// Is told now and then how far the search has come, how many findings there are, and what every worker does.
    pub progress: &'a mut dyn FnMut(&Progress, usize, &[Worker]),
    /// Is told of every run, if the task asks for that.
    pub listed: &'a mut dyn FnMut(&Listed<'_>),
    /// Whether the user wants to stop; asked several times a second.
    pub interrupted: &'a dyn Fn() -> bool,
}

/// One of the processes that search, as far as it has told.
#[derive(Clone, Debug)]
pub struct Worker {
    /// How far it has come.
    pub progress: Progress,
    /// How many findings it has.
    pub findings: usize,
    /// What it does.
    pub doing: Doing,
    /// When it last said something.
    pub heard: Instant,
}

/// What a worker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// It has said nothing yet.
    Starting,
    /// It searches.
    Searching,
    /// There is nothing left for it.
    Done,
}

impl Worker {
    /// One that has just been started.
    fn new() -> Worker {
        Worker { progress: Progress::default(), findings: 0, doing: Doing::Starting, heard: Instant::now() }
    }

    /// Takes note of how far it is.
    fn tell(&mut self, progress: &Progress, findings: usize) {
        (self.progress, self.findings) = (progress.clone(), findings);
        (self.doing, self.heard) = (Doing::Searching, Instant::now());
    }
}

/// A finding that happened again in a fresh process.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// What is wrong.
    pub finding: Finding,
    /// The shrunk run, as it was replayed.
    pub told: Told,
    /// The number of the run in which it was found.
    pub run: u64,
    /// How many steps that run had.
    pub found_steps: usize,
    /// How many pre-emptions that run had.
    pub found_preemptions: usize,
    /// What else has to be said.
    pub notes: Vec<String>,
    /// What the program wrote in that run.
    pub output: ProgramOutput,
    /// How often it was met, if the search went on after it and began at the beginning.
    pub times: Option<Times>,
    /// A run that passes and begins like the one that is shown, if one was looked for.
    pub passing: Option<Passing>,
}

/// What looking for a run that passes arrived at.
#[derive(Clone, Debug)]
pub struct Passing {
    /// The run, as it was made again in a fresh process; none if no run that was tried passes.
    pub told: Option<Told>,
    /// How many runs were tried.
    pub tried: u64,
}

/// What a check arrived at.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What may be claimed.
    pub verdict: Verdict,
    /// How far the search came.
    pub reached: Reached,
    /// What was found.
    pub findings: Vec<Confirmed>,
    /// What the program did that is not under control, and where.
    pub uncontrolled: Vec<Uncontrolled>,
    /// How runs were kept apart.
    pub isolation: Isolation,
    /// Why, in a few words.
    pub why_isolation: String,
    /// How long the search took.
    pub seconds: f64,
    /// What the program wrote: in the run of the first finding or, if there is none and it was asked for, in one more run.
    pub output: ProgramOutput,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// What else has to be said, in whole sentences.
    pub notes: Vec<String>,
    /// What another check needs to go on where this one stopped, if it can.
    pub resume: Option<Box<Resume>>,
}

/// Why a check did not take place.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// There is no program to check.
    #[error(transparent)]
    NoProgram(#[from] raddle_instrument::model::ModelError),
    /// The system refused to start it.
    #[error("could not start {program}: {error}; does it run at all? try it without raddle")]
    NotStarted {
        /// The program.
        program: String,
        /// Why.
        error: std::io::Error,
    },
    /// It ended before the runtime inside it said anything.
    #[error(
        "{program} ended before its main function began: {how}{output}; does it run at all? try it without raddle"
    )]
    NotReached {
        /// The program.
        program: String,
        /// How it ended.
        how: String,
        /// The end of what it wrote, introduced by a colon; may be empty.
        output: String,
    },
    /// The runtime inside it did not understand its task, or we do not understand the runtime.
    #[error("{program} was built by another version of raddle cc: build it again, all of it, with this one")]
    OtherVersion {
        /// The program.
        program: String,
    },
    /// A run could not be made again at all.
    #[error("{program} could not be run again: {how}; check it again with --isolation fork")]
    NoAnswer {
        /// The program.
        program: String,
        /// How it ended.
        how: String,
    },
}

/// Searches a program and confirms what was found.
///
/// # Errors
/// If the program cannot be started.
pub fn check(plan: &Plan, watcher: &mut Watcher<'_>) -> Result<Outcome, CheckError> {
    let model = raddle_instrument::model::read(&plan.program.path)?;
    let start = Instant::now();
    let mut searched = search::search(plan, &model, start, watcher)?;
    let seconds = start.elapsed().as_secs_f64();
    let mut findings = Vec::new();
    let counted = plan.task.resume.is_none() && searched.met.len() == searched.found.len();
    for (index, found) in std::mem::take(&mut searched.found).into_iter().enumerate() {
        match confirm::confirm(plan, &searched, &found, watcher.interrupted) {
            Ok(confirmed) => {
                let times = searched.met.get(index).copied().filter(|_| counted);
                findings.push(Confirmed { times, ..confirmed });
            }
            Err(Unconfirmed::Doubt(doubt)) => searched.reached.doubt = Some(doubt),
            Err(Unconfirmed::OnlySlow) => {
                searched.reached.limit.get_or_insert(Limit::RunTime(plan.task.stuck_after));
            }
        }
    }
    let mut uncontrolled = std::mem::take(&mut searched.uncontrolled);
    let strangers = searched.strangers.iter().chain(&model.uncontrolled);
    let strangers: std::collections::BTreeSet<&String> = strangers.collect();
    let runs = searched.reached.runs;
    let everywhere = |name: &String| Uncontrolled { name: name.clone(), place: Place::Unknown, runs };
    uncontrolled.extend(strangers.into_iter().map(everywhere));
    let verdict = verdict(&mut searched.reached, findings.len(), &uncontrolled);
    let output = match findings.first_mut() {
        Some(first) => std::mem::take(&mut first.output),
        // While it is searched, what a program writes is not kept: it would be the same again and again.
        None if plan.wants_output || searched.reached.threads <= 1 => one_output(plan, &searched, watcher),
        None => searched.output,
    };
    Ok(Outcome {
        verdict,
        reached: searched.reached,
        findings,
        uncontrolled,
        isolation: searched.isolation,
        why_isolation: searched.why,
        seconds,
        output,
        interrupted: searched.interrupted,
        notes: searched.notes,
        resume: searched.resume,
    })
}

/// What the program writes in one run with as few switches as possible.
fn one_output(plan: &Plan, searched: &search::Searched, watcher: &Watcher<'_>) -> ProgramOutput {
    let made = again(plan, searched.isolation, &[], &[], None, watcher.interrupted);
    made.map(|(again, _)| again.output).unwrap_or_default()
}

/// A search whose findings nobody is going to be shown: counts only.
#[derive(Clone, Debug)]
pub struct Survey {
    /// What may be claimed.
    pub verdict: Verdict,
    /// How far the search came.
    pub reached: Reached,
    /// What was found, and in which run, in order.
    pub found: Vec<(Finding, u64)>,
    /// How long the search took.
    pub seconds: f64,
    /// The most memory that the program and the search in it were seen to use; zero if it was over too soon.
    pub memory: u64,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// The outcomes of its runs, if the task asks for them.
    pub outcomes: Vec<RunOutcome>,
    /// Runs with other outcomes than those.
    pub other_outcomes: u64,
}

/// Searches a program and counts.
///
/// # Errors
/// If the program cannot be started.
pub fn survey(plan: &Plan, watcher: &mut Watcher<'_>) -> Result<Survey, CheckError> {
    let model = raddle_instrument::model::read(&plan.program.path)?;
    let start = Instant::now();
    let mut searched = search::search(plan, &model, start, watcher)?;
    let verdict = verdict(&mut searched.reached, searched.found.len(), &searched.uncontrolled);
    Ok(Survey {
        verdict,
        reached: searched.reached,
        found: searched.found.into_iter().map(|found| (found.finding, found.run)).collect(),
        seconds: start.elapsed().as_secs_f64(),
        memory: searched.memory,
        interrupted: searched.interrupted,
        outcomes: searched.outcomes,
        other_outcomes: searched.other_outcomes,
    })
}

/// What may be claimed. A finding that happened again is one, whatever else the program does.
fn verdict(reached: &mut Reached, findings: usize, uncontrolled: &[Uncontrolled]) -> Verdict {
    if findings > 0 {
        return Verdict::Failed;
    }
    if let (None, Some(first)) = (&reached.doubt, uncontrolled.first()) {
        reached.doubt = Some(Doubt::Uncontrolled { name: first.name.clone(), place: first.place });
    }
    match reached.verdict(0) {
        // Time was the limit that was asked for, so the samples that were taken are what was asked for.
        Verdict::Stopped(Limit::Time(_)) if reached.guarantee == Some(Guarantee::Sample) => {
            Verdict::Sampled(reached.runs)
        }
        verdict => verdict,
    }
}

/// Where the modules of the program lie, as its first message told.
fn modules(message: &Message) -> Option<(&[Module], &[String])> {
    match message {
        Message::Hello { modules, strangers } => Some((modules, strangers)),
        _ => None,
    }
}

/// How long a process that has a time limit of its own is waited for beyond it.
const GRACE: Duration = Duration::from_secs(20);
