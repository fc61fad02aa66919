//! Chores of the project, as `cargo xtask CHORE`.

mod arguments;
mod commands;
mod compare;
mod fault;
mod goals;
mod guided;
mod modelled;
mod native;
mod nets;
mod oracle;
mod pages;
mod small;
mod stand;
mod tidy;

use crate::stand::Meets;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask CHORE

  oracle  [--programs N=10000] [--bounded N] [--commuting N] [--seed N=1] [--large] [--strategy NAME]
          every strategy against brute force, on random programs
  oracle  --native [--programs N=1000] [--seed N=1] [--way PART_OF_NAME]
          the same with programs in C and C++: compiled, instrumented, searched, and followed run by run
  show    FILE STRATEGY [--on-the-way]
          every run of a strategy on a small program in the oracle's language; with objects that runs meet on the way
  faults  [--programs N=1000] [--seed N=1]
          breaks the search in every way that is known, and sees that the oracle notices
  goals   [--raddle FILE] [--only U4,U9] [--program PART_OF_NAME]
          measures how the command shows things, on every program of the corpus
  pages   opens the report's pages in headless Chromium (installs Debian's package if it is missing)
  tidy    what the compiler does not check: file lengths, dependencies, words, documents
  corpus  [--replays N=1000]
          programs with known answers, each with every strategy
  nets    DIR
          the unfolder on a collection of nets with an expected.csv
  bench   [arguments of the benchmark]
          Raddle, loom and shuttle side by side
  bench   --patterns [--threads 2,10] [--runs N=10000] [--seeds N=20] [--only NAME] [--strategy NAME]
          runs to the first finding of each bug pattern, strategies side by side
  bench   --patterns --learning [RUNS=2000]
          what learning adds to the time and the instructions of a run
  bench   --patterns --pool SECONDS [STRATEGY=optimal-dpor]
          how far a strategy comes in the thread pool in so much time
  bench   --native [--raddle FILE] [--quick]
          C programs with known numbers of traces: runs a second, and the cost of instrumentation
  bench   --models [--max-time 10s] [--row PART_OF_TITLE] [--language rust|c] [--raddle FILE]
          the programs of Table 1 in Rust and C: strategies that build a model beside reduction
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    match arguments.first().map(String::as_str) {
        Some("oracle") => oracle::main(rest),
        Some("faults") => fault::main(rest),
        Some("tidy") => tidy::main(rest),
        Some("corpus") => commands::corpus(rest),
        Some("bench") => commands::bench(rest),
        Some("goals") => goals::main(rest),
        Some("nets") => nets::main(rest),
        Some("pages") => pages::main(rest),
        Some("show") => show(rest),
        Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{HELP}");
            ExitCode::from(2)
        }
    }
}

/// The root of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

fn show(arguments: &[String]) -> ExitCode {
    let (file, strategy, meets) = match arguments {
        [file, strategy] => (file, strategy, Meets::AtStart),
        [file, strategy, flag] if flag == "--on-the-way" => (file, strategy, Meets::OnTheWay),
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    let program = std::fs::read_to_string(file)
        .map_err(|error| format!("could not read {file}: {error}"))
        .and_then(|text| raddle_oracle::parse(&text).map_err(|error| format!("{file}: {error}")));
    let strategy = strategy.parse().map_err(|error: raddle_explore::UnknownStrategy| error.to_string());
    match (program, strategy) {
        (Ok(program), Ok(strategy)) => {
            compare::show(&program, strategy, meets);
            ExitCode::SUCCESS
        }
        (Err(problem), _) | (_, Err(problem)) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}
