//! Findings as trace events, to be looked at in Perfetto or `chrome://tracing`.
//!
//! One process per finding, one track per thread. Time is the number of the step: a millisecond each. Arrows (flows) are
//! happens-before.

use serde::Serialize;
use serde_json::{Value, json};

use crate::finding::words_of;
use crate::story::{StoryStep, story};
use crate::{FindingRecord, Record, Style, ending};

/// The time between two steps, in microseconds.
const STEP: usize = 1_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    trace_events: Vec<Value>,
    display_time_unit: &'static str,
    other_data: Value,
}

/// All findings as trace events.
#[must_use]
pub fn chrome_trace(record: &Record) -> String {
    let mut events = Vec::new();
    let mut flows = 0;
    for (index, found) in record.findings.iter().enumerate() {
        add(found, index + 1, &mut events, &mut flows);
    }
    // Readers sort by themselves, but one that reads a stream need not: names first, then in the order of time.
    events.sort_by_key(|event| event["ts"].as_u64());
    let document = Document {
        trace_events: events,
        display_time_unit: "ms",
        other_data: json!({ "program": record.program, "strategy": record.strategy.to_string() }),
    };
    let text =
        serde_json::to_string(&document).expect("bug in raddle: trace events cannot be written as JSON");
    text + "\n"
}

fn add(found: &FindingRecord, process: usize, events: &mut Vec<Value>, flows: &mut usize) {
    let style = Style::default();
    let view = found.view();
    let words = words_of(&view, &style);
    let steps = story(&words, &found.fact);
    let name = format!("{}: {}", found.id, ending::sentence(&found.fact, &words));
    events.push(json!({ "ph": "M", "name": "process_name", "pid": process, "args": { "name": name } }));
    let mut threads: Vec<_> = steps.iter().map(|step| step.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    for thread in threads {
        let (tid, label) = (thread.index() + 1, words.thread(thread));
        events.push(json!({ "ph": "M", "name": "thread_name", "pid": process, "tid": tid,
            "args": { "name": label } }));
        events.push(json!({ "ph": "M", "name": "thread_sort_index", "pid": process, "tid": tid,
            "args": { "sort_index": tid } }));
    }
    for step in &steps {
        let tid = step.thread.index() + 1;
        let time = step.number * STEP;
        events.push(json!({ "ph": "X", "cat": "step", "name": step.text, "pid": process, "tid": tid,
            "ts": time, "dur": STEP, "args": arguments(step) }));
        if step.preempts {
            events.push(json!({ "ph": "i", "s": "p", "cat": "pre-emption", "name": "pre-emption",
                "pid": process, "tid": tid, "ts": time }));
        }
        for before in &step.after {
            *flows += 1;
            let from = steps[before - 1].thread.index() + 1;
            // A flow starts and ends within the slices that it binds to.
            events.push(json!({ "ph": "s", "cat": "happens-before", "name": "happens before", "id": *flows,
                "pid": process, "tid": from, "ts": before * STEP + STEP / 2 }));
            events.push(json!({ "ph": "f", "bp": "e", "cat": "happens-before", "name": "happens before",
                "id": *flows, "pid": process, "tid": tid, "ts": time + STEP / 2 }));
        }
    }
}

fn arguments(step: &StoryStep) -> Value {
    let mut arguments = json!({ "step": step.number, "where": step.place.to_string() });
    let mut put = |key: &str, value: Value| arguments[key] = value;
    if !step.holds.is_empty() {
        put("holds", json!(step.holds));
    }
    if !step.comment.is_empty() {
        put("comment", json!(step.comment));
    }
    if let Some(change) = &step.change {
        put("changes", json!(format!("{}: {} to {}", change.what, change.before, change.after)));
    }
    if !step.switch.is_empty() {
        put("switch", json!(step.switch));
    }
    arguments
}
