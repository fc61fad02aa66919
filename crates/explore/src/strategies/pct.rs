//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte 2010). Guarantee: a sample in which
//! a bug that needs `d` ordering constraints is met, in a program of `n` threads and `k` steps, with a probability of at
//! least 1 / (n · kᵈ⁻¹) per run.
//!
//! Threads get random priorities; the enabled thread with the highest one goes. At `d − 1` random steps the running
//! thread falls to the lowest priority. The number of steps is learned from the longest run so far.

use raddle_trace::limits::MAX_THREADS;
use raddle_trace::{Run, ThreadId};

use crate::archive::{Archive, Numbers};
use crate::rng::Rng;
use crate::{Again, Choice, Chooser, Decision, Fate, NoPick, Offer, Passed, Strategy};

/// Random priorities with a few random changes.
#[derive(Clone, Debug)]
pub struct Pct {
    rng: Rng,
    depth: u32,
    priorities: Vec<u64>,
    changes: Vec<usize>,
    decisions: usize,
    longest: usize,
}

impl Pct {
    /// Aims at bugs of this depth; the same seed makes the same runs.
    #[must_use]
    pub fn new(seed: u64, depth: u32) -> Pct {
        Pct {
            rng: Rng::new(seed),
            depth: depth.max(1),
            priorities: Vec::new(),
            changes: Vec::new(),
            decisions: 0,
            longest: 1,
        }
    }
}

impl Chooser for Pct {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        let highest = |priorities: &[u64]| {
            at.enabled
                .iter()
                .max_by_key(|thread: &ThreadId| priorities[thread.index()])
                .expect("bug in raddle: a decision without enabled threads")
        };
        let chosen = highest(&self.priorities);
        let rank = self.changes.iter().position(|&change| change == self.decisions);
        self.decisions += 1;
        match rank {
            // Later changes fall below earlier ones, and all below every first priority.
            Some(rank) => {
                self.priorities[chosen.index()] = (self.changes.len() - rank) as u64;
                Choice::Go(highest(&self.priorities))
            }
            None => Choice::Go(chosen),
        }
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        Ok(self.rng.below(at.alternatives as usize) as u32)
    }
}

impl Strategy for Pct {
    fn begin(&mut self) -> bool {
        let rng = &mut self.rng;
        self.priorities.clear();
        self.priorities.extend((0..MAX_THREADS).map(|_| u64::from(self.depth) + 1 + (rng.next() >> 1)));
        self.changes.clear();
        self.changes.extend((1..self.depth).map(|_| rng.below(self.longest)));
        self.decisions = 0;
        true
    }

    fn learn(&mut self, _run: &Run) {
        self.longest = self.longest.max(self.decisions);
    }

    fn passes_over(&self, _passed: Passed) -> Fate {
        Fate::NotDrawn
    }

    fn save(&self) -> Option<Vec<u64>> {
        Some((self.rng.clone(), self.longest).numbers())
    }

    fn restore(&mut self, saved: &[u64], _again: &mut Again<'_>) -> bool {
        let saved = Numbers::new(saved).only();
        saved.map(|(rng, longest)| (self.rng, self.longest) = (rng, longest)).is_some()
    }
}
