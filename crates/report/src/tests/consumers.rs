//! The formats for machines, read as those who use them read them: Jenkins, Perfetto, ShiViz, GitHub.

use std::collections::BTreeMap;

use serde_json::Value;

use super::records::{all, failed, found, hostile};
use super::*;
use crate::{chrome_trace, github_annotations, shiviz};

/// What the schema of Jenkins (junit-10.xsd of its xUnit plugin) says of an element.
#[cfg(feature = "junit")]
struct Element {
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    children: &'static [&'static str],
    has_text: bool,
}

#[cfg(feature = "junit")]
const ELEMENTS: &[Element] = &[
    Element {
        name: "testsuites",
        required: &[],
        optional: &["name", "time", "tests", "failures", "errors"],
        children: &["testsuite"],
        has_text: false,
    },
    Element {
        name: "testsuite",
        required: &["name", "tests", "failures", "errors"],
        optional: &[
            "group",
            "time",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
            "file",
            "log",
            "url",
        ],
        children: &["testsuite", "properties", "testcase", "system-out", "system-err"],
        has_text: false,
    },
    Element {
        name: "testcase",
        required: &["name"],
        optional: &["time", "classname", "group"],
        children: &["skipped", "error", "failure", "system-out", "system-err"],
        has_text: false,
    },
    Element { name: "failure", required: &[], optional: &["type", "message"], children: &[], has_text: true },
    Element { name: "error", required: &[], optional: &["type", "message"], children: &[], has_text: true },
    Element { name: "skipped", required: &[], optional: &["type", "message"], children: &[], has_text: true },
    Element { name: "system-out", required: &[], optional: &[], children: &[], has_text: true },
    Element { name: "system-err", required: &[], optional: &[], children: &[], has_text: true },
];

/// An element that has begun: its name, its attributes, and how many of what it holds so far.
#[cfg(feature = "junit")]
struct Open {
    name: String,
    attributes: BTreeMap<String, String>,
    inside: BTreeMap<String, u64>,
}

/// What a document does against the schema, and where its counts are not what it holds.
#[cfg(feature = "junit")]
fn junit_problems(text: &str) -> Vec<String> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(text);
    let (mut open, mut problems): (Vec<Open>, Vec<String>) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => begin(&start, &mut open, &mut problems),
            Ok(Event::Empty(start)) => {
                begin(&start, &mut open, &mut problems);
                end(&mut open, &mut problems);
            }
            Ok(Event::End(_)) => end(&mut open, &mut problems),
            Ok(Event::Text(text)) => {
                let allowed =
                    open.last().and_then(|open| rules(&open.name)).is_some_and(|rules| rules.has_text);
                if !allowed && text.iter().any(|byte| !byte.is_ascii_whitespace()) {
                    problems.push(format!("text in {:?}", open.last().map(|open| open.name.clone())));
                }
            }
            Ok(Event::Eof) => return problems,
            Ok(_) => {}
            Err(error) => return vec![error.to_string()],
        }
    }
}

#[cfg(feature = "junit")]
fn rules(name: &str) -> Option<&'static Element> {
    ELEMENTS.iter().find(|element| element.name == name)
}

