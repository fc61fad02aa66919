//! What has to be known of a program before it can be written down.

use std::collections::BTreeSet;

use raddle_trace::{ObjectId, ThreadId};

use super::{Form, Language, Lies, Threads};
use crate::uses::Sort;
use crate::{Object, Program, Stmt};

/// How the parts of a program are spelled.
pub(super) struct Spelling {
    /// Whose threads and locks; what was asked for, unless the program needs what is not there.
    pub(super) threads: Threads,
    /// Where objects lie.
    pub(super) lies: Lies,
    /// Whether registers are thread-local variables.
    pub(super) thread_local: bool,
    /// Mutexes that threads wait for with a limit.
    pub(super) timed: BTreeSet<ObjectId>,
    /// Threads that somebody joins.
    pub(super) joined: BTreeSet<ThreadId>,
    /// Mutexes that only behave differently from others if a thread locks them twice, which none does.
    pub(super) never_twice: bool,
}

impl Spelling {
    pub(super) fn of(program: &Program, form: Form) -> Spelling {
        let (mut timed, mut waited, mut joined) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut once = false;
        program.visit(&mut |_, statement| match statement {
            Stmt::TimedLock { mutex, .. } => drop(timed.insert(*mutex)),
            Stmt::Wait { mutex, .. } | Stmt::TimedWait { mutex, .. } => drop(waited.insert(*mutex)),
            Stmt::Join(thread) => drop(joined.insert(*thread)),
            Stmt::Once { .. } => once = true,
            _ => {}
        });
        // A `std::condition_variable` takes a `std::mutex` and no other.
        let is_special = |mutex: &ObjectId| {
            timed.contains(mutex) || program.objects[mutex.index()] == Object::RecursiveMutex
        };
        let threads = match (form.language, form.threads) {
            (Language::C, Threads::Std) => Threads::Posix,
            (Language::Cpp, Threads::C11) => Threads::Std,
            (_, threads) => threads,
        };
        let special = threads == Threads::Std && waited.iter().any(is_special);
        let threads = if special { Threads::Posix } else { threads };
        let posix = form.language == Language::C && threads == Threads::Posix;
        Spelling {
            threads,
            lies: if posix { form.lies } else { Lies::Static },
            thread_local: once && form.language == Language::C,
            timed,
            joined,
            never_twice: !program.threads.iter().any(|block| again(block, &mut Vec::new(), Sort::Mutex)),
        }
    }
}

/// Whether a thread takes a reader-writer lock that it holds.
#[must_use]
pub fn takes_twice(program: &Program) -> bool {
    program.threads.iter().any(|block| again(block, &mut Vec::new(), Sort::RwLock))
}

/// Whether a block takes a lock of this sort that it holds.
fn again(block: &[Stmt], held: &mut Vec<ObjectId>, sort: Sort) -> bool {
    use Stmt::*;
    let mut tried = None;
    for statement in block {
        let taken = tried.take();
        let lock = statement.objects().first().filter(|(of, _)| *of == sort).map(|(_, lock)| *lock);
        match (statement, lock) {
            (Unlock(_) | ReadUnlock(_) | WriteUnlock(_), Some(lock)) => held.retain(|other| *other != lock),
            (Downgrade(_), _) => {}
            (_, Some(lock)) if held.contains(&lock) => return true,
            (Lock(_) | Read(_) | Write(_), Some(lock)) => held.push(lock),
            (_, Some(lock)) => tried = Some(lock),
            (other, None) => {
                for inner in other.blocks() {
                    let mut there = held.clone();
                    there.extend(taken);
                    if again(inner, &mut there, sort) {
                        return true;
                    }
                }
            }
        }
    }
    false
}
