//! The visible operations.

use crate::ObjectId;

/// What a thread does in one visible step. The object it does it to, and a number, stand beside it in [`Operation`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    // Memory.
    /// Reads a cell.
    Load,
    /// Overwrites a cell.
    Store,
    /// Reads and overwrites a cell in one step.
    ReadModifyWrite,
    /// Overwrites a cell if it holds the operand.
    CompareExchange,
    /// Like [`Kind::CompareExchange`], but may fail for no reason: that is its second alternative.
    WeakCompareExchange,
    /// An atomic fence.
    Fence,
    /// Reads unsynchronised memory. Recorded, but never a decision: races on it are found from any order.
    PlainRead,
    /// Writes unsynchronised memory; see [`Kind::PlainRead`].
    PlainWrite,

    // Mutexes.
    /// Takes a mutex, or waits for it.
    Lock,
    /// Takes a mutex if it is free.
    TryLock,
    /// Takes a mutex, or gives up.
    TimedLock,
    /// Takes a mutex again after a wait on a condition variable.
    Relock,
    /// Gives a mutex back.
    Unlock,
    /// Takes a recursive mutex that the thread already holds.
    LockAgain,
    /// Gives one level of a recursive mutex back, and still holds it.
    UnlockInner,

    // Reader-writer locks.
    /// Shares a lock with other readers, or waits.
    Read,
    /// Shares a lock if no writer holds it.
    TryRead,
    /// Shares a lock, or gives up.
    TimedRead,
    /// Ends sharing.
    ReadUnlock,
    /// Takes a lock for writing, or waits.
    Write,
    /// Takes a lock for writing if it is free.
    TryWrite,
    /// Takes a lock for writing, or gives up.
    TimedWrite,
    /// Ends writing.
    WriteUnlock,

    // Condition variables.
    /// Gives the mutex (the operand) back and starts to wait, in one step.
    Wait,
    /// Like [`Kind::Wait`], but may end by itself.
    TimedWait,
    /// Like [`Kind::Wait`], but may end for no reason.
    FickleWait,
    /// Ends a timed wait by itself.
    Timeout,
    /// Ends a wait for no reason.
    SpuriousWake,
    /// Wakes one waiting thread; which one is its alternative.
    NotifyOne,
    /// Wakes all waiting threads.
    NotifyAll,

    // Counting semaphores.
    /// Takes a permit, or waits for one.
    Acquire,
    /// Takes a permit if there is one.
    TryAcquire,
    /// Takes a permit, or gives up.
    TimedAcquire,
    /// Adds as many permits as the operand says.
    Post,

    // Barriers. The operand is the number of threads that meet.
    /// Arrives at a barrier.
    Arrive,
    /// Goes on after everybody has arrived.
    Pass,

    // One-time initialisation.
    /// Starts the initialisation, waits for whoever does it, or finds it done.
    OnceEnter,
    /// Ends the initialisation.
    OnceExit,
    /// Ends the initialisation by a panic.
    OncePoison,
    /// Looks whether the initialisation is done.
    OnceLook,

    // Threads. The operand is the other thread.
    /// Creates a thread.
    Create,
    /// The first step of a thread.
    Start,
    /// The last step of a thread.
    End,
    /// Waits for the end of a thread.
    Join,
    /// Gives up the right to join a thread.
    Detach,
    /// Takes the thread's own token, or waits for it.
    Park,
    /// Takes the thread's own token, or gives up.
    TimedPark,
    /// Gives a thread its token.
    Unpark,

    // Channels. The operand of a send is the capacity, that of a receive whether it was offered.
    /// Appends a message, or waits for room.
    Send,
    /// Appends a message if there is room.
    TrySend,
    /// Takes the first message, or waits for one.
    Receive,
    /// Takes the first message if there is one.
    TryReceive,
    /// Takes the first message, or gives up.
    TimedReceive,
    /// One more sender.
    AddSender,
    /// One sender less.
    DropSender,
    /// The receiver is gone.
    DropReceiver,
    /// Waits until its message, whose number is the operand, has been taken from a channel without room.
    Taken,

    // Others.
    /// Spins: goes on when something changes that the last round of the loop read. The operand is the mask of those
    /// objects ([`ObjectId::watch_bit`]).
    Spin,
    /// Chooses one of as many alternatives as the operand says.
    Choose,
    /// Adds the operand to a cell, and sees nothing of it. Behind the others, because their numbers are in files.
    Add,
    /// Says that the receiver of a channel without room begins to wait: from now on a try to send can succeed.
    Offer,
    /// Turns the right to write into the right to read, in one step: other readers may come, and no writer gets in between.
    Downgrade,
}

