//! A watch on OS threads that make runs.
//!
//! All threads of a run share one OS thread. If one of them waits in a call that is not under control, such as for a lock of
//! `std` that another one holds, or is in a loop without a visible step, nobody else goes on any more, for ever. Somebody else
//! has to notice.
//!
//! Who watches looks from outside at the processor time and at the number of the run, which costs the run nothing. Only a run
//! that lasts gets signals; their handler knows how many events there are. A thread that is in the middle of something of ours,
//! or in a library, is not ended but looked at again soon, because what it holds there would be held for ever. What cannot be
//! told is whether code of the program's own file holds something that others need, such as the standard output: after that the
//! process may hang, as it would have done in the loop.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Once};
use std::time::{Duration, Instant};

use crate::code::loaded_around;
use crate::overflow::{Cause, Death, die, runs_on_fiber};
use crate::visit;

/// Processor time below which an OS thread has slept between two looks. Waking up and going back to sleep takes less.
const ASLEEP: Duration = Duration::from_millis(1);

/// Looks in a row that have to find an OS thread asleep. A run never sleeps by itself.
const LOOKS: u32 = 10;

/// How long to wait for a moment in which a run that is to be ended can be.
const RETRY: Duration = Duration::from_millis(1);

/// No run has this number.
const NO_RUN: u64 = 0;

thread_local! {
    /// What this OS thread shows of itself; null if nobody watches it. Without a destructor, so that a signal handler can look.
    static WATCHED: Cell<*const Watched> = const { Cell::new(std::ptr::null()) };
}

/// The code of the program: of the file that this function is in, because Rust links everything into one.
static PROGRAM: LazyLock<Range<usize>> = LazyLock::new(|| loaded_around(look_inside as *const () as usize));

/// What an OS thread that makes runs shows of itself to who watches it.
#[derive(Debug)]
pub(crate) struct Watched {
    limit: Duration,
    program: Range<usize>,
    /// The thread, while it wants to be watched.
    thread: AtomicUsize,
    /// Its number in the system.
    number: AtomicI32,
    /// The number of the run that it makes.
    run: AtomicU64,
    /// Who watches has seen it asleep for too long.
    asleep: AtomicBool,
    /// The run is to be ended as soon as the thread is where it can be.
    overdue: AtomicBool,
    /// What the last signal found: the number of the run, its events, and the processor time in nanoseconds when that was found
    /// for the first time. Only the signal handler of the thread uses these.
    seen_run: AtomicU64,
    seen_events: AtomicUsize,
    seen_since: AtomicU64,
}

impl Watched {
    /// An OS thread whose runs may go on, or sleep, for `limit` without a step.
    #[must_use]
    pub(crate) fn new(limit: Duration) -> Arc<Watched> {
        Arc::new(Watched {
            limit,
            program: PROGRAM.clone(),
            thread: AtomicUsize::new(0),
            number: AtomicI32::new(0),
            run: AtomicU64::new(NO_RUN),
            asleep: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
            seen_run: AtomicU64::new(NO_RUN),
            seen_events: AtomicUsize::new(0),
            seen_since: AtomicU64::new(0),
        })
    }

    /// Lets this OS thread be watched while it does `f`.
    pub(crate) fn during<R>(&self, f: impl FnOnce() -> R) -> R {
        struct Unwatched<'w>(&'w Watched);
        impl Drop for Unwatched<'_> {
            fn drop(&mut self) {
                self.0.thread.store(0, Ordering::Release);
                WATCHED.with(|watched| watched.set(std::ptr::null()));
            }
        }
        let _unwatched = Unwatched(self);
        WATCHED.with(|watched| watched.set(std::ptr::from_ref(self)));
        // SAFETY: both always succeed.
        let (thread, number) = unsafe { (libc::pthread_self(), libc::gettid()) };
        self.number.store(number, Ordering::Relaxed);
        self.thread.store(thread as usize, Ordering::Release);
        f()
    }

    /// Looks from the signal handler: whether the run is to be ended now.
    fn is_due(&self, instruction: usize, stack_pointer: usize) -> Option<Cause> {
        if self.asleep.swap(false, Ordering::Relaxed) {
            return Some(Cause::Asleep);
        }
        let moment = visit::moment()?;
        let used = nanoseconds(own_processor_time());
        let run = self.seen_run.swap(moment.run, Ordering::Relaxed);
        let events = self.seen_events.swap(moment.events, Ordering::Relaxed);
        if (run, events) != (moment.run, moment.events) {
            self.seen_since.store(used, Ordering::Relaxed);
            self.overdue.store(false, Ordering::Relaxed);
            return None;
        }
        if used.saturating_sub(self.seen_since.load(Ordering::Relaxed)) < nanoseconds(self.limit) {
            return None;
        }
        let can_be_left =
            !moment.is_at_operation && self.program.contains(&instruction) && runs_on_fiber(stack_pointer);
        self.overdue.store(!can_be_left, Ordering::Relaxed);
        can_be_left.then_some(Cause::Endless)
    }
}

/// A run begins on this OS thread.
#[inline]
pub(crate) fn run_begins(number: u64) {
    let watched = WATCHED.with(Cell::get);
    // SAFETY: what `during` sets lives until it takes it away again.
    if let Some(watched) = unsafe { watched.as_ref() } {
        watched.run.store(number, Ordering::Relaxed);
    }
}

