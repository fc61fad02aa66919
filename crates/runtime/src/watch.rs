//! A watch on OS threads that make runs.
//!
//! All threads of a run share one OS thread. If one of them waits in a call that is not under control, such as for a lock of
//! `std` that another one holds, nobody goes on any more, for ever. Somebody else has to notice.

use std::sync::Once;
use std::time::Duration;

use crate::overflow::{Cause, Death, die};

/// Processor time below which an OS thread has slept between two looks. Waking up and going back to sleep takes less.
const ASLEEP: Duration = Duration::from_millis(1);

/// Looks in a row that have to find an OS thread asleep. A run never sleeps by itself.
const LOOKS: u32 = 10;

/// An OS thread that makes runs, as seen from another one.
#[derive(Debug)]
pub struct Watch {
    thread: libc::pthread_t,
    /// How long to wait between two looks.
    pub period: Duration,
    /// Its processor time at the last look.
    used: Duration,
    asleep: u32,
}

impl Watch {
    /// On an OS thread that may sleep for `limit`.
    ///
    /// # Safety
    /// The OS thread must not have been joined or detached before the last [`Watch::look`].
    #[must_use]
    pub unsafe fn on(thread: libc::pthread_t, limit: Duration) -> Watch {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            // SAFETY: the action is initialised, and the handler has the type that SA_SIGINFO asks for.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = end_sleep as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
                libc::sigemptyset(&raw mut action.sa_mask);
                libc::sigaction(signal(), &raw const action, std::ptr::null_mut());
            }
        });
        Watch { thread, period: limit / LOOKS, used: Duration::MAX, asleep: 0 }
    }

    /// Looks whether the OS thread has done anything since the last look. If it has slept for too long in the middle of a run,
    /// the run is ended.
    pub fn look(&mut self) {
        let Some(used) = self.processor_time() else { return };
        let slept = used.saturating_sub(self.used) < ASLEEP && self.used <= used;
        self.used = used;
        self.asleep = if slept { self.asleep + 1 } else { 0 };
        if self.asleep >= LOOKS {
            self.asleep = 0;
            // SAFETY: whoever made the watch vouches for the thread.
            unsafe { libc::pthread_kill(self.thread, signal()) };
        }
    }

    fn processor_time(&self) -> Option<Duration> {
        let mut clock = 0;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: whoever made the watch vouches for the thread; the rest is filled in.
        let known = unsafe {
            libc::pthread_getcpuclockid(self.thread, &raw mut clock) == 0
                && libc::clock_gettime(clock, &raw mut time) == 0
        };
        known.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

fn signal() -> libc::c_int {
    libc::SIGRTMAX() - 3
}

/// # Safety
/// Called by the kernel.
unsafe extern "C" fn end_sleep(signal: libc::c_int, _info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the context is a `ucontext_t`.
    let instruction =
        unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize };
    let death = Death { signal, address: 0, instruction, cause: Cause::Asleep };
    // SAFETY: this is a handler with its context. What was interrupted has slept for seconds, which nothing of ours does
    // while a fiber is running; if none is, nothing happens.
    unsafe { die(death, context) };
}
