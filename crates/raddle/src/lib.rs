//! Tests multithreaded programs with every interleaving of their threads that matters.
//!
//! The modules mirror `std`: a program uses [`sync`], [`thread`], [`cell`], [`hint`] and [`time`] instead of the
//! modules of the same name there, and a test calls it within [`check`]. Outside a check everything behaves like
//! `std`.
//!
//! ```
//! use raddle::sync::{Arc, Mutex};
//! use raddle::thread;
//!
//! raddle::check(|| {
//!     let counter = Arc::new(Mutex::new(0));
//!     let other = Arc::clone(&counter);
//!     let adder = thread::spawn(move || *other.lock().unwrap() += 1);
//!     *counter.lock().unwrap() += 1;
//!     adder.join().unwrap();
//!     assert_eq!(*counter.lock().unwrap(), 2);
//! });
//! ```
//!
//! # What a run keeps
//! The closure is called again for every run, so what it creates is new in every run. What lives longer, in a `static`
//! or in an `Arc` that the closure captured, is treated like this: an atomic, a semaphore or a one-time initialisation
//! starts every run as it was before the check; locks are free and not poisoned, but the data behind them is as the
//! run before left it. If that matters, make the lock in a [`sync::LazyLock`].
//!
//! Invariants: every operation outside a run is the one of `std`; inside a run no operation blocks the OS thread.

mod check;
mod local_macro;
mod place;

pub mod cell;
pub mod future;
pub mod hint;
pub mod input;
pub mod sync;
pub mod thread;
pub mod time;

pub use check::{Check, Finding, Report, check};
pub use input::choose;
pub use raddle_explore::{ModelSize, StrategyName as Strategy};
pub use raddle_macros::test;

#[doc(hidden)]
pub mod __private;
