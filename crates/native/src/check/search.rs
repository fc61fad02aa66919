//! The search: one process that searches, and another one if the first dies.

use std::time::{Duration, Instant};

use raddle_channel::externals::{can_be_put_back, keeps_no_state, learns_nothing};
use raddle_channel::{
    ChannelError, Found, Isolation, Message, Module, Outcome, Part, Progress, Resume, Task, Times,
    Uncontrolled, What, frame,
};
use raddle_detect::FindingKind;
use raddle_explore::{Doubt, Guarantee, Limit, Reached};
use raddle_instrument::model::Model;

use super::confirm::{name_kept, name_model};
use super::{CheckError, GRACE, Keeping, Listed, Plan, Watcher, Worker, modules, workers};
use crate::ProgramOutput;
use crate::host::{Gone, Heard, Host, Reason, signal_name};

/// What a search found and how it ended.
#[derive(Default)]
pub(super) struct Searched {
    pub(super) found: Vec<Found>,
    pub(super) reached: Reached,
    pub(super) uncontrolled: Vec<Uncontrolled>,
    pub(super) modules: Vec<Module>,
    pub(super) strangers: Vec<String>,
    pub(super) isolation: Isolation,
    pub(super) why: String,
    pub(super) output: ProgramOutput,
    pub(super) interrupted: bool,
    pub(super) notes: Vec<String>,
    pub(super) memory: u64,
    pub(super) resume: Option<Box<Resume>>,
    /// How often each of the findings was met, if that was counted from the beginning.
    pub(super) met: Vec<Times>,
    pub(super) outcomes: Vec<Outcome>,
    /// Runs with other outcomes than those.
    pub(super) other_outcomes: u64,
}

/// How a process came to its end.
enum End {
    /// It did what it was asked for.
    Done,
    /// It is gone.
    Died,
    /// We ended it.
    Ended(Reason),
    /// It cannot be understood.
    Broken(ChannelError),
}

/// What one process told.
pub(super) struct Attempt {
    searched: Searched,
    progress: Progress,
    greeted: bool,
    end: End,
    gone: Gone,
}

/// Searches; a process that dies within one process for all runs is followed by one with a process for each.
pub(super) fn search(
    plan: &Plan,
    model: &Model,
    start: Instant,
    watcher: &mut Watcher<'_>,
) -> Result<Searched, CheckError> {
    let (first, why) = isolation(plan, model);
    let reads_elsewhere = !model.externals.iter().all(|name| learns_nothing(name));
    let checkpoints = plan.task.checkpoints && model.externals.iter().all(|name| can_be_put_back(name));
    let mut effort = Effort { plan, isolation: first, reads_elsewhere, checkpoints, start };
    let mut attempts = effort.make(watcher)?;
    if effort.checkpoints && attempts.iter().any(Attempt::diverged) {
        // Something that the program uses may count along outside its memory; whole runs may not mind.
        effort.checkpoints = false;
        attempts = effort.make(watcher)?;
        let note = "runs that went on from the middle of others did something else; the search began again with whole runs";
        attempts.iter_mut().take(1).for_each(|first| first.searched.notes.push(note.to_owned()));
    }
    let inline = first == Isolation::Inline && plan.keeping == Keeping::Auto;
    let lost = attempts.iter().find(|attempt| inline && needs_more(plan, attempt));
    let note = lost.map(|lost| format!("{}; the search began again with a process for each run", lost.how()));
    if note.is_some() {
        effort.isolation = Isolation::Fork;
        attempts = effort.make(watcher)?;
    }
    let parts = attempts.into_iter().map(|attempt| finish(attempt, plan, start));
    let mut searched = workers::merged(parts.collect());
    searched.notes.extend(note.clone());
    searched.why = note.unwrap_or(why);
    if let Some(model) = &mut searched.reached.net {
        name_model(model, &searched.modules);
    }
    if let Some(explored) = &mut searched.reached.explored {
        name_kept(&mut explored.kept, &searched.modules);
    }
    Ok(searched)
}

impl Attempt {
    /// Whether the same schedule led elsewhere.
    fn diverged(&self) -> bool {
        matches!(self.searched.reached.doubt, Some(Doubt::NotDeterministic { .. }))
    }
}

/// How runs are kept apart at first, and why.
fn isolation(plan: &Plan, model: &Model) -> (Isolation, String) {
    if let Keeping::Always(isolation) = plan.keeping {
        return (isolation, "it was asked for".to_owned());
    }
    let mut state = model.externals.iter().filter(|name| !keeps_no_state(name));
    match (state.next(), state.count()) {
        (None, _) => {
            (Isolation::Inline, "nothing that the program calls keeps state between runs".to_owned())
        }
        (Some(name), 0) => (Isolation::Fork, format!("`{name}` may keep state between runs")),
        (Some(name), more) => {
            (Isolation::Fork, format!("`{name}` and {more} more functions may keep state between runs"))
        }
    }
}

