//! The table of settings.

use raddle_explore::StrategyName;
use raddle_report::{Format, parse_duration, parse_size};

use crate::suggest::suggestion;

/// What a value looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueKind {
    /// The name of a strategy.
    Strategy,
    /// A whole number, at most this.
    Number(u64),
    /// A whole number, at most this, or `cores` for as many as the machine has.
    Workers(u64),
    /// A time, as in `90s`.
    Time,
    /// Bytes, as in `2G`.
    Size,
    /// Yes or no.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any number of these words, with commas between them, or [`NONE`]; in `raddle.toml` a list.
    Words(&'static [&'static str]),
    /// Anything; in `raddle.toml` also a list.
    Text,
}

/// What stands for an empty list of words.
pub(crate) const NONE: &str = "none";

/// One setting.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Key {
    /// Its name, as an option and in `raddle.toml`.
    pub(crate) name: &'static str,
    /// What its value looks like.
    pub(crate) kind: ValueKind,
    /// What stands for the value in the help.
    pub(crate) value_name: &'static str,
    /// What it is if nobody says anything.
    pub(crate) built_in: Option<&'static str>,
    /// The heading under which the help shows it.
    pub(crate) heading: &'static str,
    /// What it does.
    pub(crate) help: &'static str,
}

pub(super) const SEARCH: &str = "Search";
const JUDGE: &str = "What counts";
pub(super) const LIMITS: &str = "Limits of the program";
pub(super) const BUILD: &str = "Building";
const OUTPUT: &str = "Output";

/// The formats of `--format` and `--formats`.
const FORMATS: &[&str] = &{
    let mut names = [""; Format::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = Format::ALL[index].as_str();
        index += 1;
    }
    names
};

macro_rules! key {
    ($name:literal, $kind:expr, $value:literal, $built_in:expr, $heading:expr, $help:literal) => {
        Key {
            name: $name,
            kind: $kind,
            value_name: $value,
            built_in: $built_in,
            heading: $heading,
            help: $help,
        }
    };
}

use ValueKind::{Number, Size, Strategy, Switch, Text, Time, Word, Words, Workers};

