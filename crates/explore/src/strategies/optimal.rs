//! Optimal dynamic partial order reduction: source sets and wake-up trees (Abdulla, Aronsson, Jonsson, Sagonas, "Source
//! Sets: A Foundation for Optimal Dynamic Partial Order Reduction", JACM 2017, Algorithm 2). Guarantee: all, each trace
//! exactly once, and no run is given up.
//!
//! After a run every reversible race in it is turned round: the beginning of a run in which the later operation comes
//! first is added to the *wake-up tree* of the state before the earlier one, unless a run that begins like that has been
//! made (it would start with a sleeping step) or is already planned (it is in the tree).
//!
//! What is ours:
//! - Operations that wait. A race is reversible if the later operation could go in the new run, which the levels of
//!   `raddle-trace` tell; releases are looked through, so that two critical sections race with each other. Operations that
//!   still wait at the end of a run race like the others; that is how deadlocks are found. A thread that was notified
//!   could have given up before, so its time-out races with the notification.
//! - Operations with alternatives. A step is a thread *and* an alternative. Alternatives of a step that no plan asked for
//!   are tried one after the other. In a planned step only the planned one is: the others were tried where the step was
//!   first met, and the races found there bring them here if need be.
//! - Objects are numbered as a run meets them, so a plan made in one run cannot be compared by object with a later run,
//!   unless the object was known at the state of the plan or the thread's history up to the step is the same in both.
//!   Where neither holds the plan is kept, and marked as doubtful: `doubt.rs` tells how the runs settle it.
//!
//! Workers cannot share this search. What is planned below one branch of a tree is added to the branches that are still to
//! be tried, in the order of the tree, and that is what makes it complete: a branch that another worker tries meanwhile
//! can no longer be added to. Nor can each search below a beginning of its own, since what sleeps there leaves runs that
//! are given up, whose races are not all seen. Both were tried, and both missed traces that brute force knows.

mod candidates;
mod doubt;
mod races;
mod sequence;
mod wakeup_tree;

use raddle_trace::{Accesses, HappensBefore, Kind, Relation, Run, ThreadId, fault};

use self::candidates::Candidates;
use self::races::Race;
use self::sequence::Sequence;
use self::wakeup_tree::{Branch, Planned};
use super::sleep_set::{Alternatives, Asleep, SleepSet};
use crate::archive::{Archive, Numbers, archive};
use crate::{
    Again, Choice, Chooser, Decision, Estimate, Fate, Guarantee, NoPick, Offer, Passed, Strategy, Waiting,
};

/// A state in which a thread was chosen.
#[derive(Clone, Debug)]
struct Node {
    event: usize,
    /// How many objects the run had met.
    objects: usize,
    asleep: SleepSet,
    /// What is planned to be tried from here, apart from what is being tried.
    plans: Vec<Branch>,
    chosen: ThreadId,
    planned: Planned,
    /// What the chosen thread is about to touch.
    accesses: Accesses,
    /// How many alternatives it has, and whether it is a weak compare-exchange.
    known: u32,
    weak: bool,
    finished: usize,
    /// Whether some of the plans are doubtful.
    doubtful: bool,
}

impl Node {
    /// The step that is being tried, as it sleeps afterwards.
    fn tried(&self) -> Asleep {
        let alternatives = match self.planned {
            Planned::All => Alternatives::ALL,
            Planned::One(_) if fault!(OneAlternativeSleepsForAll) => Alternatives::ALL,
            Planned::One(alternative) => Alternatives::only(alternative),
        };
        let (known, weak, accesses) = (self.known, self.weak, self.accesses);
        Asleep { thread: self.chosen, alternatives, known, weak, accesses }
    }
}

/// A step with several alternatives.
#[derive(Clone, Debug)]
struct Fork {
    event: usize,
    known: u32,
    chosen: u32,
    /// Alternatives that sleep.
    asleep: Option<Alternatives>,
    /// Whether all alternatives are to be tried, or only those planned.
    free: bool,
    plans: Vec<Branch>,
    finished: usize,
}

