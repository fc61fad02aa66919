//! The model as data that can be handed to others: files, pictures, another process.
//!
//! Local states and valuations are told by what a reader knows: how many steps a thread has taken and what it has read,
//! what a variable holds and who wrote it. What they are called is left to who shows them.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use raddle_nets::{PlaceId, TransitionId, Unfolded};
use raddle_trace::{Kind, ObjectNote, Outcome, Run, ThreadId, Whereabouts};

use super::net::Place;
use super::valuation::Content;
use super::{
    Change, GrowingNet, Knowledge, LocalState, Marking, Move, ObjectName, ThreadState, Valuation, View,
};

/// How many markings are looked at for each node of a net that is drawn.
const MARKINGS_FOR_EACH_NODE: usize = 100;

/// The model of a program, and its unfolding if the strategy built one.
#[derive(Clone, Debug, Default)]
pub struct ModelNet {
    /// What the program calls its threads, by number.
    pub threads: Vec<Option<String>>,
    /// Where the functions lie that its threads began with, by number.
    pub bodies: Vec<Whereabouts>,
    /// The objects that places and transitions speak of.
    pub objects: Vec<ObjectNote>,
    /// Figure 2: a place for every local state and every valuation.
    pub net: LabelledNet,
    /// The unfolding of the net with places replicated.
    pub unfolding: Option<ModelUnfolding>,
}

/// A net whose places and transitions say what they stand for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelledNet {
    /// Its places.
    pub places: Vec<LabelledPlace>,
    /// Its transitions.
    pub transitions: Vec<LabelledTransition>,
    /// Places and transitions that were left out because there were too many.
    pub left_out: u64,
}

/// A place of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelledPlace {
    /// What it stands for.
    pub stands_for: ModelPlace,
    /// Whether it has a token at the beginning.
    pub is_marked: bool,
}

/// What a place of a model stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModelPlace {
    /// A local state of a thread.
    Thread {
        /// The thread.
        thread: ThreadId,
        /// How many steps it has taken.
        steps: u32,
        /// What it has read so far.
        read: Vec<i64>,
        /// Whether it waits to be woken.
        asleep: bool,
        /// Whether it has come to its end.
        ended: bool,
    },
    /// A valuation of an object.
    Object {
        /// The object.
        object: u32,
        /// The thread that reads this copy, if the place is replicated.
        copy: Option<ThreadId>,
        /// Whether it is a memory cell.
        cell: bool,
        /// The number in the cell, or the level of any other object.
        number: Option<i64>,
        /// Who left it there, and with which of its steps; nobody if it was there at first or does not matter.
        by: Option<Author>,
        /// Who waits there.
        waiting: Vec<ThreadId>,
        /// How many messages are in it.
        messages: u32,
    },
}

/// A step of a thread, counted from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Author {
    /// The thread.
    pub thread: ThreadId,
    /// Which of its steps.
    pub step: u32,
}

/// A transition of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelledTransition {
    /// Who takes the step.
    pub thread: ThreadId,
    /// What it does.
    pub kind: Kind,
    /// How it ends.
    pub outcome: Outcome,
    /// To which object.
    pub object: Option<u32>,
    /// To which thread.
    pub other: Option<ThreadId>,
    /// What it writes, reads or chooses.
    pub value: Option<i64>,
    /// The places that it takes tokens from, by number.
    pub before: Vec<u32>,
    /// The places that it puts tokens on, by number.
    pub after: Vec<u32>,
}

/// An unfolding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelUnfolding {
    /// The net that was unfolded, as far as the prefix shows it.
    pub net: LabelledNet,
    /// The prefix; events that are cut off are the terminals.
    pub prefix: Unfolded,
    /// Conditions and events that were left out because there were too many.
    pub left_out: u64,
}

/// What the program calls things, as the runs told it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Called {
    threads: Vec<Option<String>>,
    bodies: Vec<Whereabouts>,
    objects: Vec<ObjectNote>,
}

impl Knowledge {
    /// Takes over what things are called in the run that was just learned from.
    pub(crate) fn take_names(&mut self, run: &Run) {
        let unnamed = ObjectNote {
            kind: "object",
            name: None,
            place: raddle_trace::Place::Unknown,
            lies: Whereabouts::Unknown,
        };
        for thing in &self.things[self.called.objects.len()..] {
            self.called.objects.push(run.objects.get(thing.number).copied().unwrap_or(unnamed));
        }
        let named = self.called.threads.len();
        self.called.threads.extend(run.thread_names.iter().skip(named).cloned());
        let known = self.called.bodies.len();
        self.called.bodies.extend(run.bodies.iter().skip(known).copied());
    }

    /// A model without its net: only what things are called.
    pub(crate) fn empty_model(&self) -> ModelNet {
        ModelNet {
            threads: self.called.threads.clone(),
            bodies: self.called.bodies.clone(),
            objects: self.called.objects.clone(),
            ..ModelNet::default()
        }
    }

    fn author(&self, state: LocalState) -> Author {
        let mut step = 0;
        let mut at = self.local(state).parent;
        while let Some(state) = at {
            step += 1;
            at = self.local(state).parent;
        }
        Author { thread: self.local(state).thread, step }
    }

