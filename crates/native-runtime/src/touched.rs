//! Who touched which memory in any run of a search, and which of it has to be shown by steps.
//!
//! A model puts runs together out of what threads did in different ones. Whether two threads share memory therefore does not
//! show in one run alone: each of them may have touched it in another. Plain memory that they share is shown from the next
//! run on: every access to it is a step then. It is shown in pieces within which all accesses lie; who writes only a part
//! of a piece leaves something there that depends on what was there before.

use std::collections::BTreeMap;

use raddle_coverage::hash::Table;
use raddle_trace::ThreadId;

use crate::shadow::Touch;

/// Bytes of a granule that a thread touched in one way.
#[derive(Clone, Copy, Debug)]
struct Touched {
    thread: ThreadId,
    atomic: bool,
    read: u8,
    written: u8,
}

/// Bytes of a granule that accesses connect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub mask: u8,
    /// Whether it is used atomically: then all accesses are steps anyway, but its end may have to be shown.
    pub atomic: bool,
    shared: bool,
}

#[derive(Debug, Default)]
struct Granule {
    touched: Vec<Touched>,
    /// Who freed it.
    freed: Vec<ThreadId>,
    pieces: Vec<Piece>,
}

/// Whether data passes between threads by an access, and whether a step shows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sharing {
    /// None passes.
    No,
    /// The piece is shown in this run.
    Shown,
    /// The piece will be shown in the next run.
    Later,
    /// Some threads touch it atomically and others do not.
    Mixed,
}

/// Who touched what, by granule.
#[derive(Debug, Default)]
pub(crate) struct TouchedInAnyRun {
    granules: BTreeMap<usize, Granule>,
    /// The pieces that the current run shows, by granule.
    shown: Table<usize, Vec<Piece>>,
    /// Granules of which the next run has to show more.
    later: Vec<usize>,
}

impl TouchedInAnyRun {
    /// A run begins: what was found to be shared is shown from now on.
    pub(crate) fn reset(&mut self) {
        for granule in self.later.drain(..) {
            let pieces = self.granules.get(&granule).map_or(&[][..], |known| &known.pieces);
            self.shown.insert(granule, pieces.iter().filter(|piece| piece.shared).copied().collect());
        }
    }

    /// The pieces of a granule that the current run shows.
    #[inline]
    pub(crate) fn shown(&self, granule: usize) -> &[Piece] {
        if self.shown.is_empty() {
            return &[];
        }
        self.shown.get(&granule).map_or(&[], Vec::as_slice)
    }

    /// Whether a piece that the current run shows has the byte at this address, which lies in the granule.
    pub(crate) fn shows(&self, granule: usize, address: usize) -> bool {
        self.shown(granule).iter().any(|piece| piece.mask >> (address - granule) & 1 != 0)
    }

    /// Takes note of an access; whether another thread touched the same bytes, in this run or in another, and one of the two
    /// writes.
    pub(crate) fn note(&mut self, granule: usize, touch: &Touch) -> Sharing {
        let known = self.granules.entry(granule).or_default();
        let (mut shares, mut mixed) = (false, false);
        for other in known.touched.iter().filter(|other| other.thread != touch.thread) {
            let theirs = if touch.writes { other.read | other.written } else { other.written };
            let meets = theirs & touch.mask != 0 && !(other.atomic && touch.atomic);
            shares |= meets;
            mixed |= meets && (other.atomic || touch.atomic);
        }
        shares |= known.freed.iter().any(|thread| *thread != touch.thread);
        let (read, written) = if touch.writes { (0, touch.mask) } else { (touch.mask, 0) };
        let own = |own: &&mut Touched| own.thread == touch.thread && own.atomic == touch.atomic;
        match known.touched.iter_mut().find(own) {
            Some(own) => (own.read, own.written) = (own.read | read, own.written | written),
            None => known.touched.push(Touched { thread: touch.thread, atomic: touch.atomic, read, written }),
        }
        if mixed {
            return Sharing::Mixed;
        }
        let piece = known.connect(Piece { mask: touch.mask, atomic: touch.atomic, shared: shares });
        match piece.shared {
            // It is an object of its own, of which the rest of the piece knows nothing.
            true if touch.atomic && piece.mask != touch.mask => Sharing::Mixed,
            true => self.show(granule, piece.mask),
            false => Sharing::No,
        }
    }

    /// Takes note that a thread frees memory: of everything in it that another thread touches or frees, others have to know.
    /// The first byte of a block stands for the block.
    pub(crate) fn note_free(&mut self, granule: usize, thread: ThreadId, is_first: bool) -> Sharing {
        let known = self.granules.entry(granule).or_default();
        if is_first {
            known.connect(Piece { mask: 1, atomic: false, shared: false });
        }
        let freed = known.freed.iter().any(|other| *other != thread);
        let others = known.touched.iter().filter(|other| other.thread != thread);
        let theirs = if freed { 0xff } else { others.fold(0, |all, other| all | other.read | other.written) };
        if !known.freed.contains(&thread) {
            known.freed.push(thread);
        }
        let mut masks = Vec::new();
        for piece in known.pieces.iter_mut().filter(|piece| piece.mask & theirs != 0) {
            piece.shared = true;
            masks.push(piece.mask);
        }
        masks.into_iter().map(|mask| self.show(granule, mask)).max().unwrap_or(Sharing::No)
    }