#[derive(Clone, Debug)]
enum Level {
    Threads(Node),
    Alternatives(Fork),
}

impl Level {
    fn event(&self) -> usize {
        match self {
            Level::Threads(node) => node.event,
            Level::Alternatives(fork) => fork.event,
        }
    }
}

archive!(Node { event, objects, asleep, plans, doubtful, chosen, planned, accesses, known, weak, finished });
archive!(Fork { event, known, chosen, asleep, free, plans, finished });

impl Archive for Level {
    fn put(&self, out: &mut Vec<u64>) {
        match self {
            Level::Threads(node) => {
                0_u32.put(out);
                node.put(out);
            }
            Level::Alternatives(fork) => {
                1_u32.put(out);
                fork.put(out);
            }
        }
    }

    fn take(input: &mut Numbers<'_>) -> Option<Level> {
        Some(match u32::take(input)? {
            0 => Level::Threads(Archive::take(input)?),
            _ => Level::Alternatives(Archive::take(input)?),
        })
    }
}

/// One run per trace.
#[derive(Clone, Debug)]
pub struct OptimalDpor {
    order: HappensBefore,
    levels: Vec<Level>,
    depth: usize,
    /// The sleep set of the current state, while the run is new.
    asleep: SleepSet,
    scratch: SleepSet,
    /// The sleep set if the weak compare-exchange that was just chosen takes its second alternative.
    asleep_if_failed: Option<SleepSet>,
    /// What is planned from the current state on.
    plans: Vec<Branch>,
    /// What the thread chosen last was planned to do, until its alternative is known.
    planned: Planned,
    /// The sleeping alternatives of the thread chosen last.
    sleeping_alternatives: Option<Alternatives>,
    started: bool,
    replayed: usize,
    /// For every event of the last run, the events that it could race with.
    candidates: Candidates,
    /// The clock of what happens before every new step of the last run.
    known_to_new: Vec<u32>,
    /// The numbers of the steps of the last run, and of the first new one of every thread.
    steps: Vec<usize>,
    new_steps: Vec<usize>,
    /// Whether some step of a run or of a plan had alternatives.
    had_alternatives: bool,
    /// Whether some plan was doubtful.
    had_doubts: bool,
    /// For reuse.
    races: Vec<Race>,
    sequence: Sequence,
    spare: Vec<SleepSet>,
    /// The last level at which a thread was chosen before.
    last_decision: usize,
    /// Whether a plan could not be carried out. That happens only if a spinning thread went on because nobody else could,
    /// which a plan cannot know; the search may then have missed something, and says so.
    lost_a_plan: bool,
}

impl Default for OptimalDpor {
    fn default() -> OptimalDpor {
        OptimalDpor::new()
    }
}

impl OptimalDpor {
    /// Starts with the schedule that switches only where it has to.
    #[must_use]
    pub fn new() -> OptimalDpor {
        OptimalDpor {
            order: HappensBefore::new(Relation::Classes),
            levels: Vec::new(),
            depth: 0,
            asleep: SleepSet::default(),
            scratch: SleepSet::default(),
            asleep_if_failed: None,
            plans: Vec::new(),
            planned: Planned::All,
            sleeping_alternatives: None,
            started: false,
            replayed: 0,
            candidates: Candidates::default(),
            known_to_new: Vec::new(),
            steps: Vec::new(),
            new_steps: Vec::new(),
            had_alternatives: false,
            had_doubts: false,
            races: Vec::new(),
            sequence: Sequence::default(),
            spare: Vec::new(),
            last_decision: 0,
            lost_a_plan: false,
        }
    }

