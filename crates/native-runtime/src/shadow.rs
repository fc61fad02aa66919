//! Shadow memory: for every eight bytes of the program's memory, who touched them last and whether they may be touched.
//!
//! A granule keeps the accesses that a later one can race with, by byte (Flanagan and Freund, FastTrack 2009, with a mask
//! of bytes as in ThreadSanitizer): an access takes the place of those that happen before it and that it covers. What an
//! earlier run left is recognised by the number of its run, so nothing is cleared between runs.
//!
//! Atomic accesses race with plain ones alone. As long as a granule has seen no plain access, atomic ones are only written
//! down, one after the other; the first plain access compares itself with all of them.

use raddle_coverage::hash::Table;
use raddle_detect::Clocks;
use raddle_trace::ThreadId;

use crate::abi::RawSite;

/// Bytes of a granule.
pub(crate) const GRANULE: usize = 8;
const PAGE: usize = 4096;
const CELLS: usize = PAGE / GRANULE;
const INLINE: usize = 4;
const CACHED: usize = 1024;

/// Whether the bytes of a granule may be touched: the number of bytes from its start, or one of these.
pub(crate) mod state {
    /// Not looked up yet in this run.
    pub(crate) const UNKNOWN: u8 = 0x40;
    /// All bytes.
    pub(crate) const ALL: u8 = 8;
    /// None: the block was freed.
    pub(crate) const FREED: u8 = 0x80;
}

/// An access that later ones can race with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub site: *const RawSite,
    /// The thread's time ([`Clocks::time`]).
    pub time: u32,
    /// How many events the run had.
    pub events: u32,
    pub thread: ThreadId,
    /// Which bytes of the granule.
    pub mask: u8,
    pub writes: bool,
    pub atomic: bool,
}

/// A granule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    run: u32,
    /// Where its last atomic access is written down, counted from one; zero if none is, or if they are kept like others.
    last: u32,
    pub state: u8,
    count: u8,
    /// Whether an atomic operation used it.
    pub atomic: bool,
    /// Whether more accesses are kept beside.
    spilled: bool,
    /// Which bytes belonged to a local variable whose function has returned.
    pub gone: u8,
    touches: [Touch; INLINE],
}

type Page = [Cell; CELLS];

/// Pages for which address space is taken at once.
const SPARE: usize = 64;

/// The shadow of all memory that was touched.
pub(crate) struct Shadow {
    pages: Table<usize, *mut Cell>,
    /// The next page that is not used yet, and how many there are.
    spare: (*mut Page, usize),
    /// The last page with each of the lowest bits of its number.
    cache: Vec<(usize, *mut Cell)>,
    /// The part of a run that is being made: a run has one, and one more after each checkpoint in it.
    run: u32,
    /// The number of the last part there was.
    parts: u32,
    /// The parts before, whose cells still count.
    before: Vec<u32>,
    /// Cells of those parts as they were before the current one, or one after theirs, touched them.
    overwritten: Vec<(*mut Cell, Cell)>,
    /// Accesses that did not fit into their cell, and of which part of a run they are.
    spilled: Table<usize, (u32, Vec<Touch>)>,
    /// Atomic accesses that are only written down, each with the number of the one before at its granule ([`Cell::last`]).
    atomics: Vec<(Touch, u32)>,
}

/// Where the shadow was at a checkpoint.
#[derive(Debug, Default)]
pub(crate) struct Mark {
    before: usize,
    overwritten: usize,
    spilled: Vec<(usize, Vec<Touch>)>,
    atomics: usize,
}

/// What the current thread knows.
pub(crate) struct Knowledge<'a> {
    pub clocks: &'a Clocks,
    pub touch: Touch,
}

