//! All schedules with at most so many pre-emptions. Guarantee: all traces that have such a schedule, and no others.

use raddle_trace::{Run, ThreadSet};

use super::depth_first::DepthFirst;
use crate::{
    Again, Choice, Chooser, Decision, Estimate, Fate, Guarantee, NoPick, Offer, Passed, Share, Strategy,
};

/// All schedules with few pre-emptions, without further reduction.
#[derive(Clone, Debug)]
pub struct PreemptionBound {
    ways: DepthFirst,
    bound: u32,
    used: u32,
}

impl PreemptionBound {
    /// Allows this many switches away from a thread that could have gone on.
    #[must_use]
    pub fn at_most(bound: u32) -> PreemptionBound {
        PreemptionBound::shared(bound, None)
    }

    /// The part of one of several workers.
    #[must_use]
    pub fn shared(bound: u32, share: Option<Share>) -> PreemptionBound {
        PreemptionBound { ways: DepthFirst::shared(share), bound, used: 0 }
    }
}

impl Chooser for PreemptionBound {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        let running = at.running();
        let spent = self.used >= self.bound + u32::from(raddle_trace::fault!(BoundOffByOne));
        let allowed = match running {
            Some(running) if spent => ThreadSet::only(running),
            _ => at.enabled,
        };
        let choice = self.ways.decide(at, allowed);
        if let (Some(running), Choice::Go(chosen)) = (running, choice) {
            self.used += u32::from(chosen != running && !raddle_trace::fault!(BoundForgetsToCount));
        }
        choice
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        self.ways.pick(at)
    }
}

impl Strategy for PreemptionBound {
    fn begin(&mut self) -> bool {
        self.used = 0;
        self.ways.begin()
    }

    fn learn(&mut self, _run: &Run) {}

    fn keeps(&mut self) -> bool {
        self.ways.keeps()
    }

    fn replayed(&self) -> usize {
        self.ways.replayed()
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Within(self.bound)
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

    fn passes_over(&self, passed: Passed) -> Fate {
        // Where something is decided for the first time the running thread goes on, so nothing was spent on it.
        match passed {
            Passed::Thread { thread, running: Some(running) }
                if thread != running && self.used >= self.bound =>
            {
                Fate::BeyondBound
            }
            _ => Fate::Waiting,
        }
    }
}
