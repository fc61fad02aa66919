//! What the user wants meanwhile: to stop, to wait a while, or to know how far it is.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::terminal;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);
static PAUSED: AtomicBool = AtomicBool::new(false);
static STOOD_STILL: AtomicBool = AtomicBool::new(false);

extern "C" fn remember(signal: libc::c_int) {
    if REQUESTED.swap(true, Ordering::Relaxed) {
        end_by(signal);
    }
}

extern "C" fn ask(_: libc::c_int) {
    ASKED.store(true, Ordering::Relaxed);
}

/// Gives the terminal back and lets the signal do what it does to everybody, as soon as its handler is left.
extern "C" fn end_by(signal: libc::c_int) {
    terminal::give_back();
    // SAFETY: both are allowed in a handler.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// The terminal belongs to others as long as we are stopped. It is taken again when the next key is looked for.
extern "C" fn stop(signal: libc::c_int) {
    end_by(signal);
    // SAFETY: all of it is allowed in a handler; the set and the action are initialised before they are used.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, signal);
        // Here we stand still.
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut());
    }
    STOOD_STILL.store(true, Ordering::Relaxed);
    handle(signal, stop);
}

fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: an all-zero action is valid; the handlers do only what a handler may do.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

/// Whether whoever started us wants the signal to be passed over, as `nohup` does.
fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: asks for the action and changes nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action);
        action.sa_sigaction == libc::SIG_IGN
    }
}

/// From now on the first interrupt (Ctrl-C) or request to end is remembered; the second one ends us. SIGUSR1 asks how far
/// it is. Whatever signal ends or stops us, the terminal is given back first.
pub fn listen() {
    handle(libc::SIGINT, remember);
    handle(libc::SIGTERM, remember);
    handle(libc::SIGUSR1, ask);
    let others: [(libc::c_int, extern "C" fn(libc::c_int)); 3] =
        [(libc::SIGHUP, end_by), (libc::SIGQUIT, end_by), (libc::SIGTSTP, stop)];
    for (signal, handler) in others {
        if !is_ignored(signal) {
            handle(signal, handler);
        }
    }
}

/// Asks to stop, as the first interrupt does.
pub fn request() {
    REQUESTED.store(true, Ordering::Relaxed);
}

/// Whether there was one.
#[must_use]
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Asks how far it is, as SIGUSR1 does.
pub fn ask_for_status() {
    ASKED.store(true, Ordering::Relaxed);
}

/// Whether somebody has asked how far it is, since the last time.
#[must_use]
pub fn asked() -> bool {
    ASKED.swap(false, Ordering::Relaxed)
}

/// Searches wait between two runs from now on, or go on.
pub fn pause(wait: bool) {
    PAUSED.store(wait, Ordering::Relaxed);
}

/// Whether searches are to wait.
#[must_use]
pub fn is_paused() -> bool {
    PAUSED.load(Ordering::Relaxed)
}

/// Whether we were stopped (Ctrl-Z) and went on, since the last time: what stands on the screen is not ours any more.
#[must_use]
pub fn stood_still() -> bool {
    STOOD_STILL.swap(false, Ordering::Relaxed)
}
