//! Mirror of `std::sync`, and a [`Semaphore`] besides.
//!
//! [`Arc`] and [`Weak`] are those of `std`: the changes of a reference count are no decisions, so a check does not try
//! different orders of them.

pub mod atomic;
pub mod mpsc;

mod barrier;
mod condvar;
mod held;
mod lazy_lock;
mod mutex;
mod once;
mod once_lock;
mod run_state;
mod rwlock;
mod rwlock_guard;
mod semaphore;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
pub use once::{Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::RwLock;
pub use rwlock_guard::{RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::{Semaphore, SemaphoreGuard};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult, Weak};