#[cfg(feature = "junit")]
fn begin(start: &quick_xml::events::BytesStart<'_>, open: &mut Vec<Open>, problems: &mut Vec<String>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let name = text(start.name().as_ref());
    let mut attributes = BTreeMap::new();
    for attribute in start.attributes() {
        match attribute {
            Ok(attribute) => _ = attributes.insert(text(attribute.key.as_ref()), text(&attribute.value)),
            Err(error) => problems.push(format!("{name}: {error}")),
        }
    }
    match rules(&name) {
        None => problems.push(format!("no element is called {name}")),
        Some(rules) => {
            let known = |key: &&String| rules.required.iter().chain(rules.optional).any(|known| known == key);
            problems
                .extend(attributes.keys().filter(|key| !known(key)).map(|key| format!("{name} has {key}")));
            let missing = rules.required.iter().filter(|key| !attributes.contains_key(**key));
            problems.extend(missing.map(|key| format!("{name} lacks {key}")));
        }
    }
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if attributes.get("time").is_some_and(|time| !time.splitn(2, '.').all(digits)) {
        problems.push(format!("{name}: time {:?}", attributes["time"]));
    }
    match open.last().and_then(|parent| rules(&parent.name)) {
        None if open.is_empty() && matches!(name.as_str(), "testsuites" | "testsuite") => {}
        Some(parent) if parent.children.contains(&name.as_str()) => {}
        _ => problems.push(format!("{name} in {:?}", open.last().map(|open| open.name.clone()))),
    }
    for above in open.iter_mut() {
        *above.inside.entry(name.clone()).or_default() += 1;
    }
    open.push(Open { name, attributes, inside: BTreeMap::new() });
}

#[cfg(feature = "junit")]
fn end(open: &mut Vec<Open>, problems: &mut Vec<String>) {
    let Some(ended) = open.pop() else { return problems.push("an end without a beginning".to_owned()) };
    if !ended.name.starts_with("testsuite") {
        return;
    }
    for (count, element) in [("tests", "testcase"), ("failures", "failure"), ("errors", "error")] {
        let held = ended.inside.get(element).copied().unwrap_or(0).to_string();
        if ended.attributes.get(count) != Some(&held) {
            problems.push(format!(
                "{} says {count}={:?}, {held} are there",
                ended.name,
                ended.attributes.get(count)
            ));
        }
    }
}

