//! What is not under control: it is done, and the verdict names it.

use std::ffi::{c_char, c_int, c_void};

use libc::{pthread_t, sigset_t};

use super::descriptors::when;
use super::thread::thread_of;
use crate::control::controlled;
use crate::real::real;
use crate::state::{self, here, uncontrolled};

macro_rules! strange {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            if controlled() {
                uncontrolled(stringify!($name));
            }
            // SAFETY: as the C library says.
            unsafe { real!(fn $name($($type),*) -> $result)($($argument),*) }
        }
    )*};
}

strange! {
    fn fork() -> c_int;
    fn vfork() -> c_int;
    fn system(command: *const c_char) -> c_int;
    fn signal(number: c_int, handler: usize) -> usize;
    fn sigaction(number: c_int, action: *const c_void, before: *mut c_void) -> c_int;
    fn alarm(seconds: u32) -> u32;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn wait(status: *mut c_int) -> c_int;
    fn setitimer(which: c_int, new: *const c_void, old: *mut c_void) -> c_int;
    fn timerfd_create(clock: c_int, flags: c_int) -> c_int;
    fn signalfd(descriptor: c_int, set: *const c_void, flags: c_int) -> c_int;
    fn flock(descriptor: c_int, operation: c_int) -> c_int;
    fn msgrcv(queue: c_int, message: *mut c_void, size: usize, kind: i64, flags: c_int) -> isize;
    fn semop(set: c_int, operations: *mut c_void, count: usize) -> c_int;
    fn shmget(key: c_int, size: usize, flags: c_int) -> c_int;
}

/// Whether one of these signals has been sent and not been taken.
fn is_pending(wanted: *const sigset_t) -> bool {
    // SAFETY: the caller's set is valid, as the C library asks for; ours is filled by the call.
    unsafe {
        let mut sent: sigset_t = std::mem::zeroed();
        libc::sigpending(&raw mut sent) == 0
            && (1..=libc::SIGRTMAX()).any(|number| {
                libc::sigismember(wanted, number) == 1 && libc::sigismember(&raw const sent, number) == 1
            })
    }
}

/// Functions that wait for a signal, or send one and so wake whoever waits for it. The other threads go on meanwhile;
/// signals from outside do not come within a run.
macro_rules! about_signals {
    ($($ready:expr => fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            let real = real!(fn $name($($type),*) -> $result);
            // SAFETY: as the C library says.
            let call = || unsafe { real($($argument),*) };
            if !controlled() {
                return call();
            }
            uncontrolled(stringify!($name));
            let is_ready: fn($($type),*) -> bool = $ready;
            when(here(), || is_ready($($argument),*), call)
        }
    )*};
}

about_signals! {
    |_| false => fn sigsuspend(mask: *const sigset_t) -> c_int;
    || false => fn pause() -> c_int;
    |_, _| true => fn kill(process: c_int, number: c_int) -> c_int;
    |_| true => fn raise(number: c_int) -> c_int;
}

/// The first of these signals that was sent to the current thread by another one.
fn own_signal(wanted: *const sigset_t) -> Option<c_int> {
    let sent = state::with(|state| state.own().signals);
    // SAFETY: the caller's set is valid, as the C library asks for.
    (1..64).find(|number| sent >> number & 1 != 0 && unsafe { libc::sigismember(wanted, *number) == 1 })
}

/// Takes one of these signals when there is one; `real` takes one that was sent to the process.
fn take_signal(name: &str, wanted: *const sigset_t, real: impl FnOnce() -> c_int) -> Result<c_int, c_int> {
    uncontrolled(name);
    let is_ready = || own_signal(wanted).is_some() || is_pending(wanted);
    when(here(), is_ready, || match own_signal(wanted) {
        Some(number) => {
            state::with(|state| state.own().signals &= !(1 << number));
            Ok(number)
        }
        None => Err(real()),
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigwait(set: *const sigset_t, number: *mut c_int) -> c_int {
    // SAFETY: as the C library says.
    let real = || unsafe { real!(fn sigwait(*const sigset_t, *mut c_int) -> c_int)(set, number) };
    if !controlled() {
        return real();
    }
    match take_signal("sigwait", set, real) {
        Ok(taken) => {
            // SAFETY: a place for the number, as the C library asks for.
            unsafe { *number = taken };
            0
        }
        Err(answer) => answer,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigwaitinfo(set: *const sigset_t, told: *mut libc::siginfo_t) -> c_int {
    // SAFETY: as the C library says.
    let real = || unsafe { real!(fn sigwaitinfo(*const sigset_t, *mut libc::siginfo_t) -> c_int)(set, told) };
    if !controlled() {
        return real();
    }
    match take_signal("sigwaitinfo", set, real) {
        Ok(taken) => {
            // SAFETY: null, or a structure to fill, as the C library asks for.
            unsafe {
                if !told.is_null() {
                    *told = std::mem::zeroed();
                    (*told).si_signo = taken;
                }
            }
            taken
        }
        Err(answer) => answer,
    }
}

/// Notes the signal for the thread, which finds it when it waits for one; handlers are not run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_kill(name: pthread_t, number: c_int) -> c_int {
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe { real!(fn pthread_kill(pthread_t, c_int) -> c_int)(name, number) };
    }
    uncontrolled("pthread_kill");
    let Some(thread) = thread_of(name) else { return libc::ESRCH };
    if !(0..64).contains(&number) {
        return libc::EINVAL;
    }
    when(here(), || true, || state::with(|state| state.thread(thread).signals |= (1 << number) & !1));
    0
}
