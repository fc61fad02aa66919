//! What opens descriptors. They are the system's, but there are only as many as `--max-descriptors` allows: a program that
//! gets no more behaves as it would not elsewhere, and that has to be told.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::control::controlled;
use crate::real::real;
use crate::state::{self, uncontrolled};

/// Tells that a call failed because all descriptors are in use.
fn look(failed: bool) {
    if !failed || !controlled() {
        return;
    }
    let error = state::with(|state| state.error);
    // SAFETY: the C library's variable of this OS thread, which the program is about to read.
    unsafe {
        if *error == libc::EMFILE {
            uncontrolled("no more descriptors: --max-descriptors allows no more");
            *error = libc::EMFILE;
        }
    }
}

/// Functions of the C library as they are, and what tells that one failed.
macro_rules! opens {
    ($($failed:expr => fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            // SAFETY: as the C library says.
            let result = unsafe { real!(fn $name($($type),*) -> $result)($($argument),*) };
            let failed: fn($result) -> bool = $failed;
            look(failed(result));
            result
        }
    )*};
}

opens! {
    |result| result < 0 => fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
    |result| result < 0 => fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
    |result| result < 0 => fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
    |result| result < 0 => fn creat(path: *const c_char, mode: c_uint) -> c_int;
    |result| result < 0 => fn dup(descriptor: c_int) -> c_int;
    |result| result < 0 => fn pipe(ends: *mut c_int) -> c_int;
    |result| result < 0 => fn pipe2(ends: *mut c_int, flags: c_int) -> c_int;
    |result| result < 0 => fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    |result| result < 0 => fn socketpair(domain: c_int, kind: c_int, protocol: c_int, ends: *mut c_int) -> c_int;
    |result| result < 0 => fn eventfd(value: c_uint, flags: c_int) -> c_int;
    |result| result < 0 => fn epoll_create1(flags: c_int) -> c_int;
    |result: *mut c_void| result.is_null() => fn fopen(path: *const c_char, mode: *const c_char) -> *mut c_void;
    |result: *mut c_void| result.is_null() => fn fdopen(descriptor: c_int, mode: *const c_char) -> *mut c_void;
}
