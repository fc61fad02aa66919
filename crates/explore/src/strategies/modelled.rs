//! What the strategies that build a model have in common: runs are made where the model does not know what comes next.
//!
//! What is beyond the model is searched by `optimal-dpor` instead, so that the claim stays the same.

use raddle_trace::Run;

use super::OptimalDpor;
use crate::model::{Beyond, Knowledge, Marking, ModelNet, ModelSize, ModelSummary, Plan};
use crate::{Choice, Chooser, Decision, Doubt, Estimate, Guarantee, NoPick, Offer, Strategy};

/// What to do next.
pub(super) enum Advance {
    /// Make a run that begins like this.
    Run(Plan),
    /// Everything has been explored.
    Done,
    /// There is more to do.
    More,
}

/// How much is done between two looks at the clock.
const STEPS_AT_ONCE: usize = 256;

/// How often a model may begin anew because more of the program's memory turned out to be shared.
const MOST_BEGINNINGS: u32 = 64;

/// Explores the model.
pub(super) trait Exploration {
    /// What may be claimed when there is nothing left to explore.
    const GUARANTEE: Guarantee;

    /// Goes on for so many steps, or until a run is needed or there is nothing left.
    fn advance(&mut self, knowledge: &mut Knowledge, steps: usize) -> Advance;

    /// Everything begins anew.
    fn forget(&mut self);

    /// A run has been made, and ended in this marking.
    fn ended(&mut self, marking: Marking);

    /// The size of what was explored.
    fn size(&self, knowledge: &Knowledge) -> ModelSize;

    /// What was explored as a net of so many nodes at most.
    fn net(&self, knowledge: &mut Knowledge, most: usize) -> ModelNet;

    /// What was reached.
    fn summary(&self, knowledge: &mut Knowledge) -> ModelSummary;
}

/// A strategy that builds a model.
pub(super) struct Modelled<E> {
    knowledge: Knowledge,
    exploration: E,
    plan: Plan,
    /// What came of thinking.
    thought: Option<Advance>,
    started: bool,
    /// How often everything began anew.
    anew: u32,
    backwards: bool,
    instead: Option<Box<OptimalDpor>>,
}

impl<E: Exploration> Modelled<E> {
    pub(super) fn new(exploration: E, by_value: bool) -> Modelled<E> {
        Modelled {
            knowledge: Knowledge::new(by_value),
            exploration,
            plan: Plan::default(),
            thought: None,
            started: false,
            anew: 0,
            backwards: true,
            instead: None,
        }
    }

    pub(super) fn size(&self) -> ModelSize {
        self.exploration.size(&self.knowledge)
    }

    pub(super) fn summary(&mut self) -> Option<ModelSummary> {
        (self.instead.is_none()).then(|| self.exploration.summary(&mut self.knowledge))
    }

    /// What was learned so far lacks steps that will be there from the next run on.
    fn begin_anew(&mut self) {
        self.anew += 1;
        if self.anew > MOST_BEGINNINGS {
            self.knowledge.give_up(Beyond::Plain);
            return;
        }
        self.knowledge = self.knowledge.anew();
        self.exploration.forget();
        self.thought = None;
        self.plan = Plan::default();
        self.started = false;
    }

    /// Prepares the next run.
    fn prepare(&mut self) -> bool {
        let begun = self.prepare_plan();
        self.backwards = !self.backwards;
        self.plan.backwards = self.backwards;
        begun
    }

    fn prepare_plan(&mut self) -> bool {
        if !self.started {
            self.started = true;
            return true;
        }
        if self.knowledge.beyond().is_none() {
            let thought = self.thought.take();
            match thought.unwrap_or_else(|| self.exploration.advance(&mut self.knowledge, usize::MAX)) {
                Advance::More => unreachable!("bug in raddle: an exploration that was not limited stopped"),
                Advance::Run(plan) => {
                    self.plan = plan;
                    return true;
                }
                Advance::Done if self.knowledge.beyond().is_some() => {}
                Advance::Done => return false,
            }
        }
        self.instead.insert(Box::new(OptimalDpor::new())).begin()
    }
}

