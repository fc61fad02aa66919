//! Guidance by HaPSets: Algorithms 4 and 5 of Wang, Said, Gupta ("Coverage Guided Systematic Concurrency Testing", ICSE
//! 2011).
//!
//! A backtracking point is added only if turning the two events round would show an order of their statements that no
//! good run has shown. What is learned from a run counts for its own points already.
//!
//! What is ours:
//! - A point is asked for its reason again when its turn comes: what another run has shown meanwhile is left out.
//! - An order that was planned often and never came is given up for the round: the paper's search would try it for ever,
//!   wherever a condition or a lock forbids it.
//! - Statements that the sets do not contain (giving a lock back) are turned round once per pair.
//! - Alternatives are tried once per statement.
//! - Over a bound, the threads that are added are those of Algorithm 2 with the bound of section 4.2.1.

use std::collections::BTreeMap;

use raddle_coverage::{Aim, Growth, Half, HapSets, Learner, StatementId};
use raddle_trace::{Event, Kind, Place, Run, ThreadId, ThreadSet, fault};

use crate::archive::{Archive, Numbers, archive};
use crate::strategies::{ByStatement, Pct, Pos};
use crate::{Again, Choice, Chooser, Decision, Strategy};

/// Depth of the runs that `pct` makes: enough for an order between two others.
pub(in crate::strategies) const PCT_DEPTH: u32 = 3;

/// How often an order is planned in one round before it is given up.
const MAX_TRIES: u32 = 12;

/// Why threads were added to a backtracking point: to see `first` before `second`.
#[derive(Clone, Copy, Debug)]
pub(in crate::strategies) struct Reason {
    pub threads: ThreadSet,
    first: StatementId,
    second: StatementId,
    aimed: bool,
}

impl Reason {
    pub(super) fn for_threads(self, threads: ThreadSet) -> Reason {
        Reason { threads, ..self }
    }
}

/// Who goes on where nothing is planned.
#[derive(Clone, Debug)]
pub(in crate::strategies) enum Tail {
    /// Whoever went before.
    Natural,
    /// Whoever chance says at every step.
    Pos(Pos),
    /// Whoever went before, with a few exceptions.
    Pct(Pct),
    /// Whoever is at the statement that chance says.
    ByStatement(ByStatement),
}

/// What a guided search knows.
#[derive(Clone, Debug)]
pub(in crate::strategies) struct Guide {
    pub sets: HapSets,
    pub growth: Growth,
    learner: Learner,
    aim: Option<Aim>,
    /// Whether what is to come first has come, in the current run.
    aim_reached: bool,
    /// How many pre-emptions are allowed, if the search is over a bound.
    pub bound: Option<u32>,
    pub tail: Tail,
    /// Whether something was found in the run that was just made.
    pub found: bool,
    /// Orders and alternatives that were left out in this round.
    pub skipped: u64,
    /// How often each pair was planned in this round.
    tries: BTreeMap<(StatementId, StatementId), u32>,
    /// The alternatives that were tried in this round.
    alternatives: BTreeMap<(StatementId, u32), ()>,
}

archive!(Reason { threads, first, second, aimed });

impl Tail {
    /// Which it is, and its state.
    fn numbers(&self) -> Vec<u64> {
        let (which, state) = match self {
            Tail::Natural => (0_u64, None),
            Tail::Pos(tail) => (1, tail.save()),
            Tail::Pct(tail) => (2, tail.save()),
            Tail::ByStatement(tail) => (3, tail.save()),
        };
        [vec![which], state.unwrap_or_default()].concat()
    }
}

impl Guide {
    /// Everything that it needs to go on after a run.
    pub(super) fn numbers(&self) -> Vec<u64> {
        let tries: Vec<_> = self.tries.iter().map(|(pair, tries)| (*pair, *tries)).collect();
        let alternatives: Vec<_> = self.alternatives.keys().copied().collect();
        let learned = (self.sets.clone(), self.growth.clone());
        (learned, ((self.tail.numbers(), self.skipped), (tries, alternatives))).numbers()
    }

    /// Goes on where [`Guide::numbers`] was called; false if these are not such numbers.
    pub(super) fn restore(&mut self, saved: &[u64]) -> bool {
        type Rest = ((Vec<u64>, u64), (Vec<((StatementId, StatementId), u32)>, Vec<(StatementId, u32)>));
        let Some((learned, rest)) = Numbers::new(saved).only::<((HapSets, Growth), Rest)>() else {
            return false;
        };
        (self.sets, self.growth) = learned;
        let ((tail, skipped), (tries, alternatives)) = rest;
        self.skipped = skipped;
        self.tries = tries.into_iter().collect();
        self.alternatives = alternatives.into_iter().map(|alternative| (alternative, ())).collect();
        // The learner looks everything up again.
        self.learner = Learner::default();
        let [which, state @ ..] = tail.as_slice() else { return false };
        self.tail = match which {
            1 => Tail::Pos(Pos::new(0)),
            2 => Tail::Pct(Pct::new(0, PCT_DEPTH)),
            3 => Tail::ByStatement(ByStatement::new(0)),
            _ => Tail::Natural,
        };
        let nothing = &mut Again { last: &Run::default(), make: &mut |_| None };
        match &mut self.tail {
            Tail::Natural => state.is_empty(),
            Tail::Pos(tail) => tail.restore(state, nothing),
            Tail::Pct(tail) => tail.restore(state, nothing),
            Tail::ByStatement(tail) => tail.restore(state, nothing),
        }
    }

    pub(in crate::strategies) fn new(sets: HapSets, aim: Option<Aim>, bound: Option<u32>) -> Guide {
        Guide {
            growth: Growth::starting_with(sets.len() as u64),
            sets,
            learner: Learner::default(),
            aim,
            aim_reached: false,
            bound,
            tail: Tail::Natural,
            found: false,
            skipped: 0,
            tries: BTreeMap::new(),
            alternatives: BTreeMap::new(),
        }
    }

