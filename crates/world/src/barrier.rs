//! Barriers: the level counts all arrivals; every `n`-th one ends a meeting.

use raddle_trace::{Kind, ObjectId, Operation, Outcome, ThreadId};

use crate::world::World;

impl World {
    /// After an arrival the thread's next operation is to pass, which it can when the meeting is complete.
    pub(crate) fn arrive(&mut self, thread: ThreadId, operation: &Operation, outcome: Outcome, number: u32) {
        let barrier = operation.object;
        let meeting = operation.operand.max(1) as i64;
        let arrived = self.objects[barrier.index()].level;
        let needed = (arrived + meeting - 1) / meeting * meeting;
        let place = self.pending[thread.index()].place;
        self.announce(thread, Operation::new(Kind::Pass, barrier, needed as u64), place);
        if outcome == Outcome::Last {
            self.objects[barrier.index()].changes += 1;
            let waiting = self.waiting_to_pass(barrier, needed as u64);
            for waiter in waiting.iter().filter(|&waiter| waiter != thread) {
                self.pending[waiter.index()].cause = Some(number);
            }
        }
    }

    fn waiting_to_pass(&self, barrier: ObjectId, needed: u64) -> raddle_trace::ThreadSet {
        let passes = |&thread: &ThreadId| {
            let operation = &self.pending[thread.index()].operation;
            operation.kind == Kind::Pass && operation.object == barrier && operation.operand == needed
        };
        self.has_pending.iter().filter(passes).collect()
    }
}
