//! Threads as values.

use std::fmt;
use std::sync::Arc;

use raddle_runtime::{LocalKeyId, in_run, with_local};
use raddle_trace::{Kind, Operation};

use crate::place::here;

/// A thread: the mirror of the type of this name in `std`.
///
/// One of a run is of no use after the run.
///
/// ```
/// let this = raddle::thread::current();
/// println!("{:?} {:?}", this.id(), this.name());
/// ```
#[derive(Clone)]
pub struct Thread(Inner);

#[derive(Clone)]
enum Inner {
    Real(std::thread::Thread),
    InRun { number: raddle_trace::ThreadId, name: Option<Arc<str>> },
}

/// Tells threads apart: the mirror of the type of this name in `std`.
///
/// In a check it is the same in every run.
///
/// ```
/// raddle::check(|| {
///     let other = raddle::thread::spawn(|| raddle::thread::current().id());
///     assert_ne!(other.join().unwrap(), raddle::thread::current().id());
/// });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(Number);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Number {
    Real(std::thread::ThreadId),
    InRun(raddle_trace::ThreadId),
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Number::Real(id) => fmt::Debug::fmt(&id, f),
            Number::InRun(number) => write!(f, "ThreadId({})", number.index() + 1),
        }
    }
}

impl Thread {
    pub(super) fn real(thread: std::thread::Thread) -> Thread {
        Thread(Inner::Real(thread))
    }

    pub(super) fn in_run(number: raddle_trace::ThreadId, name: Option<Arc<str>>) -> Thread {
        Thread(Inner::InRun { number, name })
    }

    /// What tells the thread apart.
    ///
    /// ```
    /// let this = raddle::thread::current();
    /// assert_eq!(this.id(), raddle::thread::current().id());
    /// ```
    #[must_use]
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.0 {
            Inner::Real(thread) => Number::Real(thread.id()),
            Inner::InRun { number, .. } => Number::InRun(*number),
        })
    }

    /// The name of the thread, if it has one. The first thread of a run is called `main`.
    ///
    /// ```
    /// raddle::check(|| assert_eq!(raddle::thread::current().name(), Some("main")));
    /// ```
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Inner::Real(thread) => thread.name(),
            Inner::InRun { name: Some(name), .. } => Some(name),
            Inner::InRun { number, .. } => (*number == raddle_trace::ThreadId::MAIN).then_some("main"),
        }
    }

    /// Gives the thread its token: ends its [`park`](crate::thread::park), or the next one.
    ///
    /// ```
    /// raddle::check(|| {
    ///     let other = raddle::thread::spawn(raddle::thread::park);
    ///     other.thread().unpark();
    ///     other.join().unwrap();
    /// });
    /// ```
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Inner::Real(thread) => thread.unpark(),
            Inner::InRun { number, .. } if in_run() => {
                let token = raddle_runtime::with_world(|world| world.token(*number));
                raddle_runtime::visit(Operation::new(Kind::Unpark, token, 0), here());
            }
            Inner::InRun { .. } => {}
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}

/// The thread that calls this.
///
/// ```
/// let this = raddle::thread::current();
/// this.unpark();
/// raddle::thread::park();
/// ```
#[must_use]
pub fn current() -> Thread {
    if in_run() {
        let name = with_local::<Option<Arc<str>>, _>(name_key(), || None, Clone::clone);
        Thread::in_run(raddle_runtime::current_thread(), name.flatten())
    } else {
        Thread::real(std::thread::current())
    }
}

/// The name of a thread is a thread-local variable of its own, made only if it has one or if it is asked for.
fn name_key() -> LocalKeyId {
    static NAME: u8 = 0;
    LocalKeyId(std::ptr::from_ref(&NAME) as usize)
}

/// Gives the current thread of a run its name, at its start.
pub(super) fn set_name(name: Option<Arc<str>>) {
    if name.is_some() {
        with_local(name_key(), || name, |_| ());
    }
}