/// All settings, in the order of the help.
pub(crate) const KEYS: &[Key] = &[
    key!(
        "strategy",
        Strategy,
        "NAME",
        Some("auto"),
        SEARCH,
        "What to try; `raddle explain strategies` lists them"
    ),
    key!(
        "bound",
        Number(u32::MAX as u64),
        "K",
        None,
        SEARCH,
        "Pre-emptions that preemption-bound allows, and guided runs of hapset if it is given, or the depth that pct aims at [default: 2]"
    ),
    key!(
        "match",
        Word(&["writes", "values"]),
        "WHAT",
        Some("writes"),
        SEARCH,
        "When a model takes two states of a variable for the same: if the same write left it, or if it holds the same value"
    ),
    key!(
        "seed",
        Number(u64::MAX),
        "N",
        Some("1"),
        SEARCH,
        "Where random strategies start, and rand() of the program: the same seed makes the same runs"
    ),
    key!("max-runs", Number(u64::MAX), "N", None, SEARCH, "Stops after this many runs"),
    key!("max-time", Time, "TIME", None, SEARCH, "Stops after this much time, as in 500ms, 90s, 10m"),
    key!(
        "max-steps",
        Number(u32::MAX as u64),
        "N",
        Some("20000"),
        SEARCH,
        "Gives up a run after this many steps; the verdict says so"
    ),
    key!(
        "keep-going",
        Switch,
        "",
        Some("false"),
        SEARCH,
        "Goes on after a finding and collects all different ones"
    ),
    key!(
        "isolation",
        Word(&["auto", "inline", "fork"]),
        "HOW",
        Some("auto"),
        SEARCH,
        "How a run is made again: in the same process with its memory restored, or in a forked child"
    ),
    key!(
        "checkpoints",
        Switch,
        "",
        Some("true"),
        SEARCH,
        "Whether a run may go on from the middle of the one before, if what comes first stays the same"
    ),
    key!(
        "workers",
        Workers(1024),
        "N",
        Some("1"),
        SEARCH,
        "How many processes search at the same time; `cores` for as many as there are cores"
    ),
    key!(
        "timeouts",
        Switch,
        "",
        Some("true"),
        SEARCH,
        "Whether timed operations can give up although other threads could go on"
    ),
    key!(
        "spurious-wakeups",
        Number(1000),
        "N",
        Some("0"),
        SEARCH,
        "How often in a run a thread may be woken from a condition variable for no reason"
    ),
    key!(
        "hapset",
        Text,
        "FILE",
        None,
        SEARCH,
        "Pairs covered by earlier searches, for hapset and auto; read if the file is there, and added to"
    ),
    key!(
        "aim",
        Text,
        "A:B",
        None,
        SEARCH,
        "For hapset and auto: prefers schedules in which line A comes before line B, as in bank.c:12:bank.c:30"
    ),
    key!(
        "context",
        Number(16),
        "K",
        Some("0"),
        SEARCH,
        "For hapset and auto: how many of the most recent calls tell statements apart"
    ),
    key!(
        "learn-native",
        Number(1000),
        "N",
        Some("0"),
        SEARCH,
        "For hapset and auto: first lets the program run N times by itself, with real threads and random delays, and learns \
         from it"
    ),
    key!(
        "races",
        Word(&["fail", "ignore"]),
        "WHAT",
        Some("fail"),
        JUDGE,
        "Whether data races on plain variables are findings; if ignored, plain accesses are ordinary steps"
    ),
    key!("leaks", Switch, "", Some("false"), JUDGE, "Whether memory that is never freed is a finding"),
    key!(
        "accept-incomplete",
        Switch,
        "",
        Some("false"),
        JUDGE,
        "Exit code 0 also if a limit stopped the search"
    ),
    key!("max-memory", Size, "BYTES", Some("2G"), LIMITS, "Memory that the program may use"),
    key!("max-output", Size, "BYTES", Some("16M"), LIMITS, "Output of the program that is kept"),
    key!("max-processes", Number(1 << 20), "N", Some("64"), LIMITS, "Processes that the program may start"),
    key!("max-file-size", Size, "BYTES", Some("1G"), LIMITS, "The largest file that the program may write"),
    key!(
        "max-descriptors",
        Number(1 << 20),
        "N",
        Some("1024"),
        LIMITS,
        "Files and sockets that the program may have open at the same time"
    ),
    key!(
        "max-run-time",
        Time,
        "TIME",
        Some("10s"),
        LIMITS,
        "A run that makes no step for this long is ended as a livelock"
    ),
    key!("stack-size", Size, "BYTES", Some("1M"), LIMITS, "Stack of each thread of the program"),
    key!("cflags", Text, "FLAGS", None, BUILD, "Further arguments for the compiler, as in \"-O2 -Iinclude\""),
    key!("format", Word(FORMATS), "FORMAT", Some("human"), OUTPUT, "How the result is written to stdout"),
    key!(
        "formats",
        Words(FORMATS),
        "FORMATS",
        Some(NONE),
        OUTPUT,
        "What is written besides: files for the folder of the check, which always has json, junit, sarif and html; with github, \
         annotations and the summary of the step, whatever the environment says"
    ),
    key!(
        "message-format",
        Word(&["human", "json"]),
        "FORMAT",
        Some("human"),
        OUTPUT,
        "With json, stdout gets a line of JSON for everything that happens, as events.jsonl does, and the report goes to stderr"
    ),
    key!(
        "progress",
        Word(&["auto", "live", "counter", "none"]),
        "HOW",
        Some("auto"),
        OUTPUT,
        "How far the search is: four lines on a terminal, a counter elsewhere"
    ),
    key!("color", Word(&["auto", "always", "never"]), "WHEN", Some("auto"), OUTPUT, "Colour"),
    key!(
        "show-output",
        Switch,
        "",
        Some("false"),
        OUTPUT,
        "Shows what the program wrote in the run that is shown, or in one run"
    ),
    key!(
        "list",
        Word(&["nothing", "traces", "runs"]),
        "WHAT",
        Some("nothing"),
        OUTPUT,
        "Lists on stderr what was tried, every different trace once or every run: the number of the run, how it ended, who went how \
         many steps at a time; long ones are cut unless --full is given"
    ),
    key!(
        "list-most",
        Number(u64::MAX),
        "N",
        Some("1000"),
        OUTPUT,
        "How many traces or runs are listed at most"
    ),
    key!("out", Text, "FOLDER", Some("raddle-out"), OUTPUT, "Where checks and findings are kept"),
    key!(
        "keep-checks",
        Number(1 << 20),
        "N",
        Some("100"),
        OUTPUT,
        "How many checks are kept there; older ones are removed"
    ),
    key!(
        "keep-time",
        Time,
        "TIME",
        Some("30d"),
        OUTPUT,
        "How long checks are kept, and findings of which no check is left"
    ),
    key!(
        "keep-size",
        Size,
        "BYTES",
        Some("2G"),
        OUTPUT,
        "How much room checks and findings may take together; beyond that the oldest are removed"
    ),
];

