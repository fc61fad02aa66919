//! A work queue with a bug: closing it sets the flag without the lock. A worker that has just seen the flag unset, and is about
//! to sleep, misses the wake-up and sleeps for ever.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::thread;

#[derive(Default)]
struct Queue {
    jobs: Mutex<u32>,
    changed: Condvar,
    closed: AtomicBool,
}

impl Queue {
    fn push(&self) {
        *self.jobs.lock().unwrap() += 1;
        self.changed.notify_one();
    }

    fn close(&self) {
        self.closed.store(true, SeqCst);
        self.changed.notify_all();
    }

    fn work(&self) {
        let mut jobs = self.jobs.lock().unwrap();
        loop {
            while *jobs == 0 && !self.closed.load(SeqCst) {
                jobs = self.changed.wait(jobs).unwrap();
            }
            if *jobs == 0 {
                return;
            }
            *jobs -= 1;
        }
    }
}

fn main() {
    raddle::Check::new().name("work_queue").check(|| {
        let queue = Arc::new(Queue::default());
        let other = Arc::clone(&queue);
        let worker = thread::spawn(move || other.work());
        queue.push();
        queue.close();
        worker.join().unwrap();
    });
}