impl<E: Exploration> Chooser for Modelled<E> {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        match &mut self.instead {
            Some(instead) => instead.decide(at),
            None => {
                self.knowledge.stable |= at.objects == usize::MAX;
                self.plan.decide(at)
            }
        }
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        match &mut self.instead {
            Some(instead) => instead.pick(at),
            None => self.plan.pick(at),
        }
    }

    fn wants_names(&self) -> bool {
        self.instead.is_none()
    }

    fn sees_plain(&self) -> bool {
        self.instead.is_none()
    }
}

impl<E: Exploration> Strategy for Modelled<E> {
    fn begin(&mut self) -> bool {
        match &mut self.instead {
            Some(instead) => instead.begin(),
            None => self.prepare(),
        }
    }

    fn think(&mut self) -> bool {
        if !self.started
            || self.instead.is_some()
            || self.knowledge.beyond().is_some()
            || self.thought.is_some()
        {
            return false;
        }
        match self.exploration.advance(&mut self.knowledge, STEPS_AT_ONCE) {
            Advance::More => true,
            thought => {
                self.thought = Some(thought);
                false
            }
        }
    }

    fn learn(&mut self, run: &Run) {
        match &mut self.instead {
            Some(instead) => instead.learn(run),
            None if run.shows_more_next && !run.unseen_access => self.begin_anew(),
            None => {
                if let Some(marking) = self.knowledge.learn(run) {
                    self.exploration.ended(marking);
                }
                self.knowledge.take_names(run);
            }
        }
    }

    fn replayed(&self) -> usize {
        self.instead.as_ref().map_or(0, |instead| instead.replayed())
    }

    fn guarantee(&self) -> Guarantee {
        if self.instead.is_some() { Guarantee::All } else { E::GUARANTEE }
    }

    fn estimate(&self, runs: u64) -> Option<Estimate> {
        self.instead.as_ref().and_then(|instead| instead.estimate(runs))
    }

    fn doubt(&self) -> Option<Doubt> {
        self.knowledge.doubt().cloned()
    }

    fn model(&self) -> Option<ModelSize> {
        self.instead.is_none().then(|| self.size())
    }

    fn net(&mut self, most: usize) -> Option<ModelNet> {
        self.instead.is_none().then(|| self.exploration.net(&mut self.knowledge, most))
    }

    fn beyond(&self) -> Option<Beyond> {
        self.knowledge.beyond()
    }
}

/// Makes a strategy of a wrapper around [`Modelled`].
macro_rules! delegate {
    ($name:ident) => {
        impl $name {
            /// What was reached, after the end of the search; `None` if the program is beyond the model.
            pub fn summary(&mut self) -> Option<ModelSummary> {
                self.inner.summary()
            }
        }

        impl Chooser for $name {
            fn decide(&mut self, at: &Decision<'_>) -> Choice {
                self.inner.decide(at)
            }

            fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
                self.inner.pick(at)
            }

            fn wants_names(&self) -> bool {
                self.inner.wants_names()
            }

            fn sees_plain(&self) -> bool {
                self.inner.sees_plain()
            }
        }

        impl Strategy for $name {
            fn begin(&mut self) -> bool {
                self.inner.begin()
            }

            fn think(&mut self) -> bool {
                self.inner.think()
            }

            fn learn(&mut self, run: &Run) {
                self.inner.learn(run);
            }

            fn replayed(&self) -> usize {
                self.inner.replayed()
            }

            fn guarantee(&self) -> Guarantee {
                self.inner.guarantee()
            }

            fn estimate(&self, runs: u64) -> Option<Estimate> {
                self.inner.estimate(runs)
            }

            fn doubt(&self) -> Option<Doubt> {
                self.inner.doubt()
            }

            fn model(&self) -> Option<ModelSize> {
                self.inner.model()
            }

            fn net(&mut self, most: usize) -> Option<ModelNet> {
                self.inner.net(most)
            }

            fn beyond(&self) -> Option<Beyond> {
                self.inner.beyond()
            }
        }
    };
}
pub(super) use delegate;
