//! Unfolding the model (Figure 6). Guarantee: all reachable local states, all assertion violations, all deadlocks.
//!
//! The figure's algorithm does not find all deadlocks; here the finished prefix is searched for them
//! ([`raddle_nets::DeadlockSearch`]), and a run is made to each. `unfolding-stateless` is the same without terminals:
//! Kähkönen, Saarikivi, Heljanko, "Using unfoldings in automated testing of multithreaded programs".
//!
//! Differences from the figure: whether an event is a terminal is asked before the program is run for it, because a
//! terminal's marking is known; and steps that commute with everything are taken together with the step before them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use raddle_nets::{DeadlockSearch, EventId, Limits, Order, PlaceId, Sought, Status, TransitionId};
use raddle_trace::Run;

use super::modelled::{Advance, Exploration, Modelled};
use super::stateful_naive::{DeadMarkings, Hunted};
use crate::model::{
    Beyond, Detail, GrowingNet, Knowledge, Marking, ModelNet, ModelSize, ModelSummary, NetPlace, ObjectName,
    Plan, Race, ThreadState, ends,
};
use crate::{Choice, Chooser, Decision, Doubt, Estimate, Guarantee, NoPick, Offer, Strategy};

/// How large an unfolding may become.
const LIMITS: Limits = Limits { events: 3_000_000, bytes: 2 << 30 };

/// Conflicts that a solver may meet in its search for a deadlock.
const MAX_CONFLICTS: u64 = 200_000;

/// Deadlocks that a solver enumerates.
const MAX_DEADLOCKS: usize = 16;

/// Cuts of a prefix that are looked at one by one.
const MAX_CUTS: usize = 5_000;

/// Events of a prefix that a solver is asked about before markings are looked at.
const MAX_EASY_EVENTS: usize = 5_000;

/// Markings that are looked at one by one for deadlocks.
const MAX_DEAD_MARKINGS: usize = 150_000;

/// Steps from marking to marking, and conflicts of a solver, that are one step of the search for deadlocks.
const MARKINGS_AT_ONCE: usize = 64;
const CONFLICTS_AT_ONCE: u64 = 64;

/// Such a step takes as long as so many events, or longer.
const EVENTS_PER_HUNT: usize = 128;

/// Nodes of an unfolding that remembers what threads saw, in the search for a run that uses two given objects.
const MAX_HISTORIES: usize = 20_000;

/// Pairs of events that are looked at for one that uses two given objects.
const MAX_MEETINGS: usize = 50_000;

/// Whether events whose marking is known are not extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Terminals {
    Yes,
    No,
}

impl Terminals {
    /// Without terminals the order does not matter.
    fn order(self) -> Order {
        match self {
            Terminals::Yes => Order::Erv,
            Terminals::No => Order::Mcmillan,
        }
    }
}

/// Where the search for deadlocks is. Whether a prefix has one is hard in principle, so there are several ways: cut by cut,
/// by a solver, marking by marking, each as far as it is cheap.
enum Hunt {
    Cuts,
    EasySolver(Box<Solving>),
    Markings(Box<DeadMarkings>),
    Solver(Box<Solving>),
}

/// A question to the solver, asked bit by bit.
struct Solving {
    search: DeadlockSearch,
    found: Vec<Dead>,
    /// Conflicts that it may still meet before the next answer.
    left: u64,
    /// Conflicts that it may meet before each answer.
    most: u64,
}

/// What came of a part of it.
enum Solved {
    More,
    All(Vec<Dead>),
    /// It is too hard, or there are too many.
    TooHard,
}

impl Solving {
    fn new(net: &GrowingNet, knowledge: &Knowledge, most: u64) -> Box<Solving> {
        let prefix = &net.unfolder;
        let mut search = DeadlockSearch::new(prefix);
        search.require_one_of(prefix, &net.places_of_unfinished(knowledge));
        search.require_none_of(prefix, &net.places_of_exits(knowledge));
        Box::new(Solving { search, found: Vec::new(), left: most, most })
    }

