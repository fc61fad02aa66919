//! Who waits for whom when nobody can go on.

use raddle_trace::{Kind, ObjectId, Place, Run, ThreadId};

/// A thread that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiter {
    /// Who.
    pub thread: ThreadId,
    /// What it wants to do.
    pub kind: Kind,
    /// To which object; none for a join.
    pub object: ObjectId,
    /// Where in the source.
    pub place: Place,
    /// Who would have to act first, if that is one thread.
    pub by: Option<ThreadId>,
    /// What it holds, with the event in which it got it and where that was.
    pub holds: Vec<(ObjectId, u32, Place)>,
}

/// All threads that could not go on at the end of a run.
#[must_use]
pub fn waiters(run: &Run) -> Vec<Waiter> {
    run.blocked
        .iter()
        .map(|blocked| Waiter {
            thread: blocked.thread,
            kind: blocked.pending.operation.kind,
            object: blocked.pending.operation.object,
            place: blocked.pending.place,
            by: blocked.by,
            holds: held_by(run, blocked.thread),
        })
        .collect()
}

fn held_by(run: &Run, thread: ThreadId) -> Vec<(ObjectId, u32, Place)> {
    let held = run.held.iter().filter(|held| held.by == thread);
    held.map(|held| {
        let place = run.events.get(held.since as usize).map_or(Place::Unknown, |event| event.place);
        (held.object, held.since, place)
    })
    .collect()
}

/// Threads of which each waits for the next and the last for the first; empty if there is no such circle.
#[must_use]
pub(crate) fn cycle(run: &Run) -> Vec<ThreadId> {
    let next = |thread: ThreadId| run.blocked.iter().find(|blocked| blocked.thread == thread)?.by;
    for start in run.blocked.iter().map(|blocked| blocked.thread) {
        let mut way = vec![start];
        while let Some(following) = way.last().and_then(|&last| next(last)) {
            if following == start {
                return way;
            }
            if way.contains(&following) {
                break;
            }
            way.push(following);
        }
    }
    Vec::new()
}
