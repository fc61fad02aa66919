//! What a thread would do next, whether it can, and how it would end.

use raddle_trace::{Kind, ObjectId, Operation, Outcome, ThreadId};

use crate::Stmt;
use crate::code::Instruction;
use crate::interpreter::Machine;
use crate::state::{EventName, Initialisation, Phase, Sleep};

impl Machine<'_> {
    /// The operation that the thread is about to do; none if it is not there, has ended, sleeps until
    /// notified, or the run has panicked.
    #[must_use]
    pub(crate) fn operation(&self, thread: ThreadId) -> Option<Operation> {
        if self.state.panicked || self.state.thread(thread).phase != Phase::Alive {
            return None;
        }
        let plain = |kind, object| Some(Operation::new(kind, object, 0));
        match self.instruction(thread) {
            Instruction::Start => plain(Kind::Start, ObjectId::NONE),
            Instruction::End => plain(Kind::End, ObjectId::NONE),
            Instruction::Simple(statement) => Some(self.simple(thread, statement)),
            Instruction::Relock { condvar, mutex, timeout } => match self.state.thread(thread).sleep {
                Sleep::Awake(_) => plain(Kind::Relock, *mutex),
                Sleep::Asleep if timeout.is_some() => plain(Kind::Timeout, *condvar),
                Sleep::Asleep => None,
            },
            Instruction::Pass { barrier, .. } => plain(Kind::Pass, *barrier),
            Instruction::Offer { channel } => plain(Kind::Offer, *channel),
            Instruction::Taken { channel } => {
                let number = self.last_sent(thread, *channel) as u64;
                Some(Operation::new(Kind::Taken, *channel, number))
            }
            Instruction::OnceEnter { once, .. } => plain(Kind::OnceEnter, *once),
            Instruction::OnceExit { once } => plain(Kind::OnceExit, *once),
            Instruction::SpinLoad { cell, .. } => plain(Kind::Load, *cell),
            Instruction::Spin { cell } => Some(Operation::new(Kind::Spin, ObjectId::NONE, cell.watch_bit())),
            Instruction::Branch { .. } | Instruction::Jump(_) | Instruction::Assert { .. } => {
                unreachable!("bug in raddle: {thread} stopped before a local instruction")
            }
        }
    }

    fn simple(&self, thread: ThreadId, statement: &Stmt) -> Operation {
        use Stmt::*;
        let plain = |kind, object: &ObjectId| Operation::new(kind, *object, 0);
        match statement {
            Load { cell, .. } => plain(Kind::Load, cell),
            Store { cell, .. } => plain(Kind::Store, cell),
            FetchAdd { cell, .. } => plain(Kind::ReadModifyWrite, cell),
            Add { cell, by } => Operation::new(Kind::Add, *cell, *by as u64),
            CompareExchange { cell, expected, .. } => {
                Operation::new(Kind::CompareExchange, *cell, *expected as u64)
            }
            WeakCompareExchange { cell, expected, .. } => {
                Operation::new(Kind::WeakCompareExchange, *cell, *expected as u64)
            }
            Lock(mutex) => self.lock(thread, Kind::Lock, *mutex),
            TryLock { mutex, .. } => self.lock(thread, Kind::TryLock, *mutex),
            TimedLock { mutex, .. } => self.lock(thread, Kind::TimedLock, *mutex),
            Unlock(mutex) if self.state.mutex(*mutex).is_nested() => plain(Kind::UnlockInner, mutex),
            Unlock(mutex) => plain(Kind::Unlock, mutex),
            Read(lock) => plain(Kind::Read, lock),
            TryRead { lock, .. } => plain(Kind::TryRead, lock),
            TimedRead { lock, .. } => plain(Kind::TimedRead, lock),
            ReadUnlock(lock) => plain(Kind::ReadUnlock, lock),
            Write(lock) => plain(Kind::Write, lock),
            TryWrite { lock, .. } => plain(Kind::TryWrite, lock),
            TimedWrite { lock, .. } => plain(Kind::TimedWrite, lock),
            WriteUnlock(lock) => plain(Kind::WriteUnlock, lock),
            Downgrade(lock) => plain(Kind::Downgrade, lock),
            Wait { condvar, mutex } => Operation::new(Kind::Wait, *condvar, mutex.index() as u64),
            TimedWait { condvar, mutex, .. } => {
                Operation::new(Kind::TimedWait, *condvar, mutex.index() as u64)
            }
            NotifyOne(condvar) => plain(Kind::NotifyOne, condvar),
            NotifyAll(condvar) => plain(Kind::NotifyAll, condvar),
            Acquire(semaphore) => plain(Kind::Acquire, semaphore),
            TryAcquire { semaphore, .. } => plain(Kind::TryAcquire, semaphore),
            TimedAcquire { semaphore, .. } => plain(Kind::TimedAcquire, semaphore),
            Post { semaphore, count } => Operation::new(Kind::Post, *semaphore, *count),
            Arrive { barrier, .. } => Operation::new(Kind::Arrive, *barrier, self.state.barrier(*barrier).0),
            Spawn(child) => Operation::new(Kind::Create, ObjectId::NONE, child.index() as u64),
            Join(other) => Operation::new(Kind::Join, ObjectId::NONE, other.index() as u64),
            Park => plain(Kind::Park, &self.token(thread)),
            TimedPark { .. } => plain(Kind::TimedPark, &self.token(thread)),
            Unpark(other) => Operation::new(Kind::Unpark, self.token(*other), other.index() as u64),
            Send { channel, .. } => Operation::new(Kind::Send, *channel, self.state.channel(*channel).room()),
            TrySend { channel, .. } => {
                Operation::new(Kind::TrySend, *channel, self.state.channel(*channel).room_for_tries())
            }
            Receive { channel, .. } => self.receive(Kind::Receive, *channel),
            TryReceive { channel, .. } => plain(Kind::TryReceive, channel),
            TimedReceive { channel, .. } => self.receive(Kind::TimedReceive, *channel),
            DropSender(channel) => plain(Kind::DropSender, channel),
            Choose { n, .. } => Operation::new(Kind::Choose, ObjectId::NONE, u64::from(*n)),
            SpinUntil { .. } | Once { .. } | If { .. } | Assert { .. } => {
                unreachable!("bug in raddle: {statement:?} is not one step")
            }
        }
    }

    /// However it is taken, a recursive mutex that the thread holds is taken again at once.
    fn lock(&self, thread: ThreadId, kind: Kind, mutex: ObjectId) -> Operation {
        let again = self.state.mutex(mutex).may_nest(thread);
        Operation::new(if again { Kind::LockAgain } else { kind }, mutex, 0)
    }

    /// The operand tells a receive that has said that it waits.
    fn receive(&self, kind: Kind, channel: ObjectId) -> Operation {
        Operation::new(kind, channel, u64::from(self.state.channel(channel).offer().is_some()))
    }

    /// The number of the message that the thread has just sent.
    fn last_sent(&self, thread: ThreadId, channel: ObjectId) -> usize {
        let event = EventName { thread, position: self.state.thread(thread).events - 1 };
        self.state.channel(channel).number_of(event).expect("bug in raddle: nothing was sent")
    }

    /// How the thread's operation would end now, if it takes this alternative; `None` if it would have to wait.
    #[must_use]
    pub(crate) fn outcome(&self, thread: ThreadId, alternative: u32) -> Option<Outcome> {
        let operation = self.operation(thread)?;
        let object = operation.object;
        let expected = operation.operand as i64;
        match operation.kind {
            Kind::CompareExchange => Some(self.state.cell(object).compare(expected)),
            Kind::WeakCompareExchange => Some(self.state.cell(object).compare_weakly(expected, alternative)),
            Kind::Lock | Kind::TryLock | Kind::TimedLock | Kind::Relock => {
                if_possible(self.state.mutex(object).is_free(), operation.kind)
            }
            Kind::Read | Kind::TryRead | Kind::TimedRead => {
                if_possible(self.state.rwlock(object).can_read(), operation.kind)
            }
            Kind::Write | Kind::TryWrite | Kind::TimedWrite => {
                if_possible(self.state.rwlock(object).can_write(), operation.kind)
            }
            Kind::Acquire | Kind::TryAcquire | Kind::TimedAcquire => {
                if_possible(*self.state.permits(object) > 0, operation.kind)
            }
            Kind::Park | Kind::TimedPark => if_possible(*self.state.token(object), operation.kind),
            Kind::Send => if_possible(!self.state.channel(object).is_full(), operation.kind),
            Kind::TrySend => if_possible(self.state.channel(object).takes_at_once(), operation.kind),
            Kind::Taken => {
                let taker = self.state.channel(object).taker(self.last_sent(thread, object));
                taker.map(|_| Outcome::Done)
            }
            Kind::Receive | Kind::TryReceive | Kind::TimedReceive => {
                self.state.channel(object).receive_outcome(if_possible(false, operation.kind))
            }
            Kind::NotifyOne | Kind::NotifyAll => {
                let nobody = self.state.waiters(object).is_empty();
                Some(if nobody { Outcome::Failed } else { Outcome::Done })
            }
            Kind::Arrive => Some(self.arrival(object)),
            Kind::Pass => matches!(self.state.thread(thread).sleep, Sleep::Awake(_)).then_some(Outcome::Done),
            Kind::OnceEnter => match self.state.initialisation(object) {
                Initialisation::New => Some(Outcome::Done),
                Initialisation::Running => None,
                Initialisation::Complete => Some(Outcome::Already),
            },
            Kind::Join => self.end_of(ThreadId::new(operation.operand as usize)).map(|_| Outcome::Done),
            Kind::Spin => self.something_changed(thread).then_some(Outcome::Done),
            _ => Some(Outcome::Done),
        }
    }

    fn arrival(&self, barrier: ObjectId) -> Outcome {
        let (size, waiting) = self.state.barrier(barrier);
        if waiting.len() as u64 + 1 == size { Outcome::Last } else { Outcome::Done }
    }

    fn something_changed(&self, thread: ThreadId) -> bool {
        let Instruction::Spin { cell } = self.instruction(thread) else {
            return false;
        };
        self.state.thread(thread).round != Some(self.state.cell(*cell).changes)
    }

    pub(crate) fn end_of(&self, thread: ThreadId) -> Option<EventName> {
        match self.state.thread(thread).phase {
            Phase::Ended(event) => Some(event),
            _ => None,
        }
    }

    /// In how many ways the thread's operation can go now; none if it would have to wait.
    #[must_use]
    pub(crate) fn alternatives(&self, thread: ThreadId) -> u32 {
        if !self.enabled(thread) {
            return 0;
        }
        let Some(operation) = self.operation(thread) else {
            return 0;
        };
        match operation.kind {
            Kind::NotifyOne => self.state.waiters(operation.object).len().max(1) as u32,
            Kind::WeakCompareExchange if self.outcome(thread, 0) == Some(Outcome::Done) => 2,
            Kind::Choose => operation.operand as u32,
            _ => 1,
        }
    }
}

/// How an operation of this kind ends on an object that can serve it, or cannot.
fn if_possible(possible: bool, kind: Kind) -> Option<Outcome> {
    match kind {
        _ if possible => Some(Outcome::Done),
        Kind::TryLock
        | Kind::TryRead
        | Kind::TryWrite
        | Kind::TryAcquire
        | Kind::TrySend
        | Kind::TryReceive => Some(Outcome::Failed),
        Kind::TimedLock
        | Kind::TimedRead
        | Kind::TimedWrite
        | Kind::TimedAcquire
        | Kind::TimedPark
        | Kind::TimedReceive => Some(Outcome::TimedOut),
        _ => None,
    }
}
