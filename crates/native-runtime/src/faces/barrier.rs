//! Barriers.

use std::ffi::{c_int, c_uint, c_void};

use raddle_trace::{Kind, Operation, Outcome};
use raddle_world::ObjectKind;

use crate::control::{self, controls, primitive};
use crate::lifetime;
use crate::objects::Use;
use crate::real::real;
use crate::record;
use crate::state::{self, here};

/// What the one thread gets that the barrier counts as the last.
const SERIAL_THREAD: c_int = -1;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_barrier_init(
    barrier: *mut c_void,
    attributes: *const c_void,
    count: c_uint,
) -> c_int {
    if controls(barrier) {
        if count == 0 {
            return libc::EINVAL;
        }
        lifetime::changed(barrier as usize, "initialises a barrier");
        control::renew(barrier as usize, here(), ObjectKind::Barrier);
        // SAFETY: the program gives a barrier, whose first bytes are ours to use during a run.
        unsafe { barrier.cast::<c_uint>().write(count) };
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe {
        real!(fn pthread_barrier_init(*mut c_void, *const c_void, c_uint) -> c_int)(
            barrier, attributes, count,
        )
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_barrier_wait(barrier: *mut c_void) -> c_int {
    if !controls(barrier) {
        // SAFETY: as the C library says.
        return record::meeting(barrier, || unsafe {
            real!(fn pthread_barrier_wait(*mut c_void) -> c_int)(barrier)
        });
    }
    let place = here();
    if state::with(|state| state.objects.find(barrier as usize, Use::Primitive)).is_none() {
        control::misuse("waits at a barrier that was not initialised", place);
    }
    let number = primitive(barrier as usize, place, || ObjectKind::Barrier);
    // SAFETY: written when the barrier was initialised.
    let count = unsafe { barrier.cast::<c_uint>().read() };
    let arrived = control::visit(Operation::new(Kind::Arrive, number, u64::from(count)), place);
    control::wait_for_turn();
    if arrived.outcome == Outcome::Last { SERIAL_THREAD } else { 0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_barrier_destroy(barrier: *mut c_void) -> c_int {
    if controls(barrier) {
        lifetime::changed(barrier as usize, "destroys a barrier");
        state::with(|state| state.objects.forget(barrier as usize, Use::Primitive));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_barrier_destroy(*mut c_void) -> c_int)(barrier) }
}
