//! Steps that belong together, and can be torn apart.

use raddle::sync::Mutex;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::thread;

use crate::crowd::Crowd;

pub(crate) fn lost_update(threads: usize) {
    let counter = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let value = counter.load(SeqCst);
                counter.store(value + 1, SeqCst);
            });
        }
    });
    assert_eq!(counter.load(SeqCst), threads);
}

pub(crate) fn stale_check(threads: usize) {
    let balance = AtomicUsize::new(10);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                if balance.load(SeqCst) >= 10 {
                    let before = balance.fetch_sub(10, SeqCst);
                    assert!(before >= 10, "overdrawn");
                }
            });
        }
    });
}

pub(crate) fn use_between_free(threads: usize) {
    let (pointer, crowd) = (AtomicUsize::new(0), Crowd::default());
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            pointer.store(1, SeqCst);
            pointer.store(0, SeqCst);
        });
        scope.spawn(|| {
            if pointer.load(SeqCst) != 0 {
                assert_ne!(pointer.load(SeqCst), 0, "used after it was freed");
            }
        });
    });
}

pub(crate) fn two_variables(threads: usize) {
    let (name, length) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for number in 1..threads {
            let (name, length) = (&name, &length);
            scope.spawn(move || {
                name.store(number, SeqCst);
                length.store(number, SeqCst);
            });
        }
        scope.spawn(|| {
            let seen = length.load(SeqCst);
            assert!(seen == 0 || name.load(SeqCst) != 0, "a length without a name");
            assert!(name.load(SeqCst) == 0 || length.load(SeqCst) != 0, "a name without a length");
        });
    });
}

pub(crate) fn log_overwritten(threads: usize) {
    let position = AtomicUsize::new(0);
    let log: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|scope| {
        for number in 0..threads {
            let (position, log) = (&position, &log);
            scope.spawn(move || {
                let at = position.load(SeqCst);
                log[at].store(number + 1, SeqCst);
                position.store(at + 1, SeqCst);
            });
        }
    });
    assert!(log.iter().all(|entry| entry.load(SeqCst) != 0), "an entry was overwritten");
}

pub(crate) fn shrinking_buffer(threads: usize) {
    let (buffer, crowd) = (Mutex::new(vec![1, 2, 3]), Crowd::default());
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            let length = buffer.lock().unwrap().len();
            let buffer = buffer.lock().unwrap();
            assert!(length <= buffer.len(), "copies more than there is");
        });
        scope.spawn(|| buffer.lock().unwrap().clear());
    });
}

pub(crate) fn double_sale(threads: usize) {
    let (left, sold) = (Mutex::new(1), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let is_left = *left.lock().unwrap() > 0;
                if is_left {
                    *left.lock().unwrap() = 0;
                    sold.fetch_add(1, SeqCst);
                }
            });
        }
    });
    assert_eq!(sold.load(SeqCst), 1);
}

pub(crate) fn torn_snapshot(threads: usize) {
    let (from, to, crowd) = (Mutex::new(10), Mutex::new(0), Crowd::default());
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            *from.lock().unwrap() -= 5;
            *to.lock().unwrap() += 5;
        });
        scope.spawn(|| {
            let there = *to.lock().unwrap();
            let here = *from.lock().unwrap();
            assert!(there + here == 10 || there == 5 || here == 10, "money is missing");
        });
    });
}

pub(crate) fn check_then_insert(threads: usize) {
    let map = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for number in 0..threads {
            let map = &map;
            scope.spawn(move || {
                let key = number / 2;
                let is_there = map.lock().unwrap().contains(&key);
                if !is_there {
                    let mut map = map.lock().unwrap();
                    assert!(!map.contains(&key), "inserted twice");
                    map.push(key);
                }
            });
        }
    });
}
