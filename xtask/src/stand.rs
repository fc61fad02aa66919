//! Runs the oracle's small programs on the real runtime: real fibers, the real world, the real strategies.
//!
//! Every thread of a small program is a fiber that walks through its statements and visits the stage for each.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use raddle_explore::{Chooser, RunLimits, Subject};
use raddle_oracle::{EndState, Ending as OracleEnding, Object, Program, Register, Stmt, Value, received};
use raddle_runtime::{self as runtime, Executed, Registration, StageOptions};
use raddle_trace::{Ending, Kind, ObjectId, Operation, Outcome, Place, Run, ThreadId};
use raddle_world::ObjectKind;

/// What the threads of a small program share, besides the world.
struct Shared {
    program: Program,
    meets: Meets,
    objects: RefCell<Vec<Option<ObjectId>>>,
    registers: RefCell<Vec<Vec<i64>>>,
    messages: RefCell<Vec<VecDeque<i64>>>,
}

/// When a run meets the objects of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meets {
    /// All of them at its start, so that they have the same numbers in every run.
    AtStart,
    /// Each when a thread first wants it, like the objects of a real program: numbers depend on who comes first.
    OnTheWay,
}

/// A small program as a subject.
pub struct Stand {
    shared: Rc<Shared>,
    program: runtime::Program<Box<dyn Fn()>>,
}

impl Stand {
    /// Gets a program ready to run.
    pub fn new(program: &Program) -> Stand {
        Stand::meeting(program, Meets::AtStart)
    }

    /// Gets a program ready to run that meets its objects then.
    pub fn meeting(program: &Program, meets: Meets) -> Stand {
        let shared = Rc::new(Shared {
            program: program.clone(),
            meets,
            objects: RefCell::default(),
            registers: RefCell::default(),
            messages: RefCell::default(),
        });
        let for_main = Rc::clone(&shared);
        let main: Box<dyn Fn()> = Box::new(move || {
            for_main.reset();
            walk(&for_main, ThreadId::MAIN);
        });
        let mut subject =
            runtime::Program::new(main, StageOptions { last_rounds: 0, ..StageOptions::default() });
        number_threads(program, subject.names_mut());
        Stand { shared, program: subject }
    }

    /// Numbers threads as another worker's stand does.
    pub fn share_names(&mut self, mut names: runtime::Names) {
        number_threads(&self.shared.program, &mut names);
        self.program.share_names(names);
    }

    /// The state that the last run ended in.
    pub fn end_state(&self, ending: Ending) -> EndState {
        let objects = self.shared.objects.borrow();
        let declared = self.shared.program.objects.iter().zip(objects.iter());
        let cells = declared.filter_map(|(object, number)| match (object, number) {
            (Object::Cell { .. }, Some(number)) => Some(self.program.world().level(*number)),
            (Object::Cell { initial }, None) => Some(*initial),
            _ => None,
        });
        EndState {
            ending: match ending {
                Ending::Finished => OracleEnding::Finished,
                Ending::Panic => OracleEnding::Panic,
                _ => OracleEnding::Deadlock,
            },
            registers: self.shared.registers.borrow().clone(),
            cells: cells.collect(),
        }
    }
}

impl Subject for Stand {
    fn run(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> &Run {
        self.program.run(chooser, limits)
    }
}

/// Gives the threads the numbers that they have in the program's text.
fn number_threads(program: &Program, names: &mut runtime::Names) {
    let mut spawned = vec![0; program.threads.len()];
    let mut parents = vec![None; program.threads.len()];
    program.visit(&mut |parent, statement| {
        if let Stmt::Spawn(child) = statement {
            parents[child.index()] = Some((parent, spawned[parent.index()]));
            spawned[parent.index()] += 1;
        }
    });
    for (index, parent) in parents.iter().enumerate() {
        if let Some((parent, nth)) = parent {
            let number = names.child(*parent, *nth).expect("a small program has few threads");
            assert_eq!(
                number.index(),
                index,
                "the threads of a program are declared in the order of spawning"
            );
        }
    }
}

impl Shared {
    /// Back to the beginning of a run.
    fn reset(&self) {
        let count = self.program.objects.len();
        *self.objects.borrow_mut() = vec![None; count];
        if self.meets == Meets::AtStart {
            for declared in 0..count {
                self.object(ObjectId::new(declared));
            }
        }
        *self.registers.borrow_mut() = vec![vec![0; raddle_oracle::REGISTERS]; self.program.threads.len()];
        *self.messages.borrow_mut() = vec![VecDeque::new(); self.program.objects.len()];
    }

