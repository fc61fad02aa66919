//! Data races on tracked memory, by happens-before.
//!
//! Happens-before here is that of the memory model, not that of the search: locks, joins, channels and so on order what
//! their rules say they order, and an atomic operation only what its memory order says, so a flag that is read relaxed
//! orders nothing. Each thread has a vector clock; what an operation publishes is kept with its object; what it takes
//! over is joined (Flanagan and Freund, FastTrack 2009, without the short form of clocks). Release sequences and fences
//! are those of C++20.
//!
//! Which direction of error: every race reported is one. A semaphore hands over what *all* earlier posts published, not
//! only the one that was needed, so a race that hides behind that is missed.

use std::collections::BTreeMap;

use raddle_trace::{Event, Kind, ObjectId, Operation, Order, Outcome, PlainAccess, Run, ThreadId};

use crate::finding::{Access, Detail, Finding, FindingKind};
use crate::locks::Locks;

/// How many events of each thread are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Clock(Vec<u32>);

impl Clock {
    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*other);
        }
    }

    fn tick(&mut self, thread: ThreadId) -> u32 {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] += 1;
        self.0[thread.index()]
    }

    fn knows(&self, thread: ThreadId, time: u32) -> bool {
        self.0.get(thread.index()).is_some_and(|&known| known >= time)
    }
}

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

#[derive(Default)]
struct Threads {
    clocks: Vec<Clock>,
    /// What relaxed reads have seen, for a later acquire fence.
    seen: Vec<Clock>,
    /// What was known at the last release fence.
    fenced: Vec<Clock>,
}

/// Follows a run and compares every access to tracked memory with the earlier ones.
#[derive(Default)]
struct Detector {
    threads: Threads,
    /// What was published with each object.
    published: BTreeMap<ObjectId, Clock>,
    /// What readers of a lock published: only a writer takes it over.
    readers: BTreeMap<ObjectId, Clock>,
    /// The clocks of events that cause others: creations, ends, messages.
    causes: BTreeMap<usize, Clock>,
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

impl Threads {
    fn make_room(&mut self, thread: ThreadId) {
        let count = thread.index() + 1;
        if self.clocks.len() < count {
            self.clocks.resize(count, Clock::default());
            self.seen.resize(count, Clock::default());
            self.fenced.resize(count, Clock::default());
        }
    }
}

impl Detector {
    /// Takes an event in; returns the earlier event that it races with.
    fn follow(&mut self, number: usize, event: &Event) -> Option<usize> {
        let thread = event.thread;
        self.threads.make_room(thread);
        let time = self.threads.clocks[thread.index()].tick(thread);
        match event.operation.kind {
            Kind::PlainRead => {
                return self.read(Stamp { thread, time, event: number }, event.operation.object);
            }
            Kind::PlainWrite => {
                return self.write(Stamp { thread, time, event: number }, event.operation.object);
            }
            Kind::Load | Kind::Store | Kind::ReadModifyWrite => self.atomic(event),
            Kind::CompareExchange | Kind::WeakCompareExchange => self.atomic(event),
            Kind::Fence => self.fence(thread, event.operation.order),
            _ => self.synchronise(number, event),
        }
        None
    }

    fn read(&mut self, stamp: Stamp, object: ObjectId) -> Option<usize> {
        let clock = &self.threads.clocks[stamp.thread.index()];
        let memory = self.memory.entry(object).or_default();
        let race = memory.write.filter(|write| !clock.knows(write.thread, write.time));
        memory.reads.retain(|read| read.thread != stamp.thread);
        memory.reads.push(stamp);
        race.map(|write| write.event)
    }

    fn write(&mut self, stamp: Stamp, object: ObjectId) -> Option<usize> {
        let clock = &self.threads.clocks[stamp.thread.index()];
        let memory = self.memory.entry(object).or_default();
        let earlier = memory.write.iter().chain(&memory.reads);
        let race =
            earlier.filter(|other| !clock.knows(other.thread, other.time)).max_by_key(|other| other.event);
        let race = race.map(|other| other.event);
        memory.reads.clear();
        memory.write = Some(stamp);
        race
    }

