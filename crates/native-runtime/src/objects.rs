//! Objects of the program by their address.
//!
//! Memory is never used twice within a run, except for stacks and for objects that are initialised again, so an address
//! names an object. What an address stood for in an earlier run is forgotten by counting runs.

use raddle_coverage::hash::Table;
use raddle_trace::ObjectId;

/// What an address is used as: a lock may lie where its first byte is also used as an atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// Memory.
    Cell,
    /// A lock, a condition variable, …
    Primitive,
    /// Plain memory on which there was a race.
    Plain,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    run: u32,
    number: u32,
}

/// The objects that the current run has met.
#[derive(Debug)]
pub(crate) struct Objects {
    slots: Vec<Slot>,
    count: usize,
    run: u32,
    /// The address of each object, by number; zero for those that have none.
    addresses: Vec<usize>,
    /// The numbers that objects have in all runs, if they keep them: by key, and how many objects were there before it.
    kept: Option<Table<(u64, u32), ObjectId>>,
    /// How often an object was made anew at an address in this run.
    renewed: Table<u64, u32>,
    /// What each key stood for before it was given a number, in the order in which that happened.
    before: Vec<(u64, u32)>,
}

/// What a run had met at some moment.
#[derive(Debug, Default)]
pub(crate) struct Met {
    before: usize,
    addresses: Vec<usize>,
    renewed: Table<u64, u32>,
}

const FORGOTTEN: u32 = u32::MAX;

impl Objects {
    pub(crate) fn new() -> Objects {
        Objects {
            slots: vec![Slot { key: 0, run: 0, number: 0 }; 256],
            count: 0,
            run: 0,
            addresses: Vec::new(),
            kept: None,
            renewed: Table::default(),
            before: Vec::new(),
        }
    }

    /// From now on objects keep their numbers from run to run.
    pub(crate) fn keep_numbers(&mut self) {
        self.kept.get_or_insert_default();
    }

    /// The number that the object at this address has in all runs, if it has one.
    pub(crate) fn kept(&self, address: usize, used_as: Use) -> Option<ObjectId> {
        let key = Objects::key(address, used_as);
        let before = self.renewed.get(&key).copied().unwrap_or(0);
        self.kept.as_ref()?.get(&(key, before)).copied()
    }

    /// The object at this address has this number from now on.
    pub(crate) fn keep(&mut self, address: usize, used_as: Use, number: ObjectId) {
        let key = Objects::key(address, used_as);
        let before = self.renewed.get(&key).copied().unwrap_or(0);
        if let Some(kept) = &mut self.kept {
            kept.insert((key, before), number);
        }
    }

    /// The objects that keep their numbers, as triples of key, how many were there before, and number.
    pub(crate) fn all_kept(&self) -> Vec<u64> {
        let kept = self.kept.iter().flatten();
        let mut all: Vec<[u64; 3]> =
            kept.map(|((key, before), number)| [*key, (*before).into(), number.index() as u64]).collect();
        all.sort_unstable();
        all.into_iter().flatten().collect()
    }

    /// Takes over the numbers that another process of the same program gave.
    pub(crate) fn restore_kept(&mut self, all: &[u64]) {
        if let Some(kept) = &mut self.kept {
            for triple in all.chunks_exact(3) {
                kept.insert((triple[0], triple[1] as u32), ObjectId::new(triple[2] as u32 as usize));
            }
        }
    }

    /// A new run begins.
    pub(crate) fn reset(&mut self) {
        self.run += 1;
        self.count = 0;
        self.addresses.clear();
        self.before.clear();
        if !self.renewed.is_empty() {
            self.renewed.clear();
        }
    }

    /// Keeps what the run has met so far.
    pub(crate) fn keep_in(&self, met: &mut Met) {
        met.before = self.before.len();
        met.addresses.clone_from(&self.addresses);
        met.renewed.clone_from(&self.renewed);
    }

    /// The run has met only this; the numbers that objects keep stay.
    pub(crate) fn put_back(&mut self, met: &Met) {
        while self.before.len() > met.before {
            if let Some((key, number)) = self.before.pop() {
                self.put(key, number);
            }
        }
        self.addresses.clone_from(&met.addresses);
        if !(self.renewed.is_empty() && met.renewed.is_empty()) {
            self.renewed.clone_from(&met.renewed);
        }
    }