#[cfg(feature = "junit")]
#[test]
fn junit_is_what_jenkins_takes() {
    let everything = crate::junit(&all(), &source);
    assert_eq!(junit_problems(&everything), Vec::<String>::new(), "{everything}");
    for record in all() {
        let text = crate::junit(std::slice::from_ref(&record), &source);
        assert_eq!(junit_problems(&text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(everything.matches("<testsuite ").count(), 7);
    assert_eq!(everything.matches("<failure ").count(), 5, "{everything}");
    assert_eq!(everything.matches("<error ").count(), 2);
    assert!(everything.contains(r#"message="deadlock: T1 and T2 wait for each other""#), "{everything}");
    assert!(!everything.contains("<img") && !everything.contains(['\0', '\x1b']), "{everything}");
}

#[cfg(feature = "junit")]
#[test]
fn what_jenkins_refuses_is_noticed() {
    let suite = |inside: &str| {
        format!(r#"<testsuite name="a" tests="1" failures="0" errors="0">{inside}</testsuite>"#)
    };
    assert_eq!(junit_problems(&suite(r#"<testcase name="b"/>"#)), Vec::<String>::new());
    for wrong in [
        suite(r#"<testcase/>"#),
        suite(r#"<testcase name="b" colour="red"/>"#),
        suite(r#"<testcase name="b">text</testcase>"#),
        suite(r#"<testcase name="b"><failure/></testcase>"#),
        suite(r#"<case name="b"/>"#),
        suite(""),
        r#"<testsuites skipped="0" tests="0" failures="0" errors="0"/>"#.to_owned(),
        r#"<testsuites tests="0" failures="0" errors="0" time="3.1 s"/>"#.to_owned(),
        r#"<testcase name="b"/>"#.to_owned(),
    ] {
        assert!(!junit_problems(&wrong).is_empty(), "{wrong}");
    }
}

/// The keys that an event of each phase has to have beside `ph`, `name` and `pid` (the Trace Event Format).
const PHASES: &[(&str, &[&str])] = &[
    ("X", &["tid", "ts", "dur", "cat"]),
    ("i", &["tid", "ts", "s"]),
    ("s", &["tid", "ts", "id", "cat"]),
    ("f", &["tid", "ts", "id", "cat", "bp"]),
    ("M", &["args"]),
];

fn events_of(record: &crate::Record) -> Vec<Value> {
    let document: Value = serde_json::from_str(&chrome_trace(record)).expect("it is JSON");
    document["traceEvents"].as_array().expect("a list of events").clone()
}

#[test]
fn trace_events_have_what_perfetto_needs() {
    for record in all() {
        let events = events_of(&record);
        let steps: usize = record.findings.iter().map(|found| found.run.events.len()).sum();
        assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), steps);
        let mut latest: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for event in &events {
            let phase = event["ph"].as_str().expect("a phase");
            let keys = PHASES.iter().find(|(known, _)| *known == phase).map(|(_, keys)| *keys);
            for key in keys.unwrap_or_else(|| panic!("the phase {phase}")) {
                assert!(!event[key].is_null(), "{key} in {event}");
            }
            assert!(event["name"].is_string() && event["pid"].is_u64(), "{event}");
            if phase == "M" {
                let args = &event["args"];
                assert!(args["name"].is_string() || args["sort_index"].is_u64(), "{event}");
                continue;
            }
            let track = (event["pid"].as_u64().unwrap_or(0), event["tid"].as_u64().expect("a number"));
            let at = event["ts"].as_u64().expect("a time");
            let last = latest.insert(track, at);
            assert!(last.is_none_or(|last| last <= at), "time goes back at {event}");
        }
    }
}

#[test]
fn slices_of_a_track_do_not_overlap_and_arrows_are_bound_to_them() {
    for record in all() {
        let events = events_of(&record);
        let of = |phase: &str| events.iter().filter(move |event| event["ph"] == phase).collect::<Vec<_>>();
        let number = |event: &Value, key: &str| event[key].as_u64().expect("a number");
        let track = |event: &Value| (number(event, "pid"), number(event, "tid"));
        let mut ends = BTreeMap::new();
        for slice in of("X") {
            let (start, length) = (number(slice, "ts"), number(slice, "dur"));
            let before = ends.insert(track(slice), start + length);
            assert!(before.is_none_or(|before| before <= start), "{slice}");
        }
        let by_id = |phase| -> BTreeMap<u64, &Value> {
            let flows = of(phase);
            let ids: BTreeMap<u64, &Value> = flows.iter().map(|flow| (number(flow, "id"), *flow)).collect();
            assert_eq!(ids.len(), flows.len(), "an id is used once");
            ids
        };
        let (starts, finishes) = (by_id("s"), by_id("f"));
        assert!(starts.keys().eq(finishes.keys()));
        for (start, finish) in starts.values().zip(finishes.values()) {
            assert_eq!((&start["cat"], &start["name"]), (&finish["cat"], &finish["name"]));
            assert!(number(start, "ts") < number(finish, "ts") && finish["bp"] == "e", "{start} {finish}");
            for bound in [start, finish] {
                let at = number(bound, "ts");
                let inside = |slice: &&&Value| {
                    let (from, length) = (number(slice, "ts"), number(slice, "dur"));
                    track(slice) == track(bound) && from < at && at < from + length
                };
                assert_eq!(of("X").iter().filter(inside).count(), 1, "{bound}");
            }
        }
    }
}

/// Reads the log as ShiViz does: by the expressions in its first two lines.
#[test]
fn the_clocks_of_the_log_are_those_of_a_run() {
    for record in all() {
        let text = shiviz(&record);
        let mut head = text.splitn(3, '\n');
        // In JavaScript a brace that opens no count stands for itself.
        let event = head.next().expect("an expression").replace("{.*}", r"\{.*\}");
        let event = regex_lite::Regex::new(&event).expect("an expression");
        let execution = head.next().expect("another");
        let execution = regex_lite::Regex::new(&format!("(?m){execution}")).expect("an expression");
        let log = head.next().unwrap_or_default();
        assert_eq!(execution.find_iter(log).count(), record.findings.len(), "{text}");
        let parts: Vec<&str> = execution.split(log).skip(1).collect();
        for (part, found) in parts.iter().zip(&record.findings) {
            let part = part.trim_start_matches('\n');
            let events: Vec<_> = event.captures_iter(part).collect();
            assert_eq!(events.len(), found.run.events.len(), "{part}");
            let read: usize = events.iter().map(|event| event[0].len() + 1).sum();
            assert_eq!(read, part.len(), "nothing is passed over in\n{part}");
            let clocks: Vec<(String, BTreeMap<String, u64>)> = events
                .iter()
                .map(|event| {
                    (event["host"].to_owned(), serde_json::from_str(&event["clock"]).expect("a clock"))
                })
                .collect();
            check_clocks(&clocks);
        }
    }
}

/// Each host counts its own events from one, knows only events that are there, and all that those knew.
fn check_clocks(clocks: &[(String, BTreeMap<String, u64>)]) {
    let mut known: BTreeMap<(&str, u64), &BTreeMap<String, u64>> = BTreeMap::new();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (host, clock) in clocks {
        let own = counts.entry(host).or_default();
        *own += 1;
        assert_eq!(clock.get(host), Some(&*own), "{host} {clock:?}");
        known.insert((host, *own), clock);
    }
    for (host, clock) in clocks {
        for (other, count) in clock {
            let before = if other == host { count - 1 } else { *count };
            if before == 0 {
                continue;
            }
            let earlier = known.get(&(other.as_str(), before));
            let earlier =
                earlier.unwrap_or_else(|| panic!("{host} {clock:?} knows an event {before} of {other}"));
            let all = earlier.iter().all(|(name, count)| clock.get(name).is_some_and(|mine| mine >= count));
            assert!(all, "{host} {clock:?} knows less than {earlier:?}");
        }
    }
}

/// A workflow command as the runner of GitHub Actions reads it: name, properties, message.
fn command(line: &str) -> Option<(String, BTreeMap<String, String>, String)> {
    let unescaped = |text: &str| {
        let text = text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",");
        text.replace("%25", "%")
    };
    let (head, message) = line.strip_prefix("::")?.split_once("::")?;
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let properties = properties.split(',').filter(|property| !property.is_empty());
    let properties: Option<BTreeMap<String, String>> = properties
        .map(|property| property.split_once('=').map(|(key, value)| (key.to_owned(), unescaped(value))))
        .collect();
    Some((name.to_owned(), properties?, unescaped(message)))
}

#[test]
fn annotations_are_commands_and_their_text_comes_out_as_it_was() {
    let awkward = failed("100%, or: more\r\n::error::x", vec![found(&bank::script(), "50%:,")]);
    for record in all().iter().chain([&awkward]) {
        for line in github_annotations(record).lines() {
            let (name, properties, message) = command(line).unwrap_or_else(|| panic!("{line} is no command"));
            assert!(["error", "warning", "notice"].contains(&name.as_str()), "{line}");
            assert!(!message.is_empty() && properties.contains_key("title"), "{line}");
            for (key, value) in &properties {
                let is_number = matches!(key.as_str(), "line" | "col" | "endLine" | "endColumn");
                assert!(is_number || matches!(key.as_str(), "file" | "title"), "{line}");
                assert!(!is_number || value.parse::<u32>().is_ok_and(|number| number > 0), "{line}");
            }
        }
    }
    let text = github_annotations(&awkward);
    let (_, properties, message) = command(text.trim_end()).expect("one command");
    assert_eq!(properties["title"], "assertion (finding 50%:,)");
    assert!(properties["file"].ends_with("tests/bank.rs"));
    assert!(message.contains("\nreplay: "), "{message}");
    let first = hostile().findings[0].fact.place.file().map(str::to_owned);
    let text = github_annotations(&hostile());
    let (_, properties, _) = command(text.trim_end()).expect("one command");
    assert_eq!(properties.get("file").cloned(), first);
}
