//! Who waits for whom when nobody can go on.

use raddle_trace::{Kind, ObjectId, Place, Run, ThreadId};

use crate::locks::Locks;

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
    let locks = Locks::after(&run.events);
    run.blocked
        .iter()
        .map(|blocked| Waiter {
            thread: blocked.thread,
            kind: blocked.pending.operation.kind,
            object: blocked.pending.operation.object,
            place: blocked.pending.place,
            by: blocked.by,
            holds: held_by(run, &locks, blocked.thread),
        })
        .collect()
}

/// What a thread holds. The world knows one holder of an object; a lock that readers share has several, and the events tell
/// them all.
fn held_by(run: &Run, locks: &Locks, thread: ThreadId) -> Vec<(ObjectId, u32, Place)> {
    let others = run.held.iter().filter(|held| held.by == thread && !locks.holds(held.object));
    let mut held: Vec<(ObjectId, u32)> = locks.taken_by(thread).collect();
    held.extend(others.map(|held| (held.object, held.since)));
    held.sort_by_key(|(_, since)| *since);
    let place = |since: u32| run.events.get(since as usize).map_or(Place::Unknown, |event| event.place);
    held.into_iter().map(|(object, since)| (object, since, place(since))).collect()
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
