//! Exceptions of C++ that nobody catches: the run ends where they were thrown.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use raddle_trace::{Failure, Place};

use crate::abi::{self, RawFrame};
use crate::control::{self, controlled};
use crate::real::real;
use crate::state::{self, here};

// Calls a function with three arguments. For the unwinder it is the outermost frame: an exception that comes so far is caught
// by nobody, and the C++ library says so while the stack is still as it was when it was thrown.
std::arch::global_asm!(
    ".pushsection .text.raddle_outermost,\"ax\",@progbits",
    ".globl raddle_outermost",
    ".hidden raddle_outermost",
    ".type raddle_outermost, @function",
    "raddle_outermost:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "push rbp",
    "mov rbp, rsp",
    "mov rax, rdi",
    "mov rdi, rsi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    "call rax",
    "pop rbp",
    "ret",
    ".cfi_endproc",
    ".size raddle_outermost, . - raddle_outermost",
    ".popsection",
);

unsafe extern "C" {
    /// Calls `function` with the arguments that follow, and returns what it returns.
    pub(crate) fn raddle_outermost(
        function: *const c_void,
        first: *mut c_void,
        second: *mut c_void,
        third: *mut c_void,
    ) -> *mut c_void;
}

type Handler = unsafe extern "C" fn();

/// An exception that a thread threw last.
#[derive(Clone, Debug)]
pub(crate) struct Thrown {
    object: *mut c_void,
    kind: *const c_void,
    place: Place,
    /// The shadow call stack at that moment.
    frames: Vec<*mut RawFrame>,
}

/// The innermost frame of the shadow call stack that an exception on its way has not left: the first one above an address.
#[cold]
pub(crate) fn frame_above(address: usize) -> *mut RawFrame {
    if !state::is_set() {
        return std::ptr::null_mut();
    }
    state::with(|state| {
        let frames = state.own().thrown.iter().flat_map(|thrown| thrown.frames.iter().copied());
        frames.into_iter().find(|frame| *frame as usize > address).unwrap_or(std::ptr::null_mut())
    })
}

/// The current thread leaves its frames, because of an exception or by `pthread_exit`.
fn note(object: *mut c_void, kind: *const c_void) {
    let place = here();
    let mut frames = Vec::new();
    let mut frame = abi::top();
    while !frame.is_null() {
        frames.push(frame);
        // SAFETY: frames on the shadow stack live as long as their functions, which have called us.
        frame = unsafe { (*frame).up };
    }
    state::with(|state| state.own().thrown = Some(Thrown { object, kind, place, frames }));
}

/// The same without an exception.
pub(crate) fn note_leaving() {
    note(std::ptr::null_mut(), std::ptr::null());
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __cxa_throw(
    object: *mut c_void,
    kind: *const c_void,
    destructor: *mut c_void,
) -> ! {
    if controlled() {
        note(object, kind);
    }
    let throw = real!(fn __cxa_throw(*mut c_void, *const c_void, *mut c_void));
    type Throw = unsafe extern "C-unwind" fn(*mut c_void, *const c_void, *mut c_void) -> !;
    // SAFETY: as the C++ library says; it leaves by unwinding.
    unsafe {
        std::mem::transmute::<unsafe extern "C" fn(*mut c_void, *const c_void, *mut c_void), Throw>(throw)(
            object, kind, destructor,
        )
    }
}

/// What is called when nobody catches an exception: before the first run, and for each run anew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminate {
    set: unsafe extern "C" fn(Handler) -> Option<Handler>,
    handler: Handler,
}

/// A function of the C++ library; `None` without that library.
fn find<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the name ends with a zero, and the callers below give the function its type.
    unsafe {
        let address = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        (!address.is_null()).then(|| std::mem::transmute_copy(&address))
    }
}

