//! The settings as options of the command line.

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::keys::{BUILD, KEYS, Key, LIMITS, NONE, SEARCH, ValueKind};

/// The settings that were given as options: key and value, as they were written.
#[derive(Clone, Default, Debug)]
pub(crate) struct SettingOptions(pub(crate) Vec<(&'static str, String)>);

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

/// The settings of a search whose result is not a report: those that say how to search, what the program may use, and how
/// it is built.
#[derive(Clone, Default, Debug)]
pub(crate) struct SearchOptions(pub(crate) SettingOptions);

fn is_of_search(key: &&'static Key) -> bool {
    let says_how = [SEARCH, LIMITS, BUILD].contains(&key.heading) || key.name == "races";
    says_how && !["keep-going", "workers", "hapset"].contains(&key.name)
}

impl Args for SearchOptions {
    fn augment_args(command: Command) -> Command {
        KEYS.iter().filter(is_of_search).fold(command, |command, key| command.arg(option(key)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        SearchOptions::augment_args(command)
    }
}

impl FromArgMatches for SearchOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SearchOptions, clap::Error> {
        let mut options = SearchOptions::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = SettingOptions(given(matches, &mut KEYS.iter().filter(is_of_search)));
        Ok(())
    }
}

/// The settings among these that were given.
fn given(matches: &ArgMatches, keys: &mut dyn Iterator<Item = &'static Key>) -> Vec<(&'static str, String)> {
    keys.filter_map(|key| matches.get_one::<String>(key.name).map(|value| (key.name, value.clone())))
        .collect()
}

impl Args for SettingOptions {
    fn augment_args(command: Command) -> Command {
        KEYS.iter().fold(command, |command, key| command.arg(option(key)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        SettingOptions::augment_args(command)
    }
}

impl FromArgMatches for SettingOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SettingOptions, clap::Error> {
        let mut options = SettingOptions::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = given(matches, &mut KEYS.iter());
        Ok(())
    }
}
