//! A watch on runs that go on without a visible step.
//!
//! A timer looks now and then whether the run has made an event since the last look. If it has not for too long, the
//! thread that is running is ended as if it had died, and the run with it. If it used the processor meanwhile, it is in an
//! endless loop; if it did not, it waits in a call that is not under control.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use raddle_runtime::{Cause, Death, die, loaded_around};

use crate::abi::{self, RawSite};
use crate::real::raw_syscall;
use crate::state;

/// Looks per time that a run may go on without a step.
const LOOKS: u64 = 5;

static CHILD: AtomicI32 = AtomicI32::new(0);
static RUNNING: AtomicBool = AtomicBool::new(false);
static RUN: AtomicU64 = AtomicU64::new(0);
/// What was seen at the last look: the run and its events.
static SEEN: AtomicUsize = AtomicUsize::new(usize::MAX);
static UNCHANGED: AtomicU64 = AtomicU64::new(0);
/// The code of this library, which must not be left in the middle of something.
static OWN_CODE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];
/// The timer for looks that come soon, and the process that has it.
static RETRIES: AtomicI32 = AtomicI32::new(-1);
static RETRIES_IN: AtomicI32 = AtomicI32::new(0);
/// The next look is one of those.
static ASKED_FOR: AtomicBool = AtomicBool::new(false);
/// How soon they come, in nanoseconds.
const RETRY: i64 = 1_000_000;
static PERIOD: AtomicU64 = AtomicU64::new(0);
/// The processor time of the thread when its last step was seen, in nanoseconds.
static USED: AtomicU64 = AtomicU64::new(0);
/// The call in which the last run that slept for too long did so.
static ASLEEP_IN: AtomicPtr<RawSite> = AtomicPtr::new(std::ptr::null_mut());

/// How much longer than that a thread gets that is awake but is not let run by a busy machine, in nanoseconds: a thread that
/// goes on for ever is ended before the supervisor takes the process for dead.
const PATIENCE: u64 = 10_000_000_000;

/// Of a time without a step, a thread that is not asleep uses more than one part in so many, however busy the machine.
const PARTS_OF_A_SLEEPER: u64 = 200;

fn signal() -> libc::c_int {
    libc::SIGRTMAX() - 3
}

const DEADLY: [libc::c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT, libc::SIGTRAP];

/// Whether a run which crashed or goes on for ever ends by this signal.
pub(crate) fn ends_runs(number: libc::c_int) -> bool {
    DEADLY.contains(&number) || number == signal()
}

/// Takes the signals out of a set that end a run which crashed or goes on for ever: a program may not block them.
pub(crate) fn keep_open(set: &mut libc::sigset_t) {
    for signal in DEADLY.into_iter().chain([signal()]) {
        // SAFETY: a set and the number of a signal.
        unsafe { libc::sigdelset(set, signal) };
    }
}

/// Gets ready to watch.
pub(crate) fn prepare(stuck_after: Duration) {
    let own = loaded_around(prepare as *const () as usize);
    OWN_CODE[0].store(own.start, Ordering::Relaxed);
    OWN_CODE[1].store(own.end, Ordering::Relaxed);
    // SAFETY: the action is initialised, and the handler has the type that SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = look as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal(), &raw const action, std::ptr::null_mut());
    }
    let period = u64::try_from(stuck_after.as_nanos()).unwrap_or(u64::MAX) / LOOKS;
    PERIOD.store(period.max(1_000_000), Ordering::Relaxed);
    start();
}

/// The process that makes a run for this one; it has no timer of its own, but is told when to look.
pub(crate) fn child_is(child: libc::pid_t) {
    CHILD.store(child, Ordering::Relaxed);
}

/// Starts the timer.
fn start() {
    let period = PERIOD.load(Ordering::Relaxed);
    // SAFETY: all structures are initialised; a timer that cannot be had leaves runs unwatched, which the supervisor
    // notices.
    unsafe {
        let mut event: libc::sigevent = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_SIGNAL;
        event.sigev_signo = signal();
        let mut timer: libc::timer_t = std::ptr::null_mut();
        if libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) == 0 {
            let time = libc::timespec {
                tv_sec: (period / 1_000_000_000) as i64,
                tv_nsec: (period % 1_000_000_000) as i64,
            };
            let setting = libc::itimerspec { it_interval: time, it_value: time };
            libc::timer_settime(timer, 0, &raw const setting, std::ptr::null_mut());
        }
    }
}

/// A run begins.
pub(crate) fn run_begins() {
    RUN.fetch_add(1, Ordering::Relaxed);
    RUNNING.store(true, Ordering::Relaxed);
}

