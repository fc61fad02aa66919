//! Variables of a program, and how they begin.

use std::fmt::Write;

use raddle_trace::ObjectId;

use super::{Language, Lies, Threads, Writer};
use crate::Object;

/// What stands first in a file.
pub(super) fn head(language: Language) -> &'static str {
    match language {
        Language::C => {
            "#define _GNU_SOURCE\n#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <sched.h>\n\
             #include <semaphore.h>\n#include <stdatomic.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include <threads.h>\n\
             #include <time.h>\n#include \"raddle.h\"\n\
             static const struct timespec later = { 4000000000, 0 };\n"
        }
        Language::Cpp => {
            "#include <assert.h>\n#include <errno.h>\n#include <atomic>\n#include <chrono>\n#include <stdlib.h>\n#include <condition_variable>\n\
             #include <mutex>\n#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <shared_mutex>\n\
             #include <thread>\n#include \"raddle.h\"\n\
             static const struct timespec later = { 4000000000, 0 };\n\
             static constexpr std::chrono::hours hour(1);\n"
        }
    }
}

impl Writer<'_> {
    pub(super) fn declarations(&mut self) -> String {
        let mut text = String::new();
        let number = self.number;
        if self.spelling.lies == Lies::Allocated {
            let _ = writeln!(text, "static struct {{");
        }
        for index in 0..self.program.objects.len() {
            let line = self.declaration(ObjectId::new(index));
            let _ = match self.spelling.lies {
                Lies::Static => writeln!(text, "static {line};"),
                // A field has no first value.
                Lies::Allocated => {
                    let field = line.split(" = ").next().unwrap_or_default();
                    writeln!(text, "    {};", field.replace(&format!("shared_{number}->"), ""))
                }
            };
        }
        if self.spelling.lies == Lies::Allocated {
            let _ = writeln!(text, "}} *shared_{number};");
        }
        for thread in (0..self.program.threads.len()).filter(|_| self.form.tells) {
            let kind = if self.form.language == Language::C { "_Atomic(long)" } else { "std::atomic<long>" };
            let _ = writeln!(text, "static {kind} told{thread}_{number};");
        }
        if self.form.copies {
            let local = if self.form.language == Language::C { "_Thread_local" } else { "thread_local" };
            let _ = writeln!(text, "static {local} long *heap_{number}, local_{number}[4];");
        }
        if self.spelling.thread_local {
            let names: Vec<String> = (0..4).map(|index| self.register(index)).collect();
            let _ = writeln!(text, "static _Thread_local long {};", names.join(", "));
        }
        text
    }

    fn declaration(&mut self, object: ObjectId) -> String {
        let name = self.name(object);
        match self.program.objects[object.index()] {
            Object::Cell { initial } => {
                let kind = self.kind_of(object);
                match (self.form.cells.is_plain(object), self.form.language) {
                    (true, _) => format!("{kind} {name} = {initial}"),
                    (false, Language::C) => format!("_Atomic({kind}) {name} = {initial}"),
                    (false, Language::Cpp) => format!("std::atomic<{kind}> {name}{{{initial}}}"),
                }
            }
            Object::Mutex | Object::RecursiveMutex => self.mutex(object, &name),
            Object::RwLock if self.spelling.threads == Threads::Std => {
                format!("std::shared_timed_mutex {name}")
            }
            Object::RwLock => format!("pthread_rwlock_t {name} = PTHREAD_RWLOCK_INITIALIZER"),
            Object::Condvar => match self.spelling.threads {
                Threads::Posix => format!("pthread_cond_t {name} = PTHREAD_COND_INITIALIZER"),
                Threads::C11 => format!("cnd_t {name}"),
                Threads::Std => format!("std::condition_variable {name}"),
            },
            Object::Semaphore { .. } => format!("sem_t {name}"),
            Object::Barrier { .. } => format!("pthread_barrier_t {name}"),
            Object::Once => match self.spelling.threads {
                Threads::C11 => format!("once_flag {name} = ONCE_FLAG_INIT"),
                Threads::Std => format!("std::once_flag {name}"),
                Threads::Posix if self.form.language == Language::Cpp => format!("std::once_flag {name}"),
                Threads::Posix => format!("pthread_once_t {name} = PTHREAD_ONCE_INIT"),
            },
            Object::Channel { .. } => unreachable!("bug in raddle: there are no channels in C"),
        }
    }

    /// The type of a cell: cells of different sizes lie beside each other.
    pub(super) fn kind_of(&self, cell: ObjectId) -> &'static str {
        ["long", "int", "short", "unsigned char"]
            [(self.form.seed as usize >> 3).wrapping_add(cell.index()) % 4]
    }

    fn mutex(&mut self, object: ObjectId, name: &str) -> String {
        let recursive = self.program.objects[object.index()] == Object::RecursiveMutex;
        match self.spelling.threads {
            Threads::C11 => format!("mtx_t {name}"),
            Threads::Std => match (recursive, self.spelling.timed.contains(&object)) {
                (true, true) => format!("std::recursive_timed_mutex {name}"),
                (true, false) => format!("std::recursive_mutex {name}"),
                (false, true) => format!("std::timed_mutex {name}"),
                (false, false) => format!("std::mutex {name}"),
            },
            Threads::Posix if recursive => {
                format!("pthread_mutex_t {name} = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP")
            }
            Threads::Posix if self.spelling.never_twice && self.random.one_in(3) => {
                format!("pthread_mutex_t {name} = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP")
            }
            Threads::Posix => format!("pthread_mutex_t {name} = PTHREAD_MUTEX_INITIALIZER"),
        }
    }

    /// What the main thread does before anything else.
    pub(super) fn initialisations(&mut self, main_returns: bool) -> String {
        let mut text = String::new();
        if self.spelling.lies == Lies::Allocated {
            return self.allocation(main_returns);
        }
        for index in 0..self.program.objects.len() {
            let object = ObjectId::new(index);
            let name = self.name(object);
            let line = match self.program.objects[index] {
                Object::Semaphore { initial } => format!("sem_init(&{name}, 0, {initial})"),
                Object::Barrier { size } => format!("pthread_barrier_init(&{name}, NULL, {size})"),
                Object::Condvar if self.spelling.threads == Threads::C11 => format!("cnd_init(&{name})"),
                Object::Mutex if self.spelling.threads == Threads::C11 => {
                    format!("mtx_init(&{name}, mtx_timed)")
                }
                Object::RecursiveMutex if self.spelling.threads == Threads::C11 => {
                    format!("mtx_init(&{name}, mtx_timed | mtx_recursive)")
                }
                Object::Mutex if self.spelling.threads == Threads::Posix && self.random.one_in(4) => {
                    format!("pthread_mutex_init(&{name}, NULL)")
                }
                _ => continue,
            };
            let _ = writeln!(text, "    {line};");
        }
        text
    }

    /// Gets memory for all objects, and gives them their first values there.
    fn allocation(&mut self, main_returns: bool) -> String {
        let number = self.number;
        let mut text = match main_returns {
            true => format!("    __typeof__(*shared_{number}) here;\n    shared_{number} = &here;\n"),
            false => format!("    shared_{number} = malloc(sizeof *shared_{number});\n"),
        };
        for index in 0..self.program.objects.len() {
            let object = ObjectId::new(index);
            let name = self.name(object);
            let line = match self.program.objects[index] {
                Object::Cell { initial } if self.form.cells.is_plain(object) => format!("{name} = {initial}"),
                Object::Cell { initial } if self.random.one_in(2) => {
                    format!("atomic_init(&{name}, {initial})")
                }
                Object::Cell { initial } => format!("{name} = {initial}"),
                Object::Mutex => format!("pthread_mutex_init(&{name}, NULL)"),
                Object::RecursiveMutex => format!(
                    "{{ pthread_mutexattr_t a; pthread_mutexattr_init(&a); \
                     pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&{name}, &a); \
                     pthread_mutexattr_destroy(&a); }}"
                ),
                Object::RwLock => format!("pthread_rwlock_init(&{name}, NULL)"),
                Object::Condvar => format!("pthread_cond_init(&{name}, NULL)"),
                Object::Semaphore { initial } => format!("sem_init(&{name}, 0, {initial})"),
                Object::Barrier { size } => format!("pthread_barrier_init(&{name}, NULL, {size})"),
                Object::Once => format!("{name} = (pthread_once_t)PTHREAD_ONCE_INIT"),
                Object::Channel { .. } => unreachable!("bug in raddle: there are no channels in C"),
            };
            let _ = writeln!(text, "    {line};");
        }
        text
    }
}
