//! The model as a Petri net that grows: places for local states and valuations, transitions as they are predicted.
//!
//! Every valuation of a memory cell has one place per thread that reads the cell; a write takes all of them, a read only
//! that of its thread, so reads are independent (place replication, section 4.2). Transitions are added when all their
//! places have been reached by some event: a step predicted from a local state and a valuation that were reached by
//! different events is missed if only the markings of single events are looked at. A transition may stand for several steps
//! (`chain.rs`).

use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasherDefault;

use raddle_coverage::hash::{Mixer, Table};
use raddle_nets::{ConditionId, EventId, Limits, Order, PlaceId, Stop, TransitionId, Unfolder};
use raddle_trace::{Kind, ThreadId, ThreadSet};

use super::chain::{Chain, Draft};
use super::{Intent, Knowledge, Marking, Move, ObjectName, ThreadState, Valuation};

/// A set that is asked and never gone through.
type Set<K> = HashSet<K, BuildHasherDefault<Mixer>>;

/// What a place stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Place {
    /// A thread is in this state.
    Thread(ThreadId, ThreadState),
    /// An object has the valuation with this number; one place per copy.
    Object(ObjectName, u32, u32),
}

/// The inputs of a transition: enough of a marking to fire it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) threads: Vec<(ThreadId, ThreadState)>,
    pub(crate) objects: Vec<(ObjectName, u32)>,
}

/// How much of the model a net shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Detail {
    /// Steps that may be taken at once are one transition, and threads that have ended forget what they saw.
    Chains,
    /// Like chains, but threads that have ended remember what they saw: all ends of the program are told apart.
    Histories,
    /// Every step is a transition.
    Steps,
}

/// A transition, and how it came about.
struct Step {
    chain: Chain,
    thread: ThreadId,
    inputs: Inputs,
    alternative: u32,
    /// Whether a longer one stands for it now.
    is_superseded: bool,
}

/// Two threads that are about to race.
pub(crate) struct Race {
    /// The events that led them there.
    pub(crate) events: Vec<EventId>,
    pub(crate) threads: [ThreadId; 2],
    pub(crate) states: (ThreadState, ThreadState),
}

/// The net, and its unfolding so far.
pub(crate) struct GrowingNet {
    pub(crate) unfolder: Unfolder,
    /// The races that were found and not looked at.
    pub(crate) races: Vec<Race>,
    places: Table<Place, PlaceId>,
    meanings: Vec<Place>,
    valuations: BTreeMap<ObjectName, Vec<Valuation>>,
    numbers: Table<(ObjectName, Valuation), u32>,
    /// The threads that have a copy of each cell.
    copies: BTreeMap<ObjectName, Vec<ThreadId>>,
    steps: Vec<Step>,
    pub(super) detail: Detail,
    known: Set<(Inputs, u32)>,
    /// States and valuations that an event has reached.
    active: Set<Place>,
    /// For each place of a thread the objects that it is about to use there, in all steps that it takes at once.
    aims: Vec<Vec<ObjectName>>,
    /// What the event that is being extended produced.
    own: Vec<ConditionId>,
    /// Places of threads with places of the objects that they are about to use, which can be marked at once.
    together: Set<(PlaceId, PlaceId)>,
    /// For each place the event that it was last looked at for.
    looked_at: Vec<u32>,
    /// For each object, the active thread states that are about to use it.
    wanting: BTreeMap<ObjectName, Vec<(ThreadId, ThreadState)>>,
    reached: BTreeMap<ObjectName, Vec<u32>>,
    /// For each condition variable or barrier and thread, the active states in which the thread sleeps there.
    sleeping: BTreeMap<(ObjectName, ThreadId), Vec<ThreadState>>,
    ended: BTreeMap<ThreadId, Vec<ThreadState>>,
    joining: BTreeMap<ThreadId, Vec<(ThreadId, ThreadState)>>,
    /// For each place of a thread and object, the beginnings of chains that go on with it.
    beginnings: BTreeMap<(PlaceId, ObjectName), Vec<Beginning>>,
}

