//! `cargo xtask nets DIR`: the unfolder on a collection of nets whose prefixes are known.
//!
//! `DIR/expected.csv` has a line for each net: sizes of the net, of its prefix in two orders, reachable markings, deadlocks.
//! Nets with read arcs have the sizes of contextual prefixes there, which is another construction; of them the reader
//! and the reachable markings are checked.

use std::path::Path;
use std::process::{Command, ExitCode};

use raddle_nets::format::{self, Source};
use raddle_nets::{Limits, Order, Unfolder, reachable};

/// Nets up to so many reachable markings are also searched one marking after the other.
const MAX_MARKINGS: usize = 3_000;
/// Prefixes up to so many events, and nets up to so many deadlocks, have all their deadlocks listed.
const MAX_EVENTS: usize = 20_000;
const MAX_DEADLOCKS: usize = 100;

/// How often each of the nets with a budget is measured.
const MEASUREMENTS: usize = 5;

/// What the large nets may cost: seconds of processor time, and megabytes.
const BUDGET: &[(&str, f64, f64)] = &[
    ("plain/med/dme11.ll_net", 0.3, 100.0),
    ("plain/large/key_4.ll_net", 1.0, 150.0),
    ("plain/large/furnace_4.ll_net", 4.0, 500.0),
];

pub fn main(arguments: &[String]) -> ExitCode {
    match arguments {
        [folder] => check(Path::new(folder)),
        [flag, file] if flag == "--measure" => measure(Path::new(file)),
        _ => {
            eprintln!("cargo xtask nets DIR, where DIR has an expected.csv and the nets that it names");
            ExitCode::from(2)
        }
    }
}

fn check(folder: &Path) -> ExitCode {
    let list = folder.join("expected.csv");
    let text = match std::fs::read_to_string(&list) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("could not read {}: {error}", list.display());
            return ExitCode::from(2);
        }
    };
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let mut count = Count::default();
    for line in lines {
        let row = Row { columns: &columns, cells: line.split(',').collect() };
        check_row(folder, &row, &mut count);
    }
    let is_within = budget(folder);
    println!(
        "prefixes: {} in 2 orders; markings of {} nets and deadlocks of {} nets compared as well",
        count.prefixes, count.markings, count.deadlocks
    );
    println!("{} passed, {} failed", count.passed, count.failed);
    if count.failed == 0 && count.passed > 0 && is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    prefixes: usize,
    markings: usize,
    deadlocks: usize,
}

/// A line of the list.
struct Row<'a> {
    columns: &'a [&'a str],
    cells: Vec<&'a str>,
}

impl Row<'_> {
    fn cell(&self, column: &str) -> &str {
        let at = self.columns.iter().position(|name| *name == column);
        at.and_then(|at| self.cells.get(at).copied()).unwrap_or("")
    }

    fn number(&self, column: &str) -> Option<usize> {
        self.cell(column).parse().ok()
    }

    /// Conditions, events and cut-offs in an order, if the list has them.
    fn prefix(&self, order: &str) -> Option<[usize; 3]> {
        let part = |name: &str| self.number(&format!("{order}_{name}"));
        Some([part("conditions")?, part("events")?, part("cutoffs")?])
    }
}

fn check_row(folder: &Path, row: &Row<'_>, count: &mut Count) {
    let file = row.cell("file");
    let problems = match read(&folder.join(file)) {
        Ok(source) => compare(&source, row, count),
        Err(problem) => vec![problem],
    };
    if problems.is_empty() {
        count.passed += 1;
    } else {
        count.failed += 1;
        problems.iter().for_each(|problem| println!("{file}: {problem}"));
    }
}

fn read(path: &Path) -> Result<Source, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("could not be read: {error}"))?;
    format::read(&bytes).map_err(|error| error.to_string())
}

