//! Statics that several checks use at the same time.

#![allow(clippy::unwrap_used)]

mod common;

use common::outcomes;
use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use raddle::sync::{Barrier, LazyLock, Mutex, Once, OnceLock, Semaphore};
use raddle::thread;

static COUNT: AtomicU32 = AtomicU32::new(7);
static LAZY: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(Vec::new()));
static CELL: OnceLock<Box<u32>> = OnceLock::new();
static ONCE: Once = Once::new();
static PERMITS: Semaphore = Semaphore::new(1);
static BARRIER: Barrier = Barrier::new(2);

fn run() -> (u32, u32, u32) {
    let body = |number: u32| {
        BARRIER.wait();
        PERMITS.acquire();
        let count = COUNT.fetch_add(number, SeqCst);
        PERMITS.release(1);
        LAZY.lock().unwrap().push(number);
        ONCE.call_once(|| assert!(CELL.set(Box::new(number)).is_ok()));
        count
    };
    let other = thread::spawn(move || body(1));
    body(2);
    other.join().unwrap();
    assert_eq!(COUNT.load(SeqCst), 10);
    assert_eq!(LAZY.lock().unwrap().len(), 2);
    let first = LAZY.lock().unwrap()[0];
    let count = COUNT.load(SeqCst);
    (count, first, **CELL.get().unwrap())
}

#[test]
fn every_check_has_its_own() {
    std::thread::scope(|scope| {
        let checks = [(); 3].map(|()| scope.spawn(|| outcomes(run)));
        for check in checks {
            let seen = check.join().unwrap();
            assert_eq!(seen, [(10, 1, 1), (10, 1, 2), (10, 2, 1), (10, 2, 2)].into());
        }
    });
}
