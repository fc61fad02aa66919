//! What learning costs: the same random runs with and without it, by the clock and by the instructions.

use std::process::{Command, ExitCode};

use raddle_patterns::{CORRECT, Learning, learning_overhead, make_runs};

/// A program without a bug, so that all runs are learned from.
struct Sample {
    name: &'static str,
    run: fn(),
}

const SAMPLES: [Sample; 3] = [
    Sample { name: "thread pool, three workers", run: || CORRECT.day() },
    Sample { name: "counter, two threads", run: || correct_counter(2) },
    Sample { name: "counter, ten threads", run: || correct_counter(10) },
];

/// Threads that add to one counter.
fn correct_counter(threads: usize) {
    use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    let counter = AtomicUsize::new(0);
    raddle::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| counter.fetch_add(1, SeqCst));
        }
    });
}

/// `--learning [RUNS]`, and, for valgrind, `--learning only SAMPLE RUNS yes|no`.
pub(crate) fn main(words: &[String]) -> ExitCode {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["only", sample, runs, learning] = words[..] {
        return only(sample, runs, if learning == "yes" { Learning::Yes } else { Learning::No });
    }
    let runs: u64 = words.first().and_then(|runs| runs.parse().ok()).unwrap_or(2000);
    println!("| program | time | instructions |\n|---|---:|---:|");
    for (number, sample) in SAMPLES.iter().enumerate() {
        let time = 100.0 * learning_overhead(runs, &sample.run);
        let instructions = extra_instructions(number, runs)
            .map_or_else(|| "no valgrind".to_owned(), |extra| format!("+{:.1} %", 100.0 * extra));
        println!("| {} | {time:+.1} % | {instructions} |", sample.name);
    }
    ExitCode::SUCCESS
}

fn only(sample: &str, runs: &str, learning: Learning) -> ExitCode {
    let sample = sample.parse().ok().and_then(|number: usize| SAMPLES.get(number));
    let (Some(sample), Ok(runs)) = (sample, runs.parse()) else { return ExitCode::from(2) };
    make_runs(runs, learning, &sample.run);
    ExitCode::SUCCESS
}

/// The part of the instructions of a run that learning adds; nothing if they cannot be counted. What comes before the
/// first run is left out by counting twice.
fn extra_instructions(sample: usize, runs: u64) -> Option<f64> {
    let few = (runs / 10).max(1);
    let count = |learning: &str| {
        let all = instructions(sample, runs, learning)?;
        Some((all - instructions(sample, few, learning)?) / (runs - few).max(1) as f64)
    };
    Some(count("yes")? / count("no")? - 1.0)
}

fn instructions(sample: usize, runs: u64, learning: &str) -> Option<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args(["--learning", "only", &sample.to_string(), &runs.to_string(), learning])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected = text.lines().find_map(|line| line.split_once("Collected :"))?.1;
    collected.trim().parse().ok()
}