impl<'a> Knowledge<'a> {
    pub(crate) fn new(clocks: &'a Clocks, touch: Touch) -> Knowledge<'a> {
        Knowledge { clocks, touch }
    }

    #[inline]
    fn races_with(&self, other: &Touch) -> bool {
        let touch = &self.touch;
        other.thread != touch.thread
            && other.mask & touch.mask != 0
            && (other.writes || touch.writes)
            && !(other.atomic && touch.atomic)
            && !self.clocks.knows(touch.thread, other.thread, other.time)
    }

    /// Whether everything that races with `other` later races with this access as well.
    #[inline]
    fn replaces(&self, other: &Touch) -> bool {
        let touch = &self.touch;
        let covers = other.mask & !touch.mask == 0
            && (touch.writes || !other.writes)
            && (other.atomic || !touch.atomic);
        covers && (other.thread == touch.thread || self.clocks.knows(touch.thread, other.thread, other.time))
    }

    /// Whether `other`, of the same thread at the same time, makes this access superfluous.
    #[inline]
    fn is_replaced_by(&self, other: &Touch) -> bool {
        let touch = &self.touch;
        other.thread == touch.thread
            && other.time == touch.time
            && touch.mask & !other.mask == 0
            && (other.writes || !touch.writes)
            && (!other.atomic || touch.atomic)
    }
}

impl Cell {
    /// Compares an access with the earlier ones and keeps it; returns one that it races with.
    #[inline]
    fn touch(&mut self, knowledge: &Knowledge<'_>) -> Result<(), Outcome> {
        let mut kept = 0;
        for at in 0..usize::from(self.count) {
            let other = self.touches[at];
            if knowledge.races_with(&other) {
                return Err(Outcome::Race(other));
            }
            if knowledge.is_replaced_by(&other) {
                return Ok(());
            }
            if !knowledge.replaces(&other) {
                self.touches[kept] = other;
                kept += 1;
            }
        }
        if kept == INLINE || self.spilled {
            self.count = kept as u8;
            return Err(Outcome::Spill);
        }
        self.touches[kept] = knowledge.touch;
        self.count = kept as u8 + 1;
        Ok(())
    }

    /// Forgets the accesses.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.last = 0;
        self.spilled = false;
    }

    /// Whether anybody touched it.
    pub(crate) fn is_touched(&self) -> bool {
        self.last > 0 || self.is_compared()
    }

    /// Whether it keeps accesses that an atomic one has to be compared with.
    #[inline]
    fn is_compared(&self) -> bool {
        self.count > 0 || self.spilled
    }
}

/// Pages of cells that no run has touched. Only what is used needs memory, and a forked process finds them there.
fn more_pages() -> (*mut Page, usize) {
    // SAFETY: a new mapping that replaces none. All zeros is a valid cell: no site, no accesses, and a run that never was.
    let pages = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            SPARE * size_of::<Page>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    assert!(pages != libc::MAP_FAILED, "could not get memory for what is known of the program's memory");
    (pages.cast(), SPARE)
}

/// Why an access was not simply kept.
enum Outcome {
    /// It races with this one.
    Race(Touch),
    /// There are too many to keep in the cell.
    Spill,
}

impl Shadow {
    pub(crate) fn new() -> Shadow {
        Shadow {
            pages: Table::default(),
            spare: more_pages(),
            cache: vec![(usize::MAX, std::ptr::null_mut()); CACHED],
            run: 0,
            parts: 0,
            before: Vec::new(),
            overwritten: Vec::new(),
            spilled: Table::default(),
            atomics: Vec::new(),
        }
    }

    /// A new run begins.
    pub(crate) fn reset(&mut self) {
        self.before.clear();
        self.overwritten.clear();
        self.atomics.clear();
        self.begin_part();
    }

    fn begin_part(&mut self) {
        self.parts += 1;
        self.run = self.parts;
    }

