//! Memory cells: sequentially consistent, one value each.
//!
//! A weaker model would keep the writes that a read may still see, and offer them as alternatives of the read; that is
//! the only place it would have to change.

use raddle_trace::ObjectId;

use crate::world::World;

impl World {
    /// Gives a cell its new value, after a store, a read-modify-write or a compare-exchange was executed on it.
    pub fn write(&mut self, cell: ObjectId, value: u64) {
        let object = &mut self.objects[cell.index()];
        if object.level != value as i64 {
            object.level = value as i64;
            object.changes += 1;
            // A write of the same value changes nobody's mind, so there is nothing to look at again.
            self.refresh(cell);
        }
    }

    /// The value of a cell.
    #[must_use]
    pub fn value(&self, cell: ObjectId) -> u64 {
        self.objects[cell.index()].level as u64
    }
}
