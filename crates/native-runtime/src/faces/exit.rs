//! Ends of the program: `exit`, `abort`, failed assertions, the verification conventions.

use std::ffi::{c_char, c_int, c_uint, c_void};

use raddle_trace::{Ending, Failure, Place};

use crate::abi;
use crate::control::{self, controlled};
use crate::faces::thread;
use crate::real::real;
use crate::state::{self, Destructor, here};

/// The program has come to its end, by `exit` or by returning from `main`.
pub(crate) fn program_ends(_code: c_int) -> ! {
    thread::run_destructors();
    while let Some(next) = state::with(|state| state.at_exit.pop()) {
        // SAFETY: the program registered the function to be called now.
        unsafe { (next.function)(next.argument) };
    }
    crate::leaks::look();
    raddle_runtime::exit_program()
}

/// After a run: what the program has printed but not flushed does not belong to the next one.
pub(crate) fn flush() {
    let silent = state::with(|state| !matches!(state.task.what, raddle_channel::What::Again { .. }));
    if !silent {
        // SAFETY: flushes all streams.
        unsafe { libc::fflush(std::ptr::null_mut()) };
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn exit(code: c_int) -> ! {
    if controlled() {
        program_ends(code);
    }
    if abi::recording() {
        crate::record::finish(code);
    }
    // SAFETY: as the C library says; it does not return.
    unsafe { real!(fn exit(c_int))(code) };
    crate::host::leave(code)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn _exit(code: c_int) -> ! {
    if controlled() {
        raddle_runtime::exit_program();
    }
    if abi::recording() {
        crate::record::finish(code);
    }
    crate::host::leave(code)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Exit(code: c_int) -> ! {
    // SAFETY: the same function by another name.
    unsafe { _exit(code) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn quick_exit(code: c_int) -> ! {
    // SAFETY: handlers of this way out are not called in a run.
    unsafe { _exit(code) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn abort() -> ! {
    if controlled() {
        control::fail(Failure::Crash, "aborted", here());
    }
    // SAFETY: as the C library says; it does not return.
    unsafe { real!(fn abort())() };
    crate::host::leave(134)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_atexit(
    function: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
    object: *mut c_void,
) -> c_int {
    if controlled() {
        state::with(|state| state.at_exit.push(Destructor { function, argument }));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe {
        real!(fn __cxa_atexit(unsafe extern "C" fn(*mut c_void), *mut c_void, *mut c_void) -> c_int)(
            function, argument, object,
        )
    }
}

fn failed(text: &str) -> ! {
    let place = here();
    control::fail(Failure::Assertion, format!("assertion failed: {text}"), place)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __assert_fail(
    assertion: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    if controlled() {
        let text = abi::text(assertion);
        let (file, function) = (abi::text(file), abi::text(function));
        let place = match here() {
            Place::Unknown => {
                raddle_channel::sites::site(&file, &function, line, 0, 0).map_or(Place::Unknown, Place::Site)
            }
            known => known,
        };
        let message = format!("assertion failed: {text}");
        drop((text, file, function));
        control::fail(Failure::Assertion, message, place);
    }
    // SAFETY: as the C library says; it does not return.
    unsafe {
        real!(fn __assert_fail(*const c_char, *const c_char, c_uint, *const c_char))(
            assertion, file, line, function,
        );
    }
    crate::host::leave(134)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __VERIFIER_error() -> ! {
    if controlled() {
        failed("__VERIFIER_error()");
    }
    // SAFETY: ends the process.
    unsafe { abort() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn reach_error() -> ! {
    if controlled() {
        failed("reach_error()");
    }
    // SAFETY: ends the process.
    unsafe { abort() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_assert_failed(text: *const c_char) -> ! {
    if controlled() {
        let message = format!("assertion failed: {}", abi::text(text));
        let place = here();
        control::fail(Failure::Assertion, message, place);
    }
    // SAFETY: ends the process.
    unsafe { abort() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __VERIFIER_assume(condition: c_int) {
    if condition != 0 {
        return;
    }
    if controlled() {
        raddle_runtime::end_run(Ending::Assumed, None);
    }
    // SAFETY: a program that runs by itself ends quietly where its assumption fails.
    unsafe { exit(0) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_assume(condition: c_int) {
    // SAFETY: the same function by another name.
    unsafe { __VERIFIER_assume(condition) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_choose(count: c_uint) -> c_uint {
    if controlled() { control::choose(u64::from(count), here()) as c_uint } else { 0 }
}
