//! POSIX threads: creation, end, join, keys, names.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libc::{pthread_attr_t, pthread_t};
use raddle_trace::limits::{FIRST_HANDLE, HANDLE_DISTANCE, MAX_THREADS};
use raddle_trace::{Kind, ObjectId, Operation, ThreadId};

use crate::abi::{self, RawLocal};
use crate::control::{self, controlled};
use crate::faces::exceptions::raddle_outermost;
use crate::faces::{heap, joins, mutex, section, unwind};
use crate::inline::MAIN_STACK;
use crate::memory::{self, Coming, Shown};
use crate::real::real;
use crate::record;
use crate::state::{self, Destructor, Local, here, uncontrolled};

/// The name of the first thread, as the program sees it; the others follow at this distance.
const FIRST: pthread_t = FIRST_HANDLE as pthread_t;
const DISTANCE: pthread_t = HANDLE_DISTANCE as pthread_t;
/// Keys from here on are those of a run.
const FIRST_KEY: c_uint = 1 << 16;
/// How often destructors of keys may set keys again, as the C library says.
const KEY_ROUNDS: usize = 4;

type Body = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// The program's name of a thread.
pub(crate) fn name_of(thread: ThreadId) -> pthread_t {
    FIRST + thread.index() as pthread_t * DISTANCE
}

/// The thread that a name of the program's stands for.
pub(crate) fn thread_of(name: pthread_t) -> Option<ThreadId> {
    let index = name.checked_sub(FIRST)? / DISTANCE;
    let known =
        index < MAX_THREADS as pthread_t && state::with(|state| (index as usize) < state.threads.len());
    known.then(|| ThreadId::new(index as usize))
}

/// Creates a thread that calls `body`.
pub(crate) fn create(body: Body, argument: *mut c_void, stack: Option<usize>, detached: bool) -> ThreadId {
    let place = here();
    let thread = control::spawn(
        move || {
            let current = raddle_runtime::current_thread();
            let frame = 0_u8;
            control::enter(current, &raw const frame as usize);
            let none = std::ptr::null_mut();
            // SAFETY: the program's own function, called once, as it asked for.
            let result = unsafe { raddle_outermost(body as *const c_void, argument, none, none) };
            finish(result);
        },
        stack,
        place,
    );
    state::with(|state| {
        let created = state.thread(thread);
        created.released = false;
        created.body = body as usize;
    });
    if detached {
        release(thread);
    }
    thread
}

fn release(thread: ThreadId) {
    state::with(|state| state.thread(thread).released = true);
    control::visit(Operation::new(Kind::Detach, ObjectId::NONE, thread.index() as u64), here());
}

/// What a thread does before its last step.
pub(crate) fn finish(result: *mut c_void) {
    run_destructors();
    mutex::abandon();
    joins::ends();
    section::settle();
    state::with(|state| state.own().result = result);
}

/// Calls the destructors of the current thread's C++ variables: all that happens when the whole program ends.
pub(crate) fn run_own_destructors() {
    while let Some(next) = state::with(|state| state.own().destructors.pop()) {
        next.call();
    }
}

