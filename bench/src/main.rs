//! Runs Raddle, loom and shuttle side by side on the same programs and prints a table.
//!
//! Every cell of the table is a process of its own (`child`, `cell`), so that one tester's explosion cannot hurt
//! another's measurement. Cells run one after the other, and all testers of one program in turn, so that a change
//! of the machine's load falls on all of them alike. Only ratios within one table mean anything.

mod answer;
mod arguments;
mod cell;
mod child;
mod format;
mod measure;
mod models;
mod table;

use arguments::{Format, HELP, Task};
use cell::{Caps, TESTERS, Tester};
use models::{MODELS, Model};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use table::Row;

/// The exit code for arguments that make no sense.
const BAD_ARGUMENTS: u8 = 2;

fn main() -> ExitCode {
    match arguments::parse(std::env::args().skip(1)) {
        Ok(Task::Help) => print(HELP),
        Ok(Task::List) => print(&names()),
        Ok(Task::Cell { tester, model, caps }) => {
            cell::run(tester, model.name, caps);
            ExitCode::SUCCESS
        }
        Ok(Task::Table { testers, models, caps, format }) => whole_table(&testers, &models, caps, format),
        Err(error) => {
            eprintln!("raddle-bench: {error}\n\n{HELP}");
            ExitCode::from(BAD_ARGUMENTS)
        }
    }
}

fn whole_table(testers: &[Tester], models: &[&'static Model], caps: Caps, format: Format) -> ExitCode {
    let row = |model: &'static Model| {
        let answers = testers.iter().map(|&tester| {
            // A full table takes minutes, and its rows come only at the end.
            eprintln!("{} on {}", tester.name(), model.name);
            (tester, child::run(tester, model.name, caps))
        });
        Row { model, answers: answers.collect() }
    };
    let rows: Vec<Row> = models.iter().map(|model| row(model)).collect();
    print(&table::write(&rows, format))
}

fn names() -> String {
    let models = MODELS.iter().map(|model| format!("{:<20}{}\n", model.name, model.title));
    let testers = TESTERS.iter().map(|tester| format!("{}\n", tester.name()));
    format!("Programs:\n{}\nTesters:\n{}", models.collect::<String>(), testers.collect::<String>())
}

/// Writes to the standard output; a reader that has gone away had enough, which is no failure.
fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("raddle-bench: could not write: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