    /// A new part of the run begins, to whose beginning [`Shadow::put_back`] can return.
    pub(crate) fn mark(&mut self) -> Mark {
        let live = |(granule, (run, touches)): (&usize, &(u32, Vec<Touch>))| {
            (*run == self.run || self.before.contains(run)).then(|| (*granule, touches.clone()))
        };
        let mut spilled: Vec<_> = self.spilled.iter().filter_map(live).collect();
        spilled.sort_unstable_by_key(|(granule, _)| *granule);
        self.before.push(self.run);
        self.begin_part();
        let (before, overwritten) = (self.before.len(), self.overwritten.len());
        Mark { before, overwritten, spilled, atomics: self.atomics.len() }
    }

    /// Back to a mark of this run, or of an earlier one that is still as it was then.
    pub(crate) fn put_back(&mut self, mark: &Mark) {
        while self.overwritten.len() > mark.overwritten {
            if let Some((at, cell)) = self.overwritten.pop() {
                // SAFETY: a cell of a page, which is never given back; nobody holds a reference to it.
                unsafe { *at = cell };
            }
        }
        self.before.truncate(mark.before);
        self.atomics.truncate(mark.atomics);
        self.begin_part();
        for (granule, touches) in &mark.spilled {
            let (run, more) = self.spilled.entry(*granule).or_default();
            *run = self.run;
            more.clone_from(touches);
        }
    }

    /// The cell of an address.
    #[inline]
    pub(crate) fn cell(&mut self, address: usize) -> &mut Cell {
        let number = address / PAGE;
        let cached = self.cache[number % CACHED];
        let page = if cached.0 == number { cached.1 } else { self.page(number) };
        // SAFETY: pages are never given back, and the index is below their number of cells.
        let cell = unsafe { &mut *page.add(address / GRANULE % CELLS) };
        if cell.run != self.run {
            if self.before.contains(&cell.run) {
                self.overwritten.push((cell, *cell));
            } else {
                cell.state = state::UNKNOWN;
                cell.last = 0;
                cell.count = 0;
                cell.atomic = false;
                cell.spilled = false;
                cell.gone = 0;
            }
            cell.run = self.run;
        }
        cell
    }

    /// The cell of an address, if the current run touched it.
    pub(crate) fn known_cell(&mut self, address: usize) -> Option<&mut Cell> {
        let page = *self.pages.get(&(address / PAGE))?;
        // SAFETY: pages are never given back, and the index is below their number of cells.
        let run = unsafe { (*page.add(address / GRANULE % CELLS)).run };
        (run == self.run || self.before.contains(&run)).then(|| self.cell(address))
    }

    #[cold]
    fn page(&mut self, number: usize) -> *mut Cell {
        let spare = &mut self.spare;
        let pointer = *self.pages.entry(number).or_insert_with(|| {
            if spare.1 == 0 {
                *spare = more_pages();
            }
            let page = spare.0;
            // SAFETY: there is at least one more page in the mapping, or this is its end.
            *spare = (unsafe { page.add(1) }, spare.1 - 1);
            page.cast()
        });
        self.cache[number % CACHED] = (number, pointer);
        pointer
    }

    /// Writes an atomic access down; false if it has to be compared with others.
    #[inline]
    pub(crate) fn note_atomic(&mut self, granule: usize, touch: &Touch) -> bool {
        let next = self.atomics.len() as u32 + 1;
        let cell = self.cell(granule);
        if cell.is_compared() {
            return false;
        }
        cell.atomic = true;
        let before = std::mem::replace(&mut cell.last, next);
        self.atomics.push((*touch, before));
        true
    }

    /// Compares an access with the earlier ones and keeps it; returns one that it races with.
    pub(crate) fn touch(&mut self, granule: usize, knowledge: &Knowledge<'_>) -> Option<Touch> {
        if self.cell(granule).last > 0 {
            self.keep_atomics(granule);
        }
        let cell = self.cell(granule);
        cell.atomic |= knowledge.touch.atomic;
        match cell.touch(knowledge) {
            Ok(()) => None,
            Err(Outcome::Race(first)) => Some(first),
            Err(Outcome::Spill) => self.spill(granule, knowledge),
        }
    }

