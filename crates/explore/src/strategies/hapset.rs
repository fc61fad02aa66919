//! Search guided by HaPSets (Wang, Said, Gupta, ICSE 2011). Guarantee: a sample; as long as it goes on, it shows orders of
//! statements that no run had shown, or says that it found none.
//!
//! A round begins with learning runs, drawn by the strategies that sample (Algorithm 1), every second one by the one that
//! postpones a statement. It goes on with a systematic search from which every order that has been seen is left out
//! (Algorithms 4 and 5, `dpor/guide.rs`), until nothing is left or nothing new comes any more. The rounds after the first
//! let chance go on where nothing is planned, so that each starts somewhere else. A round in which nothing had to be left
//! out ends the search: it was complete.

use raddle_coverage::{Growth, HapSets};
use raddle_trace::Run;

use super::dpor::Dpor;
use super::dpor::guide::{Guide, PCT_DEPTH, Tail};
use super::{ByStatement, Pct, Pos, Postponed, Random, Surw};
use crate::archive::{Archive, Numbers};
use crate::strategy::Guidance;
use crate::{
    Again, Choice, Chooser, Decision, Estimate, Fate, Guarantee, NoPick, Offer, Passed, Strategy, Waiting,
};

/// Guided runs without anything new before a round ends, besides two for every pair that is known.
const MIN_PATIENCE: u64 = 64;

/// The sampler that postpones statements is the last one, and draws every second learning run.
const POSTPONED: usize = 5;

/// What the next run is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// To learn, by the sampler of this number.
    Learning(usize),
    /// To show a new order.
    Guided,
}

/// Guided by what was learned.
pub struct HapSet {
    samplers: Vec<Box<dyn Strategy + Send>>,
    guided: Dpor,
    phase: Phase,
    seed: u64,
    round: u64,
    /// Learning runs that this round has still to make.
    left_to_learn: u32,
    guidance: Guidance,
    /// Guided runs since the last one that showed something new.
    idle: u64,
    /// Learning runs since the samplers have taken turns: each one's is followed by one that postpones.
    turn: usize,
}

impl HapSet {
    /// The same seed makes the same runs. With a bound, what is guided is the search of all schedules with so many pre-emptions,
    /// else reduction with backtracking points.
    #[must_use]
    pub fn new(seed: u64, bound: Option<u32>, guidance: &Guidance) -> HapSet {
        let sets = guidance.sets.as_ref().filter(|sets| sets.context() == guidance.context);
        let sets = sets.map_or_else(|| HapSets::new(guidance.context), |sets| HapSets::clone(sets));
        HapSet {
            samplers: vec![
                Box::new(Pos::new(seed)),
                Box::new(Surw::new(seed ^ 1)),
                Box::new(Pct::new(seed ^ 2, PCT_DEPTH)),
                Box::new(ByStatement::new(seed ^ 3)),
                Box::new(Random::new(seed ^ 4)),
                Box::new(Postponed::new(seed ^ 5)),
            ],
            guided: Dpor::guided(Guide::new(sets, guidance.aim.clone(), bound)),
            phase: Phase::Guided,
            seed,
            round: 0,
            left_to_learn: guidance.learning_runs,
            guidance: guidance.clone(),
            idle: 0,
            turn: 0,
        }
    }

    /// Learns from a run that another strategy made.
    pub(super) fn watch(&mut self, run: &Run) {
        self.guided.guide_mut().learn(run);
    }

    fn steering(&mut self) -> &mut dyn Strategy {
        match self.phase {
            Phase::Learning(sampler) => &mut *self.samplers[sampler],
            Phase::Guided => &mut self.guided,
        }
    }

    /// Ends the round; false if there is no reason for another.
    fn next_round(&mut self, ended: bool) -> bool {
        self.round += 1;
        let complete = ended && self.guided.guide().skipped == 0 && self.guided.guide().bound.is_none();
        if complete || self.guidance.rounds.is_some_and(|rounds| self.round >= u64::from(rounds)) {
            return false;
        }
        self.guided.start_again();
        if self.guided.guide().bound.is_none() {
            let seed = self.seed ^ (self.round << 8);
            self.guided.guide_mut().tail = match self.round % 4 {
                0 => Tail::Natural,
                1 => Tail::Pct(Pct::new(seed, PCT_DEPTH)),
                2 => Tail::ByStatement(ByStatement::new(seed)),
                _ => Tail::Pos(Pos::new(seed)),
            };
        }
        self.left_to_learn = self.guidance.learning_runs.max(1);
        self.idle = 0;
        true
    }

