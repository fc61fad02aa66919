//! The text of a program, so that a failure can be kept as a file; [`crate::parse`] reads it back.
//!
//! One declaration or statement a line. An object's name is a letter for its sort and its number.

use std::fmt::{self, Display, Formatter, Write};

use raddle_trace::ObjectId;

use crate::{Object, Program, Register, Stmt, Value};

impl Display for Register {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Const(number) => write!(f, "{number}"),
            Value::Reg(register) => write!(f, "{register}"),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, object) in self.objects.iter().enumerate() {
            writeln!(f, "{}", declaration(object, &self.name(ObjectId::new(index))))?;
        }
        for (index, block) in self.threads.iter().enumerate() {
            writeln!(f, "thread {index}")?;
            self.write_block(f, block, 1)?;
        }
        Ok(())
    }
}

fn declaration(object: &Object, name: &str) -> String {
    match object {
        Object::Cell { initial } => format!("cell {name} {initial}"),
        Object::Mutex => format!("mutex {name}"),
        Object::RecursiveMutex => format!("recursive-mutex {name}"),
        Object::RwLock => format!("rwlock {name}"),
        Object::Condvar => format!("condvar {name}"),
        Object::Semaphore { initial } => format!("semaphore {name} {initial}"),
        Object::Barrier { size } => format!("barrier {name} {size}"),
        Object::Once => format!("once-cell {name}"),
        Object::Channel { capacity: Some(room), senders } => format!("channel {name} {room} {senders}"),
        Object::Channel { capacity: None, senders } => format!("channel {name} unbounded {senders}"),
    }
}

impl Program {
    fn name(&self, object: ObjectId) -> String {
        let letter = match self.objects[object.index()] {
            Object::Cell { .. } => 'c',
            Object::Mutex | Object::RecursiveMutex => 'm',
            Object::RwLock => 'w',
            Object::Condvar => 'v',
            Object::Semaphore { .. } => 's',
            Object::Barrier { .. } => 'b',
            Object::Once => 'o',
            Object::Channel { .. } => 'q',
        };
        format!("{letter}{}", object.index())
    }

    fn write_block(&self, f: &mut Formatter<'_>, block: &[Stmt], depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        for statement in block {
            match statement {
                Stmt::Once { once, body } => {
                    writeln!(f, "{indent}once {} {{", self.name(*once))?;
                    self.write_block(f, body, depth + 1)?;
                    writeln!(f, "{indent}}}")?;
                }
                Stmt::If { reg, equals, then, otherwise } => {
                    writeln!(f, "{indent}if {reg} {equals} {{")?;
                    self.write_block(f, then, depth + 1)?;
                    if !otherwise.is_empty() {
                        writeln!(f, "{indent}}} else {{")?;
                        self.write_block(f, otherwise, depth + 1)?;
                    }
                    writeln!(f, "{indent}}}")?;
                }
                simple => writeln!(f, "{indent}{}", self.simple(simple))?,
            }
        }
        Ok(())
    }

    /// The line of a statement without blocks.
    fn simple(&self, statement: &Stmt) -> String {
        use Stmt::*;
        match statement {
            Load { cell, reg } => self.line("load", &[*cell], &[reg]),
            Store { cell, value } => self.line("store", &[*cell], &[value]),
            FetchAdd { cell, by, reg } => self.line("fetch-add", &[*cell], &[by, reg]),
            Add { cell, by } => self.line("add", &[*cell], &[by]),
            CompareExchange { cell, expected, new, reg } => self.line("cas", &[*cell], &[expected, new, reg]),
            WeakCompareExchange { cell, expected, new, reg } => {
                self.line("weak-cas", &[*cell], &[expected, new, reg])
            }
            SpinUntil { cell, value } => self.line("spin-until", &[*cell], &[value]),
            Lock(mutex) => self.line("lock", &[*mutex], &[]),
            TryLock { mutex, reg } => self.line("try-lock", &[*mutex], &[reg]),
            TimedLock { mutex, reg } => self.line("timed-lock", &[*mutex], &[reg]),
            Unlock(mutex) => self.line("unlock", &[*mutex], &[]),
            Read(lock) => self.line("read", &[*lock], &[]),
            TryRead { lock, reg } => self.line("try-read", &[*lock], &[reg]),
            TimedRead { lock, reg } => self.line("timed-read", &[*lock], &[reg]),
            ReadUnlock(lock) => self.line("read-unlock", &[*lock], &[]),
            Write(lock) => self.line("write", &[*lock], &[]),
            TryWrite { lock, reg } => self.line("try-write", &[*lock], &[reg]),
            TimedWrite { lock, reg } => self.line("timed-write", &[*lock], &[reg]),
            WriteUnlock(lock) => self.line("write-unlock", &[*lock], &[]),
            Downgrade(lock) => self.line("downgrade", &[*lock], &[]),
            Wait { condvar, mutex } => self.line("wait", &[*condvar, *mutex], &[]),
            TimedWait { condvar, mutex, reg } => self.line("timed-wait", &[*condvar, *mutex], &[reg]),
            NotifyOne(condvar) => self.line("notify-one", &[*condvar], &[]),
            NotifyAll(condvar) => self.line("notify-all", &[*condvar], &[]),
            Acquire(semaphore) => self.line("acquire", &[*semaphore], &[]),
            TryAcquire { semaphore, reg } => self.line("try-acquire", &[*semaphore], &[reg]),
            TimedAcquire { semaphore, reg } => self.line("timed-acquire", &[*semaphore], &[reg]),
            Post { semaphore, count } => self.line("post", &[*semaphore], &[count]),
            Arrive { barrier, reg } => self.line("arrive", &[*barrier], &[reg]),
            Spawn(thread) => self.line("spawn", &[], &[&thread.index()]),
            Join(thread) => self.line("join", &[], &[&thread.index()]),
            Park => self.line("park", &[], &[]),
            TimedPark { reg } => self.line("timed-park", &[], &[reg]),
            Unpark(thread) => self.line("unpark", &[], &[&thread.index()]),
            Send { channel, value } => self.line("send", &[*channel], &[value]),
            TrySend { channel, value, reg } => self.line("try-send", &[*channel], &[value, reg]),
            Receive { channel, reg } => self.line("receive", &[*channel], &[reg]),
            TryReceive { channel, reg } => self.line("try-receive", &[*channel], &[reg]),
            TimedReceive { channel, reg } => self.line("timed-receive", &[*channel], &[reg]),
            DropSender(channel) => self.line("drop-sender", &[*channel], &[]),
            Choose { n, reg } => self.line("choose", &[], &[n, reg]),
            Assert { reg, equals } => self.line("assert", &[], &[reg, equals]),
            Once { .. } | If { .. } => unreachable!("bug in raddle: a block is not a line"),
        }
    }

    fn line(&self, word: &str, objects: &[ObjectId], rest: &[&dyn Display]) -> String {
        let mut line = word.to_owned();
        for object in objects {
            let _ = write!(line, " {}", self.name(*object));
        }
        for argument in rest {
            let _ = write!(line, " {argument}");
        }
        line
    }
}
