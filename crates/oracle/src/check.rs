//! Whether a program makes sense: what is checked here, the interpreter relies on.
//!
//! A thread may only give back what it surely holds. After a try that is so inside `if r 1`, as long as the register is
//! the one that the try has set.

use std::collections::{BTreeMap, BTreeSet};

use raddle_trace::{ObjectId, ThreadId};

use crate::program::REGISTERS;
use crate::{Object, Program, Register, Stmt};

/// Why a program makes no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("thread {thread}: {problem}")]
pub struct Malformed {
    /// The number of the thread.
    pub thread: usize,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl Program {
    /// Checks that the program makes sense.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self) -> Result<(), Malformed> {
        let wrong = |problem| Malformed { thread: 0, problem };
        self.check_objects().map_err(wrong)?;
        let parents = self.parents().map_err(wrong)?;
        for (index, block) in self.threads.iter().enumerate() {
            let mut walk = Walk::new(self, ThreadId::new(index), &parents);
            walk.top(block).map_err(|problem| Malformed { thread: index, problem })?;
        }
        Ok(())
    }

    fn check_objects(&self) -> Result<(), &'static str> {
        for (index, object) in self.objects.iter().enumerate() {
            match object {
                Object::Barrier { size: 0 } => return Err("a barrier is for nobody"),
                Object::Channel { capacity: Some(0), .. } if self.receivers(ObjectId::new(index)) > 1 => {
                    return Err("a channel without room has several receivers");
                }
                Object::Channel { senders, .. } if *senders != self.senders(ObjectId::new(index)) => {
                    return Err("a channel has not as many senders as threads that send");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// How many threads send on the channel.
    #[must_use]
    pub fn senders(&self, channel: ObjectId) -> u64 {
        self.threads_with(|statement| statement.sends_on() == Some(channel))
    }

    /// How many threads receive from the channel.
    fn receivers(&self, channel: ObjectId) -> u64 {
        self.threads_with(|statement| statement.receives_from() == Some(channel))
    }

    fn threads_with(&self, matches: impl Fn(&Stmt) -> bool) -> u64 {
        let mut who = BTreeSet::new();
        self.visit(&mut |thread, statement| {
            if matches(statement) {
                who.insert(thread);
            }
        });
        who.len() as u64
    }

    /// Whether senders and the receiver of the channel have to meet.
    pub(crate) fn is_without_room(&self, channel: ObjectId) -> bool {
        matches!(self.objects[channel.index()], Object::Channel { capacity: Some(0), .. })
    }

    /// Who spawns each thread.
    fn parents(&self) -> Result<Vec<Option<ThreadId>>, &'static str> {
        let mut parents = vec![None; self.threads.len()];
        for (index, block) in self.threads.iter().enumerate() {
            let children = block.iter().filter_map(|statement| match statement {
                Stmt::Spawn(child) => Some(child.index()),
                _ => None,
            });
            let mut youngest = index;
            for child in children {
                if child >= parents.len() || child <= youngest || parents[child].is_some() {
                    return Err("threads are not spawned once each, in the order of their numbers");
                }
                youngest = child;
                parents[child] = Some(ThreadId::new(index));
            }
        }
        if parents.is_empty() || parents.iter().skip(1).any(Option::is_none) {
            return Err("a thread is never spawned");
        }
        Ok(parents)
    }
}

/// In which way a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Hold {
    Exclusively,
    Shared,
}

type Holding = (ObjectId, Hold);

/// How often a lock is held at least and at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Times {
    least: u32,
    most: u32,
}

/// What is known at one point of a thread.
#[derive(Clone, Debug, Default)]
struct Known {
    held: BTreeMap<Holding, Times>,
    /// Locks that are held if the register is 1.
    tried: BTreeMap<Register, Holding>,
    dropped: BTreeSet<ObjectId>,
}

impl Known {
    fn times(&mut self, holding: Holding) -> &mut Times {
        self.held.entry(holding).or_default()
    }

    /// What is known where two ways meet.
    fn meet(mut self, mut other: Known) -> Known {
        let holdings: BTreeSet<Holding> = self.held.keys().chain(other.held.keys()).copied().collect();
        for holding in holdings {
            let (a, b) = (*self.times(holding), *other.times(holding));
            *self.times(holding) = Times { least: a.least.min(b.least), most: a.most.max(b.most) };
        }
        self.tried.retain(|register, holding| other.tried.get(register) == Some(holding));
        self.dropped.append(&mut other.dropped);
        self
    }
}

/// A walk through the statements of one thread.
struct Walk<'p> {
    program: &'p Program,
    known: Known,
    /// The threads that have surely been created.
    created: BTreeSet<ThreadId>,
    children: BTreeSet<ThreadId>,
}

type Checked = Result<(), &'static str>;

