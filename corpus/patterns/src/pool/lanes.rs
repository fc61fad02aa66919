//! The lanes: what tasks work on, each behind its own lock.

use raddle::sync::Mutex;

/// How many there are.
pub(super) const LANES: usize = 3;

/// What each begins with.
pub(super) const LOAD: usize = 10;

/// One unit from one lane to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    pub(super) from: usize,
    pub(super) to: usize,
}

#[derive(Debug)]
pub(super) struct Lanes {
    lanes: [Mutex<usize>; LANES],
}

impl Lanes {
    pub(super) fn new() -> Lanes {
        Lanes { lanes: std::array::from_fn(|_| Mutex::new(LOAD)) }
    }

    /// Locks the lane that gives, and then the lane that takes.
    pub(super) fn move_as_needed(&self, what: Move) {
        let mut from = self.lanes[what.from].lock().unwrap();
        let mut to = self.lanes[what.to].lock().unwrap();
        *from -= 1;
        *to += 1;
    }

    /// Locks the lane with the lower number first.
    pub(super) fn move_sorted(&self, what: Move) {
        let (low, high) = (what.from.min(what.to), what.from.max(what.to));
        let mut low_lane = self.lanes[low].lock().unwrap();
        let mut high_lane = self.lanes[high].lock().unwrap();
        let (from, to) = if low == what.from {
            (&mut *low_lane, &mut *high_lane)
        } else {
            (&mut *high_lane, &mut *low_lane)
        };
        *from -= 1;
        *to += 1;
    }

    /// Everything that is in the lanes.
    pub(super) fn total(&self) -> usize {
        self.lanes.iter().map(|lane| *lane.lock().unwrap()).sum()
    }
}