/// An OS thread that makes runs, as seen from another one.
#[derive(Debug)]
pub(crate) struct Watch {
    watched: Arc<Watched>,
    /// When it was last looked whether it sleeps, and its processor time then.
    looked: Instant,
    used: Duration,
    asleep: u32,
    /// The run that it made at the last look, and its processor time when that was seen for the first time.
    run: u64,
    run_since: Duration,
}

impl Watch {
    /// On an OS thread that says when ([`Watched::during`]).
    ///
    /// # Safety
    /// The OS thread must not be joined or detached before the last [`Watch::look`].
    #[must_use]
    pub(crate) unsafe fn on(watched: Arc<Watched>) -> Watch {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            // SAFETY: the action is initialised, and the handler has the type that SA_SIGINFO asks for.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = look_inside as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
                libc::sigemptyset(&raw mut action.sa_mask);
                libc::sigaction(signal(), &raw const action, std::ptr::null_mut());
            }
        });
        let (looked, used) = (Instant::now(), Duration::MAX);
        Watch { watched, looked, used, asleep: 0, run: NO_RUN, run_since: Duration::ZERO }
    }

    /// Whether it is this one that is looked at.
    pub(crate) fn is_on(&self, watched: &Arc<Watched>) -> bool {
        Arc::ptr_eq(&self.watched, watched)
    }

    /// How long to wait until the next look.
    #[must_use]
    pub(crate) fn pause(&self) -> Duration {
        if self.watched.overdue.load(Ordering::Relaxed) { RETRY } else { self.period() }
    }

    fn period(&self) -> Duration {
        self.watched.limit / LOOKS
    }

    /// Looks whether the OS thread has done anything since the last look. If it has slept for too long in the middle of a run,
    /// or has been busy for too long without a step, the run is ended.
    pub(crate) fn look(&mut self) {
        let thread = self.watched.thread.load(Ordering::Acquire) as libc::pthread_t;
        let Some(used) = (if thread == 0 { None } else { processor_time(thread) }) else { return };
        let is_asleep = self.is_asleep(used);
        self.watched.asleep.fetch_or(is_asleep, Ordering::Relaxed);
        if is_asleep || self.lasts(used) {
            // SAFETY: whoever made the watch vouches for the thread.
            unsafe { libc::pthread_kill(thread, signal()) };
        }
    }

    /// Whether it has slept for too long, now that it has used so much processor time.
    fn is_asleep(&mut self, used: Duration) -> bool {
        // Who looks again soon cannot tell a thread that sleeps.
        if self.looked.elapsed() < self.period() {
            return false;
        }
        let did_little = used.saturating_sub(self.used) < ASLEEP && self.used <= used;
        // On a busy machine a thread that wants to run may not be let for long, and one that a debugger stopped never is.
        let slept = did_little && sleeps(self.watched.number.load(Ordering::Relaxed));
        (self.looked, self.used) = (Instant::now(), used);
        self.asleep = if slept { self.asleep + 1 } else { 0 };
        let is_asleep = self.asleep >= LOOKS;
        if is_asleep {
            self.asleep = 0;
        }
        is_asleep
    }

    /// Whether its run lasts so long that it is worth a look inside. By processor time, so that neither a busy machine nor a
    /// debugger makes a run last.
    fn lasts(&mut self, used: Duration) -> bool {
        let run = self.watched.run.load(Ordering::Relaxed);
        if run != self.run {
            (self.run, self.run_since) = (run, used);
            self.watched.overdue.store(false, Ordering::Relaxed);
        }
        run != NO_RUN && used.saturating_sub(self.run_since) >= self.period()
    }
}

fn processor_time(thread: libc::pthread_t) -> Option<Duration> {
    let mut clock = 0;
    // SAFETY: whoever made the watch vouches for the thread; the clock is filled in.
    let known = unsafe { libc::pthread_getcpuclockid(thread, &raw mut clock) == 0 };
    if known { time_of(clock) } else { None }
}

fn own_processor_time() -> Duration {
    time_of(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default()
}

/// Whether the system says of a thread of this process that it sleeps until something wakes it; true if it says nothing.
fn sleeps(number: libc::pid_t) -> bool {
    let told = std::fs::read_to_string(format!("/proc/self/task/{number}/stat")).unwrap_or_default();
    // The name comes before it, and may be anything.
    told.rsplit_once(") ").is_none_or(|(_, state)| state.starts_with('S'))
}

/// The time of a clock; allowed in a signal handler.
fn time_of(clock: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is filled in.
    let known = unsafe { libc::clock_gettime(clock, &raw mut time) == 0 };
    known.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn signal() -> libc::c_int {
    libc::SIGRTMAX() - 3
}

/// # Safety
/// Called by the kernel.
unsafe extern "C" fn look_inside(
    signal: libc::c_int,
    _info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    let watched = WATCHED.try_with(Cell::get).unwrap_or(std::ptr::null());
    // SAFETY: what `during` sets on this OS thread lives until it takes it away again, also on this OS thread.
    let Some(watched) = (unsafe { watched.as_ref() }) else { return };
    // SAFETY: with SA_SIGINFO the context is a `ucontext_t`.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let instruction = registers[libc::REG_RIP as usize] as usize;
    let stack_pointer = registers[libc::REG_RSP as usize] as usize;
    if let Some(cause) = watched.is_due(instruction, stack_pointer) {
        let death = Death { signal, address: 0, instruction, cause };
        // SAFETY: this is a handler with its context. What was interrupted has either slept for long, which nothing of ours
        // does while a fiber is running, or is code of the program on the stack of its fiber, far from its last visible
        // operation and not at its next one. If no fiber is running, nothing happens.
        unsafe { die(death, context) };
    }
}