    /// Forgets what belongs to one round; what was learned stays.
    pub(in crate::strategies) fn begin_round(&mut self) {
        self.skipped = 0;
        self.tries.clear();
        self.alternatives.clear();
    }

    pub(in crate::strategies) fn begin_run(&mut self) {
        self.aim_reached = false;
        self.found = false;
        match &mut self.tail {
            Tail::Natural => {}
            Tail::Pos(tail) => _ = tail.begin(),
            Tail::Pct(tail) => _ = tail.begin(),
            Tail::ByStatement(tail) => _ = tail.begin(),
        }
    }

    /// Learns from a run, if it was a good one that came to its end; returns how many pairs are new.
    pub(in crate::strategies) fn learn(&mut self, run: &Run) -> usize {
        use raddle_trace::Ending;
        let failed = std::mem::take(&mut self.found) || run.ending.is_failure();
        let whole = !matches!(run.ending, Ending::Blocked | Ending::Elsewhere | Ending::Diverged);
        if !whole || (failed && !fault!(LearnsFromFailures)) {
            return 0;
        }
        let new = self.learner.learn(&mut self.sets, &run.events);
        self.growth.add(self.sets.len() as u64);
        if let Tail::Pct(tail) = &mut self.tail {
            tail.learn(run);
        }
        new
    }

    fn statement(&mut self, thread: ThreadId, place: Place, kind: Kind) -> StatementId {
        self.learner.statement(&mut self.sets, thread, place, Half::of(kind))
    }

    /// Whether, and why, `next` should be seen before `other`.
    pub(in crate::strategies) fn reason(
        &mut self,
        next: (ThreadId, Place, Kind),
        other: &Event,
    ) -> Option<Reason> {
        let first = self.statement(next.0, next.1, next.2);
        let second = self.statement(other.thread, other.place, other.operation.kind);
        let aimed =
            self.aim.as_ref().is_some_and(|aim| aim.first.is_at(next.1) && aim.second.is_at(other.place));
        let reason = Reason { threads: ThreadSet::EMPTY, first, second, aimed };
        let gives_back = next.2.releases() || other.operation.kind.releases();
        let most = if gives_back && !next.2.is_wait() { 1 } else { MAX_TRIES };
        let tries = self.tries.entry((first, second)).or_insert(0);
        if !aimed
            && (*tries >= most || fault!(GuideSkipsUnseen) && first > second || self.is_covered(&reason))
        {
            self.skipped += 1;
            return None;
        }
        Some(reason)
    }

    fn is_covered(&self, reason: &Reason) -> bool {
        !reason.aimed && self.sets.has(reason.first, reason.second)
    }

    /// The threads that there is still a reason to try.
    pub(in crate::strategies) fn still_wanted(&mut self, reasons: &[Reason]) -> ThreadSet {
        let mut wanted = ThreadSet::EMPTY;
        for reason in reasons {
            let tries = self.tries.get(&(reason.first, reason.second)).copied().unwrap_or(0);
            if self.is_covered(reason) || (tries >= MAX_TRIES && !reason.aimed) {
                self.skipped += 1;
            } else {
                wanted = wanted.union(reason.threads);
            }
        }
        wanted
    }

    /// A thread is tried for these reasons.
    pub(in crate::strategies) fn tries(&mut self, thread: ThreadId, reasons: &[Reason]) {
        for reason in reasons.iter().filter(|reason| reason.threads.contains(thread)) {
            *self.tries.entry((reason.first, reason.second)).or_insert(0) += 1;
        }
    }

    /// Whether an alternative of the event is new in this round.
    pub(in crate::strategies) fn wants_alternative(
        &mut self,
        statement: StatementId,
        alternative: u32,
    ) -> bool {
        let new = self.alternatives.insert((statement, alternative), ()).is_none();
        self.skipped += u64::from(!new);
        new
    }

    /// The statement of an event with alternatives, and that it took the one it took.
    pub(in crate::strategies) fn note_alternative(&mut self, event: &Event) -> StatementId {
        let statement = self.statement(event.thread, event.place, event.operation.kind);
        self.alternatives.insert((statement, event.alternative), ());
        statement
    }

    /// The threads among `awake` that do not spoil the aim, if there are any.
    pub(in crate::strategies) fn aiming(&self, at: &Decision<'_>, awake: ThreadSet) -> ThreadSet {
        let Some(aim) = self.aim.as_ref().filter(|_| !self.aim_reached) else { return awake };
        let spoils = |thread: &ThreadId| aim.second.is_at(at.pending[thread.index()].place);
        let others: ThreadSet = awake.iter().filter(|thread| !spoils(thread)).collect();
        if others.is_empty() { awake } else { others }
    }

    /// Who goes where nothing is planned.
    pub(in crate::strategies) fn goes_on(&mut self, at: &Decision<'_>) -> Option<ThreadId> {
        let among = self.aiming(at, at.enabled);
        let at = &Decision { enabled: among, ..*at };
        let choice = match &mut self.tail {
            Tail::Natural => return at.natural(among),
            Tail::Pos(tail) => tail.decide(at),
            Tail::Pct(tail) => tail.decide(at),
            Tail::ByStatement(tail) => tail.decide(at),
        };
        match choice {
            Choice::Go(thread) => Some(thread),
            _ => None,
        }
    }

    /// A thread goes.
    pub(in crate::strategies) fn went(&mut self, at: &Decision<'_>, thread: ThreadId) {
        if let Some(aim) = &self.aim {
            self.aim_reached |= aim.first.is_at(at.pending[thread.index()].place);
        }
    }
}
