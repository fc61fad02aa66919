//! Everything if the budget allows it, else the most promising part of it. Guarantee: all, unless the complete strategy was
//! given up; then a sample.
//!
//! Optimal reduction and the guided search take turns, so that a program with few traces is exhausted and one with many
//! does not have to wait for its findings until that has turned out hopeless. At the beginning two of three runs are
//! guided: few of them show most of what they can show, and how many it takes hardly depends on the number of threads,
//! whereas the complete strategy goes far from where it started only after many. Later turns are longer, since a strategy
//! that goes on from its own last run does not have to make the beginning again; and the guided search gets the fewer of
//! them the sooner the complete one will come to its end. It learns from the runs of both. As soon as the estimate says
//! that the budget will not do, all of it goes to the guided search; if it says that it will, to the complete one.

use raddle_coverage::{Growth, HapSets};
use raddle_trace::{Ending, Run};

use super::HapSet;
use crate::archive::{Archive, Kept, Numbers};
use crate::{
    Again, Choice, Chooser, Decision, Estimate, Fate, Guarantee, NoPick, Offer, Passed, Strategy, Waiting,
};

/// Runs that are taken one by one, the first of [`CYCLE`] by the complete strategy and the others by the guided one.
const FIRST: u64 = 48;

/// How many runs there are to a complete one among the first.
const CYCLE: u64 = 3;

/// Runs that one of the two makes later before the other takes its turn.
const TURN: u64 = 8;

/// Runs during which both take as many turns, unless the complete strategy will end soon; afterwards the guided one takes
/// one in [`SELDOM`].
const EVEN: u64 = 512;

/// One turn in how many the guided search takes later.
const SELDOM: u64 = 8;

/// One turn in how many it takes if the complete strategy will end soon.
const RARELY: u64 = 16;

/// The part of everything that has to be done for the complete strategy to end soon.
const SOON: f64 = 0.1;

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
    /// The turns that were taken, and the runs that are left of this one.
    turns: u64,
    left: u64,
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
    /// All runs, and those of the complete strategy, that were made before this budget began.
    before: (u64, u64),
    /// The last runs of the last turns of the complete strategy and of the guided one: each goes on from its own.
    last: [Kept; 2],
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
            turns: 0,
            left: 0,
            goes_on: false,
            started: false,
            guided_ended: false,
            exhausted: false,
            runs: 0,
            complete_runs: 0,
            guided_runs: 0,
            guided_steps: 0,
            spent: 0.0,
            before: (0, 0),
            last: [Kept::default(), Kept::default()],
        }
    }

    fn steering(&mut self) -> &mut dyn Strategy {
        if self.is_complete { &mut *self.complete } else { &mut self.guided }
    }

    /// What the estimate says about the rest of the budget.
    fn look_ahead(&mut self) {
        if self.mode == Mode::Guided || self.spent < EARLY.0 || self.complete_runs - self.before.1 < 2 * TURN
        {
            return;
        }
        let Some(estimate) = self.complete.estimate(self.complete_runs) else {
            // Nothing is finished yet that could be counted.
            if self.spent >= LATE {
                self.mode = Mode::Guided;
            }
            return;
        };
        // What a run costs, how many of the complete strategy are left, and what will have been spent at its end.
        let each = self.spent / (self.runs - self.before.0).max(1) as f64;
        let own = self.complete_runs as f64;
        let end = self.spent + each * (own / estimate.done.max(f64::MIN_POSITIVE) - own);
        if end > EARLY.1 || (end > 1.0 && self.spent >= LATE) {
            self.mode = Mode::Guided;
        } else if self.spent >= LATE {
            self.mode = Mode::Complete;
        }
    }

    /// Begins another turn.
    fn take_turn(&mut self) {
        self.look_ahead();
        let number = self.turns;
        self.turns += 1;
        (self.is_complete, self.left) = match self.mode {
            Mode::Complete => (true, TURN),
            Mode::Guided => (false, TURN),
            Mode::Both if self.runs < FIRST => (number.is_multiple_of(CYCLE), 1),
            Mode::Both => (!number.is_multiple_of(self.turns_to_a_guided_one()), TURN),
        };
        self.is_complete |= self.guided_ended && self.mode == Mode::Both;
    }

    fn turns_to_a_guided_one(&self) -> u64 {
        let done = self.complete.estimate(self.complete_runs).map_or(0.0, |estimate| estimate.done);
        match done {
            done if done >= SOON => RARELY,
            _ if self.runs < EVEN => 2,
            _ => SELDOM,
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

    fn shared(&self) -> usize {
        if self.goes_on && self.is_complete { self.complete.shared() } else { 0 }
    }

    fn skip(&mut self, events: usize) {
        self.steering().skip(events);
    }
}

impl Strategy for Auto {
    fn begin(&mut self) -> bool {
        let before = self.is_complete;
        if self.left == 0 {
            self.take_turn();
        }
        self.left -= 1;
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
        if self.left == 0 {
            self.last[usize::from(!self.is_complete)].replace(&run.events);
        }
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

    fn save(&self) -> Option<Vec<u64>> {
        let parts = (self.complete.save()?, self.guided.save()?);
        let counts = ((self.runs, self.complete_runs), (self.guided_runs, self.guided_steps));
        let turn = ((self.is_complete, self.guided_ended), (self.turns, self.left));
        Some((parts, ((counts, turn), self.last.to_vec())).numbers())
    }

    /// Another budget may be enough for the complete strategy: what was decided about it is decided again.
    fn restore(&mut self, saved: &[u64], again: &mut Again<'_>) -> bool {
        type Parts = (Vec<u64>, Vec<u64>);
        type Rest = ((((u64, u64), (u64, u64)), ((bool, bool), (u64, u64))), Vec<Kept>);
        let Some((parts, (rest, last))) = Numbers::new(saved).only::<(Parts, Rest)>() else { return false };
        let ((complete, guided), (counts, ((is_complete, guided_ended), turn))) = (parts, rest);
        (self.turns, self.left) = turn;
        ((self.runs, self.complete_runs), (self.guided_runs, self.guided_steps)) = counts;
        let Ok([last_complete, last_guided]) = <[Kept; 2]>::try_from(last) else { return false };
        // Who made the last run of all goes on from that one, the other one from its own.
        let other = (again.make)(if is_complete { &last_guided } else { &last_complete });
        let Some(other) = other else { return false };
        self.last = [last_complete, last_guided];
        (self.is_complete, self.guided_ended, self.started) = (is_complete, guided_ended, true);
        self.before = (self.runs, self.complete_runs);
        let (mine, others) = if is_complete { (&complete, &guided) } else { (&guided, &complete) };
        let mine_again = self.steering().restore(mine, again);
        self.is_complete = !is_complete;
        let others_again =
            self.steering().restore(others, &mut Again { last: &other, make: &mut *again.make });
        self.is_complete = is_complete;
        mine_again && others_again
    }

    fn passes_over(&self, passed: Passed) -> Fate {
        if self.is_complete { self.complete.passes_over(passed) } else { self.guided.passes_over(passed) }
    }

    fn waiting(&self) -> Waiting {
        if self.is_complete { self.complete.waiting() } else { self.guided.waiting() }
    }
}