    fn thread_place(&self, thread: ThreadId, state: ThreadState) -> ModelPlace {
        let local = state.local();
        let path = local.map(|local| self.path(local)).unwrap_or_default();
        let reads = |kind: u8| {
            [Kind::Load, Kind::ReadModifyWrite, Kind::Choose].iter().any(|known| *known as u8 == kind)
        };
        ModelPlace::Thread {
            thread,
            steps: local.map_or(0, |local| self.author(local).step),
            read: path.iter().filter(|(kind, _, _)| reads(*kind)).map(|(_, _, value)| *value).collect(),
            asleep: matches!(state, ThreadState::Asleep(_)),
            ended: self.has_ended(state) || self.exits(state),
        }
    }

    fn object_place(&self, object: ObjectName, copy: Option<ThreadId>, valuation: &Valuation) -> ModelPlace {
        let cell = self.is_memory(object);
        ModelPlace::Object {
            object: object.0,
            copy,
            cell,
            number: if cell { self.value(object, valuation.content) } else { Some(valuation.level) },
            by: match valuation.content {
                Content::By(state) => Some(self.author(state)),
                Content::First | Content::Value(_) => None,
            },
            waiting: valuation.waiting.iter().collect(),
            messages: valuation.messages.len() as u32,
        }
    }

    fn transition(&self, step: &Move, before: Vec<u32>, after: Vec<u32>) -> LabelledTransition {
        let target = self.local(step.target());
        let seen = match step.kind {
            Kind::Load => target.step.map(|(_, _, value)| value),
            Kind::Choose => Some(i64::from(step.alternative)),
            _ => None,
        };
        let other = match step.kind {
            Kind::Join => step.joins,
            Kind::Create | Kind::NotifyOne => step.states.get(1).map(|(thread, _)| *thread),
            _ => None,
        };
        LabelledTransition {
            thread: step.thread,
            kind: step.kind,
            outcome: step.outcome,
            object: step.objects.first().map(|(object, _)| object.0),
            other,
            value: target.wrote.or(seen),
            before,
            after,
        }
    }
}

/// A net that is being put together, with its places by what they stand for.
#[derive(Default)]
struct Drawing {
    net: LabelledNet,
    threads: BTreeMap<(ThreadId, ThreadState), u32>,
    objects: HashMap<(ObjectName, Valuation), u32>,
    known: HashSet<(StepKey, Vec<u32>)>,
}

/// What tells two steps with the same inputs apart.
type StepKey = (ThreadId, u32);

impl Drawing {
    fn size(&self) -> usize {
        self.net.places.len() + self.net.transitions.len()
    }

    fn add(&mut self, stands_for: ModelPlace, is_marked: bool) -> u32 {
        self.net.places.push(LabelledPlace { stands_for, is_marked });
        self.net.places.len() as u32 - 1
    }

    fn thread(
        &mut self,
        knowledge: &Knowledge,
        thread: ThreadId,
        state: ThreadState,
        is_marked: bool,
    ) -> u32 {
        let state = knowledge.as_place(thread, state);
        if let Some(&known) = self.threads.get(&(thread, state)) {
            return known;
        }
        let number = self.add(knowledge.thread_place(thread, state), is_marked);
        self.threads.insert((thread, state), number);
        number
    }

    fn object(&mut self, knowledge: &Knowledge, object: ObjectName, valuation: &Valuation) -> u32 {
        let key = (object, valuation.clone());
        if let Some(&known) = self.objects.get(&key) {
            return known;
        }
        let is_first = knowledge.first_valuation(object).as_ref() == Some(valuation);
        let number = self.add(knowledge.object_place(object, None, valuation), is_first);
        self.objects.insert(key, number);
        number
    }

    /// The transition of a step that is taken in a marking.
    fn step(&mut self, knowledge: &Knowledge, marking: &Marking, step: &Move) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for &(thread, state) in &step.states {
            let old = marking.state(thread);
            if old != ThreadState::Absent {
                before.push(self.thread(knowledge, thread, old, false));
            }
            after.push(self.thread(knowledge, thread, state, false));
        }
        if let Some(joined) = step.joins {
            let place = self.thread(knowledge, joined, marking.state(joined), false);
            before.push(place);
            after.push(place);
        }
        for (object, change) in &step.objects {
            let first = knowledge.first_valuation(*object);
            let Some(old) = marking.valuation(*object).or(first.as_ref()) else { continue };
            let place = self.object(knowledge, *object, old);
            before.push(place);
            after.push(match change {
                Change::Reads => place,
                Change::To(valuation) => self.object(knowledge, *object, valuation),
            });
        }
        self.transition(knowledge, step, before, after);
    }

    fn transition(&mut self, knowledge: &Knowledge, step: &Move, mut before: Vec<u32>, mut after: Vec<u32>) {
        for places in [&mut before, &mut after] {
            places.sort_unstable();
            places.dedup();
        }
        if self.known.insert(((step.thread, step.alternative), before.clone())) {
            self.net.transitions.push(knowledge.transition(step, before, after));
        }
    }
}

