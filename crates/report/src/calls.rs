//! Which calls the steps of a run lie in, so that a reader can fold them.
//!
//! A call is known by where it was made, what it called, and the call that led there. Two calls from one place are one to
//! the reader if nobody else goes in between: what is told is the way to a step, not how often it was taken.
//!
//! A place in Rust tells no function and no calls. There the source is read: a step in another function than the one that
//! created its thread lies in a call of it, from a place that is not known.

use std::collections::BTreeMap;

use raddle_trace::{Event, Kind, Place, ThreadId};

use crate::functions::Functions;
use crate::text::{clip, width};
use crate::words::Words;

/// The longest name of a function that is shown whole.
const LONGEST_NAME: usize = 40;

/// What stands around the name in the row of a call: a mark and the number of steps.
const AROUND_THE_NAME: usize = "▸ : 99 steps".len();

/// A function that was entered.
struct Function {
    name: String,
    /// Where it was called.
    called: String,
    /// The one that called it, by number; none in the function that a thread began with.
    by: Option<usize>,
}

/// The functions that were entered on the way to the steps of a run.
pub(crate) struct Entered {
    functions: Vec<Function>,
    /// For each step the innermost one; none in the function that a thread began with, or if it is not known.
    of_steps: Vec<Option<usize>>,
}

impl Entered {
    pub(crate) fn of(words: &Words<'_>, source: &dyn Fn(&str) -> Option<String>) -> Entered {
        if words.run.calls.made.is_empty() {
            return Entered::in_rust(words, source);
        }
        let mut entered = Entered { functions: Vec::new(), of_steps: Vec::new() };
        let mut known = BTreeMap::new();
        for (number, event) in words.run.events.iter().enumerate() {
            let way = way(words, number);
            // What a call leads to is the function in which the next one is made, and in the end the step.
            let inside = way.iter().skip(1).copied().chain([event.place]);
            let innermost = way.iter().zip(inside).try_fold(None, |by, (call, inside)| {
                Some(Some(entered.enter(words, by, *call, inside.function()?, &mut known)))
            });
            entered.of_steps.push(innermost.flatten());
        }
        entered
    }

    /// The same for a run of Rust.
    fn in_rust(words: &Words<'_>, source: &dyn Fn(&str) -> Option<String>) -> Entered {
        let mut entered = Entered { functions: Vec::new(), of_steps: Vec::new() };
        let mut known = BTreeMap::new();
        let mut files: BTreeMap<&str, Option<Functions>> = BTreeMap::new();
        let mut around = |place: Place| {
            let Place::Rust(location) = place else { return None };
            let read = || source(location.file()).map(|text| Functions::of(&text));
            let functions = files.entry(location.file()).or_insert_with(read).as_ref()?;
            functions.around(location.line()).map(|name| (location.file(), name.to_owned()))
        };
        let events = &words.run.events;
        let creates = |event: &&Event| event.operation.kind == Kind::Create;
        // The main thread began where it creates others.
        let first = events.iter().find(|event| creates(event) && event.thread == ThreadId::MAIN);
        let mut began = BTreeMap::from([(ThreadId::MAIN, first.and_then(|event| around(event.place)))]);
        for event in events.iter().filter(creates) {
            began.insert(ThreadId::new(event.operation.operand as usize), around(event.place));
        }
        for event in events {
            let own = around(event.place);
            let is_call = own.is_some()
                && began.get(&event.thread).is_some_and(|began| began.is_some() && *began != own);
            let function = own.filter(|_| is_call).map(|(_, name)| name);
            let number = function.map(|name| entered.enter(words, None, Place::Unknown, &name, &mut known));
            entered.of_steps.push(number);
        }
        entered
    }

    fn enter(
        &mut self,
        words: &Words<'_>,
        by: Option<usize>,
        call: Place,
        function: &str,
        known: &mut BTreeMap<(Option<usize>, String, String), usize>,
    ) -> usize {
        let name = clip(&words.clean(function), LONGEST_NAME, words.symbols.cut);
        let called = words.files.place(call);
        let next = self.functions.len();
        let number = *known.entry((by, called.clone(), name.clone())).or_insert(next);
        if number == next {
            self.functions.push(Function { name, called, by });
        }
        number
    }

    /// Whether no step lies in a call.
    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The number of the function that a step lies in.
    pub(crate) fn of_step(&self, step: usize) -> Option<usize> {
        self.of_steps.get(step).copied().flatten()
    }

    /// The calls that a step lies in, the innermost first, each in a few words.
    pub(crate) fn stack(&self, step: usize) -> Vec<String> {
        let functions = std::iter::successors(self.of_step(step), |inner| self.functions[*inner].by);
        let told = functions.map(|number| match &self.functions[number] {
            Function { name, called, .. } if called.is_empty() => format!("in {name}"),
            Function { name, called, .. } => format!("in {name}, called at {called}"),
        });
        told.collect()
    }

    /// How wide the row is that stands for the call in which a step lies.
    pub(crate) fn width(&self, step: usize) -> Option<usize> {
        Some(width(&self.functions[self.of_step(step)?].name) + AROUND_THE_NAME)
    }

    /// As a script reads it: of each function its name, where it was called, and the number of the one that called it.
    pub(crate) fn told(&self) -> Option<String> {
        let told: Vec<_> =
            self.functions.iter().map(|function| (&function.name, &function.called, function.by)).collect();
        (!told.is_empty()).then(|| serde_json::json!(told).to_string())
    }
}

/// The calls that led to an event, the outermost first; none if they are not known.
fn way(words: &Words<'_>, event: usize) -> Vec<Place> {
    let run = words.run;
    run.calls
        .of(event)
        .or_else(|| beside(&run.events, event, &|other| run.calls.of(other)))
        .unwrap_or_default()
}

/// The calls that led to an access which is no step of the search, and of which they are therefore not told: those of the
/// step of its thread before or after it, as far as they lead into the same function.
fn beside(events: &[Event], event: usize, told: &dyn Fn(usize) -> Option<Vec<Place>>) -> Option<Vec<Place>> {
    let function = |place: Place| place.function().zip(place.file());
    let own = function(events[event].place)?;
    let is_own = |other: &usize| events[*other].thread == events[event].thread && told(*other).is_some();
    let before = (0..event).rev().find(is_own);
    let after = (event + 1..events.len()).find(is_own);
    before.into_iter().chain(after).find_map(|other| {
        let way = told(other)?;
        // Its own place is the last call but for what it calls itself.
        let inside =
            way.iter().copied().chain([events[other].place]).position(|at| function(at) == Some(own))?;
        Some(way[..inside].to_vec())
    })
}
