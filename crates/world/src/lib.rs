//! What is allowed: the state of every thread and of every primitive during one run.
//!
//! A thread *publishes* the operation it is about to do; the world says who is enabled, who is urgent, and who waits
//! for whom; the scheduler *executes* one of them. When an operation can go, and what it does to the level of its
//! object, is told by [`raddle_trace::level`]; here stand ownership, waiting, and the rules whose breach is misuse. One
//! file per primitive.
//!
//! Invariants: a world is a function of the operations executed on it; it does no I/O, reads no clock, draws no random
//! number and contains no `unsafe`. After a run it is reset, not rebuilt, so a run allocates nothing here.

mod barrier;
mod channel;
mod condvar;
mod memory;
mod mutex;
mod object;
mod once;
mod rwlock;
mod semaphore;
mod spin;
mod thread;
mod world;

pub use object::ObjectKind;
pub use spin::{Awaits, Hint, Trust, is_progress};
pub use world::{Misuse, Options, World};
