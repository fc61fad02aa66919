//! Chores that are other commands with the right arguments.

use std::ffi::OsStr;
use std::process::{Command, ExitCode};

use crate::arguments::Arguments;

/// `cargo xtask corpus`: programs with known answers, and every finding replayed many times.
pub fn corpus(arguments: &[String]) -> ExitCode {
    let mut arguments = Arguments::new(arguments);
    let replays = arguments.number("--replays", 1000);
    if let Err(problem) = arguments.finish() {
        eprintln!("{problem}");
        return ExitCode::from(2);
    }
    let mut command =
        cargo(&["test", "--release", "--package", "raddle", "--test", "corpus", "--test", "known_answers"]);
    command.env("RADDLE_CORPUS_REPLAYS", replays.to_string());
    run(command)
}

/// `cargo xtask bench`: Raddle, loom and shuttle side by side; with `--native`, C programs; with
/// `--models`, the strategies that build a model.
pub fn bench(arguments: &[String]) -> ExitCode {
    if let Some(("--patterns", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        let mut command = cargo(&["run", "--quiet", "--release", "--package", "raddle-patterns", "--"]);
        command.args(rest);
        return run(command);
    }
    let manifest = crate::root().join("bench/Cargo.toml");
    let (binary, rest) = match arguments.split_first() {
        Some((first, rest)) if first == "--native" => ("native", rest),
        Some((first, rest)) if first == "--models" => ("models", rest),
        _ => ("raddle-bench", arguments),
    };
    let mut command = cargo(&["run", "--quiet", "--release", "--bin", binary, "--manifest-path"]);
    command.arg(manifest).arg("--").args(rest);
    run(command)
}

/// Builds the command with its compiler plugin and its runtime, as users have it.
pub fn build_command() -> Result<(), String> {
    let status = cargo(&["build", "--quiet", "--release", "--package", "raddle-cli"]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("the command `raddle` does not build, see above".to_owned()),
        Err(error) => Err(format!("could not start cargo: {error}")),
    }
}

fn cargo<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

fn run(mut command: Command) -> ExitCode {
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("could not start cargo: {error}");
            ExitCode::from(3)
        }
    }
}