impl Key {
    /// Its variable of the environment.
    pub(crate) fn variable(&self) -> String {
        format!("RADDLE_{}", self.name.to_uppercase().replace('-', "_"))
    }
}

impl ValueKind {
    /// The value in its usual form, or what is wrong with it.
    pub(crate) fn checked(self, text: &str) -> Result<String, String> {
        let good = || Ok(text.to_owned());
        match self {
            ValueKind::Strategy => match text.parse::<StrategyName>() {
                Ok(_) => good(),
                Err(error) => Err(error.to_string()),
            },
            ValueKind::Number(most) => match text.replace('_', "").parse::<u64>() {
                Ok(number) if number <= most => Ok(number.to_string()),
                _ => Err(format!("`{text}` is not a whole number from 0 to {most}; write it like `1000`")),
            },
            ValueKind::Workers(_) if text == "cores" => {
                Ok(std::thread::available_parallelism().map_or(1, std::num::NonZero::get).to_string())
            }
            ValueKind::Workers(most) => match text.parse::<u64>() {
                Ok(number) if (1..=most).contains(&number) => good(),
                _ => Err(format!("`{text}` is not a whole number from 1 to {most}; write `4`, or `cores`")),
            },
            ValueKind::Time if parse_duration(text).is_some() => good(),
            ValueKind::Time => {
                Err(format!("`{text}` is not a time; write it like `500ms`, `90s`, `10m`, `2h` or `30d`"))
            }
            ValueKind::Size if parse_size(text).is_some() => good(),
            ValueKind::Size => {
                Err(format!("`{text}` is not a size; write it like `4096`, `64K`, `512M` or `2G`"))
            }
            ValueKind::Switch => match text {
                "1" | "true" | "yes" => Ok("true".to_owned()),
                "0" | "false" | "no" => Ok("false".to_owned()),
                _ => Err(format!("`{text}` is neither yes nor no; write `true` or `false`")),
            },
            ValueKind::Word(known) => one_of(text, known).map(|()| text.to_owned()),
            ValueKind::Words(known) => words(text, known),
            ValueKind::Text => good(),
        }
    }
}

/// A list of words in its usual form: each once, with commas between them.
fn words(text: &str, known: &[&str]) -> Result<String, String> {
    let mut words: Vec<&str> = Vec::new();
    for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
        if word != NONE {
            one_of(word, known)?;
        }
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match words[..] {
        [] => Ok(NONE.to_owned()),
        [_] => Ok(words.concat()),
        _ if words.contains(&NONE) => Err(format!("`{NONE}` stands alone: leave it out, or everything else")),
        _ => Ok(words.join(",")),
    }
}

fn one_of(word: &str, known: &[&str]) -> Result<(), String> {
    if known.contains(&word) {
        return Ok(());
    }
    Err(format!("`{word}` is not known{} there are {}", suggestion(word, known), known.join(", ")))
}
