//! The command line.

use crate::cell::{Caps, TESTERS, Tester};
use crate::models::{MODELS, Model};
use std::time::Duration;

/// What `--help` prints.
pub const HELP: &str = "\
Runs Raddle, loom and shuttle on the same programs and prints a table.

Usage: raddle-bench [OPTIONS]

  --seconds S       time cap per cell, in seconds (default 10)
  --max-runs N      cap on the runs of a cell (default 100000000)
  --format F        markdown (default) or csv
  --model NAME      only this program; may be repeated
  --tester NAME     only this tester; may be repeated
  --list            print the names of programs and testers
  --help            print this text
";

/// What is to be done.
pub enum Task {
    /// Print the help text.
    Help,
    /// Print the names.
    List,
    /// Run one cell in this process; the benchmark starts itself so.
    Cell { tester: Tester, model: &'static Model, caps: Caps },
    /// Run the table.
    Table { testers: Vec<Tester>, models: Vec<&'static Model>, caps: Caps, format: Format },
}

/// How the table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Csv,
}

/// Reads the arguments that follow the program's name; the error is a sentence for the user.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Task, String> {
    let mut arguments = arguments.into_iter();
    let mut caps = Caps { time: Duration::from_secs(10), runs: 100_000_000 };
    let mut format = Format::Markdown;
    let (mut testers, mut models) = (Vec::new(), Vec::new());
    let mut cell = None;
    while let Some(flag) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{flag} needs a value"));
        match flag.as_str() {
            "--help" | "-h" => return Ok(Task::Help),
            "--list" => return Ok(Task::List),
            "--seconds" => caps.time = seconds(&value()?)?,
            "--max-runs" => caps.runs = runs(&value()?)?,
            "--format" => format = self::format(&value()?)?,
            "--model" => models.push(model(&value()?)?),
            "--tester" => testers.push(tester(&value()?)?),
            "--cell" => cell = Some((tester(&value()?)?, model(&value()?)?)),
            _ => return Err(format!("unknown argument {flag:?}")),
        }
    }
    if let Some((tester, model)) = cell {
        return Ok(Task::Cell { tester, model, caps });
    }
    if testers.is_empty() {
        testers.extend_from_slice(TESTERS);
    }
    if models.is_empty() {
        models.extend(MODELS);
    }
    Ok(Task::Table { testers, models, caps, format })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wanted = || format!("--seconds takes a number above 0 and up to 86400, not {text:?}");
    let number: f64 = text.parse().map_err(|_| wanted())?;
    // Also false for NaN.
    if number > 0.0 && number <= 86_400.0 { Ok(Duration::from_secs_f64(number)) } else { Err(wanted()) }
}

fn runs(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("--max-runs takes a whole number above 0, not {text:?}")),
    }
}

fn format(text: &str) -> Result<Format, String> {
    match text {
        "markdown" => Ok(Format::Markdown),
        "csv" => Ok(Format::Csv),
        _ => Err(format!("--format takes markdown or csv, not {text:?}")),
    }
}

fn model(text: &str) -> Result<&'static Model, String> {
    let found = MODELS.iter().find(|model| model.name == text);
    found.ok_or_else(|| format!("there is no program {text:?}; --list names them"))
}

fn tester(text: &str) -> Result<Tester, String> {
    let found = TESTERS.iter().find(|tester| tester.name() == text);
    found.copied().ok_or_else(|| format!("this build has no tester {text:?}; --list names them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str) -> String {
        parse(line.split_whitespace().map(str::to_owned)).err().unwrap_or_default()
    }

    #[test]
    fn bad_arguments_are_named() {
        assert_eq!(error("--fast"), "unknown argument \"--fast\"");
        assert_eq!(error("--seconds"), "--seconds needs a value");
        assert_eq!(error("--seconds -1"), "--seconds takes a number above 0 and up to 86400, not \"-1\"");
        assert_eq!(error("--seconds NaN"), "--seconds takes a number above 0 and up to 86400, not \"NaN\"");
        assert_eq!(error("--max-runs 0"), "--max-runs takes a whole number above 0, not \"0\"");
        assert_eq!(error("--format xml"), "--format takes markdown or csv, not \"xml\"");
        assert_eq!(error("--model x"), "there is no program \"x\"; --list names them");
        assert_eq!(error("--cell loom"), "--cell needs a value");
    }

    #[test]
    fn without_arguments_everything_is_run() {
        match parse([]) {
            Ok(Task::Table { testers, models, .. }) => {
                assert_eq!((testers.len(), models.len()), (TESTERS.len(), MODELS.len()));
            }
            _ => panic!("not a table"),
        }
    }
}
