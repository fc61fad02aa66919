//! What is kept of a check besides schedules: for each finding its files, and the whole check where that is asked for.

use std::path::Path;

use raddle_report::{Format, Happening, Record, check_files, finding_files, github_annotations, write_files};
use raddle_store::{Events, add_step_summary};

use super::Check;
use super::findings::read_source;
use super::report::{Report, say};

/// The folder of a check that begins, if it is to be recorded.
pub(super) fn begin(check: &Check) -> Option<Events> {
    if !check.record {
        return None;
    }
    let mut events = Events::begin(&check.out);
    let (folder, time) = events.place_and_time();
    events.tell(&Happening::Started {
        program: &check.program(),
        arguments: &[],
        strategy: check.strategy,
        workers: check.workers,
        version: env!("CARGO_PKG_VERSION"),
        time,
        folder: folder.as_deref(),
    });
    Some(events)
}

/// Writes what there is to write. What could not be written is said, and is no reason to keep silent about the result.
pub(super) fn keep(check: &Check, report: &Report, events: Option<Events>) {
    let record = Record { command: check.command(), ..report.record() };
    let mut results = Vec::new();
    for finding in report.findings() {
        if let Some(own) = finding.schedule().and_then(Path::parent) {
            results.push((own, write_files(own, &finding_files(&record, finding.record(), &read_source))));
        }
    }
    if let Some(mut events) = events {
        let kept = events.keep(&record, &check.formats, &read_source);
        events.tell_end(&record, None);
        results.push((&check.out, kept.and_then(|()| events.finish(&check.most))));
    }
    if let Some(folder) = check.report_to.as_deref() {
        results.push((folder, write_files(folder, &check_files(&record, &check.formats, &read_source))));
    }
    for (folder, result) in results {
        if let Err(error) = result {
            say(&format!("the report could not be kept in {}: {error}", folder.display()));
        }
    }
    if check.formats.contains(&Format::Github) {
        tell_github(&record);
    }
}

/// Annotations, which GitHub reads in what a failed test has written, and the summary of the step.
fn tell_github(record: &Record) {
    let annotations = github_annotations(record);
    if !annotations.is_empty() {
        say(annotations.trim_end());
    }
    if let Err(problem) = add_step_summary(record, &read_source) {
        say(&problem);
    }
}
