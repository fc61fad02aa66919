//! Who waits for whom, who holds what, and what can be said about it.

use raddle_detect::Waiter;
use raddle_trace::level::QUEUE_WORD;
use raddle_trace::{Event, Kind, ObjectId, Outcome, ThreadId};

use crate::comments::writes_to;
use crate::ending::{looked_at, wants};
use crate::grid::grid;
use crate::snippet::Mark;
use crate::text::{INDENT, clip, listed};
use crate::words::Words;

/// More threads of a circle are not drawn.
const DRAWN: usize = 6;
/// More rows of the table are not shown.
const MOST_ROWS: usize = 7;
/// More hints are not given.
const MOST_HINTS: usize = 2;

fn waiter_of(waiters: &[Waiter], thread: ThreadId) -> Option<&Waiter> {
    waiters.iter().find(|waiter| waiter.thread == thread)
}

/// The circle, one line per thread.
pub(crate) fn circle(waiters: &[Waiter], cycle: &[ThreadId], words: &Words<'_>) -> Vec<String> {
    let (tail, head) = (words.symbols.tail, words.symbols.head);
    let line = |thread: &ThreadId| {
        let waiter = waiter_of(waiters, *thread)?;
        let next = waiter.by?;
        let name = words.thread(*thread);
        let line = if waiter.kind == Kind::Join {
            format!("{name} {tail} joins {head} {next}")
        } else {
            format!("{name} {tail} wants {head} {} {tail} held by {head} {next}", wants(waiter, words))
        };
        Some(clip(&format!("{}{line}", " ".repeat(INDENT)), words.style.columns(), words.symbols.cut))
    };
    let mut lines: Vec<String> = cycle.iter().take(DRAWN).filter_map(line).collect();
    if cycle.len() > DRAWN {
        let rest = cycle.len() - DRAWN;
        lines.push(format!("{}{} {rest} more", " ".repeat(INDENT), words.symbols.cut));
    }
    lines
}

/// The table of what everybody holds and wants; threads of the circle come first.
pub(crate) fn table(waiters: &[Waiter], cycle: &[ThreadId], words: &Words<'_>) -> Vec<String> {
    let nothing = words.symbols.nothing.to_owned();
    let known = |place: String| if place.is_empty() { nothing.clone() } else { place };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for waiter in ordered(waiters, cycle) {
        let mut holds = waiter.holds.iter().map(|(object, since, place)| {
            let place = words.files.place(*place);
            let place = if place.is_empty() { place } else { format!(", {place}") };
            (words.object(*object).to_owned(), format!("step {}{place}", since + 1))
        });
        let (first, since) = holds.next().unwrap_or_else(|| (nothing.clone(), nothing.clone()));
        let at = known(words.files.place(waiter.place));
        rows.push(vec![words.thread(waiter.thread), first, since, wants(waiter, words), at]);
        rows.extend(
            holds.map(|(object, since)| vec![String::new(), object, since, String::new(), String::new()]),
        );
    }
    if rows.len() > MOST_ROWS {
        let more = rows.len() - (MOST_ROWS - 1);
        rows.truncate(MOST_ROWS - 1);
        let mut last = vec![String::new(); 5];
        last[0] = format!("{} {more} more", words.symbols.cut);
        rows.push(last);
    }
    let mut header = vec!["thread", "holds", "since", "wants", "at"];
    if waiters.iter().all(|waiter| waiter.holds.is_empty()) {
        header.drain(1..3);
        rows.iter_mut().for_each(|row| drop(row.drain(1..3)));
    }
    grid(&header, &rows, words.style.columns(), words.symbols)
}

/// Everybody who waits: the threads of the circle first and in its order, those last that only wait for the end of another
/// that waits.
pub(crate) fn ordered<'a>(waiters: &'a [Waiter], cycle: &[ThreadId]) -> Vec<&'a Waiter> {
    let rank = |waiter: &Waiter| {
        let in_circle = cycle.iter().position(|thread| *thread == waiter.thread);
        (in_circle.unwrap_or(cycle.len()), only_follows(waiter, waiters), waiter.thread)
    };
    let mut ordered: Vec<&Waiter> = waiters.iter().collect();
    ordered.sort_by_key(|waiter| rank(waiter));
    ordered
}

/// Those of them who do not only wait for the end of another that waits.
pub(crate) fn stuck<'a>(waiters: &'a [Waiter], cycle: &[ThreadId]) -> Vec<&'a Waiter> {
    let is_stuck = |waiter: &&Waiter| cycle.contains(&waiter.thread) || !only_follows(waiter, waiters);
    ordered(waiters, cycle).into_iter().filter(is_stuck).collect()
}