    fn advance(&mut self, net: &GrowingNet) -> Solved {
        let conflicts = self.left.min(CONFLICTS_AT_ONCE);
        self.left -= conflicts;
        match self.search.go_on(&net.unfolder, conflicts) {
            Sought::Found(deadlock) if self.found.len() < MAX_DEADLOCKS => {
                self.found.push((deadlock.marking.places().to_vec(), deadlock.configuration));
                self.left = self.most;
                Solved::More
            }
            Sought::NoMore => Solved::All(std::mem::take(&mut self.found)),
            Sought::Unknown if self.left > 0 => Solved::More,
            Sought::Found(_) | Sought::Unknown => Solved::TooHard,
        }
    }
}

/// The unfolding of the model.
struct Prefix {
    terminals: Terminals,
    net: Option<GrowingNet>,
    version: u64,
    /// An event that was taken and has not been decided about.
    open: Option<EventId>,
    /// Whether a run was made for that event.
    asked: bool,
    seen_ends: HashSet<Marking>,
    /// States that threads have been in, for a deliberate fault.
    reached: HashSet<ThreadState>,
    /// Runs to deadlocks that are still to be made; `None` while the prefix is not finished.
    deadlocks: Option<Vec<Plan>>,
    /// The search for them, once the prefix is finished.
    hunt: Option<Hunt>,
    fails: bool,
    /// Pairs of objects for which a run was made.
    met: BTreeSet<(ObjectName, ObjectName)>,
    /// States of two threads that race, for which a run was made.
    raced: HashSet<(ThreadState, ThreadState)>,
}

impl Prefix {
    fn new(terminals: Terminals) -> Prefix {
        Prefix {
            terminals,
            net: None,
            version: 0,
            open: None,
            asked: false,
            seen_ends: HashSet::new(),
            reached: HashSet::new(),
            deadlocks: None,
            hunt: None,
            fails: false,
            met: BTreeSet::new(),
            raced: HashSet::new(),
        }
    }

    fn begin_again(&mut self, knowledge: &mut Knowledge) {
        let order = self.terminals.order();
        self.version = knowledge.version();
        self.net = Some(GrowingNet::new(knowledge, order, LIMITS, Detail::Chains));
        self.open = None;
        self.deadlocks = None;
        self.hunt = None;
        self.fails = false;
    }

    /// Decides about the open event; a plan if that needs a run.
    fn decide(&mut self, knowledge: &mut Knowledge) -> Option<Plan> {
        let (Some(net), Some(event)) = (&mut self.net, self.open) else { return None };
        if net.is_superseded(net.unfolder.transition(event)) {
            net.unfolder.cut_off(event, None);
            self.open = None;
            return None;
        }
        let companion = match self.terminals {
            Terminals::Yes => net.unfolder.companion(event),
            Terminals::No => None,
        };
        let too_much = raddle_trace::fault!(ModelCutsTooMuch) && event.index() % 11 == 10;
        let any_order = raddle_trace::fault!(ModelCutsAnyOrder)
            && states(net, event).iter().all(|state| !self.reached.insert(*state));
        if companion.is_some() || too_much || any_order {
            net.unfolder.cut_off(event, companion);
            self.open = None;
            return None;
        }
        if !knowledge.unknown_pairs().is_empty() {
            let events = net.unfolder.local_configuration(event);
            if let Some(plan) = show_pair(net, knowledge, &mut self.met, &events) {
                return Some(plan);
            }
        }
        let states: Vec<ThreadState> = states(net, event);
        if states.iter().any(|&state| !knowledge.is_complete(state)) {
            if std::mem::replace(&mut self.asked, true) {
                knowledge.give_up(Beyond::Hidden);
                return None;
            }
            let events = net.unfolder.local_configuration(event);
            return Some(plan(net, &events));
        }
        self.open = None;
        if net.supersede(knowledge, net.unfolder.transition(event)) {
            net.unfolder.cut_off(event, None);
            return None;
        }
        if states.iter().any(|state| knowledge.fails(*state)) {
            // The run ends here, whatever the other threads do.
            self.fails = true;
            net.unfolder.cut_off(event, None);
            return None;
        }
        if net.extend(knowledge, event).is_err() {
            knowledge.give_up(Beyond::Size);
        }
        self.next_race()
    }