    /// Follows the decision that was made here before.
    fn follow(&mut self, at: &Decision<'_>) -> Choice {
        let last = self.depth == self.last_decision;
        let fresh = self.depth + 1 == self.levels.len();
        let Level::Threads(node) = &mut self.levels[self.depth] else {
            return Choice::Diverged;
        };
        if !at.enabled.contains(node.chosen) {
            // What was planned but never done may turn out not to be possible; what was done has to be.
            let planned = last && fresh;
            self.lost_a_plan |= planned;
            return if planned { Choice::GiveUp } else { Choice::Diverged };
        }
        let chosen = node.chosen;
        if last {
            node.accesses = at.pending[chosen.index()].accesses;
            node.known = at.pending[chosen.index()].alternatives;
            node.weak = at.pending[chosen.index()].operation.kind == Kind::WeakCompareExchange;
            self.planned = node.planned;
            self.asleep.clone_from(&node.asleep);
            if fault!(SleepLostAtForks) && self.depth + 1 < self.levels.len() {
                self.asleep.clear();
            }
            self.step_over(at, chosen);
        }
        self.depth += 1;
        Choice::Go(chosen)
    }

    /// Moves the sleep set over the step that `chosen` is about to take.
    #[inline]
    fn step_over(&mut self, at: &Decision<'_>, chosen: ThreadId) {
        self.asleep_if_failed = None;
        if self.asleep.is_empty() {
            self.sleeping_alternatives = None;
            return;
        }
        self.sleeping_alternatives = self.asleep.of_thread(chosen);
        let pending = &at.pending[chosen.index()];
        let step = match self.planned {
            Planned::One(alternative) => pending.accesses_of(alternative),
            Planned::All => pending.accesses,
        };
        if self.planned == Planned::All && pending.operation.kind == Kind::WeakCompareExchange {
            let mut after = SleepSet::default();
            let failed = pending.accesses_of(1);
            self.asleep.after_step(chosen, &failed, at.pending, Relation::Classes, &mut after);
            self.asleep_if_failed = Some(after);
        }
        self.asleep.after_step(chosen, &step, at.pending, Relation::Classes, &mut self.scratch);
        std::mem::swap(&mut self.asleep, &mut self.scratch);
    }

    /// Who sleeps may depend on the alternative.
    fn settle_sleepers(&mut self, at: &Offer, chosen: u32) {
        if at.kind == Kind::WeakCompareExchange
            && let Some(asleep) = self.asleep_if_failed.take()
            && chosen == 1
        {
            self.asleep = asleep;
        }
    }

    /// Takes the first plan from the current state, if there is one.
    fn take_plan(&mut self, at: &Decision<'_>) -> Option<(ThreadId, Planned, Vec<Branch>)> {
        if self.plans.is_empty() {
            return None;
        }
        let mut siblings = std::mem::take(&mut self.plans);
        let first = siblings.remove(0);
        debug_assert!(first.step.decided, "bug in raddle: planned a choice where a thread is chosen");
        self.plans = first.then;
        // What a thread wants in the state at hand has a number by now.
        for step in siblings.iter_mut().map(|branch| &mut branch.step).filter(|step| !step.named) {
            let pending = &at.pending[step.thread.index()];
            step.accesses = match step.planned {
                Planned::One(alternative) => pending.accesses_of(alternative),
                Planned::All => pending.accesses,
            };
            step.named = true;
        }
        Some((first.step.thread, first.step.planned, siblings))
    }
}

impl OptimalDpor {
    /// Goes on to the next plan, from the deepest level upwards; false if there is none.
    fn turn_to_next(&mut self) -> bool {
        while let Some(level) = self.levels.last_mut() {
            self.replayed = level.event();
            match level {
                Level::Alternatives(fork) => {
                    fork.finished += 1;
                    let next = fork.next_planned(fork.chosen + 1);
                    if let Some(next) = next.filter(|_| !(fork.free && fault!(SkipAlternatives))) {
                        fork.chosen = next;
                        self.plans = fork.plans_behind(next);
                        return true;
                    }
                }
                Level::Threads(node) => {
                    node.finished += 1;
                    if !fault!(ExploredIsForgotten) {
                        node.asleep.insert(node.tried());
                    }
                    if !node.plans.is_empty() {
                        let next = node.plans.remove(0);
                        node.chosen = next.step.thread;
                        node.planned = next.step.planned;
                        self.plans = next.then;
                        return true;
                    }
                }
            }
            if let Some(Level::Threads(node)) = self.levels.pop() {
                self.spare.push(node.asleep);
            }
        }
        false
    }
}

