//! Findings as a log for ShiViz: every step with its vector clock.
//!
//! The first two lines are what ShiViz wants to know about a log: the expression by which it reads an event, and the one
//! by which it tells executions apart; each finding is an execution.

use std::fmt::Write as _;

use raddle_trace::{Event, HappensBefore, Relation, ThreadId};

use crate::finding::words_of;
use crate::story::story;
use crate::{Record, Style};

/// How ShiViz reads an event: its text on one line, host and clock on the next.
const EVENT: &str = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})";
/// How ShiViz tells executions apart.
const EXECUTION: &str = "^=== (?<trace>.*) ===$";

/// All findings as one log.
#[must_use]
pub fn shiviz(record: &Record) -> String {
    let style = Style::default();
    let mut text = format!("{EVENT}\n{EXECUTION}\n");
    for found in &record.findings {
        let view = found.view();
        let words = words_of(&view, &style);
        let _ = writeln!(text, "=== {} ===", words.clean(&found.id));
        let hosts = hosts(&found.run.events, |thread| words.thread(thread));
        let mut order = HappensBefore::new(Relation::Classes);
        for (index, step) in story(&words, &found.fact).iter().enumerate() {
            let event = found.run.events[index];
            let cause = event.cause.filter(|cause| (*cause as usize) < index);
            order.push(&Event { cause, ..event });
            let place = words.files.place(step.place);
            let _ = writeln!(text, "{}", format!("{} {place}", step.text).trim_end());
            let _ = writeln!(text, "{} {}", hosts[event.thread.index()], clock(&order, index, &hosts));
        }
    }
    text
}

/// The names of the threads, without blanks and without what would end a name.
fn hosts(events: &[Event], label: impl Fn(ThreadId) -> String) -> Vec<String> {
    let count = events.iter().map(|event| event.thread.index() + 1).max().unwrap_or(0);
    let harmless =
        |letter: char| if letter.is_alphanumeric() || "._:-".contains(letter) { letter } else { '-' };
    (0..count).map(|thread| label(ThreadId::new(thread)).chars().map(harmless).collect()).collect()
}

/// How many events of each thread happen before this one or are it.
fn clock(order: &HappensBefore, event: usize, hosts: &[String]) -> String {
    let known = hosts.iter().enumerate().filter_map(|(thread, host)| {
        let own = order.events_of(ThreadId::new(thread));
        let known = own.partition_point(|earlier| order.happens_before(*earlier as usize, event));
        (known > 0).then(|| format!("\"{host}\":{known}"))
    });
    format!("{{{}}}", known.collect::<Vec<String>>().join(","))
}
