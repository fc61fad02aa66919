//! What kills a fiber ends the run, not the tester.
//!
//! The guard page below a fiber's stack raises SIGSEGV. The handler, on a stack of its own, recognises the address and
//! leaves the fiber at once, as if its function had returned; what was on its stack is lost. Any other SIGSEGV goes to
//! whoever was there before, unless the fibers run foreign code: there any signal that kills is dealt with like that.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::switch::Context;
use crate::visit::running;

thread_local! {
    static OVERFLOWED: Cell<bool> = const { Cell::new(false) };
    static DEATH: Cell<Option<Death>> = const { Cell::new(None) };
    static SIGNAL_STACK: Cell<Option<SignalStack>> = const { Cell::new(None) };
}

/// What a fiber died of.
#[derive(Clone, Copy, Debug)]
pub struct Death {
    /// The signal.
    pub signal: i32,
    /// The address that could not be used, if it was about one.
    pub address: usize,
    /// Where the code was.
    pub instruction: usize,
    /// What the signal tells.
    pub cause: Cause,
}

/// Why a fiber was ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The signal kills.
    Signal,
    /// It went on for too long without a visible step.
    Endless,
    /// It waited for too long in a call that is not under control.
    Asleep,
}

impl Death {
    /// In words.
    pub(crate) fn words(self) -> String {
        let Death { address, .. } = self;
        match self.signal {
            _ if self.cause == Cause::Endless => "went on for too long without a visible step".to_owned(),
            _ if self.cause == Cause::Asleep => "a call that waits and is not under control".to_owned(),
            libc::SIGSEGV if address < 4096 => "segmentation fault: used a null pointer".to_owned(),
            libc::SIGSEGV => format!("segmentation fault at address {address:#x}"),
            libc::SIGBUS => format!("bus error at address {address:#x}"),
            libc::SIGFPE => "arithmetic exception: a division by zero or an overflow".to_owned(),
            libc::SIGILL => "illegal instruction".to_owned(),
            libc::SIGTRAP => "trap".to_owned(),
            libc::SIGABRT => "aborted".to_owned(),
            signal => format!("killed by signal {signal}"),
        }
    }
}

/// What a fiber died of since the last call.
pub(crate) fn take_death() -> Option<Death> {
    DEATH.with(Cell::take)
}

/// Makes the running fiber end as if it had died, from a signal handler; false if no fiber is running.
///
/// # Safety
/// Only from a signal handler, with the context that it was given; the code that was interrupted must not be ours.
pub unsafe fn die(death: Death, context: *mut libc::c_void) -> bool {
    let Some((_, root)) = running() else { return false };
    let _ = DEATH.try_with(|last| last.set(Some(death)));
    // SAFETY: the caller passes the context of the interrupted fiber.
    unsafe { leave_for(root, context) };
    true
}

/// Whether a fiber is running, and this is a pointer into its stack. Allowed in a signal handler.
pub(crate) fn runs_on_fiber(stack_pointer: usize) -> bool {
    running().is_some_and(|(stack, _)| stack.contain(stack_pointer))
}

/// # Safety
/// As for [`die`].
unsafe fn leave_for(root: Context, context: *mut libc::c_void) {
    let (instruction, stack_pointer) = root.entrance();
    // SAFETY: the caller passes a valid context of the OS thread on which the fiber runs.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        registers[libc::REG_RIP as usize] = instruction as i64;
        registers[libc::REG_RSP as usize] = stack_pointer as i64;
    }
}

/// Signals that kill.
const DEADLY: [libc::c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT, libc::SIGTRAP];

static FOREIGN: AtomicBool = AtomicBool::new(false);

static mut BEFORE: libc::sigaction = unsafe_zeroed_action();

const fn unsafe_zeroed_action() -> libc::sigaction {
    // SAFETY: a `sigaction` is plain data for which all zeros is the default action.
    unsafe { std::mem::zeroed() }
}

/// Whether a fiber overflowed since the last call.
#[inline]
pub(crate) fn take_overflowed() -> bool {
    OVERFLOWED.with(|overflowed| overflowed.replace(false))
}

/// Prepares this OS thread.
pub(crate) fn prepare(foreign: bool) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        FOREIGN.store(foreign, Ordering::Relaxed);
        // SAFETY: the action is fully initialised, the handler has the signature that SA_SIGINFO asks for, and `BEFORE`
        // is written once, before the handler can run.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(libc::SIGSEGV, &raw const action, &raw mut BEFORE);
            for &signal in DEADLY[1..].iter().filter(|_| foreign) {
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    });
    SIGNAL_STACK.with(|stack| {
        let given = stack.take().unwrap_or_else(SignalStack::give);
        stack.set(Some(given));
    });
}

/// The stack on which signals of this OS thread are handled. Rust gives its own threads a small one; ours is larger.
struct SignalStack {
    memory: Box<[u8]>,
}

impl SignalStack {
    fn give() -> SignalStack {
        const BYTES: usize = 64 << 10;
        let mut memory = vec![0u8; BYTES].into_boxed_slice();
        let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: BYTES };
        // SAFETY: the memory is kept until the stack is taken away again.
        unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) };
        SignalStack { memory }
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        let size = self.memory.len();
        let stack = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: size };
        // SAFETY: this runs at the end of the OS thread to which the stack was given, so no handler is using it.
        unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) };
    }
}

/// # Safety
/// Called by the kernel with a valid description and context.
unsafe extern "C" fn handler(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO both pointers are valid, and the context is a `ucontext_t`.
    unsafe {
        let address = (*info).si_addr() as usize;
        let context_registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let stack_pointer = context_registers[libc::REG_RSP as usize] as usize;
        // A probe touches the guard page up to a page below the stack pointer.
        let near = address.abs_diff(stack_pointer) < 1 << 16;
        if let Some((_, root)) = running().filter(|(stack, _)| near && stack.contain(address)) {
            let _ = OVERFLOWED.try_with(|overflowed| overflowed.set(true));
            leave_for(root, context);
            return;
        }
        if DEATH.try_with(Cell::get).ok().flatten().is_some() {
            // It died on its way out of an earlier death: what leads back is broken too, so the process has to go.
            libc::signal(signal, libc::SIG_DFL);
            return;
        }
        let instruction = context_registers[libc::REG_RIP as usize] as usize;
        let death = Death { signal, address, instruction, cause: Cause::Signal };
        if FOREIGN.load(Ordering::Relaxed) && die(death, context) {
            return;
        }
        pass_on(signal, info, context);
    }
}

/// # Safety
/// Only from the handler.
unsafe fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: `BEFORE` was written before the handler was installed and never since.
    unsafe {
        let before = std::ptr::read(&raw const BEFORE);
        match before.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::signal(signal, libc::SIG_DFL);
            }
            action if before.sa_flags & libc::SA_SIGINFO != 0 => {
                let action: unsafe extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                    std::mem::transmute(action);
                action(signal, info, context);
            }
            action => {
                let action: unsafe extern "C" fn(libc::c_int) = std::mem::transmute(action);
                action(signal);
            }
        }
    }
}
