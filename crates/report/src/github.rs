//! Annotations and the summary of a step on GitHub.

use std::fmt::Write as _;

use crate::finding::words_of;
use crate::text::{clip, count};
use crate::{Record, Style, ending, finding, summary};

/// GitHub shows no more annotations of one kind per step.
const MOST_ANNOTATIONS: usize = 10;
/// GitHub takes a summary of up to a mebibyte; it is kept below that with room for what the step writes itself.
const LARGEST_SUMMARY: usize = 1_000_000;

/// The commands that make GitHub show findings beside the lines: one per finding, at most ten.
#[must_use]
pub fn github_annotations(record: &Record) -> String {
    let style = Style::default();
    let mut text = String::new();
    for found in record.findings.iter().take(MOST_ANNOTATIONS) {
        let view = found.view();
        let words = words_of(&view, &style);
        let place = found.fact.place;
        let mut properties = Vec::new();
        if let (Some(file), Some(line)) = (place.file(), place.line()) {
            properties.push(format!("file={}", property(file)));
            properties.push(format!("line={line}"));
            properties.extend(place.column().map(|column| format!("col={column}")));
        }
        let title = format!("{} (finding {})", found.fact.kind.word(), found.id);
        properties.push(format!("title={}", property(&title)));
        let message = format!("{}\nreplay: {}", ending::sentence(&found.fact, &words), found.replay);
        let _ = writeln!(text, "::error {}::{}", properties.join(","), data(&message));
    }
    if record.findings.len() > MOST_ANNOTATIONS {
        let rest = record.findings.len() - MOST_ANNOTATIONS;
        let _ = writeln!(text, "::notice title=raddle::{} more", data(&count(rest as u64, "finding")));
    }
    if record.findings.is_empty() && matches!(record.verdict.word(), "stopped" | "untrusted") {
        let summary = summary(&record.summary(), &style);
        let first = summary.lines().next().unwrap_or_default();
        let title = property(&format!("raddle: {}", record.verdict.word()));
        let _ = writeln!(text, "::warning title={title}::{}", data(first.trim()));
    }
    text
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The summary of a step, in Markdown.
#[must_use]
pub fn github_summary(record: &Record, source: &dyn Fn(&str) -> Option<String>) -> String {
    let style = Style::default();
    let program = clip(&markdown(&record.program), 200, style.symbols().cut);
    let mut text = format!("### raddle: {program}\n\n");
    text.push_str(&fenced(&summary(&record.summary(), &style)));
    for (index, found) in record.findings.iter().enumerate() {
        let section = fenced(&finding(&found.view(), &style, source));
        if text.len() + section.len() > LARGEST_SUMMARY {
            let rest = record.findings.len() - index;
            let _ = writeln!(
                text,
                "\n{} left out: the summary would be too large",
                count(rest as u64, "finding")
            );
            break;
        }
        let _ = write!(text, "\n#### finding {}\n\n{section}", markdown(&found.id));
    }
    text
}

/// The text between fences that it cannot close.
fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}{fence}\n")
}

/// The text on one line, with everything that Markdown or HTML would take for its own made harmless.
fn markdown(text: &str) -> String {
    let mut harmless = String::new();
    for letter in crate::sanitise::sanitise(text, &Style::default()).chars() {
        match letter {
            '<' => harmless.push_str("&lt;"),
            '>' => harmless.push_str("&gt;"),
            '&' => harmless.push_str("&amp;"),
            _ if letter.is_ascii_punctuation() => harmless.extend(['\\', letter]),
            _ => harmless.push(letter),
        }
    }
    harmless
}
