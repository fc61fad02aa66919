//! Dynamic partial order reduction of Flanagan and Godefroid, as in Saarikivi, Kähkönen, Heljanko (ASE 2012),
//! Figures 1 to 3. Guarantee: all.
//!
//! With [`Relation::SameObject`] any two operations on one object are dependent (Figure 2). With
//! [`Relation::Classes`] reads, and everything else that commutes, are not (Figure 3: the write clock, the access clock,
//! the last write and the reads since are the ends of the access lists in `HappensBefore`). Sleep sets are optional.
//!
//! Differences from the figures: backtracking points are found after a run, from its events, instead of at every state
//! of it. At each state the paper looks at the next operation of every thread; an operation stays next from the event
//! before it to itself, so looking back from each operation at the events in between, and then at the last one before,
//! finds the same points. Operations that no schedule can enable together (giving a lock back, and waiting for it) are
//! skipped, as the figure's "may be co-enabled" asks.
//!
//! Sleep sets and commutative reads lose traces if they are just put together: a backtracking point for a thread that
//! sleeps is never tried, so the races that trying it would show are not seen either. (Three threads: `x = 1`, then
//! `read y; read x`, then `read x`: the write between the second read and the first is missed.) So where the thread
//! sleeps, all enabled threads are tried.

mod backtrack;
pub(super) mod guide;

use raddle_coverage::StatementId;
use raddle_trace::{HappensBefore, Relation, Run, ThreadId, ThreadSet};

use self::guide::{Guide, Reason};
use super::sleep_set::{Alternatives, Asleep, SleepSet};
use crate::archive::{Archive, Numbers, archive};
use crate::share::Turn;
use crate::{
    Again, Choice, Chooser, Decision, Estimate, Fate, Guarantee, NoPick, Offer, Passed, Share, Strategy,
    Waiting,
};

/// A state in which more than one thread could go.
#[derive(Clone, Debug, Default)]
struct Node {
    event: usize,
    enabled: ThreadSet,
    backtrack: ThreadSet,
    done: ThreadSet,
    asleep: SleepSet,
    chosen: ThreadId,
    /// Why the threads in `backtrack` are there, if the search is guided.
    reasons: Vec<Reason>,
    /// The thread that would have gone on, and how many pre-emptions came before.
    running: Option<ThreadId>,
    preemptions: u32,
}

#[derive(Clone, Debug)]
enum Level {
    Threads(Node),
    Alternatives { chosen: u32, known: u32, event: usize, statement: Option<StatementId> },
}

impl Level {
    fn event(&self) -> usize {
        match self {
            Level::Threads(node) => node.event,
            Level::Alternatives { event, .. } => *event,
        }
    }

    fn turn(&self) -> Turn {
        match self {
            Level::Threads(node) => Turn { choice: node.chosen.index() as u32, known: node.enabled.len() },
            Level::Alternatives { chosen, known, .. } => {
                Turn { choice: *chosen | 1 << 31, known: *known as usize }
            }
        }
    }
}

archive!(Node { event, enabled, backtrack, done, asleep, chosen, reasons, running, preemptions });

impl Archive for Level {
    fn put(&self, out: &mut Vec<u64>) {
        match self {
            Level::Threads(node) => {
                0_u32.put(out);
                node.put(out);
            }
            Level::Alternatives { chosen, known, event, statement } => {
                (1_u32, ((*chosen, *known), (*event, *statement))).put(out);
            }
        }
    }

    fn take(input: &mut Numbers<'_>) -> Option<Level> {
        Some(if u32::take(input)? == 0 {
            Level::Threads(Node::take(input)?)
        } else {
            let ((chosen, known), (event, statement)) = Archive::take(input)?;
            Level::Alternatives { chosen, known, event, statement }
        })
    }
}

