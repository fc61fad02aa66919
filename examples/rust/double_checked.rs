//! Double-checked initialisation with a bug: the flag is stored and looked at without release and acquire. Nothing orders the
//! look after the write, so a thread may see the flag and not what it stands for.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicBool, Ordering::Relaxed};
use raddle::sync::{Arc, Mutex};
use raddle::thread;

#[derive(Default)]
struct Config {
    lock: Mutex<()>,
    ready: AtomicBool,
    limit: UnsafeCell<u32>,
}

// SAFETY: this is the claim that the check refutes.
unsafe impl Sync for Config {}

impl Config {
    fn limit(&self) -> u32 {
        if !self.ready.load(Relaxed) {
            let _guard = self.lock.lock().unwrap();
            if !self.ready.load(Relaxed) {
                // SAFETY: nobody reads before `ready` is set; that this is not enough is the bug.
                self.limit.with_mut(|limit| unsafe { *limit = 10 });
                self.ready.store(true, Relaxed);
            }
        }
        // SAFETY: as above.
        self.limit.with(|limit| unsafe { *limit })
    }
}

fn main() {
    raddle::Check::new().name("double_checked").check(|| {
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
