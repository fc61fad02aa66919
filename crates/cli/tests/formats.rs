//! `formats`: what a check writes besides what it prints.

mod common;

use common::Folder;

const BANK: &str = include_str!("../../../examples/c/bank.c");

const PROFILES: &str = "[default]\nformats = [\"shiviz\"]\n\n[ci]\ninherits = \"default\"\nformats = [\"junit\", \"chrome\", \
                        \"human\", \"github-summary\", \"github\"]\n";

/// A folder with a program that fails, and profiles that ask for formats.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    folder.file("raddle.toml", PROFILES);
    folder
}

fn kept(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.0.join("raddle-out/latest").join(name)).unwrap_or_default()
}

fn annotations(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("::error file=bank.c,line=")).count()
}

#[test]
fn the_formats_of_the_profile_lie_in_the_folder_of_the_check() {
    let folder = folder();
    let ran = folder.raddle(&["check", "bank.c"]);
    assert_eq!((ran.code, annotations(&ran.out)), (Some(1), 0), "{ran:#?}");
    assert!(kept(&folder, "shiviz.log").contains("bank.c"), "the default profile asks for it");
    assert_eq!(kept(&folder, "chrome-trace.json"), "");

    let ran = folder.raddle(&["check", "bank.c", "--profile", "ci"]);
    assert_eq!((ran.code, annotations(&ran.out)), (Some(1), 1), "{ran:#?}");
    assert_eq!(
        kept(&folder, "shiviz.log"),
        "",
        "a profile that says it itself takes nothing from the default one"
    );
    let trace: serde_json::Value =
        serde_json::from_str(&kept(&folder, "chrome-trace.json")).expect("it is one JSON document");
    assert!(!trace["traceEvents"].as_array().expect("it has steps").is_empty());
    assert!(kept(&folder, "report.txt").contains("FAIL"));
    assert!(kept(&folder, "summary.md").contains("bank.c"));
    for always in ["junit.xml", "results.sarif", "report.html", "record.json"] {
        assert_ne!(kept(&folder, always), "", "{always}");
    }

    let ran = folder.raddle_with(&["check", "bank.c", "--profile", "ci"], &[("RADDLE_FORMATS", "none")]);
    assert_eq!((ran.code, annotations(&ran.out)), (Some(1), 0), "{ran:#?}");
    assert_eq!(kept(&folder, "report.txt"), "");
}

#[test]
fn annotations_that_were_asked_for_leave_stdout_to_programs() {
    let folder = folder();
    let summary = folder.0.join("step.md");
    let summary = summary.to_str().expect("the folder has a plain name");
    let ran = folder.raddle_with(
        &["check", "bank.c", "--formats", "github", "--format", "json"],
        &[("GITHUB_STEP_SUMMARY", summary)],
    );
    assert_eq!(ran.json()["verdict"], "failed");
    assert_eq!(annotations(&ran.err), 1, "{}", ran.err);
    let written = std::fs::read_to_string(summary).expect("the summary of the step was written");
    assert!(written.contains("bank.c"), "{written}");
    // Where GitHub runs it and it is asked for as well, it is said once.
    let ran = folder.raddle_with(&["check", "bank.c", "--formats", "github"], &[("GITHUB_ACTIONS", "true")]);
    assert_eq!(annotations(&(ran.out + &ran.err)), 1);
}

#[test]
fn the_settings_show_the_formats_and_where_they_came_from() {
    let folder = folder();
    let shown = folder.raddle(&["show-config", "--profile", "ci"]).out;
    let line = shown.lines().find(|line| line.starts_with("formats ")).expect("it is a setting");
    assert!(line.contains("junit,chrome,human,github-summary,github"), "{line}");
    assert!(line.ends_with("raddle.toml:6, profile ci"), "{line}");
}
