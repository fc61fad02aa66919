//! What is wrong with a run.
//!
//! A detector looks at one complete run and returns facts; how they are put into words is the business of `report`.
//! Two runs of one trace have the same findings, so looking at one run per trace finds all there are.
//!
//! Invariants: no I/O, no clock, no `unsafe`. A data race that is reported is one: nothing that the memory model counts
//! as synchronisation orders the two accesses. Some are missed: see [`race`].

mod clocks;
mod deadlock;
mod finding;
mod locks;
pub mod race;

pub use clocks::Clocks;
pub use deadlock::{Waiter, waiters};
pub use finding::{Access, Detail, Finding, FindingKind, judge};
pub use locks::Locks;
pub use raddle_trace::{Block, Spot};