/// Whether the thread waits for nothing but the end of one that waits itself.
fn only_follows(waiter: &Waiter, waiters: &[Waiter]) -> bool {
    waiter.kind == Kind::Join && waiter.by.is_some_and(|by| waiter_of(waiters, by).is_some())
}

/// What could be done about it, or why nothing comes.
pub(crate) fn hints(waiters: &[Waiter], cycle: &[ThreadId], words: &Words<'_>) -> Vec<String> {
    let missed = waiters.iter().filter(|waiter| waiter.kind == Kind::Wait);
    let missed = missed.map(|waiter| notification(waiter, words)).take(2);
    let mut hints: Vec<String> = lock_order(waiters, cycle, words).into_iter().chain(missed).collect();
    for waiter in waiters {
        let hint = match waiter.kind {
            Kind::Acquire | Kind::TimedAcquire => Some(permits(waiter.object, words)),
            Kind::Arrive | Kind::Pass => Some(arrivals(waiter.object, words)),
            Kind::Park | Kind::TimedPark => Some(unparks(waiter, words)),
            Kind::Spin => last_change(waiter.thread, words),
            _ => kept_by_the_ended(waiter, words),
        };
        if let Some(hint) = hint.filter(|hint| !hints.contains(hint)) {
            hints.push(hint);
        }
    }
    hints.truncate(MOST_HINTS);
    hints
}

/// Who has unparked a thread that waits for that.
fn unparks(waiter: &Waiter, words: &Words<'_>) -> String {
    let unparks =
        |event: &Event| event.operation.kind == Kind::Unpark && event.operation.object == waiter.object;
    match words.run.events.iter().rposition(unparks) {
        None => format!("nobody unparked {}", waiter.thread),
        Some(last) => format!(
            "the last unpark of {}, step {}, was used up: those that come before the next park count as one",
            waiter.thread,
            last + 1
        ),
    }
}

/// Who was the last to change what a thread looks at again and again.
fn last_change(thread: ThreadId, words: &Words<'_>) -> Option<String> {
    let object = looked_at(thread, words)?;
    let changes =
        |event: &Event| event.operation.object == object && writes_to(event) && event.before != event.value;
    let name = words.object(object);
    Some(match words.run.events.iter().rposition(changes) {
        None => format!("nobody changed {name} in this run"),
        Some(last) => {
            format!("the last to change {name} was {}, in step {}", words.run.events[last].thread, last + 1)
        }
    })
}

/// A lock whose holder has ended.
fn kept_by_the_ended(waiter: &Waiter, words: &Words<'_>) -> Option<String> {
    let held = words.run.held.iter().find(|held| held.object == waiter.object)?;
    let ended = |event: &Event| event.thread == held.by && event.operation.kind == Kind::End;
    words.run.events.iter().any(ended).then(|| {
        format!(
            "{} has ended and holds {} since step {}: it never gave it back",
            held.by,
            words.object(held.object),
            held.since + 1
        )
    })
}

/// Who has the permits of a semaphore.
fn permits(semaphore: ObjectId, words: &Words<'_>) -> String {
    let name = words.object(semaphore);
    let on = |kinds: &'static [Kind]| {
        let events = words.run.events.iter().enumerate();
        events.filter(move |(_, event)| {
            event.operation.object == semaphore
                && kinds.contains(&event.operation.kind)
                && event.outcome == Outcome::Done
        })
    };
    let taken: Vec<String> = on(&[Kind::Acquire, Kind::TimedAcquire, Kind::TryAcquire])
        .map(|(index, event)| format!("{} in step {}", event.thread, index + 1))
        .collect();
    let posted = match on(&[Kind::Post]).next_back() {
        None => "nobody posted it".to_owned(),
        Some((index, event)) => format!("the last post was by {} in step {}", event.thread, index + 1),
    };
    match taken.len() {
        0 => format!("nobody acquired {name}, and {posted}"),
        1..=4 => format!("{name} was acquired by {}; {posted}", listed(&taken)),
        more => format!("{name} was acquired {more} times, the last time by {}; {posted}", taken[more - 1]),
    }
}

