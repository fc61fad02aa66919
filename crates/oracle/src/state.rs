//! The state of a program between two steps.
//!
//! Invariant: two runs that differ only in the order of independent steps lead to *equal* states. That is why a state
//! names an earlier event by its thread and its place there, never by its place in the run.

use raddle_trace::{ObjectId, ThreadId, ThreadSet};

use crate::cell::Cell;
use crate::channel::Channel;
use crate::lock::{Mutex, RwLock};
use crate::program::REGISTERS;
use crate::{Object, Program, Register};

/// An event, named in a way that does not depend on what other threads did in between.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct EventName {
    /// Its thread.
    pub(crate) thread: ThreadId,
    /// Which event of the thread it is, counted from zero.
    pub(crate) position: u32,
}

/// Where a thread is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Phase {
    /// Not created.
    Absent,
    /// Created and not ended.
    Alive,
    /// Ended, by this event.
    Ended(EventName),
}

/// Whether a thread waits for another one to let it go on: in a wait on a condition variable or at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sleep {
    /// It waits.
    Asleep,
    /// It does not, or not any more: then by this event.
    Awake(Option<EventName>),
}

/// A thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Thread {
    pub(crate) phase: Phase,
    /// Its next instruction.
    pub(crate) at: usize,
    pub(crate) registers: [i64; REGISTERS],
    /// How many events it has had.
    pub(crate) events: u32,
    pub(crate) sleep: Sleep,
    /// In a spin loop: how often the cell had changed when the last round read it.
    pub(crate) round: Option<u64>,
}

impl Thread {
    fn new() -> Thread {
        Thread {
            phase: Phase::Absent,
            at: 0,
            registers: [0; REGISTERS],
            events: 0,
            sleep: Sleep::Awake(None),
            round: None,
        }
    }

    pub(crate) fn set(&mut self, register: Register, value: i64) {
        self.registers[usize::from(register.0)] = value;
    }

    pub(crate) fn get(&self, register: Register) -> i64 {
        self.registers[usize::from(register.0)]
    }
}

/// How far a one-time initialisation is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Initialisation {
    New,
    Running,
    Complete,
}

/// An object. The simple ones need no file of their own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Thing {
    Cell(Cell),
    Mutex(Mutex),
    RwLock(RwLock),
    /// Who waits. A set: notifications choose by the number of the thread, not by who came first.
    Condvar(ThreadSet),
    /// How many permits there are.
    Semaphore(u64),
    /// How many meet, and who is waiting for the others.
    Barrier(u64, ThreadSet),
    Once(Initialisation),
    Channel(Channel),
    /// Whether the thread has its token.
    Token(bool),
}

impl Thing {
    fn new(object: &Object) -> Thing {
        match object {
            Object::Cell { initial } => Thing::Cell(Cell::new(*initial)),
            Object::Mutex => Thing::Mutex(Mutex::normal()),
            Object::RecursiveMutex => Thing::Mutex(Mutex::recursive()),
            Object::RwLock => Thing::RwLock(RwLock::default()),
            Object::Condvar => Thing::Condvar(ThreadSet::EMPTY),
            Object::Semaphore { initial } => Thing::Semaphore(*initial),
            Object::Barrier { size } => Thing::Barrier(*size, ThreadSet::EMPTY),
            Object::Once => Thing::Once(Initialisation::New),
            Object::Channel { capacity, senders } => Thing::Channel(Channel::new(*capacity, *senders)),
        }
    }
}

/// The state of a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(crate) threads: Vec<Thread>,
    pub(crate) objects: Vec<Thing>,
    /// Whether an assertion did not hold.
    pub(crate) panicked: bool,
}

/// Gives one accessor per sort of object. A wrong sort is a malformed program, which [`crate::check`] refuses.
macro_rules! sorts {
    ($($name:ident, $name_mut:ident: $variant:ident($type:ty);)*) => {
        impl State {
            $(
                pub(crate) fn $name(&self, object: ObjectId) -> &$type {
                    match &self.objects[object.index()] {
                        Thing::$variant(inner) => inner,
                        other => panic!("bug in raddle: {object} is not a {}: {other:?}", stringify!($name)),
                    }
                }

                pub(crate) fn $name_mut(&mut self, object: ObjectId) -> &mut $type {
                    match &mut self.objects[object.index()] {
                        Thing::$variant(inner) => inner,
                        other => panic!("bug in raddle: {object} is not a {}: {other:?}", stringify!($name)),
                    }
                }
            )*
        }
    };
}

sorts! {
    cell, cell_mut: Cell(Cell);
    mutex, mutex_mut: Mutex(Mutex);
    rwlock, rwlock_mut: RwLock(RwLock);
    waiters, waiters_mut: Condvar(ThreadSet);
    permits, permits_mut: Semaphore(u64);
    initialisation, initialisation_mut: Once(Initialisation);
    channel, channel_mut: Channel(Channel);
    token, token_mut: Token(bool);
}

impl State {
    /// The state before the first step: only the main thread is there.
    pub(crate) fn new(program: &Program) -> State {
        let mut objects: Vec<Thing> = program.objects.iter().map(Thing::new).collect();
        objects.extend(program.threads.iter().map(|_| Thing::Token(false)));
        let mut threads = vec![Thread::new(); program.threads.len()];
        threads[0].phase = Phase::Alive;
        State { threads, objects, panicked: false }
    }

    pub(crate) fn thread(&self, thread: ThreadId) -> &Thread {
        &self.threads[thread.index()]
    }

    pub(crate) fn thread_mut(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.threads[thread.index()]
    }

    /// How many meet at the barrier, and who is waiting there.
    pub(crate) fn barrier(&self, object: ObjectId) -> (u64, ThreadSet) {
        match &self.objects[object.index()] {
            Thing::Barrier(size, waiting) => (*size, *waiting),
            other => panic!("bug in raddle: {object} is not a barrier: {other:?}"),
        }
    }

    pub(crate) fn set_waiting(&mut self, barrier: ObjectId, who: ThreadSet) {
        let (size, _) = self.barrier(barrier);
        self.objects[barrier.index()] = Thing::Barrier(size, who);
    }

    /// Whether no thread has anything left to do.
    pub(crate) fn all_ended(&self) -> bool {
        self.threads.iter().all(|thread| thread.phase != Phase::Alive)
    }

    /// The values of all cells, in the order of declaration.
    pub(crate) fn cells(&self) -> Vec<i64> {
        let value = |object: &Thing| match object {
            Thing::Cell(cell) => Some(cell.value),
            _ => None,
        };
        self.objects.iter().filter_map(value).collect()
    }
}
