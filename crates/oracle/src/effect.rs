//! What a step does to the state.

use raddle_trace::{Outcome, ThreadId, ThreadSet};

use crate::code::Instruction;
use crate::interpreter::{Happened, Machine};
use crate::program::received;
use crate::state::{EventName, Initialisation, Phase, Sleep};
use crate::{Stmt, Value};

impl Machine<'_> {
    /// Does what `happened` says; `event` is its name.
    pub(crate) fn apply(&mut self, happened: &Happened, event: EventName) {
        let thread = happened.thread;
        let instruction = self.instruction(thread);
        self.state.thread_mut(thread).at += 1;
        match instruction {
            Instruction::Start => self.state.thread_mut(thread).sleep = Sleep::Awake(None),
            // There is nothing after the end, so the place stays.
            Instruction::End => {
                self.state.thread_mut(thread).at -= 1;
                self.state.thread_mut(thread).phase = Phase::Ended(event);
            }
            Instruction::Simple(statement) => self.apply_simple(statement, happened, event),
            Instruction::Relock { .. } => self.leave_wait(instruction, thread),
            Instruction::Pass { reg, .. } => {
                let last = self.state.thread(thread).sleep == Sleep::Awake(None);
                self.state.thread_mut(thread).set(*reg, i64::from(last));
                self.state.thread_mut(thread).sleep = Sleep::Awake(None);
            }
            Instruction::Offer { channel } => self.state.channel_mut(*channel).set_offer(Some(event)),
            Instruction::Taken { .. } => {}
            Instruction::OnceEnter { once, skip } => match happened.outcome {
                Outcome::Already => self.state.thread_mut(thread).at = *skip,
                _ => *self.state.initialisation_mut(*once) = Initialisation::Running,
            },
            Instruction::OnceExit { once } => {
                *self.state.initialisation_mut(*once) = Initialisation::Complete;
            }
            Instruction::SpinLoad { cell, value } => self.spin_round(thread, *self.state.cell(*cell), *value),
            // Back to the load.
            Instruction::Spin { .. } => self.state.thread_mut(thread).at -= 2,
            Instruction::Branch { .. } | Instruction::Jump(_) | Instruction::Assert { .. } => {
                unreachable!("bug in raddle: a local instruction is no step")
            }
        }
    }

    fn apply_simple(&mut self, statement: &Stmt, happened: &Happened, event: EventName) {
        use Stmt::*;
        let thread = happened.thread;
        let done = happened.outcome == Outcome::Done;
        match statement {
            Load { .. } | Store { .. } | FetchAdd { .. } | Add { .. } => self.access(statement, thread),
            CompareExchange { cell, new, .. } | WeakCompareExchange { cell, new, .. } if done => {
                self.state.cell_mut(*cell).write(*new);
            }
            Wait { condvar, mutex } | TimedWait { condvar, mutex, .. } => {
                self.state.mutex_mut(*mutex).give_back(thread);
                self.state.waiters_mut(*condvar).insert(thread);
                self.state.thread_mut(thread).sleep = Sleep::Asleep;
            }
            NotifyOne(condvar) if done => {
                let chosen = self.state.waiters(*condvar).nth(happened.alternative as usize);
                let chosen = chosen.expect("bug in raddle: there is no such waiter");
                self.state.waiters_mut(*condvar).remove(chosen);
                self.wake(ThreadSet::only(chosen), event);
            }
            NotifyAll(condvar) => {
                let everybody = std::mem::take(self.state.waiters_mut(*condvar));
                self.wake(everybody, event);
            }
            Acquire(semaphore) | TryAcquire { semaphore, .. } | TimedAcquire { semaphore, .. } if done => {
                *self.state.permits_mut(*semaphore) -= 1;
            }
            Post { semaphore, count } => {
                let permits = self.state.permits_mut(*semaphore);
                *permits = permits.saturating_add(*count);
            }
            Arrive { barrier, .. } => self.arrive(*barrier, happened, event),
            Spawn(child) => {
                self.state.thread_mut(*child).phase = Phase::Alive;
                self.state.thread_mut(*child).sleep = Sleep::Awake(Some(event));
            }
            Park | TimedPark { .. } => *self.state.token_mut(self.token(thread)) = false,
            Unpark(other) => *self.state.token_mut(self.token(*other)) = true,
            Send { channel, value } | TrySend { channel, value, .. } if done => {
                self.state.channel_mut(*channel).push(*value, event);
            }
            Receive { channel, reg } | TryReceive { channel, reg } | TimedReceive { channel, reg } => {
                let value = match happened.outcome {
                    Outcome::Done => self.state.channel_mut(*channel).take(event),
                    Outcome::Closed => received::CLOSED,
                    Outcome::TimedOut => received::TIMED_OUT,
                    _ => received::FAILED,
                };
                self.state.channel_mut(*channel).set_offer(None);
                self.state.thread_mut(thread).set(*reg, value);
            }
            DropSender(channel) => self.state.channel_mut(*channel).drop_sender(),
            Choose { reg, .. } => self.state.thread_mut(thread).set(*reg, i64::from(happened.alternative)),
            _ => self.apply_to_lock(statement, thread, done),
        }
        self.say_whether_done(statement, thread, done);
    }

    fn apply_to_lock(&mut self, statement: &Stmt, thread: ThreadId, done: bool) {
        use Stmt::*;
        match statement {
            Lock(mutex) | TryLock { mutex, .. } | TimedLock { mutex, .. } if done => {
                self.state.mutex_mut(*mutex).take(thread);
            }
            Unlock(mutex) => self.state.mutex_mut(*mutex).give_back(thread),
            Read(lock) | TryRead { lock, .. } | TimedRead { lock, .. } if done => {
                self.state.rwlock_mut(*lock).read();
            }
            ReadUnlock(lock) => self.state.rwlock_mut(*lock).end_reading(),
            Write(lock) | TryWrite { lock, .. } | TimedWrite { lock, .. } if done => {
                self.state.rwlock_mut(*lock).write(thread);
            }
            WriteUnlock(lock) => self.state.rwlock_mut(*lock).end_writing(thread),
            Downgrade(lock) => {
                self.state.rwlock_mut(*lock).end_writing(thread);
                self.state.rwlock_mut(*lock).read();
            }
            _ => {}
        }
    }

    /// Sets the register of those statements that only say whether they succeeded.
    fn say_whether_done(&mut self, statement: &Stmt, thread: ThreadId, done: bool) {
        use Stmt::*;
        match statement {
            CompareExchange { reg, .. }
            | WeakCompareExchange { reg, .. }
            | TryLock { reg, .. }
            | TimedLock { reg, .. }
            | TryRead { reg, .. }
            | TimedRead { reg, .. }
            | TryWrite { reg, .. }
            | TimedWrite { reg, .. }
            | TryAcquire { reg, .. }
            | TimedAcquire { reg, .. }
            | TrySend { reg, .. }
            | TimedPark { reg } => self.state.thread_mut(thread).set(*reg, i64::from(done)),
            _ => {}
        }
    }

    fn access(&mut self, statement: &Stmt, thread: ThreadId) {
        match *statement {
            Stmt::Load { cell, reg } => {
                let value = self.state.cell(cell).value;
                self.state.thread_mut(thread).set(reg, value);
            }
            Stmt::Store { cell, value } => {
                let value = match value {
                    Value::Const(number) => number,
                    Value::Reg(register) => self.state.thread(thread).get(register),
                };
                self.state.cell_mut(cell).write(value);
            }
            Stmt::FetchAdd { cell, by, reg } => {
                let old = self.state.cell(cell).value;
                self.state.cell_mut(cell).write(old.wrapping_add(by));
                self.state.thread_mut(thread).set(reg, old);
            }
            Stmt::Add { cell, by } => {
                let old = self.state.cell(cell).value;
                self.state.cell_mut(cell).write(old.wrapping_add(by));
            }
            _ => unreachable!("bug in raddle: {statement:?} is not an access"),
        }
    }

    fn wake(&mut self, threads: ThreadSet, event: EventName) {
        for thread in threads.iter() {
            self.state.thread_mut(thread).sleep = Sleep::Awake(Some(event));
        }
    }

    fn arrive(&mut self, barrier: raddle_trace::ObjectId, happened: &Happened, event: EventName) {
        let (_, mut waiting) = self.state.barrier(barrier);
        if happened.outcome == Outcome::Last {
            self.wake(waiting, event);
            self.state.set_waiting(barrier, ThreadSet::EMPTY);
        } else {
            waiting.insert(happened.thread);
            self.state.set_waiting(barrier, waiting);
            self.state.thread_mut(happened.thread).sleep = Sleep::Asleep;
        }
    }

    /// A step of a thread in a wait: the timeout, if it still sleeps, or else the relock that ends the wait.
    fn leave_wait(&mut self, relock: &Instruction, thread: ThreadId) {
        let Instruction::Relock { condvar, mutex, timeout } = relock else {
            return;
        };
        match self.state.thread(thread).sleep {
            Sleep::Asleep => {
                self.state.waiters_mut(*condvar).remove(thread);
                self.state.thread_mut(thread).sleep = Sleep::Awake(None);
                // The relock is still to come.
                self.state.thread_mut(thread).at -= 1;
            }
            Sleep::Awake(notification) => {
                self.state.mutex_mut(*mutex).take(thread);
                self.state.thread_mut(thread).sleep = Sleep::Awake(None);
                if let Some(reg) = timeout {
                    self.state.thread_mut(thread).set(*reg, i64::from(notification.is_none()));
                }
            }
        }
    }

    /// One round of a spin loop: leave it, or read again, or, if the round before read the same, wait for a change.
    fn spin_round(&mut self, thread: ThreadId, cell: crate::cell::Cell, value: i64) {
        let state = self.state.thread_mut(thread);
        if cell.value == value {
            state.round = None;
            state.at += 1;
        } else if state.round != Some(cell.changes) {
            state.round = Some(cell.changes);
            state.at -= 1;
        }
    }
}
