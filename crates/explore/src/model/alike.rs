//! Which objects of different runs are the same.
//!
//! In C programs that are run within one process objects keep their numbers from run to run. In others they are numbered
//! as a run meets them, so numbers of two runs cannot be compared. But which object a thread uses
//! in a local state is a function of that state: the object is known by the local states that use it. Two names whose
//! local states meet in one run are found to be the same, or to be different. Where that never happened nothing may be
//! claimed ([`Beyond::Objects`]).

use std::collections::BTreeSet;

use super::knowledge::Thing;
use super::{Beyond, Intent, Knowledge, ObjectName, ThreadState};
use raddle_trace::{ObjectId, ThreadId, ThreadSet};

/// Objects beyond which comparing all pairs is no longer reasonable.
const MAX_OBJECTS: usize = 2048;

/// What the places of an object in the net depend on: its name, who uses it, who reads it, its first level, and whether
/// others notice nothing of its use.
pub(super) type Layout = (ObjectName, ThreadSet, ThreadSet, Option<i64>, bool);

/// The objects of one run, by their number in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Met {
    names: Vec<Option<ObjectName>>,
    /// How many objects were known before the run.
    known: usize,
}

/// A name turned out to stand for the same as another.
pub(super) struct Renamed {
    pub(super) from: ObjectName,
    pub(super) to: ObjectName,
}

impl Met {
    pub(super) fn new(knowledge: &Knowledge) -> Met {
        let mut met = Met { names: Vec::new(), known: knowledge.things.len() };
        for name in knowledge.objects().filter(|_| knowledge.stable) {
            let number = knowledge.number(name);
            met.names.resize(met.names.len().max(number + 1), None);
            met.names[number] = Some(name);
        }
        met
    }
}

impl Knowledge {
    /// The name of a run's object that a local state uses, which may have a name for it already.
    pub(super) fn meet(
        &mut self,
        met: &mut Met,
        object: ObjectId,
        known: Option<ObjectName>,
        user: ThreadId,
    ) -> (ObjectName, Option<Renamed>) {
        if met.names.len() <= object.index() {
            met.names.resize(object.index() + 1, None);
        }
        let mapped = met.names[object.index()].map(|name| self.find(name));
        let known = known.map(|name| self.find(name));
        let (name, renamed) = match (known, mapped) {
            (Some(known), Some(mapped)) if known == mapped => (known, None),
            (Some(known), Some(mapped)) => {
                // The older name stays, because more may depend on it.
                let (to, from) = if known < mapped { (known, mapped) } else { (mapped, known) };
                self.merge(met, from, to);
                (to, Some(Renamed { from, to }))
            }
            (Some(known), None) => (known, None),
            (None, Some(mapped)) => (mapped, None),
            (None, None) => (self.new_object(object), None),
        };
        let stranger = met.names.iter().enumerate();
        let mut stranger = stranger.filter(|(index, _)| *index != object.index());
        if mapped.is_none() && stranger.any(|(_, other)| other.is_some_and(|other| self.find(other) == name))
        {
            self.give_up(Beyond::Objects);
        }
        met.names[object.index()] = Some(name);
        self.use_object(name, user);
        (name, renamed)
    }

    fn new_object(&mut self, number: ObjectId) -> ObjectName {
        if self.things.len() >= MAX_OBJECTS {
            self.give_up(Beyond::Size);
        }
        let thing = Thing { users: ThreadSet::EMPTY, number: number.index(), ..Thing::default() };
        self.things.push(thing);
        ObjectName(self.things.len() as u32 - 1)
    }

    fn use_object(&mut self, object: ObjectName, user: ThreadId) {
        self.things[object.index()].users.insert(user);
    }

