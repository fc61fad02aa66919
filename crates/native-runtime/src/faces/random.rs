//! Numbers that are random to the program but the same in every run: `rand` and its like, and undetermined inputs.
//!
//! Each thread has a stream of its own, so what it draws does not depend on what others draw.

use std::ffi::{c_int, c_long, c_uint, c_void};

use crate::control::controlled;
use crate::real::real;
use crate::state;

/// The next number of the current thread: SplitMix64.
fn next() -> u64 {
    state::with(|state| {
        let (seed, drawn) = &mut state.own().random;
        *drawn += 1;
        let mut z = seed.wrapping_add(drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn rand() -> c_int {
    if controlled() {
        return (next() >> 33) as c_int;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn rand() -> c_int)() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn random() -> c_long {
    if controlled() {
        return (next() >> 33) as c_long;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn random() -> c_long)() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn drand48() -> f64 {
    if controlled() {
        return (next() >> 11) as f64 / (1_u64 << 53) as f64;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn drand48() -> f64)() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lrand48() -> c_long {
    if controlled() {
        return (next() >> 33) as c_long;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn lrand48() -> c_long)() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn mrand48() -> c_long {
    if controlled() {
        return c_long::from(next() as i32);
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn mrand48() -> c_long)() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn arc4random() -> c_uint {
    if controlled() {
        return next() as c_uint;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn arc4random() -> c_uint)() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn arc4random_uniform(bound: c_uint) -> c_uint {
    if controlled() {
        return if bound < 2 { 0 } else { (next() % u64::from(bound)) as c_uint };
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn arc4random_uniform(c_uint) -> c_uint)(bound) }
}

/// Fills memory with numbers of the current thread.
///
/// # Safety
/// So many bytes have to be the program's to write.
unsafe fn fill(buffer: *mut c_void, bytes: usize) {
    for at in 0..bytes {
        // SAFETY: passed on to the caller.
        unsafe { buffer.cast::<u8>().add(at).write((next() >> 33) as u8) };
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn arc4random_buf(buffer: *mut c_void, bytes: usize) {
    if controlled() {
        // SAFETY: as the C library says.
        return unsafe { fill(buffer, bytes) };
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn arc4random_buf(*mut c_void, usize))(buffer, bytes) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut c_void, bytes: usize, flags: c_uint) -> isize {
    if controlled() {
        // SAFETY: as the C library says.
        unsafe { fill(buffer, bytes) };
        return bytes as isize;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn getrandom(*mut c_void, usize, c_uint) -> isize)(buffer, bytes, flags) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn getentropy(buffer: *mut c_void, bytes: usize) -> c_int {
    /// The C library gives no more at a time.
    const MOST: usize = 256;
    if controlled() && bytes <= MOST {
        // SAFETY: as the C library says.
        unsafe { fill(buffer, bytes) };
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn getentropy(*mut c_void, usize) -> c_int)(buffer, bytes) }
}

fn seed(seed: u64) {
    state::with(|state| state.own().random = (seed, 0));
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn srand(number: c_uint) {
    if controlled() {
        return seed(u64::from(number));
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn srand(c_uint))(number) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn srandom(number: c_uint) {
    if controlled() {
        return seed(u64::from(number));
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn srandom(c_uint))(number) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn srand48(number: c_long) {
    if controlled() {
        return seed(number as u64);
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn srand48(c_long))(number) }
}

/// Inputs that a program leaves open. Small numbers more often than not, because programs compare with those.
fn open_input() -> u64 {
    if !controlled() {
        return 0;
    }
    let number = next();
    if number & 3 == 0 { number >> 2 } else { (number >> 2) % 8 }
}

macro_rules! open_inputs {
    ($($name:ident -> $type:ty;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() -> $type {
            open_input() as $type
        }
    )*};
}

open_inputs! {
    __VERIFIER_nondet_int -> i32;
    __VERIFIER_nondet_uint -> u32;
    __VERIFIER_nondet_unsigned -> u32;
    __VERIFIER_nondet_char -> i8;
    __VERIFIER_nondet_uchar -> u8;
    __VERIFIER_nondet_short -> i16;
    __VERIFIER_nondet_ushort -> u16;
    __VERIFIER_nondet_long -> i64;
    __VERIFIER_nondet_ulong -> u64;
    __VERIFIER_nondet_longlong -> i64;
    __VERIFIER_nondet_ulonglong -> u64;
    __VERIFIER_nondet_size_t -> usize;
    __VERIFIER_nondet_pointer -> usize;
    __VERIFIER_nondet_u32 -> u32;
    __VERIFIER_nondet_u64 -> u64;
    __VERIFIER_nondet_float -> f32;
    __VERIFIER_nondet_double -> f64;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __VERIFIER_nondet_bool() -> u8 {
    (open_input() & 1) as u8
}
