//! Wake-up trees: the beginnings of runs that are still to be made from a state (section 6 of the paper).
//!
//! A tree is an ordered list of branches, each a step and the tree behind it. Order matters: a branch is only tried
//! after those before it, and what those cover is left out of it.

use std::cell::Cell;

use raddle_trace::{Access, Accesses, Class, Event, HappensBefore, ObjectId, Run, ThreadId, fault};

use super::super::sleep_set::{Alternatives, Asleep, SleepSet};
use super::candidates::Done;
use super::sequence::Sequence;
use crate::archive::{Archive, Numbers, archive};

/// Which alternatives of a step are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Planned {
    /// All of them.
    All,
    /// This one.
    One(u32),
}

impl Planned {
    /// Whether trying `self` also tries `other`.
    pub(super) fn covers(self, other: Planned) -> bool {
        self == Planned::All || self == other
    }

    /// What was done, planned again.
    pub(super) fn as_done(event: &Event) -> Planned {
        if event.alternatives > 1 { Planned::One(event.alternative) } else { Planned::All }
    }
}

/// A step of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedStep {
    pub thread: ThreadId,
    pub planned: Planned,
    /// How many alternatives the step has.
    pub alternatives: u32,
    /// Whether the search decides that the thread goes; otherwise only its alternative is decided.
    pub decided: bool,
    /// What the step touches, in the numbering of the run in which it was planned.
    pub accesses: Accesses,
    /// Whether every run that begins like the one in which it was planned has the same numbers for what it touches.
    pub named: bool,
    /// Which event of its thread the step is.
    pub position: usize,
    /// The history of the event of the thread before it.
    pub history: u64,
}

impl PlannedStep {
    /// The step as it sleeps once it has been tried, if it is known what it touches.
    fn asleep(&self, found: &Found<'_>) -> Option<Asleep> {
        Some(self.asleep_with(found.accesses_of(self)?))
    }

    /// The step as it sleeps once it has been tried, if this is what it touches.
    pub(super) fn asleep_with(&self, accesses: Accesses) -> Asleep {
        Asleep {
            thread: self.thread,
            alternatives: match self.planned {
                Planned::All => Alternatives::ALL,
                Planned::One(alternative) => Alternatives::only(alternative),
            },
            known: self.alternatives,
            // A planned alternative has its own accesses.
            weak: false,
            accesses,
        }
    }
}

/// A step, and what is planned behind it.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub step: PlannedStep,
    pub then: Vec<Branch>,
    /// Whether it could not be told if a branch before it covers some of the plans that begin here.
    pub doubtful: bool,
    /// Of a doubtful plan: which alternatives of the branch before it are shown to cover it, as bits.
    pub shown_by: u64,
}

impl Branch {
    pub(super) fn new(step: PlannedStep, then: Vec<Branch>) -> Branch {
        Branch { step, then, doubtful: false, shown_by: 0 }
    }
}

archive!(PlannedStep { thread, planned, alternatives, decided, accesses, named, position, history });
archive!(Branch { step, then, doubtful, shown_by });

impl Archive for Planned {
    fn put(&self, out: &mut Vec<u64>) {
        let one = match self {
            Planned::All => None,
            Planned::One(alternative) => Some(*alternative),
        };
        one.put(out);
    }

    fn take(input: &mut Numbers<'_>) -> Option<Planned> {
        let one: Option<u32> = Archive::take(input)?;
        Some(one.map_or(Planned::All, Planned::One))
    }
}

/// What the insertion needs to know of the run in which a sequence was found.
pub(super) struct Found<'a> {
    pub order: &'a HappensBefore,
    pub events: &'a [Event],
    /// What each thread wanted at the end of the run, if it could not go on.
    pub blocked: &'a [raddle_trace::Blocked],
    /// Whether two steps could not be compared at the level of the tree that is being looked at.
    unsure: Cell<bool>,
    /// The same for all levels.
    ever_unsure: Cell<bool>,
    /// Whether every branch was compared with a step of the sequence itself.
    by_own_steps: Cell<bool>,
    /// Whether the part of the tree that is being looked at may turn out to be covered.
    in_doubt: Cell<bool>,
    /// Whether there are steps with alternatives.
    pub alternatives: bool,
}

