//! What is not under control: it is done, and the verdict names it.

use std::ffi::{c_char, c_int, c_void};

use libc::{pthread_t, sigset_t};

use super::descriptors::{Source, when};
use super::thread::thread_of;
use crate::control::controlled;
use crate::real::real;
use crate::state::{self, uncontrolled};
use crate::watch;

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

/// The program becomes another one: for us its run is over, with something that is not under control.
unsafe extern "C" fn raddle_becomes_another() {
    if controlled() {
        uncontrolled("exec");
        raddle_runtime::exit_program();
    }
}

macro_rules! becomes {
    ($(fn $name:ident($($argument:ident: $type:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            // SAFETY: ends the run, or does nothing.
            unsafe { raddle_becomes_another() };
            // SAFETY: as the C library says.
            unsafe { real!(fn $name($($type),*) -> c_int)($($argument),*) }
        }
    )*};
}

becomes! {
    fn execv(path: *const c_char, arguments: *const c_void);
    fn execve(path: *const c_char, arguments: *const c_void, environment: *const c_void);
    fn execvp(path: *const c_char, arguments: *const c_void);
    fn execvpe(path: *const c_char, arguments: *const c_void, environment: *const c_void);
    fn fexecve(file: c_int, arguments: *const c_void, environment: *const c_void);
}

/// Those that take a list of arguments, of any length: their registers and stack are left as they are for the real one.
macro_rules! becomes_by_list {
    ($($name:ident $find:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $find() -> *const c_void {
            // SAFETY: ends the run, or does nothing.
            unsafe { raddle_becomes_another() };
            real!(fn $name() -> c_int) as *const c_void
        }

        std::arch::global_asm!(
            concat!(".globl ", stringify!($name)),
            concat!(".type ", stringify!($name), ", @function"),
            concat!(stringify!($name), ":"),
            "push rdi",
            "push rsi",
            "push rdx",
            "push rcx",
            "push r8",
            "push r9",
            "push rax",
            "call {find}",
            "mov r11, rax",
            "pop rax",
            "pop r9",
            "pop r8",
            "pop rcx",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            "jmp r11",
            find = sym $find,
        );
    )*};
}

becomes_by_list! {
    execl raddle_find_execl
    execle raddle_find_execle
    execlp raddle_find_execlp
}

/// Masks are allowed, but not for the signals that end a run.
macro_rules! masks {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(how: c_int, set: *const sigset_t, before: *mut sigset_t) -> c_int {
            let real = real!(fn $name(c_int, *const sigset_t, *mut sigset_t) -> c_int);
            // SAFETY: as the C library says; the copy of the set lives until the call returns.
            unsafe {
                if !controlled() || set.is_null() || how == libc::SIG_UNBLOCK {
                    return real(how, set, before);
                }
                let mut open = *set;
                watch::keep_open(&mut open);
                real(how, &raw const open, before)
            }
        }
    )*};
}

masks! { sigprocmask pthread_sigmask }

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fork() -> c_int {
    if controlled() {
        uncontrolled("fork");
        crate::NOTES.keep_apart();
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn fork() -> c_int)() }
}

strange! {
    fn vfork() -> c_int;
    fn system(command: *const c_char) -> c_int;
    fn alarm(seconds: u32) -> u32;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn wait(status: *mut c_int) -> c_int;
    fn setitimer(which: c_int, new: *const c_void, old: *mut c_void) -> c_int;
    fn timerfd_create(clock: c_int, flags: c_int) -> c_int;
    fn signalfd(descriptor: c_int, set: *const c_void, flags: c_int) -> c_int;
    fn flock(descriptor: c_int, operation: c_int) -> c_int;
    fn msgrcv(queue: c_int, message: *mut c_void, size: usize, kind: i64, flags: c_int) -> isize;
    fn semop(set: c_int, operations: *mut c_void, count: usize) -> c_int;
    fn msgsnd(queue: c_int, message: *const c_void, size: usize, flags: c_int) -> c_int;
    fn semtimedop(set: c_int, operations: *mut c_void, count: usize, time: *const c_void) -> c_int;
    fn mq_receive(queue: c_int, message: *mut c_char, size: usize, priority: *mut u32) -> isize;
    fn mq_send(queue: c_int, message: *const c_char, size: usize, priority: u32) -> c_int;
    fn epoll_pwait(descriptor: c_int, events: *mut c_void, most: c_int, timeout: c_int, mask: *const c_void) -> c_int;
    fn ppoll(list: *mut c_void, count: u64, time: *const c_void, mask: *const c_void) -> c_int;
    fn pselect(count: c_int, read: *mut c_void, write: *mut c_void, except: *mut c_void, time: *const c_void, mask: *const c_void) -> c_int;
    fn lockf(descriptor: c_int, command: c_int, length: i64) -> c_int;
    fn sigtimedwait(set: *const c_void, facts: *mut c_void, time: *const c_void) -> c_int;
    fn sigqueue(process: c_int, number: c_int, value: usize) -> c_int;
    fn timer_create(clock: c_int, event: *mut c_void, timer: *mut c_void) -> c_int;
    fn waitid(kind: c_int, process: u32, facts: *mut c_void, options: c_int) -> c_int;
    fn wait3(status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int;
    fn wait4(process: c_int, status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int;
    fn popen(command: *const c_char, mode: *const c_char) -> *mut c_void;
    fn posix_spawn(process: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: *const c_void, environment: *const c_void) -> c_int;
    fn posix_spawnp(process: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: *const c_void, environment: *const c_void) -> c_int;
    fn shmget(key: c_int, size: usize, flags: c_int) -> c_int;
}

/// Whether a program may handle a signal in this way and stay under control: it is ignored, or does what it always does, and none
/// of those by which a run ends.
fn is_harmless(number: c_int, handler: usize) -> bool {
    !watch::ends_runs(number) && matches!(handler, libc::SIG_IGN | libc::SIG_DFL)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn signal(number: c_int, handler: usize) -> usize {
    if controlled() && !is_harmless(number, handler) {
        uncontrolled("signal");
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn signal(c_int, usize) -> usize)(number, handler) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigaction(
    number: c_int,
    action: *const libc::sigaction,
    before: *mut libc::sigaction,
) -> c_int {
    // SAFETY: null, or what the program wants, as the C library asks for.
    let wanted = unsafe { action.as_ref() };
    if controlled() && wanted.is_some_and(|action| !is_harmless(number, action.sa_sigaction)) {
        uncontrolled("sigaction");
    }
    type Action = libc::sigaction;
    // SAFETY: as the C library says.
    unsafe { real!(fn sigaction(c_int, *const Action, *mut Action) -> c_int)(number, action, before) }
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
            when(Source::Signals, || is_ready($($argument),*), call)
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
    when(Source::Signals, is_ready, || match own_signal(wanted) {
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
    when(
        Source::Signals,
        || true,
        || state::with(|state| state.thread(thread).signals |= (1 << number) & !1),
    );
    0
}
