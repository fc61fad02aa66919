//! Sections that verification programs declare atomic: one lock for all of them.
//!
//! Two sections never overlap. What is done outside any section may still come between two visible steps of one.

use raddle_trace::{Kind, ObjectId, Operation, Place};
use raddle_world::ObjectKind;

use crate::control::{self, controlled};
use crate::objects::Use;
use crate::state::{self, here};

/// Stands for the lock; no object of the program has this address.
const ADDRESS: usize = 1;

fn lock(place: Place) -> ObjectId {
    control::object(ADDRESS, Use::Primitive, place, || ObjectKind::Mutex)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __VERIFIER_atomic_begin() {
    if controlled() {
        let place = here();
        let lock = lock(place);
        let current = state::with(|state| state.current);
        let again = raddle_runtime::with_world(|world| world.is_owner(lock, current));
        let kind = if again { Kind::LockAgain } else { Kind::Lock };
        control::visit(Operation::new(kind, lock, 0), place);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __VERIFIER_atomic_end() {
    if controlled() {
        let place = here();
        let lock = lock(place);
        let inner = raddle_runtime::with_world(|world| world.depth(lock)) > 0;
        let kind = if inner { Kind::UnlockInner } else { Kind::Unlock };
        control::visit(Operation::new(kind, lock, 0), place);
    }
}
