//! Recorded checks: the folder of a Rust check is that of the command.

#[path = "../../report/src/tests/schema.rs"]
mod schema;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use raddle::sync::Arc;
use raddle::sync::atomic::AtomicUsize;
use raddle::{Check, thread};
use raddle_report::Format;

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Folder(std::env::temp_dir().join(format!("raddle-recorded-{}-{number}", std::process::id())))
    }

    fn read(&self, path: &str) -> String {
        let path = self.0.join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn names(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn schema(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name);
    std::fs::read_to_string(path).expect("the schema is there")
}

/// Two threads that add without looking.
fn lost_update() {
    let sum = Arc::new(AtomicUsize::new(0));
    let add = |sum: &AtomicUsize| sum.store(sum.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
    let other = thread::spawn({
        let sum = Arc::clone(&sum);
        move || add(&sum)
    });
    add(&sum);
    other.join().expect("it does not panic");
    assert_eq!(sum.load(Ordering::SeqCst), 2);
}

/// What every folder has.
fn expected() -> Vec<&'static str> {
    let all = ["events.jsonl", "findings", "junit.xml", "record.json", "report.html", "results.sarif"];
    all.into_iter().filter(|name| Format::Junit.is_built_in() || *name != "junit.xml").collect()
}

#[test]
fn a_recorded_check_leaves_the_folder_that_the_command_leaves() {
    let folder = Folder::new();
    let report = Check::new().name("lost update").out(&folder.0).record(true).run(lost_update);
    let id = report.findings()[0].id().to_owned();
    assert_eq!(names(&folder.0), ["checks", "findings", "latest", "lock"]);
    assert_eq!(names(&folder.0.join("latest")), expected());
    let record = folder.read("latest/record.json");
    assert_eq!(schema::problems(&schema("raddle-1.schema.json"), &record), Vec::<String>::new());
    assert!(record.contains("\"program\": \"lost update\"") && record.contains(&id), "{record}");
    // The link leads to everything that was kept of the finding.
    let found = names(&folder.0.join("latest/findings").join(&id));
    assert!(
        found.contains(&"schedule.txt".to_owned()) && found.contains(&"finding.json".to_owned()),
        "{found:?}"
    );
    let events = folder.read("latest/events.jsonl");
    let lines: Vec<&str> = events.lines().collect();
    for line in &lines {
        let problems = schema::problems(&schema("raddle-events-1.schema.json"), line);
        assert_eq!(problems, Vec::<String>::new(), "{line}");
    }
    let kinds = ["\"event\":\"started\"", "\"event\":\"finding\"", "\"event\":\"ended\""];
    assert_eq!(lines.len(), kinds.len(), "{events}");
    assert!(lines.iter().zip(kinds).all(|(line, kind)| line.contains(kind)), "{events}");
}

#[test]
fn a_check_that_passes_leaves_nothing_unless_it_is_recorded() {
    let folder = Folder::new();
    Check::new().out(&folder.0).check(|| ());
    assert!(!folder.0.exists());
    Check::new().out(&folder.0).record(true).check(|| ());
    assert_eq!(names(&folder.0.join("latest")), expected());
    assert_eq!(names(&folder.0.join("latest/findings")), Vec::<String>::new());
}

#[test]
fn checks_that_are_recorded_at_the_same_time_have_a_folder_each() {
    let folder = Folder::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let check = Check::new().name(format!("check {number}")).out(&folder.0).record(true);
            scope.spawn(|| check.run(lost_update));
        }
    });
    let checks = names(&folder.0.join("checks"));
    assert_eq!(checks, ["1", "2", "3", "4", "5", "6", "7", "8"]);
    let records = checks.iter().map(|check| folder.read(&format!("checks/{check}/record.json")));
    let mut programs: Vec<String> = records
        .filter_map(|record| record.lines().find(|line| line.contains("\"program\"")).map(str::to_owned))
        .collect();
    programs.sort();
    programs.dedup();
    assert_eq!(programs.len(), 8, "{programs:?}");
}

#[test]
fn a_report_in_a_folder_of_its_own_has_the_same_files() {
    let folder = Folder::new();
    let report = folder.0.join("report");
    Check::new().out(&folder.0).report_to(&report).check(|| ());
    let files: Vec<&str> =
        expected().into_iter().filter(|name| !["events.jsonl", "findings"].contains(name)).collect();
    assert_eq!(names(&report), files);
}

#[test]
fn a_check_that_cannot_be_recorded_still_has_its_result() {
    let folder = Folder::new();
    std::fs::write(&folder.0, "no folder").expect("it can be written");
    let report = Check::new().out(&folder.0).record(true).run(|| ());
    assert!(report.is_exhausted());
    std::fs::remove_file(&folder.0).expect("it is there");
}
