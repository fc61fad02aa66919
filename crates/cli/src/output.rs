//! The one place that prints: results to stdout, everything else to stderr.

use std::io::{IsTerminal, Write};

use raddle_report::Style;

use crate::failure::Failure;

/// Prints a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
    print_bytes(&[text.as_bytes(), end].concat())
}

/// Prints a result that is not text. Who closes the pipe has seen enough: the exit code still says what was found.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Says something that is not the result. That nobody listens is no reason to stop.
pub(crate) fn say(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = err.write_all(b"\n");
    }
}

/// Says something without ending the line.
pub(crate) fn say_as_is(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}

/// What can be shown here: as many columns as there are, up to 100, and only ASCII if the locale asks for it.
pub(crate) fn style() -> Style {
    Style::new(unicode(), columns().unwrap_or(100).min(100))
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
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    // Narrower than this nothing can be read.
    said.filter(|columns| *columns > 0)
        .or_else(raddle_native::terminal::columns)
        .map(|columns| columns.max(40))
}

/// Whether what goes to stdout is coloured: `always`, `never`, or `auto`, on a terminal unless `NO_COLOR` or `TERM=dumb` says
/// otherwise.
pub(crate) fn colours(wanted: &str) -> bool {
    match wanted {
        "always" => true,
        "never" => false,
        _ => std::io::stdout().is_terminal() && !is_plain(),
    }
}

/// The same for what goes to stderr, where no setting says anything.
pub(crate) fn stderr_colours() -> bool {
    std::io::stderr().is_terminal() && !is_plain()
}

/// Whether the environment wants no colour.
fn is_plain() -> bool {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    dumb || std::env::var("NO_COLOR").is_ok_and(|value| !value.is_empty())
}

/// The text with the words of the verdict in colour. Colour only repeats what the words say.
pub(crate) fn coloured(text: &str) -> String {
    const WORDS: [(&str, &str); 5] = [
        ("FAIL", "1;31"),
        ("PASS", "1;32"),
        ("INCOMPLETE", "1;33"),
        ("UNTRUSTED", "1;35"),
        ("DIVERGED", "1;35"),
    ];
    let paint = |line: &str| {
        let word = WORDS.iter().find(|(word, _)| line.trim_start().starts_with(&format!("{word}  ")));
        match word {
            Some((word, colour)) => line.replacen(word, &format!("\x1b[{colour}m{word}\x1b[0m"), 1),
            None => line.to_owned(),
        }
    };
    text.split('\n').map(paint).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_put_on_the_verdict_alone() {
        let text = "       FAIL  a PASS is not meant\n  other FAIL  here\n";
        assert_eq!(coloured(text), "       \x1b[1;31mFAIL\x1b[0m  a PASS is not meant\n  other FAIL  here\n");
    }
}