impl Terminate {
    /// Ours, unless the program has set its own before `main`.
    pub(crate) fn find() -> Option<Terminate> {
        let set: unsafe extern "C" fn(Handler) -> Option<Handler> = find(c"_ZSt13set_terminatePFvvE")?;
        let default: Option<Handler> = find(c"_ZN9__gnu_cxx27__verbose_terminate_handlerEv");
        // SAFETY: the C++ library's function, given one of ours.
        let before = unsafe { set(terminated) };
        let own = before.filter(|before| default.is_none_or(|default| *before as usize != default as usize));
        Some(Terminate { set, handler: own.unwrap_or(terminated) })
    }

    /// What the last run has set is forgotten.
    pub(crate) fn put_back(self) {
        // SAFETY: the C++ library's function, given a handler that was there before.
        unsafe { (self.set)(self.handler) };
    }
}

/// The run ends because an exception left a thread, or because the program said so.
unsafe extern "C" fn terminated() {
    if !controlled() {
        // SAFETY: what the C++ library's own handler does in the end.
        unsafe { libc::abort() };
    }
    let current: Option<unsafe extern "C" fn() -> *const c_void> = find(c"__cxa_current_exception_type");
    // SAFETY: the C++ library's function.
    let kind = current.map_or(std::ptr::null(), |current| unsafe { current() });
    if kind.is_null() {
        control::fail(Failure::Crash, "terminated without an exception: std::terminate was called", here());
    }
    let thrown = state::with(|state| state.own().thrown.clone()).filter(|thrown| thrown.kind == kind);
    // SAFETY: a type that the C++ library told.
    let name = unsafe { name_of(kind) };
    let said = thrown.as_ref().and_then(what).map(|said| format!(": {said}")).unwrap_or_default();
    let place = thrown.map_or_else(here, |thrown| thrown.place);
    control::fail(Failure::Crash, format!("uncaught exception of type {name}{said}"), place);
}

/// The name of a type as the source has it.
///
/// # Safety
/// `kind` has to be a `std::type_info`.
unsafe fn name_of(kind: *const c_void) -> String {
    type Demangle = unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;
    let demangle: Option<Demangle> = find(c"__cxa_demangle");
    // SAFETY: the second word of a type is its name, which ends with a zero and may begin with a star. The text that the
    // library makes of it is left to the process, which ends soon.
    unsafe {
        let mangled = *kind.cast::<*const c_char>().add(1);
        let mut status = 0;
        let (none, no_size) = (std::ptr::null_mut(), std::ptr::null_mut());
        let shown = demangle.map_or(none, |demangle| demangle(mangled, none, no_size, &raw mut status));
        let text = if shown.is_null() { mangled } else { shown.cast_const() };
        CStr::from_ptr(text).to_string_lossy().trim_start_matches('*').to_owned()
    }
}

/// What an exception says of itself, if it is a `std::exception`.
fn what(thrown: &Thrown) -> Option<String> {
    type Catches = unsafe extern "C" fn(*const c_void, *const c_void, *mut *mut c_void, c_uint) -> bool;
    /// Places in the tables of virtual functions, as the ABI of C++ has them.
    const CATCHES: usize = 4;
    const WHAT: usize = 2;
    // SAFETY: the first word of a type and of an exception is the table of its virtual functions; the object is alive,
    // because it is being handled.
    unsafe {
        let base = libc::dlsym(libc::RTLD_DEFAULT, c"_ZTISt9exception".as_ptr());
        let table = base.cast::<*const *const c_void>().as_ref()?;
        let catches: Catches = std::mem::transmute(*table.add(CATCHES));
        let mut object = thrown.object;
        if !catches(base, thrown.kind, &raw mut object, 1) {
            return None;
        }
        let table = *object.cast::<*const *const c_void>();
        let says: unsafe extern "C" fn(*const c_void) -> *const c_char =
            std::mem::transmute(*table.add(WHAT));
        Some(CStr::from_ptr(says(object)).to_string_lossy().into_owned())
    }
}
