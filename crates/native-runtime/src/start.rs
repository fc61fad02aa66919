//! How the runtime gets in front of `main`.

use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use crate::host;
use crate::real::real;

/// The program's `main`.
pub(crate) type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

type Function = *mut c_void;

type Start =
    unsafe extern "C" fn(Main, c_int, *mut *mut c_char, Function, Function, Function, *mut c_void) -> c_int;

static MAIN: AtomicUsize = AtomicUsize::new(0);

/// The variable with the number of the descriptor that leads to the supervisor.
pub(crate) const CHANNEL: &str = "RADDLE_CHANNEL";

/// Whether a supervisor has started the program; known before `main`.
pub(crate) fn is_supervised() -> bool {
    const UNKNOWN: u8 = 0;
    const YES: u8 = 1;
    const NO: u8 = 2;
    static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
    match KNOWN.load(Ordering::Relaxed) {
        UNKNOWN => {
            let yes = std::env::var_os(CHANNEL).is_some();
            KNOWN.store(if yes { YES } else { NO }, Ordering::Relaxed);
            yes
        }
        known => known == YES,
    }
}

/// Stands in front of the function that the program's first instructions call to run `main`.
///
/// # Safety
/// Called by the program's start-up code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __libc_start_main(
    main: Main,
    argc: c_int,
    argv: *mut *mut c_char,
    init: Function,
    fini: Function,
    rtld_fini: Function,
    stack_end: *mut c_void,
) -> c_int {
    MAIN.store(main as usize, Ordering::Relaxed);
    // Programs linked against an older C library hand over their initialisers.
    let version = if init.is_null() { c"GLIBC_2.34" } else { c"GLIBC_2.2.5" };
    let mut start: Start = real!(fn __libc_start_main(
        Main, c_int, *mut *mut c_char, Function, Function, Function, *mut c_void) -> c_int);
    // SAFETY: the name and the version end with a zero, and the function has this type in either version.
    unsafe {
        let exact = libc::dlvsym(libc::RTLD_NEXT, c"__libc_start_main".as_ptr(), version.as_ptr());
        if !exact.is_null() {
            start = std::mem::transmute::<*mut c_void, Start>(exact);
        }
        start(our_main, argc, argv, init, fini, rtld_fini, stack_end)
    }
}

/// Runs the program under control if a supervisor asks for it, and just runs it otherwise.
unsafe extern "C" fn our_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    // SAFETY: stored by `__libc_start_main` before this function could be called.
    let main: Main = unsafe { std::mem::transmute(MAIN.load(Ordering::Relaxed)) };
    let channel = std::env::var(CHANNEL).ok().and_then(|text| text.parse::<c_int>().ok());
    if let Some(channel) = channel {
        host::take_over(channel, main, argc, argv, envp);
    }
    // SAFETY: the program's own function with its own arguments.
    unsafe { main(argc, argv, envp) }
}
