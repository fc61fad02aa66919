//! Uniformly random choices. Guarantee: a sample; it never comes to an end by itself.

use crate::archive::{Archive, Numbers};
use crate::rng::Rng;
use crate::{Again, Choice, Chooser, Decision, Fate, NoPick, Offer, Passed, Strategy};

/// Lets a random enabled thread go at every decision.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
}

impl Random {
    /// The same seed makes the same runs.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { rng: Rng::new(seed) }
    }
}

impl Chooser for Random {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        let drawn = at.enabled.sole().or_else(|| at.enabled.nth(self.rng.below(at.enabled.len())));
        Choice::Go(drawn.expect("bug in raddle: drew a thread that is not there"))
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        Ok(self.rng.below(at.alternatives as usize) as u32)
    }
}

impl Strategy for Random {
    fn begin(&mut self) -> bool {
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
