//! What happened in one run of a program, as plain data.
//!
//! The idea of this crate is that a run is a sequence of [`Event`]s, and that everything else follows from one
//! relation between them: two operations are *dependent* when swapping them could matter ([`conflict`]). From it
//! come happens-before ([`HappensBefore`]), the class of a run (its Mazurkiewicz trace, [`TraceKey`]) and what a
//! search has to try.
//!
//! Invariants: no I/O, no clock, no randomness, no hash order, no `unsafe`. Identities of threads do not depend on
//! the interleaving; identities of objects are the order in which a run first met them, so they agree between two
//! runs only up to the end of their common prefix.

mod calls;
pub mod conflict;
mod event;
#[cfg(feature = "faults")]
pub mod fault;
mod happens_before;
mod id;
mod key;
pub mod level;
pub mod limits;
mod operation;
mod place;
pub mod schedule;

pub use calls::{Call, Calls};
pub use conflict::{Access, Accesses, Class, Relation, dependent};
pub use event::{
    Block, Blocked, Ending, Event, Failure, Held, Hidden, ObjectNote, Pending, PlainAccess, RacingPair, Run,
    Spot, Trouble, Whereabouts,
};
pub use happens_before::HappensBefore;
pub use id::{ObjectId, ThreadId, ThreadSet};
pub use key::TraceKey;
pub use level::Outcome;
pub use operation::{Kind, Operation, Order};
pub use place::{Place, Site};
pub use schedule::{Schedule, Step};

/// Whether the deliberate fault `name` is switched on; always false outside the test of the tests.
///
/// A fault is a line of the search that is broken on purpose, to see that the comparison with brute force notices.
#[macro_export]
macro_rules! fault {
    ($name:ident) => {{
        #[cfg(feature = "faults")]
        {
            $crate::fault::is_on($crate::fault::Fault::$name)
        }
        #[cfg(not(feature = "faults"))]
        {
            false
        }
    }};
}
