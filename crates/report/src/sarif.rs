//! The record as SARIF 2.1.0, for code scanning and editors.
//!
//! A finding maps onto a `codeFlow` exactly: one `threadFlow` per thread, and `executionOrder` on each location gives the
//! interleaving (SARIF 2.1.0, sections 3.36 to 3.38).

mod file;

use raddle_detect::{Detail, FindingKind};
use raddle_trace::{Place, ThreadId};

use crate::finding::words_of;
use crate::identity::fingerprint;
use crate::story::{StoryStep, story};
use crate::words::Words;
use crate::{FindingRecord, Record, Style, ending, memory, race, summary};
use file::{CodeFlow, Location, Message, PhysicalLocation, Region, ThreadFlow, ThreadFlowLocation};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The record as one SARIF log.
#[must_use]
pub fn sarif(record: &Record) -> String {
    let results = record.findings.iter().map(result).collect();
    let style = Style::default();
    // What was not covered is not a result, but a reader has to see it.
    let notifications = match record.verdict.word() {
        "stopped" | "untrusted" => {
            vec![file::Notification {
                level: "warning",
                message: message(&summary(&record.summary(), &style)),
            }]
        }
        _ => Vec::new(),
    };
    let log = file::Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: vec![file::Run {
            tool: file::Tool {
                driver: file::Driver {
                    name: "raddle",
                    version: env!("CARGO_PKG_VERSION"),
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    rules: FindingKind::ALL.iter().map(|kind| rule(*kind)).collect(),
                },
            },
            column_kind: "unicodeCodePoints",
            automation_details: file::AutomationDetails {
                id: format!("raddle/{}/{}", uri_part(&record.program), record.strategy),
            },
            invocations: vec![file::Invocation {
                execution_successful: record.verdict.word() != "untrusted",
                tool_execution_notifications: notifications,
            }],
            results,
            properties: file::RunProperties {
                verdict: record.verdict.word(),
                runs: record.reached.runs,
                steps: record.reached.steps,
                threads: record.reached.threads,
            },
        }],
    };
    let text =
        serde_json::to_string_pretty(&log).expect("bug in raddle: a SARIF log cannot be written as JSON");
    text + "\n"
}

fn rule(kind: FindingKind) -> file::Rule {
    file::Rule { id: kind.word(), short_description: message(about(kind)) }
}

/// What a kind of finding means, in a sentence.
pub(crate) fn about(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Assertion => "An assertion fails in some interleaving.",
        FindingKind::Panic => "A thread panics in some interleaving.",
        FindingKind::Deadlock => "Threads wait for ever.",
        FindingKind::DataRace => {
            "Two threads touch the same memory, nothing orders them, and one of them writes."
        }
        FindingKind::Crash => "The program dies in some interleaving.",
        FindingKind::Misuse => "A primitive is used in a way that its rules forbid.",
        FindingKind::Livelock => "Threads go on for ever without getting anywhere.",
        FindingKind::UseAfterFree => "Memory is used after it was freed.",
        FindingKind::DoubleFree => "Memory is freed twice, or is not to be freed at all.",
        FindingKind::OutOfBounds => "Memory is used beside what was asked for.",
        FindingKind::Leak => "Memory is never freed.",
        FindingKind::Nonconformance => "The program does what its model does not allow.",
    }
}

fn result(found: &FindingRecord) -> file::Result {
    let style = Style::default();
    let view = found.view();
    let words = words_of(&view, &style);
    let fact = &found.fact;
    let sentence = ending::sentence(fact, &words);
    file::Result {
        rule_id: fact.kind.word(),
        rule_index: FindingKind::ALL.iter().position(|kind| *kind == fact.kind).unwrap_or(0),
        level: "error",
        message: message(&format!("{sentence}\nReplay: {}", found.replay)),
        locations: location(fact.place, &sentence).into_iter().collect(),
        related_locations: related(found, &words),
        code_flows: code_flow(found, &words).into_iter().collect(),
        partial_fingerprints: file::Fingerprints { fault: fingerprint(fact) },
        properties: file::ResultProperties {
            id: found.id.clone(),
            run: found.found_in_run,
            preemptions: found.preemptions,
        },
    }
}

/// The other places that make up the fault.
fn related(found: &FindingRecord, words: &Words<'_>) -> Vec<Location> {
    match &found.fact.detail {
        Detail::None => Vec::new(),
        Detail::Race { first, second, .. } => [first, second]
            .iter()
            .filter_map(|access| location(access.place, &race::with_place(access, words)))
            .collect(),
        Detail::Deadlock { waiters, .. } => waiters
            .iter()
            .filter_map(|waiter| {
                let text =
                    format!("{} waits for {}", words.thread(waiter.thread), ending::wants(waiter, words));
                location(waiter.place, &text)
            })
            .collect(),
        Detail::Memory(block) => {
            let spots = [&block.allocated, &block.freed].into_iter().flatten();
            let texts = memory::history(block, words);
            spots
                .zip(texts)
                .filter_map(|(spot, (key, text))| location(spot.place, &format!("{key} {text}")))
                .collect()
        }
    }
}

fn code_flow(found: &FindingRecord, words: &Words<'_>) -> Option<CodeFlow> {
    let steps = story(words, &found.fact);
    let mut threads: Vec<ThreadId> = steps.iter().map(|step| step.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let flows: Vec<ThreadFlow> = threads
        .iter()
        .map(|thread| ThreadFlow {
            id: words.thread(*thread),
            locations: steps.iter().filter(|step| step.thread == *thread).map(flow_location).collect(),
        })
        .collect();
    (!flows.is_empty()).then(|| CodeFlow {
        message: message(&format!("run {} of the search, shrunk", found.found_in_run)),
        thread_flows: flows,
    })
}

fn flow_location(step: &StoryStep) -> ThreadFlowLocation {
    let mut text = step.text.clone();
    for part in [&step.comment, &step.switch] {
        if !part.is_empty() {
            text = format!("{text}; {part}");
        }
    }
    ThreadFlowLocation {
        execution_order: step.number,
        importance: if step.preempts || !step.comment.is_empty() { "essential" } else { "important" },
        location: Location { physical_location: physical(step.place), message: message(&text) },
    }
}

fn message(text: &str) -> Message {
    Message { text: text.trim_end().to_owned() }
}

fn location(place: Place, text: &str) -> Option<Location> {
    Some(Location { physical_location: Some(physical(place)?), message: message(text) })
}

fn physical(place: Place) -> Option<PhysicalLocation> {
    let (file, line) = (place.file()?, place.line()?);
    Some(PhysicalLocation {
        artifact_location: file::ArtifactLocation { uri: uri(file) },
        region: (line > 0).then(|| Region { start_line: line, start_column: place.column() }),
    })
}

/// The path as a reference: a whole address for an absolute one, otherwise relative to the root of the sources.
fn uri(path: &str) -> String {
    let encoded: Vec<String> = path.split(['/', '\\']).map(uri_part).collect();
    let encoded = encoded.join("/");
    if path.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

/// One part of a path, with everything else than plain letters and digits written as its bytes.
fn uri_part(text: &str) -> String {
    let mut part = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                part.push(char::from(byte))
            }
            _ => part.push_str(&format!("%{byte:02X}")),
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn a_path_becomes_a_reference_that_is_no_address_of_its_own() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/usr/x.c"), "file:///usr/x.c");
        assert_eq!(uri("javascript:alert(1)"), "javascript%3Aalert%281%29");
    }
}
