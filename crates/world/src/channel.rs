//! Channels: who sent which message. The messages themselves stay with the library; here only their number and the
//! event that sent each count.

use raddle_trace::{Kind, ObjectId, Operation, Outcome};

use crate::world::World;

/// The messages of one channel, as events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    /// The events that sent the messages, in order.
    pub sent: Vec<u32>,
    /// The events that took them, in order.
    pub taken: Vec<u32>,
    /// The event by which the receiver of a channel without room last began to wait.
    pub offered: Option<u32>,
}

impl World {
    pub(crate) fn new_queue(&mut self) -> usize {
        if self.used_queues == self.queues.len() {
            self.queues.push(Queue::default());
        }
        self.used_queues += 1;
        let queue = &mut self.queues[self.used_queues - 1];
        queue.sent.clear();
        queue.taken.clear();
        queue.offered = None;
        self.used_queues - 1
    }

    /// Records a message; returns the event that made room for it.
    pub(crate) fn send(&mut self, operation: &Operation, outcome: Outcome, number: u32) -> Option<u32> {
        if outcome != Outcome::Done {
            return None;
        }
        self.objects[operation.object.index()].changes += 1;
        let queue = self.queue_mut(operation.object);
        queue.sent.push(number);
        let count = queue.sent.len() as u64 - 1;
        if operation.operand == 0 {
            return queue.offered;
        }
        count.checked_sub(operation.operand).map(|took| queue.taken[took as usize])
    }

    /// Records that the receiver begins to wait.
    pub(crate) fn offer(&mut self, channel: ObjectId, number: u32) {
        self.objects[channel.index()].changes += 1;
        self.queue_mut(channel).offered = Some(number);
    }

    /// Takes the first message; returns the event that sent it.
    pub(crate) fn receive(&mut self, operation: &Operation, outcome: Outcome, number: u32) -> Option<u32> {
        if outcome != Outcome::Done {
            return None;
        }
        self.objects[operation.object.index()].changes += 1;
        let queue = self.queue_mut(operation.object);
        let first = queue.taken.len();
        queue.taken.push(number);
        let sender = queue.sent[first];
        self.refresh_waiters(Kind::Taken);
        Some(sender)
    }

    /// The event that took message `index`, if it was taken.
    pub(crate) fn taken_by(&self, channel: ObjectId, index: u64) -> Option<u32> {
        self.queues[self.objects[channel.index()].queue].taken.get(index as usize).copied()
    }

    /// How many messages have been sent so far.
    #[must_use]
    pub fn sent(&self, channel: ObjectId) -> u64 {
        self.queues[self.objects[channel.index()].queue].sent.len() as u64
    }

    fn queue_mut(&mut self, channel: ObjectId) -> &mut Queue {
        &mut self.queues[self.objects[channel.index()].queue]
    }
}
