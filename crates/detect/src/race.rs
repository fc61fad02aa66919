//! Data races on tracked memory, by happens-before.
//!
//! Happens-before here is that of the memory model, not that of the search: locks, joins, channels and so on order what
//! their rules say they order, and an atomic operation only what its memory order says, so a flag that is read relaxed
//! orders nothing ([`Clocks`]).
//!
//! Which direction of error: every race reported is one. A semaphore hands over what *all* earlier posts published, not
//! only the one that was needed, so a race that hides behind that is missed.

use std::collections::BTreeMap;

use raddle_trace::{Event, Kind, ObjectId, Operation, Outcome, PlainAccess, Run, ThreadId};

use crate::clocks::Clocks;
use crate::finding::{Access, Detail, Finding, FindingKind};
use crate::locks::Locks;

/// An access to tracked memory, with its thread's time.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    thread: ThreadId,
    time: u32,
    event: usize,
}

/// The accesses to one piece of memory that later ones can race with.
#[derive(Clone, Debug, Default)]
struct Memory {
    write: Option<Stamp>,
    reads: Vec<Stamp>,
}

/// Follows a run and compares every access to tracked memory with the earlier ones.
#[derive(Default)]
struct Detector {
    clocks: Clocks,
    memory: BTreeMap<ObjectId, Memory>,
}

/// The first data race of a run.
#[must_use]
pub fn find(run: &Run) -> Option<Finding> {
    if !run.events.iter().any(|event| event.operation.kind.is_plain()) {
        return None;
    }
    let mut detector = Detector::default();
    let race = run.events.iter().enumerate().find_map(|(number, event)| {
        let earlier = detector.follow(number, event)?;
        Some((earlier, number))
    });
    race.map(|(first, second)| finding(run, first, second))
}

/// The data race that was seen while the run was made, where plain accesses are no events. Its accesses have the numbers
/// that [`with_accesses`] gives them.
#[must_use]
pub fn seen(run: &Run) -> Option<Finding> {
    let race = run.race?;
    let access = |access: PlainAccess, before: usize| Access {
        thread: access.thread,
        event: access.events as usize + before,
        writes: access.writes,
        place: access.place,
        holding: Locks::after(&run.events[..run.events.len().min(access.events as usize)])
            .of(access.thread)
            .to_vec(),
    };
    Some(Finding {
        kind: FindingKind::DataRace,
        message: String::new(),
        thread: race.second.thread,
        place: race.second.place,
        detail: Detail::Race {
            object: race.object,
            first: access(race.first, 0),
            second: access(race.second, 1),
        },
    })
}

/// The run with the two accesses of the race that was seen as events, so that a report can show them.
#[must_use]
pub fn with_accesses(run: &Run) -> Run {
    let mut run = run.clone();
    if let Some(race) = run.race.take() {
        insert(&mut run, race.object, race.second);
        insert(&mut run, race.object, race.first);
    }
    run
}

/// Makes an access an event. What comes after it is counted anew.
fn insert(run: &mut Run, object: ObjectId, access: PlainAccess) {
    let at = run.events.len().min(access.events as usize);
    let shift = |event: &mut u32| *event += u32::from(*event as usize >= at);
    let causes = run.events.iter_mut().filter_map(|event| event.cause.as_mut());
    causes.chain(run.held.iter_mut().map(|held| &mut held.since)).for_each(shift);
    let kind = if access.writes { Kind::PlainWrite } else { Kind::PlainRead };
    let event = Event {
        thread: access.thread,
        operation: Operation::new(kind, object, 0),
        outcome: Outcome::Done,
        alternative: 0,
        alternatives: 1,
        before: 0,
        value: 0,
        cause: None,
        decided: false,
        preempts: false,
        place: access.place,
    };
    run.events.insert(at, event);
    run.calls.insert(at);
}

fn finding(run: &Run, first: usize, second: usize) -> Finding {
    let access = |number: usize| {
        let event = &run.events[number];
        Access {
            thread: event.thread,
            event: number,
            writes: event.operation.kind == Kind::PlainWrite,
            place: event.place,
            holding: Locks::after(&run.events[..number]).of(event.thread).to_vec(),
        }
    };
    let event = &run.events[second];
    Finding {
        kind: FindingKind::DataRace,
        message: String::new(),
        thread: event.thread,
        place: event.place,
        detail: Detail::Race { object: event.operation.object, first: access(first), second: access(second) },
    }
}

impl Detector {
    /// Takes an event in; returns the earlier event that it races with.
    fn follow(&mut self, number: usize, event: &Event) -> Option<usize> {
        self.clocks.follow(number, event);
        let thread = event.thread;
        let stamp = Stamp { thread, time: self.clocks.time(thread), event: number };
        match event.operation.kind {
            Kind::PlainRead => self.read(stamp, event.operation.object),
            Kind::PlainWrite => self.write(stamp, event.operation.object),
            _ => None,
        }
    }

    fn read(&mut self, stamp: Stamp, object: ObjectId) -> Option<usize> {
        let memory = self.memory.entry(object).or_default();
        let race = memory.write.filter(|write| !self.clocks.knows(stamp.thread, write.thread, write.time));
        memory.reads.retain(|read| read.thread != stamp.thread);
        memory.reads.push(stamp);
        race.map(|write| write.event)
    }

    fn write(&mut self, stamp: Stamp, object: ObjectId) -> Option<usize> {
        let memory = self.memory.entry(object).or_default();
        let earlier = memory.write.iter().chain(&memory.reads);
        let race = earlier
            .filter(|other| !self.clocks.knows(stamp.thread, other.thread, other.time))
            .max_by_key(|other| other.event);
        let race = race.map(|other| other.event);
        memory.reads.clear();
        memory.write = Some(stamp);
        race
    }
}

#[cfg(test)]
mod tests;
