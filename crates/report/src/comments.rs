//! What can be said for certain about a step: which step it undoes, which one woke it.

use raddle_detect::{Detail, Finding};
use raddle_trace::{Event, Kind, ObjectId, Outcome, Run, ThreadId};

/// A store that overwrites what another thread wrote after this one had looked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lost {
    /// The event that looked.
    pub read: usize,
    /// The event whose value is lost.
    pub write: usize,
    /// The event that overwrites it.
    pub by: usize,
}

/// All lost writes of a run, in order of the overwriting event.
pub(crate) fn lost_writes(run: &Run) -> Vec<Lost> {
    let mut lost = Vec::new();
    let mut reads: Vec<((ObjectId, ThreadId), usize)> = Vec::new();
    let mut writes: Vec<(ObjectId, usize)> = Vec::new();
    for (index, event) in run.events.iter().enumerate() {
        let object = event.operation.object;
        let key = (object, event.thread);
        if event.operation.kind == Kind::Store {
            let read = reads.iter().find(|(known, _)| *known == key).map(|(_, read)| *read);
            let write = writes.iter().find(|(known, _)| *known == object).map(|(_, write)| *write);
            if let (Some(read), Some(write)) = (read, write)
                && write > read
                && run.events[write].thread != event.thread
                && event.before != event.value
            {
                lost.push(Lost { read, write, by: index });
            }
        }
        if looks(event) {
            put(&mut reads, key, index);
        }
        if writes_to(event) {
            put(&mut writes, object, index);
        }
    }
    lost
}

fn put<K: PartialEq>(list: &mut Vec<(K, usize)>, key: K, index: usize) {
    match list.iter_mut().find(|(known, _)| *known == key) {
        Some(entry) => entry.1 = index,
        None => list.push((key, index)),
    }
}

/// Whether the event reads a cell.
pub(crate) fn looks(event: &Event) -> bool {
    use Kind::*;
    matches!(event.operation.kind, Load | ReadModifyWrite | CompareExchange | WeakCompareExchange)
}

pub(crate) fn writes_to(event: &Event) -> bool {
    use Kind::*;
    match event.operation.kind {
        Store | ReadModifyWrite => true,
        CompareExchange | WeakCompareExchange => event.outcome == Outcome::Done,
        _ => false,
    }
}

/// The comment on each event of a run that shows nothing.
pub(crate) fn plain_comments(run: &Run) -> Vec<String> {
    let mut comments: Vec<String> = run.events.iter().map(caused).collect();
    for lost in lost_writes(run) {
        comments[lost.by] = format!("undoes step {}", lost.write + 1);
    }
    comments
}

/// The comment on each event of the run that shows the finding.
pub(crate) fn comments(run: &Run, finding: &Finding) -> Vec<String> {
    let mut comments = plain_comments(run);
    if let Detail::Race { first, second, .. } = &finding.detail {
        for (own, other) in [(first.event, second.event), (second.event, first.event)] {
            if let Some(comment) = comments.get_mut(own) {
                *comment = format!("races with step {}", other + 1);
            }
        }
    }
    comments
}

fn caused(event: &Event) -> String {
    match (event.operation.kind, event.cause) {
        (Kind::Relock, Some(cause)) => format!("by step {}", cause + 1),
        (Kind::Receive | Kind::TryReceive | Kind::TimedReceive, Some(cause)) => {
            format!("from step {}", cause + 1)
        }
        _ => String::new(),
    }
}
