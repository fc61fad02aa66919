//! Dining philosophers without the bug: everybody takes the fork with the smaller number first.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::sync::{Arc, Mutex};
use raddle::thread;

const PHILOSOPHERS: usize = 3;

fn main() {
    raddle::Check::new().name("dining_fixed").check(|| {
        let forks: Arc<[Mutex<()>; PHILOSOPHERS]> = Arc::default();
        let philosophers: Vec<_> = (0..PHILOSOPHERS)
            .map(|number| {
                let forks = Arc::clone(&forks);
                thread::spawn(move || {
                    let other = (number + 1) % PHILOSOPHERS;
                    let _first = forks[number.min(other)].lock().unwrap();
                    let _second = forks[number.max(other)].lock().unwrap();
                })
            })
            .collect();
        for philosopher in philosophers {
            philosopher.join().unwrap();
        }
    });
}
