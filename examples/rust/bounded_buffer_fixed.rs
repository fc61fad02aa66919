//! The buffer without the bug: producers wait until it is emptied, consumers until it is filled, and each wakes the other kind.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::sync::{Arc, Condvar, Mutex};
use raddle::thread;

#[derive(Default)]
struct Buffer {
    place: Mutex<Option<i32>>,
    filled: Condvar,
    emptied: Condvar,
}

impl Buffer {
    fn put(&self, item: i32) {
        let mut place = self.place.lock().unwrap();
        while place.is_some() {
            place = self.emptied.wait(place).unwrap();
        }
        *place = Some(item);
        self.filled.notify_one();
    }

    fn take(&self) -> i32 {
        let mut place = self.place.lock().unwrap();
        loop {
            if let Some(item) = place.take() {
                self.emptied.notify_one();
                return item;
            }
            place = self.filled.wait(place).unwrap();
        }
    }
}

fn main() {
    raddle::Check::new().name("bounded_buffer_fixed").check(|| {
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
