//! From one stack to another.
//!
//! Threads of a run hand over to each other without a detour through whoever makes the run. Where a function is left by one
//! thread, another one goes on at the same place of the same function, because all of them wait in the same one: so the
//! processor, which expects every `ret` to go back to where the last `call` was, is right more often than not. That is worth
//! more than the switch itself costs, and is why it is written here.

use std::arch::naked_asm;

/// Leaves the stack: the registers that a function keeps for its caller go on top of it, where it ends is written to the first
/// argument, and the second one is the stack that is next.
macro_rules! leave {
    () => {
        "push rbp; push rbx; push r12; push r13; push r14; push r15; mov [rdi], rsp; mov rsp, rsi"
    };
}

/// Goes on where the stack was left: the other way round.
macro_rules! arrive {
    () => {
        "pop r15; pop r14; pop r13; pop r12; pop rbx; pop rbp; ret"
    };
}

/// A stack that was left, with the registers of whoever left it on top.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Context(usize);

impl Context {
    /// Of nobody yet.
    pub(crate) const NONE: Context = Context(0);

    /// The lowest address that whoever left the stack needs to find again.
    pub(crate) fn lowest(self) -> usize {
        self.0
    }

    /// Where the processor has to go on, and with which stack pointer, to be where the stack was left: for a signal handler.
    pub(crate) fn entrance(self) -> (usize, usize) {
        (arrive as *const () as usize, self.0)
    }
}

/// What runs on a stack of its own, and returns where to go on when it has ended.
pub(crate) type Body = unsafe extern "C" fn(*mut u8) -> Context;

/// Leaves this stack, of which `from` will tell where it was left, and goes on where `to` was left. Comes back when somebody
/// switches to that.
///
/// # Safety
/// `from` can be written; `to` was left and not gone back to since, and its stack is still there.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn switch(from: *mut Context, to: Context) {
    naked_asm!(leave!(), arrive!(),)
}

/// The same, but calls `body` with `argument` on a new stack that begins below `top`, and goes on where that says in the end.
///
/// Called, and returned from, so that the processor is right about its end as well. Nobody called it as far as debuggers and the
/// unwinder are concerned: where the stack begins, they stop.
///
/// # Safety
/// `from` can be written; `top` is a multiple of 16 below which there is a stack that nobody uses; what `body` returns was left
/// and not gone back to since.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn start(from: *mut Context, top: usize, body: Body, argument: *mut u8) {
    naked_asm!(
        ".cfi_startproc",
        leave!(),
        ".cfi_undefined rip",
        "xor ebp, ebp",
        "mov rdi, rcx",
        "call rdx",
        "mov rsp, rax",
        arrive!(),
        ".cfi_endproc",
    )
}

/// The second half of [`switch`], for who has the stack pointer already.
#[unsafe(naked)]
unsafe extern "C" fn arrive() {
    naked_asm!(arrive!())
}