/// A run has ended.
pub(crate) fn run_ends() {
    RUNNING.store(false, Ordering::Relaxed);
}

/// The call in which the last run slept for too long.
pub(crate) fn asleep_in() -> *const RawSite {
    ASLEEP_IN.load(Ordering::Relaxed)
}

/// The processor time of this thread in nanoseconds, from the kernel: the program's clocks are virtual.
fn processor_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let clock = i64::from(libc::CLOCK_THREAD_CPUTIME_ID);
    // SAFETY: the kernel fills the structure; allowed in a signal handler.
    unsafe { raw_syscall(libc::SYS_clock_gettime, [clock, &raw mut time as i64, 0, 0, 0, 0]) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Asks for another look, from the signal handler. By calls of the kernel itself, which may be made there, and also in a process
/// that makes a run for another one and has no timer.
fn look_again_soon(signal: libc::c_int) {
    let clock = i64::from(libc::CLOCK_MONOTONIC);
    // SAFETY: all structures are initialised and outlive the calls, which fill in the number of the timer. The kernel's timers
    // have small numbers, and none is inherited by a process, which therefore makes its own.
    unsafe {
        let process = raw_syscall(libc::SYS_getpid, [0; 6]) as i32;
        if RETRIES_IN.swap(process, Ordering::Relaxed) != process {
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_SIGNAL;
            event.sigev_signo = signal;
            let mut timer: libc::c_int = -1;
            let arguments = [clock, &raw mut event as i64, &raw mut timer as i64, 0, 0, 0];
            raw_syscall(libc::SYS_timer_create, arguments);
            RETRIES.store(timer, Ordering::Relaxed);
        }
        let never = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let soon = libc::timespec { tv_sec: 0, tv_nsec: RETRY };
        let setting = libc::itimerspec { it_interval: never, it_value: soon };
        let timer = i64::from(RETRIES.load(Ordering::Relaxed));
        ASKED_FOR.store(true, Ordering::Relaxed);
        raw_syscall(libc::SYS_timer_settime, [timer, 0, &raw const setting as i64, 0, 0, 0]);
    }
}

/// # Safety
/// Called by the kernel.
unsafe extern "C" fn look(signal: libc::c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    let child = CHILD.load(Ordering::Relaxed);
    if child > 0 {
        // SAFETY: a signal to a child that has not been waited for, or that is about to be.
        unsafe { raw_syscall(libc::SYS_kill, [child.into(), signal.into(), 0, 0, 0, 0]) };
        return;
    }
    if !RUNNING.load(Ordering::Relaxed) || !state::is_set() {
        return;
    }
    let events = state::events_now();
    let seen = events.wrapping_add((RUN.load(Ordering::Relaxed) as usize) << 32);
    if SEEN.swap(seen, Ordering::Relaxed) != seen {
        UNCHANGED.store(0, Ordering::Relaxed);
        USED.store(processor_time(), Ordering::Relaxed);
        return;
    }
    // Looks that were asked for come sooner than a period after the last one, and say nothing about the time.
    let more = u64::from(!ASKED_FOR.swap(false, Ordering::Relaxed));
    let unchanged = UNCHANGED.fetch_add(more, Ordering::Relaxed) + more;
    if unchanged < LOOKS {
        return;
    }
    let period = PERIOD.load(Ordering::Relaxed);
    let limit = period.saturating_mul(LOOKS);
    let used = processor_time().saturating_sub(USED.load(Ordering::Relaxed));
    let asleep = used < limit / PARTS_OF_A_SLEEPER;
    // How long a computation takes by the clock depends on what else the machine does, and the verdict must not.
    let starved = used < limit && unchanged.saturating_mul(period) < limit.saturating_add(PATIENCE);
    if !asleep && starved {
        return;
    }
    // SAFETY: with SA_SIGINFO the context is a `ucontext_t`.
    let instruction =
        unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize };
    let own = OWN_CODE[0].load(Ordering::Relaxed)..OWN_CODE[1].load(Ordering::Relaxed);
    if own.contains(&instruction) {
        // A hook is at work. In a loop that calls one in each round it mostly is, and few looks find the program's own code.
        if !asleep {
            look_again_soon(signal);
        }
        return;
    }
    UNCHANGED.store(0, Ordering::Relaxed);
    if asleep {
        ASLEEP_IN.store(abi::caller().cast_mut(), Ordering::Relaxed);
    }
    let cause = if asleep { Cause::Asleep } else { Cause::Endless };
    let death = Death { signal, address: 0, instruction, cause };
    // SAFETY: this is a handler with its context, and the code that was interrupted is not ours.
    unsafe { die(death, context) };
}
