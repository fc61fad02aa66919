//! Every step of a run with all that is known of it: the one source for the page, the long text and the machine formats.

use raddle_detect::{Finding, Locks};
use raddle_trace::{Event, HappensBefore, Kind, Outcome, Place, Relation, ThreadId};

use crate::cells::cell;
use crate::comments::{comments, plain_comments};
use crate::ending::wants_next;
use crate::words::Words;

/// One step.
pub(crate) struct StoryStep {
    /// The number of the step, counted from one.
    pub number: usize,
    pub thread: ThreadId,
    /// What it did, in a few words.
    pub text: String,
    pub place: Place,
    pub preempts: bool,
    /// What can be said for certain about it.
    pub comment: String,
    /// What it changed.
    pub change: Option<Change>,
    /// The locks that its thread holds afterwards.
    pub holds: Vec<String>,
    /// The steps of other threads that it comes directly after, in every run of the same trace.
    pub after: Vec<usize>,
    /// Why this thread went and not the one before; empty if it is the same.
    pub switch: String,
}

/// A value that a step changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub what: String,
    pub before: String,
    pub after: String,
}

/// All steps of the run that shows the finding.
pub(crate) fn story(words: &Words<'_>, finding: &Finding) -> Vec<StoryStep> {
    told(words, comments(words.run, finding))
}

/// All steps of a run that shows nothing.
pub(crate) fn plain_story(words: &Words<'_>) -> Vec<StoryStep> {
    told(words, plain_comments(words.run))
}

fn told(words: &Words<'_>, comments: Vec<String>) -> Vec<StoryStep> {
    let run = words.run;
    let after = direct_order(&run.events);
    let mut locks = Locks::default();
    let mut steps = Vec::with_capacity(run.events.len());
    let mut last_decided = None;
    for (index, event) in run.events.iter().enumerate() {
        locks.see(event);
        steps.push(StoryStep {
            number: index + 1,
            thread: event.thread,
            text: cell(words, index),
            place: event.place,
            preempts: event.preempts,
            comment: comments[index].clone(),
            change: change(words, event),
            holds: locks.of(event.thread).iter().map(|lock| words.object(*lock).to_owned()).collect(),
            after: after[index].iter().map(|before| before + 1).collect(),
            switch: switch(words, index, last_decided),
        });
        if event.decided {
            last_decided = Some(index);
        }
    }
    steps
}

/// What the event changed, as far as values are known.
fn change(words: &Words<'_>, event: &Event) -> Option<Change> {
    use Kind::*;
    let writes = match event.operation.kind {
        Store | ReadModifyWrite | Add => true,
        CompareExchange | WeakCompareExchange => event.outcome == Outcome::Done,
        Acquire | TryAcquire | TimedAcquire | Post => event.outcome == Outcome::Done,
        _ => false,
    };
    (writes && event.before != event.value).then(|| Change {
        what: words.object(event.operation.object).to_owned(),
        before: words.value(event.operation.object, event.before),
        after: words.value(event.operation.object, event.value),
    })
}

/// For each event, the events of other threads that it comes directly after: happens-before without what follows from
/// the rest of it.
pub(crate) fn direct_order(events: &[Event]) -> Vec<Vec<usize>> {
    let mut order = HappensBefore::new(Relation::Classes);
    let mut direct = Vec::with_capacity(events.len());
    let mut last: Vec<Option<usize>> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        // A run from outside may be wrong; an event cannot come after one that follows it.
        let cause = event.cause.filter(|cause| (*cause as usize) < index);
        order.push(&Event { cause, ..*event });
        if last.len() <= event.thread.index() {
            last.resize(event.thread.index() + 1, None);
        }
        let previous = last[event.thread.index()];
        let mut before: Vec<usize> = Vec::new();
        for thread in (0..last.len()).map(ThreadId::new).filter(|thread| *thread != event.thread) {
            let own = order.events_of(thread);
            let known = own.partition_point(|earlier| order.happens_before(*earlier as usize, index));
            if let Some(latest) = known.checked_sub(1).map(|at| own[at] as usize)
                && previous.is_none_or(|previous| !order.happens_before(latest, previous))
            {
                before.push(latest);
            }
        }
        let is_direct =
            |at: &usize| !before.iter().any(|other| other != at && order.happens_before(*at, *other));
        direct.push(before.iter().copied().filter(is_direct).collect());
        last[event.thread.index()] = Some(index);
    }
    direct
}

/// Why the thread of this event went and not that of the event before; empty if it is the same.
fn switch(words: &Words<'_>, index: usize, last_decided: Option<usize>) -> String {
    let events = &words.run.events;
    let event = &events[index];
    let to = event.thread;
    if index == 0 || events[index - 1].thread == to {
        return String::new();
    }
    if !event.decided {
        return format!("{to} goes at once: nothing that others do matters to this step");
    }
    let Some(from) = last_decided.map(|last| events[last].thread) else {
        return format!("the first decision: {to} is let go");
    };
    if from == to {
        return String::new();
    }
    let next =
        || events[index + 1..].iter().position(|later| later.thread == from).map(|after| index + 1 + after);
    let would = |next: usize| format!("`{}`, step {}", cell(words, next), next + 1);
    let ended = |event: &Event| event.thread == from && event.operation.kind == Kind::End;
    match (event.preempts, next()) {
        (true, Some(next)) => format!("a pre-emption: {from} could have gone on with {}", would(next)),
        (true, None) => format!("a pre-emption: {from} could have gone on"),
        (false, Some(next)) => format!("{from} had to wait before {}", would(next)),
        (false, None) if events[..index].iter().any(ended) => format!("{from} had ended"),
        (false, None) => match words.run.blocked.iter().find(|blocked| blocked.thread == from) {
            Some(blocked) => format!("{from} had to wait for {}", wants_next(blocked, words)),
            None => format!("{from} does nothing visible any more in this run"),
        },
    }
}
