//! Counting semaphores: the level is the number of permits, and that is all.

use raddle_trace::ObjectId;

use crate::world::World;

impl World {
    pub(crate) fn permits_changed(&mut self, semaphore: ObjectId) {
        self.objects[semaphore.index()].changes += 1;
    }
}