    fn atomic(&mut self, event: &Event) {
        let operation = &event.operation;
        let failed = event.outcome == Outcome::Failed;
        let order = if failed { operation.order_on_failure } else { operation.order };
        let reads = operation.kind != Kind::Store;
        let writes = operation.kind != Kind::Load && !failed;
        if reads {
            self.take_over(event.thread, operation.object, order);
        }
        if writes {
            let continues = reads;
            self.publish_atomic(event.thread, operation.object, order, continues);
        }
    }

    fn take_over(&mut self, thread: ThreadId, object: ObjectId, order: Order) {
        if let Some(published) = self.published.get(&object) {
            if order.acquires() {
                self.threads.clocks[thread.index()].join(published);
            } else {
                self.threads.seen[thread.index()].join(published);
            }
        }
    }

    /// A store begins a new release sequence; a read-modify-write continues the one it read from.
    fn publish_atomic(&mut self, thread: ThreadId, object: ObjectId, order: Order, continues: bool) {
        let source = if order.releases() { &self.threads.clocks } else { &self.threads.fenced };
        let clock = source[thread.index()].clone();
        let published = self.published.entry(object).or_default();
        if continues {
            published.join(&clock);
        } else {
            *published = clock;
        }
    }

    fn fence(&mut self, thread: ThreadId, order: Order) {
        if order.acquires() {
            let seen = self.threads.seen[thread.index()].clone();
            self.threads.clocks[thread.index()].join(&seen);
        }
        if order.releases() {
            self.threads.fenced[thread.index()] = self.threads.clocks[thread.index()].clone();
        }
    }

    fn synchronise(&mut self, number: usize, event: &Event) {
        use Kind::*;
        let (thread, object) = (event.thread, event.operation.object);
        if let Some(cause) = event.cause.and_then(|cause| self.causes.get(&(cause as usize)))
            // A notification wakes, but it is the mutex that orders.
            && event.operation.kind != Relock
        {
            self.threads.clocks[thread.index()].join(cause);
        }
        match (event.operation.kind, event.outcome) {
            (Lock | TryLock | TimedLock | Relock, Outcome::Done) => self.acquire(thread, object),
            (Acquire | TryAcquire | TimedAcquire | Park | TimedPark, Outcome::Done) => {
                self.acquire(thread, object);
            }
            (Read | TryRead | TimedRead, Outcome::Done) => self.acquire(thread, object),
            (OnceEnter | OnceLook, _) => self.acquire(thread, object),
            (Receive | TryReceive | TimedReceive, Outcome::Closed) => self.acquire(thread, object),
            (Write | TryWrite | TimedWrite, Outcome::Done) => {
                self.acquire(thread, object);
                if let Some(readers) = self.readers.get(&object) {
                    self.threads.clocks[thread.index()].join(readers);
                }
            }
            (Unlock | WriteUnlock | Post | Unpark | OnceExit | OncePoison | DropSender, _) => {
                self.release(thread, object);
            }
            (ReadUnlock, _) => {
                let clock = self.threads.clocks[thread.index()].clone();
                self.readers.entry(object).or_default().join(&clock);
            }
            (Arrive, Outcome::Last) => {
                self.acquire(thread, object);
                self.release(thread, object);
                self.causes.insert(number, self.threads.clocks[thread.index()].clone());
            }
            (Arrive, _) => self.release(thread, object),
            (Wait | TimedWait | FickleWait, _) => {
                self.release(thread, ObjectId::new(event.operation.operand as usize));
            }
            (Create | End | Send | TrySend | Receive | TryReceive | TimedReceive, _) => {
                self.causes.insert(number, self.threads.clocks[thread.index()].clone());
            }
            _ => {}
        }
    }

    fn acquire(&mut self, thread: ThreadId, object: ObjectId) {
        if let Some(published) = self.published.get(&object) {
            self.threads.clocks[thread.index()].join(published);
        }
    }

    fn release(&mut self, thread: ThreadId, object: ObjectId) {
        let clock = self.threads.clocks[thread.index()].clone();
        self.published.entry(object).or_default().join(&clock);
    }
}

#[cfg(test)]
mod tests;
