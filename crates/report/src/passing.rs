//! A run that passes, beside the one that shows a finding: what they share, where they part, and how each goes on.

use raddle_detect::{Detail, Finding};
use raddle_trace::{Event, Kind, ObjectId, Place, Run, ThreadId};

use crate::cells::cell;
use crate::text::count;
use crate::words::Words;
use crate::{Passing, PassingRun, Style};

/// Steps after the parting that are put beside each other; more say nothing about why.
const WINDOW: usize = 300;

/// Two runs side by side.
pub(crate) struct Beside<'a> {
    /// What everything in the run that passes is called.
    pub words: Words<'a>,
    /// The steps that stand beside each other, from the parting on.
    pub rows: Vec<Row>,
    /// The first event of the run that shows the finding which is not in the other.
    pub parts: usize,
    /// The same, counted in the run that passes.
    pub goes_on: usize,
    /// How many events of each come after the last row.
    pub left_out: (usize, usize),
}

/// Steps that stand beside each other: by number of event, first in the run that shows the finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row {
    Both(usize, usize),
    Here(usize),
    There(usize),
}

impl<'a> Beside<'a> {
    /// Puts the run that passes beside the one that the words are about.
    pub(crate) fn new(
        words: &Words<'a>,
        finding: &Finding,
        passing: &'a PassingRun,
        style: &'a Style,
    ) -> Beside<'a> {
        let (here, there) = (&words.run.events, &passing.run.events);
        let (parts, goes_on) = parting(words.run, finding, &passing.run);
        let ends = (here.len().min(parts + WINDOW), there.len().min(goes_on + WINDOW));
        let rows = aligned(&here[parts..ends.0], &there[goes_on..ends.1], parts, goes_on);
        let places: Vec<Place> = here.iter().map(|event| event.place).collect();
        let known = same_objects(words.run, &passing.run);
        let words = Words::beside(words, &passing.run, &passing.names, &places, &known, style);
        Beside { words, rows, parts, goes_on, left_out: (here.len() - ends.0, there.len() - ends.1) }
    }
}

/// The first event of each run that the other does not have. The accesses of a race are events of the first run only.
fn parting(run: &Run, finding: &Finding, passing: &Run) -> (usize, usize) {
    let racing = match &finding.detail {
        Detail::Race { first, second, .. } => vec![first.event, second.event],
        _ => Vec::new(),
    };
    let (mut here, mut there) = (0, 0);
    while let Some(event) = run.events.get(here) {
        let is_same = passing.events.get(there).is_some_and(|other| is_same(event, other));
        let is_added = racing.contains(&here) && !event.decided;
        if !is_same && !is_added {
            break;
        }
        here += 1;
        there += usize::from(is_same);
    }
    (here, there)
}

/// Whether two events are the same step with the same outcome.
fn is_same(a: &Event, b: &Event) -> bool {
    // Values may be addresses, which differ from run to run.
    is_alike(a, b) && (a.outcome, a.alternative) == (b.outcome, b.alternative)
}

/// Whether two events are the same operation at the same place, whatever comes of it.
fn is_alike(a: &Event, b: &Event) -> bool {
    a.thread == b.thread && a.operation.kind == b.operation.kind && a.place == b.place
}