/// A thread, what its first steps find, and the alternative that it takes.
type Beginning = (ThreadId, Inputs, u32);

/// What has become active.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fresh {
    /// The thread itself, whose step concerns no object.
    Own,
    /// This valuation together with the thread.
    Valuation(ObjectName, u32),
    /// This state of another thread.
    Other(ThreadId, ThreadState),
}

impl GrowingNet {
    /// The net of everything that is known, before its first step.
    pub(crate) fn new(knowledge: &mut Knowledge, order: Order, limits: Limits, detail: Detail) -> GrowingNet {
        let mut net = GrowingNet {
            unfolder: Unfolder::new(order, limits),
            races: Vec::new(),
            places: Table::default(),
            meanings: Vec::new(),
            valuations: BTreeMap::new(),
            numbers: Table::default(),
            copies: BTreeMap::new(),
            steps: Vec::new(),
            known: Set::default(),
            active: Set::default(),
            aims: Vec::new(),
            own: Vec::new(),
            together: Set::default(),
            looked_at: Vec::new(),
            wanting: BTreeMap::new(),
            reached: BTreeMap::new(),
            sleeping: BTreeMap::new(),
            ended: BTreeMap::new(),
            joining: BTreeMap::new(),
            detail,
            beginnings: BTreeMap::new(),
        };
        for object in knowledge.objects().collect::<Vec<ObjectName>>() {
            // Only who reads needs a copy, and only where two can read at once.
            let readers = knowledge.readers(object);
            let alone = detail != Detail::Steps && knowledge.is_calm(object);
            let copies: Vec<ThreadId> = readers.iter().filter(|_| !alone).collect();
            let some = || vec![knowledge.users(object).first().unwrap_or_default()];
            net.copies.insert(object, if copies.is_empty() { some() } else { copies });
            if let Some(first) = knowledge.first_valuation(object) {
                let number = net.number(object, &first);
                for copy in 0..net.copies[&object].len() as u32 {
                    net.place(Place::Object(object, copy, number), true);
                }
                net.activate_valuation(object, number);
            }
        }
        let main = ThreadState::At(knowledge.main());
        net.place(Place::Thread(ThreadId::MAIN, main), true);
        net.activate_thread(knowledge, ThreadId::MAIN, main);
        net
    }

    /// What a place stands for.
    pub(crate) fn meaning(&self, place: PlaceId) -> Place {
        self.meanings[place.index()]
    }

    /// The step that a transition stands for, or the first of them.
    pub(crate) fn step(&self, transition: TransitionId) -> &Move {
        &self.chain_of(transition).moves[0]
    }

    /// The steps that a transition stands for.
    pub(crate) fn chain_of(&self, transition: TransitionId) -> &Chain {
        &self.steps[transition.index()].chain
    }

    /// Whether another transition stands for this one now.
    pub(crate) fn is_superseded(&self, transition: TransitionId) -> bool {
        self.steps[transition.index()].is_superseded
    }

    /// Puts a longer transition in the place of one that was added before it was known how its threads go on; false if
    /// there is none.
    pub(crate) fn supersede(&mut self, knowledge: &mut Knowledge, transition: TransitionId) -> bool {
        let step = &mut self.steps[transition.index()];
        if !std::mem::replace(&mut step.chain.is_tentative, false) {
            return false;
        }
        let (thread, inputs, alternative) = (step.thread, step.inputs.clone(), step.alternative);
        let is_whole = match self.chain(knowledge, thread, &inputs, alternative) {
            Some(Draft::Whole(chain)) => chain.is_like(self.chain_of(transition)),
            Some(Draft::Wants(_)) => false,
            None => true,
        };
        if !is_whole {
            self.steps[transition.index()].is_superseded = true;
            let key = (inputs, alternative);
            self.known.remove(&key);
            self.add_step(knowledge, thread, key.0, alternative);
        }
        !is_whole
    }

