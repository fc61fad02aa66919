//! How accesses are recorded.

use raddle_runtime::{Registration, made_events, record};
use raddle_trace::{Kind, Operation, Place};
use raddle_world::ObjectKind;

/// Records an access, if there is a run.
#[inline]
pub(super) fn access(registration: &Registration, kind: Kind, place: Place) {
    if registration.in_run() {
        let cell = registration.number(place, || ObjectKind::Plain);
        record(Operation::new(kind, cell, 0), place);
    }
}

/// Records an access that goes on until `f` returns, if there is a run.
#[inline]
pub(super) fn during<R>(registration: &Registration, kind: Kind, place: Place, f: impl FnOnce() -> R) -> R {
    if !registration.in_run() {
        return f();
    }
    access(registration, kind, place);
    let (result, is_visible) = made_events(f);
    // If the thread has done nothing else meanwhile, the end is no other moment than the beginning.
    if is_visible {
        access(registration, kind, place);
    }
    result
}
