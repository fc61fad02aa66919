//! What is not under control: it is done, and the verdict names it.

use std::ffi::{c_char, c_int, c_void};

use crate::control::controlled;
use crate::real::real;
use crate::state::uncontrolled;

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
    fn sigwait(set: *const c_void, number: *mut c_int) -> c_int;
    fn pause() -> c_int;
    fn alarm(seconds: u32) -> u32;
    fn kill(process: c_int, number: c_int) -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn wait(status: *mut c_int) -> c_int;
    fn setitimer(which: c_int, new: *const c_void, old: *mut c_void) -> c_int;
    fn epoll_wait(descriptor: c_int, events: *mut c_void, most: c_int, timeout: c_int) -> c_int;
    fn flock(descriptor: c_int, operation: c_int) -> c_int;
    fn msgrcv(queue: c_int, message: *mut c_void, size: usize, kind: i64, flags: c_int) -> isize;
    fn semop(set: c_int, operations: *mut c_void, count: usize) -> c_int;
    fn shmget(key: c_int, size: usize, flags: c_int) -> c_int;
}
