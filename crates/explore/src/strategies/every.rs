//! All schedules, depth first, without reduction. Guarantee: all.

use super::depth_first::DepthFirst;
use crate::{
    Again, Choice, Chooser, Decision, Estimate, Fate, Guarantee, NoPick, Offer, Passed, Share, Strategy,
};

/// All schedules, without reduction. For programs of a few steps, and to compare others with.
#[derive(Clone, Debug, Default)]
pub struct Every {
    ways: DepthFirst,
}

impl Every {
    /// Starts with the schedule that switches only where it has to.
    #[must_use]
    pub fn new() -> Every {
        Every::default()
    }

    /// The part of one of several workers.
    #[must_use]
    pub fn shared(share: Option<Share>) -> Every {
        Every { ways: DepthFirst::shared(share) }
    }
}

impl Chooser for Every {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        self.ways.decide(at, at.enabled)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        self.ways.pick(at)
    }

    fn shared(&self) -> usize {
        self.ways.replayed()
    }

    fn skip(&mut self, events: usize) {
        self.ways.skip(events);
    }
}

impl Strategy for Every {
    fn begin(&mut self) -> bool {
        self.ways.begin()
    }

    fn keeps(&mut self) -> bool {
        self.ways.keeps()
    }

    fn replayed(&self) -> usize {
        self.ways.replayed()
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::All
    }

    fn estimate(&self, runs: u64) -> Option<Estimate> {
        self.ways.estimate(runs)
    }

    fn save(&self) -> Option<Vec<u64>> {
        self.ways.save()
    }

    fn restore(&mut self, saved: &[u64], _again: &mut Again<'_>) -> bool {
        self.ways.restore(saved)
    }

    fn passes_over(&self, _passed: Passed) -> Fate {
        Fate::Waiting
    }
}
