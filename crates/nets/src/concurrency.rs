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

/// How many slots are added to the rows at a time.
const BLOCK: u32 = u64::BITS;

/// The slots that the bits of a block stand for.
fn bits(mut word: u64, block: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < BLOCK).then_some(block + bit)
    })
}

/// Who is concurrent with whom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Concurrency {
    /// For each slot the slots concurrent with it, ascending, without those of the newest block.
    rows: Vec<Vec<u32>>,
    /// For each slot those of the newest block of 64 that are concurrent with it, as bits. Most rows get new members all the
    /// time: adding them a block at a time touches each row once instead of many times.
    news: Vec<u64>,
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
    met: Vec<u32>,
}

impl Concurrency {
    pub(crate) fn new() -> Self {
        Self { rows: vec![Vec::new()], news: vec![0], events: vec![NONE], ..Self::default() }
    }

    /// Bytes held, roughly: lists double when they grow, so a quarter is added to what is in use.
    pub(crate) fn bytes(&self) -> usize {
        self.entries * 5 + self.rows.len() * 48 + self.survives.len() * 28
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
        let block = self.block();
        let counts = &mut self.counts[..];
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        let Some((&last, others)) = conditions.split_last() else { return Vec::new() };
        let lists = |condition: u32| {
            let producer = net.producer(condition);
            let slot = if producer == NONE { 0 } else { self.slots[producer as usize] };
            // Slot 0 is no event and must not be counted.
            let always = 1..self.born[condition as usize].max(1);
            let row = self.rows[slot as usize].iter().copied();
            let news = bits(self.news[slot as usize], block);
            let survives = self.survives[condition as usize].iter().copied();
            always.chain(row).chain(news).chain(survives)
        };
        if let Some((&first, others)) = others.split_first() {
            let all = epoch + 1 + others.len() as u32;
            lists(first).for_each(|other| counts[other as usize] = epoch + 1);
            for (seen, &condition) in (epoch + 1..).zip(others) {
                lists(condition).for_each(|other| {
                    let count = &mut counts[other as usize];
                    *count += u32::from(*count == seen);
                });
            }
            lists(last).for_each(|other| {
                if counts[other as usize] == all {
                    met.push(other);
                }
            });
        } else {
            met.extend(lists(last));
        }
        // Each of the lists is ascending, all together may not be.
        met.sort_unstable();
        // A row of its exact length: most rows are short, and there are many.
        let row = met.clone();
        self.met = met;
        row
    }

    /// Gives an event its slot. `kept` are the conditions of its cut that it did not produce itself.
    pub(crate) fn extend(&mut self, net: &Occurrence, event: u32, kept: &[u32]) -> u32 {
        let slot = self.rows.len() as u32;
        if slot.is_multiple_of(BLOCK) {
            self.end_block(slot - BLOCK);
        }
        let row = self.meet(net, net.preset(event));
        for &other in &row {
            self.news[other as usize] |= 1 << (slot % BLOCK);
        }
        for &condition in kept {
            self.survives[condition as usize].push(slot);
        }
        self.entries += 2 * row.len() + kept.len();
        self.rows.push(row);
        self.news.push(0);
        self.events.push(event);
        self.slots[event as usize] = slot;
        slot
    }

    /// The first slot of the newest block.
    fn block(&self) -> u32 {
        (self.rows.len() as u32 - 1) / BLOCK * BLOCK
    }

    /// Enters the members of a block into the rows.
    fn end_block(&mut self, block: u32) {
        for (row, news) in self.rows.iter_mut().zip(&mut self.news) {
            if *news != 0 {
                row.extend(bits(std::mem::take(news), block));
            }
        }
    }

    /// The slots concurrent with the newest slot.
    pub(crate) fn newest_row(&self) -> &[u32] {
        self.rows.last().map_or(&[], Vec::as_slice)
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
        let is_in_row = if younger >= self.block() {
            self.news[older as usize] >> (younger % BLOCK) & 1 == 1
        } else if one.len() < other.len() {
            one.binary_search(&younger).is_ok()
        } else {
            other.binary_search(&older).is_ok()
        };
        is_in_row
            || younger < self.born[condition as usize]
            || self.survives[condition as usize].binary_search(&younger).is_ok()
    }
}
