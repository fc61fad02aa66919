//! Waiting for what has been, for the wrong thing, or for ever.

use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Condvar, Mutex};
use raddle::thread;

use crate::crowd::Crowd;

pub(crate) fn lost_wake_up(threads: usize) {
    let (ready, lock, changed) = (AtomicBool::new(false), Mutex::new(()), Condvar::new());
    let crowd = Crowd::default();
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            if !ready.load(SeqCst) {
                let guard = lock.lock().unwrap();
                drop(changed.wait(guard).unwrap());
            }
        });
        scope.spawn(|| {
            ready.store(true, SeqCst);
            changed.notify_one();
        });
    });
}

/// Producers wait for room and consumers for items, at the same condition variable.
pub(crate) fn wrong_waiter(threads: usize) {
    let (full, changed) = (Mutex::new(false), Condvar::new());
    let pairs = threads.div_ceil(2).max(2);
    thread::scope(|scope| {
        for _ in 0..pairs {
            scope.spawn(|| {
                let mut is_full = full.lock().unwrap();
                while !*is_full {
                    is_full = changed.wait(is_full).unwrap();
                }
                *is_full = false;
                changed.notify_one();
            });
            scope.spawn(|| {
                let mut is_full = full.lock().unwrap();
                while *is_full {
                    is_full = changed.wait(is_full).unwrap();
                }
                *is_full = true;
                changed.notify_one();
            });
        }
    });
}

pub(crate) fn if_for_while(threads: usize) {
    let (items, changed) = (Mutex::new(0usize), Condvar::new());
    let consumers = threads.max(3) - 1;
    thread::scope(|scope| {
        for _ in 0..consumers {
            scope.spawn(|| {
                let mut left = items.lock().unwrap();
                if *left == 0 {
                    left = changed.wait(left).unwrap();
                }
                assert!(*left > 0, "took what was not there");
                *left -= 1;
            });
        }
        scope.spawn(|| {
            for _ in 0..consumers {
                *items.lock().unwrap() += 1;
                changed.notify_one();
            }
        });
    });
}

/// Each thread comes to the barrier twice; the last to arrive opens it and starts the count again.
pub(crate) fn barrier_reused(threads: usize) {
    let (arrived, opened) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let meeting = threads.max(2);
    thread::scope(|scope| {
        for _ in 0..meeting {
            scope.spawn(|| {
                let round = opened.load(SeqCst);
                if arrived.fetch_add(1, SeqCst) + 1 == meeting {
                    opened.fetch_add(1, SeqCst);
                    arrived.store(0, SeqCst);
                }
                let now = opened.load(SeqCst);
                // Whoever finds the barrier open comes back at once.
                if now > round {
                    let again = arrived.fetch_add(1, SeqCst);
                    assert!(again < meeting, "came back before the count was started again");
                }
            });
        }
    });
}

/// Readers come and go, counted; the writer looks twice whether nobody reads.
pub(crate) fn starved_writer(threads: usize) {
    let (readers, written) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 1..threads.max(2) {
            scope.spawn(|| {
                for _ in 0..2 {
                    readers.fetch_add(1, SeqCst);
                    readers.fetch_sub(1, SeqCst);
                }
            });
        }
        scope.spawn(|| {
            let looks = (0..2).any(|_| readers.load(SeqCst) == 0);
            written.store(looks, SeqCst);
        });
    });
    assert!(written.load(SeqCst), "the writer never got in");
}