impl<'p> Walk<'p> {
    fn new(program: &'p Program, thread: ThreadId, parents: &[Option<ThreadId>]) -> Walk<'p> {
        let mut created = BTreeSet::from([thread]);
        let mut child = thread;
        while let Some(parent) = parents[child.index()] {
            let older = (0..child.index()).filter(|other| parents[*other] == Some(parent));
            created.extend(older.map(ThreadId::new));
            created.insert(parent);
            child = parent;
        }
        Walk { program, known: Known::default(), created, children: BTreeSet::new() }
    }

    fn top(&mut self, block: &[Stmt]) -> Checked {
        for statement in block {
            if let Stmt::Spawn(child) = statement {
                self.created.insert(*child);
                self.children.insert(*child);
            } else {
                self.statement(statement)?;
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt) -> Checked {
        self.check_names(statement)?;
        match statement {
            Stmt::If { reg, equals, then, otherwise } => return self.branch(*reg, *equals, then, otherwise),
            Stmt::Once { body, .. } => return self.branch_into(body, &[], |_| {}, |_| {}),
            Stmt::Spawn(_) => return Err("a thread is spawned inside a block"),
            Stmt::Join(child) if !self.children.remove(child) => {
                return Err("a thread is joined that is not a child, or twice");
            }
            Stmt::Unpark(other) if !self.created.contains(other) => {
                return Err("a thread is unparked that may not have been created");
            }
            _ => {}
        }
        if let Some(register) = statement.sets() {
            self.known.tried.remove(&register);
        }
        self.locks(statement)?;
        self.sender(statement)
    }

    fn check_names(&self, statement: &Stmt) -> Checked {
        for (sort, object) in statement.objects() {
            if self.program.objects.get(object.index()).map(Object::sort) != Some(sort) {
                return Err("an object is not of the sort that the statement needs");
            }
        }
        match statement {
            Stmt::Choose { n: 0, .. } => Err("a choice has no alternative"),
            _ if statement.sets().is_some_and(|register| usize::from(register.0) >= REGISTERS) => {
                Err("there is no such register")
            }
            _ => Ok(()),
        }
    }

    fn branch(&mut self, reg: Register, equals: i64, then: &[Stmt], otherwise: &[Stmt]) -> Checked {
        let Some(holding) = self.known.tried.get(&reg).copied().filter(|_| equals == 1) else {
            return self.branch_into(then, otherwise, |_| {}, |_| {});
        };
        self.known.tried.remove(&reg);
        let success = move |known: &mut Known| known.times(holding).least += 1;
        let failure = move |known: &mut Known| known.times(holding).most -= 1;
        self.branch_into(then, otherwise, success, failure)
    }

    /// Walks both ways; each begins with what taking it tells.
    fn branch_into(
        &mut self,
        then: &[Stmt],
        otherwise: &[Stmt],
        learn_then: impl Fn(&mut Known),
        learn_otherwise: impl Fn(&mut Known),
    ) -> Checked {
        let mut other = self.known.clone();
        learn_then(&mut self.known);
        then.iter().try_for_each(|statement| self.statement(statement))?;
        learn_otherwise(&mut other);
        let first = std::mem::replace(&mut self.known, other);
        otherwise.iter().try_for_each(|statement| self.statement(statement))?;
        let second = std::mem::take(&mut self.known);
        self.known = first.meet(second);
        Ok(())
    }

    fn locks(&mut self, statement: &Stmt) -> Checked {
        use Stmt::*;
        match *statement {
            Lock(lock) | Write(lock) => self.take((lock, Hold::Exclusively)),
            Read(lock) => self.take((lock, Hold::Shared)),
            TryLock { mutex: lock, reg } | TimedLock { mutex: lock, reg } => {
                self.try_take(lock, Hold::Exclusively, reg)
            }
            TryWrite { lock, reg } | TimedWrite { lock, reg } => self.try_take(lock, Hold::Exclusively, reg),
            TryRead { lock, reg } | TimedRead { lock, reg } => self.try_take(lock, Hold::Shared, reg),
            Unlock(lock) | WriteUnlock(lock) => return self.give_back((lock, Hold::Exclusively)),
            ReadUnlock(lock) => return self.give_back((lock, Hold::Shared)),
            Downgrade(lock) => {
                self.give_back((lock, Hold::Exclusively))?;
                self.take((lock, Hold::Shared));
            }
            Wait { mutex, .. } | TimedWait { mutex, .. } => return self.wait((mutex, Hold::Exclusively)),
            _ => {}
        }
        Ok(())
    }

    /// To wait is to give the mutex back as a whole and to take it again, so one level is all that makes sense.
    fn wait(&mut self, holding: Holding) -> Checked {
        match *self.known.times(holding) {
            Times { least: 1, most: 1 } => Ok(()),
            _ => Err("a wait does not surely hold its mutex once"),
        }
    }

    fn take(&mut self, holding: Holding) {
        let times = self.known.times(holding);
        times.least += 1;
        times.most += 1;
    }

    fn try_take(&mut self, lock: ObjectId, hold: Hold, reg: Register) {
        self.known.times((lock, hold)).most += 1;
        self.known.tried.insert(reg, (lock, hold));
    }

    fn give_back(&mut self, holding: Holding) -> Checked {
        let times = self.known.times(holding);
        if times.least == 0 {
            return Err("a lock is given back that may not be held");
        }
        times.least -= 1;
        times.most -= 1;
        Ok(())
    }

    fn sender(&mut self, statement: &Stmt) -> Checked {
        let Some(channel) = statement.sends_on() else {
            return Ok(());
        };
        if self.known.dropped.contains(&channel) {
            return Err("a sender is used after it was dropped");
        }
        if matches!(statement, Stmt::DropSender(_)) {
            self.known.dropped.insert(channel);
        }
        Ok(())
    }
}
