//! What can be typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use raddle_report::Style;
use raddle_trace::ThreadId;

use crate::exit::Exit;
use crate::output::style;
use crate::settings::options::{CompareOptions, SearchOptions, SettingOptions};

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
    /// Checks a C or C++ program with every interleaving of its threads that matters
    Check(Check),
    /// Makes a finding happen again
    Replay(Replay),
    /// Says where the page of a finding or of the last check is, and opens it
    Report(Report),
    /// Searches programs with several strategies and puts the numbers side by side
    Compare(Compare),
    /// Petri nets: unfolds those of files (.ll_net, PNML, DOT), finds their deadlocks, makes them of programs
    Nets(Nets),
    /// Says at length what a finding, an exit code or a word of a report means
    Explain(Explain),
    /// Compiles C for raddle: takes the arguments of clang, as in make CC="raddle cc"
    #[command(disable_help_flag = true)]
    Cc(Compiler),
    /// Compiles C++ for raddle: takes the arguments of clang++
    #[command(name = "c++", disable_help_flag = true)]
    Cpp(Compiler),
    /// Says what this machine lacks
    Doctor,
    /// Shows every setting, and where its value came from
    ShowConfig(ShowConfig),
    /// Writes completions for a shell to stdout
    Completions(Completions),
    /// Writes the manual page to stdout
    Man,
}

/// How much of a finding is shown.
#[derive(Args, Debug)]
pub(crate) struct View {
    /// Shows every step, however many lines it takes
    #[arg(long)]
    pub(crate) full: bool,
    /// Uses as many columns as it takes
    #[arg(long)]
    pub(crate) wide: bool,
    /// Shows only these threads, as in 1,3
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..128))]
    pub(crate) thread: Vec<u8>,
}

impl View {
    /// What the place where it is shown can do, and what was asked for.
    pub(crate) fn style(&self) -> Style {
        let mut style = style();
        style.full = self.full;
        if self.wide {
            style.width = WIDE;
        }
        for number in &self.thread {
            style.only.insert(ThreadId::new(usize::from(*number)));
        }
        style
    }
}

/// More columns than anybody has.
const WIDE: usize = 400;

/// `raddle check`.
#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The source files of one program, or a binary built by `raddle cc`; without it, the programs of raddle.toml
    #[arg(value_name = "PROGRAM")]
    pub(crate) programs: Vec<PathBuf>,
    /// Goes on with a search that a limit or Ctrl-C stopped: `latest`, or the folder in which it is kept
    #[arg(long, value_name = "WHICH", conflicts_with_all = ["programs", "arguments"])]
    pub(crate) resume: Option<String>,
    /// The settings.
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    /// How much is shown.
    #[command(flatten)]
    pub(crate) view: View,
    /// The program's own arguments, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

/// `raddle replay`.
#[derive(Args, Debug)]
pub(crate) struct Replay {
    /// The id of a finding, or its folder
    pub(crate) finding: String,
    /// Shows the run only up to this step; with --gdb, stops before it
    #[arg(long, value_name = "N")]
    pub(crate) until: Option<u64>,
    /// Makes the run under gdb
    #[arg(long)]
    pub(crate) gdb: bool,
    /// Another build of the program, instead of the one that was kept
    #[arg(long, value_name = "BINARY")]
    pub(crate) program: Option<PathBuf>,
    /// Where findings are kept [default: raddle-out]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// How the result is written to stdout: human or json
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = ["human", "json"])]
    pub(crate) format: String,
    /// How much is shown.
    #[command(flatten)]
    pub(crate) view: View,
}

/// `raddle report`.
#[derive(Args, Debug)]
pub(crate) struct Report {
    /// The id of a finding, or its folder; without it, the last check
    pub(crate) finding: Option<String>,
    /// Opens the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Where findings are kept [default: raddle-out]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

/// `raddle compare`.
#[derive(Args, Debug)]
pub(crate) struct Compare {
    /// Programs: each a C or C++ source file, or a binary built by `raddle cc`
    #[arg(value_name = "PROGRAM", required = true)]
    pub(crate) programs: Vec<PathBuf>,
    /// The strategies, with commas between them [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) strategies: Vec<String>,
    /// The time that each strategy has for each program
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub(crate) budget: String,
    /// How many seeds the strategies that draw try
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(crate) seeds: u64,
    /// How the numbers are written to stdout: human, csv or json
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = ["human", "csv", "json"])]
    pub(crate) format: String,
    /// The settings.
    #[command(flatten)]
    pub(crate) settings: CompareArguments,
    /// The programs' own arguments, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

/// `raddle nets`.
#[derive(Args, Debug)]
pub(crate) struct Nets {
    /// What to do with the net.
    #[command(subcommand)]
    pub(crate) command: NetsCommand,
}

