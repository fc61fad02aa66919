//! Snippets in which threads wait for each other.

use raddle_trace::ObjectId;

use super::{Drawing, Owed};
use crate::uses::Sort;
use crate::{Register, Stmt, Value};

/// The number of the thread that receives from a channel without room.
const RECEIVER: usize = 1;

impl Drawing<'_> {
    /// Does something that another thread waits for.
    pub(super) fn repay(&mut self, block: &mut Vec<Stmt>) {
        let debt = self.owed.swap_remove(self.random.below(self.owed.len()));
        let reg = self.register();
        let statement = match debt {
            Owed::Notification(condvar) => return self.notify(block, condvar),
            Owed::Permit(semaphore) => Stmt::Post { semaphore, count: 1 },
            Owed::Token(thread) if self.created.contains(&thread) => Stmt::Unpark(thread),
            Owed::Message(channel) if !self.dropped.contains(&channel) => {
                Stmt::Send { channel, value: self.number() }
            }
            Owed::Arrival(barrier) => Stmt::Arrive { barrier, reg },
            Owed::One(cell) => Stmt::Store { cell, value: Value::Const(1) },
            Owed::Token(_) | Owed::Message(_) => return self.memory(block),
        };
        self.spend(1);
        block.push(statement);
    }

    /// Waits or notifies, with or without the mutex, with or without a condition in memory.
    pub(super) fn condvar(&mut self, block: &mut Vec<Stmt>) {
        let Some(condvar) = self.object(Sort::Condvar) else {
            return self.memory(block);
        };
        let Some(mutex) = self.object(Sort::Mutex) else {
            return self.memory(block);
        };
        let holds = self.held.iter().filter(|held| **held == mutex).count();
        match (self.random.below(5), holds) {
            (0..=1, 0) => {
                self.spend(2);
                block.push(Stmt::Lock(mutex));
                self.wait(block, condvar, mutex);
                block.push(Stmt::Unlock(mutex));
            }
            (0..=1, 1) => self.wait(block, condvar, mutex),
            (2, 0) => {
                self.spend(2);
                block.push(Stmt::Lock(mutex));
                if self.random.one_in(2) {
                    self.spend(1);
                    block.push(Stmt::Store { cell: self.cell(), value: Value::Const(1) });
                }
                self.notify(block, condvar);
                block.push(Stmt::Unlock(mutex));
            }
            _ => self.notify(block, condvar),
        }
    }

    fn wait(&mut self, block: &mut Vec<Stmt>, condvar: ObjectId, mutex: ObjectId) {
        self.spend(2);
        let reg = self.register();
        let wait = match self.random.below(3) {
            0 => Stmt::TimedWait { condvar, mutex, reg },
            _ => Stmt::Wait { condvar, mutex },
        };
        self.waits.push(Owed::Notification(condvar));
        if self.random.one_in(3) {
            self.spend(1);
            let reg = self.register();
            block.push(Stmt::Load { cell: self.cell(), reg });
            block.push(Stmt::If { reg, equals: 0, then: vec![wait], otherwise: Vec::new() });
        } else {
            block.push(wait);
        }
    }

    fn notify(&mut self, block: &mut Vec<Stmt>, condvar: ObjectId) {
        self.spend(1);
        let one = !self.random.one_in(3);
        block.push(if one { Stmt::NotifyOne(condvar) } else { Stmt::NotifyAll(condvar) });
    }

    pub(super) fn semaphore(&mut self, block: &mut Vec<Stmt>) {
        let Some(semaphore) = self.object(Sort::Semaphore) else {
            return self.memory(block);
        };
        self.spend(1);
        let reg = self.register();
        block.push(match self.random.below(8) {
            0..=2 => {
                self.waits.push(Owed::Permit(semaphore));
                Stmt::Acquire(semaphore)
            }
            3 => Stmt::TryAcquire { semaphore, reg },
            4 => Stmt::TimedAcquire { semaphore, reg },
            _ => Stmt::Post { semaphore, count: 1 + self.random.below(4) as u64 / 3 },
        });
    }

    pub(super) fn arrive(&mut self, block: &mut Vec<Stmt>) {
        let Some(barrier) = self.object(Sort::Barrier) else {
            return self.memory(block);
        };
        self.spend(1);
        self.waits.push(Owed::Arrival(barrier));
        block.push(Stmt::Arrive { barrier, reg: self.register() });
    }

    pub(super) fn park(&mut self, block: &mut Vec<Stmt>) {
        self.spend(1);
        let reg = self.register();
        let other = self.random.pick(&self.created);
        block.push(match (self.random.below(5), other) {
            (0, _) => {
                self.waits.push(Owed::Token(self.created[0]));
                Stmt::Park
            }
            (1, _) => Stmt::TimedPark { reg },
            (_, Some(other)) => Stmt::Unpark(other),
            (_, None) => Stmt::TimedPark { reg },
        });
    }

    pub(super) fn channel(&mut self, block: &mut Vec<Stmt>) {
        let Some(channel) = self.object(Sort::Channel) else {
            return self.memory(block);
        };
        self.spend(1);
        let (reg, value) = (self.register(), self.number());
        let receives = match self.program.is_without_room(channel) {
            // Whoever meets there has one partner to meet.
            true => self.created[0].index() == RECEIVER,
            false => self.random.one_in(2) || self.dropped.contains(&channel),
        };
        if receives {
            return block.push(self.receive(channel, reg));
        }
        if self.dropped.contains(&channel) {
            return self.memory(block);
        }
        block.push(match self.random.below(6) {
            0..=2 => Stmt::Send { channel, value },
            3..=4 => Stmt::TrySend { channel, value, reg },
            _ => {
                self.dropped.insert(channel);
                Stmt::DropSender(channel)
            }
        });
    }

    fn receive(&mut self, channel: ObjectId, reg: Register) -> Stmt {
        match self.random.below(4) {
            0..=1 => {
                self.waits.push(Owed::Message(channel));
                Stmt::Receive { channel, reg }
            }
            2 => Stmt::TryReceive { channel, reg },
            _ => Stmt::TimedReceive { channel, reg },
        }
    }
}