/// Flanagan and Godefroid's reduction.
#[derive(Clone, Debug)]
pub struct Dpor {
    relation: Relation,
    sleeps: bool,
    order: HappensBefore,
    levels: Vec<Level>,
    depth: usize,
    asleep: SleepSet,
    scratch: SleepSet,
    started: bool,
    replayed: usize,
    /// The last level at which a thread was chosen before.
    last_decision: usize,
    share: Option<Share>,
    guide: Option<Box<Guide>>,
    preemptions: u32,
}

impl Dpor {
    /// Without sleep sets.
    #[must_use]
    pub fn new(relation: Relation) -> Dpor {
        Dpor {
            relation,
            sleeps: false,
            order: HappensBefore::new(relation),
            levels: Vec::new(),
            depth: 0,
            asleep: SleepSet::default(),
            scratch: SleepSet::default(),
            started: false,
            replayed: 0,
            last_decision: 0,
            share: None,
            guide: None,
            preemptions: 0,
        }
    }

    /// With sleep sets: fewer runs, some of them given up.
    #[must_use]
    pub fn with_sleep_sets(relation: Relation) -> Dpor {
        Dpor { sleeps: true, ..Dpor::new(relation) }
    }

    /// The part of one of several workers.
    #[must_use]
    pub fn shared(self, share: Option<Share>) -> Dpor {
        Dpor { share, ..self }
    }

    /// Guided by what was learned.
    pub(super) fn guided(guide: Guide) -> Dpor {
        Dpor { guide: Some(Box::new(guide)), ..Dpor::new(Relation::Classes) }
    }

    /// The guide of a guided search.
    pub(super) fn guide(&self) -> &Guide {
        self.guide.as_deref().expect("bug in raddle: only guided searches are asked for their guide")
    }

    /// The guide of a guided search.
    pub(super) fn guide_mut(&mut self) -> &mut Guide {
        self.guide.as_deref_mut().expect("bug in raddle: only guided searches are asked for their guide")
    }

    /// Starts again from the first decision; what was learned stays.
    pub(super) fn start_again(&mut self) {
        self.levels.clear();
        self.order.truncate(0);
        self.started = false;
        self.replayed = 0;
        self.guide_mut().begin_round();
    }

    fn is_elsewhere(&mut self) -> bool {
        let way = self.levels.iter().map(Level::turn);
        self.share.as_mut().is_some_and(|share| !share.is_ours(way))
    }

    /// Follows the decision that was made here before.
    fn follow(&mut self, at: &Decision<'_>) -> Choice {
        let last = self.depth == self.last_decision;
        let Level::Threads(node) = &self.levels[self.depth] else {
            return Choice::Diverged;
        };
        if !at.enabled.contains(node.chosen) {
            return Choice::Diverged;
        }
        let chosen = node.chosen;
        if last && self.sleeps {
            let mut asleep = std::mem::take(&mut self.asleep);
            asleep.clone_from(&node.asleep);
            if !raddle_trace::fault!(ExploredStaysAwake) {
                for done in node.done.iter() {
                    let accesses = self.relation.view(at.pending[done.index()].accesses);
                    asleep.insert(Asleep {
                        thread: done,
                        alternatives: Alternatives::ALL,
                        known: 1,
                        weak: false,
                        accesses,
                    });
                }
            }
            self.asleep = asleep;
            self.fall_asleep(at, chosen);
        }
        self.depth += 1;
        Choice::Go(chosen)
    }

    /// Moves the sleep set over the step that `chosen` is about to take.
    fn fall_asleep(&mut self, at: &Decision<'_>, chosen: ThreadId) {
        let step = self.relation.view(at.pending[chosen.index()].accesses);
        self.asleep.after_step(chosen, &step, at.pending, self.relation, &mut self.scratch);
        std::mem::swap(&mut self.asleep, &mut self.scratch);
        // Here threads are tried with all their alternatives or not at all.
        self.asleep.keep_whole();
    }
}

