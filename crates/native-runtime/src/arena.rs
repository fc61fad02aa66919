//! The heap of the program during a run: one arena per thread, which is emptied after each run.
//!
//! Blocks are given out one after the other and never reused within a run, so an address names a block, and the blocks of
//! a thread have the same addresses in every run in which it does the same. Between blocks lies memory that belongs to
//! nobody, so that reaching beyond a block is noticed.
//!
//! One more arena holds what is allocated before `main`, by constructors of static objects. Its blocks are put back to what
//! they were, like the static memory that points to them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use raddle_trace::limits::MAX_THREADS;
use raddle_trace::{Block, Place, Spot, ThreadId};

use crate::abi::RawSite;

/// Where the arenas lie, if that is free: far from where Linux puts programs, libraries and stacks.
const BASE: usize = 0x6000_0000_0000;
/// Address space of one thread's arena.
const SPAN: usize = 1 << 30;
/// Memory is asked for in pieces of this size.
const PIECE: usize = 1 << 20;
/// Bytes between two blocks.
const GAP: usize = 16;
/// The arena of what is allocated before `main`.
const EARLY: usize = MAX_THREADS;
/// One for each thread, and that one.
const ARENAS: usize = MAX_THREADS + 1;
/// Blocks of that arena count from here as blocks of the main thread.
const FIRST_EARLY: u32 = 1 << 24;
/// Bytes from a block within which a wrong address is taken to be meant for it.
const NEAR: usize = 1 << 16;

/// Where and when something was done to a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub thread: ThreadId,
    pub site: *const RawSite,
    pub events: u32,
}

// SAFETY: a site is a constant of the program; it is only read.
unsafe impl Send for Mark {}

/// A block that was given out in this run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub start: usize,
    pub size: usize,
    pub allocated: Mark,
    pub freed: Option<Mark>,
}

impl Given {
    /// The block as a finding tells it.
    pub(crate) fn told(
        &self,
        address: usize,
        touched: u64,
        writes: bool,
        place: impl Fn(*const RawSite) -> Place,
    ) -> Block {
        let spot = |mark: Mark| Spot {
            thread: mark.thread,
            events_before: mark.events as usize,
            place: place(mark.site),
            stack: Vec::new(),
        };
        Block {
            size: self.size as u64,
            offset: address as i64 - self.start as i64,
            touched,
            writes,
            allocated: Some(spot(self.allocated)),
            freed: self.freed.map(spot),
        }
    }
}

#[derive(Debug, Default)]
struct OfThread {
    blocks: Vec<Given>,
    /// Bytes given out, gaps included.
    used: usize,
    /// Bytes that can be used.
    ready: usize,
    /// The most that was given out since memory was last cleared.
    dirty: usize,
}

/// What an address in the arenas is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// In this block.
    In(Given),
    /// Beside this block.
    Beside(Given),
    /// Nowhere near a block.
    Nowhere,
}

/// The arenas of all threads.
#[derive(Debug)]
pub(crate) struct Arena {
    base: usize,
    threads: Vec<OfThread>,
    /// Bytes that may be given out in one run, all threads together.
    limit: usize,
    total: usize,
    /// Threads from this one on have been given nothing in this run.
    unused: usize,
    /// What the blocks from before `main` held when it began.
    before_main: Vec<u8>,
}

/// What had been given out at some moment of a run.
#[derive(Debug, Default)]
pub(crate) struct GivenOut {
    threads: Vec<(usize, Vec<Given>)>,
    early: Vec<Given>,
    total: usize,
}

/// Where the arena of what is allocated before `main` begins, once there is one.
static EARLY_START: AtomicUsize = AtomicUsize::new(0);
/// The arenas until the state takes them over.
static BEFORE_MAIN: Mutex<Option<Arena>> = Mutex::new(None);

/// Whether a block was allocated before `main`.
#[inline]
pub(crate) fn is_early(address: usize) -> bool {
    let start = EARLY_START.load(Ordering::Relaxed);
    start != 0 && address.wrapping_sub(start) < SPAN
}

/// Uses the arenas before `main`.
pub(crate) fn before_main<R>(f: impl FnOnce(&mut Arena) -> R) -> R {
    let mut arena = BEFORE_MAIN.lock().unwrap_or_else(PoisonError::into_inner);
    f(arena.get_or_insert_with(|| {
        let arena = Arena::new();
        if arena.base != 0 {
            EARLY_START.store(arena.base + EARLY * SPAN, Ordering::Relaxed);
        }
        arena
    }))
}

impl Arena {
    /// The arenas of the runs, with what was allocated before `main`; at most `limit` bytes are given out in one run.
    pub(crate) fn for_runs(limit: usize) -> Arena {
        let early = BEFORE_MAIN.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut arena = early.unwrap_or_else(Arena::new);
        arena.limit = limit;
        let used = arena.threads[EARLY].used;
        if used > 0 {
            let start = (arena.base + EARLY * SPAN) as *const u8;
            // SAFETY: this much was given out, and nobody writes to it now.
            arena.before_main = unsafe { std::slice::from_raw_parts(start, used) }.to_vec();
        }
        arena
    }

