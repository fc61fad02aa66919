//! Mirror of `std::sync::Condvar`.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use raddle_runtime::{
    Frame, LocalKeyId, Registration, end_of_run, visit, wait_for_turn, with_local, with_run,
};
use raddle_trace::{Kind, ObjectId, Operation, Place};
use raddle_world::ObjectKind;

use super::held::Held;
use super::mutex::Parts;
use super::{LockResult, MutexGuard, PoisonError};
use crate::place::here;

/// A condition variable: the mirror of the type of this name in `std`.
///
/// In a check it is part of the search which waiter is notified, and whether a wait with a time-out ends by itself.
///
/// ```
/// use raddle::sync::{Arc, Condvar, Mutex};
/// use raddle::thread;
///
/// raddle::check(|| {
///     let shared = Arc::new((Mutex::new(false), Condvar::new()));
///     let other = Arc::clone(&shared);
///     let setter = thread::spawn(move || {
///         *other.0.lock().unwrap() = true;
///         other.1.notify_one();
///     });
///     let mut ready = shared.0.lock().unwrap();
///     while !*ready {
///         ready = shared.1.wait(ready).unwrap();
///     }
///     drop(ready);
///     setter.join().unwrap();
/// });
/// ```
#[derive(Default)]
pub struct Condvar {
    registration: Registration,
    real: std::sync::Condvar,
}

/// Whether a wait ended because its time was over.
///
/// ```
/// use raddle::sync::{Condvar, Mutex};
/// use raddle::time::Duration;
///
/// let mutex = Mutex::new(());
/// let (_guard, result) = Condvar::new().wait_timeout(mutex.lock().unwrap(), Duration::ZERO).unwrap();
/// assert!(result.timed_out());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WaitTimeoutResult {
    /// Whether the time was over, as a whole word: bytes that mean nothing would be copied to the stack of a thread that
    /// waits in a loop, with whatever is in them, and no two rounds of it would be alike.
    timed_out: usize,
}

impl fmt::Debug for WaitTimeoutResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WaitTimeoutResult").field(&self.timed_out()).finish()
    }
}

impl From<bool> for WaitTimeoutResult {
    fn from(timed_out: bool) -> WaitTimeoutResult {
        WaitTimeoutResult { timed_out: timed_out.into() }
    }
}

impl WaitTimeoutResult {
    /// Whether the time was over.
    ///
    /// ```
    /// # use raddle::sync::{Condvar, Mutex};
    /// # use raddle::time::Duration;
    /// # let mutex = Mutex::new(());
    /// # let guard = mutex.lock().unwrap();
    /// let (_guard, result) = Condvar::new().wait_timeout(guard, Duration::ZERO).unwrap();
    /// assert!(result.timed_out());
    /// ```
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.timed_out != 0
    }
}

impl Condvar {
    /// A condition variable at which nobody waits.
    ///
    /// ```
    /// # use raddle::sync::Condvar;
    /// static CHANGED: Condvar = Condvar::new();
    /// ```
    #[must_use]
    pub const fn new() -> Condvar {
        Condvar { registration: Registration::new(), real: std::sync::Condvar::new() }
    }

    fn number(&self, place: Place) -> ObjectId {
        self.registration.number(place, || ObjectKind::Condvar)
    }

