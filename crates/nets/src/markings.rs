//! The table of markings: which extended event reached a marking first.
//!
//! Entry 0 is the initial marking, entry n + 1 that of the local configuration of event n. Markings are looked up by a hash
//! and then compared for real, so two markings with one hash do no harm. The marking of an entry is not stored but
//! walked again, which happens only when a hash was seen before.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::occurrence::{NONE, Occurrence, Walker};

/// The hash of a marking is already a good number: it is used as it is.
#[derive(Clone, Copy, Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// Entries by marking.
#[derive(Clone, Debug)]
pub(crate) struct Markings {
    /// The newest entry for each hash.
    newest: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
    /// For each entry the next one with the same hash (and another marking), or [`NONE`].
    older: Vec<u32>,
    cut: Vec<u32>,
    marking: Vec<u32>,
    other: Vec<u32>,
}

impl Markings {
    pub(crate) fn new() -> Self {
        Self {
            newest: HashMap::from_iter([(0, 0)]),
            older: vec![NONE],
            cut: Vec::new(),
            marking: Vec::new(),
            other: Vec::new(),
        }
    }

    /// Bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.newest.capacity() * 17 + self.older.len() * 4
    }

    /// The entry with the marking of an event.
    pub(crate) fn find(&mut self, net: &Occurrence, walker: &mut Walker, event: u32) -> Option<u32> {
        let mut entry = *self.newest.get(&net.events[event as usize].hash)?;
        walker.closure(net, &[event]);
        walker.cut(net, &mut self.cut);
        sort_places(net, &self.cut, &mut self.marking);
        while entry != NONE {
            match entry {
                0 => walker.closure(net, &[]),
                _ => walker.closure(net, &[entry - 1]),
            }
            walker.cut(net, &mut self.cut);
            sort_places(net, &self.cut, &mut self.other);
            if self.marking == self.other {
                return Some(entry);
            }
            entry = self.older[entry as usize];
        }
        None
    }

    /// Enters an event whose marking has no entry yet.
    pub(crate) fn add(&mut self, net: &Occurrence, event: u32) {
        let hash = net.events[event as usize].hash;
        self.older.resize(net.events.len() + 1, NONE);
        let before = self.newest.insert(hash, event + 1);
        self.older[event as usize + 1] = before.unwrap_or(NONE);
    }

    /// Puts an event in the place of an entry with the same marking.
    pub(crate) fn replace(&mut self, net: &Occurrence, old: u32, event: u32) {
        let hash = net.events[event as usize].hash;
        self.older.resize(net.events.len() + 1, NONE);
        let new = event + 1;
        self.older[new as usize] = self.older[old as usize];
        let Some(newest) = self.newest.get_mut(&hash) else { return };
        if *newest == old {
            *newest = new;
            return;
        }
        let mut entry = *newest;
        while entry != NONE {
            let next = self.older[entry as usize];
            if next == old {
                self.older[entry as usize] = new;
            }
            entry = next;
        }
    }
}

/// The places of conditions, ascending.
fn sort_places(net: &Occurrence, conditions: &[u32], places: &mut Vec<u32>) {
    places.clear();
    places.extend(conditions.iter().map(|&condition| net.place(condition)));
    places.sort_unstable();
}

/// A number for a place whose bits look random (the finaliser of splitmix64). The hash of a marking is that of its places
/// together, by exclusive or, relative to the initial marking: so a transition always changes it by the same number, and
/// a marked place added later does not change it at all.
pub(crate) fn scramble(place: u32) -> u64 {
    let mut bits = (u64::from(place) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