/// Whether objects have these numbers in all runs that begin like one that had met `objects` of them; `usize::MAX` if
/// they have the same numbers in every run.
pub(super) fn are_named(accesses: &Accesses, objects: usize) -> bool {
    let known = |access: Access| access.class == Class::None || access.object.index() < objects;
    // A mask names objects only as long as each bit stands for one.
    let watched =
        accesses.watched == 0 || objects == usize::MAX || (objects < 64 && accesses.watched >> objects == 0);
    watched && known(accesses.first) && known(accesses.second)
}

impl<'a> Found<'a> {
    pub(super) fn new(order: &'a HappensBefore, run: &'a Run, alternatives: bool) -> Found<'a> {
        let [unsure, ever_unsure, by_own_steps, in_doubt] = [false, false, true, false].map(Cell::new);
        let (events, blocked) = (&run.events, &run.blocked);
        Found { order, events, blocked, unsure, ever_unsure, by_own_steps, in_doubt, alternatives }
    }

    /// Whether two steps could not be compared.
    pub(super) fn was_ever_unsure(&self) -> bool {
        self.ever_unsure.get()
    }

    /// What the step touches, in the numbering of the run at hand; `None` if that cannot be told.
    fn accesses_of(&self, step: &PlannedStep) -> Option<Accesses> {
        let accesses = if step.named { Some(step.accesses) } else { self.accesses_by_history(step) };
        if accesses.is_none() {
            self.unsure.set(true);
            self.ever_unsure.set(true);
        }
        accesses
    }

    /// An operation is determined by the history of its thread, but how it ends by when it is done.
    fn accesses_by_history(&self, step: &PlannedStep) -> Option<Accesses> {
        let events = self.order.events_of(step.thread);
        let before = *events.get(step.position.checked_sub(1)?)? as usize;
        if self.order.history(before) != step.history {
            return None;
        }
        let renamed = |object: ObjectId, access: Access| Access { object, ..access };
        if self.events[before].operation.kind.is_wait() && !fault!(WaitsEndInOneWay) {
            // How a wait ends is up to others: by itself, at the condition variable, or by taking the mutex again.
            let waited = self.order.accesses(before);
            let ends_by_itself = step.accesses.first.class == Class::Shared;
            let object = if ends_by_itself { waited.first.object } else { waited.second.object };
            return Some(Accesses { first: renamed(object, step.accesses.first), ..Accesses::NOTHING });
        }
        let here = match events.get(step.position) {
            Some(&event) => *self.order.accesses(event as usize),
            None => self.blocked.iter().find(|blocked| blocked.thread == step.thread)?.pending.accesses,
        };
        Some(Accesses {
            first: renamed(here.first.object, step.accesses.first),
            second: renamed(here.second.object, step.accesses.second),
            watched: here.watched,
        })
    }
}

/// Adds `sequence` to the tree of a state in which `asleep` sleeps, unless runs that begin with it have been made: those
/// that begin with what sleeps have. Tells what covers every longer sequence from now on.
pub(super) fn insert_unless_asleep(
    tree: &mut Vec<Branch>,
    sequence: &mut Sequence,
    asleep: &SleepSet,
    found: &Found<'_>,
) -> Done {
    let mut by_own_step = false;
    let covered = asleep.members().iter().any(|asleep| match sequence.first_of(asleep.thread) {
        Some(own) => {
            let sleeps = match sequence.planned(own, found.events) {
                Planned::One(alternative) => asleep.alternatives.contains(alternative),
                Planned::All => asleep.is_whole(),
            };
            by_own_step = sleeps && sequence.is_initial(own, found.order);
            by_own_step
        }
        None => asleep.is_whole() && sequence.commutes_with(&asleep.accesses, found.order),
    });
    if !covered || fault!(SleepDoesNotCover) {
        insert(tree, sequence, asleep.members(), found);
        return if found.by_own_steps.get() { Done::Planned } else { Done::No };
    }
    if by_own_step { Done::ForGood } else { Done::No }
}

