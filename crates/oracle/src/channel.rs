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
    /// The events that sent messages, first message first.
    sent: Vec<EventName>,
    /// The events that took messages, first message first: each made room for a later one.
    taken: Vec<EventName>,
    /// Without room: by which event the receiver began to wait, while it does.
    offer: Option<EventName>,
}

impl Channel {
    pub(crate) fn new(capacity: Option<u64>, senders: u64) -> Channel {
        Channel {
            capacity,
            senders,
            messages: VecDeque::new(),
            sent: Vec::new(),
            taken: Vec::new(),
            offer: None,
        }
    }

    /// The operand of a send. Whoever waits at a channel without room has put its message down.
    pub(crate) fn room(&self) -> u64 {
        self.room_for_tries().max(1)
    }

    /// The operand of a try to send.
    pub(crate) fn room_for_tries(&self) -> u64 {
        self.capacity.unwrap_or(u64::MAX)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.messages.len() as u64 >= self.room()
    }

    /// Whether a try to send would succeed: on a channel without room, if the receiver waits and nobody else has a message
    /// for it.
    pub(crate) fn takes_at_once(&self) -> bool {
        match self.capacity {
            Some(0) => self.offer.is_some() && self.messages.is_empty(),
            _ => !self.is_full(),
        }
    }

    /// By which event the receiver began to wait.
    pub(crate) fn offer(&self) -> Option<EventName> {
        self.offer
    }

    pub(crate) fn set_offer(&mut self, event: Option<EventName>) {
        self.offer = event;
    }

    /// The number of the message that `event` sent.
    pub(crate) fn number_of(&self, event: EventName) -> Option<usize> {
        self.sent.iter().position(|sent| *sent == event)
    }

    /// The event that took the message of this number.
    pub(crate) fn taker(&self, number: usize) -> Option<EventName> {
        self.taken.get(number).copied()
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
        self.sent.push(event);
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