    /// Gives the mutex back and waits for a notification, then takes the mutex again.
    ///
    /// # Errors
    /// If the mutex is poisoned by then.
    ///
    /// ```
    /// # use raddle::sync::{Condvar, Mutex};
    /// # use raddle::thread;
    /// let (ready, changed) = (Mutex::new(false), Condvar::new());
    /// thread::scope(|scope| {
    ///     scope.spawn(|| {
    ///         *ready.lock().unwrap() = true;
    ///         changed.notify_all();
    ///     });
    ///     let mut guard = ready.lock().unwrap();
    ///     while !*guard {
    ///         guard = changed.wait(guard).unwrap();
    ///     }
    /// });
    /// ```
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let parts = guard.into_parts();
        if !self.registration.in_run() {
            return parts.mutex.guard(self.real.wait(parts.real), parts.held);
        }
        self.wait_in_run(parts, Kind::Wait, here()).0
    }

    /// Waits, and says whether the wait ended by itself.
    #[track_caller]
    fn wait_in_run<'a, T>(
        &self,
        parts: Parts<'a, T>,
        kind: Kind,
        place: Place,
    ) -> (LockResult<MutexGuard<'a, T>>, bool) {
        let Parts { mutex, real, held } = parts;
        let lock = held.expect("waited in a run with a mutex that was taken outside it").lock;
        drop(real);
        let carries = mutex.carries();
        let operation = Operation::new(kind, self.number(place), lock.index() as u64).carrying(carries);
        let mut skipped = visit(operation, place).skipped;
        let mut timed_out = false;
        while !skipped {
            let executed = wait_for_turn();
            skipped = executed.skipped;
            match executed.kind {
                Kind::Relock => {
                    return (mutex.take(Held { lock, place, carries, touched: false }), timed_out);
                }
                Kind::Timeout => timed_out = true,
                _ => {}
            }
        }
        // A destructor waits for a thread that will never act again.
        end_of_run()
    }

    /// Waits as long as the condition holds.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    ///
    /// ```
    /// # use raddle::sync::{Condvar, Mutex};
    /// let (busy, changed) = (Mutex::new(false), Condvar::new());
    /// let guard = changed.wait_while(busy.lock().unwrap(), |busy| *busy).unwrap();
    /// assert!(!*guard);
    /// ```
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits, but not for longer than `timeout`. A check tries both, and puts the thread's clock forward by `timeout` if the
    /// time is over.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    ///
    /// ```
    /// # use raddle::sync::{Condvar, Mutex};
    /// # use raddle::time::Duration;
    /// raddle::check(|| {
    ///     let (mutex, changed) = (Mutex::new(()), Condvar::new());
    ///     let guard = mutex.lock().unwrap();
    ///     let (_guard, result) = changed.wait_timeout(guard, Duration::from_secs(60)).unwrap();
    ///     assert!(result.timed_out());
    /// });
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        self.wait_timeout_from(&Frame::here(), guard, timeout, here())
    }

    /// The same for a thread that comes from there. Never part of who calls, so that our own variables are not taken for
    /// those of the thread: what is in them may depend on what the search did, and on earlier runs.
    #[inline(never)]
    fn wait_timeout_from<'a, T>(
        &self,
        frame: &Frame,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
        place: Place,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let parts = guard.into_parts();
        if !self.registration.in_run() {
            let (real, result) = match self.real.wait_timeout(parts.real, timeout) {
                Ok((real, result)) => (Ok(real), result),
                Err(poisoned) => {
                    let (real, result) = poisoned.into_inner();
                    (Err(PoisonError::new(real)), result)
                }
            };
            let result = WaitTimeoutResult::from(result.timed_out());
            return beside(parts.mutex.guard(real, parts.held), result);
        }
        if polls(frame.own(place)) {
            return beside(poll(parts, timeout, frame, place), WaitTimeoutResult::from(true));
        }
        let (guard, timed_out) = self.wait_in_run(parts, Kind::TimedWait, place);
        if timed_out {
            crate::time::pass(timeout);
        } else {
            with_polls(|polls| polls.set(Polls::default()));
        }
        beside(guard, WaitTimeoutResult::from(timed_out))
    }

    /// Like [`Condvar::wait_timeout`], with milliseconds; true if the wait ended before its time was over.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    ///
    /// ```
    /// # use raddle::sync::{Condvar, Mutex};
    /// let mutex = Mutex::new(());
    /// #[allow(deprecated)]
    /// let (_guard, in_time) = Condvar::new().wait_timeout_ms(mutex.lock().unwrap(), 1).unwrap();
    /// ```
    #[deprecated(note = "replaced by `wait_timeout`, as in `std`")]
    #[inline(always)]
    #[track_caller]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        milliseconds: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        match self.wait_timeout(guard, Duration::from_millis(u64::from(milliseconds))) {
            Ok((guard, result)) => Ok((guard, !result.timed_out())),
            Err(poisoned) => {
                let (guard, result) = poisoned.into_inner();
                Err(PoisonError::new((guard, !result.timed_out())))
            }
        }
    }

    /// Waits as long as the condition holds, but not for longer than `timeout`.
    ///
    /// # Errors
    /// If the mutex is poisoned.
    ///
    /// ```
    /// # use raddle::sync::{Condvar, Mutex};
    /// # use raddle::time::Duration;
    /// let (busy, changed) = (Mutex::new(true), Condvar::new());
    /// let guard = busy.lock().unwrap();
    /// let (_guard, result) = changed.wait_timeout_while(guard, Duration::from_millis(1), |busy| *busy).unwrap();
    /// assert!(result.timed_out());
    /// ```
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let start = crate::time::Instant::now();
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult::from(false)));
            }
            let Some(left) = timeout.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) else {
                return Ok((guard, WaitTimeoutResult::from(true)));
            };
            guard = self.wait_timeout(guard, left)?.0;
        }
    }

    /// Wakes one of the threads that wait, if any do. A check tries all of them.
    ///
    /// ```
    /// # use raddle::sync::Condvar;
    /// Condvar::new().notify_one();
    /// ```
    #[track_caller]
    pub fn notify_one(&self) {
        self.notify(Kind::NotifyOne, here(), std::sync::Condvar::notify_one);
    }

    /// Wakes all threads that wait.
    ///
    /// ```
    /// # use raddle::sync::Condvar;
    /// Condvar::new().notify_all();
    /// ```
    #[track_caller]
    pub fn notify_all(&self) {
        self.notify(Kind::NotifyAll, here(), std::sync::Condvar::notify_all);
    }

    fn notify(&self, kind: Kind, place: Place, real: impl FnOnce(&std::sync::Condvar)) {
        if self.registration.in_run() {
            visit(Operation::new(kind, self.number(place), 0), place);
        } else {
            real(&self.real);
        }
    }
}

