//! Runs that go on from the middle of the run before.
//!
//! A depth-first search changes the end of a run most of the time, so the beginning, from the start of the program to the last
//! decision that stays, need not be made again. A few checkpoints are kept, each in the middle of the run that is being
//! made: the program's memory, its stacks, and what is known of the run. One is taken when so much was made again for want of it that it
//! pays.
//!
//! Every so often the search makes a whole run again from the start and compares; a checkpoint that lost something would
//! show there.

use raddle_explore::Chooser;
use raddle_runtime::{Checkpoint, Stage};

use crate::state::{self, Known};

/// The most checkpoints that are kept at a time.
const MOST: usize = 12;
/// Events that are made again before another checkpoint pays.
const COST: usize = 12;
/// A checkpoint is worth it only if at least so many events need not be made again.
const LEAST: usize = 3;
/// Bytes of the program's memory that are always worth copying; more are if making the run up to there took a cycle for each.
const ALWAYS_BYTES: u64 = 1 << 17;
/// The most that are copied.
const MOST_BYTES: u64 = 1 << 24;

/// Pieces of memory, and what they held.
#[derive(Debug, Default)]
struct Copied {
    ranges: Vec<(usize, usize)>,
    bytes: Vec<u8>,
}

impl Copied {
    /// Copies the pieces; false if they have more bytes than that.
    ///
    /// # Safety
    /// They can be read, and nobody writes to them meanwhile.
    unsafe fn copy(&mut self, most: usize) -> bool {
        self.bytes.clear();
        if self.ranges.iter().map(|(start, end)| end - start).sum::<usize>() > most {
            return false;
        }
        for (start, end) in &self.ranges {
            // SAFETY: as the caller says.
            let piece = unsafe { std::slice::from_raw_parts(*start as *const u8, end - start) };
            self.bytes.extend_from_slice(piece);
        }
        true
    }

    /// Puts them back.
    ///
    /// # Safety
    /// They can be written, and nobody uses them meanwhile.
    unsafe fn put_back(&self) {
        let mut bytes = &self.bytes[..];
        for (start, end) in &self.ranges {
            let (piece, rest) = bytes.split_at(end - start);
            // SAFETY: as the caller says.
            unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), *start as *mut u8, piece.len()) };
            bytes = rest;
        }
    }
}

/// The middle of a run.
#[derive(Default)]
struct Middle {
    stage: Checkpoint,
    known: Known,
    memory: Copied,
}

/// The checkpoints of the run that is being made, the earliest first.
#[derive(Default)]
pub(crate) struct Checkpoints {
    kept: Vec<Middle>,
    /// Those that are no longer needed, for reuse.
    spare: Vec<Middle>,
    /// Events that were made again since the last checkpoint was taken.
    again: usize,
    /// The processor's time at the beginning of the run, in cycles.
    began: u64,
    /// The program's arguments, from and to.
    arguments: Vec<(usize, usize)>,
    allowed: bool,
}

fn cycles() -> u64 {
    // SAFETY: every processor that runs the program has this instruction, and it only reads a counter. The clock of the C
    // library would be the program's virtual one here.
    unsafe { std::arch::x86_64::_rdtsc() }
}

impl Checkpoints {
    /// None yet; there will be some if that is `allowed`. `arguments` are pieces of memory that the program may change.
    pub(crate) fn new(allowed: bool, arguments: Vec<(usize, usize)>) -> Checkpoints {
        Checkpoints { allowed, arguments, ..Checkpoints::default() }
    }

    /// Goes back to the last checkpoint that the coming run has in common with the one before, if there is one: what is known
    /// and the program's memory are put back, and the chooser is told. The others are forgotten.
    pub(crate) fn go_back(&mut self, chooser: &mut dyn Chooser) -> bool {
        let shared = if self.allowed { chooser.shared() } else { 0 };
        while self.kept.last().is_some_and(|last| last.stage.events() > shared) {
            self.spare.extend(self.kept.pop());
        }
        self.began = cycles();
        let Some(last) = self.kept.last() else { return false };
        state::with(|state| state.put_back(&last.known));
        // SAFETY: the memory was the program's when the checkpoint was taken and has not been given back since, because all
        // runs went on from there; no fiber runs.
        unsafe { last.memory.put_back() };
        chooser.skip(last.stage.events());
        true
    }

    /// The checkpoint that the run goes on from.
    pub(crate) fn last(&self) -> Option<&Checkpoint> {
        self.kept.last().map(|last| &last.stage)
    }

    /// After how many events of the coming run a checkpoint is wanted, at least and at most.
    pub(crate) fn wanted(&mut self, chooser: &dyn Chooser) -> Option<(usize, usize)> {
        let shared = if self.allowed { chooser.shared() } else { 0 };
        let from = self.last().map_or(0, Checkpoint::events);
        let again = shared.saturating_sub(from);
        self.again += again;
        // The first one saves the start of the program as well.
        let pays = self.kept.is_empty() || (self.again >= COST && again >= LEAST && self.kept.len() < MOST);
        if again == 0 || !pays {
            return None;
        }
        self.again = 0;
        // Not at the very end, where only the next few runs would go on from it.
        Some((from + again * 2 / 3, shared))
    }

    /// Keeps a checkpoint, with the program's memory as it is.
    pub(crate) fn keep(&mut self, stage: &Stage) {
        let mut middle = self.spare.pop().unwrap_or_default();
        let kept = middle.stage.keep(stage) && {
            let ranges = &mut middle.memory.ranges;
            ranges.clear();
            state::with(|state| {
                ranges.extend(state.modules.static_memory());
                ranges.extend(state.arena.given_memory());
            });
            ranges.extend(middle.stage.stacks());
            ranges.extend(&self.arguments);
            let most = (cycles() - self.began).clamp(ALWAYS_BYTES, MOST_BYTES);
            // SAFETY: the program's own memory and its stacks, of which the used part can be read; no fiber runs.
            let copied = unsafe { middle.memory.copy(most as usize) };
            copied && state::with(|state| state.keep_in(&mut middle.known))
        };
        if kept {
            self.kept.push(middle);
        } else {
            // It will hardly be otherwise the next time.
            self.allowed = !self.kept.is_empty();
        }
    }
}
