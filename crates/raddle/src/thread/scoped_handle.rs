//! The handles of threads that borrow.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Result;
use super::handle::Thread;
use super::join::InRun;
use super::scope::Fate;

/// The right to join a thread of a scope. If it is not used, the scope joins the thread.
///
/// ```
/// use raddle::thread::{self, ScopedJoinHandle};
///
/// let number = 5;
/// thread::scope(|scope| {
///     let other: ScopedJoinHandle<'_, u32> = scope.spawn(|| number + 1);
///     assert_eq!(other.join().unwrap(), 6);
/// });
/// ```
pub struct ScopedJoinHandle<'scope, T>(Handle<'scope, T>);

enum Handle<'scope, T> {
    Real(std::thread::ScopedJoinHandle<'scope, T>, Thread),
    InRun { in_run: InRun<T>, fate: Arc<Fate>, scope: PhantomData<&'scope ()> },
}

impl<'scope, T> ScopedJoinHandle<'scope, T> {
    pub(super) fn real(handle: std::thread::ScopedJoinHandle<'scope, T>) -> ScopedJoinHandle<'scope, T> {
        let thread = Thread::real(handle.thread().clone());
        ScopedJoinHandle(Handle::Real(handle, thread))
    }

    pub(super) fn in_run(in_run: InRun<T>, fate: Arc<Fate>) -> ScopedJoinHandle<'scope, T> {
        ScopedJoinHandle(Handle::InRun { in_run, fate, scope: PhantomData })
    }

    /// Waits for the end of the thread and returns its result.
    ///
    /// # Errors
    /// If the thread panicked: see [`JoinHandle::join`](crate::thread::JoinHandle::join).
    ///
    /// ```
    /// raddle::check(|| {
    ///     let two = raddle::thread::scope(|scope| scope.spawn(|| 2).join().unwrap());
    ///     assert_eq!(two, 2);
    /// });
    /// ```
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            Handle::Real(handle, _) => handle.join(),
            Handle::InRun { in_run, fate, .. } => {
                fate.joined.store(true, Ordering::Relaxed);
                in_run.join()
            }
        }
    }

    /// The thread.
    ///
    /// ```
    /// raddle::thread::scope(|scope| {
    ///     scope.spawn(raddle::thread::park).thread().unpark();
    /// });
    /// ```
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Handle::Real(_, thread) => thread,
            Handle::InRun { in_run, .. } => &in_run.thread,
        }
    }

    /// Whether the thread has come to its end, without waiting for it.
    ///
    /// ```
    /// raddle::thread::scope(|scope| {
    ///     let other = scope.spawn(|| ());
    ///     while !other.is_finished() {
    ///         raddle::thread::yield_now();
    ///     }
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Handle::Real(handle, _) => handle.is_finished(),
            Handle::InRun { in_run, .. } => in_run.is_finished(),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
