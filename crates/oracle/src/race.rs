//! Whether a program races, if some of its cells are plain variables.
//!
//! In every run two accesses of different threads to one of these cells, one of which writes, have to be ordered by what
//! the threads do to each other otherwise: creating and joining, locks, semaphores, barriers, one-time initialisations,
//! and atomic cells. Who reads an atomic cell comes after the last store to it and after all read-modify-writes since
//! then. A notification orders nothing by itself; the mutex of the wait does.
//!
//! The order is written down as a set of earlier events for each event, and nothing is shared with the detector.

use std::collections::BTreeSet;

use raddle_trace::{Event, Kind, ObjectId, Operation, Outcome, TraceKey};

use crate::brute_force::{TooLarge, for_each_run};
use crate::{Cells, Ending, Program};

/// What is true of a program some of whose cells are plain variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Synchronised {
    /// Whether some run has two accesses that nothing orders.
    pub races: bool,
    /// The traces without their accesses to plain variables.
    pub traces: BTreeSet<TraceKey>,
    /// The ways in which runs end.
    pub endings: BTreeSet<Ending>,
}

/// Looks for races in all runs.
///
/// # Errors
/// If there are more than `limit`.
pub fn synchronised(program: &Program, cells: Cells, limit: u64) -> Result<Synchronised, TooLarge> {
    let mut all = Synchronised::default();
    for_each_run(program, limit, &mut |run| {
        all.races = all.races || has_race(run.events, cells);
        all.traces.insert(TraceKey::of(&without_plain(run.events, cells)));
        all.endings.insert(run.end.ending);
    })?;
    Ok(all)
}

/// The events of a run that are not accesses to plain variables.
pub(crate) fn without_plain(events: &[Event], cells: Cells) -> Vec<Event> {
    let mut numbers = Vec::new();
    let mut kept: Vec<Event> = Vec::new();
    for event in events {
        numbers.push(kept.len() as u32);
        if !is_plain(&event.operation, cells) {
            let cause = event.cause.map(|cause| numbers[cause as usize]);
            kept.push(Event { cause, ..*event });
        }
    }
    kept
}

/// Whether the operation is an access to a plain variable.
pub(crate) fn is_plain(operation: &Operation, cells: Cells) -> bool {
    is_memory(operation.kind) && cells.is_plain(operation.object)
}

pub(crate) fn is_memory(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange | Kind::WeakCompareExchange
    )
}

/// What an event does to the order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Later takings of the object come after it.
    Gives(ObjectId),
    /// Later takings of the object by somebody who wants it alone come after it.
    GivesToWriters(ObjectId),
    /// It comes after all gifts.
    Takes(ObjectId),
    /// It comes after all gifts, those to writers included.
    TakesAlone(ObjectId),
    /// It comes after all gifts, and is one.
    TakesAndGives(ObjectId),
    Nothing,
}

fn role(event: &Event) -> Role {
    use Kind::*;
    let object = event.operation.object;
    match (event.operation.kind, event.outcome) {
        (Lock | TryLock | TimedLock | Relock | Acquire | TryAcquire | TimedAcquire, Outcome::Done)
        | (Read | TryRead | TimedRead, Outcome::Done)
        | (OnceEnter, _) => Role::Takes(object),
        (Write | TryWrite | TimedWrite, Outcome::Done) => Role::TakesAlone(object),
        (Unlock | WriteUnlock | Downgrade | Post | OnceExit, _) => Role::Gives(object),
        (ReadUnlock, _) => Role::GivesToWriters(object),
        (Wait | TimedWait, _) => Role::Gives(ObjectId::new(event.operation.operand as usize)),
        (Arrive, Outcome::Last) => Role::TakesAndGives(object),
        (Arrive, _) => Role::Gives(object),
        _ => Role::Nothing,
    }
}

/// For each event, the events that happen before it.
fn earlier(events: &[Event], cells: Cells) -> Vec<BTreeSet<usize>> {
    let mut all: Vec<BTreeSet<usize>> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let own = role(event);
        let mut before = BTreeSet::new();
        let after = |other: usize, before: &mut BTreeSet<usize>| {
            before.extend(all[other].iter().copied());
            before.insert(other);
        };
        for (other, first) in events[..number].iter().enumerate() {
            let orders = match (role(first), own) {
                _ if first.thread == event.thread => true,
                (
                    Role::Gives(given) | Role::TakesAndGives(given),
                    Role::Takes(taken) | Role::TakesAlone(taken) | Role::TakesAndGives(taken),
                ) => given == taken,
                (Role::GivesToWriters(given), Role::TakesAlone(taken)) => given == taken,
                _ => false,
            };
            if orders {
                after(other, &mut before);
            }
        }
        if is_memory(event.operation.kind) && !is_plain(&event.operation, cells) {
            let read = read_from(&events[..number], event);
            read.into_iter().for_each(|other| after(other, &mut before));
        }
        if let Some(cause) = event.cause.filter(|_| event.operation.kind != Kind::Relock) {
            after(cause as usize, &mut before);
        }
        all.push(before);
    }
    all
}

