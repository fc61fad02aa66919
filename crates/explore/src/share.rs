//! Sharing one search among several workers.
//!
//! All workers follow the same tree of decisions. At its first few levels nothing is left out, except for what sleeps, so
//! what lies below one of these short prefixes does not depend on what is found below another. Whoever comes first to
//! a prefix claims it and searches below it; the others pass by. The sets of traces are those of one worker alone.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The prefixes that are being searched, or have been.
#[derive(Clone, Default)]
pub struct Claims {
    taken: Arc<Mutex<BTreeSet<u128>>>,
    elsewhere: Option<Arc<Claim>>,
}

/// Takes a prefix; false if somebody else has it.
type Claim = dyn Fn(u128) -> bool + Send + Sync;

impl std::fmt::Debug for Claims {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Claims").field("taken", &self.taken).finish_non_exhaustive()
    }
}

impl Claims {
    /// Claims that are kept elsewhere, for workers that share no memory: `claim` takes a prefix and is false if another
    /// worker has it. A worker may claim a prefix again.
    #[must_use]
    pub fn kept_by(claim: impl Fn(u128) -> bool + Send + Sync + 'static) -> Claims {
        Claims { elsewhere: Some(Arc::new(claim)), ..Claims::default() }
    }

    /// Takes a prefix; false if somebody has it.
    fn claim(&self, prefix: u128) -> bool {
        if let Some(claim) = &self.elsewhere {
            return claim(prefix);
        }
        // The set is only ever inserted into, so a worker that died in the middle has not spoiled it.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(prefix)
    }
}

/// Ways from the beginning of a run that are shared out: enough for a handful of workers to be busy to the end, and not
/// so many that finding out whose they are takes longer than the search.
const WAYS: usize = 64;

/// A level of decisions: what was chosen, and among how many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// What was chosen, as a number that is different for different choices.
    pub choice: u32,
    /// Among how many.
    pub known: usize,
}

/// One worker's part in a shared search.
#[derive(Clone, Debug)]
pub struct Share {
    /// What has been taken.
    pub claims: Claims,
    /// How many levels of decisions make up a prefix, at most.
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

    /// The length of the prefix that this way begins with; `None` if it is too short to contain one.
    fn prefix(&self, way: impl Iterator<Item = Turn>) -> Option<usize> {
        let (mut ways, mut length) = (1, 0);
        for turn in way {
            if length >= self.levels || ways >= WAYS {
                return Some(length);
            }
            ways *= turn.known;
            length += 1;
        }
        (length >= self.levels || ways >= WAYS).then_some(length)
    }

    /// Forgets the claim of the run before, unless the new one, which begins with these `depth` levels, goes on below the
    /// same prefix.
    pub(crate) fn begin(&mut self, depth: usize, way: impl Iterator<Item = Turn>) {
        self.claimed = self.prefix(way).is_some_and(|length| length < depth);
    }

    /// Whether every thread is to be tried at a level that is reached in this way.
    pub(crate) fn is_full(&self, way: impl Iterator<Item = Turn>) -> bool {
        !self.claimed && self.prefix(way).is_none()
    }

    /// Whether a run that has come this way for the first time is for this worker.
    pub(crate) fn is_ours(&mut self, way: impl Iterator<Item = Turn> + Clone) -> bool {
        if self.claimed {
            return true;
        }
        match self.prefix(way.clone()) {
            Some(length) => self.claim(way.take(length)),
            None => true,
        }
    }

    /// Whether a run that ended is for this worker, even if it was too short to be claimed on its way.
    pub(crate) fn keeps(&mut self, way: impl Iterator<Item = Turn> + Clone) -> bool {
        if self.claimed {
            return true;
        }
        let length = self.prefix(way.clone()).unwrap_or(usize::MAX);
        self.claim(way.take(length))
    }

    fn claim(&mut self, way: impl Iterator<Item = Turn>) -> bool {
        // 128 bits, so that two prefixes share a number only in theory.
        let prefix = way.fold(0xcbf2_9ce4_8422_2325_u128, |hash, turn| {
            (hash ^ u128::from(turn.choice) ^ 0x100).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        });
        self.claimed = self.claims.claim(prefix);
        self.claimed
    }
}
