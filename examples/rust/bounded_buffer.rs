//! A buffer of one place with a bug: producers and consumers wait on the same condition variable, and a notification wakes just
//! one of them. If it wakes one of the wrong kind, that one goes back to sleep, and nobody is left to wake the right one.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::sync::{Arc, Condvar, Mutex};
use raddle::thread;

#[derive(Default)]
struct Buffer {
    place: Mutex<Option<i32>>,
    changed: Condvar,
}

impl Buffer {
    fn put(&self, item: i32) {
        let mut place = self.place.lock().unwrap();
        while place.is_some() {
            place = self.changed.wait(place).unwrap();
        }
        *place = Some(item);
        self.changed.notify_one();
    }

    fn take(&self) -> i32 {
        let mut place = self.place.lock().unwrap();
        loop {
            if let Some(item) = place.take() {
                self.changed.notify_one();
                return item;
            }
            place = self.changed.wait(place).unwrap();
        }
    }
}

fn main() {
    raddle::Check::new().name("bounded_buffer").check(|| {
        let buffer = Arc::new(Buffer::default());
        let spawn = |body: fn(&Buffer)| {
            let buffer = Arc::clone(&buffer);
            thread::spawn(move || body(&buffer))
        };
        let consume: fn(&Buffer) = |buffer| _ = buffer.take();
        let threads = [
            spawn(|buffer| {
                buffer.put(1);
                buffer.put(2);
            }),
            spawn(consume),
            spawn(consume),
        ];
        for thread in threads {
            thread.join().unwrap();
        }
    });
}