    /// A run in which two threads race that are about to, if no run was made for them yet.
    fn next_race(&mut self) -> Option<Plan> {
        let net = self.net.as_mut()?;
        while let Some(Race { events, threads, states }) = net.races.pop() {
            if self.raced.insert(states) {
                let events = net.unfolder.closure(&events);
                let mut plan = plan(net, &events);
                threads.into_iter().for_each(|thread| plan.go(thread));
                return Some(plan);
            }
        }
        None
    }

    /// A run that shows whether two objects are the same which configurations use together that are not local ones.
    fn find_meeting(&mut self, knowledge: &mut Knowledge) -> Option<Plan> {
        if knowledge.unknown_pairs().is_empty() {
            return None;
        }
        let met = &mut self.met;
        match find_meeting_in(self.net.as_mut()?, knowledge, met) {
            Ok(None) if knowledge.beyond().is_none() => {}
            Ok(own) => return own,
            Err(TooManyPairs) => {
                knowledge.give_up(Beyond::Size);
                return None;
            }
        }
        // A terminal's marking does not tell what threads have used that have come to their end, so what comes after
        // it may meet objects that nothing meets after its companion. That is only a matter of names: both are as they were
        // at first. So it is looked for as far as it is cheap.
        let mut whole = unfold(knowledge, self.terminals, Detail::Histories, MAX_HISTORIES);
        find_meeting_in(&mut whole, knowledge, met).unwrap_or_default()
    }

    /// One step of the search for deadlocks that no run has shown; its end are the runs to them.
    fn hunt(&mut self, knowledge: &mut Knowledge) {
        let Some(net) = &mut self.net else { return };
        self.hunt = match self.hunt.take() {
            None if raddle_trace::fault!(ModelForgetsDeadlocks) || knowledge.locks_in_order() => {
                self.deadlocks = Some(Vec::new());
                None
            }
            None => Some(Hunt::Cuts),
            Some(Hunt::Cuts) => match dead_cuts(net, knowledge) {
                Some(found) => self.found(knowledge, found),
                None if net.unfolder.event_count() <= MAX_EASY_EVENTS => {
                    Some(Hunt::EasySolver(Solving::new(net, knowledge, MAX_CONFLICTS / 10)))
                }
                None => Some(self.hunt_markings()),
            },
            Some(Hunt::EasySolver(mut solving)) => match solving.advance(net) {
                Solved::More => Some(Hunt::EasySolver(solving)),
                Solved::All(found) => self.found(knowledge, found),
                Solved::TooHard => Some(self.hunt_markings()),
            },
            Some(Hunt::Markings(mut markings)) => match markings.advance(knowledge, MARKINGS_AT_ONCE) {
                Hunted::More => Some(Hunt::Markings(markings)),
                Hunted::TooMany => Some(Hunt::Solver(Solving::new(net, knowledge, MAX_CONFLICTS))),
                Hunted::All(plans) => {
                    self.deadlocks = Some(plans);
                    None
                }
            },
            Some(Hunt::Solver(mut solving)) => match solving.advance(net) {
                Solved::More => Some(Hunt::Solver(solving)),
                Solved::All(found) => self.found(knowledge, found),
                Solved::TooHard => {
                    knowledge.give_up(Beyond::Size);
                    self.found(knowledge, Vec::new())
                }
            },
        };
    }

    fn hunt_markings(&self) -> Hunt {
        Hunt::Markings(Box::new(DeadMarkings::new(&self.seen_ends, MAX_DEAD_MARKINGS)))
    }

    /// These are all deadlocks of the prefix; runs are made to those that no run has shown.
    fn found(&mut self, knowledge: &Knowledge, found: Vec<Dead>) -> Option<Hunt> {
        let net = self.net.as_ref()?;
        let mut plans = Vec::new();
        let mut seen: HashSet<Marking> =
            self.seen_ends.iter().map(|marking| marking.as_places(knowledge)).collect();
        for (places, configuration) in found {
            if seen.insert(net.marking(places.into_iter(), knowledge)) {
                plans.push(plan(net, &configuration));
            }
        }
        plans.reverse();
        self.deadlocks = Some(plans);
        None
    }
}