/// Who has come to a barrier.
fn arrivals(barrier: ObjectId, words: &Words<'_>) -> String {
    let arrived = words.run.events.iter().enumerate().rev().take_while(|(_, event)| {
        event.operation.object != barrier
            || event.operation.kind != Kind::Arrive
            || event.outcome != Outcome::Last
    });
    let arrived = arrived
        .filter(|(_, event)| event.operation.object == barrier && event.operation.kind == Kind::Arrive);
    let mut arrived: Vec<String> =
        arrived.map(|(index, event)| format!("{} (step {})", event.thread, index + 1)).collect();
    arrived.reverse();
    let name = words.object(barrier);
    match arrived.len() {
        0 => format!("nobody has arrived at {name}"),
        1..=4 => format!("only {} arrived at {name}, which waits for more threads", listed(&arrived)),
        some => format!("only {some} threads arrived at {name}, which waits for more"),
    }
}

/// Whether an object is where threads come to a reader-writer lock.
fn is_queue(object: ObjectId, words: &Words<'_>) -> bool {
    words.run.objects.get(object.index()).is_some_and(|note| note.kind == QUEUE_WORD)
}

fn lock_order(waiters: &[Waiter], cycle: &[ThreadId], words: &Words<'_>) -> Option<String> {
    let circle: Vec<&Waiter> = cycle.iter().filter_map(|thread| waiter_of(waiters, *thread)).collect();
    let takes_lock = |waiter: &&Waiter| {
        use Kind::*;
        matches!(waiter.kind, Lock | Read | Write)
    };
    if circle.is_empty() || !circle.iter().all(takes_lock) {
        return None;
    }
    match circle[..] {
        [only] => Some(format!(
            "{} holds {} already{}; it has to unlock it first",
            only.thread,
            words.object(only.object),
            if only.kind == Kind::Write { ", and whoever reads cannot also write" } else { "" }
        )),
        [again, writer] | [writer, again] if is_queue(again.object, words) && writer.kind == Kind::Write => {
            Some(format!(
                "{} reads {lock} a second time, behind {}, which waits to write; std lets writers go first: \
                 keep one guard, or drop it before",
                again.thread,
                writer.thread,
                lock = words.object(writer.object),
            ))
        }
        [first, second] => Some(format!(
            "{} takes {} then {}, {} the other way round; one order for all removes it",
            first.thread,
            words.object(second.object),
            words.object(first.object),
            second.thread
        )),
        _ => {
            Some("each holds what the one before wants; one order of the locks for all removes it".to_owned())
        }
    }
}

/// Why no notification came to a thread that waits at a condition variable.
fn notification(waiter: &Waiter, words: &Words<'_>) -> String {
    let (thread, condvar) = (waiter.thread, words.object(waiter.object));
    let events = words.run.events.iter().enumerate();
    let waited = events.clone().rev().find(|(_, event)| {
        event.thread == thread && event.operation.kind.is_wait() && event.operation.object == waiter.object
    });
    let since = waited.map_or(0, |(index, _)| index);
    let notifies = |event: &raddle_trace::Event| {
        matches!(event.operation.kind, Kind::NotifyOne | Kind::NotifyAll)
            && event.operation.object == waiter.object
    };
    let last = events.rev().find(|(_, event)| notifies(event));
    match last {
        None => format!("nobody notified {condvar}, for which {thread} waits"),
        Some((index, event)) if index < since && event.outcome == Outcome::Failed => format!(
            "the last notify of {condvar}, step {}, found nobody waiting: {thread} began to wait in step {}",
            index + 1,
            since + 1
        ),
        Some((index, _)) if index < since => format!(
            "the last notify of {condvar}, step {}, came before {thread} began to wait, in step {}",
            index + 1,
            since + 1
        ),
        Some((index, _)) => match words.woken(index) {
            Some(other) => {
                format!("the last notify of {condvar}, step {}, woke {other}, not {thread}", index + 1)
            }
            None => format!("the last notify of {condvar}, step {}, did not wake {thread}", index + 1),
        },
    }
}

/// Where those wait who are stuck, the threads of the circle first.
pub(crate) fn marks(waiters: &[Waiter], cycle: &[ThreadId], words: &Words<'_>) -> Vec<Mark> {
    let mark = |waiter: &Waiter| Mark {
        place: waiter.place,
        remark: format!("{} waits for {}", waiter.thread, wants(waiter, words)),
        strong: cycle.is_empty() || cycle.contains(&waiter.thread),
    };
    let mut marks: Vec<Mark> = stuck(waiters, cycle).into_iter().map(mark).collect();
    marks.sort_by_key(|mark| !mark.strong);
    marks
}