/// Adds `sequence` to the tree, unless a run that it would begin is already planned (`insert` in section 6.2).
///
/// `asleep` is what sleeps in the state of the tree.
fn insert(tree: &mut Vec<Branch>, sequence: &mut Sequence, asleep: &[Asleep], found: &Found<'_>) {
    found.unsure.set(false);
    if found.alternatives {
        let fork = tree.iter().find(|branch| !branch.step.decided).map(|branch| branch.step.thread);
        match (fork, sequence.due_choice(found)) {
            (Some(fork), due) if due != Some(fork) => return insert_for_all(tree, sequence, asleep, found),
            (_, Some(_)) => return insert_choice(tree, sequence, asleep, found),
            _ => {}
        }
    }
    for at in 0..tree.len() {
        let leads = leads_into(&tree[at], sequence, found);
        let group = if leads { Vec::new() } else { all_alternatives(tree, at, sequence, asleep, found) };
        if (!leads && group.is_empty()) || (fault!(InsertCoveredAgain) && tree[at].then.is_empty()) {
            continue;
        }
        let unsure = found.unsure.get();
        for &branch in &group {
            tree[branch].doubtful |= unsure;
            lead_into(tree, branch, &mut sequence.clone(), asleep, found);
        }
        if leads {
            tree[at].doubtful |= unsure;
            lead_into(tree, at, sequence, asleep, found);
        }
        return;
    }
    let branch = Branch { doubtful: found.unsure.get(), ..sequence.as_branch(found) };
    if fault!(InsertInFront) {
        tree.insert(0, branch);
    } else {
        tree.push(branch);
    }
}

/// Adds to branch `at` a sequence that leads into it.
fn lead_into(tree: &mut [Branch], at: usize, sequence: &mut Sequence, asleep: &[Asleep], found: &Found<'_>) {
    let own = sequence.first_of(tree[at].step.thread);
    let touched = own.map(|own| *sequence.accesses(own, found.order));
    if let Some(own) = own {
        sequence.remove(own, found);
    }
    insert_behind(tree, at, sequence, touched, asleep, found);
}

/// Adds what is left of a sequence behind branch `at`, which it led into. Everything that begins with a branch with
/// nothing behind it will be tried anyway, unless the branch is doubtful. `touched` is what the step of the branch touches, if the
/// sequence told.
fn insert_behind(
    tree: &mut [Branch],
    at: usize,
    sequence: &mut Sequence,
    touched: Option<Accesses>,
    asleep: &[Asleep],
    found: &Found<'_>,
) {
    if sequence.is_empty() {
        return;
    }
    let outside = found.in_doubt.replace(found.in_doubt.get() || tree[at].doubtful);
    if !tree[at].then.is_empty() {
        // Who sleeps matters only to steps that sleep with some of their alternatives.
        let still =
            if found.alternatives { still_asleep(tree, at, touched, asleep, found) } else { Vec::new() };
        insert(&mut tree[at].then, sequence, &still, found);
    } else if found.in_doubt.get() && !fault!(DoubtfulPlansTakeIn) {
        // If the branch turns out to be covered, this is not: it may hold what the step that covers the branch conflicts with.
        tree[at].then.push(sequence.as_branch(found));
        tree[at].shown_by = 0;
    }
    found.in_doubt.set(outside);
}

/// Who still sleeps behind branch `at`.
fn still_asleep(
    tree: &[Branch],
    at: usize,
    touched: Option<Accesses>,
    asleep: &[Asleep],
    found: &Found<'_>,
) -> Vec<Asleep> {
    let step = &tree[at].step;
    let touched = touched.or_else(|| found.accesses_of(step));
    // By then the branches before it will have been tried. Who cannot be compared may wake.
    let before = tree[..at].iter().filter_map(|branch| branch.step.asleep(found));
    let sleeping = asleep.iter().copied().chain(before).filter(|member| member.thread != step.thread);
    sleeping.filter_map(|member| member.after(&touched?)).collect()
}

