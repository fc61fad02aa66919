//! The wish of the user to stop.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

extern "C" fn remember(_: libc::c_int) {
    REQUESTED.store(true, Ordering::Relaxed);
}

/// From now on the first interrupt (Ctrl-C) or request to end is remembered; the second one ends us.
pub fn listen() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: an all-zero action is valid; the handler only stores into an atomic.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = remember as extern "C" fn(libc::c_int) as libc::sighandler_t;
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Whether there was one.
#[must_use]
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
