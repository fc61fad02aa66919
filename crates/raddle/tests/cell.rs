//! Cells, in and outside of a check.

mod common;

use common::runs;
use raddle::cell::{Cell, UnsafeCell};
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
use raddle::thread;

/// A lock as a program under test would write it.
struct SpinLock {
    taken: AtomicBool,
    value: UnsafeCell<u32>,
}

// SAFETY: the value is only used by who holds the lock.
unsafe impl Sync for SpinLock {}

impl SpinLock {
    fn add(&self) -> u32 {
        while self.taken.swap(true, SeqCst) {
            raddle::hint::spin_loop();
        }
        // SAFETY: the lock is held.
        let value = self.value.with_mut(|value| unsafe {
            *value += 1;
            *value
        });
        self.taken.store(false, SeqCst);
        value
    }
}

#[test]
fn accesses_to_a_cell_are_no_decisions() {
    let count = runs(|| {
        let cell = Cell::new(0);
        let other = thread::spawn(|| {
            let cell = UnsafeCell::new(1);
            // SAFETY: nobody else uses the cell.
            unsafe { *cell.get_mut().deref() += *cell.get().deref() };
            cell.into_inner()
        });
        cell.set(cell.get() + 1);
        cell.update(|value| value * 3);
        assert_eq!(cell.replace(7), 3);
        assert_eq!(other.join().unwrap(), 2);
    });
    assert_eq!(count, 1);
}

#[test]
fn a_home_made_lock_works() {
    let body = || {
        let lock = Arc::new(SpinLock { taken: AtomicBool::new(false), value: UnsafeCell::new(0) });
        let other = Arc::clone(&lock);
        let rival = thread::spawn(move || other.add());
        assert_eq!(lock.add() + rival.join().unwrap(), 3);
    };
    body();
    raddle::check(body);
}