/// Whether the search has to go on although its process is gone.
fn needs_more(plan: &Plan, attempt: &Attempt) -> bool {
    match attempt.end {
        End::Done => false,
        // A crash is a finding and ends the process that makes all runs; if one finding is enough, that was it.
        End::Died => plan.task.keep_going || !crashed(attempt),
        End::Broken(_) | End::Ended(Reason::Memory | Reason::Silent) => attempt.searched.found.is_empty(),
        End::Ended(_) => false,
    }
}

fn crashed(attempt: &Attempt) -> bool {
    attempt.searched.found.last().is_some_and(|found| is_deadly(found.finding.kind))
}

/// Whether a finding of this kind may be the death of the process in which it shows.
pub(super) fn is_deadly(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::Crash | FindingKind::Livelock | FindingKind::UseAfterFree | FindingKind::OutOfBounds
    )
}

/// A search that is about to be made.
pub(super) struct Effort<'a> {
    pub(super) plan: &'a Plan,
    isolation: Isolation,
    reads_elsewhere: bool,
    checkpoints: bool,
    start: Instant,
}

impl Effort<'_> {
    /// Makes it, with as many processes as the plan says.
    fn make(&self, watcher: &mut Watcher<'_>) -> Result<Vec<Attempt>, CheckError> {
        if self.plan.workers > 1 {
            workers::together(self, watcher)
        } else {
            Ok(vec![attempt(self, None, watcher)?])
        }
    }

    /// What a process is asked for. Parts of a search do not see the whole, so what was tried is not kept.
    fn task(&self, left: Option<Duration>, part: Option<Part>) -> Task {
        let task = &self.plan.task;
        let alone = part.is_none();
        Task {
            what: What::Search,
            isolation: self.isolation,
            reads_elsewhere: self.reads_elsewhere,
            checkpoints: self.checkpoints,
            max_time: left,
            watched: task.watched && alone,
            listed: task.listed && alone,
            part,
            ..task.clone()
        }
    }
}

/// One process, which searches all of it or a part.
pub(super) fn attempt(
    effort: &Effort<'_>,
    part: Option<Part>,
    watcher: &mut Watcher<'_>,
) -> Result<Attempt, CheckError> {
    let Effort { plan, isolation, .. } = *effort;
    let left = plan.task.max_time.map(|most| most.saturating_sub(effort.start.elapsed()));
    let task = effort.task(left, part);
    let until = left.map(|left| Instant::now() + left + GRACE);
    let started = Host::start(&plan.program, &plan.limits, &task, until, watcher.interrupted);
    let shown = plan.program.path.display().to_string();
    let mut host = started.map_err(|error| CheckError::NotStarted { program: shown.clone(), error })?;
    let before = plan.task.resume.as_deref().map(|resume| resume.found.clone());
    let mut searched = Searched { isolation, found: before.unwrap_or_default(), ..Searched::default() };
    let mut worker = Worker::new();
    let mut greeted = false;
    let end = loop {
        match host.next() {
            Heard::Message(message) => {
                greeted = true;
                if listen(*message, &mut searched, &mut worker, watcher) {
                    break End::Done;
                }
            }
            Heard::Closed => break End::Died,
            Heard::Broken(error) => break End::Broken(error),
            Heard::Ended(reason) => break End::Ended(reason),
        }
    };
    let gone = host.end();
    let attempt = Attempt { searched, progress: worker.progress, greeted, end, gone };
    if !attempt.greeted && !matches!(attempt.end, End::Ended(Reason::Interrupted)) {
        if attempt.is_of_another_version() {
            return Err(CheckError::OtherVersion { program: shown });
        }
        let output = last_lines(&attempt.gone.output);
        return Err(CheckError::NotReached { program: shown, how: attempt.how(), output });
    }
    Ok(attempt)
}