    fn merge(&mut self, met: &Met, from: ObjectName, to: ObjectName) {
        if self.are_apart(from, to) {
            self.give_up(Beyond::Objects);
        }
        if from.index() < met.known {
            self.renamed += 1;
        }
        let gone = self.things[from.index()].clone();
        self.things[from.index()].is = Some(to);
        let stays = &mut self.things[to.index()];
        stays.users = stays.users.union(gone.users);
        stays.memory = stays.memory.or(gone.memory);
        stays.guards.meet_all(&gone.guards);
        stays.guards_ever.meet_all(&gone.guards_ever);
        stays.tried |= gone.tried;
        stays.changed |= gone.changed;
        stays.plain |= gone.plain;
        stays.readers = stays.readers.union(gone.readers);
        let differs = stays.first.is_some() && gone.first.is_some() && stays.first != gone.first;
        stays.first = stays.first.or(gone.first);
        if differs {
            self.give_up(Beyond::Objects);
        }
    }

    fn are_apart(&self, a: ObjectName, b: ObjectName) -> bool {
        let pairs = self.apart.iter().map(|(a, b)| (self.find(*a), self.find(*b)));
        let mut pairs = pairs.filter(|(x, y)| (*x == a && *y == b) || (*x == b && *y == a));
        pairs.next().is_some()
    }

    /// All objects that a run has met are different ones.
    pub(super) fn tell_apart(&mut self, met: &Met) {
        let names: Vec<ObjectName> = met.names.iter().flatten().map(|name| self.find(*name)).collect();
        for (index, &a) in names.iter().enumerate() {
            for &b in &names[index + 1..] {
                if a == b {
                    self.give_up(Beyond::Objects);
                }
                self.apart.insert((a.min(b), a.max(b)));
            }
        }
    }

    fn find_unknown_pairs(&self) -> Vec<(ObjectName, ObjectName)> {
        let names: Vec<ObjectName> = self.objects().collect();
        let found = |name: &ObjectName| self.find(*name);
        let apart: BTreeSet<(ObjectName, ObjectName)> =
            self.apart.iter().map(|(a, b)| (found(a).min(found(b)), found(a).max(found(b)))).collect();
        let mut unknown = Vec::new();
        for (index, &a) in names.iter().enumerate() {
            unknown.extend(names[index + 1..].iter().map(|&b| (a, b)).filter(|pair| !apart.contains(pair)));
        }
        unknown
    }

    /// The pairs of objects of which it is not known whether they are the same: a step of one thread could concern another
    /// in a way that the model does not show. Where no run can meet both, it does not matter.
    pub(crate) fn unknown_pairs(&self) -> &[(ObjectName, ObjectName)] {
        &self.unknown
    }

    /// The pair of those that is among these objects.
    pub(crate) fn unknown_pair(&self, used: &BTreeSet<ObjectName>) -> Option<(ObjectName, ObjectName)> {
        self.unknown.iter().copied().find(|(a, b)| used.contains(a) && used.contains(b))
    }

    /// Takes note of what a run has changed about the objects.
    pub(super) fn settle_objects(&mut self) {
        self.unknown = self.find_unknown_pairs();
        let layout = self.objects().map(|object| {
            let thing = &self.things[object.index()];
            (object, thing.users.union(thing.readers), thing.readers, thing.first, self.is_calm(object))
        });
        let layout: (Vec<Layout>, ThreadSet) = (layout.collect(), self.heirs);
        if layout != self.layout {
            self.layout = layout;
            self.version += 1;
        }
    }

    /// The objects that a thread has used, or is about to use, when it is in this state.
    pub(crate) fn objects_used(&self, state: ThreadState) -> BTreeSet<ObjectName> {
        let mut used = BTreeSet::new();
        let mut add = |intent: Option<Intent>| {
            let intent = intent.into_iter();
            used.extend(intent.flat_map(|intent| [intent.object, intent.mutex]).flatten());
        };
        add(self.intent(state));
        let mut at = state.local().and_then(|local| self.local(local).parent);
        while let Some(local) = at {
            add(self.intent(ThreadState::At(local)));
            at = self.local(local).parent;
        }
        used
    }
}
