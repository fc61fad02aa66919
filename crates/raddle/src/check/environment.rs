//! Settings from the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use raddle_coverage::Aim;
use raddle_report::{Format, VARIABLE_PREFIX, misnamed_variable, parse_duration, parse_size};

use super::Check;

/// Workers are OS threads, of which a process cannot have any number.
const MAX_WORKERS: usize = 1024;

/// The variables of the environment that are Raddle's, by name.
pub(super) struct Variables(BTreeMap<String, OsString>);

impl Variables {
    /// Those that are set; an error is a whole sentence about one that is none of them.
    pub(super) fn of_process() -> Result<Variables, String> {
        Variables::among(std::env::vars_os())
    }

    fn among(all: impl Iterator<Item = (OsString, OsString)>) -> Result<Variables, String> {
        // A test may make many short checks, and there may be many variables of others.
        let ours = all.filter(|(name, _)| name.as_encoded_bytes().starts_with(VARIABLE_PREFIX.as_bytes()));
        let ours: BTreeMap<_, _> =
            ours.map(|(name, value)| (name.to_string_lossy().into_owned(), value)).collect();
        match ours.keys().find_map(|name| misnamed_variable(name)) {
            Some(problem) => Err(problem),
            None => Ok(Variables(ours)),
        }
    }

    /// The value of a variable; one that is empty is not set.
    fn text(&self, name: &str) -> Result<Option<String>, String> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_empty()) else { return Ok(None) };
        match value.to_str() {
            Some(value) => Ok(Some(value.to_owned())),
            None => Err(format!("{name}: its value {value:?} is not UTF-8; write it in UTF-8, or unset it")),
        }
    }

    fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
        let parse = |value: String| parse(&value).map_err(|problem| format!("{name}: {problem}"));
        self.text(name)?.map(parse).transpose()
    }

    fn path(&self, name: &str) -> Result<Option<PathBuf>, String> {
        Ok(self.text(name)?.map(PathBuf::from))
    }

    fn number<T: FromStr>(&self, name: &str, example: u32) -> Result<Option<T>, String> {
        self.parsed(name, |value| {
            value.parse().map_err(|_| {
                format!("`{value}` is not a whole number in range; write it like `{name}={example}`")
            })
        })
    }

    fn switch(&self, name: &str) -> Result<Option<bool>, String> {
        self.parsed(name, |value| match value {
            "0" | "false" | "no" => Ok(false),
            "1" | "true" | "yes" => Ok(true),
            other => Err(format!("`{other}` is neither yes nor no; write `{name}=1` or `{name}=0`")),
        })
    }

    fn time(&self, name: &str) -> Result<Option<Duration>, String> {
        self.parsed(name, |value| {
            parse_duration(value).ok_or_else(|| {
                format!("`{value}` is not a time; write it like `500ms`, `90s`, `10m`, `2h` or `30d`")
            })
        })
    }

    fn size(&self, name: &str) -> Result<Option<u64>, String> {
        self.parsed(name, |value| {
            parse_size(value).ok_or_else(|| {
                format!("`{value}` is not a size; write it like `4096`, `64K`, `512M` or `2G`")
            })
        })
    }

    /// The name of a setting where it was given, in a variable or in the code, and how to write it there.
    fn origin<'a>(&self, in_variable: &'a str, in_code: &'a str) -> (&'a str, &'a str) {
        let name = |example: &'a str| example.split(['=', '(']).next().unwrap_or(example);
        let is_set = self.0.get(name(in_variable)).is_some_and(|value| !value.is_empty());
        let example = if is_set { in_variable } else { in_code };
        (name(example), example)
    }
}