/// The events whose values the reading of an atomic cell may be made of: the last store, and the read-modify-writes since
/// then. A store reads nothing.
fn read_from(earlier: &[Event], event: &Event) -> Vec<usize> {
    use Kind::*;
    if event.operation.kind == Store {
        return Vec::new();
    }
    let mut read = Vec::new();
    for (number, other) in earlier.iter().enumerate().rev() {
        if other.operation.object != event.operation.object {
            continue;
        }
        match (other.operation.kind, other.outcome) {
            (Store, _) => {
                read.push(number);
                return read;
            }
            (ReadModifyWrite | CompareExchange | WeakCompareExchange, Outcome::Done) => read.push(number),
            _ => {}
        }
    }
    read
}

fn has_race(events: &[Event], cells: Cells) -> bool {
    let earlier = earlier(events, cells);
    let access = |event: &Event| is_plain(&event.operation, cells);
    events.iter().enumerate().filter(|(_, event)| access(event)).any(|(number, second)| {
        events[..number].iter().enumerate().any(|(other, first)| {
            access(first)
                && first.operation.object == second.operation.object
                && first.thread != second.thread
                && (first.operation.kind != Kind::Load || second.operation.kind != Kind::Load)
                && !earlier[number].contains(&other)
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::{Cells, parse, synchronised};

    fn races_with(text: &str, cells: Cells) -> bool {
        synchronised(&parse(text).expect("a program"), cells, 1000).expect("a small program").races
    }

    fn races(text: &str) -> bool {
        races_with(text, Cells::Plain)
    }

    #[test]
    fn two_writes_race_unless_something_orders_them() {
        let both = "thread 0\n  spawn 1\n  store c0 1\nthread 1\n  store c0 2\n";
        assert!(races(&format!("cell c0 0\n{both}")));
        let joined = "thread 0\n  spawn 1\n  join 1\n  store c0 1\nthread 1\n  store c0 2\n";
        assert!(!races(&format!("cell c0 0\n{joined}")));
        let before = "thread 0\n  store c0 1\n  spawn 1\nthread 1\n  store c0 2\n";
        assert!(!races(&format!("cell c0 0\n{before}")));
    }

    #[test]
    fn reads_do_not_race_and_readers_of_a_lock_only_with_writers() {
        let reads = "thread 0\n  spawn 1\n  load c0 r0\nthread 1\n  load c0 r0\n";
        assert!(!races(&format!("cell c0 0\n{reads}")));
        let locked = |taken: &str, given: &str| {
            format!(
                "cell c0 0\nrwlock w1\nthread 0\n  spawn 1\n  {taken} w1\n  store c0 1\n  {given} w1\n\
                 thread 1\n  read w1\n  load c0 r0\n  read-unlock w1\n"
            )
        };
        assert!(races(&locked("read", "read-unlock")));
        assert!(!races(&locked("write", "write-unlock")));
        assert!(!races(&locked("write", "downgrade")));
        assert!(races(&locked("write w1\n  downgrade", "read-unlock")));
    }

    #[test]
    fn a_try_that_fails_orders_nothing() {
        let program = "cell c0 0\nmutex m1\nthread 0\n  spawn 1\n  lock m1\n  store c0 1\n  unlock m1\n\
                       thread 1\n  try-lock m1 r0\n  load c0 r1\n  if r0 1 {\n    unlock m1\n  }\n";
        assert!(races(program));
    }

    #[test]
    fn an_atomic_flag_guards_what_was_written_before_it() {
        let guarded = |flag: &str| {
            format!(
                "cell c0 0\ncell c1 0\nthread 0\n  spawn 1\n  store c0 1\n  store c1 {flag}\nthread 1\n  load c1 r0\n  \
                 if r0 1 {{\n    load c0 r1\n  }}\n"
            )
        };
        assert!(!races_with(&guarded("1"), Cells::Mixed));
        let reversed = "cell c0 0\ncell c1 0\nthread 0\n  spawn 1\n  store c1 1\n  store c0 1\nthread 1\n  load c1 r0\n  \
                        if r0 1 {\n    load c0 r1\n  }\n";
        assert!(races_with(reversed, Cells::Mixed));
        // A store of somebody else ends what the flag has carried.
        let overwritten = "cell c0 0\ncell c1 0\nthread 0\n  spawn 1\n  spawn 2\n  store c0 1\n  store c1 1\nthread 1\n  \
                           load c1 r0\n  if r0 1 {\n    load c0 r1\n  }\nthread 2\n  store c1 1\n";
        assert!(races_with(overwritten, Cells::Mixed));
    }
}