impl Chooser for OptimalDpor {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        if self.depth < self.levels.len() {
            return self.follow(at);
        }
        let (chosen, planned, siblings) = match self.take_plan(at) {
            Some((thread, ..)) if !at.enabled.contains(thread) => {
                self.lost_a_plan = true;
                return Choice::GiveUp;
            }
            Some(plan) => plan,
            None => {
                let awake = at.enabled.without(self.asleep.threads(at.pending));
                match at.natural(awake) {
                    Some(chosen) => (chosen, Planned::All, Vec::new()),
                    None => return Choice::GiveUp,
                }
            }
        };
        let mut asleep = self.spare.pop().unwrap_or_default();
        asleep.clone_from(&self.asleep);
        let doubtful = siblings.iter().any(|branch| branch.doubtful);
        self.levels.push(Level::Threads(Node {
            event: at.event,
            objects: at.objects,
            asleep,
            plans: siblings,
            chosen,
            planned,
            accesses: at.pending[chosen.index()].accesses,
            known: at.pending[chosen.index()].alternatives,
            weak: at.pending[chosen.index()].operation.kind == Kind::WeakCompareExchange,
            finished: 0,
            doubtful,
        }));
        self.depth += 1;
        self.planned = planned;
        self.step_over(at, chosen);
        Choice::Go(chosen)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        self.had_alternatives = true;
        if self.depth < self.levels.len() {
            let Level::Alternatives(fork) = &self.levels[self.depth] else {
                return Err(NoPick::Diverged);
            };
            self.depth += 1;
            if fork.known != at.alternatives {
                return Err(NoPick::Diverged);
            }
            let chosen = fork.chosen;
            self.settle_sleepers(at, chosen);
            return Ok(chosen);
        }
        let urgent = at.kind.is_urgent();
        let mut fork = Fork {
            event: at.event,
            known: at.alternatives,
            chosen: 0,
            asleep: if urgent { None } else { self.sleeping_alternatives },
            free: true,
            plans: Vec::new(),
            finished: 0,
        };
        if urgent && !self.plans.is_empty() {
            fork.plans = std::mem::take(&mut self.plans);
            // A plan that says nothing about the choice is meant for every alternative.
            fork.free =
                fork.plans.iter().any(|branch| branch.step.decided) || fault!(PlannedAlternativesAreFree);
            fork.chosen = fork.next_planned(0).ok_or(NoPick::Diverged)?;
            self.plans = fork.plans_behind(fork.chosen);
        } else if let (false, Planned::One(alternative)) = (urgent, self.planned) {
            fork.free = false;
            fork.chosen = alternative;
        } else {
            fork.chosen = fork.next_planned(0).ok_or(NoPick::Diverged)?;
        }
        let chosen = fork.chosen;
        self.levels.push(Level::Alternatives(fork));
        self.depth += 1;
        self.settle_sleepers(at, chosen);
        Ok(chosen)
    }

    fn shared(&self) -> usize {
        // The decision before the first new one is followed again, because it says who sleeps afterwards.
        let last = self.levels.get(self.last_decision).map_or(0, Level::event);
        self.replayed.min(last)
    }

    fn skip(&mut self, events: usize) {
        self.depth = self.levels.partition_point(|level| level.event() < events);
    }
}