impl Kind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [Kind; 62] = [
        Kind::Load,
        Kind::Store,
        Kind::ReadModifyWrite,
        Kind::CompareExchange,
        Kind::WeakCompareExchange,
        Kind::Fence,
        Kind::PlainRead,
        Kind::PlainWrite,
        Kind::Lock,
        Kind::TryLock,
        Kind::TimedLock,
        Kind::Relock,
        Kind::Unlock,
        Kind::LockAgain,
        Kind::UnlockInner,
        Kind::Read,
        Kind::TryRead,
        Kind::TimedRead,
        Kind::ReadUnlock,
        Kind::Write,
        Kind::TryWrite,
        Kind::TimedWrite,
        Kind::WriteUnlock,
        Kind::Wait,
        Kind::TimedWait,
        Kind::FickleWait,
        Kind::Timeout,
        Kind::SpuriousWake,
        Kind::NotifyOne,
        Kind::NotifyAll,
        Kind::Acquire,
        Kind::TryAcquire,
        Kind::TimedAcquire,
        Kind::Post,
        Kind::Arrive,
        Kind::Pass,
        Kind::OnceEnter,
        Kind::OnceExit,
        Kind::OncePoison,
        Kind::OnceLook,
        Kind::Create,
        Kind::Start,
        Kind::End,
        Kind::Join,
        Kind::Detach,
        Kind::Park,
        Kind::TimedPark,
        Kind::Unpark,
        Kind::Send,
        Kind::TrySend,
        Kind::Receive,
        Kind::TryReceive,
        Kind::TimedReceive,
        Kind::AddSender,
        Kind::DropSender,
        Kind::DropReceiver,
        Kind::Taken,
        Kind::Spin,
        Kind::Choose,
        Kind::Add,
        Kind::Offer,
        Kind::Downgrade,
    ];

    /// The kind with this number, counted in the order of their declaration.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(number)).copied()
    }

    /// Whether a step of this kind is taken at once, without a decision.
    ///
    /// Such a step is independent of everything that another thread could do before it, so taking it first loses
    /// nothing: it is a persistent set of its own.
    #[inline]
    #[must_use]
    pub fn is_urgent(self) -> bool {
        matches!(
            self,
            Kind::Create
                | Kind::Start
                | Kind::End
                | Kind::Join
                | Kind::Detach
                | Kind::Pass
                | Kind::Choose
                | Kind::Fence
                | Kind::Taken
                | Kind::AddSender
                | Kind::LockAgain
                | Kind::UnlockInner
        )
    }

    /// Whether a step of this kind can always go and always ends alike, whatever its object's level: a change of the object
    /// is nothing to whoever is about to do it.
    #[inline]
    #[must_use]
    pub fn is_unconditional(self) -> bool {
        matches!(self, Kind::Load | Kind::Store | Kind::ReadModifyWrite)
    }

    /// Whether the kind is done to a channel.
    #[inline]
    #[must_use]
    pub fn is_of_channel(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Send | TrySend
                | Receive
                | TryReceive
                | TimedReceive
                | AddSender
                | DropSender
                | DropReceiver
                | Taken
                | Offer
        )
    }

    /// Whether the kind gives a mutex back and waits at a condition variable.
    #[inline]
    #[must_use]
    pub fn is_wait(self) -> bool {
        matches!(self, Kind::Wait | Kind::TimedWait | Kind::FickleWait)
    }

    /// The operation by which a wait of this kind can end without a notification.
    #[inline]
    #[must_use]
    pub fn ends_by_itself(self) -> Option<Kind> {
        match self {
            Kind::TimedWait => Some(Kind::Timeout),
            Kind::FickleWait => Some(Kind::SpuriousWake),
            _ => None,
        }
    }

    /// Whether the kind waits until what it wants has been given back by somebody else, so that the two can never go in
    /// the same state.
    #[inline]
    #[must_use]
    pub fn waits_for_release(self) -> bool {
        matches!(self, Kind::Lock | Kind::Relock | Kind::Read | Kind::Write | Kind::OnceEnter)
    }

    /// Whether the kind takes a lock for one thread alone.
    #[inline]
    #[must_use]
    pub fn takes_alone(self) -> bool {
        use Kind::*;
        matches!(self, Lock | TryLock | TimedLock | Relock | Write | TryWrite | TimedWrite)
    }

    /// Whether the kind gives back what [`Kind::waits_for_release`] waits for. A downgrade gives it to readers only; but a
    /// writer cannot go in a state in which a downgrade can, either.
    #[inline]
    #[must_use]
    pub fn releases(self) -> bool {
        matches!(
            self,
            Kind::Unlock
                | Kind::WriteUnlock
                | Kind::ReadUnlock
                | Kind::Downgrade
                | Kind::OnceExit
                | Kind::OncePoison
        ) || self.is_wait()
    }

    /// Whether the kind is a tracked access to unsynchronised memory.
    #[inline]
    #[must_use]
    pub fn is_plain(self) -> bool {
        matches!(self, Kind::PlainRead | Kind::PlainWrite)
    }
}

