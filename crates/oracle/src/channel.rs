//! Channels.

use std::collections::VecDeque;

use raddle_trace::Outcome;

use crate::state::EventName;

/// A channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Channel {
    capacity: Option<u64>,
    senders: u64,
    /// The messages, and the events that sent them.
    messages: VecDeque<(i64, EventName)>,
    /// The events that took messages, first message first: each made room for a later one.
    taken: Vec<EventName>,
}

impl Channel {
    pub(crate) fn new(capacity: Option<u64>, senders: u64) -> Channel {
        Channel { capacity, senders, messages: VecDeque::new(), taken: Vec::new() }
    }

    /// The operand of a send.
    pub(crate) fn room(&self) -> u64 {
        self.capacity.unwrap_or(u64::MAX)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.messages.len() as u64 >= self.room()
    }

    /// How a receive would end, if it ends with `otherwise` on a channel that is empty for now.
    pub(crate) fn receive_outcome(&self, otherwise: Option<Outcome>) -> Option<Outcome> {
        if !self.messages.is_empty() {
            Some(Outcome::Done)
        } else if self.senders == 0 {
            Some(Outcome::Closed)
        } else {
            otherwise
        }
    }

    /// The event that made room for the next message: with room for n, message j waits until message j - n is taken.
    pub(crate) fn made_room(&self) -> Option<EventName> {
        let number = (self.taken.len() + self.messages.len()) as u64;
        number.checked_sub(self.room()).map(|freed| self.taken[freed as usize])
    }

    /// The event that sent the first message.
    pub(crate) fn sent_first(&self) -> Option<EventName> {
        self.messages.front().map(|(_, sent)| *sent)
    }

    pub(crate) fn push(&mut self, value: i64, event: EventName) {
        assert!(!self.is_full(), "bug in raddle: sent into a full channel");
        self.messages.push_back((value, event));
    }

    pub(crate) fn take(&mut self, event: EventName) -> i64 {
        self.taken.push(event);
        self.messages.pop_front().expect("bug in raddle: received from an empty channel").0
    }

    pub(crate) fn drop_sender(&mut self) {
        assert!(self.senders > 0, "bug in raddle: dropped a sender too many");
        self.senders -= 1;
    }
}
