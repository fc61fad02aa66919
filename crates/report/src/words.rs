//! What everything in one report is called.

use raddle_trace::schedule::ThreadName;
use raddle_trace::{Kind, ObjectId, Place, Run, ThreadId};

use crate::Style;
use crate::files::Files;
use crate::objects::Objects;
use crate::sanitise::sanitise;
use crate::style::Symbols;
use crate::text::clip;
use crate::values::Values;

/// The longest name of a thread that is shown whole.
const LONGEST_NAME: usize = 24;

/// The name of a thread in every report about this run: its number, and the name that the program gave it.
#[must_use]
pub fn thread_label(thread: ThreadId, run: &Run, names: &[ThreadName]) -> String {
    label(thread, run, names, &Style::default())
}

fn label(thread: ThreadId, run: &Run, names: &[ThreadName], style: &Style) -> String {
    let given =
        run.thread_names.get(thread.index()).and_then(Option::as_deref).filter(|name| !name.is_empty());
    let is_main = names.get(thread.index()).map_or(thread == ThreadId::MAIN, |name| name.0.is_empty());
    match given.or(is_main.then_some("main")) {
        Some(name) => {
            format!("{thread} {}", clip(&sanitise(name, style), LONGEST_NAME, style.symbols().cut))
        }
        None => thread.to_string(),
    }
}

/// The names of one report.
pub(crate) struct Words<'a> {
    pub run: &'a Run,
    pub style: &'a Style,
    pub symbols: &'static Symbols,
    pub objects: Objects,
    pub files: Files,
    pub values: Values,
    names: &'a [ThreadName],
    woken: Vec<Option<ThreadId>>,
}

impl<'a> Words<'a> {
    pub(crate) fn new(
        run: &'a Run,
        names: &'a [ThreadName],
        places: &[Place],
        style: &'a Style,
    ) -> Words<'a> {
        Words {
            run,
            style,
            symbols: style.symbols(),
            objects: Objects::of(run, style),
            files: Files::of(run, places, style),
            values: Values::of(run),
            names,
            woken: woken(run),
        }
    }

    /// The names of a run that stands beside another: what is the same is called the same.
    pub(crate) fn beside(
        known: &Words<'_>,
        run: &'a Run,
        names: &'a [ThreadName],
        places: &[Place],
        same: &[(ObjectId, ObjectId)],
        style: &'a Style,
    ) -> Words<'a> {
        Words {
            objects: Objects::beside(&known.objects, run, same, style),
            values: Values::beside(&known.values, run),
            ..Words::new(run, names, places, style)
        }
    }

    /// A thread with its name.
    pub(crate) fn thread(&self, thread: ThreadId) -> String {
        label(thread, self.run, self.names, self.style)
    }

    /// Text of the program, made harmless.
    pub(crate) fn clean(&self, text: &str) -> String {
        sanitise(text, self.style)
    }

    pub(crate) fn object(&self, object: ObjectId) -> &str {
        self.objects.label(object)
    }

    /// What an object holds, in a few letters.
    pub(crate) fn value(&self, object: ObjectId, value: i64) -> String {
        use raddle_trace::level::count;
        let note = self.run.objects.get(object.index()).filter(|_| object != ObjectId::NONE);
        if note.is_none_or(|note| note.kind != count::WORD) {
            return self.values.show(value);
        }
        match count::weak(value) {
            0 => count::strong(value).to_string(),
            weak => format!("{} and {weak} weak", count::strong(value)),
        }
    }

    /// The thread that a notification of one woke.
    pub(crate) fn woken(&self, event: usize) -> Option<ThreadId> {
        self.woken.get(event).copied().flatten()
    }

    /// The parts, with a dot between them.
    pub(crate) fn dotted(&self, parts: &[String]) -> String {
        parts.join(&format!(" {} ", self.symbols.dot))
    }
}

/// For each notification of one the thread that it woke: which of those that waited it was, the event says.
fn woken(run: &Run) -> Vec<Option<ThreadId>> {
    let mut waiting: Vec<(ObjectId, ThreadId)> = Vec::new();
    let mut woken = vec![None; run.events.len()];
    for (index, event) in run.events.iter().enumerate() {
        let condvar = event.operation.object;
        match event.operation.kind {
            kind if kind.is_wait() => {
                waiting.push((condvar, event.thread));
                waiting.sort_unstable();
            }
            Kind::Timeout | Kind::SpuriousWake => waiting.retain(|waiter| *waiter != (condvar, event.thread)),
            Kind::NotifyAll => waiting.retain(|(at, _)| *at != condvar),
            Kind::NotifyOne => {
                let at_this = waiting.iter().enumerate().filter(|(_, (at, _))| *at == condvar);
                if let Some((place, (_, thread))) =
                    at_this.map(|(i, w)| (i, *w)).nth(event.alternative as usize)
                {
                    woken[index] = Some(thread);
                    waiting.remove(place);
                }
            }
            _ => {}
        }
    }
    woken
}
