//! Partial order sampling (Yuan, Yang, Gu, CAV 2018). Guarantee: a sample, in which traces come far more evenly than if
//! threads were drawn at each step.
//!
//! Every event gets a random priority when it becomes the next of its thread; the enabled one with the highest goes.
//! Those that race with it draw again: otherwise a low priority would be kept through a whole row of races, and orders in
//! which one thread is now first and now second would be rare.

use raddle_trace::limits::MAX_THREADS;
use raddle_trace::{ThreadSet, dependent};

use crate::archive::{Archive, Numbers};
use crate::rng::Rng;
use crate::{Again, Choice, Chooser, Decision, Fate, NoPick, Offer, Passed, Strategy};

/// Random priorities of events, drawn again for those that race.
#[derive(Clone, Debug)]
pub struct Pos {
    rng: Rng,
    /// The priority of each thread's next event; meaningful for the threads in `drawn`.
    priorities: Vec<u64>,
    drawn: ThreadSet,
}

impl Pos {
    /// The same seed makes the same runs.
    #[must_use]
    pub fn new(seed: u64) -> Pos {
        Pos { rng: Rng::new(seed), priorities: vec![0; MAX_THREADS], drawn: ThreadSet::EMPTY }
    }
}

impl Chooser for Pos {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        for thread in at.enabled.without(self.drawn).iter() {
            self.priorities[thread.index()] = self.rng.next();
        }
        self.drawn = self.drawn.union(at.enabled);
        let chosen = at
            .enabled
            .iter()
            .max_by_key(|thread| self.priorities[thread.index()])
            .expect("bug in raddle: a decision without enabled threads");
        self.drawn.remove(chosen);
        if !raddle_trace::fault!(PosNeverDrawsAgain) {
            let step = at.pending[chosen.index()].accesses;
            for other in self.drawn.iter() {
                if dependent(&at.pending[other.index()].accesses, &step) {
                    self.drawn.remove(other);
                }
            }
        }
        Choice::Go(chosen)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        Ok(self.rng.below(at.alternatives as usize) as u32)
    }
}

impl Strategy for Pos {
    fn begin(&mut self) -> bool {
        self.drawn = ThreadSet::EMPTY;
        true
    }

    fn passes_over(&self, _passed: Passed) -> Fate {
        Fate::NotDrawn
    }

    fn save(&self) -> Option<Vec<u64>> {
        Some(self.rng.numbers())
    }

    fn restore(&mut self, saved: &[u64], _again: &mut Again<'_>) -> bool {
        Numbers::new(saved).only().map(|rng| self.rng = rng).is_some()
    }
}
