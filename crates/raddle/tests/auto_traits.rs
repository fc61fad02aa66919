//! What can be sent and shared is what can be in `std`.

use std::cell::Cell;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

use raddle::sync::atomic::{AtomicPtr, AtomicU64};
use raddle::sync::mpsc::{Receiver, Sender, SyncSender};
use raddle::sync::{
    Barrier, Condvar, LazyLock, Mutex, MutexGuard, Once, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use raddle::thread::{JoinHandle, LocalKey, Scope, ScopedJoinHandle, Thread, ThreadId};

fn is_send<T: Send>() {}
fn is_sync<T: Sync>() {}
fn is_unwind_safe<T: UnwindSafe + RefUnwindSafe>() {}

/// Can be shared and not sent.
type OnlySync = std::sync::MutexGuard<'static, u32>;

#[test]
fn what_is_send_and_sync_in_std_is_here() {
    is_send::<AtomicPtr<Cell<u32>>>();
    is_sync::<AtomicPtr<Cell<u32>>>();
    is_sync::<Mutex<Cell<u32>>>();
    is_sync::<RwLock<u32>>();
    is_sync::<MutexGuard<'_, u32>>();
    is_sync::<RwLockReadGuard<'_, u32>>();
    is_sync::<(Condvar, Barrier, Once)>();
    is_send::<OnceLock<Cell<u32>>>();
    is_sync::<OnceLock<u32>>();
    is_sync::<LazyLock<u32>>();
    is_send::<LazyLock<Cell<u32>>>();
    is_send::<(Sender<Cell<u32>>, SyncSender<Cell<u32>>, Receiver<Cell<u32>>)>();
    is_sync::<(Sender<u32>, SyncSender<u32>)>();
    is_sync::<(JoinHandle<Cell<u32>>, ScopedJoinHandle<'_, Cell<u32>>)>();
    is_send::<(JoinHandle<Cell<u32>>, ScopedJoinHandle<'_, Cell<u32>>)>();
    is_sync::<(Thread, ThreadId, Scope<'_, '_>, LocalKey<Cell<u32>>)>();
    is_sync::<JoinHandle<Rc<u32>>>();
    is_send::<JoinHandle<Rc<u32>>>();
    is_sync::<MutexGuard<'_, OnlySync>>();
    is_sync::<(RwLockReadGuard<'_, OnlySync>, RwLockWriteGuard<'_, OnlySync>)>();
    is_unwind_safe::<(AtomicU64, Mutex<Cell<u32>>, RwLock<Cell<u32>>, Condvar, Barrier, Once)>();
    is_unwind_safe::<(OnceLock<u32>, LazyLock<u32>)>();
}