    /// Whether an object is known well enough to be part of a transition.
    pub(super) fn has_valuations(&self, object: ObjectName) -> bool {
        self.reached.contains_key(&object)
    }

    /// The valuation of an object with this number.
    pub(super) fn valuation(&self, object: ObjectName, number: u32) -> &Valuation {
        &self.valuations[&object][number as usize]
    }

    /// The thread that reads this copy of an object.
    pub(super) fn reader(&self, object: ObjectName, copy: u32) -> Option<ThreadId> {
        let copies = self.copies.get(&object).filter(|copies| copies.len() > 1)?;
        copies.get(copy as usize).copied()
    }

    /// The places of threads that have asked for the end of the program.
    pub(crate) fn places_of_exits(&self, knowledge: &Knowledge) -> Vec<PlaceId> {
        let exits = |place: &Place| matches!(place, Place::Thread(_, state) if knowledge.exits(*state));
        let numbered = self.meanings.iter().enumerate().filter(|(_, place)| exits(place));
        numbered.map(|(index, _)| PlaceId(index as u32)).collect()
    }

    /// The places of threads that have not come to their end.
    pub(crate) fn places_of_unfinished(&self, knowledge: &Knowledge) -> Vec<PlaceId> {
        let unfinished = |place: &Place| match place {
            Place::Thread(_, state) => state.local().is_some() && !knowledge.has_ended(*state),
            Place::Object(..) => false,
        };
        let numbered = self.meanings.iter().enumerate().filter(|(_, place)| unfinished(place));
        numbered.map(|(index, _)| PlaceId(index as u32)).collect()
    }

    /// The marking that these places make up.
    pub(crate) fn marking(&self, places: impl Iterator<Item = PlaceId>, knowledge: &Knowledge) -> Marking {
        let mut marking = Marking::default();
        for place in places {
            match self.meaning(place) {
                Place::Thread(thread, state) => marking.set(thread, state),
                Place::Object(object, _, number) => {
                    let valuation = &self.valuations[&object][number as usize];
                    if knowledge.first_valuation(object).as_ref() != Some(valuation) {
                        marking.set_object(object, valuation.clone());
                    }
                }
            }
        }
        marking
    }

    fn place(&mut self, place: Place, marked: bool) -> PlaceId {
        if let Some(&known) = self.places.get(&place) {
            return known;
        }
        let number = self.unfolder.add_place(marked);
        self.places.insert(place, number);
        self.meanings.push(place);
        number
    }

    pub(super) fn number(&mut self, object: ObjectName, valuation: &Valuation) -> u32 {
        if let Some(&known) = self.numbers.get(&(object, valuation.clone())) {
            return known;
        }
        let all = self.valuations.entry(object).or_default();
        let number = all.len() as u32;
        all.push(valuation.clone());
        self.numbers.insert((object, valuation.clone()), number);
        number
    }

    /// An event is to be extended: what it reached takes part in transitions from now on.
    pub(crate) fn extend(&mut self, knowledge: &mut Knowledge, event: EventId) -> Result<(), Stop> {
        if !self.unfolder.admit(event) {
            return Ok(());
        }
        self.own = self.unfolder.postset(event).collect();
        let own: Vec<PlaceId> = self.own.iter().map(|condition| self.unfolder.place(*condition)).collect();
        for &place in &own {
            match self.meaning(place) {
                Place::Thread(thread, state) => self.activate_thread(knowledge, thread, state),
                Place::Object(object, _, number) => self.activate_valuation(object, number),
            }
        }
        self.find_races(knowledge, event);
        for (user, used) in self.meetings(&own, event) {
            if let (Place::Thread(thread, state), Place::Object(object, _, number)) =
                (self.meaning(user), self.meaning(used))
            {
                self.add_steps(knowledge, thread, state, Fresh::Valuation(object, number));
                self.go_on(knowledge, user, object, number);
            }
        }
        self.own.clear();
        self.unfolder.grow(event)
    }

