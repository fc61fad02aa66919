//! What is kept of a check besides schedules: for each finding its folder, and the whole check where that is asked for.

use std::path::Path;

use raddle_report::{OutputFile, finding_files, write_files};

use super::findings::read_source;
use super::report::Report;

/// Writes what there is to write; what could not be written is returned as a sentence.
pub(super) fn keep(report: &Report, folder: Option<&Path>) -> Option<String> {
    let record = report.record();
    let mut results = Vec::new();
    for finding in report.findings() {
        if let Some(own) = finding.schedule().and_then(Path::parent) {
            results.push((own, write_files(own, &finding_files(&record, finding.record(), &read_source))));
        }
    }
    if let Some(folder) = folder {
        let file = |path: &str, contents| OutputFile { path: path.to_owned(), contents };
        let files = [
            file("record.json", report.json()),
            file("report.html", report.page()),
            file("results.sarif", raddle_report::sarif(&record)),
        ];
        results.push((folder, write_files(folder, &files)));
    }
    let failed = results.into_iter().find_map(|(folder, result)| Some((folder, result.err()?)));
    failed.map(|(folder, error)| format!("the report could not be kept in {}: {error}", folder.display()))
}
