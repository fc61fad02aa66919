//! What to try next.
//!
//! A [`Subject`] is a program that can be run again under control; a [`Strategy`] lives across runs, decides in each
//! who goes next, and learns from each what is still to be tried; [`Search`] is the loop between them. Choices that are
//! not schedules (which waiter is woken, whether a weak compare-exchange fails, `choose(n)`) are decided by the same
//! strategy, in the same tree; a symbolic branch will be one more of them.
//!
//! Invariants: this crate does no I/O and reads no clock (time is handed in); randomness comes from a seed; it knows
//! operations only through the dependence relation and the levels of `raddle-trace`, never a primitive.

mod archive;
mod budget;
mod chooser;
mod estimate;
mod explored;
pub mod model;
mod passing;
mod replay;
mod rng;
mod search;
mod share;
mod shrink;
pub mod strategies;
mod strategy;
mod verdict;

pub use archive::{Again, Saved, digest};
pub use budget::{Budget, Limit};
pub use chooser::{Choice, Chooser, Decision, NoPick, Offer, RunLimits, Subject};
pub use estimate::Estimate;
pub use explored::{Explored, Fate, KeptRun, Passed, Prefix, Recorded};
pub use model::ModelSize;
pub use passing::{Passing, passing};
pub use replay::{Replay, Retake};
pub use search::{Covered, Judge, Moment, Reached, Search, Stop};
pub use share::{Claims, Share};
pub use shrink::{Shrunk, preemptions, shrink};
pub use strategy::{
    Guarantee, Guidance, Settings, Strategy, StrategyName, UnknownStrategy, Waiting, nearest,
};
pub use verdict::{Doubt, Verdict};
