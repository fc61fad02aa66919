//! What can be typed.

use clap::{Args, Parser, Subcommand};

use crate::exit::Exit;
use crate::settings::options::SettingOptions;

/// Finds concurrency bugs: runs a program again and again, and chooses each time who goes next.
#[derive(Parser, Debug)]
#[command(name = "raddle", version, after_help = Exit::table(), max_term_width = 100)]
#[command(disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Says at length what an exit code or a word of a report means
    Explain(Explain),
    /// Shows every setting, and where its value came from
    ShowConfig(ShowConfig),
    /// Writes completions for a shell to stdout
    Completions(Completions),
    /// Writes the manual page to stdout
    Man,
}

/// `raddle explain`.
#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// An exit code, or one of: scope, limits, strategies
    pub(crate) topic: String,
}

/// The settings, and from which profile of raddle.toml they come.
#[derive(Args, Debug)]
pub(crate) struct SettingArguments {
    /// The profile of raddle.toml: default or ci
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Everything else.
    #[command(flatten)]
    pub(crate) options: SettingOptions,
}

/// `raddle show-config`.
#[derive(Args, Debug)]
pub(crate) struct ShowConfig {
    /// What would be set.
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
}

/// `raddle completions`.
#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
