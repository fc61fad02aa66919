//! C programs: how many runs a second, inline and forked, and what instrumentation costs without the tester.
//!
//! `cargo xtask bench --native [--raddle FILE] [--quick]`. Every program is compiled by `raddle cc` and searched to
//! exhaustion by `raddle check`, each in a process of its own; the known number of traces has to come out. Seconds are
//! CPU seconds of the command and everything it started. Plain and instrumented loops run in turn, so that a change of
//! the machine's load falls on both alike; only ratios within one table mean anything.

#[path = "../format.rs"]
mod format;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use format::{dash, duration, grouped};

/// A program with a known number of traces.
struct Program {
    title: &'static str,
    file: &'static str,
    defines: &'static [&'static str],
    traces: u64,
    /// The rate that is wanted, in runs a second: ten times the best peer's on a machine like ours, if that was measured.
    wanted: Option<u64>,
    /// Whether it takes more than a few seconds.
    long: bool,
}

const fn program(
    title: &'static str,
    file: &'static str,
    defines: &'static [&'static str],
    traces: u64,
    wanted: Option<u64>,
) -> Program {
    Program { title, file, defines, traces, wanted, long: traces > 50_000 }
}

const PROGRAMS: &[Program] = &[
    program("Indexer, 14 threads", "../../corpus/native/indexer_14.c", &[], 512, Some(16_000)),
    program("File System, 18 threads", "../../corpus/native/file_system_18.c", &[], 32, None),
    program("dining philosophers 4, twice", "dining.c", &["N=4"], 786, Some(44_000)),
    program("dining philosophers 5, twice", "dining.c", &["N=5"], 5_730, Some(48_000)),
    program("one lock, 4 threads × 2", "one_lock.c", &["N=4", "K=2"], 2_520, Some(100_000)),
    program("one lock, 4 threads × 3", "one_lock.c", &["N=4", "K=3"], 369_600, Some(80_000)),
    program("8 writers of one variable", "writers.c", &["N=8"], 40_320, Some(680_000)),
    program("parallel pi, 8 threads", "pi.c", &["N=8"], 40_320, Some(70_000)),
    // One lock orders everything, so a trace is who gets it, one after the other, and whom each signal wakes. Counted like
    // that, without any search, there are 33,192; those in which somebody takes the lock before who was woken are among
    // them. (With one item each and room for one there are 64.)
    program("bounded buffer, 2 × 2 × 2", "buffer.c", &[], 33_192, Some(18_000)),
    program("fib 5, main joins first", "fib.c", &["K=5"], 8_953, Some(150_000)),
    program("fib 4, main reads while they run", "fib.c", &["K=4", "EARLY"], 19_605, Some(430_000)),
    program("fib 5, main reads while they run", "fib.c", &["K=5", "EARLY"], 218_243, Some(320_000)),
    program("one writer, 14 readers", "readers.c", &["N=14"], 16_384, Some(150_000)),
    program("lastzero 10", "lastzero.c", &["N=10"], 3_328, Some(66_000)),
    // A loop that waits may see every change, so the number depends on how far loops are followed: here to their end.
    program("Dekker, two entries each", "dekker.c", &["K=2"], 125_676, Some(135_000)),
];

/// Loops whose cost without the tester is compared with plain code: file, and the factor that is allowed.
const LOOPS: &[(&str, f64)] = &[("shared_loop.c", 5.0), ("private_loop.c", 1.5)];

/// How often each loop is timed.
const ROUNDS: usize = 5;

struct Task {
    raddle: PathBuf,
    quick: bool,
}

fn main() -> ExitCode {
    let task = match arguments() {
        Ok(task) => task,
        Err(problem) => {
            eprintln!("native: {problem}\nusage: native [--raddle FILE] [--quick]");
            return ExitCode::from(2);
        }
    };
    let scratch = std::env::temp_dir().join(format!("raddle-bench-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&scratch) {
        eprintln!("native: could not make {}: {error}", scratch.display());
        return ExitCode::from(3);
    }
    let right = searches(&task, &scratch) & loops(&task, &scratch);
    if let Err(error) = std::fs::remove_dir_all(&scratch) {
        eprintln!("native: could not remove {}: {error}", scratch.display());
    }
    if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn arguments() -> Result<Task, String> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/raddle");
    let mut task = Task { raddle: built, quick: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => task.quick = true,
            "--raddle" => task.raddle = words.next().ok_or("--raddle needs a file")?.into(),
            other => return Err(format!("`{other}` is not known here")),
        }
    }
    match task.raddle.canonicalize() {
        Ok(raddle) => Ok(Task { raddle, ..task }),
        Err(_) => Err(format!(
            "there is no {}: run `cargo build --release --workspace` first",
            task.raddle.display()
        )),
    }
}

/// The source of a program of this benchmark.
fn source(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("native").join(file)
}

