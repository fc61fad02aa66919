//! Condition variables.

use std::ffi::{c_int, c_void};

use libc::{pthread_cond_t, pthread_mutex_t, timespec};
use raddle_runtime::with_world;
use raddle_trace::{Kind, Operation};
use raddle_world::ObjectKind;

use crate::control::{self, controls, primitive};
use crate::faces::{mutex, time};
use crate::lifetime;
use crate::objects::Use;
use crate::real::real;
use crate::record;
use crate::state::{self, here};

/// The version in which the C library's condition variables got their present form.
const VERSION: Option<&std::ffi::CStr> = Some(c"GLIBC_2.3.2");

/// Timed waits that give up in a row before a thread is taken to be polling.
pub(crate) const POLLS: u32 = 3;

/// Waits; true if the wait ended by itself.
fn wait(condition: *mut pthread_cond_t, lock: *mut pthread_mutex_t, kind: Kind) -> bool {
    let place = here();
    let lock = mutex::number(lock, place);
    let condition = primitive(condition as usize, place, || ObjectKind::Condvar);
    control::visit(Operation::new(kind, condition, lock.index() as u64), place);
    let mut gave_up = false;
    loop {
        match control::wait_for_turn().kind {
            Kind::Relock => return gave_up,
            Kind::Timeout => gave_up = true,
            _ => {}
        }
    }
}

fn timed_wait(condition: *mut pthread_cond_t, lock: *mut pthread_mutex_t, until: *const timespec) -> c_int {
    let deadline = time::moment(until);
    if state::with(|state| state.own().gave_up) >= POLLS {
        return poll(condition, lock, deadline);
    }
    let gave_up = wait(condition, lock, Kind::TimedWait);
    state::with(|state| {
        let times = &mut state.own().gave_up;
        *times = if gave_up { *times + 1 } else { 0 };
    });
    if gave_up {
        control::pass_until(deadline);
        return libc::ETIMEDOUT;
    }
    0
}

/// A thread whose waits gave up so often in a row polls: this wait gives up before anybody notifies it. If its loop would only
/// see the same again, it waits for a change before it takes the lock back.
fn poll(condition: *mut pthread_cond_t, lock: *mut pthread_mutex_t, deadline: u64) -> c_int {
    let place = here();
    // That somebody notifies it at this wait is not tried any more.
    raddle_runtime::with_run(|run| {
        run.assumed_waiting.get_or_insert(place);
    });
    primitive(condition as usize, place, || ObjectKind::Condvar);
    let lock = mutex::number(lock, place);
    control::visit(Operation::new(Kind::Unlock, lock, 0), place);
    control::pass_until(deadline);
    control::visit(Operation::new(Kind::Lock, lock, 0), place);
    libc::ETIMEDOUT
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_wait(
    condition: *mut pthread_cond_t,
    lock: *mut pthread_mutex_t,
) -> c_int {
    if controls(condition) {
        wait(condition, lock, Kind::Wait);
        return 0;
    }
    // SAFETY: as the C library says.
    record::waiting(Kind::Wait, condition, lock, || unsafe {
        real!(fn pthread_cond_wait(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int = VERSION)(
            condition, lock,
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut pthread_cond_t,
    lock: *mut pthread_mutex_t,
    until: *const timespec,
) -> c_int {
    if controls(condition) {
        return timed_wait(condition, lock, until);
    }
    let real = real!(fn pthread_cond_timedwait(
        *mut pthread_cond_t, *mut pthread_mutex_t, *const timespec) -> c_int = VERSION);
    // SAFETY: as the C library says.
    record::waiting(Kind::TimedWait, condition, lock, || unsafe { real(condition, lock, until) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_clockwait(
    condition: *mut pthread_cond_t,
    lock: *mut pthread_mutex_t,
    clock: c_int,
    until: *const timespec,
) -> c_int {
    if controls(condition) {
        return timed_wait(condition, lock, until);
    }
    let real = real!(fn pthread_cond_clockwait(
        *mut pthread_cond_t, *mut pthread_mutex_t, c_int, *const timespec) -> c_int);
    // SAFETY: as the C library says.
    record::waiting(Kind::TimedWait, condition, lock, || unsafe { real(condition, lock, clock, until) })
}

fn notify(condition: *mut pthread_cond_t, kind: Kind) -> c_int {
    let place = here();
    let condition = primitive(condition as usize, place, || ObjectKind::Condvar);
    control::visit(Operation::new(kind, condition, 0), place);
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_signal(condition: *mut pthread_cond_t) -> c_int {
    if controls(condition) {
        return notify(condition, Kind::NotifyOne);
    }
    // SAFETY: as the C library says.
    record::notifying(Kind::NotifyOne, condition, || unsafe {
        real!(fn pthread_cond_signal(*mut pthread_cond_t) -> c_int = VERSION)(condition)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_broadcast(condition: *mut pthread_cond_t) -> c_int {
    if controls(condition) {
        return notify(condition, Kind::NotifyAll);
    }
    // SAFETY: as the C library says.
    record::notifying(Kind::NotifyAll, condition, || unsafe {
        real!(fn pthread_cond_broadcast(*mut pthread_cond_t) -> c_int = VERSION)(condition)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_init(
    condition: *mut pthread_cond_t,
    attributes: *const c_void,
) -> c_int {
    if controls(condition) {
        lifetime::changed(condition as usize, "initialises a condition variable");
        control::renew(condition as usize, here(), ObjectKind::Condvar);
    }
    // SAFETY: as the C library says.
    unsafe {
        real!(fn pthread_cond_init(*mut pthread_cond_t, *const c_void) -> c_int = VERSION)(
            condition, attributes,
        )
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_destroy(condition: *mut pthread_cond_t) -> c_int {
    if controls(condition) {
        let place = here();
        let known = state::with(|state| state.objects.find(condition as usize, Use::Primitive));
        let waiter = known.and_then(|known| {
            with_world(|world| world.alive().iter().find(|thread| world.waits_at(*thread) == Some(known)))
        });
        if let Some(waiter) = waiter {
            control::misuse(format!("destroys a condition variable at which {waiter} waits"), place);
        }
        lifetime::changed(condition as usize, "destroys a condition variable");
        state::with(|state| state.objects.forget(condition as usize, Use::Primitive));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_cond_destroy(*mut pthread_cond_t) -> c_int = VERSION)(condition) }
}
