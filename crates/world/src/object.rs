//! The state that every object has.

use raddle_trace::level::RW_FREE;
use raddle_trace::{ThreadId, ThreadSet};

/// What an object is, with what it starts as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A memory cell with this value.
    Cell(u64),
    /// Unsynchronised memory whose accesses are tracked.
    Plain,
    /// A mutex.
    Mutex,
    /// A reader-writer lock.
    RwLock,
    /// The queue of those who come to a reader-writer lock, if it is visible: a mutex that one has while it waits for the lock.
    Queue,
    /// A condition variable.
    Condvar,
    /// A semaphore with this many permits.
    Semaphore(u64),
    /// A barrier.
    Barrier,
    /// A one-time initialisation.
    Once,
    /// A one-time initialisation that was done before the run.
    OnceDone,
    /// A channel.
    Channel {
        /// How many senders it has at first.
        senders: u64,
    },
    /// The number of references to shared data, at first this one.
    Count(u64),
    /// Whether a lock is poisoned, seen from outside of it.
    Poison,
    /// The token of a thread, which park takes and unpark gives.
    Token(ThreadId),
}

impl ObjectKind {
    /// What it is, in a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ObjectKind::Cell(_) => "atomic",
            ObjectKind::Plain => "cell",
            ObjectKind::Mutex => "mutex",
            ObjectKind::Queue => raddle_trace::level::QUEUE_WORD,
            ObjectKind::RwLock => "rwlock",
            ObjectKind::Condvar => "condvar",
            ObjectKind::Semaphore(_) => "semaphore",
            ObjectKind::Barrier => "barrier",
            ObjectKind::Once | ObjectKind::OnceDone => "once",
            ObjectKind::Channel { .. } => "channel",
            ObjectKind::Count(_) => raddle_trace::level::count::WORD,
            ObjectKind::Poison => "poison",
            ObjectKind::Token(_) => "token",
        }
    }

    pub(crate) fn first_level(self) -> i64 {
        match self {
            ObjectKind::Cell(value) | ObjectKind::Semaphore(value) | ObjectKind::Count(value) => value as i64,
            ObjectKind::Mutex | ObjectKind::Queue => 1,
            ObjectKind::RwLock => RW_FREE,
            ObjectKind::Channel { senders } => raddle_trace::level::channel::SENDER * senders as i64,
            ObjectKind::OnceDone => raddle_trace::level::once::COMPLETE,
            _ => 0,
        }
    }
}

/// An object during a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    pub kind: ObjectKind,
    pub level: i64,
    /// How often something about the object changed that a spinning thread could be waiting for.
    pub changes: u32,
    /// Who holds it alone: the mutex, the lock for writing, the initialisation.
    pub owner: Option<ThreadId>,
    /// The event in which the owner got it.
    pub since: u32,
    /// How often a recursive mutex was taken again.
    pub depth: u32,
    /// Who shares it (readers) or waits at it (condition variable).
    pub threads: ThreadSet,
    /// For a channel, where its messages are.
    pub queue: usize,
}

impl Object {
    pub(crate) fn new(kind: ObjectKind) -> Object {
        Object {
            kind,
            level: kind.first_level(),
            changes: 0,
            owner: None,
            since: 0,
            depth: 0,
            threads: ThreadSet::EMPTY,
            queue: usize::MAX,
        }
    }
}
