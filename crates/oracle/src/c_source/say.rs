//! Statements.

use std::fmt::Write;

use raddle_trace::ObjectId;

use super::{Language, Threads, Writer};
use crate::{Register, Stmt, Value};

impl Writer<'_> {
    pub(super) fn block(&mut self, text: &mut String, block: &[Stmt], depth: usize) {
        let indent = "    ".repeat(depth);
        for statement in block {
            match statement {
                Stmt::If { reg, equals, then, otherwise } => {
                    let _ = writeln!(text, "{indent}if ({} == {equals}) {{", self.register(reg.0));
                    self.block(text, then, depth + 1);
                    let _ = writeln!(text, "{indent}}} else {{");
                    self.block(text, otherwise, depth + 1);
                    let _ = writeln!(text, "{indent}}}");
                }
                Stmt::Once { once, body } => {
                    let line = self.once(*once, body);
                    let _ = writeln!(text, "{indent}{line};");
                }
                simple => {
                    let line = self.simple(simple);
                    let _ = writeln!(text, "{indent}{line};");
                    if let (true, Some(set)) = (self.form.copies, simple.sets()) {
                        let (index, register, number) = (set.0, self.register(set.0), self.number);
                        let _ = writeln!(
                            text,
                            "{indent}heap_{number}[{index}] = local_{number}[{index}] = {register};"
                        );
                    }
                }
            }
        }
    }

    fn once(&mut self, once: ObjectId, body: &[Stmt]) -> String {
        let name = self.name(once);
        if self.form.language == Language::Cpp {
            let mut inner = String::new();
            self.block(&mut inner, body, 2);
            return format!("std::call_once({name}, [&] {{\n{inner}    }})");
        }
        let function = format!("initialise{}_{}", self.count, self.number);
        self.count += 1;
        let mut inner = String::new();
        self.block(&mut inner, body, 1);
        let _ = writeln!(self.initialisers, "static void {function}(void)\n{{\n{inner}}}");
        match self.spelling.threads {
            Threads::C11 => format!("call_once(&{name}, {function})"),
            _ => format!("pthread_once(&{name}, {function})"),
        }
    }

    fn simple(&mut self, statement: &Stmt) -> String {
        use Stmt::*;
        match statement {
            Load { .. } | Store { .. } | FetchAdd { .. } | SpinUntil { .. } => self.memory(statement),
            CompareExchange { .. } | WeakCompareExchange { .. } => self.memory(statement),
            Lock(mutex) => self.lock(*mutex, "lock"),
            Unlock(mutex) => self.lock(*mutex, "unlock"),
            TryLock { mutex, reg } => self.try_lock(*mutex, *reg),
            TimedLock { mutex, reg } => self.timed_lock(*mutex, *reg),
            Read(lock) => self.shared(*lock, "rdlock", "lock_shared"),
            ReadUnlock(lock) => self.shared(*lock, "unlock", "unlock_shared"),
            Write(lock) => self.shared(*lock, "wrlock", "lock"),
            WriteUnlock(lock) => self.shared(*lock, "unlock", "unlock"),
            TryRead { lock, reg } => self.try_shared(*lock, *reg, "tryrdlock", "try_lock_shared"),
            TryWrite { lock, reg } => self.try_shared(*lock, *reg, "trywrlock", "try_lock"),
            TimedRead { lock, reg } => self.timed_shared(*lock, *reg, "rdlock", "lock_shared"),
            TimedWrite { lock, reg } => self.timed_shared(*lock, *reg, "wrlock", "lock"),
            Wait { .. } | TimedWait { .. } => self.wait(statement),
            NotifyOne(condvar) => self.notify(*condvar, "signal", "notify_one"),
            NotifyAll(condvar) => self.notify(*condvar, "broadcast", "notify_all"),
            Acquire(semaphore) => format!("sem_wait(&{})", self.name(*semaphore)),
            Post { semaphore, .. } => format!("sem_post(&{})", self.name(*semaphore)),
            TryAcquire { semaphore, reg } => {
                format!("{} = sem_trywait(&{}) == 0", self.register(reg.0), self.name(*semaphore))
            }
            TimedAcquire { semaphore, reg } => {
                format!("{} = sem_timedwait(&{}, &later) == 0", self.register(reg.0), self.name(*semaphore))
            }
            Arrive { barrier, reg } => {
                let serial = "PTHREAD_BARRIER_SERIAL_THREAD";
                format!(
                    "{} = pthread_barrier_wait(&{}) == {serial}",
                    self.register(reg.0),
                    self.name(*barrier)
                )
            }
            Spawn(_) | Join(_) => self.thread(statement),
            Choose { n, reg } => format!("{} = raddle_choose({n})", self.register(reg.0)),
            Assert { reg, equals } => {
                let macro_name = if self.random.one_in(2) { "assert" } else { "raddle_assert" };
                format!("{macro_name}({} == {equals})", self.register(reg.0))
            }
            other => unreachable!("bug in raddle: C cannot say {other:?}"),
        }
    }

    fn memory(&mut self, statement: &Stmt) -> String {
        let cells = self.form.cells;
        let way = self.random.below(2);
        let value = |writer: &Self, value: &Value| match value {
            Value::Const(number) => number.to_string(),
            Value::Reg(register) => writer.register(register.0),
        };
        match statement {
            Stmt::Load { cell, reg } => {
                let plain = cells.is_plain(*cell);
                let (reg, cell) = (self.register(reg.0), self.name(*cell));
                match way {
                    0 if !plain => format!("{reg} = {}", self.call("atomic_load", &cell, "")),
                    _ => format!("{reg} = {cell}"),
                }
            }
            Stmt::Store { cell, value: new } => {
                let plain = cells.is_plain(*cell);
                let (new, cell) = (value(self, new), self.name(*cell));
                match way {
                    0 if !plain => self.call("atomic_store", &cell, &new),
                    _ => format!("{cell} = {new}"),
                }
            }
            Stmt::FetchAdd { cell, by, reg } => {
                let (reg, cell) = (self.register(reg.0), self.name(*cell));
                match way {
                    0 => format!("{reg} = {}", self.call("atomic_fetch_add", &cell, &by.to_string())),
                    _ if *by == 1 => format!("{reg} = {cell}++"),
                    _ => format!("{reg} = ({cell} += {by}) - {by}"),
                }
            }
            Stmt::CompareExchange { cell, expected, new, reg } => {
                self.compare_exchange("strong", *cell, *expected, *new, *reg)
            }
            Stmt::WeakCompareExchange { cell, expected, new, reg } => {
                self.compare_exchange("weak", *cell, *expected, *new, *reg)
            }
            Stmt::SpinUntil { cell, value } => {
                format!("while ({} != {value}) sched_yield()", self.name(*cell))
            }
            _ => unreachable!("bug in raddle: {statement:?} is not about memory"),
        }
    }

    /// The call of an atomic function, as a function of C or of a C++ object.
    pub(super) fn call(&self, function: &str, cell: &str, argument: &str) -> String {
        match (self.form.language, argument) {
            (Language::C, "") => format!("{function}(&{cell})"),
            (Language::C, _) => format!("{function}(&{cell}, {argument})"),
            (Language::Cpp, _) => format!("{cell}.{}({argument})", function.trim_start_matches("atomic_")),
        }
    }

    fn compare_exchange(&self, how: &str, cell: ObjectId, expected: i64, new: i64, reg: Register) -> String {
        let (reg, kind, cell) = (self.register(reg.0), self.kind_of(cell), self.name(cell));
        let compare = match self.form.language {
            Language::C => format!("atomic_compare_exchange_{how}(&{cell}, &e, {new})"),
            Language::Cpp => format!("{cell}.compare_exchange_{how}(e, {new})"),
        };
        format!("{{ {kind} e = {expected}; {reg} = {compare}; }}")
    }

    fn lock(&self, mutex: ObjectId, what: &str) -> String {
        let name = self.name(mutex);
        match self.spelling.threads {
            Threads::Posix => format!("pthread_mutex_{what}(&{name})"),
            Threads::C11 => format!("mtx_{what}(&{name})"),
            Threads::Std => format!("{name}.{what}()"),
        }
    }

    fn try_lock(&self, mutex: ObjectId, reg: Register) -> String {
        let (reg, name) = (self.register(reg.0), self.name(mutex));
        match self.spelling.threads {
            Threads::Posix => format!("{reg} = pthread_mutex_trylock(&{name}) == 0"),
            Threads::C11 => format!("{reg} = mtx_trylock(&{name}) == thrd_success"),
            Threads::Std => format!("{reg} = {name}.try_lock()"),
        }
    }

    fn timed_lock(&self, mutex: ObjectId, reg: Register) -> String {
        let (reg, name) = (self.register(reg.0), self.name(mutex));
        match self.spelling.threads {
            Threads::Posix => format!("{reg} = pthread_mutex_timedlock(&{name}, &later) == 0"),
            Threads::C11 => format!("{reg} = mtx_timedlock(&{name}, &later) == thrd_success"),
            Threads::Std => format!("{reg} = {name}.try_lock_for(hour)"),
        }
    }

    fn shared(&self, lock: ObjectId, posix: &str, cpp: &str) -> String {
        let name = self.name(lock);
        match self.spelling.threads {
            Threads::Std => format!("{name}.{cpp}()"),
            _ => format!("pthread_rwlock_{posix}(&{name})"),
        }
    }

    fn try_shared(&self, lock: ObjectId, reg: Register, posix: &str, cpp: &str) -> String {
        let (reg, name) = (self.register(reg.0), self.name(lock));
        match self.spelling.threads {
            Threads::Std => format!("{reg} = {name}.{cpp}()"),
            _ => format!("{reg} = pthread_rwlock_{posix}(&{name}) == 0"),
        }
    }

    fn timed_shared(&self, lock: ObjectId, reg: Register, posix: &str, cpp: &str) -> String {
        let (reg, name) = (self.register(reg.0), self.name(lock));
        match self.spelling.threads {
            Threads::Std => format!("{reg} = {name}.try_{cpp}_for(hour)"),
            _ => format!("{reg} = pthread_rwlock_timed{posix}(&{name}, &later) == 0"),
        }
    }

    fn wait(&self, statement: &Stmt) -> String {
        let (condvar, mutex, reg) = match statement {
            Stmt::Wait { condvar, mutex } => (condvar, mutex, None),
            Stmt::TimedWait { condvar, mutex, reg } => (condvar, mutex, Some(reg)),
            _ => unreachable!("bug in raddle: {statement:?} is no wait"),
        };
        let (name, mutex) = (self.name(*condvar), self.name(*mutex));
        let adopt = format!("std::unique_lock<std::mutex> l({mutex}, std::adopt_lock)");
        match (self.spelling.threads, reg.map(|reg| self.register(reg.0))) {
            (Threads::Posix, None) => format!("pthread_cond_wait(&{name}, &{mutex})"),
            (Threads::Posix, Some(reg)) => {
                format!("{reg} = pthread_cond_timedwait(&{name}, &{mutex}, &later) == ETIMEDOUT")
            }
            (Threads::C11, None) => format!("cnd_wait(&{name}, &{mutex})"),
            (Threads::C11, Some(reg)) => {
                format!("{reg} = cnd_timedwait(&{name}, &{mutex}, &later) == thrd_timedout")
            }
            (Threads::Std, None) => format!("{{ {adopt}; {name}.wait(l); l.release(); }}"),
            (Threads::Std, Some(reg)) => format!(
                "{{ {adopt}; {reg} = {name}.wait_for(l, hour) == std::cv_status::timeout; l.release(); }}"
            ),
        }
    }

    fn notify(&self, condvar: ObjectId, c: &str, cpp: &str) -> String {
        let name = self.name(condvar);
        match self.spelling.threads {
            Threads::Posix => format!("pthread_cond_{c}(&{name})"),
            Threads::C11 => format!("cnd_{c}(&{name})"),
            Threads::Std => format!("{name}.{cpp}()"),
        }
    }

    fn thread(&self, statement: &Stmt) -> String {
        let number = self.number;
        match (statement, self.spelling.threads) {
            (Stmt::Spawn(child), threads) => {
                let (index, joined) = (child.index(), self.spelling.joined.contains(child));
                match threads {
                    Threads::Posix => {
                        format!("pthread_create(&t{index}, NULL, thread{index}_{number}, NULL)")
                    }
                    Threads::C11 => format!("thrd_create(&t{index}, thread{index}_{number}, NULL)"),
                    Threads::Std if joined => format!("std::thread t{index}(thread{index}_{number})"),
                    Threads::Std => format!("std::thread(thread{index}_{number}).detach()"),
                }
            }
            (Stmt::Join(child), Threads::Posix) => format!("pthread_join(t{}, NULL)", child.index()),
            (Stmt::Join(child), Threads::C11) => format!("thrd_join(t{}, NULL)", child.index()),
            (Stmt::Join(child), Threads::Std) => format!("t{}.join()", child.index()),
            _ => unreachable!("bug in raddle: {statement:?} is not about threads"),
        }
    }
}
