//! How many runs a second: two threads that add to one number, without reduction and with.

use std::time::Instant;

use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::{Check, Strategy, thread};

fn increments(threads: usize, times: usize) {
    let sum = Arc::new(AtomicUsize::new(0));
    let handles: Vec<_> = (0..threads)
        .map(|_| {
            let sum = Arc::clone(&sum);
            thread::spawn(move || {
                for _ in 0..times {
                    sum.fetch_add(1, SeqCst);
                }
            })
        })
        .collect();
    for handle in handles {
        handle.join().unwrap();
    }
}

fn main() {
    let times: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(9);
    for strategy in [Strategy::Every, Strategy::OptimalDpor] {
        let start = Instant::now();
        let report = Check::new().strategy(strategy).run(move || increments(2, times));
        let seconds = start.elapsed().as_secs_f64();
        println!("{strategy}: {} runs, {:.0} runs a second", report.runs(), report.runs() as f64 / seconds);
    }
}