impl Dpor {
    /// Goes on to the next backtracking point, from the deepest level upwards; false if there is none.
    fn turn_to_next(&mut self) -> bool {
        while let Some(level) = self.levels.last_mut() {
            match level {
                Level::Alternatives { chosen, known, event, statement } => {
                    while *chosen + 1 < *known && !raddle_trace::fault!(DporSkipsAlternatives) {
                        *chosen += 1;
                        if let (Some(guide), Some(statement)) = (&mut self.guide, *statement)
                            && !guide.wants_alternative(statement, *chosen)
                        {
                            continue;
                        }
                        self.replayed = *event;
                        return true;
                    }
                }
                Level::Threads(node) => {
                    node.done.insert(node.chosen);
                    let sleeping = node.asleep.members().iter().map(|member| member.thread).collect();
                    let left = node.backtrack.without(node.done).without(sleeping);
                    let left = match &mut self.guide {
                        Some(guide) if !left.is_empty() => {
                            let wanted = guide.still_wanted(&node.reasons);
                            left.iter().filter(|thread| wanted.contains(*thread)).collect()
                        }
                        _ => left,
                    };
                    if let Some(next) = left.first() {
                        if let Some(guide) = &mut self.guide {
                            guide.tries(next, &node.reasons);
                        }
                        node.chosen = next;
                        self.replayed = node.event;
                        return true;
                    }
                }
            }
            self.levels.pop();
        }
        false
    }
}

impl Chooser for Dpor {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        let choice = self.choose(at);
        if let (Some(guide), Choice::Go(thread)) = (&mut self.guide, choice) {
            guide.went(at, thread);
            self.preemptions += u32::from(at.running().is_some_and(|running| running != thread));
        }
        choice
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        if self.depth < self.levels.len() {
            let Level::Alternatives { chosen, known, .. } = self.levels[self.depth] else {
                return Err(NoPick::Diverged);
            };
            self.depth += 1;
            return if known == at.alternatives { Ok(chosen) } else { Err(NoPick::Diverged) };
        }
        if self.is_elsewhere() {
            return Err(NoPick::Elsewhere);
        }
        let level =
            Level::Alternatives { chosen: 0, known: at.alternatives, event: at.event, statement: None };
        self.levels.push(level);
        self.depth += 1;
        Ok(0)
    }

    fn shared(&self) -> usize {
        // The decision before the first new one is followed again, because it says who sleeps afterwards. A guide counts
        // along from the first step.
        let last = self.levels.get(self.last_decision).map_or(0, Level::event);
        if self.guide.is_some() { 0 } else { self.replayed.min(last) }
    }

    fn skip(&mut self, events: usize) {
        self.depth = self.levels.partition_point(|level| level.event() < events);
    }
}

impl Dpor {
    fn choose(&mut self, at: &Decision<'_>) -> Choice {
        if self.depth < self.levels.len() {
            // Where only one thread could go there is no level; the replay has to pass by.
            if at.enabled.len() > 1 {
                return self.follow(at);
            }
            let only = at.enabled.first().expect("bug in raddle: a decision without enabled threads");
            if self.depth > self.last_decision {
                self.fall_asleep(at, only);
            }
            return Choice::Go(only);
        }
        let awake = at.enabled.without(self.asleep.threads(at.pending));
        let chosen = match &mut self.guide {
            Some(guide) => guide.goes_on(at),
            None => at.natural(awake),
        };
        let Some(chosen) = chosen else {
            return Choice::GiveUp;
        };
        if at.enabled.len() > 1 {
            if self.is_elsewhere() {
                return Choice::Elsewhere;
            }
            let way = self.levels.iter().map(Level::turn);
            let full = self.share.as_ref().is_some_and(|share| share.is_full(way));
            self.levels.push(Level::Threads(Node {
                event: at.event,
                enabled: at.enabled,
                backtrack: if full { at.enabled } else { ThreadSet::only(chosen) },
                done: ThreadSet::EMPTY,
                asleep: if self.sleeps { self.asleep.clone() } else { SleepSet::default() },
                chosen,
                reasons: Vec::new(),
                running: at.running(),
                preemptions: self.preemptions,
            }));
            self.depth += 1;
        }
        if self.sleeps && !self.asleep.is_empty() {
            self.fall_asleep(at, chosen);
        }
        Choice::Go(chosen)
    }
}

