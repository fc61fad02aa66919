//! What the user wants meanwhile: to stop, or to know how far it is.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn remember(_: libc::c_int) {
    REQUESTED.store(true, Ordering::Relaxed);
}

extern "C" fn ask(_: libc::c_int) {
    ASKED.store(true, Ordering::Relaxed);
}

/// From now on the first interrupt (Ctrl-C) or request to end is remembered; the second one ends us. SIGUSR1 asks how far
/// it is.
pub fn listen() {
    let once = libc::SA_RESETHAND | libc::SA_RESTART;
    let handlers: [(libc::c_int, extern "C" fn(libc::c_int), libc::c_int); 3] = [
        (libc::SIGINT, remember, once),
        (libc::SIGTERM, remember, once),
        (libc::SIGUSR1, ask, libc::SA_RESTART),
    ];
    for (signal, handler, flags) in handlers {
        // SAFETY: an all-zero action is valid; the handlers only store into an atomic.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = flags;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Whether there was one.
#[must_use]
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Whether somebody has asked how far it is, since the last time.
#[must_use]
pub fn asked() -> bool {
    ASKED.swap(false, Ordering::Relaxed)
}

/// How many columns the terminal has to which the result goes, if it is one.
#[must_use]
pub fn terminal_columns() -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: `size` is a valid place for the answer; what is no terminal gives an error.
    let answer = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size) };
    (answer == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}
