//! Settings from the environment.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use raddle_report::{Format, parse_duration, parse_size};

use super::Check;

/// Applies the variables that `read` knows; an error is a whole sentence that says which one is wrong and why.
pub(super) fn apply(mut check: Check, read: &dyn Fn(&str) -> Option<String>) -> Result<Check, String> {
    let text = |name: &str| read(name).filter(|value| !value.is_empty());
    if let Some(value) = text("RADDLE_STRATEGY") {
        check.strategy = value.parse().map_err(|error| format!("RADDLE_STRATEGY: {error}"))?;
    }
    if let Some(seed) = number("RADDLE_SEED", &text)? {
        check.seed = seed;
    }
    check.bound = number("RADDLE_BOUND", &text)?.or(check.bound);
    check.max_runs = number("RADDLE_MAX_RUNS", &text)?.or(check.max_runs);
    if let Some(steps) = number("RADDLE_MAX_STEPS", &text)? {
        check.max_steps = steps;
    }
    if let Some(workers) = number::<usize>("RADDLE_WORKERS", &text)? {
        check.workers = workers.max(1);
    }
    check.max_time = time("RADDLE_MAX_TIME", &text)?.or(check.max_time);
    check.max_run_time = time("RADDLE_MAX_RUN_TIME", &text)?.unwrap_or(check.max_run_time);
    check.keep_going |= is_on("RADDLE_KEEP_GOING", &text)?;
    check.verbose |= is_on("RADDLE_VERBOSE", &text)?;
    check.out = text("RADDLE_OUT").map_or(check.out, PathBuf::from);
    check.report_to = text("RADDLE_REPORT").map(PathBuf::from).or(check.report_to);
    check.record |= is_on("RADDLE_RECORD", &text)?;
    if let Some(names) = text("RADDLE_FORMATS") {
        check.formats = formats(&names).map_err(|problem| format!("RADDLE_FORMATS: {problem}"))?;
        // Who wants files wants them of every check.
        check.record |= !check.formats.is_empty();
    }
    check.most.checks = number("RADDLE_KEEP_CHECKS", &text)?.unwrap_or(check.most.checks);
    check.most.age = time("RADDLE_KEEP_TIME", &text)?.unwrap_or(check.most.age);
    check.most.size = size("RADDLE_KEEP_SIZE", &text)?.unwrap_or(check.most.size);
    check.replay = text("RADDLE_REPLAY").or(check.replay);
    check.hapset_file = text("RADDLE_HAPSET").map(PathBuf::from).or(check.hapset_file);
    check.model_file = text("RADDLE_MODEL").map(PathBuf::from).or(check.model_file);
    check.match_values = match text("RADDLE_MATCH").as_deref() {
        None => check.match_values,
        Some("writes") => false,
        Some("values") => true,
        Some(other) => {
            return Err(format!("RADDLE_MATCH: `{other}` is not known; write `writes` or `values`"));
        }
    };
    check.aim = text("RADDLE_AIM").or(check.aim);
    if let Some(calls) = number("RADDLE_CONTEXT", &text)? {
        check.context = calls;
    }
    Ok(check)
}

fn number<T: FromStr>(name: &str, text: &dyn Fn(&str) -> Option<String>) -> Result<Option<T>, String> {
    let parse = |value: String| {
        value.parse().map_err(|_| {
            format!("{name}: `{value}` is not a whole number in range; write it like `{name}=1000`")
        })
    };
    text(name).map(parse).transpose()
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

fn is_on(name: &str, text: &dyn Fn(&str) -> Option<String>) -> Result<bool, String> {
    match text(name).as_deref() {
        None | Some("0" | "false" | "no") => Ok(false),
        Some("1" | "true" | "yes") => Ok(true),
        Some(other) => {
            Err(format!("{name}: `{other}` is neither yes nor no; write `{name}=1` or `{name}=0`"))
        }
    }
}

fn time(name: &str, text: &dyn Fn(&str) -> Option<String>) -> Result<Option<Duration>, String> {
    let parse = |value: String| {
        parse_duration(&value).ok_or_else(|| {
            format!("{name}: `{value}` is not a time; write it like `500ms`, `90s`, `10m`, `2h` or `30d`")
        })
    };
    text(name).map(parse).transpose()
}

fn size(name: &str, text: &dyn Fn(&str) -> Option<String>) -> Result<Option<u64>, String> {
    let parse = |value: String| {
        parse_size(&value).ok_or_else(|| {
            format!("{name}: `{value}` is not a size; write it like `4096`, `64K`, `512M` or `2G`")
        })
    };
    text(name).map(parse).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_explore::StrategyName;

    fn with(variables: &[(&str, &str)]) -> Result<Check, String> {
        let read = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        apply(Check::new(), &read)
    }

    #[test]
    fn the_environment_counts_more_than_the_code() {
        let check = with(&[("RADDLE_STRATEGY", "pct"), ("RADDLE_MAX_TIME", "2m"), ("RADDLE_WORKERS", "0")]);
        let check = check.expect("all of these are well formed");
        assert_eq!(check.strategy, StrategyName::Pct);
        assert_eq!(check.max_time, Some(Duration::from_secs(120)));
        assert_eq!(check.workers, 1);
    }

    #[test]
    fn every_wrong_value_names_its_variable_and_what_to_write() {
        let wrong = [
            ("RADDLE_STRATEGY", "fast", "there is no strategy `fast`"),
            ("RADDLE_SEED", "x", "is not a whole number"),
            ("RADDLE_MAX_RUNS", "-1", "write it like `RADDLE_MAX_RUNS=1000`"),
            ("RADDLE_MAX_TIME", "10", "write it like `500ms`, `90s`"),
            ("RADDLE_MAX_RUN_TIME", "soon", "write it like `500ms`, `90s`"),
            ("RADDLE_MATCH", "locks", "write `writes` or `values`"),
            ("RADDLE_RECORD", "perhaps", "write `RADDLE_RECORD=1`"),
            ("RADDLE_FORMATS", "json,sarfi", "did you mean `sarif`?"),
            ("RADDLE_KEEP_CHECKS", "all", "write it like `RADDLE_KEEP_CHECKS=1000`"),
            ("RADDLE_KEEP_TIME", "ever", "`2h` or `30d`"),
            ("RADDLE_KEEP_SIZE", "2X", "`512M` or `2G`"),
            ("RADDLE_KEEP_GOING", "maybe", "write `RADDLE_KEEP_GOING=1`"),
        ];
        for (name, value, expected) in wrong {
            let message = with(&[(name, value)]).expect_err("the value is wrong");
            assert!(message.starts_with(name) && message.contains(expected), "{message}");
        }
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