/// Applies the variables; an error is a whole sentence that says which setting is wrong and why.
pub(super) fn apply(mut check: Check, variables: &Variables) -> Result<Check, String> {
    let strategy =
        variables.parsed("RADDLE_STRATEGY", |value| value.parse().map_err(|error| format!("{error}")))?;
    check.strategy = strategy.unwrap_or(check.strategy);
    check.seed = variables.number("RADDLE_SEED", 7)?.unwrap_or(check.seed);
    check.bound = variables.number("RADDLE_BOUND", 2)?.or(check.bound);
    check.max_runs = variables.number("RADDLE_MAX_RUNS", 1000)?.or(check.max_runs);
    check.max_steps = variables.number("RADDLE_MAX_STEPS", 1000)?.unwrap_or(check.max_steps);
    check.workers = variables.number("RADDLE_WORKERS", 2)?.unwrap_or(check.workers);
    check.max_time = variables.time("RADDLE_MAX_TIME")?.or(check.max_time);
    check.max_run_time = variables.time("RADDLE_MAX_RUN_TIME")?.unwrap_or(check.max_run_time);
    check.keep_going = variables.switch("RADDLE_KEEP_GOING")?.unwrap_or(check.keep_going);
    check.verbose = variables.switch("RADDLE_VERBOSE")?.unwrap_or(check.verbose);
    check.out = variables.path("RADDLE_OUT")?.unwrap_or(check.out);
    check.report_to = variables.path("RADDLE_REPORT")?.or(check.report_to);
    check.formats = variables.parsed("RADDLE_FORMATS", formats)?.unwrap_or(check.formats);
    // Who wants files wants them of every check, unless it is said that nothing is to be recorded.
    let record = check.record || !check.formats.is_empty();
    check.record = variables.switch("RADDLE_RECORD")?.unwrap_or(record);
    check.most.checks = variables.number("RADDLE_KEEP_CHECKS", 1000)?.unwrap_or(check.most.checks);
    check.most.age = variables.time("RADDLE_KEEP_TIME")?.unwrap_or(check.most.age);
    check.most.size = variables.size("RADDLE_KEEP_SIZE")?.unwrap_or(check.most.size);
    check.replay = variables.text("RADDLE_REPLAY")?.or(check.replay);
    check.hapset_file = variables.path("RADDLE_HAPSET")?.or(check.hapset_file);
    check.model_file = variables.path("RADDLE_MODEL")?.or(check.model_file);
    let match_values = variables.parsed("RADDLE_MATCH", |value| match value {
        "writes" => Ok(false),
        "values" => Ok(true),
        other => Err(format!("`{other}` is not known; write `writes` or `values`")),
    })?;
    check.match_values = match_values.unwrap_or(check.match_values);
    let aim = variables.parsed("RADDLE_AIM", |value| match value.parse::<Aim>() {
        Ok(_) => Ok(value.to_owned()),
        Err(error) => Err(error.to_string()),
    })?;
    check.aim = aim.or(check.aim);
    check.context = variables.number("RADDLE_CONTEXT", 2)?.unwrap_or(check.context);
    match problem(&check, variables) {
        Some(problem) => Err(problem),
        None => Ok(check),
    }
}

/// What is wrong with settings that are well formed, wherever they come from. A check without a single run would pass.
fn problem(check: &Check, variables: &Variables) -> Option<String> {
    if !(1..=MAX_WORKERS).contains(&check.workers) {
        let (name, example) = variables.origin("RADDLE_WORKERS=2", "workers(2)");
        let workers = check.workers;
        return Some(format!(
            "{name}: {workers} is not a number from 1 to {MAX_WORKERS}; write it like `{example}`"
        ));
    }
    if check.max_runs == Some(0) {
        let (name, example) = variables.origin("RADDLE_MAX_RUNS=1000", "max_runs(1000)");
        return Some(format!("{name}: 0 is too few, it takes at least 1; write it like `{example}`"));
    }
    if check.max_time == Some(Duration::ZERO) {
        let (name, example) = variables.origin("RADDLE_MAX_TIME=90s", "max_time(Duration::from_secs(90))");
        return Some(format!("{name}: there is no time for at least 1 run; write it like `{example}`"));
    }
    if check.match_values && check.replay.is_none() && !check.strategy.builds_model() {
        let (name, _) = variables.origin("RADDLE_MATCH=values", "match_values(true)");
        return Some(format!(
            "{name}: the strategy `{}` builds no model; take stateful-naive, unfolding or unfolding-stateless",
            check.strategy
        ));
    }
    None
}

