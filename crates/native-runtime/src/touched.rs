//! Who touched which memory in any run of a search.
//!
//! A model puts runs together out of what threads did in different ones. Whether two threads share memory therefore does not
//! show in one run alone: each of them may have touched it in another.

use std::collections::BTreeMap;

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

/// Who touched what, by granule.
#[derive(Debug, Default)]
pub(crate) struct TouchedInAnyRun {
    granules: BTreeMap<usize, Vec<Touched>>,
}

impl TouchedInAnyRun {
    /// Takes note of an access; whether another thread touched the same bytes, in this run or in another, and one of the two
    /// writes.
    pub(crate) fn shares(&mut self, granule: usize, touch: &Touch) -> bool {
        let known = self.granules.entry(granule).or_default();
        let shares = known.iter().any(|other| {
            let theirs = if touch.writes { other.read | other.written } else { other.written };
            other.thread != touch.thread && theirs & touch.mask != 0 && !(other.atomic && touch.atomic)
        });
        let (read, written) = if touch.writes { (0, touch.mask) } else { (touch.mask, 0) };
        match known.iter_mut().find(|own| own.thread == touch.thread && own.atomic == touch.atomic) {
            Some(own) => (own.read, own.written) = (own.read | read, own.written | written),
            None => known.push(Touched { thread: touch.thread, atomic: touch.atomic, read, written }),
        }
        shares
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
        assert!(!touched.shares(8, &touch(1, 0x0f, false, false)));
        assert!(!touched.shares(8, &touch(2, 0x0f, false, false)), "both read");
        assert!(!touched.shares(8, &touch(2, 0xf0, true, false)), "other bytes");
        assert!(!touched.shares(16, &touch(2, 0x0f, true, false)), "elsewhere");
        assert!(touched.shares(8, &touch(2, 0x01, true, false)));
        assert!(touched.shares(8, &touch(1, 0x80, false, false)));
    }

    #[test]
    fn atomic_accesses_are_events() {
        let mut touched = TouchedInAnyRun::default();
        assert!(!touched.shares(8, &touch(1, 0xff, true, true)));
        assert!(!touched.shares(8, &touch(2, 0xff, true, true)));
        assert!(touched.shares(8, &touch(2, 0xff, true, false)));
    }
}
