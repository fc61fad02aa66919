//! Creating and joining threads.

use std::fmt;

use raddle_runtime::in_run;
use raddle_trace::{Kind, ObjectId, Operation, Place};

use super::handle::Thread;
use super::packet::Shared;
use super::{Builder, Result};
use crate::place::here;

/// Creates a thread that runs `f`.
///
/// # Panics
/// Outside a check, if the system cannot create one.
///
/// ```
/// raddle::check(|| {
///     let other = raddle::thread::spawn(|| 2 + 3);
///     assert_eq!(other.join().unwrap(), 5);
/// });
/// ```
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("failed to spawn thread")
}

/// The right to join a thread.
///
/// Dropping it detaches the thread. A check goes on until every thread has come to its end, whether it is joined or
/// not; only detached threads that wait for what nobody can do any more may be left over.
///
/// ```
/// use raddle::thread::{self, JoinHandle};
///
/// let other: JoinHandle<u32> = thread::spawn(|| 5);
/// assert_eq!(other.join().unwrap(), 5);
/// ```
pub struct JoinHandle<T>(Inner<T>);

// SAFETY: as in `std`. Who has a handle got it from a function that creates a thread, and these ask for a result that can be sent;
// for any other result there is no handle. A handle that is shared shows nothing of the result.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: see above.
unsafe impl<T> Sync for JoinHandle<T> {}

enum Inner<T> {
    Real(std::thread::JoinHandle<T>, Thread),
    InRun(InRun<T>),
}

pub(super) struct InRun<T> {
    pub number: raddle_trace::ThreadId,
    pub thread: Thread,
    pub packet: Shared<T>,
    /// Whether the end of the handle detaches the thread.
    detaches: bool,
    /// Where the thread was created.
    place: Place,
}

impl<T> InRun<T> {
    pub(super) fn new(thread: Thread, number: raddle_trace::ThreadId, packet: Shared<T>) -> InRun<T> {
        InRun { number, thread, packet, detaches: false, place: Place::Unknown }
    }

    /// A handle whose end detaches the thread.
    pub(super) fn detaching(mut self, place: Place) -> InRun<T> {
        self.detaches = true;
        self.place = place;
        self
    }

    #[track_caller]
    pub(super) fn join(mut self) -> Result<T> {
        self.detaches = false;
        if in_run() {
            // Without a result, and if a panic ends the run, all that a thread hands over is that it has ended.
            let carries = size_of::<T>() != 0 || raddle_runtime::panics_allowed();
            raddle_runtime::join_for_result(self.number, carries, here());
        }
        self.packet.take()
    }

    #[track_caller]
    pub(super) fn is_finished(&self) -> bool {
        !in_run() || raddle_runtime::has_ended(self.number, here())
    }
}

impl<T> Drop for InRun<T> {
    fn drop(&mut self) {
        if self.detaches && in_run() && !raddle_runtime::unwinding() {
            let detach = Operation::new(Kind::Detach, ObjectId::NONE, self.number.index() as u64);
            raddle_runtime::visit(detach, self.place);
        }
    }
}

impl<T> JoinHandle<T> {
    pub(super) fn real(handle: std::thread::JoinHandle<T>) -> JoinHandle<T> {
        let thread = Thread::real(handle.thread().clone());
        JoinHandle(Inner::Real(handle, thread))
    }

    pub(super) fn in_run(handle: InRun<T>) -> JoinHandle<T> {
        JoinHandle(Inner::InRun(handle))
    }

    /// Waits for the end of the thread and returns its result.
    ///
    /// # Errors
    /// If the thread panicked, with what it panicked with. In a check a panic is a finding and ends the run, so there is
    /// no error to see unless panics are allowed.
    ///
    /// ```
    /// let other = raddle::thread::spawn(|| panic!("on purpose"));
    /// assert!(other.join().is_err());
    /// ```
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            Inner::Real(handle, _) => handle.join(),
            Inner::InRun(handle) => handle.join(),
        }
    }

    /// The thread.
    ///
    /// ```
    /// let other = raddle::thread::spawn(raddle::thread::park);
    /// other.thread().unpark();
    /// other.join().unwrap();
    /// ```
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Inner::Real(_, thread) => thread,
            Inner::InRun(handle) => &handle.thread,
        }
    }

    /// Whether the thread has come to its end, without waiting for it.
    ///
    /// ```
    /// let other = raddle::thread::spawn(|| 5);
    /// while !other.is_finished() {
    ///     raddle::thread::yield_now();
    /// }
    /// assert_eq!(other.join().unwrap(), 5);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Inner::Real(handle, _) => handle.is_finished(),
            Inner::InRun(handle) => handle.is_finished(),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