/// Timed waits that give up in a row, with a thread that is the same each time, before the thread is taken to be polling.
const MAX_ALIKE: u32 = 3;

/// The timed waits of a thread that gave up in a row.
#[derive(Clone, Copy, Default)]
struct Polls {
    /// Stands for what the thread kept to itself at the last one.
    own: u64,
    /// How many there were at which that was the same.
    alike: u32,
}

fn with_polls<R: Default>(f: impl FnOnce(&Cell<Polls>) -> R) -> R {
    static KEY: u8 = 0;
    let key = LocalKeyId(std::ptr::from_ref(&KEY) as usize);
    with_local(key, || Cell::new(Polls::default()), f).unwrap_or_default()
}

/// Whether the current thread, which comes to a timed wait with this, would go on for ever if all of them gave up.
fn polls(own: u64) -> bool {
    with_polls(|polls| {
        let before = polls.get();
        let alike = if before.own == own { before.alike + 1 } else { 0 };
        polls.set(Polls { own, alike });
        alike >= MAX_ALIKE
    })
}

/// A thread whose timed waits gave up again and again polls: this one gives up before anybody notifies it, and it takes the lock
/// again when somebody else has had it. That somebody notifies it at this wait is not tried any more.
fn poll<'a, T>(
    parts: Parts<'a, T>,
    timeout: Duration,
    frame: &Frame,
    place: Place,
) -> LockResult<MutexGuard<'a, T>> {
    let Parts { mutex, real, held } = parts;
    let held = held.expect("waited in a run with a mutex that was taken outside it");
    with_run(|run| {
        run.assumed_waiting.get_or_insert(place);
    });
    drop(real);
    held.release(Kind::Unlock);
    crate::time::pass(timeout);
    crate::thread::give_way(Some(frame), place);
    visit(Operation::new(Kind::Lock, held.lock, 0).carrying(held.carries), place);
    mutex.take(Held { place, touched: false, ..held })
}

/// Puts something beside a guard, poisoned or not.
fn beside<G, R>(guard: LockResult<G>, result: R) -> LockResult<(G, R)> {
    match guard {
        Ok(guard) => Ok((guard, result)),
        Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), result))),
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
