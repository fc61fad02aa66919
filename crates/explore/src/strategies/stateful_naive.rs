//! Explicit search over the markings of the model (Figure 5), with sleep sets. Guarantee: all reachable local states, all
//! deadlocks.
//!
//! Differences from the figure: the recursion is a stack, because it stops wherever a run is needed; steps that commute
//! with everything are taken at once, as in a run; and a marking that is met again with a smaller sleep set is searched
//! again for what slept the first time (Godefroid 1996, section 6).

use std::collections::{BTreeSet, HashSet};

use raddle_coverage::hash::Table;
use raddle_trace::{Run, ThreadId};

use super::modelled::{Advance, Exploration, Modelled};
use crate::model::{
    Beyond, Change, Knowledge, Marking, ModelNet, ModelSize, ModelSummary, Move, Next, ObjectName, Plan,
    ThreadState, View, net_of_markings,
};
use crate::{Choice, Chooser, Decision, Doubt, Estimate, Guarantee, NoPick, Offer, Strategy};

/// Markings that are kept before the program counts as too large for the model.
const MAX_MARKINGS: usize = 4_000_000;

/// A step, named by its thread and its alternative.
type StepName = (ThreadId, u32);

/// A marking on the way, with what is left to try there.
struct Node {
    marking: Marking,
    /// The step that led here.
    by: Option<Move>,
    left: Vec<Move>,
    asleep: Vec<Move>,
}

/// The search of Figure 5.
#[derive(Default)]
struct Markings {
    stack: Vec<Node>,
    /// Every marking met, with what slept there.
    visited: Table<Marking, Vec<StepName>>,
    /// Markings in which runs have ended.
    seen_ends: HashSet<Marking>,
    /// Markings in which nothing can happen.
    ends: Vec<Marking>,
    transitions: BTreeSet<u64>,
    /// The places that steps have led to, as hashes, and those of threads.
    places: BTreeSet<u64>,
    threads: BTreeSet<(ThreadId, ThreadState)>,
    renamed: u64,
    started: bool,
    fails: bool,
    /// The marking for which the last run was made.
    asked: Option<Marking>,
    /// Pairs of objects for which a run was made.
    met: BTreeSet<(ObjectName, ObjectName)>,
    /// States of two threads that race, for which a run was made.
    raced: HashSet<(ThreadState, ThreadState)>,
}

impl Markings {
    fn start(&mut self, knowledge: &Knowledge) {
        let (seen_ends, met) = (std::mem::take(&mut self.seen_ends), std::mem::take(&mut self.met));
        let raced = std::mem::take(&mut self.raced);
        let again = self.started;
        *self = Markings { started: true, renamed: knowledge.renamed(), ..Markings::default() };
        self.met = met;
        self.raced = raced;
        // Names in ends that were seen may have changed.
        if !again {
            self.seen_ends = seen_ends;
        }
        self.stack.push(Node {
            marking: Marking::first(knowledge),
            by: None,
            left: Vec::new(),
            asleep: Vec::new(),
        });
        self.asked = None;
    }

    fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        self.stack.iter().filter_map(|node| node.by.as_ref()).for_each(|step| plan.push(step));
        plan
    }

    /// Opens the marking on top of the stack; a plan if that needs a run.
    fn open(&mut self, knowledge: &mut Knowledge) -> Option<Plan> {
        let node = self.stack.last()?;
        let marking = node.marking.clone();
        if marking.threads().any(|(_, state)| !knowledge.is_complete(state)) {
            if self.asked.as_ref() == Some(&marking) {
                knowledge.give_up(Beyond::Hidden);
                return None;
            }
            self.asked = Some(marking);
            return Some(self.plan());
        }
        let marking = self.arrive(knowledge)?;
        if self.shows_pair(knowledge, &marking) {
            return Some(self.plan());
        }
        if let Some(plan) = self.race(knowledge, &marking) {
            return Some(plan);
        }
        if fails(knowledge, &marking) {
            self.fails = true;
            self.visited.entry(marking).or_default();
            return None;
        }
        let steps = steps(knowledge, &marking);
        let marking =
            if raddle_trace::fault!(ModelForgetsMarkings) { marking.without_objects() } else { marking };
        if steps.is_empty() {
            return self.end(knowledge, marking);
        }
        self.enter(knowledge, marking, steps);
        None
    }

    /// The marking on top of the stack, now that everything is known of it. A run may have shown which value the step to it
    /// left in a cell, and then the valuation has another name than was foreseen.
    fn arrive(&mut self, knowledge: &mut Knowledge) -> Option<Marking> {
        if let [.., before, node] = self.stack.as_mut_slice()
            && let Some(step) = &mut node.by
        {
            if knowledge.by_value() {
                *step = knowledge.fire(&before.marking, step.thread, step.alternative)?;
                node.marking = before.marking.clone();
                node.marking.apply(step);
            }
            self.threads.extend(step.states.iter().copied());
            let valuations = step.objects.iter().filter_map(|(object, change)| match change {
                Change::To(valuation) => Some(hash_of(&(*object, valuation))),
                Change::Reads => None,
            });
            self.places.extend(valuations);
        }
        self.stack.last().map(|node| node.marking.clone())
    }

    /// Whether two objects have been used on the way of which it is not known whether they are the same.
    fn shows_pair(&mut self, knowledge: &mut Knowledge, marking: &Marking) -> bool {
        if knowledge.unknown_pairs().is_empty() {
            return false;
        }
        let used: BTreeSet<ObjectName> =
            marking.threads().flat_map(|(_, state)| knowledge.objects_used(state)).collect();
        match knowledge.unknown_pair(&used) {
            Some(pair) if self.met.insert(pair) => true,
            Some(_) => {
                knowledge.give_up(Beyond::Objects);
                false
            }
            None => false,
        }
    }

    /// A run in which two threads race that are about to, if no run was made for them yet.
    fn race(&mut self, knowledge: &Knowledge, marking: &Marking) -> Option<Plan> {
        let exposed: Vec<(ThreadId, ThreadState)> =
            marking.threads().filter(|(_, state)| knowledge.is_exposed(*state)).collect();
        for (index, &(left, at)) in exposed.iter().enumerate() {
            for &(right, other) in &exposed[index + 1..] {
                if knowledge.race(at, other) && self.raced.insert((at, other)) {
                    let mut plan = self.plan();
                    plan.go(left);
                    plan.go(right);
                    return Some(plan);
                }
            }
        }
        None
    }

    /// Nothing can happen here; a plan if no run has shown that.
    fn end(&mut self, knowledge: &Knowledge, marking: Marking) -> Option<Plan> {
        let deadlock = knowledge.is_deadlock(&marking);
        if self.visited.insert(marking.clone(), Vec::new()).is_none() {
            self.ends.push(marking.clone());
            if deadlock && self.seen_ends.insert(marking) {
                return Some(self.plan());
            }
        }
        None
    }

    /// Decides what to try in a marking.
    fn enter(&mut self, knowledge: &Knowledge, marking: Marking, mut steps: Vec<Move>) {
        let node = self.stack.last_mut().expect("bug in raddle: a marking was opened that is not there");
        let name = |step: &Move| (step.thread, step.alternative);
        let mut asleep: Vec<StepName> = node.asleep.iter().map(name).collect();
        asleep.sort_unstable();
        for step in &steps {
            let mut key =
                vec![step.thread.index() as u64, u64::from(step.target().0), u64::from(step.alternative)];
            key.extend(step.states.iter().map(|(thread, _)| hash_of(&(thread, marking.state(*thread)))));
            key.extend(step.joins.map(|joined| hash_of(&knowledge.as_place(joined, marking.state(joined)))));
            for (object, _) in &step.objects {
                let first = knowledge.first_valuation(*object);
                let place = marking.valuation(*object).or(first.as_ref());
                key.push(u64::from(object.0));
                key.push(hash_of(&place));
            }
            self.transitions.insert(hash_of(&key));
        }
        match self.visited.get_mut(&marking) {
            Some(slept) => {
                steps.retain(|step| slept.contains(&name(step)) && !asleep.contains(&name(step)));
                slept.retain(|step| asleep.contains(step));
            }
            None => {
                steps.retain(|step| !asleep.contains(&name(step)));
                self.visited.insert(marking, asleep);
            }
        }
        node.left = steps;
        node.left.reverse();
    }

    /// Takes the next step that is left, from the top of the stack downwards; false if none is.
    fn descend(&mut self) -> bool {
        while let Some(node) = self.stack.last_mut() {
            let Some(step) = node.left.pop() else {
                self.stack.pop();
                continue;
            };
            let mut marking = node.marking.clone();
            marking.apply(&step);
            let asleep = node
                .asleep
                .iter()
                .filter(|sleeping| sleeping.commutes_with(&step) || raddle_trace::fault!(ModelNeverWakes));
            let asleep = asleep.cloned().collect();
            node.asleep.push(step.clone());
            self.stack.push(Node { marking, by: Some(step), left: Vec::new(), asleep });
            return true;
        }
        false
    }
}

fn hash_of(value: &impl std::hash::Hash) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Whether a thread fails here, so that the run ends.
fn fails(knowledge: &Knowledge, marking: &Marking) -> bool {
    let fails =
        |state: ThreadState| state.local().is_some_and(|local| knowledge.local(local).next == Next::Fails);
    marking.threads().any(|(_, state)| fails(state))
}

/// The steps that can be taken in a marking; where one commutes with everything, only the steps of its thread.
fn steps(knowledge: &mut Knowledge, marking: &Marking) -> Vec<Move> {
    let mut steps = Vec::new();
    for (thread, state) in marking.threads() {
        let Some(intent) = knowledge.intent(state) else { continue };
        let first = intent.object.and_then(|object| knowledge.first_valuation(object));
        let valuation = intent.object.and_then(|object| marking.valuation(object)).or(first.as_ref());
        let alternatives = knowledge.alternatives(&intent, valuation);
        let own = (0..alternatives).filter_map(|alternative| knowledge.fire(marking, thread, alternative));
        let own: Vec<Move> = own.collect();
        if intent.kind.is_urgent() && !own.is_empty() {
            return own;
        }
        steps.extend(own);
    }
    steps
}

