//! Things that have to come in one order, and may come in another.

use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Condvar, Mutex};
use raddle::thread;

use crate::crowd::Crowd;

pub(crate) fn use_before_init(threads: usize) {
    let setting = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 1..threads.max(2) {
            scope.spawn(|| assert_ne!(setting.load(SeqCst), 0, "used before it was set"));
        }
        setting.store(7, SeqCst);
    });
}

pub(crate) fn late_handle(threads: usize) {
    let (handle, crowd) = (AtomicUsize::new(0), Crowd::default());
    thread::scope(|scope| {
        crowd.fill(scope, threads, 1);
        let child = scope.spawn(|| {
            let own = handle.load(SeqCst);
            assert_ne!(own, 0, "a thread without a handle");
        });
        handle.store(1, SeqCst);
        drop(child);
    });
}

pub(crate) fn workers_set_too_late(threads: usize) {
    let (workers, idle) = (Mutex::new(0usize), Condvar::new());
    let count = threads.max(2) - 1;
    thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                let mut left = workers.lock().unwrap();
                *left = left.saturating_sub(1);
                idle.notify_all();
            });
        }
        *workers.lock().unwrap() = count;
        let mut left = workers.lock().unwrap();
        while *left > 0 {
            left = idle.wait(left).unwrap();
        }
    });
}

pub(crate) fn closed_while_used(threads: usize) {
    let (open, busy, crowd) = (AtomicBool::new(true), AtomicBool::new(false), Crowd::default());
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            if open.load(SeqCst) {
                busy.store(true, SeqCst);
                assert!(open.load(SeqCst), "writes to a closed file");
                busy.store(false, SeqCst);
            }
        });
        scope.spawn(|| {
            if !busy.load(SeqCst) {
                open.store(false, SeqCst);
            }
        });
    });
}

pub(crate) fn double_checked_locking(threads: usize) {
    let (is_there, value, lock) = (AtomicBool::new(false), AtomicUsize::new(0), Mutex::new(()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                if !is_there.load(SeqCst) {
                    let _guard = lock.lock().unwrap();
                    if !is_there.load(SeqCst) {
                        is_there.store(true, SeqCst);
                        value.store(9, SeqCst);
                    }
                }
                assert_eq!(value.load(SeqCst), 9, "seen half made");
            });
        }
    });
}

pub(crate) fn published_too_early(threads: usize) {
    let (published, slot, crowd) = (AtomicUsize::new(0), AtomicUsize::new(0), Crowd::default());
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            published.store(1, SeqCst);
            slot.store(5, SeqCst);
        });
        scope.spawn(|| {
            if published.load(SeqCst) == 1 {
                assert_eq!(slot.load(SeqCst), 5, "an empty slot");
            }
        });
    });
}

pub(crate) fn cancelled_timer_fires(threads: usize) {
    let (cancelled, target, crowd) = (AtomicBool::new(false), AtomicUsize::new(1), Crowd::default());
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            if !cancelled.load(SeqCst) {
                assert_ne!(target.load(SeqCst), 0, "fires at what is gone");
            }
        });
        scope.spawn(|| {
            cancelled.store(true, SeqCst);
            target.store(0, SeqCst);
        });
    });
}
