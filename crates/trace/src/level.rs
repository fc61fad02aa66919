//! The one description of when an operation is enabled and what it does to its object.
//!
//! Every object has a *level*, a number: the value of a cell, the free places of a lock, the permits of a semaphore,
//! the waiters of a condition variable, the messages of a channel. Whether an operation can go, how it would end and
//! what the level is afterwards are functions of the level alone. `world` adds who owns and who waits; the search uses
//! the same functions to foresee how an operation would end in a run that has not happened yet.
//!
//! Invariant: within a set of events that contains all their causes, the change that an event makes to a level is the
//! change it made when it happened. So the level after such a set is the first level plus the sum of the changes.

use crate::{Kind, Operation};

/// How an operation ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Outcome {
    /// It did what it is named after.
    #[default]
    Done,
    /// It could not: the lock was held, the cell held another value, nobody was waiting, the channel was full or empty.
    Failed,
    /// It gave up waiting.
    TimedOut,
    /// The initialisation had been done before.
    Already,
    /// It was the last one that a barrier waited for.
    Last,
    /// It was the last but one that a barrier waited for. To the program this is the same as [`Outcome::Done`]; but two
    /// arrivals do not commute if one of them will be the last.
    LastButOne,
    /// The other side of the channel is gone.
    Closed,
}

impl Outcome {
    /// All outcomes, in the order of their declaration.
    pub const ALL: [Outcome; 7] = [
        Outcome::Done,
        Outcome::Failed,
        Outcome::TimedOut,
        Outcome::Already,
        Outcome::Last,
        Outcome::LastButOne,
        Outcome::Closed,
    ];
}

/// Free places of a reader-writer lock that nobody holds: a reader takes one, a writer all of them.
pub const RW_FREE: i64 = 1 << 20;

/// What the queue of those who come to a reader-writer lock is called, where it is visible.
pub const QUEUE_WORD: &str = "queue";

/// States of a one-time initialisation.
pub mod once {
    /// Not started.
    pub const NEW: i64 = 0;
    /// Somebody is doing it.
    pub const RUNNING: i64 = 1;
    /// Done.
    pub const COMPLETE: i64 = 2;
}

/// The level of a number of references: those that keep the data and those that do not, in one number.
pub mod count {
    /// What such an object is called.
    pub const WORD: &str = "Arc count";
    /// One reference that keeps the data.
    pub const STRONG: i64 = 1;
    /// One reference that does not.
    pub const WEAK: i64 = 1 << 32;

    /// References that keep the data.
    #[inline]
    #[must_use]
    pub fn strong(level: i64) -> i64 {
        level & (WEAK - 1)
    }

    /// References that do not.
    #[inline]
    #[must_use]
    pub fn weak(level: i64) -> i64 {
        level / WEAK
    }
}

/// The level of a channel: messages, senders, whether the receiver is gone and whether it waits, in one number.
pub mod channel {
    /// One sender.
    pub const SENDER: i64 = 1 << 32;
    /// The receiver is gone.
    pub const NO_RECEIVER: i64 = 1 << 60;
    /// The receiver of a channel without room waits, and has not got its message yet.
    pub const OFFER: i64 = 1 << 61;
    /// The operand of a receive that [`Kind::Offer`](crate::Kind::Offer) came before.
    pub const OFFERED: u64 = 1;

    /// Messages waiting.
    #[inline]
    #[must_use]
    pub fn messages(level: i64) -> u64 {
        (level & (SENDER - 1)) as u64
    }

    /// Whether nobody can send any more.
    #[inline]
    #[must_use]
    pub fn without_senders(level: i64) -> bool {
        (level & (NO_RECEIVER - 1)) < SENDER
    }

    /// Whether somebody can be handed a message although the channel holds none.
    #[inline]
    #[must_use]
    pub fn takes_by_hand(level: i64) -> bool {
        level & OFFER != 0 && messages(level) == 0
    }

    /// Whether nobody can receive any more.
    #[inline]
    #[must_use]
    pub fn without_receiver(level: i64) -> bool {
        level & NO_RECEIVER != 0
    }
}