impl Exploration for Markings {
    const GUARANTEE: Guarantee = Guarantee::All;

    fn advance(&mut self, knowledge: &mut Knowledge, steps: usize) -> Advance {
        if !self.started || self.renamed != knowledge.renamed() {
            self.start(knowledge);
        }
        for _ in 0..steps {
            // The marking on top is not opened yet.
            let unopened = self.stack.last().is_some_and(|node| node.left.is_empty());
            if unopened && let Some(plan) = self.open(knowledge) {
                return Advance::Run(plan);
            }
            if self.visited.len() > MAX_MARKINGS {
                knowledge.give_up(Beyond::Size);
            }
            if knowledge.beyond().is_some() || !self.descend() {
                return Advance::Done;
            }
        }
        Advance::More
    }

    fn forget(&mut self) {
        *self = Markings::default();
    }

    fn ended(&mut self, marking: Marking) {
        self.seen_ends.insert(marking);
    }

    fn size(&self, knowledge: &Knowledge) -> ModelSize {
        let first = |object: ObjectName| Some((object, knowledge.first_valuation(object)?));
        let firsts = knowledge.objects().filter_map(first).map(|place| hash_of(&place));
        let objects: BTreeSet<u64> = self.places.iter().copied().chain(firsts).collect();
        let main = (ThreadId::MAIN, ThreadState::At(knowledge.main()));
        let threads = self.threads.iter().copied().chain([main]);
        let threads: BTreeSet<(ThreadId, ThreadState)> =
            threads.map(|(thread, state)| (thread, knowledge.as_place(thread, state))).collect();
        ModelSize {
            places: objects.len() + threads.len(),
            transitions: self.transitions.len(),
            markings: self.visited.len(),
            ..ModelSize::default()
        }
    }

    fn net(&self, knowledge: &mut Knowledge, most: usize) -> ModelNet {
        let size = self.size(knowledge);
        net_of_markings(knowledge, most, size.places + size.transitions, |knowledge, marking| {
            let visited = self.visited.contains_key(marking) && !fails(knowledge, marking);
            if visited { steps(knowledge, marking) } else { Vec::new() }
        })
    }

    fn summary(&self, knowledge: &mut Knowledge) -> ModelSummary {
        let mut summary = ModelSummary { fails: self.fails, ..ModelSummary::default() };
        let mut visited: Vec<&Marking> = self.visited.keys().collect();
        for marking in visited.drain(..) {
            for (thread, state) in marking.threads() {
                let Some(local) = state.local() else { continue };
                // All local states on the way have been reached; a marking in between may have been passed at once.
                let mut path = knowledge.path(local);
                while !path.is_empty() && summary.locals.insert((thread.index(), path.clone())) {
                    path.pop();
                }
            }
        }
        summary.ends = self.ends.iter().map(|marking| knowledge.end(marking)).collect();
        summary
    }
}

/// Looks for the deadlocks of a model of which everything is known, marking by marking.
pub(super) struct DeadMarkings {
    markings: Markings,
    plans: Vec<Plan>,
    /// How many steps may still be taken.
    left: usize,
}

/// How far the search for deadlocks has come.
pub(super) enum Hunted {
    /// There is more to look at.
    More,
    /// Runs to all of them.
    All(Vec<Plan>),
    /// There are too many markings.
    TooMany,
}

impl DeadMarkings {
    /// Those that no run has shown, if there are not more markings than the limit.
    pub(super) fn new(seen_ends: &HashSet<Marking>, limit: usize) -> DeadMarkings {
        let markings = Markings { seen_ends: seen_ends.clone(), ..Markings::default() };
        DeadMarkings { markings, plans: Vec::new(), left: limit }
    }

    /// Goes on for so many steps.
    pub(super) fn advance(&mut self, knowledge: &mut Knowledge, steps: usize) -> Hunted {
        if self.left == 0 {
            return Hunted::TooMany;
        }
        let steps = steps.min(self.left);
        self.left -= steps;
        match self.markings.advance(knowledge, steps) {
            Advance::Run(plan) => self.plans.push(plan),
            Advance::Done => return Hunted::All(std::mem::take(&mut self.plans)),
            Advance::More => {}
        }
        Hunted::More
    }
}

/// Explicit search over the markings of the model.
pub struct StatefulNaive {
    inner: Modelled<Markings>,
}

impl StatefulNaive {
    /// Names the contents of cells by their values, if asked to.
    #[must_use]
    pub fn new(by_value: bool) -> StatefulNaive {
        StatefulNaive { inner: Modelled::new(Markings::default(), by_value) }
    }
}

super::modelled::delegate!(StatefulNaive);
