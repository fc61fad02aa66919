//! The model as a Petri net that grows: places for local states and valuations, transitions as they are predicted.
//!
//! Every valuation of a memory cell has one place per thread that uses the cell; a write takes all of them, a read only
//! that of its thread, so reads are independent (place replication, section 4.2). Transitions are added when all their
//! places have been reached by some event: a step predicted from a local state and a valuation that were reached by
//! different events is missed if only the markings of single events are looked at.

use std::collections::{BTreeMap, HashMap, HashSet};

use raddle_nets::{EventId, Limits, Order, PlaceId, Stop, TransitionId, Unfolder};
use raddle_trace::{Kind, ThreadId, ThreadSet};

use super::{Change, Intent, Knowledge, Marking, Move, Next, ObjectName, ThreadState, Valuation, View};

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
struct Inputs {
    threads: Vec<(ThreadId, ThreadState)>,
    objects: Vec<(ObjectName, u32)>,
}

/// The net, and its unfolding so far.
pub(crate) struct GrowingNet {
    pub(crate) unfolder: Unfolder,
    places: HashMap<Place, PlaceId>,
    meanings: Vec<Place>,
    valuations: BTreeMap<ObjectName, Vec<Valuation>>,
    numbers: HashMap<(ObjectName, Valuation), u32>,
    /// The threads that have a copy of each cell.
    copies: BTreeMap<ObjectName, Vec<ThreadId>>,
    steps: Vec<Move>,
    known: HashSet<(Inputs, u32)>,
    /// States and valuations that an event has reached.
    active: HashSet<Place>,
    /// For each object, the active thread states that are about to use it.
    wanting: BTreeMap<ObjectName, Vec<(ThreadId, ThreadState)>>,
    reached: BTreeMap<ObjectName, Vec<u32>>,
    /// For each condition variable or barrier and thread, the active states in which the thread sleeps there.
    sleeping: BTreeMap<(ObjectName, ThreadId), Vec<ThreadState>>,
    ended: BTreeMap<ThreadId, Vec<ThreadState>>,
    joining: BTreeMap<ThreadId, Vec<(ThreadId, ThreadState)>>,
}

/// What has become active.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fresh {
    /// The thread itself.
    Own,
    /// This valuation.
    Valuation(ObjectName, u32),
    /// This state of another thread.
    Other(ThreadId, ThreadState),
}

/// A part of a marking.
struct Part<'a> {
    net: &'a GrowingNet,
    inputs: &'a Inputs,
}

impl View for Part<'_> {
    fn state(&self, thread: ThreadId) -> ThreadState {
        let found = self.inputs.threads.iter().find(|(known, _)| *known == thread);
        found.map_or(ThreadState::Absent, |(_, state)| *state)
    }

    fn valuation(&self, object: ObjectName) -> Option<&Valuation> {
        let found = self.inputs.objects.iter().find(|(known, _)| *known == object);
        found.map(|(_, number)| &self.net.valuations[&object][*number as usize])
    }
}