/// Takes note of a message; true if it was the last one.
fn listen(message: Message, searched: &mut Searched, worker: &mut Worker, watcher: &mut Watcher<'_>) -> bool {
    if let Some((modules, strangers)) = modules(&message) {
        searched.modules = modules.to_vec();
        searched.strangers = strangers.to_vec();
    }
    match message {
        Message::Progress(now) => {
            worker.tell(&now, searched.found.len());
            (watcher.progress)(&now, searched.found.len(), std::slice::from_ref(worker));
        }
        Message::Found(found) => {
            if !searched.found.iter().any(|known| known.finding.is_same(&found.finding)) {
                searched.found.push(*found);
            }
        }
        Message::Uncontrolled(strange) => {
            if !searched.uncontrolled.iter().any(|known| known.name == strange.name) {
                searched.uncontrolled.push(strange);
            }
        }
        Message::Died { signal, code } => {
            let how = match signal {
                0 => format!("ended with exit code {code}"),
                signal => format!("was killed by {}", signal_name(signal as i32)),
            };
            searched.reached.doubt = Some(Doubt::Lost { how: format!("the process of a run {how}") });
        }
        Message::Done(reached) => {
            let lost = searched.reached.doubt.take();
            searched.reached = reached;
            searched.reached.doubt = searched.reached.doubt.take().or(lost);
            let reached = &mut searched.reached;
            // A search that was asked to stop may have come to its goal before it heard of that.
            let came_to_its_goal =
                reached.finished || matches!(reached.limit, Some(Limit::Runs(_) | Limit::Time(_)));
            searched.interrupted = (watcher.interrupted)() && !came_to_its_goal;
            if searched.interrupted {
                reached.limit = reached.limit.or(Some(Limit::Interrupted(reached.runs)));
            }
            return true;
        }
        Message::Met(times) => searched.met = times,
        Message::Outcomes { outcomes, others } => {
            searched.outcomes = outcomes;
            searched.other_outcomes = others;
        }
        Message::Listed { number, events, ending, found } => {
            (watcher.listed)(&Listed { number, events: &events, ending, found });
        }
        Message::Saved(mut resume) => {
            resume.found.clone_from(&searched.found);
            searched.resume = Some(resume);
        }
        Message::Hello { .. } | Message::Run { .. } => {}
    }
    false
}

impl Attempt {
    /// Whether a process that said nothing did so because it speaks another language.
    fn is_of_another_version(&self) -> bool {
        let refused = || self.gone.status.and_then(|status| status.code()) == Some(frame::NOT_UNDERSTOOD);
        match &self.end {
            End::Died => refused() && self.gone.output.kept.is_empty(),
            End::Broken(ChannelError::OtherVersion(_) | ChannelError::Wire(_)) => true,
            _ => false,
        }
    }

    /// How the process came to its end, in a few words.
    fn how(&self) -> String {
        match &self.end {
            End::Done | End::Died => self.gone.how(),
            End::Broken(what) => what.to_string(),
            End::Ended(Reason::Silent) => "its process said nothing for too long and was ended".to_owned(),
            End::Ended(Reason::Memory) => {
                "its process used more memory than --max-memory allows and was ended".to_owned()
            }
            End::Ended(Reason::Processes) => {
                "it started more processes than --max-processes allows and was ended".to_owned()
            }
            End::Ended(Reason::Time) => "its time was over".to_owned(),
            End::Ended(Reason::Interrupted) => "it was interrupted".to_owned(),
        }
    }
}

/// What is known at the end, also of a process that could not tell it any more.
fn finish(mut attempt: Attempt, plan: &Plan, start: Instant) -> Searched {
    let how = attempt.how();
    let mut searched = attempt.searched;
    searched.output = std::mem::take(&mut attempt.gone.output);
    searched.memory = attempt.gone.memory;
    if matches!(attempt.end, End::Done) {
        // The process knew only what was left of the time when it was started.
        if let (Some(Limit::Time(left)), Some(asked)) = (&mut searched.reached.limit, plan.task.max_time) {
            *left = asked;
        }
        return searched;
    }
    let last = searched.found.last().map_or(0, |found| found.run);
    let reached = &mut searched.reached;
    // What it would have covered is known, although it did not come to that.
    let samples = plan.task.strategy.only_samples();
    reached.guarantee = Some(if samples { Guarantee::Sample } else { Guarantee::All });
    reached.runs = attempt.progress.runs.max(last);
    reached.blocked = attempt.progress.blocked;
    reached.steps = attempt.progress.steps;
    reached.threads = attempt.progress.threads;
    reached.estimate = attempt.progress.estimate;
    for found in &searched.found {
        reached.threads = reached.threads.max(found.told.names.len());
        reached.longest = reached.longest.max(found.told.run.events.len());
        reached.steps = reached.steps.max(found.told.run.events.len() as u64);
    }
    match attempt.end {
        End::Ended(Reason::Interrupted) => {
            searched.interrupted = true;
            reached.limit = Some(Limit::Interrupted(reached.runs));
        }
        End::Ended(Reason::Time) => {
            reached.limit = Some(Limit::Time(plan.task.max_time.unwrap_or(start.elapsed())))
        }
        _ => reached.doubt = reached.doubt.take().or(Some(Doubt::Lost { how })),
    }
    searched
}

/// The end of what a program wrote, for a message of one line.
fn last_lines(output: &ProgramOutput) -> String {
    let text = String::from_utf8_lossy(&output.kept);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.iter().rev().take(3).rev();
    let text = last.map(|line| line.trim()).collect::<Vec<_>>().join(" | ");
    if text.is_empty() { text } else { format!(" (it wrote: {text})") }
}

/// The time that shrinking may take, and the time after which a process that shrinks is given up.
pub(super) const SHRINKING_TIME: Duration = Duration::from_secs(20);