    /// The places of threads, and of objects that they are about to use, that can be marked at once for the first time after
    /// an event was admitted which marks these places. Steps are predicted for them alone: most states and valuations of
    /// a large model exclude each other.
    fn meetings(&mut self, own: &[PlaceId], event: EventId) -> Vec<(PlaceId, PlaceId)> {
        self.looked_at.resize(self.meanings.len(), u32::MAX);
        self.aims.resize(self.meanings.len(), Vec::new());
        let mut found = Vec::new();
        let others = own.iter().copied().chain(self.unfolder.neighbours());
        let Self { looked_at, aims, together, meanings, .. } = self;
        for other in others {
            if std::mem::replace(&mut looked_at[other.index()], event.0) == event.0 {
                continue;
            }
            for &place in own {
                let (user, used) = match (meanings[place.index()], meanings[other.index()]) {
                    (Place::Thread(..), Place::Object(..)) => (place, other),
                    (Place::Object(..), Place::Thread(..)) => (other, place),
                    _ => continue,
                };
                let Place::Object(object, ..) = meanings[used.index()] else { continue };
                if aims[user.index()].contains(&object) && together.insert((user, used)) {
                    found.push((user, used));
                }
            }
        }
        found
    }

    /// Looks for threads that race with those that the event led somewhere.
    fn find_races(&mut self, knowledge: &Knowledge, event: EventId) {
        let state =
            |net: &GrowingNet, condition: ConditionId| match net.meaning(net.unfolder.place(condition)) {
                Place::Thread(thread, state) if knowledge.is_exposed(state) => Some((thread, state)),
                _ => None,
            };
        let own: Vec<ConditionId> = self.unfolder.postset(event).collect();
        for (index, &condition) in own.iter().enumerate() {
            let Some((thread, at)) = state(self, condition) else { continue };
            let others = own[index + 1..].iter().copied().chain(self.unfolder.neighbouring_conditions());
            let mut races = Vec::new();
            for other in others {
                if let Some((with, there)) = state(self, other)
                    && knowledge.race(at, there)
                {
                    let events = [Some(event), self.unfolder.producer(other)].into_iter().flatten().collect();
                    // The same pair can be met from both sides.
                    let (threads, states) = if thread < with {
                        ([thread, with], (at, there))
                    } else {
                        ([with, thread], (there, at))
                    };
                    races.push(Race { events, threads, states });
                }
            }
            self.races.append(&mut races);
        }
    }

    fn activate_thread(&mut self, knowledge: &mut Knowledge, thread: ThreadId, state: ThreadState) {
        if !self.active.insert(Place::Thread(thread, state)) {
            return;
        }
        if let Some(intent) = knowledge.intent(state) {
            for object in [intent.object, intent.mutex].into_iter().flatten() {
                self.wanting.entry(object).or_default().push((thread, state));
                self.aim(thread, state, object);
            }
            if intent.kind == Kind::Join {
                let other = ThreadId::new(intent.operand as usize);
                self.joining.entry(other).or_default().push((thread, state));
            }
            if intent.object.is_none() {
                self.add_steps(knowledge, thread, state, Fresh::Own);
            }
        }
        if let ThreadState::Asleep(local) = state {
            let slept_by =
                knowledge.local(local).parent.and_then(|from| knowledge.intent(ThreadState::At(from)));
            if let Some(object) = slept_by.and_then(|intent| intent.object) {
                self.sleeping.entry((object, thread)).or_default().push(state);
                self.add_steps_on(knowledge, object, Fresh::Other(thread, state));
            }
        }
        if knowledge.has_ended(state) {
            self.ended.entry(thread).or_default().push(state);
            for (joiner, waiting) in self.joining.get(&thread).cloned().unwrap_or_default() {
                self.add_steps(knowledge, joiner, waiting, Fresh::Other(thread, state));
            }
        }
    }

    fn activate_valuation(&mut self, object: ObjectName, number: u32) {
        if self.active.insert(Place::Object(object, 0, number)) {
            self.reached.entry(object).or_default().push(number);
        }
    }

