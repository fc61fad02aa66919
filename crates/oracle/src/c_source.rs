//! Programs as C or C++ source.
//!
//! Several programs go into one file, because a compiler takes longer to start than to translate one of them: which one
//! runs is said by the number of arguments, since to read an argument would be a step of its own. Objects are static
//! variables, registers are local ones; those of a program with a one-time initialisation in C are thread-local, because
//! the function that initialises has to see them.
//!
//! Parking, channels, downgrades and semaphores that are posted several at a time have no counterpart, see [`as_c_can_say`].

mod declare;
mod say;
mod spelling;

use std::collections::BTreeSet;
use std::fmt::Write;

use raddle_trace::{ObjectId, ThreadId};

use crate::random::Random;
use crate::{Object, Program, Stmt, Topic};
use spelling::Spelling;
pub use spelling::takes_twice;

/// The language of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// C17.
    C,
    /// C++20.
    Cpp,
}

/// Whose threads and locks a program uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Threads {
    /// `pthread.h`.
    Posix,
    /// `threads.h`; what is not there comes from `pthread.h`.
    C11,
    /// `<thread>`, `<mutex>` and so on; what is not there comes from `pthread.h`.
    Std,
}

/// What cells are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cells {
    /// Atomic variables.
    Atomic,
    /// Plain variables: only loads and stores.
    Plain,
    /// The first object is a plain variable, if it is a cell; other cells are atomic and may guard it.
    Mixed,
}

impl Cells {
    /// Whether the cell with this name is a plain variable.
    #[must_use]
    pub fn is_plain(self, cell: ObjectId) -> bool {
        match self {
            Cells::Atomic => false,
            Cells::Plain => true,
            Cells::Mixed => cell.index() == 0,
        }
    }
}

/// Where the objects of a program lie.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lies {
    /// In static variables.
    Static,
    /// On the heap, or on the stack of the main thread if that outlives the others: in C with POSIX threads. Elsewhere in
    /// static variables.
    Allocated,
}

/// In which of the many ways a program is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    /// The language.
    pub language: Language,
    /// Whose threads and locks.
    pub threads: Threads,
    /// What cells are.
    pub cells: Cells,
    /// Where objects lie.
    pub lies: Lies,
    /// Whether threads keep copies of their registers on the heap and in thread-local variables, and compare them at their
    /// end.
    pub copies: bool,
    /// Whether a thread tells its registers at its end, by a step of its own ([`crate::follow`] compares them).
    pub tells: bool,
    /// Chooses among spellings that mean the same.
    pub seed: u64,
}

/// What programs in C can be about.
#[must_use]
pub fn topics_of_c() -> BTreeSet<Topic> {
    Topic::ALL.into_iter().filter(|topic| !matches!(topic, Topic::Park | Topic::Channel)).collect()
}

/// The program with what C cannot say replaced by what it can: permits are posted one by one, and a compare-exchange is
/// weak only if it is the first one of its thread on its cell and another thread exists. (After a failure for no reason
/// the next one does not fail so, or a loop of them had no end.)
///
/// Read-modify-writes of plain variables become stores; an addition that shows nothing shows what was there before;
/// a writer that goes on as a reader gives the lock back in between, since no lock of C or C++ can be downgraded.
#[must_use]
pub fn as_c_can_say(program: &Program, cells: Cells) -> Program {
    let mut said = program.clone();
    for (index, block) in said.threads.iter_mut().enumerate() {
        let mut weak = Weak { alone: index == 0, done: BTreeSet::new() };
        rewrite(block, cells, &mut weak);
    }
    said
}

struct Weak {
    alone: bool,
    done: BTreeSet<ObjectId>,
}

fn rewrite(block: &mut Vec<Stmt>, cells: Cells, weak: &mut Weak) {
    let old = std::mem::take(block);
    for mut statement in old {
        statement.blocks_mut().into_iter().for_each(|inner| rewrite(inner, cells, weak));
        match statement {
            Stmt::Spawn(_) => {
                weak.alone = false;
                block.push(statement);
            }
            Stmt::Post { semaphore, count } => {
                block.extend((0..count).map(|_| Stmt::Post { semaphore, count: 1 }));
            }
            Stmt::Downgrade(lock) => block.extend([Stmt::WriteUnlock(lock), Stmt::Read(lock)]),
            Stmt::Add { cell, by } if !cells.is_plain(cell) => {
                block.push(Stmt::FetchAdd { cell, by, reg: crate::Register(0) });
            }
            Stmt::FetchAdd { cell, by, .. } | Stmt::Add { cell, by } if cells.is_plain(cell) => {
                block.push(Stmt::Store { cell, value: crate::Value::Const(by) });
            }
            Stmt::CompareExchange { cell, new, .. } | Stmt::WeakCompareExchange { cell, new, .. }
                if cells.is_plain(cell) =>
            {
                block.push(Stmt::Store { cell, value: crate::Value::Const(new) });
            }
            Stmt::WeakCompareExchange { cell, expected, new, reg }
                if weak.alone || !weak.done.insert(cell) =>
            {
                block.push(Stmt::CompareExchange { cell, expected, new, reg });
            }
            Stmt::SpinUntil { cell, .. } if cells.is_plain(cell) => {
                block.push(Stmt::Load { cell, reg: crate::Register(0) });
            }
            other => block.push(other),
        }
    }
}

