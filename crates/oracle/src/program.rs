//! Small multithreaded programs, as data.
//!
//! A program declares its objects and its threads. Objects are numbered in one row, in the order of declaration, and
//! are named by [`ObjectId`] in the statements, so that an event of a run names the same number as the text does.

use raddle_trace::{ObjectId, ThreadId};

/// How many registers a thread has.
pub const REGISTERS: usize = 4;

/// A register of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register(pub u8);

/// What a store writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// This number.
    Const(i64),
    /// What the register holds.
    Reg(Register),
}

/// What a receive leaves in its register if it brought no message.
pub mod received {
    /// The channel was empty.
    pub const FAILED: i64 = -1;
    /// It gave up waiting.
    pub const TIMED_OUT: i64 = -2;
    /// The channel was empty and nobody can send any more.
    pub const CLOSED: i64 = -3;
}

/// A declared object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Object {
    /// An atomic memory cell.
    Cell {
        /// Its first value.
        initial: i64,
    },
    /// A mutex that its holder cannot take again: a second lock waits for ever.
    Mutex,
    /// A mutex that its holder may take again.
    RecursiveMutex,
    /// A reader-writer lock that prefers nobody.
    RwLock,
    /// A condition variable.
    Condvar,
    /// A counting semaphore.
    Semaphore {
        /// Permits at the start.
        initial: u64,
    },
    /// A barrier that can be used again and again.
    Barrier {
        /// How many threads meet.
        size: u64,
    },
    /// A one-time initialisation.
    Once,
    /// A channel; its receiver is never dropped.
    Channel {
        /// How many messages have room; `None` for any number. With none, senders and the one receiver have to meet.
        capacity: Option<u64>,
        /// How many senders there are at the start: one per thread that sends.
        senders: u64,
    },
}

/// A statement. Unless said otherwise a register is set to 1 if the statement did what it is named after, else to 0,
/// and it is set when the statement returns, not when it starts to wait.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it, and the fields are the same few throughout")]
pub enum Stmt {
    // Cells.
    Load {
        cell: ObjectId,
        reg: Register,
    },
    Store {
        cell: ObjectId,
        value: Value,
    },
    /// The register gets the old value.
    FetchAdd {
        cell: ObjectId,
        by: i64,
        reg: Register,
    },
    /// Adds, and sees nothing of the sum.
    Add {
        cell: ObjectId,
        by: i64,
    },
    CompareExchange {
        cell: ObjectId,
        expected: i64,
        new: i64,
        reg: Register,
    },
    /// May fail although the cell holds the expected value.
    WeakCompareExchange {
        cell: ObjectId,
        expected: i64,
        new: i64,
        reg: Register,
    },
    /// Reads the cell until it holds the value; waits for a change once a round has read nothing new.
    SpinUntil {
        cell: ObjectId,
        value: i64,
    },

    // Mutexes.
    Lock(ObjectId),
    TryLock {
        mutex: ObjectId,
        reg: Register,
    },
    TimedLock {
        mutex: ObjectId,
        reg: Register,
    },
    Unlock(ObjectId),

    // Reader-writer locks.
    Read(ObjectId),
    TryRead {
        lock: ObjectId,
        reg: Register,
    },
    TimedRead {
        lock: ObjectId,
        reg: Register,
    },
    ReadUnlock(ObjectId),
    Write(ObjectId),
    TryWrite {
        lock: ObjectId,
        reg: Register,
    },
    TimedWrite {
        lock: ObjectId,
        reg: Register,
    },
    WriteUnlock(ObjectId),
    /// Goes from writing to reading in one step.
    Downgrade(ObjectId),

    // Condition variables.
    Wait {
        condvar: ObjectId,
        mutex: ObjectId,
    },
    /// The register gets 1 if the wait timed out, 0 if it was notified.
    TimedWait {
        condvar: ObjectId,
        mutex: ObjectId,
        reg: Register,
    },
    NotifyOne(ObjectId),
    NotifyAll(ObjectId),

    // Semaphores.
    Acquire(ObjectId),
    TryAcquire {
        semaphore: ObjectId,
        reg: Register,
    },
    TimedAcquire {
        semaphore: ObjectId,
        reg: Register,
    },
    Post {
        semaphore: ObjectId,
        count: u64,
    },

    // Barriers and one-time initialisation.
    /// The register gets 1 for the thread that came last of its group.
    Arrive {
        barrier: ObjectId,
        reg: Register,
    },
    /// The first thread runs the body; others wait for its end and skip it.
    Once {
        once: ObjectId,
        body: Vec<Stmt>,
    },

    // Threads.
    Spawn(ThreadId),
    Join(ThreadId),
    Park,
    /// The register gets 1 if there was a token, 0 if it timed out.
    TimedPark {
        reg: Register,
    },
    Unpark(ThreadId),

    // Channels.
    Send {
        channel: ObjectId,
        value: i64,
    },
    TrySend {
        channel: ObjectId,
        value: i64,
        reg: Register,
    },
    /// The register gets the message, or one of [`received`].
    Receive {
        channel: ObjectId,
        reg: Register,
    },
    TryReceive {
        channel: ObjectId,
        reg: Register,
    },
    TimedReceive {
        channel: ObjectId,
        reg: Register,
    },
    DropSender(ObjectId),

    // Local.
    /// The register gets any number below `n`.
    Choose {
        n: u32,
        reg: Register,
    },
    If {
        reg: Register,
        equals: i64,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// Ends the run as a panic if it does not hold.
    Assert {
        reg: Register,
        equals: i64,
    },
}

impl Stmt {
    /// The statements inside this one, block by block.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Vec<Stmt>> {
        match self {
            Stmt::Once { body, .. } => vec![body],
            Stmt::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// Like [`Stmt::blocks`], to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::Once { body, .. } => vec![body],
            Stmt::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }
}

/// A program. Thread 0 is the one that the run starts with; every other one is spawned by exactly one statement at the
/// top level of a thread with a smaller number.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Program {
    /// The objects, in the order of their numbers.
    pub objects: Vec<Object>,
    /// The statements of each thread.
    pub threads: Vec<Vec<Stmt>>,
}

impl Program {
    /// Adds an object and gives its name.
    pub fn declare(&mut self, object: Object) -> ObjectId {
        self.objects.push(object);
        ObjectId::new(self.objects.len() - 1)
    }

    /// Adds a thread and gives its name. The first one is the main thread.
    pub fn thread(&mut self, statements: Vec<Stmt>) -> ThreadId {
        self.threads.push(statements);
        ThreadId::new(self.threads.len() - 1)
    }

    /// The object that holds the thread's token; tokens are numbered after the declared objects.
    #[must_use]
    pub fn token(&self, thread: ThreadId) -> ObjectId {
        ObjectId::new(self.objects.len() + thread.index())
    }

    /// How many statements there are, those inside others included.
    #[must_use]
    pub fn len(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |_, _| count += 1);
        count
    }

    /// Whether there is no statement.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.threads.iter().all(Vec::is_empty)
    }

    /// Shows every statement, outer ones before inner ones.
    pub fn visit(&self, see: &mut dyn FnMut(ThreadId, &Stmt)) {
        for (index, block) in self.threads.iter().enumerate() {
            visit_block(ThreadId::new(index), block, see);
        }
    }
}

fn visit_block(thread: ThreadId, block: &[Stmt], see: &mut dyn FnMut(ThreadId, &Stmt)) {
    for statement in block {
        see(thread, statement);
        statement.blocks().into_iter().for_each(|inner| visit_block(thread, inner, see));
    }
}