    /// A thread is about to use an object.
    fn aim(&mut self, thread: ThreadId, state: ThreadState, object: ObjectName) -> Option<PlaceId> {
        let place = *self.places.get(&Place::Thread(thread, state))?;
        self.aims.resize(self.meanings.len(), Vec::new());
        let aims = &mut self.aims[place.index()];
        if !aims.contains(&object) {
            aims.push(object);
        }
        Some(place)
    }

    /// Goes on with the chains that begin at a place and want an object, which can have this valuation there.
    fn go_on(&mut self, knowledge: &mut Knowledge, place: PlaceId, object: ObjectName, number: u32) {
        let beginnings = self.beginnings.get(&(place, object)).cloned().unwrap_or_default();
        for (thread, mut inputs, alternative) in beginnings {
            inputs.objects.push((object, number));
            self.add_step(knowledge, thread, inputs, alternative);
        }
    }

    /// The valuations of an object that it can have while a thread is at this place. There can be thousands of others, which
    /// no step that begins there ever finds.
    fn numbers_at(&self, place: PlaceId, object: ObjectName) -> Vec<u32> {
        let of = |place: PlaceId| {
            let own = self.own.iter().copied().filter(move |own| self.unfolder.place(*own) == place);
            self.unfolder.conditions_of(place).chain(own)
        };
        let users: Vec<ConditionId> = of(place).collect();
        let copies = self.copies.get(&object).map_or(0, Vec::len) as u32;
        let can_be = |number: u32| {
            (0..copies).filter_map(|copy| self.places.get(&Place::Object(object, copy, number))).any(
                |&used| of(used).any(|used| users.iter().any(|&user| self.unfolder.are_together(user, used))),
            )
        };
        let reached = self.reached.get(&object).map_or(&[][..], Vec::as_slice);
        reached.iter().copied().filter(|&number| can_be(number)).collect()
    }

    fn add_steps_on(&mut self, knowledge: &mut Knowledge, object: ObjectName, fresh: Fresh) {
        for (thread, state) in self.wanting.get(&object).cloned().unwrap_or_default() {
            self.add_steps(knowledge, thread, state, fresh);
        }
    }

    /// Adds the transitions of a thread state that have become possible.
    fn add_steps(&mut self, knowledge: &mut Knowledge, thread: ThreadId, state: ThreadState, fresh: Fresh) {
        let Some(intent) = knowledge.intent(state) else { return };
        let own = Inputs { threads: vec![(thread, state)], objects: Vec::new() };
        let objects: Vec<ObjectName> = [intent.object, intent.mutex].into_iter().flatten().collect();
        if matches!(fresh, Fresh::Valuation(object, _) if !objects.contains(&object)) {
            return;
        }
        for inputs in self.with_objects(own, &objects, fresh) {
            let valuation = inputs
                .objects
                .first()
                .map(|&(object, number)| self.valuations[&object][number as usize].clone());
            for alternative in 0..knowledge.alternatives(&intent, valuation.as_ref()) {
                let others = knowledge.other_threads(&intent, valuation.as_ref(), alternative);
                let others = if intent.kind == Kind::Create { ThreadSet::EMPTY } else { others };
                for inputs in self.with_threads(&inputs, &intent, others, fresh) {
                    self.add_step(knowledge, thread, inputs, alternative);
                }
            }
        }
    }

    /// The inputs with every combination of valuations that have been reached.
    fn with_objects(&self, own: Inputs, objects: &[ObjectName], fresh: Fresh) -> Vec<Inputs> {
        let mut all = vec![own];
        for object in objects {
            let numbers: Vec<u32> = match fresh {
                Fresh::Valuation(fresh, number) if fresh == *object => vec![number],
                _ => self.reached.get(object).cloned().unwrap_or_default(),
            };
            let with = |inputs: &Inputs, number: u32| {
                let mut inputs = inputs.clone();
                inputs.objects.push((*object, number));
                inputs
            };
            all = all.iter().flat_map(|inputs| numbers.iter().map(|&number| with(inputs, number))).collect();
        }
        all
    }

