//! The commands, one file each.

mod cc;
mod check;
mod compare;
mod completions;
mod doctor;
mod explain;
mod man;
mod nets;
mod replay;
mod report;
mod show_config;

use raddle_instrument::driver::Language;

use crate::arguments::{Command, SettingArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Settings, Sources};

/// Does what was asked for.
pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Nets(arguments) => nets::run(&arguments),
        Command::Cc(arguments) => cc::run(Language::C, &arguments.arguments),
        Command::Cpp(arguments) => cc::run(Language::Cpp, &arguments.arguments),
        Command::Doctor => doctor::run(),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::ShowConfig(arguments) => show_config::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man => man::run(),
    }
}

/// The settings as they are here and now.
fn settings(arguments: &SettingArguments) -> Result<Settings, Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::usage(format!("could not tell the current folder: {error}; change to one that exists"))
    })?;
    Settings::gather(&Sources {
        options: &arguments.options.0,
        profile: arguments.profile.as_deref(),
        environment: &|name| std::env::var(name).ok(),
        folder: &folder,
    })
}
