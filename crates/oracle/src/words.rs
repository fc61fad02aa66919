//! Reads one line of the text of a program.

use std::collections::BTreeMap;

use raddle_trace::limits::MAX_THREADS;
use raddle_trace::{ObjectId, ThreadId};

use crate::parse::ParseError;
use crate::program::REGISTERS;
use crate::{Object, Register, Stmt, Value};

pub(crate) type Parsed<T> = Result<T, ParseError>;

/// The declared objects.
pub(crate) type Names<'t> = BTreeMap<&'t str, ObjectId>;

/// The words of one line.
#[derive(Clone)]
pub(crate) struct Words<'t> {
    /// The number of the line, counted from one.
    pub(crate) line: usize,
    pub(crate) words: Vec<&'t str>,
    /// The first word not read yet.
    pub(crate) next: usize,
}

impl<'t> Words<'t> {
    pub(crate) fn wrong<T>(&self, problem: String) -> Parsed<T> {
        Err(ParseError { line: self.line, problem })
    }

    pub(crate) fn word(&mut self) -> Parsed<&'t str> {
        let Some(&word) = self.words.get(self.next) else {
            return self.wrong("something is missing".to_owned());
        };
        self.next += 1;
        Ok(word)
    }

    pub(crate) fn end(&self) -> Parsed<()> {
        match self.words.get(self.next) {
            Some(word) => self.wrong(format!("`{word}` is too much")),
            None => Ok(()),
        }
    }

    /// The rest of the line must be these words.
    pub(crate) fn expect(&mut self, words: &[&str]) -> Parsed<()> {
        for expected in words {
            let word = self.word()?;
            if word != *expected {
                return self.wrong(format!("expected `{expected}`, not `{word}`"));
            }
        }
        self.end()
    }

    pub(crate) fn number<N: std::str::FromStr>(&mut self) -> Parsed<N> {
        let word = self.word()?;
        word.parse().or_else(|_| self.wrong(format!("`{word}` is not a fitting number")))
    }

    pub(crate) fn register(&mut self) -> Parsed<Register> {
        let word = self.word()?;
        let number = word.strip_prefix('r').and_then(|number| number.parse().ok());
        match number.filter(|number| usize::from(*number) < REGISTERS) {
            Some(number) => Ok(Register(number)),
            None => self.wrong(format!("`{word}` is not a register")),
        }
    }

    fn value(&mut self) -> Parsed<Value> {
        match self.words.get(self.next) {
            Some(word) if word.starts_with('r') => Ok(Value::Reg(self.register()?)),
            _ => Ok(Value::Const(self.number()?)),
        }
    }

    fn thread(&mut self) -> Parsed<ThreadId> {
        let number: usize = self.number()?;
        if number >= MAX_THREADS {
            return self.wrong(format!("thread {number} is out of range"));
        }
        Ok(ThreadId::new(number))
    }

    pub(crate) fn object(&mut self, names: &Names<'t>) -> Parsed<ObjectId> {
        let word = self.word()?;
        match names.get(word) {
            Some(object) => Ok(*object),
            None => self.wrong(format!("`{word}` is not declared")),
        }
    }

    pub(crate) fn declaration(&mut self) -> Parsed<(&'t str, Object)> {
        let (sort, name) = (self.word()?, self.word()?);
        let object = match sort {
            "cell" => Object::Cell { initial: self.number()? },
            "mutex" => Object::Mutex,
            "recursive-mutex" => Object::RecursiveMutex,
            "rwlock" => Object::RwLock,
            "condvar" => Object::Condvar,
            "semaphore" => Object::Semaphore { initial: self.number()? },
            "barrier" => Object::Barrier { size: self.number()? },
            "once-cell" => Object::Once,
            "channel" => Object::Channel { capacity: self.capacity()?, senders: self.number()? },
            _ => return self.wrong(format!("`{sort}` cannot be declared")),
        };
        self.end()?;
        Ok((name, object))
    }

    fn capacity(&mut self) -> Parsed<Option<u64>> {
        if self.words.get(self.next) == Some(&"unbounded") {
            self.next += 1;
            return Ok(None);
        }
        self.number().map(Some)
    }

    /// A statement without blocks. Arguments are read in the order in which the fields are written here.
    pub(crate) fn statement(&mut self, names: &Names<'t>) -> Parsed<Stmt> {
        use Stmt::*;
        let word = self.word()?;
        Ok(match word {
            "load" => Load { cell: self.object(names)?, reg: self.register()? },
            "store" => Store { cell: self.object(names)?, value: self.value()? },
            "fetch-add" => FetchAdd { cell: self.object(names)?, by: self.number()?, reg: self.register()? },
            "add" => Add { cell: self.object(names)?, by: self.number()? },
            "cas" | "weak-cas" => {
                let (cell, expected, new) = (self.object(names)?, self.number()?, self.number()?);
                let reg = self.register()?;
                match word {
                    "cas" => CompareExchange { cell, expected, new, reg },
                    _ => WeakCompareExchange { cell, expected, new, reg },
                }
            }
            "spin-until" => SpinUntil { cell: self.object(names)?, value: self.number()? },
            "lock" => Lock(self.object(names)?),
            "try-lock" => TryLock { mutex: self.object(names)?, reg: self.register()? },
            "timed-lock" => TimedLock { mutex: self.object(names)?, reg: self.register()? },
            "unlock" => Unlock(self.object(names)?),
            "read" => Read(self.object(names)?),
            "try-read" => TryRead { lock: self.object(names)?, reg: self.register()? },
            "timed-read" => TimedRead { lock: self.object(names)?, reg: self.register()? },
            "read-unlock" => ReadUnlock(self.object(names)?),
            "write" => Write(self.object(names)?),
            "try-write" => TryWrite { lock: self.object(names)?, reg: self.register()? },
            "timed-write" => TimedWrite { lock: self.object(names)?, reg: self.register()? },
            "write-unlock" => WriteUnlock(self.object(names)?),
            "downgrade" => Downgrade(self.object(names)?),
            "wait" => Wait { condvar: self.object(names)?, mutex: self.object(names)? },
            "timed-wait" => {
                TimedWait { condvar: self.object(names)?, mutex: self.object(names)?, reg: self.register()? }
            }
            "notify-one" => NotifyOne(self.object(names)?),
            "notify-all" => NotifyAll(self.object(names)?),
            "acquire" => Acquire(self.object(names)?),
            "try-acquire" => TryAcquire { semaphore: self.object(names)?, reg: self.register()? },
            "timed-acquire" => TimedAcquire { semaphore: self.object(names)?, reg: self.register()? },
            "post" => Post { semaphore: self.object(names)?, count: self.number()? },
            "arrive" => Arrive { barrier: self.object(names)?, reg: self.register()? },
            "spawn" => Spawn(self.thread()?),
            "join" => Join(self.thread()?),
            "park" => Park,
            "timed-park" => TimedPark { reg: self.register()? },
            "unpark" => Unpark(self.thread()?),
            "send" => Send { channel: self.object(names)?, value: self.number()? },
            "try-send" => {
                TrySend { channel: self.object(names)?, value: self.number()?, reg: self.register()? }
            }
            "receive" => Receive { channel: self.object(names)?, reg: self.register()? },
            "try-receive" => TryReceive { channel: self.object(names)?, reg: self.register()? },
            "timed-receive" => TimedReceive { channel: self.object(names)?, reg: self.register()? },
            "drop-sender" => DropSender(self.object(names)?),
            "choose" => Choose { n: self.number()?, reg: self.register()? },
            "assert" => Assert { reg: self.register()?, equals: self.number()? },
            _ => return self.wrong(format!("`{word}` is not a statement")),
        })
    }
}