/// Calls the destructors of the current thread's variables.
fn run_destructors() {
    run_own_destructors();
    for _ in 0..KEY_ROUNDS {
        let mut called = false;
        let count = state::with(|state| state.own().keys.len());
        for key in 0..count {
            let value =
                state::with(|state| std::mem::replace(&mut state.own().keys[key], std::ptr::null_mut()));
            let destructor = state::with(|state| state.key_destructors.get(key).copied().flatten().flatten());
            if let Some(destructor) = destructor.filter(|_| !value.is_null()) {
                called = true;
                // SAFETY: the program's own function for values of this key.
                unsafe { destructor(value) };
            }
        }
        if !called {
            return;
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut pthread_t,
    attributes: *const pthread_attr_t,
    body: Body,
    argument: *mut c_void,
) -> c_int {
    if !controlled() {
        type Create = unsafe extern "C" fn(*mut pthread_t, *const pthread_attr_t, Body, *mut c_void) -> c_int;
        let create: Create =
            real!(fn pthread_create(*mut pthread_t, *const pthread_attr_t, Body, *mut c_void) -> c_int);
        if abi::recording() {
            let (body, argument, number) = record::creating(body, argument);
            // SAFETY: as the C library says; the other body calls the program's.
            let result = unsafe { create(thread, attributes, body, argument) };
            if result == 0 {
                // SAFETY: the C library has written the name there.
                record::created(unsafe { *thread }, number);
            }
            return result;
        }
        // SAFETY: as the C library says.
        return unsafe { create(thread, attributes, body, argument) };
    }
    let (mut stack, mut detached) = (None, false);
    if !attributes.is_null() {
        let (mut bytes, mut state): (usize, c_int) = (0, 0);
        // SAFETY: the program initialised the attributes.
        unsafe {
            libc::pthread_attr_getstacksize(attributes, &raw mut bytes);
            real!(fn pthread_attr_getdetachstate(*const pthread_attr_t, *mut c_int) -> c_int)(
                attributes,
                &raw mut state,
            );
        }
        // The size that the C library gives by default is not one that the program asked for.
        stack = Some(bytes).filter(|bytes| *bytes != 8 << 20 && *bytes > 0);
        detached = state == libc::PTHREAD_CREATE_DETACHED;
    }
    let place_for_name = thread;
    let created = create(body, argument, stack, detached);
    // SAFETY: the program gives a place for the name. Nobody has run since the creation but, perhaps, the new thread.
    unsafe { *place_for_name = name_of(created) };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_join(name: pthread_t, result: *mut *mut c_void) -> c_int {
    if !controlled() {
        // SAFETY: as the C library says.
        let ended = unsafe { real!(fn pthread_join(pthread_t, *mut *mut c_void) -> c_int)(name, result) };
        record::joined(name);
        return ended;
    }
    let place = here();
    let Some(thread) = thread_of(name) else {
        control::misuse("joins something that is not a thread", place)
    };
    let (current, released) = state::with(|state| (state.current, state.thread(thread).released));
    if thread == current {
        return libc::EDEADLK;
    }
    if released {
        control::misuse("joins a thread that was joined or detached before", place);
    }
    control::join(thread, !result.is_null(), place);
    let value = state::with(|state| {
        state.thread(thread).released = true;
        state.thread(thread).result
    });
    if !result.is_null() {
        let (at, site, shown) = (result as usize, abi::caller(), Shown::No);
        memory::plain(Coming { at, size: 8, writes: true, atomic: false, site, shown });
        // SAFETY: the program gives a place for the result.
        unsafe { *result = value };
    }
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_detach(name: pthread_t) -> c_int {
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe { real!(fn pthread_detach(pthread_t) -> c_int)(name) };
    }
    match thread_of(name) {
        Some(thread) if !state::with(|state| state.thread(thread).released) => {
            release(thread);
            0
        }
        Some(_) => control::misuse("detaches a thread that was joined or detached before", here()),
        None => control::misuse("detaches something that is not a thread", here()),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn pthread_exit(result: *mut c_void) -> ! {
    if controlled() {
        state::with(|state| state.own().result = result);
        unwind::leave_thread();
    }
    let exit = real!(fn pthread_exit(*mut c_void));
    // SAFETY: as the C library says; it leaves by unwinding.
    unsafe {
        std::mem::transmute::<unsafe extern "C" fn(*mut c_void), unsafe extern "C-unwind" fn(*mut c_void) -> !>(
            exit,
        )(result)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __pthread_register_cancel(buffer: *mut c_void) {
    if controlled() {
        return state::with(|state| state.own().cleanups.push(buffer));
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn __pthread_register_cancel(*mut c_void))(buffer) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __pthread_unregister_cancel(buffer: *mut c_void) {
    if controlled() {
        state::with(|state| state.own().cleanups.pop());
        return;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn __pthread_unregister_cancel(*mut c_void))(buffer) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __pthread_unwind_next(buffer: *mut c_void) -> ! {
    if controlled() {
        unwind::leave_thread();
    }
    let next = real!(fn __pthread_unwind_next(*mut c_void));
    // SAFETY: as the C library says; it leaves by unwinding.
    unsafe {
        std::mem::transmute::<unsafe extern "C" fn(*mut c_void), unsafe extern "C-unwind" fn(*mut c_void) -> !>(
            next,
        )(buffer)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_self() -> pthread_t {
    if controlled() {
        return name_of(state::with(|state| state.current));
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_self() -> pthread_t)() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_equal(a: pthread_t, b: pthread_t) -> c_int {
    c_int::from(a == b)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_setname_np(name: pthread_t, text: *const c_char) -> c_int {
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe { real!(fn pthread_setname_np(pthread_t, *const c_char) -> c_int)(name, text) };
    }
    if let Some(thread) = thread_of(name) {
        raddle_runtime::name_thread(thread, abi::text(text).into_owned());
    }
    0
}

/// What the program asks of a thread that is not under control.
macro_rules! not_controlled {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            if controlled() {
                uncontrolled(stringify!($name));
                return 0;
            }
            // SAFETY: as the C library says.
            unsafe { real!(fn $name($($type),*) -> c_int)($($argument),*) }
        }
    )*};
}

not_controlled! {
    pthread_cancel(name: pthread_t);
    pthread_setschedparam(name: pthread_t, policy: c_int, parameters: *const c_void);
    pthread_getcpuclockid(name: pthread_t, clock: *mut c_int);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_getname_np(name: pthread_t, text: *mut c_char, size: usize) -> c_int {
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe {
            real!(fn pthread_getname_np(pthread_t, *mut c_char, usize) -> c_int)(name, text, size)
        };
    }
    let Some(thread) = thread_of(name) else { return libc::ESRCH };
    let own = raddle_runtime::name_of_thread(thread).unwrap_or_default();
    if own.len() >= size {
        return libc::ERANGE;
    }
    // SAFETY: the program gives so many bytes, and the text with its end is shorter.
    unsafe {
        std::ptr::copy_nonoverlapping(own.as_ptr().cast(), text, own.len());
        *text.add(own.len()) = 0;
    }
    0
}

/// Every thread has the usual policy: which one goes next is up to the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_getschedparam(
    name: pthread_t,
    policy: *mut c_int,
    parameters: *mut libc::sched_param,
) -> c_int {
    type Parameters = libc::sched_param;
    if !controlled() {
        let real = real!(fn pthread_getschedparam(pthread_t, *mut c_int, *mut Parameters) -> c_int);
        // SAFETY: as the C library says.
        return unsafe { real(name, policy, parameters) };
    }
    // SAFETY: the program gives places for both.
    unsafe {
        *policy = libc::SCHED_OTHER;
        *parameters = Parameters { sched_priority: 0 };
    }
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_setaffinity_np(name: pthread_t, size: usize, set: *const c_void) -> c_int {
    if controlled() {
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_setaffinity_np(pthread_t, usize, *const c_void) -> c_int)(name, size, set) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_getattr_np(name: pthread_t, attributes: *mut pthread_attr_t) -> c_int {
    if controlled() {
        let Some(thread) = thread_of(name) else { return libc::ESRCH };
        let (top, size) = state::with(|state| {
            let larger = if thread == ThreadId::MAIN { MAIN_STACK } else { 1 };
            (state.thread(thread).frames_top, state.task.stack as usize * larger)
        });
        // SAFETY: the program gives a place for the attributes, which are initialised first.
        return unsafe {
            libc::pthread_attr_init(attributes);
            libc::pthread_attr_setstack(attributes, (top.saturating_sub(size) & !0xf) as *mut c_void, size)
        };
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_getattr_np(pthread_t, *mut pthread_attr_t) -> c_int)(name, attributes) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_key_create(
    key: *mut c_uint,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
) -> c_int {
    if !controlled() {
        type Function = Option<unsafe extern "C" fn(*mut c_void)>;
        // SAFETY: as the C library says.
        return unsafe { real!(fn pthread_key_create(*mut c_uint, Function) -> c_int)(key, destructor) };
    }
    let number = state::with(|state| {
        state.key_destructors.push(Some(destructor));
        state.key_destructors.len() - 1
    });
    // SAFETY: the program gives a place for the key.
    unsafe { *key = FIRST_KEY + number as c_uint };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_key_delete(key: c_uint) -> c_int {
    if !controlled() || key < FIRST_KEY {
        // SAFETY: as the C library says.
        return unsafe { real!(fn pthread_key_delete(c_uint) -> c_int)(key) };
    }
    state::with(|state| match state.key_destructors.get_mut((key - FIRST_KEY) as usize) {
        Some(known) => {
            *known = None;
            0
        }
        None => libc::EINVAL,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_getspecific(key: c_uint) -> *mut c_void {
    if !controlled() || key < FIRST_KEY {
        // SAFETY: as the C library says.
        return unsafe { real!(fn pthread_getspecific(c_uint) -> *mut c_void)(key) };
    }
    state::with(|state| {
        state.own().keys.get((key - FIRST_KEY) as usize).copied().unwrap_or(std::ptr::null_mut())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int {
    if !controlled() || key < FIRST_KEY {
        // SAFETY: as the C library says.
        return unsafe { real!(fn pthread_setspecific(c_uint, *const c_void) -> c_int)(key, value) };
    }
    let number = (key - FIRST_KEY) as usize;
    state::with(|state| {
        if state.key_destructors.get(number).is_none_or(Option::is_none) {
            return libc::EINVAL;
        }
        let keys = &mut state.own().keys;
        if keys.len() <= number {
            keys.resize(number + 1, std::ptr::null_mut());
        }
        keys[number] = value.cast_mut();
        state.own().writes_something();
        0
    })
}

/// The current thread's copy of a thread-local variable.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_thread_local(local: *mut RawLocal) -> *mut c_void {
    // SAFETY: the pass gives a descriptor that lives as long as the program.
    let local = unsafe { &mut *local };
    if abi::recording() {
        return record::local(local);
    }
    let number = state::with(|state| {
        if local.number == 0 {
            state.locals += 1;
            local.number = state.locals;
        }
        let index = local.number as usize;
        let locals = &mut state.own().locals;
        if locals.len() <= index {
            locals.resize(index + 1, Local::NONE);
        }
        index
    });
    let known = state::with(|state| state.own().locals[number].at);
    if !known.is_null() {
        return known;
    }
    let copy = heap::give_for_runtime(local.size as usize, local.align as usize);
    if !copy.is_null() && !local.initial.is_null() {
        // SAFETY: the copy was just given out, and the descriptor tells where its first value lies.
        unsafe {
            std::ptr::copy_nonoverlapping(local.initial.cast::<u8>(), copy.cast(), local.size as usize)
        };
    }
    let kept = Local { at: copy, size: local.size as usize };
    state::with(|state| state.own().locals[number] = kept);
    copy
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_thread_atexit(
    function: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
    object: *mut c_void,
) -> c_int {
    if controlled() {
        state::with(|state| state.own().destructors.push(Destructor { function, argument }));
        return 0;
    }
    let register = real!(fn __cxa_thread_atexit_impl(unsafe extern "C" fn(*mut c_void), *mut c_void, *mut c_void) -> c_int);
    // SAFETY: as the C library says.
    unsafe { register(function, argument, object) }
}
