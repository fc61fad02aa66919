//! How accesses are recorded.

use raddle_runtime::{Registration, record};
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
