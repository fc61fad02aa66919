//! Locks that are taken in the wrong order, or given back too early.

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Condvar, Mutex, Semaphore};
use raddle::thread;

use crate::crowd::Crowd;

pub(crate) fn two_locks(threads: usize) {
    let (a, b) = (Mutex::new(0), Mutex::new(0));
    thread::scope(|scope| {
        for _ in 1..threads.max(2) {
            scope.spawn(|| {
                let _a = a.lock().unwrap();
                *b.lock().unwrap() += 1;
            });
        }
        scope.spawn(|| {
            let _b = b.lock().unwrap();
            *a.lock().unwrap() += 1;
        });
    });
}

pub(crate) fn three_locks(threads: usize) {
    let locks = [Mutex::new(0), Mutex::new(0), Mutex::new(0)];
    thread::scope(|scope| {
        for number in 0..threads.max(3) {
            let locks = &locks;
            scope.spawn(move || {
                let _one = locks[number % 3].lock().unwrap();
                *locks[(number + 1) % 3].lock().unwrap() += 1;
            });
        }
    });
}

pub(crate) fn transfers(threads: usize) {
    let accounts: Vec<Mutex<i64>> = (0..threads.max(2)).map(|_| Mutex::new(10)).collect();
    thread::scope(|scope| {
        for number in 0..accounts.len() {
            let accounts = &accounts;
            scope.spawn(move || {
                let mut from = accounts[number].lock().unwrap();
                let mut to = accounts[(number + 1) % accounts.len()].lock().unwrap();
                *from -= 1;
                *to += 1;
            });
        }
    });
}

pub(crate) fn lock_and_condition(threads: usize) {
    let (outer, ready, changed) = (Mutex::new(0), Mutex::new(false), Condvar::new());
    let crowd = Crowd::default();
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            let _outer = outer.lock().unwrap();
            let mut is_ready = ready.lock().unwrap();
            while !*is_ready {
                is_ready = changed.wait(is_ready).unwrap();
            }
        });
        scope.spawn(|| {
            *outer.lock().unwrap() += 1;
            *ready.lock().unwrap() = true;
            changed.notify_one();
        });
    });
}

pub(crate) fn semaphores(threads: usize) {
    let (disks, tapes) = (Semaphore::new(1), Semaphore::new(1));
    thread::scope(|scope| {
        for _ in 1..threads.max(2) {
            scope.spawn(|| {
                disks.acquire();
                tapes.acquire();
                tapes.release(1);
                disks.release(1);
            });
        }
        scope.spawn(|| {
            tapes.acquire();
            disks.acquire();
            disks.release(1);
            tapes.release(1);
        });
    });
}

pub(crate) fn upgrade(threads: usize) {
    let (readers, alone) = (Mutex::new(0), Condvar::new());
    thread::scope(|scope| {
        for _ in 0..threads.max(2) {
            scope.spawn(|| {
                *readers.lock().unwrap() += 1;
                // Wants to be the only reader before it writes, and stays a reader meanwhile.
                let mut now = readers.lock().unwrap();
                while *now > 1 {
                    now = alone.wait(now).unwrap();
                }
                *now -= 1;
                alone.notify_all();
            });
        }
    });
}

pub(crate) fn two_stage(threads: usize) {
    let (value, next) = (Mutex::new(0), Mutex::new(0));
    let reads = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 1..threads.max(2) {
            scope.spawn(|| {
                *value.lock().unwrap() = 1;
                *next.lock().unwrap() = 2;
            });
        }
        scope.spawn(|| {
            let seen = *value.lock().unwrap();
            reads.store(seen, SeqCst);
            if seen != 0 {
                assert_eq!(*next.lock().unwrap(), seen + 1, "read between the stages");
            }
        });
    });
}