/// A program, how to write it, and the registers that its threads may end with.
#[derive(Clone, Debug)]
pub struct Written<'p> {
    /// The program, as [`as_c_can_say`] leaves it.
    pub program: &'p Program,
    /// How.
    pub form: Form,
    /// For each thread, the registers that it can end with; the program fails if it ends with others. Empty if nobody
    /// knows.
    pub ends: Vec<BTreeSet<Vec<i64>>>,
}

/// Writes a file of programs. With `n` arguments it is the one with number `n`.
#[must_use]
pub fn c_source(language: Language, programs: &[Written<'_>]) -> String {
    let mut text = declare::head(language).to_owned();
    for (number, written) in programs.iter().enumerate() {
        text.push_str(&Writer::new(number, written).program());
    }
    text.push_str("int main(int argc, char **argv)\n{\n    switch (argc - 1) {\n");
    for number in 0..programs.len() {
        let _ = writeln!(text, "    case {number}: main_{number}(); break;");
    }
    text.push_str("    }\n    return 0;\n}\n");
    text
}

/// More registers that a thread can end with are not compared.
const MOST_ENDS: usize = 100;

struct Writer<'p> {
    number: usize,
    program: &'p Program,
    form: Form,
    ends: &'p [BTreeSet<Vec<i64>>],
    random: Random,
    spelling: Spelling,
    /// Functions that initialise, which have to stand before those that use them.
    initialisers: String,
    count: usize,
}

