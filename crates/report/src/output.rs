//! The files of `raddle-out/`: what is kept of a finding besides its schedule, once for tests and for the command.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::page::page;
use crate::{FindingRecord, Record, Style, explain, finding, finding_json};

/// The width of `explain.txt`: it is read in an editor.
const EXPLAIN_WIDTH: usize = 120;

/// One file to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputFile {
    /// Its path below the folder, with `/` between the parts.
    pub path: String,
    /// What it holds.
    pub contents: String,
}

/// The files of one finding: `finding.json`, `finding.txt`, `explain.txt`, `report.html` and a copy of each source file that
/// it speaks of.
#[must_use]
pub fn finding_files(
    record: &Record,
    found: &FindingRecord,
    source: &dyn Fn(&str) -> Option<String>,
) -> Vec<OutputFile> {
    let file = |path: &str, contents: String| OutputFile { path: path.to_owned(), contents };
    let alone = Record { findings: vec![found.clone()], ..record.clone() };
    let wide = Style::new(true, EXPLAIN_WIDTH);
    let mut files = vec![
        file("finding.json", finding_json(record, found)),
        file("finding.txt", finding(&found.view(), &Style::default(), source)),
        file("explain.txt", explain(&found.view(), &wide, source)),
        file("report.html", page(&alone, source)),
    ];
    for name in source_files(found) {
        if let Some(text) = source(name) {
            files.push(file(&format!("source/{}", kept_name(name)), text));
        }
    }
    files
}

/// The source files that a finding speaks of.
#[must_use]
pub fn source_files(found: &FindingRecord) -> BTreeSet<&'static str> {
    let run = &found.run;
    let places = run.events.iter().map(|event| event.place);
    let pending = run.blocked.iter().map(|blocked| blocked.pending.place);
    let own = crate::finding::places(&found.fact);
    places.chain(pending).chain(own).filter_map(raddle_trace::Place::file).collect()
}

/// The path of a copy of a source file below `source/`: that of the file, without what would lead out of the folder.
#[must_use]
pub fn kept_name(file: &str) -> String {
    let parts = file.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    let clean = |part: &str| -> String {
        let harmless = |letter: char| letter.is_alphanumeric() || "._-+ ".contains(letter);
        part.chars().map(|letter| if harmless(letter) { letter } else { '_' }).take(200).collect()
    };
    parts.map(clean).collect::<Vec<String>>().join("/")
}

/// Writes files into a folder, which is made if it is not there.
///
/// # Errors
/// If a folder could not be made or a file not be written.
pub fn write_files(folder: &Path, files: &[OutputFile]) -> std::io::Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        write_whole(&path, &file.contents)?;
    }
    Ok(())
}

/// Writes a file aside and moves it: who reads meanwhile gets the old one or the new one.
fn write_whole(path: &Path, contents: &str) -> std::io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let half = path.with_file_name(format!(".{}-{number}.part", std::process::id()));
    let moved = std::fs::write(&half, contents).and_then(|()| std::fs::rename(&half, path));
    if moved.is_err() {
        // What went wrong first is what matters.
        let _ = std::fs::remove_file(&half);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::kept_name;

    #[test]
    fn a_copy_stays_in_its_folder() {
        assert_eq!(kept_name("../../etc/passwd"), "etc/passwd");
        assert_eq!(kept_name("/home/me/a:b.c"), "home/me/a_b.c");
        assert_eq!(kept_name("src\\..\\x.c"), "src/x.c");
    }
}
