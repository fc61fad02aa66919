//! The runtime inside a C or C++ program under test: a shared library that comes before the C library.
//!
//! Started by a supervisor it takes over before `main` ([`start`](crate::__libc_start_main)): it reads a task, runs the
//! program again and again with threads as fibers, and tells what it finds. Started without one, every function that it
//! stands in front of goes straight to the real one. `hooks` is what instrumented code calls, `faces` what stands in front
//! of the C library, one file per family.
//!
//! Invariants: no reference to the state is held across a switch of fibers or a call into the program; no frame of ours on a
//! fiber's stack owns anything, because what is left of a fiber at the end of a run is dropped, not unwound; nothing is
//! printed.

mod abi;
mod arena;
mod checkpoint;
mod control;
mod faces;
mod fork;
mod hooks;
mod host;
mod inherit;
mod inline;
mod leaks;
mod lifetime;
mod memory;
mod notes;
mod objects;
mod outcomes;
mod real;
mod record;
mod rounds;
mod shadow;
mod shared;
mod snapshot;
mod start;
mod state;
mod texts;
mod touched;
mod variables;
mod watch;

pub use abi::{__raddle_active, RawFrame, RawLocal, RawSite};
pub use hooks::{
    __raddle_compare_exchange, __raddle_copy, __raddle_fence, __raddle_fill, __raddle_load, __raddle_read,
    __raddle_rmw, __raddle_store, __raddle_write,
};
pub use start::__libc_start_main;

#[global_allocator]
pub(crate) static NOTES: notes::Notes = notes::Notes::new();