impl<'p> Writer<'p> {
    fn new(number: usize, written: &'p Written<'p>) -> Writer<'p> {
        Writer {
            number,
            program: written.program,
            form: written.form,
            ends: &written.ends,
            random: Random::new(written.form.seed),
            spelling: Spelling::of(written.program, written.form),
            initialisers: String::new(),
            count: 0,
        }
    }

    fn program(mut self) -> String {
        let number = self.number;
        let mut text = format!("\n/* Program {number}, {:?}:\n{}*/\n", self.form, self.program);
        text.push_str(&self.declarations());
        // Children have larger numbers than who creates them.
        for thread in (1..self.program.threads.len()).rev() {
            let body = self.thread_body(ThreadId::new(thread));
            let (result, nothing) = match self.spelling.threads {
                Threads::Posix => ("void *", "NULL"),
                Threads::C11 => ("int ", "0"),
                Threads::Std => ("void ", ""),
            };
            let parameter = if self.spelling.threads == Threads::Std { "void" } else { "void *none" };
            text.push_str(&std::mem::take(&mut self.initialisers));
            let _ = writeln!(
                text,
                "static {result}thread{thread}_{number}({parameter})\n{{\n{body}    return {nothing};\n}}"
            );
        }
        let body = self.thread_body(ThreadId::MAIN);
        text.push_str(&std::mem::take(&mut self.initialisers));
        let returns = self.main_returns();
        let first = self.initialisations(returns);
        let last = match self.spelling.threads {
            _ if returns => "",
            Threads::C11 => "    thrd_exit(0);\n",
            _ => "    pthread_exit(NULL);\n",
        };
        let _ = writeln!(text, "static void main_{number}(void)\n{{\n{first}{body}{last}}}");
        text
    }

    /// A main thread that has waited for all others may return, and then the program ends; otherwise it leaves the others
    /// behind.
    fn main_returns(&mut self) -> bool {
        let mut open = self.program.threads.len() - 1;
        self.program.visit(&mut |_, statement| open -= usize::from(matches!(statement, Stmt::Join(_))));
        open == 0 && self.random.one_in(2)
    }

    fn thread_body(&mut self, thread: ThreadId) -> String {
        let mut text = String::new();
        let program = self.program;
        if !self.spelling.thread_local {
            text.push_str("    long r0 = 0, r1 = 0, r2 = 0, r3 = 0;\n");
        }
        if self.form.copies {
            let _ = writeln!(text, "    heap_{0} = (long *)calloc(4, sizeof(long));", self.number);
        }
        for statement in &program.threads[thread.index()] {
            if let (Stmt::Spawn(child), Threads::Posix | Threads::C11) = (statement, self.spelling.threads) {
                let handle = if self.spelling.threads == Threads::Posix { "pthread_t" } else { "thrd_t" };
                let _ = writeln!(text, "    {handle} t{};", child.index());
            }
        }
        self.block(&mut text, &program.threads[thread.index()], 1);
        text.push_str(&self.look_at_registers(thread));
        if self.form.tells {
            let [r0, r1, r2, r3] = [0, 1, 2, 3].map(|index| self.register(index));
            let cell = format!("told{}_{}", thread.index(), self.number);
            let told =
                self.call("atomic_store", &cell, &format!("(({r0} * 31 + {r1}) * 31 + {r2}) * 31 + {r3}"));
            let _ = writeln!(text, "    {told};");
        }
        if self.form.copies {
            let number = self.number;
            for index in 0..4 {
                let register = self.register(index);
                let _ = writeln!(
                    text,
                    "    if (heap_{number}[{index}] != {register} || local_{number}[{index}] != {register})\n        \
                     raddle_assert_failed(\"a copy that is none\");"
                );
            }
            let _ = writeln!(text, "    free(heap_{number});");
        }
        text
    }

    /// Fails unless the registers are among those that the thread can end with.
    fn look_at_registers(&self, thread: ThreadId) -> String {
        let Some(ends) = self.ends.get(thread.index()).filter(|ends| ends.len() <= MOST_ENDS) else {
            return String::new();
        };
        let one = |registers: &Vec<i64>| {
            let each = registers.iter().enumerate();
            let each: Vec<String> =
                each.map(|(index, value)| format!("{} == {value}", self.register(index as u8))).collect();
            format!("({})", each.join(" && "))
        };
        let any: Vec<String> = ends.iter().map(one).collect();
        format!("    if (!({})) raddle_assert_failed(\"an end that is none\");\n", any.join("\n        || "))
    }

    fn register(&self, register: u8) -> String {
        if self.spelling.thread_local {
            format!("r{register}_{}", self.number)
        } else {
            format!("r{register}")
        }
    }

    fn name(&self, object: ObjectId) -> String {
        let letter = match self.program.objects[object.index()] {
            Object::Cell { .. } => 'c',
            Object::Mutex | Object::RecursiveMutex => 'm',
            Object::RwLock => 'w',
            Object::Condvar => 'v',
            Object::Semaphore { .. } => 's',
            Object::Barrier { .. } => 'b',
            Object::Once => 'o',
            Object::Channel { .. } => 'q',
        };
        match self.spelling.lies {
            Lies::Static => format!("{letter}{}_{}", object.index(), self.number),
            Lies::Allocated => format!("shared_{}->{letter}{}", self.number, object.index()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, generate};

    #[test]
    fn every_program_can_be_written_in_every_form() {
        let shape = Shape { threads: 3, statements: 4, topics: topics_of_c() };
        for seed in 0..200 {
            for (language, threads) in [
                (Language::C, Threads::Posix),
                (Language::C, Threads::C11),
                (Language::Cpp, Threads::Posix),
                (Language::Cpp, Threads::Std),
            ] {
                for cells in [Cells::Atomic, Cells::Plain, Cells::Mixed] {
                    let program = as_c_can_say(&generate(seed, &shape), cells);
                    program.check().expect("it still makes sense");
                    let lies = if seed % 2 == 0 { Lies::Static } else { Lies::Allocated };
                    let form = Form {
                        language,
                        threads,
                        cells,
                        lies,
                        copies: seed % 3 == 0,
                        tells: seed % 4 == 0,
                        seed,
                    };
                    let written = Written { program: &program, form, ends: Vec::new() };
                    let text = c_source(language, &[written]);
                    assert!(text.contains("case 0: main_0(); break;"));
                    assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
                }
            }
        }
    }

    #[test]
    fn permits_are_posted_one_by_one_and_memory_that_is_plain_is_only_loaded_and_stored() {
        let text = "cell c0 0\nsemaphore s1 0\nthread 0\n  post s1 2\n  fetch-add c0 3 r1\n";
        let program = crate::parse(text).expect("a program");
        let said = as_c_can_say(&program, Cells::Plain).to_string();
        assert!(said.ends_with("thread 0\n  post s1 1\n  post s1 1\n  store c0 3\n"), "{said}");
    }
}
