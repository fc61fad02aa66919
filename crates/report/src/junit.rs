//! The record as JUnit XML: one suite per program, one case per property.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};
use raddle_detect::FindingKind;

use crate::{Record, Style, ending, finding, summary};

/// The properties that are looked at, each with the kinds of findings that break it.
const PROPERTIES: &[(&str, &[FindingKind])] = &[
    ("no assertion fails", &[FindingKind::Assertion]),
    ("no thread panics or crashes", &[FindingKind::Panic, FindingKind::Crash]),
    ("no deadlock", &[FindingKind::Deadlock]),
    ("no livelock", &[FindingKind::Livelock]),
    ("no data race", &[FindingKind::DataRace]),
    (
        "no wrong use of memory",
        &[FindingKind::UseAfterFree, FindingKind::DoubleFree, FindingKind::OutOfBounds, FindingKind::Leak],
    ),
    ("no wrong use of primitives", &[FindingKind::Misuse]),
    ("conforms to its model", &[FindingKind::Nonconformance]),
];

/// The case that fails if nothing was found but nothing may be claimed either.
const COVERED: &str = "every schedule asked for was covered";

/// The records as one JUnit report.
#[must_use]
pub fn junit(records: &[Record], source: &dyn Fn(&str) -> Option<String>) -> String {
    let mut report = Report::new("raddle");
    for record in records {
        report.add_test_suite(suite(record, source));
    }
    let text = report.to_string().expect("bug in raddle: a report cannot be written as XML");
    // Nothing is ever skipped, and the schema of Jenkins knows the word for a suite only, not for all of them.
    text.replacen(" skipped=\"0\"", "", 1)
}

fn suite(record: &Record, source: &dyn Fn(&str) -> Option<String>) -> TestSuite {
    let style = Style::default();
    let mut suite = TestSuite::new(XmlString::new(&record.program));
    suite.set_time(seconds(record.seconds));
    for (property, kinds) in PROPERTIES {
        let broken = record.findings.iter().filter(|found| kinds.contains(&found.fact.kind));
        let found: Vec<_> = broken.collect();
        if found.is_empty() && *kinds == [FindingKind::Nonconformance] {
            continue;
        }
        let mut status = TestCaseStatus::success();
        if let Some(first) = found.first() {
            status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let view = first.view();
            status.set_message(ending::sentence(&first.fact, &crate::finding::words_of(&view, &style)));
            status.set_type(first.fact.kind.word());
            let texts: Vec<String> =
                found.iter().map(|found| finding(&found.view(), &style, source)).collect();
            status.set_description(texts.join("\n"));
        }
        add(&mut suite, property, &record.program, status);
    }
    let mut status = TestCaseStatus::success();
    if record.findings.is_empty() && matches!(record.verdict.word(), "stopped" | "untrusted") {
        status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(record.verdict.word());
        status.set_type(record.verdict.word());
        status.set_description(summary(&record.summary(), &style));
    }
    add(&mut suite, COVERED, &record.program, status);
    suite
}

fn add(suite: &mut TestSuite, name: &str, program: &str, status: TestCaseStatus) {
    let mut case = TestCase::new(name, status);
    case.set_classname(program);
    suite.add_test_case(case);
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
