//! Settings: what can be set, what is set, and where each value came from.
//!
//! A setting is told once, in [`keys`]: its option on the command line, its key in `raddle.toml`, its variable of the
//! environment, its help and its check all come from there. The order is: command line, environment, profile of
//! `raddle.toml`, built-in value.

pub(crate) mod file;
pub(crate) mod keys;
pub(crate) mod options;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle_report::{parse_duration, parse_size};

use crate::failure::Failure;
use crate::settings::file::ConfigFile;
use crate::settings::keys::{KEYS, Key};

/// Where a value came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// An option.
    CommandLine,
    /// A variable of the environment.
    Environment(String),
    /// A line of `raddle.toml`.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
        /// The profile in which it stands.
        profile: &'static str,
    },
    /// Nobody said anything.
    BuiltIn,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::CommandLine => f.write_str("command line"),
            Origin::Environment(name) => write!(f, "environment, {name}"),
            Origin::File { path, line, profile } => {
                write!(f, "{}:{line}, profile {profile}", path.display())
            }
            Origin::BuiltIn => f.write_str("built-in"),
        }
    }
}

/// One value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Setting {
    /// What is set.
    pub(crate) key: &'static Key,
    /// The value as it was written; `None` if there is none.
    pub(crate) text: Option<String>,
    /// Who said so.
    pub(crate) origin: Origin,
}

/// All values, every one checked.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    all: Vec<Setting>,
    /// The profile that was taken.
    pub(crate) profile: &'static str,
    /// The file, if there is one.
    pub(crate) file: Option<ConfigFile>,
}

/// What is handed in from outside.
pub(crate) struct Sources<'a> {
    /// Options of the command line: key and value.
    pub(crate) options: &'a [(&'static str, String)],
    /// The profile asked for on the command line.
    pub(crate) profile: Option<&'a str>,
    /// Reads a variable of the environment.
    pub(crate) environment: &'a dyn Fn(&str) -> Option<String>,
    /// Where to look for `raddle.toml`, and upwards from there.
    pub(crate) folder: &'a Path,
}

impl Settings {
    /// Puts the sources in order.
    pub(crate) fn gather(sources: &Sources<'_>) -> Result<Settings, Failure> {
        let file = ConfigFile::find(sources.folder)?;
        let variable = (sources.environment)("RADDLE_PROFILE").filter(|name| !name.is_empty());
        let asked = sources.profile.or(variable.as_deref()).unwrap_or("default");
        let profile = file::profile(asked).map_err(Failure::usage)?;
        let all =
            KEYS.iter().map(|key| setting(key, sources, file.as_ref(), profile)).collect::<Result<_, _>>();
        Ok(Settings { all: all?, profile, file })
    }

    /// All of them, in the order of the table.
    pub(crate) fn all(&self) -> &[Setting] {
        &self.all
    }

    fn setting(&self, name: &str) -> &Setting {
        let found = self.all.iter().find(|setting| setting.key.name == name);
        found.unwrap_or_else(|| panic!("bug in raddle: there is no setting `{name}`"))
    }

    /// The value as text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.setting(name).text.as_deref()
    }

    /// The value of a setting that always has one.
    pub(crate) fn word(&self, name: &str) -> &str {
        self.text(name).unwrap_or_else(|| panic!("bug in raddle: the setting `{name}` has no value"))
    }

    /// The words of a list.
    pub(crate) fn words(&self, name: &str) -> Vec<&str> {
        self.word(name).split(',').filter(|word| *word != keys::NONE).collect()
    }

    /// A number, a time or a size was checked when it was gathered.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.text(name).and_then(|text| text.parse().ok())
    }

    /// A time.
    pub(crate) fn time(&self, name: &str) -> Option<Duration> {
        self.text(name).and_then(parse_duration)
    }

    /// Bytes.
    pub(crate) fn bytes(&self, name: &str) -> Option<u64> {
        self.text(name).and_then(parse_size)
    }

    /// Whether nobody said anything about it.
    pub(crate) fn is_built_in(&self, name: &str) -> bool {
        self.setting(name).origin == Origin::BuiltIn
    }

    /// Yes or no.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }
}

