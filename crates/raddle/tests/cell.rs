//! Cells, in and outside of a check.

mod common;

use common::{finding_of, runs};
use raddle::cell::{Cell, UnsafeCell};
use raddle::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Release, SeqCst},
};
use raddle::sync::{Arc, Mutex};
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

/// A cell that somebody says to be guarded.
struct Guarded(UnsafeCell<u32>, AtomicBool, Mutex<bool>);

// SAFETY: not at all; the tests below show that.
unsafe impl Sync for Guarded {}

#[test]
fn an_access_goes_on_until_its_closure_returns() {
    let guarded = || Arc::new(Guarded(UnsafeCell::new(0), AtomicBool::new(false), Mutex::new(false)));
    let writing = finding_of(move || {
        let shared = guarded();
        let other = Arc::clone(&shared);
        let writer = thread::spawn(move || {
            other.0.with_mut(|value| {
                other.1.store(true, Release);
                // SAFETY: wrong, since the other thread has been told that it may read.
                unsafe { *value = 1 };
            });
        });
        if shared.1.load(Acquire) {
            // SAFETY: what is wrong is the writer.
            shared.0.with(|value| unsafe { *value });
        }
        writer.join().unwrap();
    });
    assert!(writing.contains("data race"), "{writing}");
    let reading = finding_of(move || {
        let shared = guarded();
        let other = Arc::clone(&shared);
        let reader = thread::spawn(move || {
            other.0.with(|value| {
                *other.2.lock().unwrap() = true;
                // SAFETY: wrong, since the other thread has been told that it may write.
                unsafe { *value }
            })
        });
        if *shared.2.lock().unwrap() {
            // SAFETY: what is wrong is the reader.
            shared.0.with_mut(|value| unsafe { *value = 1 });
        }
        reader.join().unwrap();
    });
    assert!(reading.contains("data race"), "{reading}");
}