    fn begin_guided(&mut self) -> bool {
        self.phase = Phase::Guided;
        let patience = MIN_PATIENCE + 2 * self.guided.guide().sets.len() as u64;
        if self.idle <= patience && self.guided.begin() {
            return true;
        }
        let ended = self.idle <= patience;
        self.next_round(ended) && self.begin()
    }
}

impl Chooser for HapSet {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        match self.phase {
            Phase::Guided => self.guided.decide(at),
            Phase::Learning(sampler) => {
                let guide = self.guided.guide_mut();
                let enabled = guide.aiming(at, at.enabled);
                let choice = self.samplers[sampler].decide(&Decision { enabled, ..*at });
                if let Choice::Go(thread) = choice {
                    guide.went(at, thread);
                }
                choice
            }
        }
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        self.steering().pick(at)
    }
}

impl Strategy for HapSet {
    fn begin(&mut self) -> bool {
        if self.left_to_learn == 0 {
            return self.begin_guided();
        }
        self.left_to_learn -= 1;
        self.phase = Phase::Learning(if self.turn % 2 == 1 { POSTPONED } else { self.turn / 2 });
        self.turn = (self.turn + 1) % (2 * POSTPONED);
        self.guided.guide_mut().begin_run();
        self.steering().begin()
    }

    fn learn(&mut self, run: &Run) {
        match self.phase {
            Phase::Guided => {
                let before = self.guided.guide().sets.len();
                self.guided.learn(run);
                let new = self.guided.guide().sets.len() > before;
                self.idle = if new { 0 } else { self.idle + 1 };
            }
            Phase::Learning(sampler) => {
                self.samplers[sampler].learn(run);
                if sampler != POSTPONED {
                    self.samplers[POSTPONED].learn(run);
                }
                self.guided.guide_mut().learn(run);
            }
        }
    }

    fn found(&mut self) {
        self.guided.found();
    }

    fn replayed(&self) -> usize {
        match self.phase {
            Phase::Guided => self.guided.replayed(),
            Phase::Learning(_) => 0,
        }
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Sample
    }

    fn estimate(&self, _runs: u64) -> Option<Estimate> {
        None
    }

    fn coverage(&self) -> Option<(&HapSets, &Growth)> {
        let guide = self.guided.guide();
        Some((&guide.sets, &guide.growth))
    }

    fn save(&self) -> Option<Vec<u64>> {
        let samplers: Option<Vec<_>> = self.samplers.iter().map(|sampler| sampler.save()).collect();
        let learning = match self.phase {
            Phase::Learning(sampler) => Some(sampler),
            Phase::Guided => None,
        };
        let round = ((self.round, self.left_to_learn), (self.idle, self.turn));
        Some(((samplers?, self.guided.save()?), (learning, round)).numbers())
    }

    fn restore(&mut self, saved: &[u64], again: &mut Again<'_>) -> bool {
        let Some(((samplers, guided), (learning, round))) = Numbers::new(saved).only() else { return false };
        let (samplers, guided, learning): (Vec<Vec<u64>>, Vec<u64>, Option<usize>) =
            (samplers, guided, learning);
        ((self.round, self.left_to_learn), (self.idle, self.turn)) = round;
        self.phase = learning.map_or(Phase::Guided, Phase::Learning);
        let most = self.samplers.len();
        samplers.len() == most
            && self.turn < 2 * POSTPONED
            && learning.unwrap_or(0) < most
            && self.samplers.iter_mut().zip(&samplers).all(|(sampler, saved)| sampler.restore(saved, again))
            && self.guided.restore(&guided, again)
    }

    fn passes_over(&self, passed: Passed) -> Fate {
        match self.phase {
            Phase::Guided => self.guided.passes_over(passed),
            Phase::Learning(_) => Fate::NotDrawn,
        }
    }

    fn waiting(&self) -> Waiting {
        match self.phase {
            Phase::Guided => self.guided.waiting(),
            Phase::Learning(_) => Waiting::new(),
        }
    }
}
