//! OS threads for runs.
//!
//! A run that ended early is unwound, so that its destructors run. A destructor that then waits for something that will
//! never come is left alone, in the middle of its panic, and the OS thread counts as panicking for ever. Such a thread is
//! of no more use for runs, so the search moves to another one.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use raddle_runtime::{Watch, Watched};

/// Whether a run on this OS thread left a panic behind.
pub(super) fn is_spent() -> bool {
    thread::panicking()
}

type Task = Box<dyn FnOnce() + Send>;

/// An OS thread that waits for searches: to start one for each would take longer than a short search.
struct Searcher {
    tasks: Sender<Task>,
    done: Receiver<()>,
    /// Kept, so that the OS thread is not detached and can be watched as long as the searcher is there.
    thread: JoinHandle<()>,
}

/// What came of a task.
struct Performed<R> {
    outcome: thread::Result<R>,
    /// Whether its OS thread can be used again.
    can_go_on: bool,
}

static IDLE: Mutex<Vec<Searcher>> = Mutex::new(Vec::new());

impl Searcher {
    fn start() -> Searcher {
        let (tasks, todo) = channel::<Task>();
        let (finished, done) = channel();
        let thread = thread::spawn(move || {
            for task in todo {
                task();
                let spent = is_spent();
                if finished.send(()).is_err() || spent {
                    return;
                }
            }
        });
        Searcher { tasks, done, thread }
    }

    /// Does something there. The time is what a run may go on, or sleep, without a step before it is ended.
    fn perform<R: Send>(&self, without_step: Duration, f: impl FnOnce() -> R + Send) -> Performed<R> {
        let watched = Watched::new(without_step);
        let mut result = None;
        let (into, shown) = (&mut result, Arc::clone(&watched));
        let task: Box<dyn FnOnce() + Send + '_> = Box::new(move || {
            let outcome = shown.during(|| catch_unwind(AssertUnwindSafe(f)));
            *into = Some((outcome, is_spent()));
        });
        // SAFETY: only the lifetime is erased. What the task borrows lives until this function returns, which is after the
        // task has come to its end: `wait` returns when the searcher says so, or when it has dropped everything it had.
        let task: Task = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Task>(task) };
        let sent = self.tasks.send(task).is_ok();
        let answered = self.wait(watched);
        match result {
            Some((outcome, spent)) => Performed { outcome, can_go_on: sent && answered && !spent },
            None => panic!("the OS thread of a search died before it was done"),
        }
    }

    /// Waits for the end of the task, and sees to it that there is one; false if the OS thread died of it.
    fn wait(&self, watched: Arc<Watched>) -> bool {
        // SAFETY: the handle of the OS thread lives longer than the watch.
        let mut watch = unsafe { Watch::on(watched) };
        loop {
            match self.done.recv_timeout(watch.pause()) {
                Ok(()) => return true,
                Err(RecvTimeoutError::Timeout) => watch.look(),
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}

/// Does something on an OS thread that searches may have used before, but none that is spent. A run that goes on, or sleeps, for
/// so long without a step is ended.
pub(super) fn on_search_thread<R: Send>(without_step: Duration, f: impl FnOnce() -> R + Send) -> R {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let searcher = idle.unwrap_or_else(Searcher::start);
    let performed = searcher.perform(without_step, f);
    if performed.can_go_on {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(searcher);
    }
    performed.outcome.unwrap_or_else(|payload| resume_unwind(payload))
}

/// The same on an OS thread of its own, of which nothing is left afterwards.
pub(super) fn on_fresh_thread<R: Send>(without_step: Duration, f: impl FnOnce() -> R + Send) -> R {
    let searcher = Searcher::start();
    let performed = searcher.perform(without_step, f);
    let Searcher { tasks, thread, .. } = searcher;
    drop(tasks);
    // It has caught what its task threw.
    let _ = thread.join();
    performed.outcome.unwrap_or_else(|payload| resume_unwind(payload))
}
