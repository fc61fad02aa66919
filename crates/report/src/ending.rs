//! How a run ended: the headline, the program's own words, and the last rows of the table.

use raddle_detect::{Detail, Finding, FindingKind, Waiter};
use raddle_trace::{Blocked, Ending, Kind, ObjectId, Place, ThreadId};

use crate::columns::Row;
use crate::comments::looks;
use crate::deadlock::stuck;
use crate::fold::Weight;
use crate::memory;
use crate::sanitise::{sanitise, sanitised_lines};
use crate::text::{clip, listed, width, wrap};
use crate::words::Words;

/// More of a message is not shown.
const LONGEST_MESSAGE: usize = 240;
/// More lines of a message are not shown.
const MESSAGE_LINES: usize = 3;
/// More waiting threads are not listed in a sentence.
const LISTED_THREADS: usize = 4;
/// More waiting threads are not shown at the end of the table: another table lists them.
const LAST_ROWS: usize = 4;
/// A longer path is cut to the name of the file.
const LONGEST_PLACE: usize = 30;
/// How the standard library starts the message of `assert!`.
const ASSERTION: &str = "assertion failed: ";

/// What to do if a thread of a Rust program never makes a step.
pub(crate) const POLLING: &str = "a loop that looks at objects of std, such as its atomics, makes no step, and nobody else gets a \
                                  turn: use those of raddle; a long computation needs a larger max_run_time";

/// What to do about a thread of a Rust program whose stack is too small.
pub(crate) const STACK: &str = "a thread has 2 MiB of stack unless thread::Builder::stack_size asks for more: look for a recursion \
                                without end, or give it a larger one";

/// Whether a thread made no step.
pub(crate) fn made_no_step(finding: &Finding) -> bool {
    finding.kind == FindingKind::Livelock && finding.detail == Detail::None
}

/// The finding in one sentence.
pub(crate) fn sentence(finding: &Finding, words: &Words<'_>) -> String {
    let thread = words.thread(finding.thread);
    let at = |text: String| with_place(text, finding.place, words);
    match (finding.kind, &finding.detail) {
        (FindingKind::Assertion, _) => at(format!("{} in {thread}", assertion(&finding.message, words))),
        (FindingKind::Panic, _) => at(format!("{thread} panicked")),
        (_, Detail::Memory(block)) => at(memory::sentence(finding.kind, finding.thread, block, words)),
        // The block is known for everything on the heap: this is a local variable.
        (FindingKind::UseAfterFree, _) if !finding.message.is_empty() => {
            at(format!("use after return: {thread} {}", first_line(&finding.message, words)))
        }
        (FindingKind::Crash, _) if words.run.ending == Ending::StackOverflow => {
            at(format!("{thread} overflowed its stack"))
        }
        (FindingKind::Crash, _) => at(format!("{thread} crashed: {}", first_line(&finding.message, words))),
        (FindingKind::Misuse, _) => at(format!("{thread} {}", first_line(&finding.message, words))),
        (FindingKind::DataRace, Detail::Race { object, .. }) => {
            format!("data race on {}", words.object(*object))
        }
        (FindingKind::Deadlock, Detail::Deadlock { waiters, cycle }) => deadlock(waiters, cycle, words),
        (FindingKind::Livelock, Detail::Deadlock { waiters, .. }) => livelock(waiters, words),
        (FindingKind::Livelock, _) => {
            at(format!("endless loop: {thread} {}", first_line(&finding.message, words)))
        }
        (kind, _) => at(format!("{} in {thread}", kind.word())),
    }
}

