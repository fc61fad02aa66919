//! Snippets about memory, locks and local control.

use raddle_trace::ObjectId;

use super::{Drawing, Level, Owed, Topic};
use crate::program::REGISTERS;
use crate::uses::Sort;
use crate::{Register, Stmt, Value};

/// Blocks inside blocks beyond this add size, not variety.
const DEEPEST: Level = Level(2);

impl Drawing<'_> {
    /// Adds a few statements that belong together.
    pub(super) fn snippet(&mut self, block: &mut Vec<Stmt>, level: Level) {
        if !self.owed.is_empty() && self.random.one_in(2) {
            return self.repay(block);
        }
        let topic = match self.random.below(6) {
            0 => Topic::Memory,
            _ => self.random.pick(self.topics).unwrap_or(Topic::Memory),
        };
        let deep = level.0 >= DEEPEST.0;
        match topic {
            Topic::Mutex if !deep => self.region(block, level),
            Topic::RwLock if !deep => self.shared_region(block, level),
            Topic::Once if !deep => self.initialise(block, level),
            Topic::Choose if !deep => self.choose(block, level),
            Topic::Condvar => self.condvar(block),
            Topic::Semaphore => self.semaphore(block),
            Topic::Barrier => self.arrive(block),
            Topic::Park => self.park(block),
            Topic::Channel => self.channel(block),
            Topic::Spin if self.random.one_in(2) => self.spin(block),
            Topic::Assert if self.random.one_in(2) => self.assert(block),
            _ if !deep && self.random.one_in(6) => self.branch_on_read(block, level),
            _ => self.memory(block),
        }
    }

    pub(super) fn register(&mut self) -> Register {
        Register(self.random.below(REGISTERS) as u8)
    }

    /// Few values, so that they often agree.
    pub(super) fn number(&mut self) -> i64 {
        self.random.below(3) as i64
    }

    pub(super) fn cell(&mut self) -> ObjectId {
        self.object(Sort::Cell).expect("bug in raddle: no cell declared")
    }

    pub(super) fn memory(&mut self, block: &mut Vec<Stmt>) {
        self.spend(1);
        let (cell, reg) = (self.cell(), self.register());
        let (expected, new) = (self.number(), self.number());
        block.push(match self.random.below(11) {
            0..=2 => Stmt::Load { cell, reg },
            3..=4 => Stmt::Store { cell, value: Value::Const(new) },
            5 => Stmt::Store { cell, value: Value::Reg(reg) },
            6..=7 => Stmt::FetchAdd { cell, by: 1, reg },
            8 => Stmt::CompareExchange { cell, expected, new, reg },
            9 => Stmt::Add { cell, by: 1 },
            _ => Stmt::WeakCompareExchange { cell, expected, new, reg },
        });
    }

    fn spin(&mut self, block: &mut Vec<Stmt>) {
        self.spend(2);
        let cell = self.cell();
        self.waits.push(Owed::One(cell));
        block.push(Stmt::SpinUntil { cell, value: 1 });
    }

    fn assert(&mut self, block: &mut Vec<Stmt>) {
        self.spend(1);
        let (cell, reg) = (self.cell(), self.register());
        block.push(Stmt::Load { cell, reg });
        block.push(Stmt::Assert { reg, equals: self.number() });
    }

    fn branch_on_read(&mut self, block: &mut Vec<Stmt>, level: Level) {
        self.spend(1);
        let (cell, reg) = (self.cell(), self.register());
        block.push(Stmt::Load { cell, reg });
        let equals = self.number();
        self.branch(block, level, reg, equals);
    }

    /// A choice is no step that can be interleaved, but it multiplies the runs as one does.
    fn choose(&mut self, block: &mut Vec<Stmt>, level: Level) {
        self.spend(1);
        let reg = self.register();
        let n = 2 + self.random.below(4) as u32 / 3;
        block.push(Stmt::Choose { n, reg });
        if self.random.one_in(4) {
            let cell = self.cell();
            self.spend(1);
            block.push(Stmt::Store { cell, value: Value::Reg(reg) });
        } else {
            let equals = self.random.below(n as usize) as i64;
            self.branch(block, level, reg, equals);
        }
    }

    fn branch(&mut self, block: &mut Vec<Stmt>, level: Level, reg: Register, equals: i64) {
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        self.snippet(&mut then, level.inner());
        if self.random.one_in(2) {
            self.snippet(&mut otherwise, level.inner());
        }
        block.push(Stmt::If { reg, equals, then, otherwise });
    }

    fn initialise(&mut self, block: &mut Vec<Stmt>, level: Level) {
        let Some(once) = self.takeable(Sort::Once) else {
            return self.memory(block);
        };
        self.spend(2);
        let mut body = Vec::new();
        if !self.random.one_in(3) {
            self.held.push(once);
            self.snippet(&mut body, level.inner());
            self.held.pop();
        }
        block.push(Stmt::Once { once, body });
    }

    /// A lock that can be taken here; rarely one that the thread holds already and will wait for in vain.
    fn takeable(&mut self, sort: Sort) -> Option<ObjectId> {
        let lock = self.object(sort)?;
        let fine = !self.held.contains(&lock) || self.is_recursive(lock) || self.random.one_in(20);
        fine.then_some(lock)
    }

    /// Takes a mutex, does something, gives it back; now and then forgets to.
    fn region(&mut self, block: &mut Vec<Stmt>, level: Level) {
        let Some(mutex) = self.takeable(Sort::Mutex) else {
            return self.memory(block);
        };
        self.spend(2);
        let reg = self.register();
        match self.random.below(6) {
            0 => block.push(Stmt::TryLock { mutex, reg }),
            1 => block.push(Stmt::TimedLock { mutex, reg }),
            _ => {
                block.push(Stmt::Lock(mutex));
                self.held.push(mutex);
                self.inside(block, level);
                if level != Level::TOP || !self.random.one_in(20) {
                    self.held.pop();
                    block.push(Stmt::Unlock(mutex));
                }
                return;
            }
        }
        self.held.push(mutex);
        self.if_taken(block, level, reg, Stmt::Unlock(mutex));
        self.held.pop();
    }

    /// What is done while a lock is held. At the top level children may be spawned there.
    fn inside(&mut self, block: &mut Vec<Stmt>, level: Level) {
        if level == Level::TOP && self.random.one_in(4) {
            self.spawn(block, 1);
        }
        match self.random.below(6) {
            0..=1 => {}
            // Locks inside locks, in whatever order: the classic way to hang.
            2..=3 if level.0 < DEEPEST.0 && self.topics.contains(&Topic::Mutex) => {
                self.region(block, level.inner())
            }
            2 if level.0 < DEEPEST.0 && self.topics.contains(&Topic::RwLock) => {
                self.shared_region(block, level.inner());
            }
            _ => self.snippet(block, level.inner()),
        }
    }

    fn if_taken(&mut self, block: &mut Vec<Stmt>, level: Level, reg: Register, give_back: Stmt) {
        let mut then = Vec::new();
        self.inside(&mut then, level.inner());
        self.give_back(&mut then, level.inner(), give_back);
        block.push(Stmt::If { reg, equals: 1, then, otherwise: Vec::new() });
    }

    /// Ends a region; now and then whoever writes goes on as a reader first.
    fn give_back(&mut self, block: &mut Vec<Stmt>, level: Level, statement: Stmt) {
        match statement {
            Stmt::WriteUnlock(lock) if self.random.one_in(3) => {
                self.spend(1);
                block.push(Stmt::Downgrade(lock));
                if self.random.one_in(2) {
                    self.inside(block, level);
                }
                block.push(Stmt::ReadUnlock(lock));
            }
            other => block.push(other),
        }
    }

    fn shared_region(&mut self, block: &mut Vec<Stmt>, level: Level) {
        let Some(lock) = self.takeable(Sort::RwLock) else {
            return self.memory(block);
        };
        self.spend(2);
        let reg = self.register();
        let (take, give_back) = match self.random.below(10) {
            0..=2 => (Stmt::Read(lock), Stmt::ReadUnlock(lock)),
            3..=5 => (Stmt::Write(lock), Stmt::WriteUnlock(lock)),
            6 => (Stmt::TryRead { lock, reg }, Stmt::ReadUnlock(lock)),
            7 => (Stmt::TimedRead { lock, reg }, Stmt::ReadUnlock(lock)),
            8 => (Stmt::TryWrite { lock, reg }, Stmt::WriteUnlock(lock)),
            _ => (Stmt::TimedWrite { lock, reg }, Stmt::WriteUnlock(lock)),
        };
        let sure = take.sets().is_none();
        block.push(take);
        self.held.push(lock);
        if sure {
            self.inside(block, level);
            self.give_back(block, level, give_back);
        } else {
            self.if_taken(block, level, reg, give_back);
        }
        self.held.pop();
    }
}