    /// Keeps the atomic accesses that were only written down like others. Only those of one thread can take each other's place:
    /// what a thread knows by now it may not have known then.
    #[cold]
    fn keep_atomics(&mut self, granule: usize) {
        let mut touches = Vec::new();
        let mut at = std::mem::take(&mut self.cell(granule).last);
        while at > 0 {
            let (touch, before) = self.atomics[at as usize - 1];
            touches.push(touch);
            at = before;
        }
        let nobody = Clocks::default();
        for touch in touches.into_iter().rev() {
            let knowledge = Knowledge::new(&nobody, touch);
            if self.cell(granule).touch(&knowledge).is_err() {
                self.spill(granule, &knowledge);
            }
        }
    }

    /// Compares an access with those that did not fit into the cell, and keeps it there; returns one that it races with.
    fn spill(&mut self, address: usize, knowledge: &Knowledge<'_>) -> Option<Touch> {
        self.cell(address).spilled = true;
        let (run, more) = self.spilled.entry(address / GRANULE).or_default();
        if *run != self.run && !self.before.contains(run) {
            more.clear();
        }
        *run = self.run;
        if let Some(race) = more.iter().find(|other| knowledge.races_with(other)) {
            return Some(*race);
        }
        if !more.iter().any(|other| knowledge.is_replaced_by(other)) {
            more.retain(|other| !knowledge.replaces(other));
            more.push(knowledge.touch);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: Touch = Touch {
        site: std::ptr::null(),
        time: 0,
        events: 0,
        thread: ThreadId::MAIN,
        mask: 0,
        writes: false,
        atomic: false,
    };

    fn touch(thread: usize, mask: u8, writes: bool) -> Touch {
        Touch { thread: ThreadId::new(thread), mask, writes, time: 1, ..NOBODY }
    }

    fn races(shadow: &mut Shadow, touch: Touch) -> bool {
        let clocks = Clocks::default();
        let noted = touch.atomic && shadow.note_atomic(0x1234_5678, &touch);
        !noted && shadow.touch(0x1234_5678, &Knowledge::new(&clocks, touch)).is_some()
    }

    #[test]
    fn only_overlapping_bytes_of_which_one_is_written_race() {
        let mut shadow = Shadow::new();
        shadow.reset();
        assert!(!races(&mut shadow, touch(0, 0x0f, true)));
        assert!(!races(&mut shadow, touch(1, 0xf0, true)));
        assert!(!races(&mut shadow, touch(0, 0x0f, false)));
        assert!(races(&mut shadow, touch(1, 0x08, false)));
        shadow.reset();
        assert!(!races(&mut shadow, touch(1, 0x08, false)));
    }

    #[test]
    fn many_readers_are_all_remembered() {
        let mut shadow = Shadow::new();
        shadow.reset();
        for thread in 0..20 {
            assert!(!races(&mut shadow, touch(thread, 0xff, false)));
        }
        assert!(races(&mut shadow, touch(21, 0x01, true)));
    }

    #[test]
    fn a_plain_access_is_compared_with_all_atomic_ones_before() {
        let mut shadow = Shadow::new();
        shadow.reset();
        let atomic = |thread, mask| Touch { atomic: true, ..touch(thread, mask, true) };
        for thread in 0..20 {
            assert!(!races(&mut shadow, atomic(thread, 0x0f)));
        }
        let mark = shadow.mark();
        assert!(!races(&mut shadow, atomic(3, 0xf0)));
        assert!(races(&mut shadow, touch(4, 0x80, false)));
        shadow.put_back(&mark);
        assert!(!races(&mut shadow, touch(4, 0x80, false)));
        assert!(races(&mut shadow, touch(4, 0x01, false)));
        assert!(!races(&mut shadow, atomic(4, 0x80)));
        assert!(races(&mut shadow, atomic(5, 0x80)));
    }
}
