//! Table 1 of Kähkönen and Heljanko rebuilt: the strategies side by side on the programs of `corpus/models`.
//!
//! Writes a table in Markdown to the standard output. `--max-time 60s` limits every cell; a cell that was stopped has a
//! dash.

#[path = "../../../corpus/models/programs.rs"]
mod programs;

use std::time::{Duration, Instant};

use raddle::{Check, Strategy};

/// A row: its title, and the program.
type Row = (&'static str, fn());

const ROWS: &[Row] = &[
    ("Fib 1", || programs::fib(4)),
    ("Fib 2", || programs::fib(5)),
    ("Filesystem 1", || programs::filesystem(14)),
    ("Filesystem 2", || programs::filesystem(18)),
    ("Dining 1 (4)", || programs::dining(4, 2)),
    ("Dining 2 (5)", || programs::dining(5, 2)),
    ("Dining 3 (6)", || programs::dining(6, 2)),
    ("Dining 4 (7)", || programs::dining(7, 2)),
    ("Dining (10)", || programs::dining(10, 2)),
    ("Szymanski", || programs::szymanski(3)),
    ("Locking 1 (4 × 2)", || programs::locking(4, 0)),
    ("Locking 2 (4 × 2 + 1)", || programs::locking(4, 1)),
    ("Locking 3 (5 × 2)", || programs::locking(5, 0)),
    ("Locking, writes (8 × 2)", || programs::locking_writes(8, 2)),
    ("Updater", || programs::updater(2, 3)),
    ("Writes (4 × 3)", || programs::writes(4, 3)),
    ("Synthetic 1", || programs::synthetic(1, 3, 5)),
    ("Synthetic 2", || programs::synthetic(2, 3, 6)),
    ("Synthetic 3", || programs::synthetic(3, 4, 5)),
];

/// A column: the strategy, and whether cells are matched by value.
const COLUMNS: &[(Strategy, bool)] = &[
    (Strategy::UnfoldingStateless, false),
    (Strategy::OptimalDpor, false),
    (Strategy::StatefulNaive, false),
    (Strategy::Unfolding, false),
    (Strategy::Unfolding, true),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| arguments.iter().position(|known| known == name).map(|at| arguments.get(at + 1));
    let seconds = value("--max-time").flatten().and_then(|text| text.trim_end_matches('s').parse().ok());
    let only = value("--row").flatten();
    let limit = Duration::from_secs(seconds.unwrap_or(30));
    println!("| program | unfolding-stateless | optimal-dpor | stateful-naive | unfolding | unfolding, match values | places | transitions | events | terminals |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (title, program) in ROWS.iter().filter(|(title, _)| only.is_none_or(|only| title.contains(only))) {
        row(title, *program, limit);
    }
}

fn row(title: &str, program: fn(), limit: Duration) {
    let mut line = format!("| {title} ");
    let mut sizes = String::from("| – | – | – | – |");
    for &(strategy, by_value) in COLUMNS {
        let start = Instant::now();
        let report = Check::new()
            .strategy(strategy)
            .match_values(by_value)
            .max_time(limit)
            .out(std::env::temp_dir())
            .run(program);
        let seconds = start.elapsed().as_secs_f64();
        let beyond = strategy != Strategy::OptimalDpor && report.model().is_none();
        line += &match report.verdict() {
            _ if beyond => format!("| – ({seconds:.2} s) "),
            "exhausted" => format!("| {} ({seconds:.2} s) ", report.runs()),
            verdict => format!("| {verdict} ({seconds:.1} s) "),
        };
        if let (Strategy::Unfolding, false, Some(model)) = (strategy, by_value, report.model()) {
            sizes = format!(
                "| {} | {} | {} | {} |",
                model.places, model.transitions, model.events, model.terminals
            );
        }
        eprintln!("{title}, {strategy}: {} {} {seconds:.2}", report.verdict(), report.runs());
    }
    println!("{line}{sizes}");
}
