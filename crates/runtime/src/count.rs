//! Reference counts, which most programs cannot tell from no counts at all.
//!
//! In most programs nobody looks at a count, and whoever gives up the last reference does nothing that others notice. There
//! the changes of counts are no operations, and cost nothing. As soon as a program can tell, the run is over, and the search
//! starts again with counts that are visible ([`Hidden::Counts`]): changes commute with each other, and looking at a count
//! does not commute with them. If also the destructor of what is shared has visible operations, it matters who gives up the
//! last reference, so that giving one up does not commute with its like ([`Hidden::LastDrops`]).

use raddle_trace::level::count::{STRONG, WEAK};
use raddle_trace::{Hidden, Kind, ObjectId, Operation, Order, Place};
use raddle_world::ObjectKind;

use crate::visit::{Executed, in_run, made_events, need_visible, visit, visit_write, with_stage};

/// The count of one piece of shared data, known by the address of the data.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Odd, so that no object that lies in the data can have the same.
    key: usize,
    /// How many references there are of which the run has not been told, as a level.
    unseen: i64,
}

/// How a reference is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GivesUp {
    /// Nothing happens to the data that others could notice, even if it was the last one.
    Silently,
    /// If it was the last one, the data is destroyed, and what that does may be visible.
    WithDestructor,
}

impl Count {
    /// The count of the data at `address`, to which there are so many references now; `None` outside a run.
    #[inline]
    #[must_use]
    pub fn of(address: usize, strong: usize, weak: usize) -> Option<Count> {
        let count = Count { key: address | 1, unseen: strong as i64 * STRONG + weak as i64 * WEAK };
        in_run().then_some(count)
    }

    /// The data is new; whatever had its address before is gone.
    #[inline]
    pub fn begins(self, place: Place) {
        with_stage(|stage| {
            if stage.options.visible_counts && !stage.over {
                let number = stage.register(ObjectKind::Count(self.unseen as u64), place);
                stage.remember(self.key, number);
            }
        });
    }

    fn number(self, place: Place) -> ObjectId {
        with_stage(|stage| {
            stage.remembered(self.key).unwrap_or_else(|| {
                let number = stage.register(ObjectKind::Count(self.unseen as u64), place);
                stage.remember(self.key, number);
                number
            })
        })
    }

    /// Adds references, or takes some away, by their level; nobody sees how many there are.
    #[inline]
    pub fn add(self, change: i64, order: Order, place: Place) {
        if with_stage(|stage| stage.options.visible_counts) {
            let operation = Operation::new(Kind::Add, self.number(place), change as u64);
            visit(Operation { order, ..operation }, place);
        }
    }

    /// A reference that keeps the data is given up.
    #[inline]
    pub fn give_up(self, how: GivesUp, place: Place) {
        let exclusive =
            how == GivesUp::WithDestructor && with_stage(|stage| stage.options.visible_last_drops);
        if !exclusive {
            return self.add(-STRONG, Order::Release, place);
        }
        let executed = self.change(Order::Release, place, |level| level - STRONG);
        let last = !executed.skipped && raddle_trace::level::count::strong(executed.value) == 0;
        if last {
            // What the others did to the data comes before its end.
            let operation = Operation::new(Kind::Fence, ObjectId::NONE, 0);
            visit(Operation { order: Order::Acquire, ..operation }, place);
        }
    }

    /// Looks at the number of references; the level.
    ///
    /// This and [`Count::change`] end the run if counts are not visible.
    pub fn look(self, order: Order, place: Place) -> i64 {
        need_visible(Hidden::Counts);
        let number = self.number(place);
        let executed = visit(Operation { order, ..Operation::new(Kind::Load, number, 0) }, place);
        if executed.skipped { self.unseen } else { executed.value }
    }

    /// Changes the number of references, depending on how many there are.
    pub fn change(self, order: Order, place: Place, new: impl FnOnce(i64) -> i64) -> Executed {
        need_visible(Hidden::Counts);
        let number = self.number(place);
        let operation = Operation { order, ..Operation::new(Kind::ReadModifyWrite, number, 0) };
        visit_write(operation, place, |level| new(level as i64) as u64)
    }
}

/// Destroys data to which the last reference was given up, by `destroy`, and takes note if others can tell who did.
pub fn destroy_last(destroy: impl FnOnce()) {
    let ((), is_visible) = made_events(destroy);
    if is_visible {
        need_visible(Hidden::LastDrops);
    }
}