/// As many alike events as possible beside each other, in order (the longest common subsequence).
fn aligned(here: &[Event], there: &[Event], first_here: usize, first_there: usize) -> Vec<Row> {
    let width = there.len() + 1;
    // For what is left of both from these events on, how many can stand beside each other.
    let mut longest = vec![0_u32; (here.len() + 1) * width];
    for i in (0..here.len()).rev() {
        for j in (0..there.len()).rev() {
            longest[i * width + j] = if is_alike(&here[i], &there[j]) {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut rows = Vec::with_capacity(here.len().max(there.len()));
    while i < here.len() || j < there.len() {
        let both = i < here.len() && j < there.len() && is_alike(&here[i], &there[j]);
        let only_here = j == there.len()
            || (i < here.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]);
        rows.push(match (both, only_here) {
            (true, _) => Row::Both(first_here + i, first_there + j),
            (false, true) => Row::Here(first_here + i),
            (false, false) => Row::There(first_there + j),
        });
        i += usize::from(both || only_here);
        j += usize::from(both || !only_here);
    }
    rows
}

/// The event of the other run that is this step of its thread, if it takes it there too.
pub(crate) fn same_step(events: &[Event], index: usize, others: &[Event]) -> Option<usize> {
    let event = &events[index];
    let number = events[..index].iter().filter(|earlier| earlier.thread == event.thread).count();
    let mut own = others.iter().enumerate().filter(|(_, other)| other.thread == event.thread);
    own.nth(number).filter(|(_, other)| is_alike(event, other)).map(|(index, _)| index)
}

/// Which objects of the two runs are the same: those that a thread used at the same step, as long as it took the same steps.
/// Runs number objects as they meet them, so their numbers tell only as long as the runs are the same.
fn same_objects(run: &Run, passing: &Run) -> Vec<(ObjectId, ObjectId)> {
    let threads = run.events.iter().map(|event| event.thread.index() + 1).max().unwrap_or(0);
    let mut known: Vec<(ObjectId, ObjectId)> = Vec::new();
    for thread in (0..threads).map(ThreadId::new) {
        // The accesses of a race are events of one run only.
        let own = |run: &'_ Run| -> Vec<Event> {
            let is_step = |event: &&Event| event.thread == thread && !is_plain(event);
            run.events.iter().filter(is_step).copied().collect()
        };
        let pairs = own(run).into_iter().zip(own(passing));
        for (here, there) in pairs.take_while(|(here, there)| is_alike(here, there)) {
            let pair = (here.operation.object, there.operation.object);
            let is_new = known.iter().all(|(a, b)| *a != pair.0 && *b != pair.1);
            if is_new && pair.0 != ObjectId::NONE && pair.1 != ObjectId::NONE {
                known.push(pair);
            }
        }
    }
    known
}

fn is_plain(event: &Event) -> bool {
    matches!(event.operation.kind, Kind::PlainRead | Kind::PlainWrite)
}

/// What is said of the run that passes, in one sentence; nothing if none was looked for.
pub(crate) fn sentence(words: &Words<'_>, finding: &Finding, passing: Option<&Passing>) -> Option<String> {
    let passing = passing?;
    let Some(run) = &passing.run else { return Some(none_passes(passing.tried)) };
    let beside = Beside::new(words, finding, run, words.style);
    Some(format!("a run that passes parts at step {}: {}", beside.parts + 1, instead(words, &beside)))
}

/// What the run that passes does where it parts, and what the other does there.
pub(crate) fn instead(words: &Words<'_>, beside: &Beside<'_>) -> String {
    let told = |words: &Words<'_>, index: usize| {
        let event = words.run.events.get(index)?;
        let place = words.files.place(event.place);
        let place = if place.is_empty() { place } else { format!(", {place}") };
        Some((event.thread, format!("`{}`{place}", cell(words, index))))
    };
    let before = words.run.events[..beside.parts].iter().rfind(|event| event.decided);
    match (told(words, beside.parts), told(&beside.words, beside.goes_on)) {
        (Some((here, does)), Some((there, does_instead))) if here != there => {
            let goes = if before.is_some_and(|before| before.thread == there) { "goes on" } else { "goes" };
            format!("there {there} {goes} with {does_instead}; here {here} goes with {does}")
        }
        (Some((here, does)), Some((_, does_instead))) => {
            format!("there {here} does {does_instead}; here it does {does}")
        }
        (Some((here, does)), None) => format!("it is at its end there; here {here} goes with {does}"),
        (None, Some((there, does_instead))) => {
            format!("there {there} goes with {does_instead}; here it is the end")
        }
        (None, None) => "they differ in their end alone".to_owned(),
    }
}

fn none_passes(tried: u64) -> String {
    match tried {
        0 => "there is none to compare this one with: it leaves the schedule no choice".to_owned(),
        1 => "none was found: the one run that was tried, which goes another way at a step, does not pass"
            .to_owned(),
        tried => format!(
            "none was found: of {} that were tried, each of which goes another way at a step, none passes",
            count(tried, "run")
        ),
    }
}