/// How `operation` would end on an object of this level; `None` if it would have to wait. Part of whoever asks, as
/// [`Accesses::of`](crate::Accesses::of).
#[inline(always)]
#[must_use]
pub fn outcome(operation: &Operation, level: i64) -> Option<Outcome> {
    use Kind::*;
    match operation.kind {
        CompareExchange | WeakCompareExchange => {
            Some(if level as u64 == operation.operand { Outcome::Done } else { Outcome::Failed })
        }
        Lock | Relock | Acquire | Read | Park => (level >= 1).then_some(Outcome::Done),
        TryLock | TryAcquire | TryRead => Some(if level >= 1 { Outcome::Done } else { Outcome::Failed }),
        TimedLock | TimedAcquire | TimedRead | TimedPark => {
            Some(if level >= 1 { Outcome::Done } else { Outcome::TimedOut })
        }
        Write => (level >= RW_FREE).then_some(Outcome::Done),
        TryWrite => Some(if level >= RW_FREE { Outcome::Done } else { Outcome::Failed }),
        TimedWrite => Some(if level >= RW_FREE { Outcome::Done } else { Outcome::TimedOut }),
        NotifyOne | NotifyAll => Some(if level > 0 { Outcome::Done } else { Outcome::Failed }),
        Arrive => {
            let meeting = operation.operand.max(1) as i64;
            Some(match meeting - 1 - level % meeting {
                0 => Outcome::Last,
                1 => Outcome::LastButOne,
                _ => Outcome::Done,
            })
        }
        OnceEnter => match level {
            once::NEW => Some(Outcome::Done),
            once::RUNNING => None,
            _ => Some(Outcome::Already),
        },
        Send | TrySend => send_outcome(operation, level),
        Receive | TryReceive | TimedReceive => receive_outcome(operation, level),
        _ => Some(Outcome::Done),
    }
}

fn send_outcome(operation: &Operation, level: i64) -> Option<Outcome> {
    if channel::without_receiver(level) {
        Some(Outcome::Closed)
    } else if channel::messages(level) < operation.operand
        || (operation.operand == 0 && channel::takes_by_hand(level))
    {
        Some(Outcome::Done)
    } else if operation.kind == Kind::Send {
        None
    } else {
        Some(Outcome::Failed)
    }
}

fn receive_outcome(operation: &Operation, level: i64) -> Option<Outcome> {
    if channel::messages(level) > 0 {
        Some(Outcome::Done)
    } else if channel::without_senders(level) {
        Some(Outcome::Closed)
    } else {
        match operation.kind {
            Kind::Receive => None,
            Kind::TryReceive => Some(Outcome::Failed),
            _ => Some(Outcome::TimedOut),
        }
    }
}

/// The level after `operation` ended with `outcome` on an object of this level.
///
/// What a store, a read-modify-write or a successful compare-exchange leaves behind is not decided here: the caller
/// knows the new value.
#[inline]
#[must_use]
pub fn after(operation: &Operation, outcome: Outcome, level: i64) -> i64 {
    use Kind::*;
    let offer = if operation.operand == channel::OFFERED { channel::OFFER } else { 0 };
    match (operation.kind, outcome) {
        (Receive | TimedReceive, Outcome::TimedOut | Outcome::Closed) => level - offer,
        (_, Outcome::Failed | Outcome::TimedOut | Outcome::Already | Outcome::Closed) => level,
        (Lock | TryLock | TimedLock | Relock | Read | TryRead | TimedRead, _) => level - 1,
        (Acquire | TryAcquire | TimedAcquire, _) => level - 1,
        (Unlock | ReadUnlock, _) => level + 1,
        (Write | TryWrite | TimedWrite, _) => level - RW_FREE,
        (WriteUnlock, _) => level + RW_FREE,
        // All places are given back but the one that a reader takes.
        (Downgrade, _) => level + RW_FREE - 1,
        (Wait | TimedWait | FickleWait, _) => level + 1,
        (Timeout | SpuriousWake | NotifyOne, _) => level - 1,
        (NotifyAll, _) => 0,
        (Post | Add, _) => level.wrapping_add(operation.operand as i64),
        (Arrive | Unpark, _) => level + 1,
        (Park | TimedPark, _) => 0,
        (OnceEnter, _) => once::RUNNING,
        (OnceExit, _) => once::COMPLETE,
        (OncePoison, _) => once::NEW,
        (Send | TrySend, _) => level + 1,
        (TryReceive, _) => level - 1,
        (Receive | TimedReceive, _) => level - 1 - offer,
        (Offer, _) => level + channel::OFFER,
        (AddSender, _) => level + channel::SENDER,
        (DropSender, _) => level - channel::SENDER,
        (DropReceiver, _) => level | channel::NO_RECEIVER,
        _ => level,
    }
}
