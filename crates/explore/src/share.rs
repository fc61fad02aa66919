//! Sharing one search among several workers.
//!
//! All workers follow the same tree of decisions. At its first few levels nothing is left out, except for what sleeps, so
//! what lies below one of these short prefixes does not depend on what is found below another. Whoever comes first to
//! a prefix claims it and searches below it; the others pass by. The sets of traces are those of one worker alone.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The prefixes that are being searched, or have been.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    taken: Arc<Mutex<BTreeSet<u128>>>,
}

impl Claims {
    /// Takes a prefix; false if somebody has it.
    fn claim(&self, prefix: u128) -> bool {
        // The set is only ever inserted into, so a worker that died in the middle has not spoiled it.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(prefix)
    }
}

/// One worker's part in a shared search.
#[derive(Clone, Debug)]
pub struct Share {
    /// What has been taken.
    pub claims: Claims,
    /// How many levels of decisions make up a prefix.
    pub levels: usize,
    /// Which worker this is, counted from zero.
    pub worker: u64,
    claimed: bool,
}

impl Share {
    /// The part of worker number `worker`.
    #[must_use]
    pub fn new(claims: Claims, levels: usize, worker: u64) -> Share {
        Share { claims, levels, worker, claimed: false }
    }

    /// Forgets the claim of the run before: a new run begins with `depth` levels that are known.
    pub(crate) fn begin(&mut self, depth: usize) {
        self.claimed = depth > self.levels;
    }

    /// Whether every thread is to be tried at a level.
    pub(crate) fn is_full(&self, level: usize) -> bool {
        level < self.levels
    }

    /// Whether a run that has come to this level for the first time is for this worker.
    pub(crate) fn is_ours(&mut self, level: usize, way: impl Iterator<Item = u32>) -> bool {
        level < self.levels || self.claim(way)
    }

    /// Whether a run that ended is for this worker, even if it was too short to be claimed on its way.
    pub(crate) fn keeps(&mut self, way: impl Iterator<Item = u32>) -> bool {
        self.claim(way)
    }

    fn claim(&mut self, way: impl Iterator<Item = u32>) -> bool {
        if !self.claimed {
            // 128 bits, so that two prefixes share a number only in theory.
            let prefix = way.take(self.levels).fold(0xcbf2_9ce4_8422_2325_u128, |hash, choice| {
                (hash ^ u128::from(choice) ^ 0x100).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
            });
            self.claimed = self.claims.claim(prefix);
        }
        self.claimed
    }
}