impl Fork {
    /// The first alternative from this one on that is to be tried.
    fn next_planned(&self, from: u32) -> Option<u32> {
        let planned = |alternative| {
            self.plans
                .iter()
                .any(|branch| branch.step.planned == Planned::One(alternative) && !branch.step.decided)
        };
        (from..self.known).find(|&alternative| {
            let asleep = self.asleep.is_some_and(|asleep| asleep.contains(alternative));
            !asleep && (self.free || planned(alternative))
        })
    }

    /// What is planned after an alternative: its own branches, or else those that do not speak of the choice.
    fn plans_behind(&self, alternative: u32) -> Vec<Branch> {
        let own = |branch: &&Branch| !branch.step.decided && branch.step.planned == Planned::One(alternative);
        match self.plans.iter().find(own) {
            Some(branch) => branch.then.clone(),
            None => self.plans.iter().filter(|branch| branch.step.decided).cloned().collect(),
        }
    }
}

impl Strategy for OptimalDpor {
    fn begin(&mut self) -> bool {
        self.depth = 0;
        self.asleep.clear();
        self.plans.clear();
        let another = !self.started || self.turn_to_next();
        self.started = true;
        self.last_decision =
            self.levels.iter().rposition(|level| matches!(level, Level::Threads(_))).unwrap_or(0);
        another
    }

    fn learn(&mut self, run: &Run) {
        let first_new = self.replayed.min(run.events.len());
        self.order.truncate(first_new);
        for event in &run.events[self.order.len()..] {
            self.order.push(event);
        }
        self.settle_doubts(run);
        self.reverse_races(run, first_new);
    }

    fn replayed(&self) -> usize {
        self.replayed
    }

    fn guarantee(&self) -> Guarantee {
        if self.lost_a_plan { Guarantee::Sample } else { Guarantee::All }
    }

    fn estimate(&self, runs: u64) -> Option<Estimate> {
        let way = self.levels.iter().map(|level| match level {
            Level::Threads(node) => (node.finished, node.finished + 1 + node.plans.len()),
            Level::Alternatives(fork) if fork.free => (fork.finished, fork.known as usize),
            Level::Alternatives(fork) => (fork.finished, fork.finished + 1),
        });
        Estimate::along(way, runs)
    }

    fn passes_over(&self, passed: Passed) -> Fate {
        match (passed, self.levels.last()) {
            (Passed::Thread { thread, .. }, Some(Level::Threads(node)))
                if node.asleep.of_thread(thread).is_some_and(|asleep| asleep == Alternatives::ALL) =>
            {
                Fate::Asleep
            }
            (Passed::Alternative(alternative), Some(Level::Alternatives(fork))) => {
                let asleep = fork.asleep.is_some_and(|asleep| asleep.contains(alternative));
                if asleep {
                    Fate::Asleep
                } else if fork.free {
                    Fate::Waiting
                } else {
                    Fate::Equivalent
                }
            }
            _ => Fate::Equivalent,
        }
    }

    fn save(&self) -> Option<Vec<u64>> {
        self.started.then(|| (self.lost_a_plan, self.levels.clone()).numbers())
    }

    fn restore(&mut self, saved: &[u64], again: &mut Again<'_>) -> bool {
        let run = again.last;
        let Some((lost_a_plan, levels)) = Numbers::new(saved).only() else { return false };
        self.lost_a_plan = lost_a_plan;
        self.levels = levels;
        self.started = true;
        self.order.truncate(0);
        run.events.iter().for_each(|event| self.order.push(event));
        // What there was before is not known.
        self.had_alternatives = true;
        self.had_doubts = true;
        self.candidates.truncate(0);
        self.find_candidates(run, 0);
        self.steps.clear();
        self.find_new_steps(run, 0);
        true
    }

    fn waiting(&self) -> Waiting {
        let left = |level: &Level| match level {
            Level::Threads(node) => {
                let planned = node.plans.iter().map(|branch| branch.step.thread);
                Some((node.event, planned.chain([node.chosen]).collect()))
            }
            Level::Alternatives(_) => None,
        };
        self.levels.iter().filter_map(left).collect()
    }
}
