//! Table 1 of Kähkönen and Heljanko rebuilt: the strategies side by side on the programs of `corpus/models`, in Rust and
//! in C.
//!
//! `cargo xtask bench --models [--max-time 10s] [--row TEXT] [--language rust|c] [--raddle FILE]`. Writes tables in
//! Markdown to the standard output. Every cell is a process of its own; seconds are CPU seconds and memory is the most that
//! it had, with everything that it started. All cells of a row run one after the other, so that a change of the machine's
//! load falls on all of them alike: only ratios within one row mean anything. In one process the search could also be
//! slowed down by what another left behind.

mod cell;
#[path = "../../format.rs"]
mod format;
#[path = "../../../../corpus/models/programs.rs"]
#[expect(dead_code, reason = "the figures of the paper are tests")]
mod programs;
mod rows;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use cell::{Answer, Column};
use format::{dash, grouped};
use rows::{ROWS, Row};

/// In which language the programs are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Rust,
    C,
}

/// What is to be done.
struct Task {
    limit: Duration,
    row: Option<String>,
    language: Option<Language>,
    raddle: PathBuf,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, row, column, limit] = &words[..]
        && flag == "--cell"
    {
        return cell::run_here(row, column, limit);
    }
    match task(&words) {
        Ok(task) => table(&task),
        Err(problem) => {
            eprintln!(
                "models: {problem}\nusage: models [--max-time SECONDS] [--row TEXT] [--language rust|c] [--raddle FILE]"
            );
            ExitCode::from(2)
        }
    }
}

fn task(words: &[String]) -> Result<Task, String> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/raddle");
    let mut task = Task { limit: Duration::from_secs(10), row: None, language: None, raddle: built };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--max-time" => {
                let seconds = value
                    .trim_end_matches('s')
                    .parse()
                    .map_err(|_| format!("--max-time takes seconds, as in `10s`, not `{value}`"))?;
                task.limit = Duration::from_secs(seconds);
            }
            "--row" => task.row = Some(value.clone()),
            "--language" if value == "rust" => task.language = Some(Language::Rust),
            "--language" if value == "c" => task.language = Some(Language::C),
            "--raddle" => task.raddle = value.into(),
            _ => return Err(format!("`{word} {value}` is not known here")),
        }
    }
    if task.language != Some(Language::Rust) {
        task.raddle = task.raddle.canonicalize().map_err(|_| {
            let shown = task.raddle.display();
            format!(
                "there is no {shown}: run `cargo build --release --workspace` first, or take --language rust"
            )
        })?;
    }
    Ok(task)
}

fn table(task: &Task) -> ExitCode {
    let scratch = std::env::temp_dir().join(format!("raddle-models-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&scratch) {
        eprintln!("models: could not make {}: {error}", scratch.display());
        return ExitCode::from(3);
    }
    let wanted = |row: &&Row| task.row.as_ref().is_none_or(|text| row.title.contains(text.as_str()));
    for language in [Language::Rust, Language::C] {
        if task.language.is_some_and(|only| only != language) {
            continue;
        }
        let answers: Vec<(&Row, Vec<Answer>)> =
            ROWS.iter().filter(wanted).map(|row| (row, cell::all(task, language, row, &scratch))).collect();
        print_runs(language, &answers);
        print_sizes(&answers);
    }
    if let Err(error) = std::fs::remove_dir_all(&scratch) {
        eprintln!("models: could not remove {}: {error}", scratch.display());
    }
    ExitCode::SUCCESS
}

/// Runs, CPU seconds and memory of all columns, and how much quicker the unfolding is than running every trace.
fn print_runs(language: Language, answers: &[(&Row, Vec<Answer>)]) {
    let titles: Vec<&str> = Column::ALL.iter().map(|column| column.title()).collect();
    println!("\n### {language:?}\n");
    println!("| program | {} | unfolding is |", titles.join(" | "));
    println!("|---|{}---:|", "---:|".repeat(titles.len()));
    for (row, cells) in answers {
        let shown: Vec<String> = cells.iter().map(Answer::shown).collect();
        println!("| {} | {} | {} |", row.title, shown.join(" | "), quicker(cells));
    }
}

/// How much quicker, or slower, the unfolding is than `optimal-dpor`. One that was stopped took at least its time.
fn quicker(cells: &[Answer]) -> String {
    let of = |wanted: Column| Column::ALL.iter().position(|column| *column == wanted).map(|at| &cells[at]);
    let (Some(every), Some(model)) = (of(Column::OptimalDpor), of(Column::Unfolding)) else { return dash() };
    if !every.ended() && !model.ended() {
        return dash();
    }
    let ratio = every.seconds / model.seconds.max(0.001);
    let (factor, word) = if ratio >= 1.0 { (ratio, "quicker") } else { (1.0 / ratio, "slower") };
    let bound = if every.ended() && model.ended() { "" } else { "at least " };
    format!("{bound}{factor:.1} × {word}")
}

/// The sizes of the models of the unfolding, with and without matching of values, and the markings of the other strategy.
fn print_sizes(answers: &[(&Row, Vec<Answer>)]) {
    println!(
        "\n| program | places | transitions | events | terminals | markings | match values: places | transitions | events |"
    );
    println!("|---|{}", "---:|".repeat(8));
    for (row, cells) in answers {
        let number = |wanted: Column, key: &str| {
            let at = Column::ALL.iter().position(|column| *column == wanted);
            let known = at.and_then(|at| cells[at].size(key));
            known.map_or_else(dash, grouped)
        };
        let sizes = [
            number(Column::Unfolding, "places"),
            number(Column::Unfolding, "transitions"),
            number(Column::Unfolding, "events"),
            number(Column::Unfolding, "terminals"),
            number(Column::StatefulNaive, "markings"),
            number(Column::MatchValues, "places"),
            number(Column::MatchValues, "transitions"),
            number(Column::MatchValues, "events"),
        ];
        println!("| {} | {} |", row.title, sizes.join(" | "));
    }
}
