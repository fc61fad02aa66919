//! Ends of the program: `exit`, `abort`, failed assertions, the verification conventions.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, PoisonError};

use raddle_trace::{Ending, Failure, Kind, Place, ThreadId};

use crate::abi::{self, RawSite};
use crate::control::{self, controlled};
use crate::faces::exceptions::raddle_outermost;
use crate::faces::{section, thread};
use crate::real::real;
use crate::snapshot::Modules;
use crate::start;
use crate::state::{self, Destructor, here};

const NONE: *mut c_void = std::ptr::null_mut();

/// What was registered before `main`, with the variable that stands for the library that did it.
static BEFORE_MAIN: Mutex<Vec<(Destructor, usize)>> = Mutex::new(Vec::new());

/// The program has come to its end, by `exit` or by returning from `main`.
pub(crate) fn program_ends(_code: c_int) -> ! {
    thread::run_own_destructors();
    while let Some(next) = state::with(|state| state.at_exit.pop()) {
        next.call();
    }
    // Whoever of them ends the program again comes here, and goes on with the next one.
    while let Some(function) = state::with(|state| state.at_end.pop()) {
        // SAFETY: the linker put the function on the program's list of what has to be called now.
        unsafe { raddle_outermost(function as *const c_void, NONE, NONE, NONE) };
    }
    section::settle();
    crate::leaks::look();
    raddle_runtime::exit_program()
}

/// Whether the end of the last thread will be the end of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// No: it ends with `main`.
    #[default]
    No,
    /// `main` has left by `pthread_exit`; nothing has to be done at the end.
    Quietly,
    /// `main` has left, and a thread of ours waits for the others to do what has to be done.
    Awaited,
}

/// `main` leaves by `pthread_exit`: the last thread that ends will end the program as `exit` does.
pub(crate) fn main_leaves() {
    let has_work = state::with(|state| {
        state.leaving = Leaving::Quietly;
        state.task.leaks || !state.at_exit.is_empty() || state.at_end.len() > state.modules.own()
    });
    if has_work {
        await_the_last();
    }
}

/// Creates a thread that waits until all others have ended. Which of them would have been the last makes no difference to
/// what is called at the end, so no order among them is told apart.
fn await_the_last() {
    state::with(|state| state.leaving = Leaving::Awaited);
    let thread = thread::create(end_with_the_last, NONE, None, true);
    raddle_runtime::name_thread(thread, "exit".to_owned());
}

/// # Safety
/// None: it has the type that a thread's function has to have.
unsafe extern "C" fn end_with_the_last(_none: *mut c_void) -> *mut c_void {
    let own = state::with(|state| state.current);
    let mut next = Some(ThreadId::MAIN);
    let mut looked_at = 0;
    // Also those that have ended already: what they did has happened before.
    while let Some(thread) = next {
        if thread != own {
            control::join(thread, false, Place::Unknown);
        }
        next = raddle_runtime::with_run(|run| {
            let mut created = run.events.iter().enumerate().skip(looked_at);
            let (at, event) = created.find(|(_, event)| event.operation.kind == Kind::Create)?;
            looked_at = at + 1;
            Some(ThreadId::new(event.operation.operand as usize))
        });
    }
    program_ends(0)
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
        section::settle();
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
    if controlled() {
        while let Some(next) = state::with(|state| state.at_quick_exit.pop()) {
            next.call();
        }
        raddle_runtime::exit_program();
    }
    // SAFETY: as the C library says; it does not return.
    unsafe { real!(fn quick_exit(c_int))(code) };
    crate::host::leave(code)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_at_quick_exit(
    function: unsafe extern "C" fn(*mut c_void),
    object: *mut c_void,
) -> c_int {
    if controlled() {
        state::with(|state| state.at_quick_exit.push(Destructor { function, argument: NONE }));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe {
        real!(fn __cxa_at_quick_exit(unsafe extern "C" fn(*mut c_void), *mut c_void) -> c_int)(
            function, object,
        )
    }
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
        let late = state::with(|state| {
            state.at_exit.push(Destructor { function, argument });
            state.leaving == Leaving::Quietly
        });
        if late {
            await_the_last();
        }
        return 0;
    }
    if start::is_supervised() && !state::is_set() {
        let mut list = BEFORE_MAIN.lock().unwrap_or_else(PoisonError::into_inner);
        list.push((Destructor { function, argument }, object as usize));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe {
        real!(fn __cxa_atexit(unsafe extern "C" fn(*mut c_void), *mut c_void, *mut c_void) -> c_int)(
            function, argument, object,
        )
    }
}

/// What static objects of the program have registered before `main`, in that order. What libraries have registered is their
/// own business, and so is what they keep for streams, which live through all runs.
pub(crate) fn registered_before_main(modules: &Modules) -> Vec<Destructor> {
    let list = std::mem::take(&mut *BEFORE_MAIN.lock().unwrap_or_else(PoisonError::into_inner));
    // SAFETY: the name ends with a zero.
    let streams = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_ZNSt8ios_base4InitD1Ev".as_ptr()) } as usize;
    list.into_iter()
        .filter(|(_, object)| *object == 0 || modules.is_own(*object))
        .map(|(destructor, _)| destructor)
        .filter(|destructor| destructor.function as usize != streams)
        .collect()
}

/// The end of a library's or the program's static objects: theirs are called by us.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_finalize(object: *mut c_void) {
    if !controlled() {
        // SAFETY: as the C library says.
        unsafe { real!(fn __cxa_finalize(*mut c_void))(object) }
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

/// `std::__glibcxx_assert_fail`: a rule of a container of the C++ library was broken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _ZSt21__glibcxx_assert_failPKciS0_S0_(
    file: *const c_char,
    line: c_int,
    function: *const c_char,
    condition: *const c_char,
) -> ! {
    if controlled() {
        let message = format!("assertion of the C++ library failed: {}", abi::text(condition));
        let place = here();
        control::fail(Failure::Assertion, message, place);
    }
    // SAFETY: as the C++ library says; it does not return.
    unsafe {
        real!(fn _ZSt21__glibcxx_assert_failPKciS0_S0_(*const c_char, c_int, *const c_char, *const c_char))(
            file, line, function, condition,
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

/// The program is about to call its own `reach_error`.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_error(site: *const RawSite) {
    if controlled() {
        let place = state::with(|state| state.place_now(abi::own(site)));
        control::fail(Failure::Assertion, "assertion failed: reach_error()".to_owned(), place);
    }
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
