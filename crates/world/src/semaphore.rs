//! Counting semaphores: the level is the number of permits, and that is all.

use raddle_trace::ObjectId;

use crate::world::World;

impl World {
    pub(crate) fn permits_changed(&mut self, semaphore: ObjectId) {
        self.objects[semaphore.index()].changes += 1;
    }

    /// Free permits of a semaphore.
    #[must_use]
    pub fn permits(&self, semaphore: ObjectId) -> u64 {
        self.objects[semaphore.index()].level as u64
    }
}
