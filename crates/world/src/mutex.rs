//! Mutexes: normal, recursive and error-checking, with try and timed forms.
//!
//! A normal mutex taken twice by one thread waits for itself: a deadlock of one. A recursive one counts. An
//! error-checking one is asked with [`World::is_owner`] before the operation is published, since its answer depends on
//! nobody else.

use raddle_trace::{ObjectId, Outcome, ThreadId};

use crate::world::{Misuse, World};

impl World {
    pub(crate) fn take_mutex(&mut self, mutex: ObjectId, thread: ThreadId, outcome: Outcome, number: u32) {
        if outcome == Outcome::Done {
            let object = &mut self.objects[mutex.index()];
            object.owner = Some(thread);
            object.since = number;
            object.changes += 1;
        }
    }

    pub(crate) fn give_mutex(&mut self, mutex: ObjectId, thread: ThreadId) -> Result<(), Misuse> {
        let object = &mut self.objects[mutex.index()];
        if object.owner != Some(thread) {
            return Err(Misuse::UnlockedByStranger { owner: object.owner });
        }
        object.owner = None;
        // Whoever tried to take it in vain has something to look at again.
        object.changes += 1;
        Ok(())
    }

    /// Whether the thread holds the mutex (or holds the lock for writing, or runs the initialisation).
    #[must_use]
    pub fn is_owner(&self, object: ObjectId, thread: ThreadId) -> bool {
        self.objects[object.index()].owner == Some(thread)
    }

    /// How often the owner of a recursive mutex took it beyond the first time.
    #[must_use]
    pub fn depth(&self, mutex: ObjectId) -> u32 {
        self.objects[mutex.index()].depth
    }
}
