//! The calls that led to the events of a run, where they are told.
//!
//! Every call is kept once, with the one that led to it, so that a long run in few functions has few calls.

use crate::Place;

/// Calls further in than this are not told: what a reader folds lies far out.
const DEEPEST: usize = 64;

/// A call that was made on the way to an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Where it was made.
    pub place: Place,
    /// The call by which its function was entered, as a number among [`Calls::made`]; none in the function that a thread
    /// began with.
    pub within: Option<u32>,
}

/// The calls of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Calls {
    /// All of them; the one that led to another stands before it.
    pub made: Vec<Call>,
    /// For each event the innermost call that led to it, if it is told: one more than its number among those that were
    /// made, and zero in the function that a thread began with.
    pub of_events: Vec<Option<u32>>,
}

impl Calls {
    /// Forgets all; what was allocated stays.
    pub fn clear(&mut self) {
        self.made.clear();
        self.of_events.clear();
    }

    /// Takes note of the calls that led to an event, the outermost first.
    pub fn note(&mut self, event: usize, way: impl Iterator<Item = Place>) {
        let mut within = None;
        for place in way.take(DEEPEST) {
            let call = Call { place, within };
            // Calls that were made lately are made again.
            let known = self.made.iter().rposition(|known| *known == call);
            let number = known.unwrap_or_else(|| {
                self.made.push(call);
                self.made.len() - 1
            });
            within = Some(number as u32);
        }
        if self.of_events.len() <= event {
            self.of_events.resize(event + 1, None);
        }
        self.of_events[event] = Some(within.map_or(0, |within| within + 1));
    }

    /// The places of the calls that led to an event, the outermost first, if they are told.
    #[must_use]
    pub fn of(&self, event: usize) -> Option<Vec<Place>> {
        let innermost = self.of_events.get(event).copied().flatten()?;
        let mut way = Vec::new();
        let mut next = innermost.checked_sub(1);
        while let Some(number) = next {
            let call = self.made.get(number as usize)?;
            way.push(call.place);
            // Calls that a message from outside makes lead to each other must not be followed for ever.
            next = call.within.filter(|within| *within < number);
        }
        way.reverse();
        Some(way)
    }

    /// An event was added at this place, of which no calls are told.
    pub fn insert(&mut self, event: usize) {
        if event < self.of_events.len() {
            self.of_events.insert(event, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Site;

    fn at(line: u32) -> Place {
        let site = Site { file: "a.c", function: "f", line, column: 1, context: 0 };
        Place::Site(Box::leak(Box::new(site)))
    }

    #[test]
    fn calls_are_kept_once_and_told_from_the_outside() {
        let mut calls = Calls::default();
        calls.note(0, std::iter::empty());
        calls.note(2, [at(1), at(2)].into_iter());
        calls.note(3, [at(1), at(3)].into_iter());
        calls.note(4, [at(1), at(2)].into_iter());
        assert_eq!(calls.made.len(), 3);
        assert_eq!((calls.of(0), calls.of(1), calls.of(9)), (Some(vec![]), None, None));
        assert_eq!((calls.of(3), calls.of(4)), (Some(vec![at(1), at(3)]), Some(vec![at(1), at(2)])));
        calls.insert(3);
        assert_eq!((calls.of(3), calls.of(5)), (None, Some(vec![at(1), at(2)])));
    }
}
