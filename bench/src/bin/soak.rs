//! One long search: how many runs a second, and whether the memory stays flat.
//!
//! `cargo run --release --bin soak [STRATEGY] [OPERATIONS] [RUNS]`, in this folder: two threads, each with so many
//! operations on one atomic.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::{Check, Strategy, thread};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize, default: &str| words.get(at).cloned().unwrap_or_else(|| default.to_owned());
    let strategy: Strategy = match word(0, "random").parse() {
        Ok(strategy) => strategy,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let (Ok(operations), Ok(runs)) = (word(1, "4").parse(), word(2, "10000000").parse()) else {
        eprintln!("usage: soak [STRATEGY] [OPERATIONS] [RUNS], the last two as whole numbers");
        return ExitCode::from(2);
    };
    soak(strategy, operations, runs);
    ExitCode::SUCCESS
}

fn soak(strategy: Strategy, operations: usize, max_runs: u64) {
    let begun = AtomicU64::new(0);
    let start = Instant::now();
    let report = Check::new().strategy(strategy).max_runs(max_runs).run(|| {
        let number = begun.fetch_add(1, Ordering::Relaxed) + 1;
        if number == 10_000 || number.is_multiple_of(max_runs / 5) {
            println!("run {number}: {} KiB", resident_kib());
        }
        let sum = Arc::new(AtomicUsize::new(0));
        let threads = [(); 2].map(|()| {
            let sum = Arc::clone(&sum);
            thread::spawn(move || {
                for _ in 0..operations {
                    sum.fetch_add(1, SeqCst);
                }
            })
        });
        for thread in threads {
            thread.join().expect("an adder does not panic");
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let rate = report.runs() as f64 / seconds;
    println!(
        "{strategy}, 2 × {operations}: {} runs, {rate:.0} runs a second, {}",
        report.runs(),
        report.verdict()
    );
}

/// Memory in use, from the kernel.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}
