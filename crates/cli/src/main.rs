//! The command `raddle`: arguments, configuration, progress, exit codes. The only place that prints or exits.
//!
//! `arguments.rs` says what can be typed, `settings.rs` what can be set and where it came from, `commands/` has one file per
//! command, `exit.rs` the exit codes, `output.rs` everything that is printed.

mod arguments;
mod commands;
mod compile;
mod events;
mod exit;
mod failure;
mod github;
mod listing;
mod output;
mod panics;
mod progress;
mod record;
#[cfg(test)]
mod reference;
mod refusal;
mod scratch;
mod settings;
mod sources;
mod store;
mod suggest;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;
use crate::exit::Exit;

fn main() -> ExitCode {
    panics::guarded(run).into()
}

fn run() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are results, the rest is not; that nobody reads them is no failure.
            let _ = error.print();
            if !error.use_stderr() {
                return Exit::Good;
            }
            refusal::tell(Exit::Usage, &error.to_string());
            return Exit::Usage;
        }
    };
    match commands::run(arguments.command) {
        Ok(exit) => exit,
        Err(failure) => {
            match failure.text.strip_prefix('\n') {
                // A report of several lines speaks for itself.
                Some(report) => output::say(report),
                None if failure.text.is_empty() => {}
                None => output::say(&format!("raddle: {}", failure.text)),
            }
            refusal::tell(failure.exit, &failure.text);
            failure.exit
        }
    }
}
