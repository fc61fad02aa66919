//! Names of objects: what the program calls it, or what it is and a number among its kind in the order of first use.

use raddle_trace::{Accesses, ObjectId, Run, ThreadId};

use crate::Style;
use crate::sanitise::sanitise;
use crate::text::clip;

/// The longest name of an object that is shown whole.
const LONGEST_NAME: usize = 32;
/// What an object without a note is called.
const UNKNOWN_KIND: &str = "object";

/// The numbers of all objects of a run.
pub(crate) struct Objects {
    labels: Vec<Option<String>>,
    in_order: Vec<ObjectId>,
}

impl Objects {
    pub(crate) fn of(run: &Run, style: &Style) -> Objects {
        let objects = Objects { labels: vec![None; run.objects.len()], in_order: Vec::new() };
        objects.named(run, Vec::new(), style)
    }

    /// The same for a run that is shown beside another: which objects of both are the same is given, and no others are called
    /// the same.
    pub(crate) fn beside(
        known: &Objects,
        run: &Run,
        same: &[(ObjectId, ObjectId)],
        style: &Style,
    ) -> Objects {
        let mut objects = Objects { labels: vec![None; run.objects.len()], in_order: Vec::new() };
        for (there, here) in same.iter().filter(|(_, here)| here.index() < run.objects.len()) {
            objects.labels[here.index()] = Some(known.label(*there).to_owned());
            objects.in_order.push(*here);
        }
        let mut numbers: Vec<(&str, usize)> = Vec::new();
        for kind in run.objects.iter().map(|note| note.kind) {
            let has_number = |label: &&String| {
                label.strip_prefix(kind).is_some_and(|rest| rest.trim_start().parse::<usize>().is_ok())
            };
            if numbers.iter().all(|(known, _)| *known != kind) {
                numbers.push((kind, known.labels.iter().flatten().filter(has_number).count()));
            }
        }
        objects.named(run, numbers, style)
    }

    /// Gives a name to all that have none yet; the numbers that are given are taken.
    fn named<'a>(self, run: &'a Run, mut numbers: Vec<(&'a str, usize)>, style: &Style) -> Objects {
        let mut objects = self;
        let done = run.events.iter().flat_map(|event| touched(&event.accesses(), event.operation.object));
        let wanted = run
            .blocked
            .iter()
            .flat_map(|blocked| touched(&blocked.pending.accesses, blocked.pending.operation.object));
        let rest = (0..run.objects.len()).map(ObjectId::new);
        for object in done.chain(wanted).chain(rest) {
            if object == ObjectId::NONE || objects.labels.get(object.index()).is_some_and(Option::is_some) {
                continue;
            }
            let note = run.objects.get(object.index());
            let kind = note.map_or(UNKNOWN_KIND, |note| note.kind);
            let name = note.and_then(|note| note.name).map(|name| sanitise(name, style));
            let label = name.map(|name| clip(&name, LONGEST_NAME, style.symbols().cut));
            let mut number = || match numbers.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, number)) => {
                    *number += 1;
                    *number
                }
                None => {
                    numbers.push((kind, 1));
                    1
                }
            };
            if objects.labels.len() <= object.index() {
                objects.labels.resize(object.index() + 1, None);
            }
            objects.labels[object.index()] = Some(label.unwrap_or_else(|| format!("{kind} {}", number())));
            objects.in_order.push(object);
        }
        objects
    }

    /// The name of an object.
    pub(crate) fn label(&self, object: ObjectId) -> &str {
        self.labels.get(object.index()).and_then(Option::as_deref).unwrap_or(UNKNOWN_KIND)
    }

    /// All objects in the order of first use.
    pub(crate) fn in_order(&self) -> &[ObjectId] {
        &self.in_order
    }
}

fn touched(accesses: &Accesses, object: ObjectId) -> [ObjectId; 2] {
    [object, accesses.second.object]
}

/// The name of an object in every report about this run: what it is, and a number among its kind in order of first use.
#[must_use]
pub fn object_label(object: ObjectId, run: &Run) -> String {
    Objects::of(run, &Style::default()).label(object).to_owned()
}

/// For each object, whether more than one thread touched it or wanted to.
pub(crate) fn shared_objects(run: &Run) -> Vec<bool> {
    let mut first: Vec<Option<ThreadId>> = Vec::new();
    let mut shared = Vec::new();
    let done = run.events.iter().map(|event| (event.thread, event.operation.object));
    let given = run.events.iter().filter_map(|event| Some((event.thread, event.operation.mutex()?)));
    let wanted = run.blocked.iter().map(|blocked| (blocked.thread, blocked.pending.operation.object));
    for (thread, object) in done.chain(given).chain(wanted).filter(|(_, object)| *object != ObjectId::NONE) {
        if first.len() <= object.index() {
            first.resize(object.index() + 1, None);
            shared.resize(object.index() + 1, false);
        }
        shared[object.index()] |= *first[object.index()].get_or_insert(thread) != thread;
    }
    shared
}
