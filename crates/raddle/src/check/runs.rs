//! The runs that the workers of a search make together.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many runs there are, and how many there may be.
///
/// Whether a run counts is known when it has ended: it may only repeat others. So a worker claims one before it makes it, and who
/// finds all claimed waits until it is known whether one is left.
pub(super) struct Runs {
    max: Option<u64>,
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Default)]
struct Counts {
    made: u64,
    claimed: u64,
}

/// The right to make one run that counts.
pub(super) struct Claim<'r>(&'r Runs);

impl Runs {
    pub(super) fn up_to(max: Option<u64>) -> Runs {
        Runs { max, counts: Mutex::default(), changed: Condvar::new() }
    }

    /// The limit.
    pub(super) fn max(&self) -> Option<u64> {
        self.max
    }

    /// One more run; `None` if there may be no more.
    pub(super) fn claim(&self) -> Option<Claim<'_>> {
        let mut counts = self.lock();
        loop {
            if self.max.is_some_and(|max| counts.made >= max) {
                return None;
            }
            if self.max.is_none_or(|max| counts.made + counts.claimed < max) {
                counts.claimed += 1;
                return Some(Claim(self));
            }
            counts = self.changed.wait(counts).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The counts are right after every single change, so a worker that died in the middle has not spoiled them.
    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claim<'_> {
    /// The run was made, and counts: its number, counted from one.
    pub(super) fn made(self) -> u64 {
        let mut counts = self.0.lock();
        counts.made += 1;
        counts.made
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.lock().claimed -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_was_not_used_goes_to_who_waits_for_it() {
        let runs = Runs::up_to(Some(2));
        let (first, second) = (runs.claim().expect("two are left"), runs.claim().expect("one is left"));
        std::thread::scope(|scope| {
            let third = scope.spawn(|| runs.claim().map(Claim::made));
            assert_eq!(first.made(), 1);
            drop(second);
            assert_eq!(third.join().expect("it does not panic"), Some(2));
        });
        assert!(runs.claim().is_none());
    }
}
