//! Mirror of `std::sync`, and a [`Semaphore`] besides.
//!
//! [`Arc`] and [`Weak`] have the interface of those of `std`, but for what only the compiler can give: there is no coercion
//! to `Arc<dyn Trait>` and no `self: Arc<Self>`. Where these are needed and nobody looks at reference counts,
//! [`std::sync::Arc`] serves as well; an `Arc<dyn Trait>` of ours is made from a box, or from one of `std`.

pub mod atomic;
pub mod mpsc;

mod arc;
mod barrier;
mod condvar;
mod held;
mod lazy_lock;
mod mutex;
mod once;
mod once_lock;
mod poison;
mod run_state;
mod rwlock;
mod rwlock_guard;
mod semaphore;
mod weak;

pub use arc::Arc;
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
pub use once::{Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::RwLock;
pub use rwlock_guard::{RwLockReadGuard, RwLockWriteGuard};
pub use semaphore::{Semaphore, SemaphoreGuard};
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
pub use weak::Weak;