    /// The inputs with every combination of states of the other threads that the step needs.
    fn with_threads(&self, inputs: &Inputs, intent: &Intent, others: ThreadSet, fresh: Fresh) -> Vec<Inputs> {
        let mut all = vec![inputs.clone()];
        for other in others.iter() {
            let known = match (intent.kind, intent.object) {
                (Kind::Join, _) => self.ended.get(&other),
                (_, Some(object)) => self.sleeping.get(&(object, other)),
                _ => None,
            };
            let states: Vec<ThreadState> = match fresh {
                Fresh::Other(thread, state) if thread == other => vec![state],
                _ => known.cloned().unwrap_or_default(),
            };
            let with = |inputs: &Inputs, state: ThreadState| {
                let mut inputs = inputs.clone();
                inputs.threads.push((other, state));
                inputs
            };
            all = all.iter().flat_map(|inputs| states.iter().map(|&state| with(inputs, state))).collect();
        }
        all
    }

    fn add_step(&mut self, knowledge: &mut Knowledge, thread: ThreadId, inputs: Inputs, alternative: u32) {
        let key = (inputs, alternative);
        if self.known.contains(&key) {
            return;
        }
        if raddle_trace::fault!(ModelMissesSteps) && self.known.len() % 5 == 4 {
            self.known.insert(key);
            return;
        }
        let draft = self.chain(knowledge, thread, &key.0, alternative);
        let inputs = key.0.clone();
        self.known.insert(key);
        match draft {
            None => {}
            Some(Draft::Whole(chain)) => self.add_transition(knowledge, thread, inputs, alternative, *chain),
            Some(Draft::Wants(object)) => {
                let Some(&(_, state)) = inputs.threads.first() else { return };
                let Some(place) = self.aim(thread, state, object) else { return };
                let beginning = (thread, inputs.clone(), alternative);
                self.beginnings.entry((place, object)).or_default().push(beginning);
                for number in self.numbers_at(place, object) {
                    let mut inputs = inputs.clone();
                    inputs.objects.push((object, number));
                    self.add_step(knowledge, thread, inputs, alternative);
                }
            }
        }
    }

    fn add_transition(
        &mut self,
        knowledge: &Knowledge,
        thread: ThreadId,
        inputs: Inputs,
        alternative: u32,
        chain: Chain,
    ) {
        let forgets = self.detail != Detail::Histories;
        let mut place = |thread: ThreadId, state| {
            let state = if forgets { knowledge.as_place(thread, state) } else { state };
            self.place(Place::Thread(thread, state), false)
        };
        let mut before: Vec<PlaceId> =
            inputs.threads.iter().map(|&(thread, state)| place(thread, state)).collect();
        let mut after: Vec<PlaceId> =
            chain.threads.iter().map(|&(thread, state)| place(thread, state)).collect();
        for touched in &chain.objects {
            let object = touched.object;
            let copies = self.copies[&object].len() as u32;
            if touched.is_changed {
                let to = self.number(object, &touched.after);
                for copy in 0..copies {
                    before.push(self.place(Place::Object(object, copy, touched.before), false));
                    after.push(self.place(Place::Object(object, copy, to), false));
                }
                continue;
            }
            for reader in &touched.readers {
                let own = self.copies[&object].iter().position(|user| user == reader).unwrap_or(0);
                let place = self.place(Place::Object(object, own as u32, touched.before), false);
                before.push(place);
                after.push(place);
            }
        }
        let added = self.unfolder.add_transition(&before, &after);
        debug_assert!(added.is_ok(), "bug in raddle: a step is no transition: {added:?}");
        if added.is_ok() {
            self.steps.push(Step { chain, thread, inputs, alternative, is_superseded: false });
        }
    }

    /// Takes the next event.
    pub(crate) fn take(&mut self) -> Result<Option<EventId>, Stop> {
        self.unfolder.take()
    }
}