impl GrowingNet {
    /// The net of everything that is known, before its first step.
    pub(crate) fn new(knowledge: &mut Knowledge, order: Order, limits: Limits) -> GrowingNet {
        let mut net = GrowingNet {
            unfolder: Unfolder::new(order, limits),
            places: HashMap::new(),
            meanings: Vec::new(),
            valuations: BTreeMap::new(),
            numbers: HashMap::new(),
            copies: BTreeMap::new(),
            steps: Vec::new(),
            known: HashSet::new(),
            active: HashSet::new(),
            wanting: BTreeMap::new(),
            reached: BTreeMap::new(),
            sleeping: BTreeMap::new(),
            ended: BTreeMap::new(),
            joining: BTreeMap::new(),
        };
        for object in knowledge.objects().collect::<Vec<ObjectName>>() {
            let users = knowledge.users(object);
            let copies = if knowledge.is_memory(object) {
                users.iter().collect()
            } else {
                vec![users.first().unwrap_or_default()]
            };
            net.copies.insert(object, copies);
            if let Some(first) = knowledge.first_valuation(object) {
                let number = net.number(object, &first);
                for copy in 0..net.copies[&object].len() as u32 {
                    net.place(Place::Object(object, copy, number), true);
                }
                net.activate_valuation(knowledge, object, number);
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

    /// The step that a transition stands for.
    pub(crate) fn step(&self, transition: TransitionId) -> &Move {
        &self.steps[transition.index()]
    }

    /// The valuation of an object with this number.
    pub(super) fn valuation(&self, object: ObjectName, number: u32) -> &Valuation {
        &self.valuations[&object][number as usize]
    }

    /// The thread that reads this copy of an object.
    pub(super) fn reader(&self, object: ObjectName, copy: u32) -> Option<ThreadId> {
        self.copies.get(&object)?.get(copy as usize).copied()
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
            Place::Thread(_, state) => {
                state.local().is_some_and(|local| knowledge.local(local).next != Next::Ended)
            }
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

    fn number(&mut self, object: ObjectName, valuation: &Valuation) -> u32 {
        if let Some(&known) = self.numbers.get(&(object, valuation.clone())) {
            return known;
        }
        let all = self.valuations.entry(object).or_default();
        let number = all.len() as u32;
        all.push(valuation.clone());
        self.numbers.insert((object, valuation.clone()), number);
        number
    }

    /// An event has been taken: what it reached takes part in transitions from now on.
    pub(crate) fn activate(&mut self, knowledge: &mut Knowledge, event: EventId) {
        let conditions: Vec<_> = self.unfolder.postset(event).collect();
        for condition in conditions {
            match self.meaning(self.unfolder.place(condition)) {
                Place::Thread(thread, state) => self.activate_thread(knowledge, thread, state),
                Place::Object(object, _, number) => self.activate_valuation(knowledge, object, number),
            }
        }
    }

    fn activate_thread(&mut self, knowledge: &mut Knowledge, thread: ThreadId, state: ThreadState) {
        if !self.active.insert(Place::Thread(thread, state)) {
            return;
        }
        let Some(local) = state.local() else { return };
        if let Some(intent) = knowledge.intent(state) {
            for object in [intent.object, intent.mutex].into_iter().flatten() {
                self.wanting.entry(object).or_default().push((thread, state));
            }
            if intent.kind == Kind::Join {
                let other = ThreadId::new(intent.operand as usize);
                self.joining.entry(other).or_default().push((thread, state));
            }
            self.add_steps(knowledge, thread, state, Fresh::Own);
        }
        if matches!(state, ThreadState::Asleep(_)) {
            let slept_by =
                knowledge.local(local).parent.and_then(|from| knowledge.intent(ThreadState::At(from)));
            if let Some(object) = slept_by.and_then(|intent| intent.object) {
                self.sleeping.entry((object, thread)).or_default().push(state);
                self.add_steps_on(knowledge, object, Fresh::Other(thread, state));
            }
        }
        if knowledge.local(local).next == Next::Ended {
            self.ended.entry(thread).or_default().push(state);
            for (joiner, waiting) in self.joining.get(&thread).cloned().unwrap_or_default() {
                self.add_steps(knowledge, joiner, waiting, Fresh::Other(thread, state));
            }
        }
    }

    fn activate_valuation(&mut self, knowledge: &mut Knowledge, object: ObjectName, number: u32) {
        if self.active.insert(Place::Object(object, 0, number)) {
            self.reached.entry(object).or_default().push(number);
            self.add_steps_on(knowledge, object, Fresh::Valuation(object, number));
        }
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
        let fired = knowledge.fire(&Part { net: self, inputs: &key.0 }, thread, alternative);
        let inputs = key.0.clone();
        self.known.insert(key);
        let Some(step) = fired else { return };
        let mut before = Vec::new();
        let mut after = Vec::new();
        for &(thread, state) in &inputs.threads {
            before.push(self.place(Place::Thread(thread, state), false));
            if step.joins == Some(thread) {
                after.push(self.place(Place::Thread(thread, state), false));
            }
        }
        for &(thread, state) in &step.states {
            after.push(self.place(Place::Thread(thread, state), false));
        }
        for (object, change) in &step.objects {
            let Some(&(_, number)) = inputs.objects.iter().find(|(known, _)| known == object) else {
                continue;
            };
            let copies = self.copies[object].len() as u32;
            match change {
                Change::Reads => {
                    let own = self.copies[object].iter().position(|user| *user == thread).unwrap_or(0);
                    let place = self.place(Place::Object(*object, own as u32, number), false);
                    before.push(place);
                    after.push(place);
                }
                Change::To(valuation) => {
                    let to = self.number(*object, valuation);
                    for copy in 0..copies {
                        before.push(self.place(Place::Object(*object, copy, number), false));
                        after.push(self.place(Place::Object(*object, copy, to), false));
                    }
                }
            }
        }
        let added = self.unfolder.add_transition(&before, &after);
        debug_assert!(added.is_ok(), "bug in raddle: a step is no transition: {added:?}");
        if added.is_ok() {
            self.steps.push(step);
        }
    }

    /// Takes the next event.
    pub(crate) fn take(&mut self) -> Result<Option<EventId>, Stop> {
        self.unfolder.take()
    }
}