    /// Reserves the address space; nothing can be used yet.
    fn new() -> Arena {
        // SAFETY: a new mapping that takes no memory and replaces none.
        let base = unsafe {
            libc::mmap(
                BASE as *mut _,
                SPAN * ARENAS,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        let base = if base == libc::MAP_FAILED { 0 } else { base as usize };
        let threads = (0..ARENAS).map(|_| OfThread::default()).collect();
        Arena { base, threads, limit: usize::MAX, total: 0, unused: 0, before_main: Vec::new() }
    }

    /// Whether the address lies in an arena.
    #[inline]
    pub(crate) fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.base) < SPAN * ARENAS
    }

    /// Takes everything back. Memory that was written is cleared, so that what a run finds in it is the same every time.
    pub(crate) fn reset(&mut self) {
        self.total = 0;
        self.put_back();
        let unused = std::mem::take(&mut self.unused);
        for (index, arena) in self.threads[..unused].iter_mut().enumerate() {
            if arena.used == 0 {
                continue;
            }
            let start = self.base + index * SPAN;
            if arena.dirty > PIECE {
                // SAFETY: the arena's own memory, which nobody uses between runs; it reads as zeros again.
                unsafe { libc::madvise(start as *mut _, arena.ready, libc::MADV_DONTNEED) };
            } else {
                // SAFETY: as above; this much can be used.
                unsafe { std::ptr::write_bytes(start as *mut u8, 0, arena.dirty) };
            }
            arena.blocks.clear();
            arena.used = 0;
            arena.dirty = 0;
        }
    }

    /// The memory that has been given out, from and to.
    pub(crate) fn given_memory(&self) -> impl Iterator<Item = (usize, usize)> {
        let used = self.threads.iter().enumerate().filter(|(_, arena)| arena.used > 0);
        used.map(|(index, arena)| {
            let start = self.base + index * SPAN;
            (start, start + arena.used)
        })
    }

    /// Keeps what has been given out.
    pub(crate) fn keep_in(&self, given: &mut GivenOut) {
        given.threads.resize_with(self.unused, Default::default);
        for (arena, (used, blocks)) in self.threads.iter().zip(&mut given.threads) {
            *used = arena.used;
            blocks.clone_from(&arena.blocks);
        }
        given.early.clone_from(&self.threads[EARLY].blocks);
        given.total = self.total;
    }

    /// Takes back what was given out since then; the bytes of the rest are somebody else's business.
    pub(crate) fn put_back_to(&mut self, then: &GivenOut) {
        self.total = then.total;
        self.threads[EARLY].blocks.clone_from(&then.early);
        for (index, arena) in self.threads[..self.unused].iter_mut().enumerate() {
            let (used, blocks) =
                then.threads.get(index).map_or((0, &[][..]), |(used, blocks)| (*used, blocks));
            arena.blocks.clear();
            arena.blocks.extend_from_slice(blocks);
            let start = self.base + index * SPAN;
            // SAFETY: the arena's own memory, of which this much can be used, and no fiber runs.
            unsafe { std::ptr::write_bytes((start + used) as *mut u8, 0, arena.dirty.saturating_sub(used)) };
            arena.used = used;
            arena.dirty = if used > 0 { used + GAP } else { 0 };
        }
        self.unused = then.threads.len();
    }

    /// Puts the blocks from before `main` back.
    fn put_back(&mut self) {
        if self.before_main.is_empty() {
            return;
        }
        let start = (self.base + EARLY * SPAN) as *mut u8;
        // SAFETY: this much was given out before `main`, and no fiber exists that uses it.
        unsafe { std::ptr::copy_nonoverlapping(self.before_main.as_ptr(), start, self.before_main.len()) };
        for block in &mut self.threads[EARLY].blocks {
            block.freed = None;
        }
    }

    /// Gives out a block; `None` if there is no memory for it.
    pub(crate) fn give(&mut self, size: usize, align: usize, mark: Mark) -> Option<usize> {
        self.give_from(mark.thread.index(), size, align, mark)
    }

    /// Gives out a block before `main`; `None` if there is no memory for it.
    pub(crate) fn give_early(&mut self, size: usize, align: usize, site: *const RawSite) -> Option<usize> {
        self.give_from(EARLY, size, align, Mark { thread: ThreadId::MAIN, site, events: 0 })
    }

