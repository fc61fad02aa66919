//! What a statement mentions: objects, threads, the register it sets.

use raddle_trace::{ObjectId, ThreadId};

use crate::{Object, Register, Stmt};

/// The sort of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sort {
    Cell,
    Mutex,
    RwLock,
    Condvar,
    Semaphore,
    Barrier,
    Once,
    Channel,
}

impl Object {
    pub(crate) fn sort(&self) -> Sort {
        match self {
            Object::Cell { .. } => Sort::Cell,
            Object::Mutex | Object::RecursiveMutex => Sort::Mutex,
            Object::RwLock => Sort::RwLock,
            Object::Condvar => Sort::Condvar,
            Object::Semaphore { .. } => Sort::Semaphore,
            Object::Barrier { .. } => Sort::Barrier,
            Object::Once => Sort::Once,
            Object::Channel { .. } => Sort::Channel,
        }
    }
}

impl Stmt {
    /// The objects that the statement itself mentions, without those of its blocks.
    pub(crate) fn objects(&self) -> Vec<(Sort, ObjectId)> {
        // A statement is small once its blocks are gone, and one list of the variants is better than two.
        let mut copy = self.clone();
        copy.objects_mut().into_iter().map(|(sort, object)| (sort, *object)).collect()
    }

    /// Like [`Stmt::objects`], to change them.
    pub(crate) fn objects_mut(&mut self) -> Vec<(Sort, &mut ObjectId)> {
        use Stmt::*;
        match self {
            Load { cell, .. }
            | Store { cell, .. }
            | FetchAdd { cell, .. }
            | Add { cell, .. }
            | CompareExchange { cell, .. }
            | WeakCompareExchange { cell, .. }
            | SpinUntil { cell, .. } => vec![(Sort::Cell, cell)],
            Lock(mutex) | TryLock { mutex, .. } | TimedLock { mutex, .. } | Unlock(mutex) => {
                vec![(Sort::Mutex, mutex)]
            }
            Read(lock)
            | TryRead { lock, .. }
            | TimedRead { lock, .. }
            | ReadUnlock(lock)
            | Write(lock)
            | TryWrite { lock, .. }
            | TimedWrite { lock, .. }
            | WriteUnlock(lock)
            | Downgrade(lock) => vec![(Sort::RwLock, lock)],
            Wait { condvar, mutex } | TimedWait { condvar, mutex, .. } => {
                vec![(Sort::Condvar, condvar), (Sort::Mutex, mutex)]
            }
            NotifyOne(condvar) | NotifyAll(condvar) => vec![(Sort::Condvar, condvar)],
            Acquire(semaphore)
            | TryAcquire { semaphore, .. }
            | TimedAcquire { semaphore, .. }
            | Post { semaphore, .. } => vec![(Sort::Semaphore, semaphore)],
            Arrive { barrier, .. } => vec![(Sort::Barrier, barrier)],
            Once { once, .. } => vec![(Sort::Once, once)],
            Send { channel, .. }
            | TrySend { channel, .. }
            | Receive { channel, .. }
            | TryReceive { channel, .. }
            | TimedReceive { channel, .. }
            | DropSender(channel) => vec![(Sort::Channel, channel)],
            Spawn(_) | Join(_) | Park | TimedPark { .. } | Unpark(_) => Vec::new(),
            Choose { .. } | If { .. } | Assert { .. } => Vec::new(),
        }
    }

    /// The thread that the statement mentions.
    pub(crate) fn thread_mut(&mut self) -> Option<&mut ThreadId> {
        match self {
            Stmt::Spawn(thread) | Stmt::Join(thread) | Stmt::Unpark(thread) => Some(thread),
            _ => None,
        }
    }

    /// The channel whose sender the statement needs.
    pub(crate) fn sends_on(&self) -> Option<ObjectId> {
        match self {
            Stmt::Send { channel, .. } | Stmt::TrySend { channel, .. } | Stmt::DropSender(channel) => {
                Some(*channel)
            }
            _ => None,
        }
    }

    /// The channel that the statement takes a message from.
    pub(crate) fn receives_from(&self) -> Option<ObjectId> {
        match self {
            Stmt::Receive { channel, .. }
            | Stmt::TryReceive { channel, .. }
            | Stmt::TimedReceive { channel, .. } => Some(*channel),
            _ => None,
        }
    }

    /// The register that the statement itself sets.
    pub(crate) fn sets(&self) -> Option<Register> {
        use Stmt::*;
        match self {
            Load { reg, .. }
            | FetchAdd { reg, .. }
            | CompareExchange { reg, .. }
            | WeakCompareExchange { reg, .. }
            | TryLock { reg, .. }
            | TimedLock { reg, .. }
            | TryRead { reg, .. }
            | TimedRead { reg, .. }
            | TryWrite { reg, .. }
            | TimedWrite { reg, .. }
            | TimedWait { reg, .. }
            | TryAcquire { reg, .. }
            | TimedAcquire { reg, .. }
            | Arrive { reg, .. }
            | TimedPark { reg }
            | TrySend { reg, .. }
            | Receive { reg, .. }
            | TryReceive { reg, .. }
            | TimedReceive { reg, .. }
            | Choose { reg, .. } => Some(*reg),
            _ => None,
        }
    }
}
