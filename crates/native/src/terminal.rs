//! The terminal: how wide it is, and keys one by one while a search goes on.
//!
//! A terminal that was taken is given back by whoever drops [`Keys`], by the handlers of signals that end or stop us, and by
//! whoever handles a panic; only a signal that nobody can handle leaves it as it is.

use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

const KEYBOARD: libc::c_int = libc::STDIN_FILENO;

/// What the terminal was like before it was taken.
static BEFORE: OnceLock<libc::termios> = OnceLock::new();
static TAKEN: AtomicBool = AtomicBool::new(false);

/// How many columns the terminal has to which the result goes, if it is one.
#[must_use]
pub fn columns() -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: `size` is a valid place for the answer; what is no terminal gives an error.
    let answer = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size) };
    (answer == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// The keyboard, while it is ours.
pub struct Keys(());

impl Keys {
    /// Takes the keyboard, if there is one and we are in front of it.
    #[must_use]
    pub fn take() -> Option<Keys> {
        is_taken().then_some(Keys(()))
    }

    /// The next key, if one was pressed. Who was in the background meanwhile takes the keyboard again.
    #[must_use]
    pub fn next(&self) -> Option<u8> {
        let mut poll = libc::pollfd { fd: KEYBOARD, events: libc::POLLIN, revents: 0 };
        let mut key = 0_u8;
        // SAFETY: one valid entry, and one byte to read into; nothing waits, because there is something to read.
        let read = unsafe {
            is_taken()
                && libc::poll(&raw mut poll, 1, 0) == 1
                && libc::read(KEYBOARD, (&raw mut key).cast(), 1) == 1
        };
        read.then_some(key)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        give_back();
    }
}

/// Whether the shell lets us have the terminal now: who is in the background would be stopped for touching it.
fn is_in_front() -> bool {
    // SAFETY: both only ask; what is no terminal has no process in front of it.
    unsafe { libc::tcgetpgrp(KEYBOARD) == libc::getpgrp() }
}

/// Whether the keyboard is ours, now at the latest: letters come one by one and are not shown. Ctrl-C stays what it is.
fn is_taken() -> bool {
    if !is_in_front() {
        return false;
    }
    if TAKEN.load(Ordering::Relaxed) {
        return true;
    }
    let mut now = MaybeUninit::<libc::termios>::uninit();
    // SAFETY: a valid place for the answer.
    if unsafe { libc::tcgetattr(KEYBOARD, now.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: the call that fills it has succeeded.
    let mut settings = unsafe { now.assume_init() };
    BEFORE.get_or_init(|| settings);
    settings.c_lflag &= !(libc::ICANON | libc::ECHO);
    settings.c_cc[libc::VMIN] = 1;
    settings.c_cc[libc::VTIME] = 0;
    // From here on a signal gives it back, also if nothing was changed yet.
    TAKEN.store(true, Ordering::Relaxed);
    // SAFETY: valid settings of this very terminal.
    unsafe { libc::tcsetattr(KEYBOARD, libc::TCSANOW, &raw const settings) == 0 }
}

/// Makes the terminal what it was before it was taken. May be called in a handler of a signal.
pub fn give_back() {
    if !TAKEN.swap(false, Ordering::Relaxed) || !is_in_front() {
        return;
    }
    if let Some(before) = BEFORE.get() {
        // SAFETY: settings that this terminal had; allowed in a handler.
        unsafe { libc::tcsetattr(KEYBOARD, libc::TCSANOW, &raw const *before) };
    }
}