/// What can be done with a net.
#[derive(Subcommand, Debug)]
pub(crate) enum NetsCommand {
    /// Unfolds a net: the size of its complete prefix, or the prefix itself
    Unfold(UnfoldNet),
    /// Lists the markings of a net that enable nothing, and how to get there
    Deadlocks(NetDeadlocks),
    /// Writes a net in another format
    Convert(ConvertNet),
    /// Searches a C or C++ program and writes the Petri-net model of its runs
    Model(ModelOfProgram),
}

/// `raddle nets unfold`.
#[derive(Args, Debug)]
pub(crate) struct UnfoldNet {
    /// The net: PEP's low-level format, PNML or DOT
    pub(crate) file: PathBuf,
    /// The adequate order: erv, mole or mcmillan
    #[arg(long, value_name = "NAME", default_value = "erv")]
    pub(crate) order: String,
    /// What to write: the sizes for people or as JSON, or the prefix as DOT or MCI
    #[arg(long, default_value = "human", value_parser = ["human", "json", "dot", "mci"])]
    pub(crate) format: String,
    /// Stops at this many events
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub(crate) max_events: usize,
    /// Stops at this much memory, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 4_096)]
    pub(crate) max_memory: usize,
}

/// `raddle nets deadlocks`.
#[derive(Args, Debug)]
pub(crate) struct NetDeadlocks {
    /// The net: PEP's low-level format, PNML or DOT
    pub(crate) file: PathBuf,
    /// Stops after this many
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) most: usize,
    /// For people or as JSON
    #[arg(long, default_value = "human", value_parser = ["human", "json"])]
    pub(crate) format: String,
}

/// `raddle nets convert`.
#[derive(Args, Debug)]
pub(crate) struct ConvertNet {
    /// The net: PEP's low-level format, PNML or DOT
    pub(crate) file: PathBuf,
    /// The format to write
    #[arg(long, value_parser = ["ll_net", "pnml", "dot"])]
    pub(crate) format: String,
}

/// `raddle nets model`.
#[derive(Args, Debug)]
pub(crate) struct ModelOfProgram {
    /// The source files of one program, or a binary built by `raddle cc`
    #[arg(value_name = "PROGRAM", required = true)]
    pub(crate) programs: Vec<PathBuf>,
    /// The format to write: dot, pnml or ll_net; of the unfolding, dot or mci
    #[arg(long, default_value = "dot", value_parser = ["dot", "pnml", "ll_net", "mci"])]
    pub(crate) format: String,
    /// Writes the unfolding of the model, with terminals marked
    #[arg(long)]
    pub(crate) prefix: bool,
    /// Writes to this file, not to stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The settings of the search.
    #[command(flatten)]
    pub(crate) settings: SearchArguments,
    /// The program's own arguments, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

/// The settings of a search whose result is not a report.
#[derive(Args, Debug)]
pub(crate) struct SearchArguments {
    /// The profile of raddle.toml: default or ci
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Everything else.
    #[command(flatten)]
    pub(crate) options: SearchOptions,
}

impl SearchArguments {
    /// The same, where nothing is said about the report.
    pub(crate) fn as_settings(&self) -> SettingArguments {
        SettingArguments { profile: self.profile.clone(), options: SettingOptions(self.options.0.clone()) }
    }
}

/// The settings that make a difference to a comparison.
#[derive(Args, Debug)]
pub(crate) struct CompareArguments {
    /// The profile of raddle.toml: default or ci
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Everything else.
    #[command(flatten)]
    pub(crate) options: CompareOptions,
}

impl CompareArguments {
    /// The same, where nothing is said about what makes no difference.
    pub(crate) fn as_settings(&self) -> SettingArguments {
        SettingArguments { profile: self.profile.clone(), options: SettingOptions(self.options.0.clone()) }
    }
}

/// `raddle cc` and `raddle c++`.
#[derive(Args, Debug)]
pub(crate) struct Compiler {
    /// The arguments of clang
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<OsString>,
}

/// `raddle explain`.
#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The id of a finding, an exit code, or one of: scope, limits, strategies; with --outcomes, a program or the id of a
    /// finding
    #[arg(value_name = "TOPIC", required = true)]
    pub(crate) topics: Vec<String>,
    /// Runs a program, and shows every way in which its runs come out: how they end, what its static variables hold, and how
    /// many traces each
    #[arg(long)]
    pub(crate) outcomes: bool,
    /// How outcomes are written to stdout: human or json
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = ["human", "json"], requires = "outcomes")]
    pub(crate) format: String,
    /// Where findings are kept [default: raddle-out]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// How much is shown.
    #[command(flatten)]
    pub(crate) view: View,
    /// The settings of the search for outcomes.
    #[command(flatten)]
    pub(crate) settings: SearchArguments,
    /// The program's own arguments, after `--`
    #[arg(last = true, value_name = "ARGS", requires = "outcomes")]
    pub(crate) arguments: Vec<OsString>,
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
