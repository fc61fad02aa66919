//! All markings in which a prefix ends, by firing its events one by one: for comparison with brute force on small
//! programs, where it is quicker than asking a solver for one after the other.

use std::collections::{BTreeSet, HashSet};

use raddle_nets::{EventId, PlaceId, Status, Unfolder};

/// A marking that enables no event: its places, and the events that lead to it.
pub(crate) type End = (Vec<PlaceId>, Vec<EventId>);

/// The markings that enable no event; `None` if more than `limit` cuts would have to be looked at.
pub(crate) fn ends(prefix: &Unfolder, limit: usize) -> Option<Vec<End>> {
    let mut consumers: Vec<Vec<EventId>> = vec![Vec::new(); prefix.condition_count()];
    for event in prefix.events() {
        prefix.preset(event).for_each(|condition| consumers[condition.index()].push(event));
    }
    let alone =
        |event: EventId| prefix.preset(event).all(|condition| consumers[condition.index()].len() == 1);
    let mut ends = Vec::new();
    let mut places_seen = BTreeSet::new();
    let mut seen: HashSet<Vec<u32>> = HashSet::new();
    let mut open: Vec<Vec<u32>> = vec![prefix.initial().map(|condition| condition.0).collect()];
    while let Some(cut) = open.pop() {
        let holds =
            |event: EventId| prefix.preset(event).all(|condition| cut.binary_search(&condition.0).is_ok());
        let candidates: BTreeSet<EventId> =
            cut.iter().flat_map(|&condition| consumers[condition as usize].iter().copied()).collect();
        let enabled: Vec<EventId> = candidates.into_iter().filter(|&event| holds(event)).collect();
        if enabled.is_empty() {
            let mut places: Vec<PlaceId> =
                cut.iter().map(|&condition| prefix.place(raddle_nets::ConditionId(condition))).collect();
            places.sort_unstable();
            if places_seen.insert(places.clone()) {
                let producers =
                    cut.iter().filter_map(|&condition| prefix.producer(raddle_nets::ConditionId(condition)));
                ends.push((places, producers.collect()));
            }
            continue;
        }
        let goes_on = |event: &EventId| prefix.status(*event) == Status::Extended;
        // An event that excludes no other has to happen sooner or later, so it may as well happen first.
        let first = enabled.iter().copied().find(|event| goes_on(event) && alone(*event));
        let next =
            first.map_or_else(|| enabled.iter().copied().filter(goes_on).collect(), |event| vec![event]);
        for event in next {
            let mut after: Vec<u32> = cut
                .iter()
                .copied()
                .filter(|&condition| prefix.preset(event).all(|consumed| consumed.0 != condition))
                .chain(prefix.postset(event).map(|condition| condition.0))
                .collect();
            after.sort_unstable();
            if seen.insert(after.clone()) {
                if seen.len() > limit {
                    return None;
                }
                open.push(after);
            }
        }
    }
    Some(ends)
}
