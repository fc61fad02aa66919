//! The threads of C11, by those of POSIX.

use std::ffi::{c_int, c_uint, c_void};

use libc::{pthread_cond_t, pthread_mutex_t, pthread_t, timespec};

use crate::control::controlled;
use crate::faces::condition::{
    pthread_cond_broadcast, pthread_cond_destroy, pthread_cond_init, pthread_cond_signal,
    pthread_cond_timedwait, pthread_cond_wait,
};
use crate::faces::mutex::{
    pthread_mutex_destroy, pthread_mutex_init, pthread_mutex_lock, pthread_mutex_timedlock,
    pthread_mutex_trylock, pthread_mutex_unlock,
};
use crate::faces::once::pthread_once;
use crate::faces::thread::{
    self, pthread_detach, pthread_exit, pthread_getspecific, pthread_join, pthread_key_create,
    pthread_key_delete, pthread_self, pthread_setspecific,
};
use crate::faces::time::{nanosleep, sched_yield};
use crate::real::real;

const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const TIMED_OUT: c_int = 4;

fn result(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

type Body = unsafe extern "C" fn(*mut c_void) -> c_int;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_create(thread: *mut pthread_t, body: Body, argument: *mut c_void) -> c_int {
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe {
            real!(fn thrd_create(*mut pthread_t, Body, *mut c_void) -> c_int)(thread, body, argument)
        };
    }
    // SAFETY: a function that returns a number leaves it where one that returns a pointer does, in its lower half.
    let body = unsafe { std::mem::transmute::<Body, unsafe extern "C" fn(*mut c_void) -> *mut c_void>(body) };
    let created = thread::create(body, argument, None, false);
    // SAFETY: the program gives a place for the name.
    unsafe { *thread = thread::name_of(created) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_join(thread: pthread_t, value: *mut c_int) -> c_int {
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe { real!(fn thrd_join(pthread_t, *mut c_int) -> c_int)(thread, value) };
    }
    let mut pointer = std::ptr::null_mut();
    // SAFETY: the same as for a thread of POSIX; the program gives a place for the result, or none.
    unsafe {
        let error = pthread_join(thread, &raw mut pointer);
        if !value.is_null() {
            *value = pointer as usize as c_int;
        }
        result(error)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn thrd_exit(value: c_int) -> ! {
    // SAFETY: the same as for a thread of POSIX.
    unsafe { pthread_exit(value as isize as *mut c_void) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_sleep(time: *const timespec, rest: *mut timespec) -> c_int {
    // SAFETY: the same as for POSIX.
    unsafe { nanosleep(time, rest) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_yield() {
    // SAFETY: the same as for POSIX.
    unsafe { sched_yield() };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn mtx_init(mutex: *mut pthread_mutex_t, kind: c_int) -> c_int {
    // SAFETY: a mutex of C11 is one of POSIX, and recursive if its kind says so.
    unsafe {
        let mut attributes: libc::pthread_mutexattr_t = std::mem::zeroed();
        libc::pthread_mutexattr_init(&raw mut attributes);
        let kind = if kind & 1 != 0 { libc::PTHREAD_MUTEX_RECURSIVE } else { libc::PTHREAD_MUTEX_NORMAL };
        libc::pthread_mutexattr_settype(&raw mut attributes, kind);
        result(pthread_mutex_init(mutex, &raw const attributes))
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tss_create(
    key: *mut c_uint,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
) -> c_int {
    // SAFETY: the same as for POSIX.
    result(unsafe { pthread_key_create(key, destructor) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tss_delete(key: c_uint) {
    // SAFETY: the same as for POSIX.
    unsafe { pthread_key_delete(key) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tss_get(key: c_uint) -> *mut c_void {
    // SAFETY: the same as for POSIX.
    unsafe { pthread_getspecific(key) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn tss_set(key: c_uint, value: *mut c_void) -> c_int {
    // SAFETY: the same as for POSIX.
    result(unsafe { pthread_setspecific(key, value) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn call_once(once: *mut c_int, body: unsafe extern "C-unwind" fn()) {
    // SAFETY: the same as for POSIX.
    unsafe { pthread_once(once, body) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_current() -> pthread_t {
    // SAFETY: the same as for POSIX.
    unsafe { pthread_self() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn thrd_equal(a: pthread_t, b: pthread_t) -> c_int {
    c_int::from(a == b)
}

/// Functions that are those of POSIX by another name, with other numbers for errors.
macro_rules! same {
    ($($name:ident($($argument:ident: $type:ty),*) => $real:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            // SAFETY: the same as for POSIX.
            result(unsafe { $real($($argument),*) })
        }
    )*};
}

same! {
    thrd_detach(thread: pthread_t) => pthread_detach;
    mtx_lock(mutex: *mut pthread_mutex_t) => pthread_mutex_lock;
    mtx_trylock(mutex: *mut pthread_mutex_t) => pthread_mutex_trylock;
    mtx_timedlock(mutex: *mut pthread_mutex_t, until: *const timespec) => pthread_mutex_timedlock;
    mtx_unlock(mutex: *mut pthread_mutex_t) => pthread_mutex_unlock;
    cnd_signal(condition: *mut pthread_cond_t) => pthread_cond_signal;
    cnd_broadcast(condition: *mut pthread_cond_t) => pthread_cond_broadcast;
    cnd_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) => pthread_cond_wait;
    cnd_timedwait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, until: *const timespec)
        => pthread_cond_timedwait;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn mtx_destroy(mutex: *mut pthread_mutex_t) {
    // SAFETY: the same as for POSIX.
    unsafe { pthread_mutex_destroy(mutex) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnd_init(condition: *mut pthread_cond_t) -> c_int {
    // SAFETY: the same as for POSIX.
    result(unsafe { pthread_cond_init(condition, std::ptr::null()) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnd_destroy(condition: *mut pthread_cond_t) {
    // SAFETY: the same as for POSIX.
    unsafe { pthread_cond_destroy(condition) };
}