/// The formats of a list, with commas or spaces between them.
fn formats(names: &str) -> Result<Vec<Format>, String> {
    let names = names.split([',', ' ']).filter(|name| !["", "none"].contains(name));
    let format = |name: &str| match name.parse::<Format>() {
        Ok(format) if !format.is_built_in() => Err(format!(
            "`{name}` needs a feature of the crate raddle: write `raddle = {{ version = \"…\", features = [\"{name}\"] }}`"
        )),
        Ok(format) => Ok(format),
        Err(error) => Err(error.to_string()),
    };
    names.map(format).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_explore::StrategyName;

    fn applied(check: Check, variables: &[(&str, &str)]) -> Result<Check, String> {
        let all = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        apply(check, &Variables::among(all)?)
    }

    fn with(variables: &[(&str, &str)]) -> Result<Check, String> {
        applied(Check::new(), variables)
    }

    #[test]
    fn the_environment_counts_more_than_the_code() {
        let check = Check::new().keep_going(true).record(true).workers(4);
        let variables = [
            ("RADDLE_STRATEGY", "pct"),
            ("RADDLE_MAX_TIME", "2m"),
            ("RADDLE_WORKERS", "3"),
            ("RADDLE_KEEP_GOING", "0"),
            ("RADDLE_RECORD", "no"),
            ("RADDLE_FORMATS", "html"),
        ];
        let check = applied(check, &variables).expect("all of these are well formed");
        assert_eq!(check.strategy, StrategyName::Pct);
        assert_eq!(check.max_time, Some(Duration::from_secs(120)));
        assert_eq!(check.workers, 3);
        assert!(!check.keep_going && !check.record);
        let check = applied(Check::new().keep_going(true), &[("RADDLE_KEEP_GOING", "")]);
        assert!(check.expect("nothing is set").keep_going);
    }

    #[test]
    fn every_wrong_value_names_its_variable_and_what_to_write() {
        let wrong = [
            ("RADDLE_STRATEGY", "fast", "there is no strategy `fast`"),
            ("RADDLE_STRATEGI", "pct", "did you mean RADDLE_STRATEGY?"),
            ("RADDLE_SEED", "x", "is not a whole number"),
            ("RADDLE_MAX_RUNS", "-1", "write it like `RADDLE_MAX_RUNS=1000`"),
            ("RADDLE_MAX_RUNS", "0", "at least 1; write it like `RADDLE_MAX_RUNS=1000`"),
            ("RADDLE_WORKERS", "-1", "write it like `RADDLE_WORKERS=2`"),
            ("RADDLE_WORKERS", "0", "0 is not a number from 1 to 1024; write it like `RADDLE_WORKERS=2`"),
            ("RADDLE_WORKERS", "100000", "100000 is not a number from 1 to 1024"),
            ("RADDLE_BOUND", "-1", "write it like `RADDLE_BOUND=2`"),
            ("RADDLE_MAX_TIME", "10", "write it like `500ms`, `90s`"),
            ("RADDLE_MAX_TIME", "0s", "at least 1 run; write it like `RADDLE_MAX_TIME=90s`"),
            ("RADDLE_MAX_RUN_TIME", "soon", "write it like `500ms`, `90s`"),
            ("RADDLE_MATCH", "locks", "write `writes` or `values`"),
            ("RADDLE_MATCH", "values", "the strategy `optimal-dpor` builds no model"),
            ("RADDLE_AIM", "foo", "`foo` is not an aim"),
            ("RADDLE_RECORD", "perhaps", "write `RADDLE_RECORD=1`"),
            ("RADDLE_VERBOSE", "on", "write `RADDLE_VERBOSE=1` or `RADDLE_VERBOSE=0`"),
            ("RADDLE_FORMATS", "json,sarfi", "did you mean `sarif`?"),
            ("RADDLE_KEEP_CHECKS", "all", "write it like `RADDLE_KEEP_CHECKS=1000`"),
            ("RADDLE_KEEP_TIME", "ever", "`2h` or `30d`"),
            ("RADDLE_KEEP_SIZE", "2X", "`512M` or `2G`"),
            ("RADDLE_KEEP_GOING", "maybe", "write `RADDLE_KEEP_GOING=1`"),
        ];
        for (name, value, expected) in wrong {
            let message = with(&[(name, value)]).expect_err("the value is wrong");
            assert!(message.starts_with(&format!("{name}: ")) && message.contains(expected), "{message}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_not_text_names_its_variable() {
        let value = std::os::unix::ffi::OsStringExt::from_vec(vec![b'a', 0xff]);
        let variables = Variables::among([(OsString::from("RADDLE_OUT"), value)].into_iter());
        let message =
            variables.and_then(|variables| apply(Check::new(), &variables)).expect_err("it is wrong");
        assert_eq!(message, r#"RADDLE_OUT: its value "a\xFF" is not UTF-8; write it in UTF-8, or unset it"#);
    }

    #[test]
    fn who_asks_for_formats_has_the_check_recorded() {
        let check = |formats| with(&[("RADDLE_FORMATS", formats)]).expect("it is well formed");
        assert!(check("shiviz,html").record);
        assert!(!check("none").record);
        assert_eq!(with(&[("RADDLE_FORMATS", "junit")]).is_ok(), Format::Junit.is_built_in());
    }

    #[test]
    fn an_empty_variable_is_no_variable() {
        assert_eq!(
            with(&[("RADDLE_STRATEGY", "")]).expect("nothing is set").strategy,
            StrategyName::OptimalDpor
        );
    }
}
