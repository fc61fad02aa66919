//! A work queue without the bug: it is closed under the lock, so nobody is between looking and sleeping.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::sync::{Arc, Condvar, Mutex};
use raddle::thread;

#[derive(Default)]
struct State {
    jobs: u32,
    closed: bool,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    fn push(&self) {
        self.state.lock().unwrap().jobs += 1;
        self.changed.notify_one();
    }

    fn close(&self) {
        self.state.lock().unwrap().closed = true;
        self.changed.notify_all();
    }

    fn work(&self) {
        let mut state = self.state.lock().unwrap();
        loop {
            while state.jobs == 0 && !state.closed {
                state = self.changed.wait(state).unwrap();
            }
            if state.jobs == 0 {
                return;
            }
            state.jobs -= 1;
        }
    }
}

fn main() {
    raddle::Check::new().name("work_queue_fixed").check(|| {
        let queue = Arc::new(Queue::default());
        let other = Arc::clone(&queue);
        let worker = thread::spawn(move || other.work());
        queue.push();
        queue.close();
        worker.join().unwrap();
    });
}
