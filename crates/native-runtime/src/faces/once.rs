//! One-time initialisation: `pthread_once`, and the guards of C++ for variables in functions.

use std::ffi::c_int;

use raddle_trace::{Kind, ObjectId, Operation, Outcome, Place};
use raddle_world::ObjectKind;

use crate::control::{self, controls, primitive};
use crate::objects::Use;
use crate::real::real;
use crate::state::{self, here};

/// What the C library writes into a `pthread_once_t` when it is done.
const DONE: c_int = 2;

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn pthread_once(once: *mut c_int, body: unsafe extern "C-unwind" fn()) -> c_int {
    if !controls(once) {
        // SAFETY: as the C library says.
        return unsafe {
            real!(fn pthread_once(*mut c_int, unsafe extern "C-unwind" fn()) -> c_int)(once, body)
        };
    }
    let place = here();
    let number = primitive(once as usize, place, || {
        // SAFETY: a control variable of the program.
        if unsafe { *once } == DONE { ObjectKind::OnceDone } else { ObjectKind::Once }
    });
    let executed = control::visit(Operation::new(Kind::OnceEnter, number, 0), place);
    if executed.outcome == Outcome::Done {
        let unfinished = Unfinished { number, place };
        // SAFETY: the program's own function, called once, as it asked for.
        unsafe { body() };
        std::mem::forget(unfinished);
        control::visit(Operation::new(Kind::OnceExit, number, 0), place);
        // SAFETY: a control variable of the program.
        unsafe { *once = DONE };
    }
    0
}

/// An initialisation that an exception leaves can be tried again.
struct Unfinished {
    number: ObjectId,
    place: Place,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        control::visit(Operation::new(Kind::OncePoison, self.number, 0), self.place);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_guard_acquire(guard: *mut u8) -> c_int {
    if !controls(guard) {
        // SAFETY: as the C++ library says.
        return unsafe { real!(fn __cxa_guard_acquire(*mut u8) -> c_int)(guard) };
    }
    let place = here();
    let number = primitive(guard as usize, place, || {
        // SAFETY: a guard of the program, whose first byte says whether the initialisation is done.
        if unsafe { *guard } != 0 { ObjectKind::OnceDone } else { ObjectKind::Once }
    });
    let executed = control::visit(Operation::new(Kind::OnceEnter, number, 0), place);
    c_int::from(executed.outcome == Outcome::Done)
}

fn leave(guard: *mut u8, kind: Kind) {
    let place = here();
    let number = primitive(guard as usize, place, || ObjectKind::Once);
    if kind == Kind::OnceExit {
        // Compiled code looks at the first byte before it asks.
        let cell = state::with(|state| state.objects.find(guard as usize, Use::Cell));
        if let Some(cell) = cell {
            control::visit_write(Operation::new(Kind::Store, cell, 0), place, |_| 1);
        }
        // SAFETY: a guard of the program.
        unsafe { *guard = 1 };
    }
    control::visit(Operation::new(kind, number, 0), place);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_guard_release(guard: *mut u8) {
    if controls(guard) {
        return leave(guard, Kind::OnceExit);
    }
    // SAFETY: as the C++ library says.
    unsafe { real!(fn __cxa_guard_release(*mut u8))(guard) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_guard_abort(guard: *mut u8) {
    if controls(guard) {
        return leave(guard, Kind::OncePoison);
    }
    // SAFETY: as the C++ library says.
    unsafe { real!(fn __cxa_guard_abort(*mut u8))(guard) }
}