/// Adds a sequence that begins with a choice. Branches that do not speak of the choice are meant for all alternatives, so
/// an alternative that gets a branch of its own takes them over.
fn insert_choice(tree: &mut Vec<Branch>, sequence: &mut Sequence, asleep: &[Asleep], found: &Found<'_>) {
    let step = sequence.step(0, found);
    sequence.remove(0, found);
    let own = tree.iter().position(|branch| !branch.step.decided && branch.step.planned == step.planned);
    if let Some(own) = own {
        return insert_behind(tree, own, sequence, Some(Accesses::NOTHING), asleep, found);
    }
    let mut branch = Branch::new(step, tree.iter().filter(|branch| branch.step.decided).cloned().collect());
    if sequence.is_empty() {
        branch.then.clear();
    } else {
        insert(&mut branch.then, sequence, asleep, found);
    }
    tree.push(branch);
}

/// Adds a sequence that does not speak of the choice that has to be made first: to every alternative.
fn insert_for_all(tree: &mut Vec<Branch>, sequence: &Sequence, asleep: &[Asleep], found: &Found<'_>) {
    let known = tree.iter().find(|branch| !branch.step.decided).map_or(0, |branch| branch.step.alternatives);
    let planned = tree.iter().filter(|branch| !branch.step.decided).count();
    for at in 0..tree.len() {
        if !tree[at].step.decided {
            insert_behind(tree, at, &mut sequence.clone(), Some(Accesses::NOTHING), asleep, found);
        }
    }
    if planned < known as usize {
        let (choices, mut others): (Vec<Branch>, Vec<Branch>) =
            tree.drain(..).partition(|branch| !branch.step.decided);
        insert(&mut others, &mut sequence.clone(), asleep, found);
        tree.extend(choices.into_iter().chain(others));
    }
}

/// Whether the runs that begin with `sequence` can be reordered to begin with the step of the branch: whether the step
/// is a *weak initial* of the sequence.
fn leads_into(branch: &Branch, sequence: &Sequence, found: &Found<'_>) -> bool {
    match sequence.first_of(branch.step.thread) {
        Some(own) => {
            branch.step.planned.covers(sequence.planned(own, found.events))
                && (sequence.is_initial(own, found.order) || fault!(EverythingIsInitial))
        }
        // The sequence stands for all alternatives of a step that it lacks.
        None => {
            found.by_own_steps.set(false);
            branch.step.planned == Planned::All && is_independent(branch, sequence, found)
        }
    }
}

/// Whether nothing in the sequence, which lacks the step of the branch, depends on it.
fn is_independent(branch: &Branch, sequence: &Sequence, found: &Found<'_>) -> bool {
    if fault!(WeakInitialsIgnored) {
        return false;
    }
    found.accesses_of(&branch.step).is_some_and(|accesses| {
        fault!(EverythingIsWeakInitial) || sequence.commutes_with(&accesses, found.order)
    })
}

/// The branches that together stand for all alternatives of the step of branch `at`, but for those that sleep, if the
/// sequence leads into each of them; otherwise none. If it leads into another branch on the way from the first of them to the
/// last, that one stands for those behind it: when they are tried, its step sleeps.
fn all_alternatives(
    tree: &[Branch],
    at: usize,
    sequence: &Sequence,
    asleep: &[Asleep],
    found: &Found<'_>,
) -> Vec<usize> {
    let step = &tree[at].step;
    let own = sequence.first_of(step.thread);
    let possible = step.planned != Planned::All
        && own.is_none_or(|own| {
            sequence.planned(own, found.events) == Planned::All && sequence.is_initial(own, found.order)
        });
    if !possible {
        return Vec::new();
    }
    let group: Vec<usize> = (0..tree.len())
        .filter(|&other| {
            let branch = &tree[other];
            branch.step.thread == step.thread
                && branch.step.decided == step.decided
                && (own.is_some() || is_independent(branch, sequence, found))
        })
        .collect();
    let covered = (0..step.alternatives).all(|wanted| {
        group.iter().any(|&branch| tree[branch].step.planned == Planned::One(wanted))
            || asleep
                .iter()
                .any(|member| member.thread == step.thread && member.alternatives.contains(wanted))
    });
    if !covered {
        return Vec::new();
    }
    let last = group.last().map_or(at, |&last| last);
    match (at + 1..last).find(|&other| leads_into(&tree[other], sequence, found)) {
        Some(on_the_way) => {
            group.into_iter().filter(|&branch| branch < on_the_way).chain([on_the_way]).collect()
        }
        None => group,
    }
}