    fn give_from(&mut self, index: usize, size: usize, align: usize, mark: Mark) -> Option<usize> {
        let arena = &mut self.threads[index];
        let align = align.max(16);
        let start = (arena.used + GAP).checked_next_multiple_of(align)?;
        let end = start.checked_add(size)?.checked_next_multiple_of(16)?;
        if self.base == 0 || end + GAP > SPAN || self.total.checked_add(size)? > self.limit {
            return None;
        }
        if end + GAP > arena.ready {
            let more = (end + GAP).next_multiple_of(PIECE);
            // SAFETY: memory of the arena that nobody uses yet.
            let done = unsafe {
                libc::mprotect(
                    (self.base + index * SPAN + arena.ready) as *mut _,
                    more - arena.ready,
                    libc::PROT_READ | libc::PROT_WRITE,
                )
            };
            if done != 0 {
                return None;
            }
            arena.ready = more;
        }
        self.total += size;
        if index != EARLY {
            self.unused = self.unused.max(index + 1);
        }
        arena.used = end;
        arena.dirty = arena.dirty.max(end + GAP);
        let start = self.base + index * SPAN + start;
        arena.blocks.push(Given { start, size, allocated: mark, freed: None });
        Some(start)
    }

    fn position(&self, address: usize) -> (usize, usize) {
        let index = (address - self.base) / SPAN;
        (index, self.threads[index].blocks.partition_point(|block| block.start <= address))
    }

    /// What the address is.
    pub(crate) fn find(&self, address: usize) -> Found {
        let (index, after) = self.position(address);
        let blocks = &self.threads[index].blocks;
        let before = after.checked_sub(1).map(|at| blocks[at]);
        match (before, blocks.get(after)) {
            (Some(block), _) if address < block.start + block.size.max(1) => Found::In(block),
            (Some(block), next) => {
                let behind = address - (block.start + block.size);
                match next {
                    Some(next) if next.start - address < behind => Found::Beside(*next),
                    _ if behind < NEAR => Found::Beside(block),
                    _ => Found::Nowhere,
                }
            }
            (None, Some(next)) => Found::Beside(*next),
            (None, None) => Found::Nowhere,
        }
    }

    /// The block that starts at this address, to be changed.
    pub(crate) fn block_at(&mut self, address: usize) -> Option<&mut Given> {
        let (index, after) = self.position(address);
        let block = self.threads[index].blocks.get_mut(after.checked_sub(1)?)?;
        (block.start == address).then_some(block)
    }

    /// Which block of its thread lies at the address, and how far the address is from its start.
    pub(crate) fn number(&self, address: usize) -> Option<(ThreadId, u32, u64, *const RawSite)> {
        let (index, after) = self.position(address);
        let at = after.checked_sub(1)?;
        let block = &self.threads[index].blocks[at];
        let offset = (address - block.start) as u64;
        let number = at as u32 + if index == EARLY { FIRST_EARLY } else { 0 };
        let thread = if index == EARLY { ThreadId::MAIN } else { ThreadId::new(index) };
        Some((thread, number, offset, block.allocated.site))
    }

    /// The blocks that were not freed.
    pub(crate) fn left(&self) -> impl Iterator<Item = &Given> {
        self.threads.iter().flat_map(|arena| arena.blocks.iter()).filter(|block| block.freed.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: Mark = Mark { thread: ThreadId::MAIN, site: std::ptr::null(), events: 0 };

    #[test]
    fn blocks_have_the_same_addresses_in_every_run_and_read_as_zeros() {
        let mut arena = Arena::new();
        arena.limit = 1 << 30;
        let first = arena.give(100, 1, MARK).expect("there is room");
        let second = arena.give(1, 64, MARK).expect("there is room");
        assert!(arena.contains(first) && second.is_multiple_of(64) && second > first + 100);
        // SAFETY: the block was just given out.
        unsafe { std::ptr::write_bytes(first as *mut u8, 7, 100) };
        assert!(matches!(arena.find(first + 99), Found::In(block) if block.start == first));
        assert!(matches!(arena.find(first + 100), Found::Beside(block) if block.start == first));
        assert!(matches!(arena.find(second - 1), Found::Beside(block) if block.start == second));
        arena.reset();
        assert!(matches!(arena.find(first), Found::Nowhere));
        assert_eq!(arena.give(100, 1, MARK), Some(first));
        // SAFETY: the block was just given out.
        assert_eq!(unsafe { *(first as *const u8) }, 0);
        assert_eq!(arena.give(1 << 30, 1, MARK), None);
    }

    #[test]
    fn blocks_from_before_main_are_put_back() {
        let block = before_main(|arena| arena.give_early(8, 1, std::ptr::null())).expect("there is room");
        assert!(is_early(block));
        // SAFETY: the block was just given out.
        unsafe { *(block as *mut u64) = 7 };
        let mut arena = Arena::for_runs(1 << 30);
        arena.reset();
        // SAFETY: as above.
        unsafe { *(block as *mut u64) = 8 };
        arena.block_at(block).expect("it is known").freed = Some(MARK);
        arena.reset();
        assert!(arena.block_at(block).expect("it is known").freed.is_none());
        // SAFETY: as above.
        assert_eq!(unsafe { *(block as *const u64) }, 7);
    }
}
