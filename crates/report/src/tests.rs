//! Whole reports of runs that are made by hand.

mod bank;
mod calls;
mod consumers;
mod dining;
mod events;
mod formats;
mod hostile;
mod kinds;
mod listing;
mod long;
mod outcomes;
mod page;
mod passing;
mod random;
mod records;
mod schema;
mod script;
mod summaries;
mod teller;
mod tried;

use raddle_detect::judge;

use crate::{FindingView, Style, finding};
use script::Script;

const WIDE: Style = Style::new(true, 100);
const PLAIN: Style = Style::new(false, 80);

fn report_on(script: &Script, style: &Style) -> String {
    report_with(script, style, &source)
}

fn report_with(script: &Script, style: &Style, source: &dyn Fn(&str) -> Option<String>) -> String {
    let found = judge(&script.run).expect("the run shows something");
    finding(&view_of(script, &found), style, source)
}

fn view_of<'a>(script: &'a Script, found: &'a raddle_detect::Finding) -> FindingView<'a> {
    FindingView {
        finding: found,
        run: &script.run,
        names: &[],
        id: "k3f7",
        found_in_run: 4,
        found_steps: 21,
        found_preemptions: 3,
        preemptions: script.run.events.iter().filter(|event| event.preempts).count(),
        replay: "RADDLE_REPLAY=k3f7 cargo test transfer",
        schedule: None,
        page: None,
        notes: &[],
        met: None,
        passing: None,
    }
}

fn source(file: &str) -> Option<String> {
    let name = file.rsplit('/').next()?;
    let text = match name {
        "bank.rs" => include_str!("tests/bank.rs"),
        "dining.rs" => include_str!("tests/dining.rs"),
        "teller.rs" => include_str!("tests/teller.rs"),
        _ => return None,
    };
    Some(text.to_owned())
}

/// Compares, and shows the whole text if it differs.
#[track_caller]
fn check(text: &str, expected: &str) {
    let expected = expected.strip_prefix('\n').unwrap_or(expected);
    assert!(text == expected, "the text is now\n{text}\nand was expected to be\n{expected}");
}

#[track_caller]
fn check_shape(text: &str, style: &Style) {
    assert!(text.lines().count() <= 40, "{} lines\n{text}", text.lines().count());
    check_width(text, style);
}

#[track_caller]
fn check_width(text: &str, style: &Style) {
    for line in text.lines() {
        let width = unicode_width::UnicodeWidthStr::width(line);
        assert!(width <= style.width, "{width} columns in\n{line}\nof\n{text}");
        assert!(style.unicode || line.is_ascii(), "{line}");
        assert!(!line.ends_with(' '), "a blank at the end of\n{line}\nof\n{text}");
    }
}