/// The net of the markings that can be reached by `steps`, level by level, until it has this many nodes. `all` is how many
/// it would have.
pub(crate) fn net_of_markings(
    knowledge: &mut Knowledge,
    most: usize,
    all: usize,
    steps: impl Fn(&mut Knowledge, &Marking) -> Vec<Move>,
) -> ModelNet {
    let mut drawing = Drawing::default();
    let first = Marking::first(knowledge);
    for (thread, state) in first.threads() {
        drawing.thread(knowledge, thread, state, true);
    }
    for object in knowledge.objects().collect::<Vec<ObjectName>>() {
        if let Some(first) = knowledge.first_valuation(object) {
            drawing.object(knowledge, object, &first);
        }
    }
    let mut seen = HashSet::from([first.clone()]);
    let mut open = VecDeque::from([first]);
    // Few places make up very many markings: whoever asks for a picture does not wait until all of them were looked at.
    while let Some(marking) = open.pop_front()
        && drawing.size() < most.min(all)
        && seen.len() <= most.saturating_mul(MARKINGS_FOR_EACH_NODE)
    {
        for step in steps(knowledge, &marking) {
            if drawing.size() >= most {
                break;
            }
            drawing.step(knowledge, &marking, &step);
            let mut after = marking.clone();
            after.apply(&step);
            if seen.insert(after.clone()) {
                open.push_back(after);
            }
        }
    }
    drawing.net.left_out = (all as u64).saturating_sub(drawing.size() as u64);
    ModelNet { net: drawing.net, ..knowledge.empty_model() }
}

impl GrowingNet {
    /// The model and the unfolding, each up to this many nodes. `all` is how many the model would have.
    pub(crate) fn export(&self, knowledge: &Knowledge, most: usize, all: usize) -> ModelNet {
        let mut drawing = Drawing::default();
        let meaning = |place: PlaceId| self.meaning(place);
        for condition in self.unfolder.initial() {
            self.draw(&mut drawing, knowledge, meaning(self.unfolder.place(condition)), true);
        }
        for event in self.unfolder.events() {
            if drawing.size() >= most {
                break;
            }
            let transition = self.unfolder.transition(event);
            let mut side = |places: &mut dyn Iterator<Item = PlaceId>| -> Vec<u32> {
                places.map(|place| self.draw(&mut drawing, knowledge, meaning(place), false)).collect()
            };
            let before = side(&mut self.unfolder.places_before(transition));
            let after = side(&mut self.unfolder.places_after(transition));
            drawing.transition(knowledge, self.step(transition), before, after);
        }
        drawing.net.left_out = (all as u64).saturating_sub(drawing.size() as u64);
        let unfolding = Some(self.export_unfolding(knowledge, most));
        ModelNet { net: drawing.net, unfolding, ..knowledge.empty_model() }
    }

    /// The place of the model that a place of the net stands for; copies are one.
    fn draw(&self, drawing: &mut Drawing, knowledge: &Knowledge, place: Place, is_marked: bool) -> u32 {
        match place {
            Place::Thread(thread, state) => drawing.thread(knowledge, thread, state, is_marked),
            Place::Object(object, _, number) => {
                drawing.object(knowledge, object, self.valuation(object, number))
            }
        }
    }

    fn export_unfolding(&self, knowledge: &Knowledge, most: usize) -> ModelUnfolding {
        let mut nodes = self.unfolder.initial().len();
        let events = self.unfolder.events().take_while(|&event| {
            nodes += 1 + self.unfolder.postset(event).len();
            nodes <= most
        });
        let mut prefix = self.unfolder.first_events(events.count());
        let mut net = LabelledNet::default();
        let mut places: BTreeMap<PlaceId, u32> = BTreeMap::new();
        for condition in &mut prefix.conditions {
            let is_marked = condition.producer.is_none();
            let number = *places.entry(condition.place).or_insert_with(|| {
                let stands_for = match self.meaning(condition.place) {
                    Place::Thread(thread, state) => knowledge.thread_place(thread, state),
                    Place::Object(object, copy, number) => {
                        let reader = self.reader(object, copy).filter(|_| knowledge.is_memory(object));
                        knowledge.object_place(object, reader, self.valuation(object, number))
                    }
                };
                net.places.push(LabelledPlace { stands_for, is_marked });
                net.places.len() as u32 - 1
            });
            condition.place = PlaceId(number);
        }
        let mut transitions: BTreeMap<TransitionId, u32> = BTreeMap::new();
        for event in &mut prefix.events {
            let number = *transitions.entry(event.transition).or_insert_with(|| {
                let known = |place: PlaceId| places.get(&place).copied();
                let before = self.unfolder.places_before(event.transition).filter_map(known).collect();
                let after = self.unfolder.places_after(event.transition).filter_map(known).collect();
                net.transitions.push(knowledge.transition(self.step(event.transition), before, after));
                net.transitions.len() as u32 - 1
            });
            event.transition = TransitionId(number);
        }
        let all = self.unfolder.event_count() + self.unfolder.condition_count();
        let left_out = (all - prefix.events.len() - prefix.conditions.len()) as u64;
        ModelUnfolding { net, prefix, left_out }
    }
}