fn setting(
    key: &'static Key,
    sources: &Sources<'_>,
    file: Option<&ConfigFile>,
    profile: &'static str,
) -> Result<Setting, Failure> {
    let (text, origin) = written(key, sources, file, profile);
    let text = match text {
        Some(text) => Some(key.kind.checked(&text).map_err(|what| wrong(key, &origin, &what))?),
        None => None,
    };
    Ok(Setting { key, text, origin })
}

fn written(
    key: &'static Key,
    sources: &Sources<'_>,
    file: Option<&ConfigFile>,
    profile: &'static str,
) -> (Option<String>, Origin) {
    if let Some((_, text)) = sources.options.iter().rev().find(|(name, _)| *name == key.name) {
        return (Some(text.clone()), Origin::CommandLine);
    }
    let variable = key.variable();
    if let Some(text) = (sources.environment)(&variable).filter(|text| !text.is_empty()) {
        return (Some(text), Origin::Environment(variable));
    }
    if let Some((value, from)) = file.and_then(|file| file.value(key.name, profile)) {
        let path = file.map(|file| file.path.clone()).unwrap_or_default();
        return (Some(value.text.clone()), Origin::File { path, line: value.line, profile: from });
    }
    (key.built_in.map(str::to_owned), Origin::BuiltIn)
}

fn wrong(key: &Key, origin: &Origin, what: &str) -> Failure {
    Failure::usage(match origin {
        Origin::CommandLine => format!("--{}: {what}", key.name),
        Origin::Environment(variable) => format!("{variable}: {what}"),
        Origin::File { path, line, .. } => format!("{}:{line}: {}: {what}", path.display(), key.name),
        Origin::BuiltIn => format!("bug in raddle: the built-in value of {}: {what}", key.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Somebody who sets it for the command may also run Rust tests, which refuse names that they do not know.
    #[test]
    fn the_variable_of_every_setting_is_known() {
        for key in KEYS {
            assert_eq!(raddle_report::misnamed_variable(&key.variable()), None);
        }
    }

    fn gather(
        options: &[(&'static str, String)],
        variables: &[(&str, &str)],
        folder: &Path,
    ) -> Result<Settings, Failure> {
        let environment = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Settings::gather(&Sources { options, profile: None, environment: &environment, folder })
    }

    #[test]
    fn every_built_in_value_passes_its_own_check() {
        let settings = gather(&[], &[], Path::new("/")).expect("nothing is set");
        assert_eq!(settings.word("strategy"), "auto");
        assert!(settings.all().iter().all(|setting| setting.origin == Origin::BuiltIn));
    }

    #[test]
    fn the_command_line_counts_more_than_the_environment() {
        let options = [("strategy", "pct".to_owned())];
        let variables = [("RADDLE_STRATEGY", "random"), ("RADDLE_MAX_RUNS", "7")];
        let settings = gather(&options, &variables, Path::new("/")).expect("all of these are well formed");
        assert_eq!(settings.word("strategy"), "pct");
        assert_eq!(settings.number("max-runs"), Some(7));
        assert_eq!(settings.setting("max-runs").origin, Origin::Environment("RADDLE_MAX_RUNS".to_owned()));
    }

    #[test]
    fn a_wrong_value_names_its_source_and_what_to_write() {
        let wrong = |variables: &[(&str, &str)]| {
            gather(&[], variables, Path::new("/")).expect_err("the value is wrong").text
        };
        assert_eq!(
            wrong(&[("RADDLE_MAX_TIME", "10x")]),
            "RADDLE_MAX_TIME: `10x` is not a time; write it like `500ms`, `90s`, `10m`, `2h` or `30d`"
        );
        assert_eq!(
            wrong(&[("RADDLE_RACES", "fial")]),
            "RADDLE_RACES: `fial` is not known, did you mean `fail`? there are fail, ignore"
        );
    }
}