/// There are too many pairs of events to look at.
struct TooManyPairs;

/// A run in which two objects are used, by a configuration of this prefix, of which it is not known whether they are the same.
fn find_meeting_in(
    net: &mut GrowingNet,
    knowledge: &mut Knowledge,
    met: &mut BTreeSet<(ObjectName, ObjectName)>,
) -> Result<Option<Plan>, TooManyPairs> {
    let pairs = knowledge.unknown_pairs().to_vec();
    let mut users: BTreeMap<ObjectName, Vec<EventId>> = BTreeMap::new();
    for event in net.unfolder.events() {
        objects_of(net, knowledge, event)
            .into_iter()
            .for_each(|object| users.entry(object).or_default().push(event));
    }
    let mut tries = 0;
    for (a, b) in pairs {
        let (Some(first), Some(second)) = (users.get(&a), users.get(&b)) else { continue };
        for &left in first {
            for &right in second {
                tries += 1;
                if tries > MAX_MEETINGS {
                    return Err(TooManyPairs);
                }
                if !net.unfolder.in_conflict(left, right) {
                    let events = net.unfolder.closure(&[left, right]);
                    return Ok(show_pair(net, knowledge, met, &events));
                }
            }
        }
    }
    Ok(None)
}

/// The deadlocks of a prefix, found cut by cut; `None` if there are too many cuts.
fn dead_cuts(net: &mut GrowingNet, knowledge: &Knowledge) -> Option<Vec<Dead>> {
    let unfinished: HashSet<PlaceId> = net.places_of_unfinished(knowledge).into_iter().collect();
    let exits: HashSet<PlaceId> = net.places_of_exits(knowledge).into_iter().collect();
    let is_dead = |places: &[PlaceId]| {
        places.iter().any(|at| unfinished.contains(at)) && !places.iter().any(|at| exits.contains(at))
    };
    let dead = ends(&net.unfolder, MAX_CUTS)?.into_iter().filter(|(places, _)| is_dead(places));
    Some(dead.map(|(places, last)| (places, net.unfolder.closure(&last))).collect())
}

/// A dead marking, and the events that lead to it.
type Dead = (Vec<PlaceId>, Vec<EventId>);

/// The objects that threads are about to use after an event.
fn objects_wanted(net: &GrowingNet, knowledge: &Knowledge, event: EventId) -> BTreeSet<ObjectName> {
    let intents = states(net, event).into_iter().filter_map(|state| knowledge.intent(state));
    intents.flat_map(|intent| [intent.object, intent.mutex]).flatten().collect()
}

/// The objects that an event uses, or that a thread is about to use after it.
fn objects_of(net: &GrowingNet, knowledge: &Knowledge, event: EventId) -> BTreeSet<ObjectName> {
    let moves = &net.chain_of(net.unfolder.transition(event)).moves;
    let used = moves.iter().flat_map(|step| &step.objects).map(|(object, _)| *object);
    used.chain(objects_wanted(net, knowledge, event)).collect()
}

/// The beginning of a configuration, up to where two objects have been used (or are about to be) of which it is not
/// known whether they are the same. What comes after that may not be possible at all. Gives up if a run was made for
/// them before.
fn show_pair(
    net: &GrowingNet,
    knowledge: &mut Knowledge,
    met: &mut BTreeSet<(ObjectName, ObjectName)>,
    events: &[EventId],
) -> Option<Plan> {
    let mut used = BTreeSet::new();
    let mut plan = Plan::default();
    for &event in events {
        let moves = &net.chain_of(net.unfolder.transition(event)).moves;
        let wanted = objects_wanted(net, knowledge, event);
        let used_by = moves.iter().map(|step| (Some(step), step.objects.iter().map(|(object, _)| *object)));
        let used_by = used_by.map(|(step, objects)| (step, objects.collect()));
        for (step, mut objects) in used_by.chain([(None, wanted)]) {
            used.append(&mut objects);
            match knowledge.unknown_pair(&used) {
                Some(pair) if met.insert(pair) => return Some(plan),
                Some(_) => {
                    knowledge.give_up(Beyond::Objects);
                    return None;
                }
                None => step.into_iter().for_each(|step| plan.push(step)),
            }
        }
    }
    None
}

