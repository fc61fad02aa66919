//! The one place that prints: results to stdout, everything else to stderr.

use std::io::{IsTerminal, Write};

use raddle_report::Style;

use crate::failure::Failure;

/// Whether colour is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` or `TERM=dumb` says otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Prints a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(())
}

/// Says something that is not the result. That nobody listens is no reason to stop.
pub(crate) fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = err.write_all(b"\n");
    }
}

/// What can be shown here: as many columns as there are, up to 100, and only ASCII if the locale asks for it.
pub(crate) fn style() -> Style {
    Style { unicode: unicode(), width: columns().unwrap_or(100).min(100) }
}

fn unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    // Where nothing is said, as in most containers, UTF-8 is the rule today.
    locale.is_none_or(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf") || !(locale == "c" || locale == "posix" || locale.contains("iso"))
    })
}

fn columns() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns > 0)
}

/// Whether stdout, or stderr, shows colours.
pub(crate) fn colours(color: Color, to_stdout: bool) -> bool {
    let terminal = if to_stdout { std::io::stdout().is_terminal() } else { std::io::stderr().is_terminal() };
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    let refused = std::env::var("NO_COLOR").is_ok_and(|value| !value.is_empty());
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && !dumb && !refused,
    }
}
