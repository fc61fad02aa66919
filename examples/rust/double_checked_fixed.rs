//! Double-checked initialisation without the bug: the flag is stored with release and looked at with acquire.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Relaxed, Release},
};
use raddle::sync::{Arc, Mutex};
use raddle::thread;

#[derive(Default)]
struct Config {
    lock: Mutex<()>,
    ready: AtomicBool,
    limit: UnsafeCell<u32>,
}

// SAFETY: the limit is written once, under the lock, before `ready` is stored with release.
unsafe impl Sync for Config {}

impl Config {
    fn limit(&self) -> u32 {
        if !self.ready.load(Acquire) {
            let _guard = self.lock.lock().unwrap();
            if !self.ready.load(Relaxed) {
                // SAFETY: nobody reads before `ready` is set.
                self.limit.with_mut(|limit| unsafe { *limit = 10 });
                self.ready.store(true, Release);
            }
        }
        // SAFETY: the load with acquire, or the lock, orders this after the write.
        self.limit.with(|limit| unsafe { *limit })
    }
}

fn main() {
    raddle::Check::new().name("double_checked_fixed").check(|| {
        let config = Arc::new(Config::default());
        let workers = [(), ()].map(|()| {
            let config = Arc::clone(&config);
            thread::spawn(move || config.limit())
        });
        for worker in workers {
            assert_eq!(worker.join().unwrap(), 10);
        }
    });
}
