//! What was reached.
//!
//! History-aware predecessor sets, HaPSets (Wang, Said, Gupta, ICSE 2011), say which statements came right before which
//! others on the same object in another thread. They abstract from who the threads are and how often a loop went round,
//! so their number is small, and a run that adds none has shown no new order of two statements.
//!
//! Invariants: no I/O, no clock, no randomness, no hash order, no `unsafe`. Merging is commutative, associative and
//! idempotent; equal sets have equal texts.

mod aim;
mod file;
mod growth;
pub mod hash;
mod learner;
mod sets;
mod sort;
mod statement;
#[cfg(test)]
mod tests;

pub use aim::{Aim, BadAim, Spot};
pub use file::{FORMAT_VERSION, ReadError};
pub use growth::Growth;
pub use learner::Learner;
pub use sets::{HapSets, MergeError, Order, Pair};
pub use statement::{Half, Statement, StatementId};
