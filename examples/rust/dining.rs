//! Dining philosophers with a bug: each takes the fork in front of it first, then the next one. If all have taken their first
//! fork, all wait for ever.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::sync::{Arc, Mutex};
use raddle::thread;

const PHILOSOPHERS: usize = 3;

fn main() {
    raddle::Check::new().name("dining").check(|| {
        let forks: Arc<[Mutex<()>; PHILOSOPHERS]> = Arc::default();
        let philosophers: Vec<_> = (0..PHILOSOPHERS)
            .map(|number| {
                let forks = Arc::clone(&forks);
                thread::spawn(move || {
                    let _first = forks[number].lock().unwrap();
                    let _second = forks[(number + 1) % PHILOSOPHERS].lock().unwrap();
                })
            })
            .collect();
        for philosopher in philosophers {
            philosopher.join().unwrap();
        }
    });
}
