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
    /// The column; its highest bit says that the file is a header of the system.
    pub column: u32,
}

/// The bit of [`RawSite::column`].
const LIBRARY: u32 = 1 << 31;

impl RawSite {
    /// The column.
    pub(crate) fn column(&self) -> u32 {
        self.column & !LIBRARY
    }
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

/// One while a controlled run is being made, two while the program runs by itself and is recorded. Instrumented code looks
/// at it before every hook.
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
    __raddle_active.load(Ordering::Relaxed) == 1
}

/// Whether the program runs by itself and is recorded.
#[inline]
pub(crate) fn recording() -> bool {
    __raddle_active.load(Ordering::Relaxed) == 2
}

/// From now on the program is recorded.
pub(crate) fn start_recording() {
    __raddle_active.store(2, Ordering::Relaxed);
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
    let (mut frame, here) = (top(), 0_u8);
    // An exception that went through functions without a landing pad has left their frames behind, below us on the stack.
    if !frame.is_null() && (frame as usize) < &raw const here as usize {
        frame = crate::faces::exceptions::frame_above(&raw const here as usize);
        set_top(frame);
    }
    // SAFETY: a frame on the shadow stack lives as long as its function, from which we were called.
    if frame.is_null() { std::ptr::null() } else { own(unsafe { (*frame).call }) }
}

/// The site of the last call of a thread that died; null if there is none.
pub(crate) fn last_call() -> *const RawSite {
    let top = top();
    // SAFETY: the frame lies on the stack of the thread, which is still there.
    if top.is_null() { std::ptr::null() } else { unsafe { (*top).call } }
}

/// The site itself, or, for one in a header of the system, that of the programmer's call that led there.
#[inline]
pub(crate) fn own(site: *const RawSite) -> *const RawSite {
    // SAFETY: the pass gives sites that live as long as the program.
    if site.is_null() || unsafe { (*site).column & LIBRARY == 0 } { site } else { callers(site) }
}

#[cold]
fn callers(site: *const RawSite) -> *const RawSite {
    let mut frame = top();
    // SAFETY: frames on the shadow stack live as long as their functions, which have not returned; those of functions in
    // headers of the system name a call or none.
    unsafe {
        while let Some(each) = frame.as_ref() {
            if each.call.as_ref().is_some_and(|call| call.column & LIBRARY == 0) {
                return each.call;
            }
            frame = each.up;
        }
    }
    site
}

/// The calls that led to a site in the current thread, the innermost first, at most this many. A function that calls
/// nothing has no frame; the frame of one that does names the call it made last, which is none of those that led to it.
pub(crate) fn calls(site: *const RawSite, most: usize) -> impl Iterator<Item = *const RawSite> + Clone {
    let mut frame = top();
    // SAFETY: a frame on the shadow stack lives as long as its function, and the pass sets both fields on entry; sites
    // live as long as the program.
    unsafe {
        if !frame.is_null() && ((*frame).call.is_null() || is_same_function((*frame).call, site)) {
            frame = (*frame).up;
        }
    }
    std::iter::from_fn(move || {
        // SAFETY: as above.
        let (call, up) = unsafe { (frame.as_ref()?.call, (*frame).up) };
        frame = up;
        Some(call)
    })
    .take_while(|call| !call.is_null())
    .take(most)
}

/// The calls by which the current thread came to where it is, the innermost first, without those that functions in headers of
/// the system make.
pub(crate) fn way() -> impl Iterator<Item = *const RawSite> {
    let mut frame = top();
    std::iter::from_fn(move || {
        // SAFETY: as in `calls`.
        let (call, up) = unsafe { (frame.as_ref()?.call, (*frame).up) };
        frame = up;
        Some(call)
    })
    // SAFETY: sites live as long as the program.
    .filter(|call| unsafe { call.as_ref() }.is_some_and(|call| call.column & LIBRARY == 0))
}

/// Whether two sites are in one function.
///
/// # Safety
/// They are sites that the pass wrote.
unsafe fn is_same_function(a: *const RawSite, b: *const RawSite) -> bool {
    // SAFETY: as the caller says.
    let (a, b) = unsafe { (&*a, &*b) };
    let same = |a: *const c_char, b: *const c_char| a == b || text(a) == text(b);
    same(a.function, b.function) && same(a.file, b.file)
}

/// The text at a pointer that the pass wrote; empty if it is null.
pub(crate) fn text<'a>(pointer: *const c_char) -> std::borrow::Cow<'a, str> {
    if pointer.is_null() {
        return std::borrow::Cow::Borrowed("");
    }
    // SAFETY: the pass writes texts that end with a zero and live as long as the program.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy()
}