/// The table of searches; whether every count came out as it is known.
fn searches(task: &Task, scratch: &Path) -> bool {
    println!(
        "| program | traces | isolation | runs | blocked | CPU s | runs/s | wanted | reached | runs/s after the start |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut right = true;
    for program in PROGRAMS.iter().filter(|program| !(task.quick && program.long)) {
        let binary = scratch.join("program");
        if let Err(problem) = compile(task, program, &binary) {
            println!("| {} | {problem} |", program.title);
            right = false;
            continue;
        }
        right &= row(task, scratch, program, &binary, "inline");
        if program.title.ends_with("4 threads × 2") {
            let forked = Program { wanted: Some(2_000), ..*program };
            right &= row(task, scratch, &forked, &binary, "fork");
        }
    }
    right
}

fn compile(task: &Task, program: &Program, binary: &Path) -> Result<(), String> {
    let mut command = Command::new(&task.raddle);
    command.args(["cc", "-O1", "-pthread"]).arg(source(program.file)).arg("-o").arg(binary);
    command.args(program.defines.iter().map(|define| format!("-D{define}")));
    let status = command.status().map_err(|error| error.to_string())?;
    status.success().then_some(()).ok_or_else(|| format!("raddle cc: {status}"))
}

/// What a check says, and the CPU seconds that it took.
fn check(
    task: &Task,
    scratch: &Path,
    binary: &Path,
    isolation: &str,
    more: &[&str],
) -> Result<(String, f64), std::io::Error> {
    let before = cpu_of_children();
    let mut command = Command::new(&task.raddle);
    command.arg("check").arg(binary);
    command.args(["--strategy", "optimal-dpor", "--isolation", isolation, "--format", "json"]);
    command.args(more).current_dir(scratch).stderr(Stdio::null());
    let output = command.output()?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), cpu_of_children() - before))
}

fn row(task: &Task, scratch: &Path, program: &Program, binary: &Path, isolation: &str) -> bool {
    let one = check(task, scratch, binary, isolation, &["--max-runs", "1"]);
    let all = check(task, scratch, binary, isolation, &[]);
    let (output, cpu, start) = match (one, all) {
        (Ok((_, start)), Ok((output, cpu))) => (output, cpu, start),
        (Err(error), _) | (_, Err(error)) => {
            println!("| {} | could not start: {error} |", program.title);
            return false;
        }
    };
    let (runs, blocked) = (number(&output, "runs"), number(&output, "blocked"));
    let rate = runs.unwrap_or(0) as f64 / cpu;
    // A search of a few milliseconds is mostly the start of two processes.
    let steady = runs.unwrap_or(0).saturating_sub(1) as f64 / (cpu - start).max(1e-4);
    let shown = |number: Option<u64>| number.map_or_else(dash, grouped);
    let reached = program.wanted.map_or_else(dash, |wanted| format!("{:.2}", rate / wanted as f64));
    println!(
        "| {} | {} | {isolation} | {} | {} | {} | {} | {} | {reached} | {} |",
        program.title,
        grouped(program.traces),
        shown(runs),
        shown(blocked),
        duration(cpu),
        grouped(rate as u64),
        shown(program.wanted),
        grouped(steady as u64),
    );
    runs == Some(program.traces) && output.contains("\"exhausted\"")
}

/// The number behind a key of a JSON document; keys of this kind stand in it once.
fn number(json: &str, key: &str) -> Option<u64> {
    let rest = json.split(&format!("\"{key}\":")).nth(1)?.trim_start();
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

/// CPU seconds of all children that have ended and been waited for.
fn cpu_of_children() -> f64 {
    // SAFETY: all zeroes is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid place to write to.
    let failed = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    assert_eq!(failed, 0, "every Linux knows what children used");
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// What instrumented code costs without the tester; whether both programs print the same.
fn loops(task: &Task, scratch: &Path) -> bool {
    println!("\n| loop, without the tester | plain s | instrumented s | ratio | allowed |");
    println!("|---|---:|---:|---:|---:|");
    LOOPS.iter().fold(true, |right, (file, allowed)| {
        let (plain, ours) = (scratch.join("plain"), scratch.join("ours"));
        let build = |command: &mut Command, binary: &Path| {
            command.arg("-O2").arg(source(file)).arg("-o").arg(binary);
            command.status().is_ok_and(|status| status.success())
        };
        let built = build(&mut Command::new("clang-19"), &plain)
            && build(Command::new(&task.raddle).arg("cc"), &ours);
        if !built {
            println!("| {file} | could not be compiled |");
            return false;
        }
        let mut times = [Vec::new(), Vec::new()];
        let mut same = true;
        for _ in 0..ROUNDS {
            let outputs = [&plain, &ours].map(|binary| timed(binary));
            same &= outputs[0].1 == outputs[1].1 && !outputs[0].1.is_empty();
            times[0].push(outputs[0].0);
            times[1].push(outputs[1].0);
        }
        let [plain, ours] = times.map(median);
        println!(
            "| {file} | {} | {} | {:.2} | {allowed:.1} |",
            duration(plain),
            duration(ours),
            ours / plain
        );
        right && same
    })
}

/// CPU seconds of one run, and what it printed.
fn timed(binary: &Path) -> (f64, Vec<u8>) {
    let (before, start) = (cpu_of_children(), Instant::now());
    let output = Command::new(binary).output().map(|output| output.stdout).unwrap_or_default();
    let cpu = cpu_of_children() - before;
    // A clock of CPU time that did not move is too coarse for this run.
    (if cpu > 0.0 { cpu } else { start.elapsed().as_secs_f64() }, output)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
