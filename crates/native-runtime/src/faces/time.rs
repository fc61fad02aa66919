//! Time: virtual during a run. It passes only for a thread that sleeps or gives up waiting.

use std::ffi::{c_int, c_uint, c_void};

use libc::{timespec, timeval};

use crate::abi::{self, RawSite};
use crate::control::{self, controlled};
use crate::real::real;
use crate::state;

/// Nanoseconds.
const SECOND: u64 = 1_000_000_000;
/// When runs begin: some day, the same for all.
const BEGIN: u64 = 1_700_000_000 * SECOND;

/// The moment that the program speaks of, in nanoseconds of virtual time.
pub(crate) fn moment(until: *const timespec) -> u64 {
    if until.is_null() {
        return 0;
    }
    // SAFETY: the program gives a moment.
    let until = unsafe { &*until };
    nanoseconds(until.tv_sec, until.tv_nsec).saturating_sub(BEGIN)
}

/// Seconds and nanoseconds together; what makes no sense counts as nothing.
pub(crate) fn nanoseconds(seconds: i64, nanoseconds: i64) -> u64 {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    seconds.saturating_mul(SECOND).saturating_add(u64::try_from(nanoseconds).unwrap_or(0))
}

fn now() -> u64 {
    state::with(|state| state.own().looked_at_clock = true);
    raddle_runtime::look_at_clock();
    BEGIN + raddle_runtime::virtual_now(0)
}

/// Whether a number is a moment of this century's time after the begin of the run, in any of the units that programs use.
pub(crate) fn is_moment(number: u64) -> bool {
    const WITHIN: u64 = 1_000_000 * SECOND;
    [1, 1000, 1_000_000, SECOND]
        .into_iter()
        .any(|unit| (BEGIN / unit..(BEGIN + WITHIN) / unit).contains(&number))
}

/// Time passes; whether anybody waits is told by the loop.
pub(crate) fn pass(time: u64) {
    raddle_runtime::virtual_now(time);
    raddle_runtime::pass_a_moment();
    raddle_runtime::idle();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sched_yield() -> c_int {
    if controlled() {
        pass(0);
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn sched_yield() -> c_int)() }
}

/// A loop that only waits goes round again.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_wait(site: *const RawSite) {
    if controlled() {
        let place = state::with(|state| state.place_now(abi::own(site)));
        control::give_way(place);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    if controlled() {
        pass(u64::from(seconds) * SECOND);
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn sleep(c_uint) -> c_uint)(seconds) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn usleep(microseconds: c_uint) -> c_int {
    if controlled() {
        pass(u64::from(microseconds) * 1000);
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn usleep(c_uint) -> c_int)(microseconds) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nanosleep(time: *const timespec, rest: *mut timespec) -> c_int {
    if controlled() && !time.is_null() {
        // SAFETY: the program gives a time.
        let time = unsafe { &*time };
        pass(nanoseconds(time.tv_sec, time.tv_nsec));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn nanosleep(*const timespec, *mut timespec) -> c_int)(time, rest) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: *const timespec,
    rest: *mut timespec,
) -> c_int {
    if controlled() && !time.is_null() {
        if flags & libc::TIMER_ABSTIME != 0 {
            control::pass_until(moment(time));
            pass(0);
        } else {
            // SAFETY: the program gives a time.
            let time = unsafe { &*time };
            pass(nanoseconds(time.tv_sec, time.tv_nsec));
        }
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe {
        real!(fn clock_nanosleep(c_int, c_int, *const timespec, *mut timespec) -> c_int)(
            clock, flags, time, rest,
        )
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut timespec) -> c_int {
    if controlled() && !time.is_null() {
        let now = now();
        // SAFETY: the program gives a place for the time.
        unsafe { *time = timespec { tv_sec: (now / SECOND) as i64, tv_nsec: (now % SECOND) as i64 } };
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn clock_gettime(c_int, *mut timespec) -> c_int)(clock, time) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn timespec_get(time: *mut timespec, base: c_int) -> c_int {
    if controlled() {
        // SAFETY: the program gives a place for the time.
        unsafe { clock_gettime(libc::CLOCK_REALTIME, time) };
        return base;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn timespec_get(*mut timespec, c_int) -> c_int)(time, base) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int {
    if controlled() && !time.is_null() {
        let now = now();
        // SAFETY: the program gives a place for the time.
        unsafe { *time = timeval { tv_sec: (now / SECOND) as i64, tv_usec: (now % SECOND / 1000) as i64 } };
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn gettimeofday(*mut timeval, *mut c_void) -> c_int)(time, zone) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn time(place: *mut i64) -> i64 {
    if controlled() {
        let now = (now() / SECOND) as i64;
        if !place.is_null() {
            // SAFETY: the program gives a place for the time.
            unsafe { *place = now };
        }
        return now;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn time(*mut i64) -> i64)(place) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock() -> i64 {
    if controlled() {
        return ((now() - BEGIN) / 1000) as i64;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn clock() -> i64)() }
}