impl Strategy for Dpor {
    fn begin(&mut self) -> bool {
        self.depth = 0;
        self.preemptions = 0;
        self.asleep.clear();
        if let Some(guide) = &mut self.guide {
            guide.begin_run();
        }
        let another = if self.started { self.turn_to_next() } else { true };
        self.started = true;
        if let Some(share) = &mut self.share {
            share.begin(self.levels.len(), self.levels.iter().map(Level::turn));
        }
        self.last_decision =
            self.levels.iter().rposition(|level| matches!(level, Level::Threads(_))).unwrap_or(usize::MAX);
        another
    }

    fn learn(&mut self, run: &Run) {
        if let Some(guide) = &mut self.guide {
            guide.learn(run);
            for level in &mut self.levels {
                if let Level::Alternatives { event, statement, .. } = level
                    && let Some(event) = run.events.get(*event)
                {
                    *statement = Some(guide.note_alternative(event));
                }
            }
        }
        self.order.truncate(self.replayed.min(self.order.len()));
        for number in self.order.len()..run.events.len() {
            self.look_back_from_event(run, number);
            self.order.push(&run.events[number]);
        }
        for blocked in &run.blocked {
            self.look_back_from_blocked(run, blocked);
        }
    }

    fn found(&mut self) {
        if let Some(guide) = &mut self.guide {
            guide.found = true;
        }
    }

    fn keeps(&mut self) -> bool {
        let way = self.levels.iter().map(Level::turn);
        self.share.as_mut().is_none_or(|share| share.keeps(way))
    }

    fn replayed(&self) -> usize {
        self.replayed
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::All
    }

    fn estimate(&self, runs: u64) -> Option<Estimate> {
        let way = self.levels.iter().map(|level| match level {
            Level::Threads(node) => (node.done.len(), node.backtrack.union(node.done).len()),
            Level::Alternatives { chosen, known, .. } => (*chosen as usize, *known as usize),
        });
        Estimate::along(way, runs)
    }

    fn passes_over(&self, passed: Passed) -> Fate {
        let sleeps = |thread| match self.levels.last() {
            Some(Level::Threads(node)) => node.asleep.of_thread(thread).is_some(),
            _ => false,
        };
        match passed {
            Passed::Alternative(_) if self.guide.is_none() => Fate::Waiting,
            Passed::Thread { thread, .. } if sleeps(thread) => Fate::Asleep,
            _ if self.guide.is_some() => Fate::Covered,
            _ => Fate::Equivalent,
        }
    }

    fn save(&self) -> Option<Vec<u64>> {
        let guide = self.guide.as_ref().map(|guide| guide.numbers());
        // A guided search may have learned something before its first run.
        let began = self.started || guide.is_some();
        (began && self.share.is_none()).then(|| (self.started, (self.levels.clone(), guide)).numbers())
    }

    fn restore(&mut self, saved: &[u64], again: &mut Again<'_>) -> bool {
        let Some((started, (levels, guide))) = Numbers::new(saved).only() else { return false };
        let guide: Option<Vec<u64>> = guide;
        let guided = match (&mut self.guide, guide) {
            (Some(guide), Some(saved)) => guide.restore(&saved),
            (None, None) => true,
            _ => false,
        };
        self.levels = levels;
        self.started = started;
        self.order.truncate(0);
        // Before its first run it has no last one.
        again.last.events.iter().filter(|_| started).for_each(|event| self.order.push(event));
        guided
    }

    fn waiting(&self) -> Waiting {
        let left = |level: &Level| match level {
            Level::Threads(node) => Some((node.event, node.backtrack.without(node.done))),
            Level::Alternatives { .. } => None,
        };
        self.levels.iter().filter_map(left).collect()
    }
}
