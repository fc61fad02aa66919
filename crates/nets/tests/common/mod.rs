//! Random nets for the tests of this crate.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses a part of it, and fails when something does"
)]

use std::collections::BTreeSet;

use raddle_nets::{EventId, Net, PlaceId, Status, Unfolder};

/// Numbers that look random and are the same every time (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % bound as u64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Automata that take some steps together: always safe. With `is_acyclic` no automaton goes back.
pub(crate) fn product(random: &mut Random, is_acyclic: bool) -> Net {
    let mut net = Net::new();
    let automata: Vec<Vec<PlaceId>> = (0..2 + random.below(3))
        .map(|i| (0..2 + random.below(3)).map(|j| net.add_place(format!("a{i}_{j}"), j == 0)).collect())
        .collect();
    for t in 0..3 + random.below(8) {
        let mut members: Vec<usize> = (0..automata.len()).collect();
        random.shuffle(&mut members);
        members.truncate(1 + random.below(3));
        let (mut preset, mut postset) = (Vec::new(), Vec::new());
        for member in members {
            let states = &automata[member];
            let from = random.below(states.len() - usize::from(is_acyclic));
            let to = if is_acyclic {
                from + 1 + random.below(states.len() - from - 1)
            } else {
                random.below(states.len())
            };
            preset.push(states[from]);
            postset.push(states[to]);
        }
        net.add_transition(format!("t{t}"), &preset, &postset).unwrap();
    }
    net
}

/// Automata that go round for ever, and need a partner for every third step or so: prefixes of hundreds of events.
pub(crate) fn rings(random: &mut Random) -> Net {
    let mut net = Net::new();
    let rings: Vec<Vec<PlaceId>> = (0..6)
        .map(|i| (0..3 + random.below(3)).map(|j| net.add_place(format!("r{i}_{j}"), j == 0)).collect())
        .collect();
    for (i, own) in rings.iter().enumerate() {
        for j in 0..own.len() {
            let (mut preset, mut postset) = (vec![own[j]], vec![own[(j + 1) % own.len()]]);
            let other = &rings[(i + 1 + random.below(rings.len() - 1)) % rings.len()];
            if random.below(3) == 0 {
                let at = random.below(other.len());
                preset.push(other[at]);
                postset.push(other[random.below(other.len())]);
            }
            net.add_transition(format!("t{i}_{j}"), &preset, &postset).unwrap();
        }
    }
    net
}

/// Any net: tokens come and go, so it may be safe or not.
pub(crate) fn any(random: &mut Random) -> Net {
    let mut net = Net::new();
    let places: Vec<PlaceId> =
        (0..4 + random.below(5)).map(|i| net.add_place(format!("p{i}"), random.below(3) == 0)).collect();
    for t in 0..2 + random.below(6) {
        let mut some = |least: usize| {
            let mut all = places.clone();
            random.shuffle(&mut all);
            all.truncate(least + random.below(3));
            all
        };
        let (preset, postset) = (some(1), some(0));
        net.add_transition(format!("t{t}"), &preset, &postset).unwrap();
    }
    net
}

/// A name for a condition or event that does not depend on the order of creation: its history in words.
pub(crate) fn history(unfolder: &Unfolder, ranks: &[u32], event: EventId) -> String {
    let mut causes: Vec<String> = unfolder
        .preset(event)
        .map(|condition| {
            let cause = unfolder.producer(condition).map(|cause| history(unfolder, ranks, cause));
            format!("{}<{}", unfolder.place(condition), cause.unwrap_or_default())
        })
        .collect();
    causes.sort();
    format!("{}({})", ranks[unfolder.transition(event).index()], causes.join(","))
}

/// The events of a prefix by their history, each with whether it is cut off.
pub(crate) fn histories(unfolder: &Unfolder, ranks: &[u32]) -> BTreeSet<(String, bool)> {
    unfolder
        .events()
        .map(|event| (history(unfolder, ranks, event), matches!(unfolder.status(event), Status::CutOff(_))))
        .collect()
}
