//! Safe Petri nets and their unfoldings.
//!
//! The *unfolding* of a net is the net of everything that can happen in it: a condition is a token together with its
//! history, an event a firing together with its history, and nothing in it ever joins or loops. A *complete prefix* of it
//! is finite and shows every reachable marking, often in far less space than the graph of markings. [`Unfolder`] builds
//! it, in adequate order, and lets the net grow while it does, which is what a search needs whose net is learned from
//! runs.
//!
//! ```
//! use raddle_nets::{Limits, Net, Order, Unfolder};
//!
//! // Two threads that take turns on one lock.
//! let mut net = Net::new();
//! let lock = net.add_place("lock", true);
//! for thread in ["a", "b"] {
//!     let (outside, inside) = (net.add_place(thread, true), net.add_place(format!("{thread} in"), false));
//!     net.add_transition(format!("lock {thread}"), &[outside, lock], &[inside])?;
//!     net.add_transition(format!("unlock {thread}"), &[inside], &[outside, lock])?;
//! }
//! let mut unfolder = Unfolder::of_net(&net, Order::Erv, Limits::default());
//! unfolder.complete()?;
//! assert_eq!((unfolder.event_count(), unfolder.cut_off_count()), (4, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariants: no I/O, no clock, no randomness, no hash order, no `unsafe`; no input makes it panic.

mod concurrency;
mod deadlock;
mod extensions;
pub mod format;
mod id;
mod limits;
mod markings;
mod net;
mod occurrence;
mod order;
mod prefix;
mod queue;
mod reach;
pub mod samples;
mod sat;
mod unfolded;
mod unfolder;

pub use deadlock::{Deadlock, DeadlockSearch, Deadlocks, GaveUp, Sought};
pub use id::{ConditionId, EventId, PlaceId, TransitionId};
pub use limits::{BadTransition, Limits, Stop};
pub use net::{Marking, Net};
pub use order::{Order, UnknownOrder};
pub use reach::{ReachStop, Reachable, markings_of_prefix, reachable};
pub use unfolded::{Unfolded, UnfoldedCondition, UnfoldedEvent};
pub use unfolder::{Companion, Status, Unfolder};
