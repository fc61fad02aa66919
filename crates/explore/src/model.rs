//! The Petri-net model of observed runs: Kähkönen and Heljanko, "Lightweight State Capturing for Automated Testing of
//! Multithreaded Programs", sections 3 and 4.
//!
//! Places are local states of threads and valuations of shared objects. A local state is what a thread has done and seen
//! so far: states reached by seeing different things are different, by seeing the same the same. A valuation of a memory
//! cell is named by the write that made it (or, if asked for, by its value), that of any other object by its level. From
//! what one run has shown of a local state, its next operation, every transition that the state can ever have is
//! *predicted* (`Knowledge::fire`); the program is only run again to learn the next operation of a local state that no
//! run has come to.
//!
//! Invariants: what a run shows is compared with what was predicted, and a difference is a reason not to trust the
//! search, never passed over. What the model cannot express ([`Beyond`]) ends its use, and the search goes on without it.

mod alike;
mod chain;
mod ends;
mod export;
mod fire;
mod knowledge;
mod learn;
mod local;
mod lock_order;
mod marking;
mod movers;
mod net;
mod plan;
mod races;
mod size;
mod summary;
mod valuation;

pub(crate) use ends::ends;
pub use export::{
    Author, LabelledNet, LabelledPlace, LabelledTransition, ModelNet, ModelPlace, ModelUnfolding,
};
pub(crate) use export::{Called, net_of_markings};
pub(crate) use fire::{Change, Move, View};
pub use knowledge::Beyond;
pub(crate) use knowledge::Knowledge;
pub(crate) use local::{Intent, LocalState, Next, ThreadState};
pub(crate) use marking::Marking;
pub(crate) use net::{Detail, GrowingNet, Place as NetPlace, Race};
pub(crate) use plan::Plan;
pub use size::ModelSize;
pub use summary::{ModelEnd, ModelSummary, SeenStep};
pub(crate) use valuation::{ObjectName, Valuation};
