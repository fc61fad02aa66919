//! A prefix as plain data: what files and pictures of it are made from, also where there is no unfolder at hand.

use crate::id::{ConditionId, EventId, PlaceId, TransitionId};
use crate::unfolder::{Companion, Status, Unfolder};

/// A condition of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfoldedCondition {
    /// Its place.
    pub place: PlaceId,
    /// The event that produced it; `None` for an initial one.
    pub producer: Option<EventId>,
}

/// An event of a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfoldedEvent {
    /// The transition that it fires.
    pub transition: TransitionId,
    /// The conditions that it consumes, ascending.
    pub preset: Vec<ConditionId>,
    /// What was decided about it.
    pub status: Status,
}

/// A prefix of an unfolding: its conditions and events by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfolded {
    /// Its conditions.
    pub conditions: Vec<UnfoldedCondition>,
    /// Its events, causes before effects.
    pub events: Vec<UnfoldedEvent>,
}

impl Unfolder {
    /// The prefix that was built so far.
    #[must_use]
    pub fn unfolded(&self) -> Unfolded {
        self.first_events(self.event_count())
    }

    /// The part of the prefix that its first events make up. A companion that is not among them is left out.
    #[must_use]
    pub fn first_events(&self, most: usize) -> Unfolded {
        let mut unfolded = Unfolded::default();
        let mut numbers = vec![None; self.condition_count()];
        for condition in self.conditions() {
            let producer = self.producer(condition);
            if producer.is_some_and(|event| event.index() >= most) {
                continue;
            }
            numbers[condition.index()] = Some(ConditionId(unfolded.conditions.len() as u32));
            unfolded.conditions.push(UnfoldedCondition { place: self.place(condition), producer });
        }
        let known = |companion: &Companion| match companion {
            Companion::Initial => true,
            Companion::Event(event) => event.index() < most,
        };
        for event in self.events().take(most) {
            let status = match self.status(event) {
                Status::CutOff(companion) => Status::CutOff(companion.filter(known)),
                status => status,
            };
            // The causes of an event come before it, so what it consumes is there.
            let preset = self.preset(event).filter_map(|condition| numbers[condition.index()]).collect();
            unfolded.events.push(UnfoldedEvent { transition: self.transition(event), preset, status });
        }
        unfolded
    }
}

impl Unfolded {
    /// All events, with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (EventId, &UnfoldedEvent)> {
        self.events.iter().enumerate().map(|(index, event)| (EventId(index as u32), event))
    }
}
