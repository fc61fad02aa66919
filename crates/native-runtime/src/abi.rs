//! What the compiler pass and the runtime agree on: the layout of sites, frames and descriptors.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicU8, Ordering};

/// A place in the source, as the pass writes it into the program.
#[repr(C)]
#[derive(Debug)]
pub struct RawSite {
    /// The file.
    pub file: *const c_char,
    /// The function.
    pub function: *const c_char,
    /// What is touched or called; may be null.
    pub name: *const c_char,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A frame of the shadow call stack.
#[repr(C)]
#[derive(Debug)]
pub struct RawFrame {
    /// The caller's frame.
    pub up: *mut RawFrame,
    /// The call that the function is making.
    pub call: *const RawSite,
}

/// A thread-local variable of the program.
#[repr(C)]
#[derive(Debug)]
pub struct RawLocal {
    /// What it starts as; null if with zeros.
    pub initial: *const c_void,
    /// Its size.
    pub size: u64,
    /// Its alignment.
    pub align: u64,
    /// Its number, from one; zero until the runtime gives it one.
    pub number: u32,
}

/// One while a controlled run is being made. Instrumented code looks at it before every hook.
#[unsafe(no_mangle)]
pub static __raddle_active: AtomicU8 = AtomicU8::new(0);

// The top of the shadow call stack. Rust cannot export a thread-local variable, so it is defined here.
std::arch::global_asm!(
    ".pushsection .tbss.__raddle_top,\"awT\",@nobits",
    ".globl __raddle_top",
    ".type __raddle_top, @object",
    ".size __raddle_top, 8",
    ".p2align 3",
    "__raddle_top:",
    ".zero 8",
    ".popsection",
);

/// Whether a controlled run is being made.
#[inline]
pub(crate) fn active() -> bool {
    __raddle_active.load(Ordering::Relaxed) != 0
}

/// The top of the shadow call stack of this OS thread.
#[inline]
pub(crate) fn top() -> *mut RawFrame {
    let top: *mut RawFrame;
    // SAFETY: reads the thread-local variable defined above, by the model that a library loaded at start may use.
    unsafe {
        std::arch::asm!(
            "mov {0}, qword ptr [rip + __raddle_top@GOTTPOFF]",
            "mov {0}, qword ptr fs:[{0}]",
            out(reg) top,
            options(nostack, readonly, preserves_flags)
        );
    }
    top
}

/// Sets the top of the shadow call stack of this OS thread.
#[inline]
pub(crate) fn set_top(top: *mut RawFrame) {
    // SAFETY: writes the thread-local variable defined above.
    unsafe {
        std::arch::asm!(
            "mov {0}, qword ptr [rip + __raddle_top@GOTTPOFF]",
            "mov qword ptr fs:[{0}], {1}",
            out(reg) _,
            in(reg) top,
            options(nostack, preserves_flags)
        );
    }
}

/// The site of the call that led out of instrumented code; null if there is none.
#[inline]
pub(crate) fn caller() -> *const RawSite {
    let top = top();
    // SAFETY: a frame on the shadow stack lives as long as its function, from which we were called.
    if top.is_null() { std::ptr::null() } else { unsafe { (*top).call } }
}

/// The text at a pointer that the pass wrote; empty if it is null.
pub(crate) fn text<'a>(pointer: *const c_char) -> std::borrow::Cow<'a, str> {
    if pointer.is_null() {
        return std::borrow::Cow::Borrowed("");
    }
    // SAFETY: the pass writes texts that end with a zero and live as long as the program.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy()
}