/// The memory order that the program asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Order {
    /// No order.
    Relaxed,
    /// What follows stays behind.
    Acquire,
    /// What precedes stays before.
    Release,
    /// Both.
    AcquireRelease,
    /// One order for all; also that of everything that is not an atomic operation.
    #[default]
    SequentiallyConsistent,
    /// Not even an atomic access: one that nothing orders with it races. A plain access is a step only where a model has to
    /// know of it.
    Plain,
}

impl Order {
    /// All orders, in the order of their declaration.
    pub const ALL: [Order; 6] = [
        Order::Relaxed,
        Order::Acquire,
        Order::Release,
        Order::AcquireRelease,
        Order::SequentiallyConsistent,
        Order::Plain,
    ];

    /// Whether a read with this order takes over what the writer published.
    #[inline]
    #[must_use]
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcquireRelease | Order::SequentiallyConsistent)
    }

    /// Whether a write with this order publishes what its thread did before.
    #[inline]
    #[must_use]
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcquireRelease | Order::SequentiallyConsistent)
    }
}

/// A visible operation, done or about to be done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// What is done.
    pub kind: Kind,
    /// The memory order asked for.
    pub order: Order,
    /// The memory order asked for in case a compare-exchange fails.
    pub order_on_failure: Order,
    /// To which object; [`ObjectId::NONE`] if to none.
    pub object: ObjectId,
    /// The number that goes with the kind: what a compare-exchange expects, the mutex of a wait, the other thread, …
    pub operand: u64,
    /// Whether data that is no part of the event changes hands: what a lock guards, the result of a thread. What a thread
    /// does next then depends on who had the object before.
    pub carries: bool,
}

/// Tells the choice whether time runs out from one that the program makes. Its two alternatives stand in the lower half, as those of
/// any choice.
const TIME_OR_NOT: u64 = 1 << 32 | 2;

/// Tells the store that ends the life of memory from one that gives it a value.
const FREES: u64 = 1;

/// Tells the wait of a thread that has asked for the end of the program from that of one that parks.
const EXITS: u64 = 1;

impl Operation {
    /// An operation with the strongest memory order.
    #[inline]
    #[must_use]
    pub fn new(kind: Kind, object: ObjectId, operand: u64) -> Operation {
        Operation {
            kind,
            order: Order::SequentiallyConsistent,
            order_on_failure: Order::SequentiallyConsistent,
            object,
            operand,
            carries: false,
        }
    }

    /// What a thread does that has asked for the end of the program: it waits for its token, and gets nowhere with it.
    #[must_use]
    pub fn exit(token: ObjectId) -> Operation {
        Operation::new(Kind::Park, token, EXITS)
    }

    /// What a thread does to a cell in memory that it frees: a store after which nobody may use the cell.
    #[must_use]
    pub fn free(cell: ObjectId) -> Operation {
        Operation::new(Kind::Store, cell, FREES)
    }

    /// Whether an operation of this kind with this operand frees its cell.
    #[inline]
    #[must_use]
    pub fn frees(kind: Kind, operand: u64) -> bool {
        kind == Kind::Store && operand == FREES
    }

    /// What a thread does that waits in a loop and goes by the clock: it chooses whether its time runs out before anything
    /// changes.
    #[must_use]
    pub fn time_choice() -> Operation {
        Operation::new(Kind::Choose, ObjectId::NONE, TIME_OR_NOT)
    }

    /// Whether an operation of this kind with this operand chooses whether time runs out.
    #[inline]
    #[must_use]
    pub fn chooses_time(kind: Kind, operand: u64) -> bool {
        kind == Kind::Choose && operand == TIME_OR_NOT
    }

    /// Whether the thread has asked for the end of the program.
    #[must_use]
    pub fn is_exit(&self) -> bool {
        self.kind == Kind::Park && self.operand == EXITS
    }

    /// The same operation, with data that changes hands, or without.
    #[inline]
    #[must_use]
    pub fn carrying(self, carries: bool) -> Operation {
        Operation { carries, ..self }
    }

    /// The mutex that a wait gives back, as an object.
    #[inline]
    #[must_use]
    pub fn mutex(&self) -> Option<ObjectId> {
        self.kind.is_wait().then(|| ObjectId::new(self.operand as usize))
    }
}