/// The states of the threads that an event moves.
fn states(net: &GrowingNet, event: EventId) -> Vec<ThreadState> {
    let places = net.unfolder.postset(event).map(|condition| net.meaning(net.unfolder.place(condition)));
    let states = places.filter_map(|place| match place {
        NetPlace::Thread(_, state) => Some(state),
        NetPlace::Object(..) => None,
    });
    states.collect()
}

/// The unfolding in this detail, up to so many nodes, of a model of which everything is known.
fn unfold(knowledge: &mut Knowledge, terminals: Terminals, detail: Detail, most: usize) -> GrowingNet {
    let mut net = GrowingNet::new(knowledge, terminals.order(), LIMITS, detail);
    while net.unfolder.event_count() + net.unfolder.condition_count() <= most
        && let Ok(Some(event)) = net.take()
    {
        let companion = match terminals {
            Terminals::Yes => net.unfolder.companion(event),
            Terminals::No => None,
        };
        let stops = states(&net, event)
            .into_iter()
            .any(|state| knowledge.fails(state) || !knowledge.is_complete(state));
        if companion.is_some() || stops {
            net.unfolder.cut_off(event, companion);
            continue;
        }
        if net.extend(knowledge, event).is_err() {
            break;
        }
    }
    net
}

/// The markings in which a prefix ends.
fn end_markings(net: &GrowingNet, knowledge: &Knowledge) -> HashSet<Marking> {
    let ends = ends(&net.unfolder, usize::MAX).unwrap_or_default();
    ends.into_iter().map(|(places, _)| net.marking(places.into_iter(), knowledge)).collect()
}

/// The schedule in which these events happen first.
fn plan(net: &GrowingNet, events: &[EventId]) -> Plan {
    let mut plan = Plan::default();
    let moves = events.iter().flat_map(|&event| &net.chain_of(net.unfolder.transition(event)).moves);
    moves.for_each(|step| plan.push(step));
    plan
}

impl Exploration for Prefix {
    const GUARANTEE: Guarantee = Guarantee::All;

    fn advance(&mut self, knowledge: &mut Knowledge, steps: usize) -> Advance {
        if self.net.is_none() || self.version != knowledge.version() {
            self.begin_again(knowledge);
        }
        let mut left = steps;
        while left > 0 {
            left -= 1;
            if let Some(plan) = self.next_race().or_else(|| self.decide(knowledge)) {
                return Advance::Run(plan);
            }
            if let Some(plans) = &mut self.deadlocks {
                return plans.pop().map_or(Advance::Done, Advance::Run);
            }
            if knowledge.beyond().is_some() {
                return Advance::Done;
            }
            let taken = self.net.as_mut().map_or(Ok(None), GrowingNet::take);
            match taken {
                Ok(Some(event)) => {
                    self.open = Some(event);
                    self.asked = false;
                }
                Ok(None) => {
                    if self.hunt.is_none()
                        && let Some(plan) = self.find_meeting(knowledge)
                    {
                        return Advance::Run(plan);
                    }
                    self.hunt(knowledge);
                    left = left.saturating_sub(EVENTS_PER_HUNT);
                }
                Err(_) => knowledge.give_up(Beyond::Size),
            }
        }
        Advance::More
    }

    fn forget(&mut self) {
        *self = Prefix::new(self.terminals);
    }

    fn ended(&mut self, marking: Marking) {
        self.seen_ends.insert(marking);
    }

