//! Which locks every thread holds, step by step.

use raddle_trace::{Event, Kind, ObjectId, Outcome, ThreadId};

/// The locks that are held after some events of a run.
#[derive(Clone, Debug, Default)]
pub struct Locks {
    held: Vec<Vec<ObjectId>>,
    /// For each of `held`, the number of the event that took it.
    since: Vec<Vec<u32>>,
    seen: u32,
}

impl Locks {
    /// The locks that are held after these events.
    #[must_use]
    pub fn after(events: &[Event]) -> Locks {
        let mut locks = Locks::default();
        events.iter().for_each(|event| locks.see(event));
        locks
    }

    /// The locks that a thread holds, in the order in which it took them.
    #[must_use]
    pub fn of(&self, thread: ThreadId) -> &[ObjectId] {
        self.held.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// The locks that a thread holds, each with the number of the event that took it.
    pub(crate) fn taken_by(&self, thread: ThreadId) -> impl Iterator<Item = (ObjectId, u32)> {
        let since = self.since.get(thread.index()).map_or(&[][..], Vec::as_slice);
        self.of(thread).iter().copied().zip(since.iter().copied())
    }

    /// Whether any thread holds it.
    pub(crate) fn holds(&self, object: ObjectId) -> bool {
        self.held.iter().any(|held| held.contains(&object))
    }

    /// Takes the next event into account.
    pub fn see(&mut self, event: &Event) {
        use Kind::*;
        if self.held.len() <= event.thread.index() {
            self.held.resize_with(event.thread.index() + 1, Vec::new);
            self.since.resize_with(event.thread.index() + 1, Vec::new);
        }
        let held = &mut self.held[event.thread.index()];
        let since = &mut self.since[event.thread.index()];
        let number = self.seen;
        self.seen += 1;
        let object = event.operation.mutex().unwrap_or(event.operation.object);
        match event.operation.kind {
            Lock | TryLock | TimedLock | Relock | Read | TryRead | TimedRead | Write | TryWrite
            | TimedWrite
                if event.outcome == Outcome::Done =>
            {
                held.push(object);
                since.push(number);
            }
            Unlock | ReadUnlock | WriteUnlock | Wait | TimedWait | FickleWait => {
                if let Some(at) = held.iter().rposition(|held| *held == object) {
                    held.remove(at);
                    since.remove(at);
                }
            }
            // Whoever downgrades a lock holds it as before, and since then.
            _ => {}
        }
    }
}
