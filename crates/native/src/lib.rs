//! C and C++ programs from outside: compile, launch, confine, supervise.
//!
//! The search runs inside the program (`raddle-native-runtime`); here is what must survive the program's death: the process
//! that starts it, holds it within limits, listens to what it says, and puts names to what it found.

mod limits;
mod names;

pub use limits::Limits;
pub use names::Symbols;
