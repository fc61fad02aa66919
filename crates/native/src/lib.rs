//! C and C++ programs from outside: compile, launch, confine, supervise.
//!
//! The search runs inside the program (`raddle-native-runtime`); here is what must survive the program's death: the process
//! that starts it, holds it within limits, listens to what it says, and puts names to what it found.

mod captured;
mod check;
mod confine;
mod host;
pub mod interrupt;
mod limits;
mod names;
mod program;
mod replay;
pub mod strays;
pub mod terminal;

pub use captured::ProgramOutput;
pub use check::{
    CheckError, Confirmed, Doing, Keeping, Learned, Listed, Outcome, Passing, Plan, Survey, Watcher, Worker,
    check, learn, survey,
};
pub use limits::Limits;
pub use names::{Holds, Scalar, Symbols};
pub use program::Program;
pub use replay::{Divergence, Replayed, debug, replay};
