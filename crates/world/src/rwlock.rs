//! Reader-writer locks. Neither side is preferred: any order that the lock allows can happen.

use raddle_trace::{ObjectId, Outcome, ThreadId};

use crate::world::{Misuse, World};

impl World {
    /// Whether a thread has a lock to read.
    #[must_use]
    pub fn reads(&self, lock: ObjectId, thread: ThreadId) -> bool {
        let object = &self.objects[lock.index()];
        object.owner.is_none() && object.threads.contains(thread)
    }

    pub(crate) fn share_lock(&mut self, lock: ObjectId, thread: ThreadId, outcome: Outcome, number: u32) {
        if outcome == Outcome::Done {
            let object = &mut self.objects[lock.index()];
            object.threads.insert(thread);
            object.since = number;
        }
    }

    pub(crate) fn unshare_lock(&mut self, lock: ObjectId, thread: ThreadId) {
        let object = &mut self.objects[lock.index()];
        object.changes += 1;
        // A thread may share a lock several times; while others' shares are left the set is only used for reports.
        object.threads.remove(thread);
    }

    pub(crate) fn end_writing(&mut self, lock: ObjectId, thread: ThreadId) -> Result<(), Misuse> {
        self.give_mutex(lock, thread)
    }

    pub(crate) fn downgrade(&mut self, lock: ObjectId, thread: ThreadId) -> Result<(), Misuse> {
        self.end_writing(lock, thread)?;
        let object = &mut self.objects[lock.index()];
        object.threads.insert(thread);
        object.changes += 1;
        Ok(())
    }
}
