//! Where the program calls the library.

use std::panic::Location;

use raddle_trace::Place;

/// The place of the caller of the function that calls this one, if both are marked `#[track_caller]`.
#[inline]
#[track_caller]
pub(crate) fn here() -> Place {
    Place::Rust(Location::caller())
}