/// How a run ended in which nothing was found, in a few words.
pub(crate) fn without_finding(ending: Ending) -> String {
    match ending {
        Ending::Finished => "in order".to_owned(),
        Ending::Assumed => "an assumption did not hold".to_owned(),
        Ending::StepLimit => "given up: too many steps".to_owned(),
        Ending::Blocked => "given up: it could only repeat another run".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn with_place(text: String, place: Place, words: &Words<'_>) -> String {
    match place {
        Place::Unknown => text,
        known => {
            let whole = sanitise(&known.to_string(), words.style);
            // The path stands in full above the source.
            let place = if width(&whole) > LONGEST_PLACE { words.files.named(known) } else { whole };
            format!("{text}, {place}")
        }
    }
}

fn assertion(message: &str, words: &Words<'_>) -> String {
    let first = first_line(message, words);
    // Of "assertion `left == right` failed: more words" the words go below.
    match condition(&first) {
        Some(condition) => format!("assertion `{condition}` failed"),
        None => first,
    }
}

fn first_line(message: &str, words: &Words<'_>) -> String {
    let lines = sanitised_lines(message, words.style);
    clip(lines.first().map_or("", String::as_str), LONGEST_MESSAGE, words.symbols.cut)
}

fn deadlock(waiters: &[Waiter], cycle: &[ThreadId], words: &Words<'_>) -> String {
    match cycle {
        [] => {
            let stuck: Vec<Waiter> = stuck(waiters, cycle).into_iter().cloned().collect();
            let verb = if stuck.len() == 1 { "waits" } else { "wait" };
            let mut wanted: Vec<String> = stuck.iter().map(|waiter| wants(waiter, words)).collect();
            wanted.sort_unstable();
            wanted.dedup();
            let what = if wanted.len() > 2 { String::new() } else { format!(" for {}", wanted.join(" or ")) };
            format!("deadlock: {} {verb} for ever{what}", threads(&stuck, words))
        }
        [only] => format!("deadlock: {} waits for itself", words.thread(*only)),
        [first, second] => format!("deadlock: {first} and {second} wait for each other"),
        circle => {
            let shown = circle.iter().take(LISTED_THREADS).map(ThreadId::to_string);
            let more = circle.len().saturating_sub(LISTED_THREADS);
            let shown: Vec<String> = shown.chain((more > 0).then(|| format!("{more} more"))).collect();
            format!("deadlock: {} wait for each other in a circle", listed(&shown))
        }
    }
}

fn livelock(waiters: &[Waiter], words: &Words<'_>) -> String {
    let spinning: Vec<Waiter> = waiters.iter().filter(|waiter| waiter.kind == Kind::Spin).cloned().collect();
    let verb = if spinning.len() == 1 { "spins" } else { "spin" };
    let mut wanted: Vec<String> =
        spinning.iter().map(|waiter| name_of_looked_at(waiter.thread, words).to_owned()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    format!(
        "livelock: {} {verb} for ever: nobody is left to change {}",
        threads(&spinning, words),
        wanted.join(" or ")
    )
}

fn threads(waiters: &[Waiter], words: &Words<'_>) -> String {
    let name = |waiter: &Waiter| {
        if waiters.len() == 1 { words.thread(waiter.thread) } else { waiter.thread.to_string() }
    };
    let shown = waiters.iter().take(LISTED_THREADS).map(name);
    let more = waiters.len().saturating_sub(LISTED_THREADS);
    let shown: Vec<String> = shown.chain((more > 0).then(|| format!("{more} more"))).collect();
    listed(&shown)
}

/// The lines of the program's own words that the sentence does not have.
pub(crate) fn message_lines(finding: &Finding, words: &Words<'_>, columns: usize) -> Vec<String> {
    let mut lines = sanitised_lines(&finding.message, words.style);
    match finding.kind {
        FindingKind::Assertion if !lines.is_empty() => {
            let rest = lines[0].strip_prefix("assertion `").and_then(|first| first.split_once("` failed: "));
            lines[0] = rest.map_or_else(String::new, |(_, rest)| rest.to_owned());
        }
        FindingKind::Panic => {}
        FindingKind::Misuse if !lines.is_empty() => lines[0].clear(),
        _ => return Vec::new(),
    }
    let lines: Vec<String> =
        lines.iter().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    let together = lines.join("   ");
    if width(&together) <= columns {
        return if together.is_empty() { Vec::new() } else { vec![together] };
    }
    let mut wrapped: Vec<String> = lines.iter().flat_map(|line| wrap(line, columns)).collect();
    if wrapped.len() > MESSAGE_LINES {
        wrapped.truncate(MESSAGE_LINES);
        let last = format!("{} {}", wrapped[MESSAGE_LINES - 1], words.symbols.cut);
        wrapped[MESSAGE_LINES - 1] = clip(&last, columns, words.symbols.cut);
    }
    wrapped
}

/// The rows with which the table ends: what fails, or what everybody waits for.
pub(crate) fn last_rows(finding: &Finding, words: &Words<'_>) -> Vec<Row> {
    let row = |thread: ThreadId, text: &str, place: Place| Row {
        step: None,
        thread,
        text: format!("{} {text}", words.symbols.fails),
        place,
        preempts: false,
        comment: String::new(),
        weight: Weight::Telling,
    };
    match (&finding.detail, finding.kind) {
        (Detail::Deadlock { waiters, cycle }, _) => {
            let mut waiters = stuck(waiters, cycle);
            waiters.truncate(LAST_ROWS);
            let last = |waiter: &&Waiter| {
                row(waiter.thread, &format!("wants {}", wants(waiter, words)), waiter.place)
            };
            waiters.iter().map(last).collect()
        }
        (Detail::Race { .. }, _) => Vec::new(),
        (Detail::Memory(_), FindingKind::Leak) => Vec::new(),
        (Detail::Memory(block), _) => vec![row(finding.thread, &memory::access(block), finding.place)],
        (Detail::None, FindingKind::Crash) if words.run.ending == Ending::StackOverflow => {
            vec![row(finding.thread, "stack overflow", finding.place)]
        }
        (Detail::None, _) => {
            let first = first_line(&finding.message, words);
            let text = condition(&first).unwrap_or(&first);
            vec![row(finding.thread, text, finding.place)]
        }
    }
}

/// What an assertion asserts, from the first line of its message.
pub(crate) fn condition(message: &str) -> Option<&str> {
    let quoted =
        || message.strip_prefix("assertion `")?.split_once("` failed").map(|(condition, _)| condition);
    message.strip_prefix(ASSERTION).or_else(quoted)
}

/// What a thread that could not go on at the end of the run waits for.
pub(crate) fn wants_next(blocked: &Blocked, words: &Words<'_>) -> String {
    let operation = &blocked.pending.operation;
    wanted(blocked.thread, operation.kind, operation.object, blocked.by, words)
}

/// What a thread that cannot go on waits for.
pub(crate) fn wants(waiter: &Waiter, words: &Words<'_>) -> String {
    wanted(waiter.thread, waiter.kind, waiter.object, waiter.by, words)
}

/// What a thread that spins looks at.
pub(crate) fn looked_at(thread: ThreadId, words: &Words<'_>) -> Option<ObjectId> {
    let mut own = words.run.events.iter().rev().filter(|event| event.thread == thread);
    own.find(|event| looks(event)).map(|event| event.operation.object)
}

/// The same in words.
fn name_of_looked_at<'a>(thread: ThreadId, words: &'a Words<'_>) -> &'a str {
    looked_at(thread, words).map_or("what it reads", |object| words.object(object))
}

fn wanted(thread: ThreadId, kind: Kind, object: ObjectId, by: Option<ThreadId>, words: &Words<'_>) -> String {
    use Kind::*;
    let object = words.object(object);
    match kind {
        Lock | Relock | TimedLock | OnceEnter => object.to_owned(),
        Read | TimedRead => format!("{object} for reading"),
        Write | TimedWrite => format!("{object} for writing"),
        Wait | TimedWait | FickleWait => format!("a notify of {object}"),
        Join => by.map_or_else(|| "the end of a thread".to_owned(), |by| format!("the end of {by}")),
        Acquire | TimedAcquire => format!("a permit of {object}"),
        Arrive | Pass => format!("the others at {object}"),
        Park | TimedPark => "an unpark".to_owned(),
        Send => format!("room in {object}"),
        Receive | TimedReceive => format!("a message in {object}"),
        Taken => format!("its message to be taken from {object}"),
        Spin => format!("{} to change", name_of_looked_at(thread, words)),
        _ => "to go on".to_owned(),
    }
}
