//! Questions about the prefix that was built: sizes, neighbours, configurations, causality, conflict, concurrency.

use crate::id::{ConditionId, EventId, PlaceId, TransitionId};
use crate::occurrence::NONE;
use crate::order::Order;
use crate::unfolder::{Status, Unfolder};

/// Questions about the prefix.
impl Unfolder {
    /// The order in which extensions are taken.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }

    /// How many places there are.
    #[must_use]
    pub fn place_count(&self) -> usize {
        self.marked.len()
    }

    /// How many transitions there are.
    #[must_use]
    pub fn transition_count(&self) -> usize {
        self.shape.presets.len()
    }

    /// How many conditions there are: initial ones and the postsets of all events, cut-offs included.
    #[must_use]
    pub fn condition_count(&self) -> usize {
        self.net.conditions.len()
    }

    /// How many events there are, cut-offs included.
    #[must_use]
    pub fn event_count(&self) -> usize {
        self.net.events.len()
    }

    /// How many events are cut off.
    #[must_use]
    pub fn cut_off_count(&self) -> usize {
        self.cut_offs
    }

    /// How many possible extensions wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Bytes held, as far as they are counted.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.concurrency.bytes()
            + self.markings.bytes()
            + self.queue.bytes()
            + self.net.bytes()
            + self.net.conditions.len() * 8
            + self.net.events.len() * (size_of::<Status>() + 12)
    }

    /// All events, in the order in which they were taken.
    pub fn events(&self) -> impl ExactSizeIterator<Item = EventId> + use<> {
        (0..self.net.events.len() as u32).map(EventId)
    }

    /// All conditions.
    pub fn conditions(&self) -> impl ExactSizeIterator<Item = ConditionId> + use<> {
        (0..self.net.conditions.len() as u32).map(ConditionId)
    }

    /// The transition that an event fires.
    #[must_use]
    pub fn transition(&self, event: EventId) -> TransitionId {
        TransitionId(self.net.events[event.index()].transition)
    }

    /// What has been decided about an event.
    #[must_use]
    pub fn status(&self, event: EventId) -> Status {
        self.status[event.index()]
    }

    /// The conditions that an event consumes, ascending.
    pub fn preset(&self, event: EventId) -> impl ExactSizeIterator<Item = ConditionId> {
        self.net.preset(event.0).iter().map(|&condition| ConditionId(condition))
    }

    /// The conditions that an event produces, ascending.
    pub fn postset(&self, event: EventId) -> impl ExactSizeIterator<Item = ConditionId> + use<> {
        self.net.postset(event.0).map(ConditionId)
    }

    /// The place of a condition.
    #[must_use]
    pub fn place(&self, condition: ConditionId) -> PlaceId {
        PlaceId(self.net.place(condition.0))
    }

    /// The event that produced a condition; `None` for an initial one.
    #[must_use]
    pub fn producer(&self, condition: ConditionId) -> Option<EventId> {
        let producer = self.net.producer(condition.0);
        (producer != NONE).then_some(EventId(producer))
    }

    /// The initial conditions.
    pub fn initial(&self) -> impl ExactSizeIterator<Item = ConditionId> {
        self.net.initial.iter().map(|&condition| ConditionId(condition))
    }

    /// The number of events in the local configuration of an event, itself included.
    #[must_use]
    pub fn size(&self, event: EventId) -> usize {
        self.net.events[event.index()].size as usize
    }

    /// The places that a transition takes tokens from, ascending.
    pub fn places_before(&self, transition: TransitionId) -> impl ExactSizeIterator<Item = PlaceId> {
        self.shape.presets[transition.index()].iter().map(|&place| PlaceId(place))
    }

    /// The places that a transition puts tokens on, ascending.
    pub fn places_after(&self, transition: TransitionId) -> impl ExactSizeIterator<Item = PlaceId> {
        self.shape.postsets[transition.index()].iter().map(|&place| PlaceId(place))
    }

    /// An event and all its causes, in an order in which they can happen.
    pub fn local_configuration(&mut self, event: EventId) -> Vec<EventId> {
        self.closure(&[event])
    }

    /// Events and all their causes, in an order in which they can happen if they do not exclude each other.
    pub fn closure(&mut self, events: &[EventId]) -> Vec<EventId> {
        let events: Vec<u32> = events.iter().map(|event| event.0).collect();
        self.walker.closure(&self.net, &events);
        let mut closure: Vec<EventId> = self.walker.events.iter().map(|&event| EventId(event)).collect();
        closure.sort_unstable();
        closure
    }

    /// The conditions that hold when the events of a configuration have happened, ascending by place.
    pub fn cut(&mut self, configuration: &[EventId]) -> Vec<ConditionId> {
        let events: Vec<u32> = configuration.iter().map(|event| event.0).collect();
        self.walker.closure(&self.net, &events);
        let mut cut = Vec::new();
        self.walker.cut(&self.net, &mut cut);
        let mut cut: Vec<ConditionId> = cut.iter().map(|&condition| ConditionId(condition)).collect();
        cut.sort_unstable_by_key(|&condition| self.place(condition));
        cut
    }

    /// The places that are marked when the events of a configuration have happened, ascending. Of one event: the marking
    /// of its local configuration; of none: the initial marking.
    pub fn marking(&mut self, configuration: &[EventId]) -> Vec<PlaceId> {
        self.cut(configuration).into_iter().map(|condition| self.place(condition)).collect()
    }

    /// Whether `first` is a cause of `then`.
    pub fn is_before(&mut self, first: EventId, then: EventId) -> bool {
        self.walker.closure(&self.net, &[then.0]);
        first != then && self.walker.met(first.0)
    }

    /// Whether no configuration holds both events.
    pub fn in_conflict(&mut self, left: EventId, right: EventId) -> bool {
        self.walker.closure(&self.net, &[left.0, right.0]);
        self.walker.has_conflict(&self.net)
    }

    /// Whether two events can happen at the same time: neither is before the other and they are not in conflict.
    pub fn are_concurrent(&mut self, left: EventId, right: EventId) -> bool {
        left != right
            && !self.is_before(left, right)
            && !self.is_before(right, left)
            && !self.in_conflict(left, right)
    }

    /// Whether two conditions can hold at the same time.
    pub fn can_hold_together(&mut self, left: ConditionId, right: ConditionId) -> bool {
        self.walker.causes(&self.net, &[left.0, right.0]);
        if left == right || self.walker.has_conflict(&self.net) {
            return false;
        }
        self.walker.causes(&self.net, &[left.0, right.0]);
        let mut cut = Vec::new();
        self.walker.cut(&self.net, &mut cut);
        cut.contains(&left.0) && cut.contains(&right.0)
    }
}