    fn size(&self, _knowledge: &Knowledge) -> ModelSize {
        let Some(net) = &self.net else { return ModelSize::default() };
        // Without chains: what the model would be if every step were a transition.
        let mut transitions = HashSet::new();
        let mut places = HashSet::new();
        let mut reach = |place: NetPlace| {
            places.insert(match place {
                NetPlace::Object(object, _, number) => NetPlace::Object(object, 0, number),
                place => place,
            });
        };
        let shown = |condition: &_| match net.unfolder.producer(*condition) {
            Some(event) => !net.is_superseded(net.unfolder.transition(event)),
            None => true,
        };
        net.unfolder
            .conditions()
            .filter(shown)
            .for_each(|condition| reach(net.meaning(net.unfolder.place(condition))));
        let mut taken_up: Vec<TransitionId> =
            net.unfolder.events().map(|event| net.unfolder.transition(event)).collect();
        taken_up.sort_unstable();
        taken_up.dedup();
        for transition in taken_up.into_iter().filter(|transition| !net.is_superseded(*transition)) {
            for taken in &net.chain_of(transition).taken_in {
                if transitions.insert(taken) {
                    let (threads, objects) = (&taken.0.threads, &taken.0.objects);
                    threads.iter().for_each(|&(thread, state)| reach(NetPlace::Thread(thread, state)));
                    objects.iter().for_each(|&(object, number)| reach(NetPlace::Object(object, 0, number)));
                }
            }
        }
        let superseded = net.unfolder.events();
        let superseded =
            superseded.filter(|event| net.is_superseded(net.unfolder.transition(*event))).count();
        ModelSize {
            places: places.len(),
            transitions: transitions.len(),
            events: net.unfolder.event_count() - superseded,
            conditions: net.unfolder.conditions().filter(shown).count(),
            terminals: net.unfolder.cut_off_count().saturating_sub(superseded),
            markings: net.unfolder.event_count() - net.unfolder.cut_off_count() + 1,
        }
    }

    fn net(&self, knowledge: &mut Knowledge, most: usize) -> ModelNet {
        let size = self.size(knowledge);
        let all = size.places + size.transitions;
        unfold(knowledge, self.terminals, Detail::Steps, most).export(knowledge, most, all)
    }

    fn summary(&self, knowledge: &mut Knowledge) -> ModelSummary {
        let mut summary = ModelSummary { fails: self.fails, ..ModelSummary::default() };
        let Some(net) = &self.net else { return summary };
        for event in net.unfolder.events() {
            if net.unfolder.status(event) == Status::Open {
                continue;
            }
            for (thread, state) in net.chain_of(net.unfolder.transition(event)).states() {
                let Some(local) = state.local() else { continue };
                // States on the way have been passed at once.
                let mut path = knowledge.path(local);
                while !path.is_empty() && summary.locals.insert((thread.index(), path.clone())) {
                    path.pop();
                }
            }
        }
        // The prefix has forgotten what threads saw that have ended; the ends that it has are told apart by the model.
        let mut own = end_markings(net, knowledge);
        let whole = unfold(knowledge, self.terminals, Detail::Histories, usize::MAX);
        let whole = end_markings(&whole, knowledge);
        let whole = whole.iter().map(|end| (end, end.as_places(knowledge)));
        let known: Vec<_> = whole.filter(|(_, places)| own.contains(places)).collect();
        for (end, places) in &known {
            own.remove(places);
            summary.ends.insert(knowledge.end(end));
        }
        summary.ends.extend(own.iter().map(|end| knowledge.end(end)));
        summary
    }
}

/// Unfolds the model.
pub struct Unfolding {
    inner: Modelled<Prefix>,
}

impl Unfolding {
    /// With terminals. Names the contents of cells by their values, if asked to.
    #[must_use]
    pub fn new(by_value: bool) -> Unfolding {
        Unfolding { inner: Modelled::new(Prefix::new(Terminals::Yes), by_value) }
    }

    /// Without terminals.
    #[must_use]
    pub fn stateless(by_value: bool) -> Unfolding {
        Unfolding { inner: Modelled::new(Prefix::new(Terminals::No), by_value) }
    }
}

super::modelled::delegate!(Unfolding);
