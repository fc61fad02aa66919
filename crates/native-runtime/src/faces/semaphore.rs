//! POSIX semaphores, unnamed and named.

use std::ffi::{CStr, c_char, c_int, c_uint};

use libc::{sem_t, timespec};
use raddle_trace::{Kind, ObjectId, Operation, Outcome, Place};
use raddle_world::ObjectKind;

use crate::control::{self, controlled, controls, gave_up, primitive};
use crate::faces::{heap, time};
use crate::lifetime;
use crate::objects::Use;
use crate::real::real;
use crate::record;
use crate::state::{self, here};

fn set_error(error: c_int) -> c_int {
    // SAFETY: the C library's variable of this OS thread.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// The number of a semaphore. One that was initialised before the run has the permits that the C library keeps in it.
fn number(semaphore: *mut sem_t, place: Place) -> ObjectId {
    primitive(semaphore as usize, place, || {
        // SAFETY: a semaphore of the program; its first number is its value.
        ObjectKind::Semaphore(u64::from(unsafe { semaphore.cast::<c_uint>().read() }))
    })
}

fn take(semaphore: *mut sem_t, kind: Kind, deadline: u64) -> c_int {
    let place = here();
    let number = number(semaphore, place);
    let executed = control::visit(Operation::new(kind, number, 0), place);
    match executed.outcome {
        Outcome::Failed => set_error(libc::EAGAIN),
        Outcome::TimedOut => {
            gave_up(&executed, deadline);
            set_error(libc::ETIMEDOUT)
        }
        _ => 0,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_init(semaphore: *mut sem_t, shared: c_int, value: c_uint) -> c_int {
    if controls(semaphore) {
        lifetime::changed(semaphore as usize, "initialises a semaphore");
        control::renew(semaphore as usize, here(), ObjectKind::Semaphore(u64::from(value)));
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn sem_init(*mut sem_t, c_int, c_uint) -> c_int)(semaphore, shared, value) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_destroy(semaphore: *mut sem_t) -> c_int {
    if controls(semaphore) {
        lifetime::changed(semaphore as usize, "destroys a semaphore");
        state::with(|state| state.objects.forget(semaphore as usize, Use::Primitive));
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn sem_destroy(*mut sem_t) -> c_int)(semaphore) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_wait(semaphore: *mut sem_t) -> c_int {
    if controls(semaphore) {
        return take(semaphore, Kind::Acquire, 0);
    }
    // SAFETY: as the C library says.
    record::taking(Kind::Acquire, semaphore, || unsafe { real!(fn sem_wait(*mut sem_t) -> c_int)(semaphore) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_trywait(semaphore: *mut sem_t) -> c_int {
    if controls(semaphore) {
        return take(semaphore, Kind::TryAcquire, 0);
    }
    // SAFETY: as the C library says.
    record::taking(Kind::TryAcquire, semaphore, || unsafe {
        real!(fn sem_trywait(*mut sem_t) -> c_int)(semaphore)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_timedwait(semaphore: *mut sem_t, until: *const timespec) -> c_int {
    if controls(semaphore) {
        return take(semaphore, Kind::TimedAcquire, time::moment(until));
    }
    // SAFETY: as the C library says.
    record::taking(Kind::TimedAcquire, semaphore, || unsafe {
        real!(fn sem_timedwait(*mut sem_t, *const timespec) -> c_int)(semaphore, until)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_clockwait(semaphore: *mut sem_t, clock: c_int, until: *const timespec) -> c_int {
    if controls(semaphore) {
        return take(semaphore, Kind::TimedAcquire, time::moment(until));
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn sem_clockwait(*mut sem_t, c_int, *const timespec) -> c_int)(semaphore, clock, until) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_post(semaphore: *mut sem_t) -> c_int {
    if !controls(semaphore) {
        // SAFETY: as the C library says.
        return record::giving(Kind::Post, semaphore, || unsafe {
            real!(fn sem_post(*mut sem_t) -> c_int)(semaphore)
        });
    }
    let place = here();
    let number = number(semaphore, place);
    control::visit(Operation::new(Kind::Post, number, 1), place);
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_getvalue(semaphore: *mut sem_t, value: *mut c_int) -> c_int {
    if !controls(semaphore) {
        // SAFETY: as the C library says.
        return unsafe { real!(fn sem_getvalue(*mut sem_t, *mut c_int) -> c_int)(semaphore, value) };
    }
    let place = here();
    let number = number(semaphore, place);
    let executed = control::visit(Operation::new(Kind::Load, number, 0), place);
    // SAFETY: the program gives a place for the value.
    unsafe { *value = executed.value as c_int };
    0
}

/// Opens a named semaphore. The arguments after the flags are only there if one is to be created; where they are passed
/// does not depend on that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_open(
    name: *const c_char,
    flags: c_int,
    mode: c_uint,
    value: c_uint,
) -> *mut sem_t {
    if !controlled() {
        let open = real!(fn sem_open(*const c_char, c_int, c_uint, c_uint) -> *mut sem_t);
        // SAFETY: as the C library says.
        return unsafe { open(name, flags, mode, value) };
    }
    // SAFETY: the program gives a name.
    let known = state::with(|state| state.named.get(unsafe { CStr::from_ptr(name) }.to_bytes()).copied());
    match known {
        Some(_) if flags & libc::O_CREAT != 0 && flags & libc::O_EXCL != 0 => {
            set_error(libc::EEXIST);
            std::ptr::null_mut()
        }
        Some(address) => address as *mut sem_t,
        None if flags & libc::O_CREAT == 0 => {
            set_error(libc::ENOENT);
            std::ptr::null_mut()
        }
        None => {
            let memory = heap::give_for_runtime(size_of::<sem_t>(), 16).cast::<sem_t>();
            if !memory.is_null() {
                control::renew(memory as usize, here(), ObjectKind::Semaphore(u64::from(value)));
                state::with(|state| {
                    // SAFETY: the program gives a name.
                    let name = unsafe { CStr::from_ptr(name) }.to_bytes().to_vec();
                    state.named.insert(name, memory as usize);
                });
            }
            memory
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_close(semaphore: *mut sem_t) -> c_int {
    if controls(semaphore) {
        return 0;
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn sem_close(*mut sem_t) -> c_int)(semaphore) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_unlink(name: *const c_char) -> c_int {
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe { real!(fn sem_unlink(*const c_char) -> c_int)(name) };
    }
    // SAFETY: the program gives a name.
    let removed = state::with(|state| state.named.remove(unsafe { CStr::from_ptr(name) }.to_bytes()));
    if removed.is_some() { 0 } else { set_error(libc::ENOENT) }
}
