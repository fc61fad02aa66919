//! What a program under test and its supervisor say to each other.
//!
//! The supervisor sends one [`Task`]; the runtime inside the program answers with [`Message`]s. Both travel in frames with
//! a version, a length and a checksum ([`frame`]). Whatever the bytes are, the reader returns a value or says what is wrong
//! with them; it never panics and never asks for more memory than it was sent bytes for, times a constant.
//!
//! Invariant: what is read is what was written. Places are the exception: those of Rust come back as sites.

mod domain;
pub mod externals;
pub mod frame;
mod message;
mod model;
mod run;
pub mod sites;
mod task;
mod wire;

pub use frame::ChannelError;
pub use message::{Found, Message, Module, Outcome, Progress, Times, Uncontrolled};
pub use run::{Told, turns};
pub use task::{Isolation, Part, Races, Resume, SHARED_BYTES, SavedCheck, Task, Variable, What};
pub use wire::{Input, Output, Wire, WireError};
