//! Markings: where every thread is, and the valuation of every object.

use std::collections::BTreeMap;

use raddle_trace::ThreadId;

use super::{Change, Knowledge, Move, ObjectName, ThreadState, Valuation, View};

/// A marking of the model. Threads that were not created and objects that nobody has touched are left out, so that
/// markings stay comparable while the model grows.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Marking {
    threads: Vec<ThreadState>,
    objects: BTreeMap<ObjectName, Valuation>,
}

impl Marking {
    /// The marking before the first step.
    pub(crate) fn first(knowledge: &Knowledge) -> Marking {
        Marking { threads: vec![ThreadState::At(knowledge.main())], objects: BTreeMap::new() }
    }

    /// The threads that exist.
    pub(crate) fn threads(&self) -> impl Iterator<Item = (ThreadId, ThreadState)> {
        let there = self.threads.iter().enumerate().filter(|(_, state)| **state != ThreadState::Absent);
        there.map(|(index, &state)| (ThreadId::new(index), state))
    }

    /// The objects that have been touched.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (ObjectName, &Valuation)> {
        self.objects.iter().map(|(name, valuation)| (*name, valuation))
    }

    /// The marking after `step`.
    pub(crate) fn apply(&mut self, step: &Move) {
        for &(thread, state) in &step.states {
            self.set(thread, state);
        }
        for (object, change) in &step.objects {
            if let Change::To(valuation) = change {
                self.objects.insert(*object, valuation.clone());
            }
        }
    }

    pub(crate) fn set(&mut self, thread: ThreadId, state: ThreadState) {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, ThreadState::Absent);
        }
        self.threads[thread.index()] = state;
    }

    pub(crate) fn set_object(&mut self, object: ObjectName, valuation: Valuation) {
        self.objects.insert(object, valuation);
    }

    /// Only where the threads are, for a deliberate fault.
    pub(crate) fn without_objects(self) -> Marking {
        Marking { objects: BTreeMap::new(), ..self }
    }

    /// What is left of it when threads that have ended forget what they saw.
    pub(crate) fn as_places(&self, knowledge: &Knowledge) -> Marking {
        let mut places = self.clone();
        self.threads().for_each(|(thread, state)| places.set(thread, knowledge.as_place(thread, state)));
        places
    }

    /// The object has another name from now on.
    pub(crate) fn rename(&mut self, from: ObjectName, to: ObjectName) {
        if let Some(valuation) = self.objects.remove(&from) {
            self.objects.insert(to, valuation);
        }
    }
}

impl View for Marking {
    fn state(&self, thread: ThreadId) -> ThreadState {
        self.threads.get(thread.index()).copied().unwrap_or(ThreadState::Absent)
    }

    fn valuation(&self, object: ObjectName) -> Option<&Valuation> {
        self.objects.get(&object)
    }
}
