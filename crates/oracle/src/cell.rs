//! Memory cells.

use raddle_trace::Outcome;

/// A cell, and how often its value has changed: a spinning thread waits for that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cell {
    pub(crate) value: i64,
    pub(crate) changes: u64,
}

impl Cell {
    pub(crate) fn new(value: i64) -> Cell {
        Cell { value, changes: 0 }
    }

    /// Writing what is there already is no change: nobody who read the cell could tell.
    pub(crate) fn write(&mut self, value: i64) {
        if self.value != value {
            self.value = value;
            self.changes += 1;
        }
    }

    pub(crate) fn compare(&self, expected: i64) -> Outcome {
        if self.value == expected { Outcome::Done } else { Outcome::Failed }
    }

    /// The second alternative of a weak compare-exchange is to fail for no reason.
    pub(crate) fn compare_weakly(&self, expected: i64, alternative: u32) -> Outcome {
        if alternative == 1 { Outcome::Failed } else { self.compare(expected) }
    }
}
