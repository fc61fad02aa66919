//! One-time initialisation.

use raddle_trace::level::once;
use raddle_trace::{ObjectId, Outcome, ThreadId};

use crate::world::World;

impl World {
    pub(crate) fn enter_once(&mut self, object: ObjectId, thread: ThreadId, outcome: Outcome, number: u32) {
        if outcome == Outcome::Done {
            let object = &mut self.objects[object.index()];
            object.owner = Some(thread);
            object.since = number;
            object.changes += 1;
        }
    }

    pub(crate) fn leave_once(&mut self, object: ObjectId) {
        let object = &mut self.objects[object.index()];
        object.owner = None;
        object.changes += 1;
    }

    /// Whether the initialisation is done.
    #[must_use]
    pub fn is_complete(&self, object: ObjectId) -> bool {
        self.objects[object.index()].level == once::COMPLETE
    }
}