    fn key(address: usize, used_as: Use) -> u64 {
        (address as u64) << 2 | used_as as u64
    }

    /// Where the key is, or where it would go.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].run == self.run && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// The number of the object at this address, if the run has met it.
    #[inline]
    pub(crate) fn find(&self, address: usize, used_as: Use) -> Option<ObjectId> {
        let slot = &self.slots[self.slot(Objects::key(address, used_as))];
        (slot.run == self.run && slot.number != FORGOTTEN).then(|| ObjectId::new(slot.number as usize))
    }

    /// The object at this address has this number.
    pub(crate) fn set(&mut self, address: usize, used_as: Use, number: ObjectId) {
        if self.count * 2 >= self.slots.len() {
            self.grow();
        }
        self.change(Objects::key(address, used_as), number.index() as u32);
        self.note(address, number);
    }

    /// The object with this number lies at this address, which may also be that of another one.
    pub(crate) fn note(&mut self, address: usize, number: ObjectId) {
        if self.addresses.len() <= number.index() {
            self.addresses.resize(number.index() + 1, 0);
        }
        self.addresses[number.index()] = address;
    }

    /// Puts a number in the place of another, or of none, so that it can be undone.
    fn change(&mut self, key: u64, number: u32) {
        let slot = &self.slots[self.slot(key)];
        self.before.push((key, if slot.run == self.run { slot.number } else { FORGOTTEN }));
        self.put(key, number);
    }

    fn put(&mut self, key: u64, number: u32) {
        let at = self.slot(key);
        if self.slots[at].run != self.run {
            self.count += 1;
        }
        self.slots[at] = Slot { key, run: self.run, number };
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![Slot { key: 0, run: 0, number: 0 }; old.len() * 2];
        self.count = 0;
        let run = self.run;
        for slot in old.iter().filter(|slot| slot.run == run) {
            self.put(slot.key, slot.number);
        }
    }

    /// There is a new object at this address, or none.
    pub(crate) fn forget(&mut self, address: usize, used_as: Use) {
        if self.find(address, used_as).is_some() {
            let key = Objects::key(address, used_as);
            self.change(key, FORGOTTEN);
            *self.renewed.entry(key).or_insert(0) += 1;
        }
    }

    /// The address of an object; zero if it has none.
    pub(crate) fn address(&self, object: usize) -> usize {
        self.addresses.get(object).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_number_until_the_next_run_or_until_it_is_forgotten() {
        let mut objects = Objects::new();
        objects.reset();
        for number in 0..1000 {
            objects.set(0x1000 + number * 4, Use::Cell, ObjectId::new(number));
        }
        objects.set(0x1000, Use::Primitive, ObjectId::new(5000));
        assert_eq!(objects.find(0x1000, Use::Cell), Some(ObjectId::new(0)));
        assert_eq!(objects.find(0x1000, Use::Primitive), Some(ObjectId::new(5000)));
        assert_eq!(objects.find(0x1000 + 999 * 4, Use::Cell), Some(ObjectId::new(999)));
        assert_eq!(objects.address(999), 0x1000 + 999 * 4);
        objects.forget(0x1000, Use::Cell);
        assert_eq!(objects.find(0x1000, Use::Cell), None);
        objects.reset();
        assert_eq!(objects.find(0x1004, Use::Cell), None);
    }

    #[test]
    fn what_was_met_after_a_checkpoint_is_unknown_again() {
        let mut objects = Objects::new();
        let mut met = Met::default();
        objects.reset();
        objects.set(0x10, Use::Cell, ObjectId::new(0));
        objects.set(0x20, Use::Primitive, ObjectId::new(1));
        objects.keep_in(&mut met);
        for round in 0..3 {
            objects.forget(0x20, Use::Primitive);
            objects.set(0x20, Use::Primitive, ObjectId::new(2));
            for number in 0..1000 {
                objects.set(0x1000 + number * 4, Use::Cell, ObjectId::new(3 + number));
            }
            assert_eq!(objects.find(0x1004, Use::Cell), Some(ObjectId::new(4)), "round {round}");
            objects.put_back(&met);
            assert_eq!(objects.find(0x10, Use::Cell), Some(ObjectId::new(0)));
            assert_eq!(objects.find(0x20, Use::Primitive), Some(ObjectId::new(1)));
            assert_eq!(objects.find(0x1004, Use::Cell), None);
            assert_eq!(objects.address(4), 0);
        }
    }
}