fn compare(source: &Source, row: &Row<'_>, count: &mut Count) -> Vec<String> {
    let mut problems = Vec::new();
    let net = &source.net;
    let read_arcs = row.number("read_arcs").unwrap_or(0);
    let has = [net.places().len(), net.transitions().len(), net.arc_count() - 2 * read_arcs];
    let wanted = ["places", "transitions", "arcs"].map(|column| row.number(column).unwrap_or(0));
    expect("places, transitions, arcs", wanted, has, &mut problems);
    let markings = row.number("reachable_markings");
    if let Some(wanted) = markings.filter(|&markings| markings <= MAX_MARKINGS) {
        count.markings += 1;
        match reachable(net, MAX_MARKINGS + 1) {
            Ok(reached) => expect("reachable markings", wanted, reached.markings.len(), &mut problems),
            Err(stop) => problems.push(stop.to_string()),
        }
    }
    if read_arcs > 0 {
        return problems;
    }
    count.prefixes += 1;
    for order in [Order::Erv, Order::Mole] {
        let mut prefix = Unfolder::of_net(net, order, Limits::default());
        if let Err(stop) = prefix.complete() {
            problems.push(format!("{}: {stop}", order.name()));
            continue;
        }
        if let Some(wanted) = row.prefix(order.name()) {
            let has = [prefix.condition_count(), prefix.event_count(), prefix.cut_off_count()];
            expect(&format!("{}: conditions, events, cut-offs", order.name()), wanted, has, &mut problems);
        }
        let deadlocks = row.number("deadlocks").filter(|&deadlocks| deadlocks <= MAX_DEADLOCKS);
        if order == Order::Erv
            && let Some(wanted) = deadlocks
            && prefix.event_count() <= MAX_EVENTS
        {
            count.deadlocks += 1;
            let found = prefix.deadlocks().take(MAX_DEADLOCKS + 1).filter(Result::is_ok).count();
            expect("deadlocks", wanted, found, &mut problems);
        }
    }
    problems
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, wanted: T, has: T, problems: &mut Vec<String>) {
    if wanted != has {
        problems.push(format!("{what}: expected {wanted:?}, got {has:?}"));
    }
}

/// Measures the nets that have a budget, each in a process of its own, and says what they cost.
fn budget(folder: &Path) -> bool {
    let mut is_within = true;
    for &(file, seconds, megabytes) in BUDGET {
        let path = folder.join(file);
        if !path.exists() {
            continue;
        }
        let Some((used_seconds, used_megabytes)) = least(&path) else {
            println!("{file}: could not be measured");
            is_within = false;
            continue;
        };
        let holds = used_seconds <= seconds && used_megabytes <= megabytes;
        is_within &= holds;
        println!(
            "{file}: {used_seconds:.2} s of processor time, the least of {MEASUREMENTS} (budget {seconds} s), {used_megabytes:.0} MB (budget \
             {megabytes} MB){}",
            if holds { "" } else { ": OVER BUDGET" }
        );
    }
    is_within
}

/// Seconds and megabytes of one net: the least of some runs, because what else the machine does only adds to both.
fn least(path: &Path) -> Option<(f64, f64)> {
    let program = std::env::current_exe().ok()?;
    let mut least = None;
    for _ in 0..MEASUREMENTS {
        let output = Command::new(&program).arg("nets").arg("--measure").arg(path).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [seconds, megabytes] = numbers[..] else { return None };
        let (old_seconds, old_megabytes) = least.unwrap_or((f64::INFINITY, f64::INFINITY));
        least = Some((seconds.min(old_seconds), megabytes.min(old_megabytes)));
    }
    least
}

/// Unfolds one net and prints the processor time in seconds and the most memory in megabytes.
fn measure(file: &Path) -> ExitCode {
    let source = match read(file) {
        Ok(source) => source,
        Err(problem) => {
            println!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    let before = processor_seconds();
    let mut prefix = Unfolder::of_net(&source.net, Order::Erv, Limits::default());
    if let Err(stop) = prefix.complete() {
        println!("{stop}");
        return ExitCode::FAILURE;
    }
    println!("{} {}", processor_seconds() - before, peak_megabytes());
    ExitCode::SUCCESS
}

/// The time that this process has been on a processor, as Linux counts it.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds: f64 =
        text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN);
    nanoseconds / 1e9
}

/// The most memory that this process has had at once, as Linux counts it.
fn peak_megabytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: f64 =
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(f64::NAN);
    kilobytes / 1024.0
}
