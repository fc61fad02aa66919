//! The settings as options of the command line.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::keys::{BUILD, KEYS, Key, LIMITS, NONE, SEARCH, ValueKind};

fn option(key: &'static Key) -> Arg {
    let arg = Arg::new(key.name).long(key.name).help_heading(key.heading).help(key.help);
    let arg = match key.built_in {
        Some(value) if key.kind != ValueKind::Switch => arg.help(format!("{} [default: {value}]", key.help)),
        _ => arg,
    };
    match key.kind {
        // The values are checked with those of the other sources, by the same rules; the words are for completions.
        ValueKind::Word(words) => arg.value_name(key.value_name).hide_possible_values(true).help(format!(
            "{} [{}; default: {}]",
            key.help,
            words.join(", "),
            key.built_in.unwrap_or("none")
        )),
        ValueKind::Words(words) => arg.value_name(key.value_name).help(format!(
            "{} [{}; default: {}]",
            key.help,
            words.join(", "),
            key.built_in.unwrap_or(NONE)
        )),
        ValueKind::Switch => arg
            .num_args(0..=1)
            .require_equals(true)
            .value_name("yes|no")
            .default_missing_value("true")
            .hide_possible_values(true),
        _ => arg.value_name(key.value_name),
    }
    .action(ArgAction::Set)
    .allow_hyphen_values(key.name == "cflags")
    .value_parser(NonEmptyStringValueParser::new())
}

/// Defines the options that stand for some of the settings, and what was given of them.
macro_rules! options {
    ($(#[$about:meta])* $name:ident, $takes:expr) => {
        $(#[$about])*
        #[derive(Clone, Default, Debug)]
        pub(crate) struct $name(pub(crate) Vec<(&'static str, String)>);

        impl $name {
            fn keys() -> impl Iterator<Item = &'static Key> {
                let takes: fn(&Key) -> bool = $takes;
                KEYS.iter().filter(move |key| takes(key))
            }
        }

        impl Args for $name {
            fn augment_args(command: Command) -> Command {
                $name::keys().fold(command, |command, key| command.arg(option(key)))
            }

            fn augment_args_for_update(command: Command) -> Command {
                $name::augment_args(command)
            }
        }

        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<$name, clap::Error> {
                let mut options = $name::default();
                options.update_from_arg_matches(matches)?;
                Ok(options)
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                let given = |key: &'static Key| {
                    matches.get_one::<String>(key.name).map(|value| (key.name, value.clone()))
                };
                self.0 = $name::keys().filter_map(given).collect();
                Ok(())
            }
        }
    };
}

options! {
    /// The settings that were given as options: key and value, as they were written.
    SettingOptions, |_| true
}

options! {
    /// The settings of a search whose result is not a report: those that say how to search, what the program may use, and
    /// how it is built.
    SearchOptions,
    |key| {
        let says_how = [SEARCH, LIMITS, BUILD].contains(&key.heading) || key.name == "races";
        says_how && !["keep-going", "workers", "hapset"].contains(&key.name)
    }
}

options! {
    /// The settings that make a difference to a comparison, which has its own strategies, budget and formats.
    CompareOptions,
    |key| {
        let says_how = [SEARCH, LIMITS, BUILD].contains(&key.heading);
        let is_fixed = ["strategy", "max-time", "keep-going", "learn-native"].contains(&key.name);
        let others = ["races", "leaks", "out", "keep-checks", "keep-time", "keep-size"];
        (says_how && !is_fixed) || others.contains(&key.name)
    }
}