    /// A piece is shared: whether the current run shows it. If not, the next one will.
    fn show(&mut self, granule: usize, mask: u8) -> Sharing {
        if self.shown(granule).iter().any(|piece| piece.mask == mask) {
            return Sharing::Shown;
        }
        if !self.later.contains(&granule) {
            self.later.push(granule);
        }
        Sharing::Later
    }
}

impl Granule {
    /// Connects what an access touches; the piece that comes of it.
    fn connect(&mut self, mut piece: Piece) -> Piece {
        self.pieces.retain(|known| {
            let apart = known.mask & piece.mask == 0;
            if !apart {
                piece.mask |= known.mask;
                piece.atomic |= known.atomic;
                piece.shared |= known.shared;
            }
            apart
        });
        self.pieces.push(piece);
        piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(thread: usize, mask: u8, writes: bool, atomic: bool) -> Touch {
        Touch {
            site: std::ptr::null(),
            time: 0,
            events: 0,
            thread: ThreadId::new(thread),
            mask,
            writes,
            atomic,
        }
    }

    #[test]
    fn bytes_are_shared_if_one_of_two_threads_writes_them() {
        let mut touched = TouchedInAnyRun::default();
        assert_eq!(touched.note(8, &touch(1, 0x0f, false, false)), Sharing::No);
        assert_eq!(touched.note(8, &touch(2, 0x0f, false, false)), Sharing::No, "both read");
        assert_eq!(touched.note(8, &touch(2, 0xf0, true, false)), Sharing::No, "other bytes");
        assert_eq!(touched.note(16, &touch(2, 0x0f, true, false)), Sharing::No, "elsewhere");
        assert_eq!(touched.note(8, &touch(2, 0x01, true, false)), Sharing::Later);
        assert_eq!(touched.note(8, &touch(1, 0x80, false, false)), Sharing::Later);
    }

    #[test]
    fn atomic_accesses_are_events() {
        let mut touched = TouchedInAnyRun::default();
        assert_eq!(touched.note(8, &touch(1, 0xff, true, true)), Sharing::No);
        assert_eq!(touched.note(8, &touch(2, 0xff, true, true)), Sharing::No);
        assert_eq!(touched.note(8, &touch(2, 0xff, true, false)), Sharing::Mixed);
    }

    #[test]
    fn what_is_shared_is_shown_in_the_next_run_in_pieces_that_no_access_leaves() {
        let mut touched = TouchedInAnyRun::default();
        touched.note(8, &touch(1, 0x0f, true, false));
        touched.note(8, &touch(1, 0xf0, true, false));
        assert_eq!(touched.note(8, &touch(2, 0x0f, false, false)), Sharing::Later);
        assert!(touched.shown(8).is_empty());
        touched.reset();
        let masks = |touched: &TouchedInAnyRun| -> Vec<u8> {
            touched.shown(8).iter().map(|piece| piece.mask).collect()
        };
        assert_eq!(masks(&touched), [0x0f]);
        assert_eq!(touched.note(8, &touch(2, 0x0f, false, false)), Sharing::Shown);
        assert_eq!(touched.note(8, &touch(2, 0x3c, false, false)), Sharing::Later, "reaches across");
        touched.reset();
        assert_eq!(masks(&touched), [0xff]);
        assert_eq!(touched.note(8, &touch(1, 0x0f, true, false)), Sharing::Shown);
    }

    #[test]
    fn two_threads_that_free_a_block_share_it() {
        let mut touched = TouchedInAnyRun::default();
        assert_eq!(touched.note_free(8, ThreadId::new(1), true), Sharing::No);
        assert_eq!(touched.note_free(8, ThreadId::new(2), true), Sharing::Later);
        touched.reset();
        assert_eq!(touched.note_free(8, ThreadId::new(1), true), Sharing::Shown);
    }

    #[test]
    fn the_end_of_memory_is_shown_if_another_thread_uses_it() {
        let mut touched = TouchedInAnyRun::default();
        touched.note(8, &touch(1, 0x0f, true, true));
        touched.note(8, &touch(2, 0xf0, true, false));
        assert_eq!(touched.note_free(8, ThreadId::new(2), true), Sharing::Later);
        touched.reset();
        assert_eq!(touched.shown(8).len(), 1, "its own memory is nothing to others");
        assert!(touched.shown(8)[0].atomic);
        assert_eq!(touched.note_free(8, ThreadId::new(2), true), Sharing::Shown);
        assert_eq!(touched.note(8, &touch(1, 0x0f, true, true)), Sharing::Shown);
    }
}
