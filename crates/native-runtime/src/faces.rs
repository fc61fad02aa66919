//! What stands in front of the C library, one file per family of functions.
//!
//! Each function does the same: outside a controlled run it calls the real one; in a run it finds the number of the object
//! and visits the stage. Names and types are those of the C library, which documents them.

#![allow(missing_docs, reason = "the C library documents its functions")]
#![allow(clippy::missing_safety_doc, reason = "as the C library says for each of them")]

pub(crate) mod barrier;
pub(crate) mod c11;
pub(crate) mod condition;
pub(crate) mod descriptors;
pub(crate) mod exceptions;
pub(crate) mod exit;
pub(crate) mod futex;
pub(crate) mod heap;
pub(crate) mod joins;
pub(crate) mod mutex;
pub(crate) mod once;
pub(crate) mod opening;
pub(crate) mod random;
pub(crate) mod rwlock;
pub(crate) mod section;
pub(crate) mod semaphore;
pub(crate) mod strange;
pub(crate) mod thread;
pub(crate) mod time;
pub(crate) mod unwind;
