//! The concurrency relation, kept between events rather than between conditions.
//!
//! Two conditions can hold at once in exactly three cases: the same event produced both; the events that produced them are
//! concurrent; or one of them is still there when the event that produced the other has happened. So it suffices to
//! know, for every event, the events concurrent with it (`rows`), and for every condition the events whose history it
//! survives (`survives`). With three conditions an event this is a tenth of the relation on conditions, and every row is
//! a list that only grows at its end.
//!
//! Rows speak of *slots*: an event gets the next slot when it is extended, so events that are cut off cost nothing, and
//! an event may be extended later than its successors in the order. Slot 0 stands for the initial conditions.

use crate::occurrence::{NONE, Occurrence};

/// Who is concurrent with whom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Concurrency {
    /// For each slot the slots concurrent with it, ascending.
    rows: Vec<Vec<u32>>,
    /// For each slot its event.
    events: Vec<u32>,
    /// For each event its slot, or [`NONE`].
    slots: Vec<u32>,
    /// For each condition the slots whose history it survives, ascending.
    survives: Vec<Vec<u32>>,
    /// For each condition how many slots there were when it was added. An initial condition added late survives all of
    /// those, because nothing could consume it before.
    born: Vec<u32>,
    /// Entries in `rows` and `survives`.
    entries: usize,
    /// Scratch of `meet`.
    counts: Vec<u32>,
    epoch: u32,
}

impl Concurrency {
    pub(crate) fn new() -> Self {
        Self { rows: vec![Vec::new()], events: vec![NONE], ..Self::default() }
    }

    /// Bytes held, roughly: lists double when they grow, so a quarter is added to what is in use.
    pub(crate) fn bytes(&self) -> usize {
        self.entries * 5 + self.rows.len() * 40 + self.survives.len() * 28
    }

    pub(crate) fn slot(&self, event: u32) -> u32 {
        if event == NONE { 0 } else { self.slots[event as usize] }
    }

    pub(crate) fn event_of(&self, slot: u32) -> u32 {
        self.events[slot as usize]
    }

    /// Makes room for an event and its conditions.
    pub(crate) fn add_event(&mut self, net: &Occurrence) {
        self.slots.resize(net.events.len(), NONE);
        self.survives.resize_with(net.conditions.len(), Vec::new);
        self.born.resize(net.conditions.len(), 0);
    }

    /// Makes room for an initial condition.
    pub(crate) fn add_initial(&mut self, net: &Occurrence) {
        self.survives.resize_with(net.conditions.len(), Vec::new);
        self.born.resize(net.conditions.len(), self.rows.len() as u32);
    }

    /// The slots concurrent with all of `conditions`: those of the events concurrent with an event that consumes them.
    ///
    /// Each condition raises the count of the slots concurrent with it by one; those that all have raised are the answer.
    /// Counts begin above what earlier calls have left, so they need not be cleared.
    fn meet(&mut self, net: &Occurrence, conditions: &[u32]) -> Vec<u32> {
        if self.epoch > u32::MAX - conditions.len() as u32 {
            self.epoch = 0;
            self.counts.fill(0);
        }
        let epoch = self.epoch;
        self.epoch += conditions.len() as u32;
        self.counts.resize(self.rows.len(), 0);
        let counts = &mut self.counts[..];
        let mut met = Vec::new();
        let Some((&last, others)) = conditions.split_last() else { return met };
        let lists = |condition: u32| {
            let producer = net.producer(condition);
            let slot = if producer == NONE { 0 } else { self.slots[producer as usize] };
            // Slot 0 is no event and must not be counted.
            let always = 1..self.born[condition as usize].max(1);
            (always, &self.rows[slot as usize][..], &self.survives[condition as usize][..])
        };
        let (always, row, survives) = lists(last);
        if let Some((&first, others)) = others.split_first() {
            let all = epoch + 1 + others.len() as u32;
            let (always_first, row_first, survives_first) = lists(first);
            always_first.for_each(|other| counts[other as usize] = epoch + 1);
            row_first.iter().for_each(|&other| counts[other as usize] = epoch + 1);
            survives_first.iter().for_each(|&other| counts[other as usize] = epoch + 1);
            for (seen, &condition) in (epoch + 1..).zip(others) {
                let mut raise = |other: u32| {
                    let count = &mut counts[other as usize];
                    *count += u32::from(*count == seen);
                };
                let (always, row, survives) = lists(condition);
                always.for_each(&mut raise);
                row.iter().for_each(|&other| raise(other));
                survives.iter().for_each(|&other| raise(other));
            }
            met.extend(always.filter(|&other| counts[other as usize] == all));
            met.extend(row.iter().copied().filter(|&other| counts[other as usize] == all));
            met.extend(survives.iter().copied().filter(|&other| counts[other as usize] == all));
        } else {
            met.extend(always);
            met.extend_from_slice(row);
            met.extend_from_slice(survives);
        }
        // Each of the three is ascending, all together may not be.
        met.sort_unstable();
        met
    }

    /// Gives an event its slot. `kept` are the conditions of its cut that it did not produce itself.
    pub(crate) fn extend(&mut self, net: &Occurrence, event: u32, kept: &[u32]) -> u32 {
        let slot = self.rows.len() as u32;
        let row = self.meet(net, net.preset(event));
        for &other in &row {
            self.rows[other as usize].push(slot);
        }
        for &condition in kept {
            self.survives[condition as usize].push(slot);
        }
        self.entries += 2 * row.len() + kept.len();
        self.rows.push(row);
        self.events.push(event);
        self.slots[event as usize] = slot;
        slot
    }

    /// The slots concurrent with a slot.
    pub(crate) fn row(&self, slot: u32) -> &[u32] {
        &self.rows[slot as usize]
    }

    /// Whether two conditions of extended events (or initial ones) can hold at once.
    pub(crate) fn are_concurrent(&self, net: &Occurrence, left: u32, right: u32) -> bool {
        let (a, b) = (self.slot(net.producer(left)), self.slot(net.producer(right)));
        // A slot is given after those of its causes, so only the condition of the older slot can survive the other.
        let (older, condition, younger) = if a < b { (a, left, b) } else { (b, right, a) };
        if a == b {
            return left != right;
        }
        let (one, other) = (&self.rows[older as usize], &self.rows[younger as usize]);
        let is_in_row = if one.len() < other.len() {
            one.binary_search(&younger).is_ok()
        } else {
            other.binary_search(&older).is_ok()
        };
        is_in_row
            || younger < self.born[condition as usize]
            || self.survives[condition as usize].binary_search(&younger).is_ok()
    }
}
