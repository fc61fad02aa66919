//! OS threads for runs.
//!
//! A run that ended early is unwound, so that its destructors run. A destructor that then waits for something that will
//! never come is left alone, in the middle of its panic, and the OS thread counts as panicking for ever. Such a thread is
//! of no more use for runs, so the search moves to another one.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does something on an OS thread of its own, of which nothing is left afterwards.
pub(super) fn on_fresh_thread<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| match scope.spawn(f).join() {
        Ok(result) => result,
        Err(payload) => resume_unwind(payload),
    })
}

/// Whether a run on this OS thread left a panic behind.
pub(super) fn is_spent() -> bool {
    thread::panicking()
}

type Task = Box<dyn FnOnce() + Send>;

/// An OS thread that waits for searches: to start one for each would take longer than a short search.
struct Searcher {
    tasks: Sender<Task>,
    done: Receiver<()>,
}

static IDLE: Mutex<Vec<Searcher>> = Mutex::new(Vec::new());

impl Searcher {
    fn start() -> Searcher {
        let (tasks, todo) = channel::<Task>();
        let (finished, done) = channel();
        thread::spawn(move || {
            for task in todo {
                task();
                let spent = is_spent();
                if finished.send(()).is_err() || spent {
                    return;
                }
            }
        });
        Searcher { tasks, done }
    }
}

/// Does something on an OS thread that searches may have used before, but none that is spent.
pub(super) fn on_search_thread<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let searcher = idle.unwrap_or_else(Searcher::start);
    let mut result = None;
    let into = &mut result;
    let task: Box<dyn FnOnce() + Send + '_> = Box::new(move || {
        let outcome = catch_unwind(AssertUnwindSafe(f));
        *into = Some((outcome, is_spent()));
    });
    // SAFETY: only the lifetime is erased. What the task borrows lives until this function returns, which is after the
    // task has come to its end: `recv` returns when the searcher says so, or when it has dropped everything it had.
    let task: Task = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Task>(task) };
    let sent = searcher.tasks.send(task).is_ok();
    let answered = searcher.done.recv().is_ok();
    match result {
        Some((outcome, spent)) => {
            if sent && answered && !spent {
                IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(searcher);
            }
            outcome.unwrap_or_else(|payload| resume_unwind(payload))
        }
        None => panic!("the OS thread of a search died before it was done"),
    }
}