    fn object(&self, declared: ObjectId) -> ObjectId {
        let kind = || match self.program.objects[declared.index()] {
            Object::Cell { initial } => ObjectKind::Cell(initial as u64),
            Object::Mutex | Object::RecursiveMutex => ObjectKind::Mutex,
            Object::RwLock => ObjectKind::RwLock,
            Object::Condvar => ObjectKind::Condvar,
            Object::Semaphore { initial } => ObjectKind::Semaphore(initial),
            Object::Barrier { .. } => ObjectKind::Barrier,
            Object::Once => ObjectKind::Once,
            Object::Channel { senders, .. } => ObjectKind::Channel { senders },
        };
        *self.objects.borrow_mut()[declared.index()]
            .get_or_insert_with(|| Registration::new().number(Place::Unknown, kind))
    }

    fn set(&self, thread: ThreadId, register: Register, value: i64) {
        self.registers.borrow_mut()[thread.index()][usize::from(register.0)] = value;
    }

    fn get(&self, thread: ThreadId, register: Register) -> i64 {
        self.registers.borrow()[thread.index()][usize::from(register.0)]
    }
}

/// What one thread does.
fn walk(shared: &Rc<Shared>, thread: ThreadId) {
    let walker = Walker { shared: Rc::clone(shared), thread };
    walker.block(&shared.program.threads[thread.index()]);
}

struct Walker {
    shared: Rc<Shared>,
    thread: ThreadId,
}

impl Walker {
    fn block(&self, statements: &[Stmt]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn visit(&self, kind: Kind, object: ObjectId, operand: u64) -> Executed {
        runtime::visit(Operation::new(kind, self.shared.object(object), operand), Place::Unknown)
    }

    fn write(&self, kind: Kind, cell: ObjectId, operand: u64, new: impl FnOnce(u64) -> u64) -> Executed {
        let operation = Operation::new(kind, self.shared.object(cell), operand);
        runtime::visit_write(operation, Place::Unknown, new)
    }

    fn set(&self, register: Register, value: i64) {
        self.shared.set(self.thread, register, value);
    }

    /// Sets a register to whether the operation did what it is named after.
    fn try_visit(&self, kind: Kind, object: ObjectId, register: Register) {
        let done = self.visit(kind, object, 0).outcome == Outcome::Done;
        self.set(register, i64::from(done));
    }

    fn statement(&self, statement: &Stmt) {
        use Stmt::*;
        match *statement {
            Load { cell, reg } => self.set(reg, self.visit(Kind::Load, cell, 0).value),
            Store { cell, value } => {
                let value = match value {
                    Value::Const(value) => value,
                    Value::Reg(register) => self.shared.get(self.thread, register),
                };
                self.write(Kind::Store, cell, 0, |_| value as u64);
            }
            FetchAdd { cell, by, reg } => {
                let executed = self.write(Kind::ReadModifyWrite, cell, 0, |old| old.wrapping_add(by as u64));
                self.set(reg, executed.before);
            }
            Add { cell, by } => drop(self.visit(Kind::Add, cell, by as u64)),
            CompareExchange { cell, expected, new, reg } => {
                let executed = self.write(Kind::CompareExchange, cell, expected as u64, |_| new as u64);
                self.set(reg, i64::from(executed.outcome == Outcome::Done));
            }
            WeakCompareExchange { cell, expected, new, reg } => {
                let executed = self.write(Kind::WeakCompareExchange, cell, expected as u64, |_| new as u64);
                self.set(reg, i64::from(executed.outcome == Outcome::Done));
            }
            SpinUntil { cell, value } => {
                runtime::start_new_loop();
                while self.visit(Kind::Load, cell, 0).value != value {
                    runtime::spin_hint(None, Place::Unknown);
                }
            }
            Choose { n, reg } => self.set(reg, runtime::choose(u64::from(n), Place::Unknown) as i64),
            If { reg, equals, ref then, ref otherwise } => {
                self.block(if self.shared.get(self.thread, reg) == equals { then } else { otherwise });
            }
            Assert { reg, equals } => {
                assert_eq!(self.shared.get(self.thread, reg), equals, "the assertion of a small program");
            }
            _ => self.blocking(statement),
        }
    }

    fn blocking(&self, statement: &Stmt) {
        use Stmt::*;
        match *statement {
            Lock(mutex) => self.lock(mutex),
            TryLock { mutex, reg } => self.try_lock(Kind::TryLock, mutex, reg),
            TimedLock { mutex, reg } => self.try_lock(Kind::TimedLock, mutex, reg),
            Unlock(mutex) => self.unlock(mutex),
            Read(lock) => drop(self.visit(Kind::Read, lock, 0)),
            TryRead { lock, reg } => self.try_visit(Kind::TryRead, lock, reg),
            TimedRead { lock, reg } => self.try_visit(Kind::TimedRead, lock, reg),
            ReadUnlock(lock) => drop(self.visit(Kind::ReadUnlock, lock, 0)),
            Write(lock) => drop(self.visit(Kind::Write, lock, 0)),
            TryWrite { lock, reg } => self.try_visit(Kind::TryWrite, lock, reg),
            TimedWrite { lock, reg } => self.try_visit(Kind::TimedWrite, lock, reg),
            WriteUnlock(lock) => drop(self.visit(Kind::WriteUnlock, lock, 0)),
            Downgrade(lock) => drop(self.visit(Kind::Downgrade, lock, 0)),
            Wait { condvar, mutex } => drop(self.wait(Kind::Wait, condvar, mutex)),
            TimedWait { condvar, mutex, reg } => {
                let timed_out = self.wait(Kind::TimedWait, condvar, mutex);
                self.set(reg, i64::from(timed_out));
            }
            NotifyOne(condvar) => drop(self.visit(Kind::NotifyOne, condvar, 0)),
            NotifyAll(condvar) => drop(self.visit(Kind::NotifyAll, condvar, 0)),
            Acquire(semaphore) => drop(self.visit(Kind::Acquire, semaphore, 0)),
            TryAcquire { semaphore, reg } => self.try_visit(Kind::TryAcquire, semaphore, reg),
            TimedAcquire { semaphore, reg } => self.try_visit(Kind::TimedAcquire, semaphore, reg),
            Post { semaphore, count } => drop(self.visit(Kind::Post, semaphore, count)),
            Arrive { barrier, reg } => self.arrive(barrier, reg),
            Once { once, ref body } => {
                if self.visit(Kind::OnceEnter, once, 0).outcome == Outcome::Done {
                    self.block(body);
                    self.visit(Kind::OnceExit, once, 0);
                }
            }
            _ => self.threads_and_channels(statement),
        }
    }

    fn threads_and_channels(&self, statement: &Stmt) {
        use Stmt::*;
        let token = |thread| runtime::with_world(|world| world.token(thread));
        let visit = |kind, object| runtime::visit(Operation::new(kind, object, 0), Place::Unknown);
        match *statement {
            Spawn(child) => {
                let shared = Rc::clone(&self.shared);
                let number = runtime::spawn(move || walk(&shared, child), None, None, Place::Unknown);
                assert_eq!(number, child, "a thread has the number that it was declared with");
            }
            Join(other) => runtime::join(other, Place::Unknown),
            Park => drop(visit(Kind::Park, token(self.thread))),
            TimedPark { reg } => {
                let done = visit(Kind::TimedPark, token(self.thread)).outcome == Outcome::Done;
                self.set(reg, i64::from(done));
            }
            // Until a thread exists there is nobody to give a token to; the oracle agrees.
            Unpark(other) => drop(visit(Kind::Unpark, token(other))),
            Send { channel, value } => drop(self.send(Kind::Send, channel, value)),
            TrySend { channel, value, reg } => {
                let sent = self.send(Kind::TrySend, channel, value);
                self.set(reg, i64::from(sent));
            }
            Receive { channel, reg } => self.receive(Kind::Receive, channel, reg),
            TryReceive { channel, reg } => self.receive(Kind::TryReceive, channel, reg),
            TimedReceive { channel, reg } => self.receive(Kind::TimedReceive, channel, reg),
            DropSender(channel) => drop(self.visit(Kind::DropSender, channel, 0)),
            _ => unreachable!("all statements are handled"),
        }
    }

    fn owns_recursive(&self, mutex: ObjectId) -> bool {
        // Met before the world is looked at: meeting an object changes it.
        let number = self.shared.object(mutex);
        matches!(self.shared.program.objects[mutex.index()], Object::RecursiveMutex)
            && runtime::with_world(|world| world.is_owner(number, self.thread))
    }

    fn lock(&self, mutex: ObjectId) {
        let kind = if self.owns_recursive(mutex) { Kind::LockAgain } else { Kind::Lock };
        self.visit(kind, mutex, 0);
    }

    fn try_lock(&self, kind: Kind, mutex: ObjectId, register: Register) {
        let kind = if self.owns_recursive(mutex) { Kind::LockAgain } else { kind };
        self.try_visit(kind, mutex, register);
    }

    fn unlock(&self, mutex: ObjectId) {
        let number = self.shared.object(mutex);
        let inner = self.owns_recursive(mutex) && runtime::with_world(|world| world.depth(number) > 0);
        self.visit(if inner { Kind::UnlockInner } else { Kind::Unlock }, mutex, 0);
    }

    /// Whether the wait timed out.
    fn wait(&self, kind: Kind, condvar: ObjectId, mutex: ObjectId) -> bool {
        self.visit(kind, condvar, self.shared.object(mutex).index() as u64);
        let ended = runtime::wait_for_turn();
        let timed_out = ended.kind == Kind::Timeout;
        if timed_out {
            runtime::wait_for_turn();
        }
        timed_out
    }

    fn arrive(&self, barrier: ObjectId, register: Register) {
        let Object::Barrier { size } = self.shared.program.objects[barrier.index()] else {
            unreachable!("arrivals are at barriers")
        };
        let executed = self.visit(Kind::Arrive, barrier, size);
        runtime::wait_for_turn();
        self.set(register, i64::from(executed.outcome == Outcome::Last));
    }

    fn send(&self, kind: Kind, channel: ObjectId, value: i64) -> bool {
        let Object::Channel { capacity, .. } = self.shared.program.objects[channel.index()] else {
            unreachable!("messages go through channels")
        };
        let room = capacity.unwrap_or(u64::MAX);
        let meets = kind == Kind::Send && room == 0;
        let done = self.visit(kind, channel, if meets { 1 } else { room }).outcome == Outcome::Done;
        if done {
            self.shared.messages.borrow_mut()[channel.index()].push_back(value);
        }
        if meets {
            let number = self.shared.object(channel);
            let index = runtime::with_world(|world| world.sent(number)) - 1;
            self.visit(Kind::Taken, channel, index);
        }
        done
    }

    fn receive(&self, kind: Kind, channel: ObjectId, register: Register) {
        let meets = kind != Kind::TryReceive
            && matches!(
                self.shared.program.objects[channel.index()],
                Object::Channel { capacity: Some(0), .. }
            );
        if meets {
            self.visit(Kind::Offer, channel, 0);
        }
        let value = match self.visit(kind, channel, u64::from(meets)).outcome {
            Outcome::Done => self.shared.messages.borrow_mut()[channel.index()]
                .pop_front()
                .expect("a message that the world knows of is there"),
            Outcome::TimedOut => received::TIMED_OUT,
            Outcome::Closed => received::CLOSED,
            _ => received::FAILED,
        };
        self.set(register, value);
    }
}
