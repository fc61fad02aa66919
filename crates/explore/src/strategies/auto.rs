//! Everything if the budget allows it, else the most promising part of it. Guarantee: all, unless the complete strategy was
//! given up; then a sample.
//!
//! Optimal reduction and the guided search take turns, a few runs each, so that a program with few traces is exhausted and
//! one with many does not have to wait for its findings until that has turned out hopeless. After the first few hundred
//! runs the guided one takes every fourth turn only: what is still to be exhausted soon should be. The guided search learns
//! from the runs of both. As soon as the estimate says that the budget will not do, all of it goes to the guided search; if
//! it says that it will, to the complete one.

use raddle_coverage::{Growth, HapSets};
use raddle_trace::{Ending, Run};

use super::HapSet;
use crate::{Choice, Chooser, Decision, Estimate, Fate, Guarantee, NoPick, Offer, Passed, Strategy, Waiting};

/// Runs that one of the two makes before the other takes its turn.
const TURN: u64 = 8;

/// Runs during which both take as many turns; afterwards the guided search takes one in [`LATER`].
const FIRST: u64 = 512;

/// One turn in how many the guided search takes later.
const LATER: u64 = 4;

/// The part of the budget after which an estimate that is hopeless counts, and by which factor it has to be.
const EARLY: (f64, f64) = (0.02, 4.0);

/// The part of the budget after which any estimate counts that will not do.
const LATE: f64 = 0.25;

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Both, in turn.
    Both,
    /// Only the complete strategy: it will do.
    Complete,
    /// Only the guided one: the complete one will not do.
    Guided,
}

/// Exhausts small programs and samples large ones.
pub struct Auto {
    complete: Box<dyn Strategy + Send>,
    guided: HapSet,
    mode: Mode,
    /// Whether the run that is being made is one of the complete strategy.
    is_complete: bool,
    /// Whether the run before was made by the same strategy.
    goes_on: bool,
    started: bool,
    guided_ended: bool,
    exhausted: bool,
    runs: u64,
    complete_runs: u64,
    guided_runs: u64,
    guided_steps: u64,
    /// The part of the budget that is spent.
    spent: f64,
}

impl Auto {
    /// From a strategy that covers everything and one that covers what is worth it.
    #[must_use]
    pub fn new(complete: Box<dyn Strategy + Send>, guided: HapSet) -> Auto {
        Auto {
            complete,
            guided,
            mode: Mode::Both,
            is_complete: true,
            goes_on: false,
            started: false,
            guided_ended: false,
            exhausted: false,
            runs: 0,
            complete_runs: 0,
            guided_runs: 0,
            guided_steps: 0,
            spent: 0.0,
        }
    }

    fn steering(&mut self) -> &mut dyn Strategy {
        if self.is_complete { &mut *self.complete } else { &mut self.guided }
    }

    /// What the estimate says about the rest of the budget.
    fn look_ahead(&mut self) {
        if self.mode == Mode::Guided || self.spent < EARLY.0 || self.complete_runs < 2 * TURN {
            return;
        }
        let Some(estimate) = self.complete.estimate(self.complete_runs) else {
            // Nothing is finished yet that could be counted.
            if self.spent >= LATE {
                self.mode = Mode::Guided;
            }
            return;
        };
        // What the complete strategy has spent itself, and would have spent at its end.
        let own = self.spent * self.complete_runs as f64 / self.runs as f64;
        let whole = own / estimate.done.max(f64::MIN_POSITIVE);
        let end = self.spent + whole - own;
        if end > EARLY.1 || (end > 1.0 && self.spent >= LATE) {
            self.mode = Mode::Guided;
        } else if self.spent >= LATE {
            self.mode = Mode::Complete;
        }
    }

    /// Whose turn it is.
    fn is_turn_of_complete(&self) -> bool {
        match self.mode {
            Mode::Complete => true,
            Mode::Guided => false,
            Mode::Both => {
                let turns = if self.runs < FIRST { 2 } else { LATER };
                self.guided_ended || self.runs / TURN % turns != 1
            }
        }
    }
}

impl Chooser for Auto {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        self.steering().decide(at)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        self.steering().pick(at)
    }
}

impl Strategy for Auto {
    fn begin(&mut self) -> bool {
        self.look_ahead();
        let before = self.is_complete;
        self.is_complete = self.is_turn_of_complete();
        if !self.is_complete && !self.guided.begin() {
            self.guided_ended = true;
            // A guided search that leaves nothing out has nothing left to find, but only a complete one may say so.
            if self.mode == Mode::Guided {
                return false;
            }
            self.is_complete = true;
        }
        if self.is_complete && !self.complete.begin() {
            self.exhausted = true;
            if raddle_trace::fault!(AutoNeverExhausts) {
                (self.exhausted, self.mode) = (false, Mode::Guided);
            }
            return false;
        }
        self.goes_on = self.started && before == self.is_complete;
        self.started = true;
        true
    }

    fn learn(&mut self, run: &Run) {
        self.runs += 1;
        if self.is_complete {
            self.complete_runs += 1;
            self.guided.watch(run);
        } else if !matches!(run.ending, Ending::Blocked | Ending::Elsewhere) {
            self.guided_runs += 1;
            self.guided_steps += run.events.len() as u64;
        }
        self.steering().learn(run);
    }

    fn found(&mut self) {
        self.complete.found();
        self.guided.found();
    }

    fn spent(&mut self, part: f64) {
        self.spent = part;
    }

    fn keeps(&mut self) -> bool {
        self.steering().keeps()
    }

    fn replayed(&self) -> usize {
        match (self.goes_on, self.is_complete) {
            (false, _) => 0,
            (true, true) => self.complete.replayed(),
            (true, false) => self.guided.replayed(),
        }
    }

    fn guarantee(&self) -> Guarantee {
        // A budget that ended before the complete strategy was given up has stopped that one.
        if self.mode == Mode::Guided && !self.exhausted {
            Guarantee::Sample
        } else {
            self.complete.guarantee()
        }
    }

    fn estimate(&self, _runs: u64) -> Option<Estimate> {
        self.complete.estimate(self.complete_runs)
    }

    fn beside(&self) -> (u64, u64) {
        (self.guided_runs, self.guided_steps)
    }

    fn coverage(&self) -> Option<(&HapSets, &Growth)> {
        self.guided.coverage()
    }

    fn passes_over(&self, passed: Passed) -> Fate {
        if self.is_complete { self.complete.passes_over(passed) } else { self.guided.passes_over(passed) }
    }

    fn waiting(&self) -> Waiting {
        if self.is_complete { self.complete.waiting() } else { self.guided.waiting() }
    }
}
