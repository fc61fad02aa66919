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

/// How many times longer than another a list has to be in order to be searched instead of walked.
const LONG: usize = 16;

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
    /// The slots that have such news.
    touched: Vec<u32>,
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
    /// Scratch of `meet`: marks on slots.
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
    /// The condition with the fewest is asked first, and the others only about those. What holds from the beginning is
    /// concurrent with nearly everything: its list is longer than all others together, and is searched, not walked.
    fn meet(&mut self, net: &Occurrence, conditions: &[u32]) -> Vec<u32> {
        if self.epoch > u32::MAX - conditions.len() as u32 {
            self.epoch = 0;
            self.counts.fill(0);
        }
        self.counts.resize(self.rows.len(), 0);
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        let fewest = conditions.iter().copied().min_by_key(|&condition| self.length(net, condition));
        let Some(fewest) = fewest else { return Vec::new() };
        met.extend(self.list(net, fewest));
        for &condition in conditions.iter().filter(|&&condition| condition != fewest) {
            if self.length(net, condition) > LONG * met.len() {
                met.retain(|&slot| self.holds_after(net, condition, slot));
                continue;
            }
            // Marks are above what earlier calls have left, so they need not be cleared.
            self.epoch += 1;
            let (mut counts, epoch) = (std::mem::take(&mut self.counts), self.epoch);
            self.list(net, condition).for_each(|slot| counts[slot as usize] = epoch);
            met.retain(|&slot| counts[slot as usize] == epoch);
            self.counts = counts;
        }
        // Each of the lists is ascending, all together may not be.
        met.sort_unstable();
        // A row of its exact length: most rows are short, and there are many.
        let row = met.clone();
        self.met = met;
        row
    }

    /// The slots concurrent with a condition of an extended event, or an initial one.
    fn list(&self, net: &Occurrence, condition: u32) -> impl Iterator<Item = u32> {
        let slot = self.slot(net.producer(condition));
        // Slot 0 is no event and must not be counted.
        let always = 1..self.born[condition as usize].max(1);
        let row = self.rows[slot as usize].iter().copied();
        let news = bits(self.news[slot as usize], self.block());
        always.chain(row).chain(news).chain(self.survives[condition as usize].iter().copied())
    }

    /// How long that list is, roughly.
    fn length(&self, net: &Occurrence, condition: u32) -> usize {
        let slot = self.slot(net.producer(condition));
        let born = self.born[condition as usize] as usize;
        born + self.rows[slot as usize].len() + self.survives[condition as usize].len()
    }

    /// Whether that list has the slot.
    fn holds_after(&self, net: &Occurrence, condition: u32, slot: u32) -> bool {
        let producer = self.slot(net.producer(condition));
        let block = self.block();
        let is_new = slot >= block && self.news[producer as usize] >> (slot - block) & 1 == 1;
        is_new
            || self.rows[producer as usize].binary_search(&slot).is_ok()
            || slot < self.born[condition as usize]
            || self.survives[condition as usize].binary_search(&slot).is_ok()
    }

    /// Gives an event its slot. `kept` are the conditions of its cut that it did not produce itself.
    pub(crate) fn extend(&mut self, net: &Occurrence, event: u32, kept: &[u32]) -> u32 {
        let slot = self.rows.len() as u32;
        if slot.is_multiple_of(BLOCK) {
            self.end_block(slot - BLOCK);
        }
        let row = self.meet(net, net.preset(event));
        for &other in &row {
            let news = &mut self.news[other as usize];
            if *news == 0 {
                self.touched.push(other);
            }
            *news |= 1 << (slot % BLOCK);
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
        for slot in self.touched.drain(..) {
            let news = std::mem::take(&mut self.news[slot as usize]);
            self.rows[slot as usize].extend(bits(news, block));
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
