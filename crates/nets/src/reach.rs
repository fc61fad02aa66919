//! Brute force: all markings of a net one by one, and all markings that a prefix shows.
//!
//! This is what unfolding avoids. It is here to check the unfolder, and for nets small enough not to need one.

use std::collections::BTreeSet;

use crate::id::{PlaceId, TransitionId};
use crate::net::{Marking, Net};
use crate::unfolder::{Status, Unfolder};

/// Everything a net can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reachable {
    /// Every reachable marking.
    pub markings: BTreeSet<Marking>,
    /// Those that enable nothing.
    pub deadlocks: BTreeSet<Marking>,
}

/// Why not everything was reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReachStop {
    /// The limit on markings.
    #[error("stopped at {0} markings, the limit; unfold the net instead, or raise the limit")]
    Markings(usize),
    /// The net is not safe.
    #[error("place number {place} can hold two tokens at once after transition number {transition}")]
    Unsafe {
        /// The place with two tokens.
        place: PlaceId,
        /// The transition that puts the second one there.
        transition: TransitionId,
    },
}

/// All reachable markings of a net, at most `limit`.
///
/// # Errors
/// When there are more, or the net is not safe.
pub fn reachable(net: &Net, limit: usize) -> Result<Reachable, ReachStop> {
    let mut found = Reachable { markings: BTreeSet::new(), deadlocks: BTreeSet::new() };
    let mut open = vec![net.initial_marking()];
    found.markings.insert(net.initial_marking());
    while let Some(marking) = open.pop() {
        let mut is_dead = true;
        for transition in net.transitions() {
            if !net.is_enabled(&marking, transition) {
                continue;
            }
            is_dead = false;
            let next =
                net.fire(&marking, transition).map_err(|place| ReachStop::Unsafe { place, transition })?;
            if !found.markings.contains(&next) {
                if found.markings.len() >= limit {
                    return Err(ReachStop::Markings(limit));
                }
                found.markings.insert(next.clone());
                open.push(next);
            }
        }
        if is_dead {
            found.deadlocks.insert(marking);
        }
    }
    Ok(found)
}

/// The markings of all configurations of a prefix without cut-offs, found by firing its events, at most `limit`
/// configurations.
///
/// # Errors
/// When there are more.
pub fn markings_of_prefix(prefix: &Unfolder, limit: usize) -> Result<BTreeSet<Marking>, ReachStop> {
    let cuts = reachable(&prefix.as_net(), limit)?;
    let marking_of = |cut: &Marking| {
        let conditions = cut.places().iter().map(|place| crate::ConditionId(place.0));
        Marking::new(conditions.map(|condition| prefix.place(condition)).collect())
    };
    Ok(cuts.markings.iter().map(marking_of).collect())
}

impl Unfolder {
    /// The prefix as a net: a place per condition, with the same number, and a transition per event that is not cut off.
    #[must_use]
    pub fn as_net(&self) -> Net {
        let mut net = Net::new();
        for condition in self.conditions() {
            net.add_place(condition.to_string(), self.producer(condition).is_none());
        }
        for event in self.events() {
            if matches!(self.status(event), Status::CutOff(_)) {
                continue;
            }
            let preset: Vec<PlaceId> = self.preset(event).map(|condition| PlaceId(condition.0)).collect();
            let postset: Vec<PlaceId> = self.postset(event).map(|condition| PlaceId(condition.0)).collect();
            let added = net.add_transition(event.to_string(), &preset, &postset);
            debug_assert!(added.is_ok(), "bug in raddle: an event of a prefix is no transition");
        }
        net
    }
}
