//! Where the command runs: behind a pipe that closes, in a step on GitHub, called by a program that wants JSON whatever
//! happens, in a folder that cannot be written.

mod common;

#[path = "../../report/src/tests/schema.rs"]
mod schema;

use std::process::Command;

use common::{Folder, Ran, root};

const BANK: &str = include_str!("../../../examples/c/bank.c");
const FIXED: &str = include_str!("../../../examples/c/bank_fixed.c");

#[test]
fn who_closes_the_pipe_still_gets_the_exit_code() {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    // Nobody reads: the first write fails.
    let script = "\"$1\" check bank.c | :; echo ${PIPESTATUS[0]}";
    let mut command = Command::new("bash");
    command.current_dir(&folder.0).args(["-c", script, "bash", env!("CARGO_BIN_EXE_raddle")]);
    let ran = Ran::new(&command.env_remove("GITHUB_ACTIONS").output().expect("bash starts"));
    assert_eq!((ran.out.trim(), ran.err.as_str()), ("1", ""), "{ran:#?}");
}

#[test]
fn on_github_findings_stand_beside_their_lines_and_in_the_summary() {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    let summary = folder.file("summary.md", "before\n");
    let variables =
        [("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", summary.to_str().expect("a plain path"))];
    let ran = folder.raddle_with(&["check", "bank.c"], &variables);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.out.contains("       FAIL  assertion"), "{}", ran.out);
    let annotations = ran.out.lines().filter(|line| line.starts_with("::error file=bank.c,line=24,")).count();
    assert_eq!(annotations, 1, "{}", ran.out);
    let text = std::fs::read_to_string(&summary).expect("the summary is there");
    assert!(text.starts_with("before\n### raddle: bank\\.c\n"), "{text}");
    // Machine formats stay what they are.
    let json = folder.raddle_with(&["check", "bank.c", "--format", "json"], &variables);
    assert_eq!(json.json()["verdict"], "failed");
}

#[test]
fn who_wants_json_gets_one_document_whatever_happens() {
    let folder = Folder::new();
    folder.file("fixed.c", FIXED);
    folder.file("broken.c", "int main(void) { return\n");
    folder.file("cancels.c", include_str!("../../../corpus/native/cancellation.c"));
    let schema =
        std::fs::read_to_string(root().join("docs/schema/raddle-1.schema.json")).expect("it is there");
    let cases: [(&[&str], i32); 8] = [
        (&["check", "--format", "json", "fixed.c"], 0),
        (&["check", "--format=json", "absent.c"], 2),
        (&["check", "--format", "json", "--no-such-flag"], 2),
        (&["check", "--format", "json", "fixed.c", "--max-time", "5"], 2),
        (&["check", "--format", "json", "broken.c"], 3),
        (&["check", "--format", "json", "fixed.c", "--max-runs", "1", "--strategy", "optimal-dpor"], 4),
        (&["check", "--format", "json", "cancels.c"], 5),
        (&["replay", "--format", "json", "abcde"], 2),
    ];
    for (arguments, code) in cases {
        let ran = folder.raddle(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:#?}");
        let document = ran.json();
        assert_eq!(schema::problems(&schema, &ran.out), Vec::<String>::new(), "{arguments:?}");
        if document["error"].is_object() {
            assert_eq!(document["error"]["exit_code"], code, "{arguments:?}");
        } else {
            assert!(document["verdict"].is_string(), "{arguments:?}: {document:#}");
        }
    }
}

#[test]
fn what_cannot_be_kept_is_told_and_no_replay_is_promised() {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    folder.file("taken", "a file where a folder should be\n");
    let ran = folder.raddle(&["check", "bank.c", "--out", "taken"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("note the finding could not be kept in taken"), "{}", ran.out);
    assert!(said.contains("--out names another folder"), "{}", ran.out);
    assert!(!ran.out.contains("raddle replay"), "{}", ran.out);
}

#[test]
fn as_many_workers_as_cores_can_be_asked_for_by_name() {
    let folder = Folder::new();
    folder.file("raddle.toml", "[default]\nworkers = \"cores\"\n");
    let ran = folder.raddle(&["show-config"]);
    let cores = std::thread::available_parallelism().expect("a machine has cores").get().to_string();
    let line = ran.out.lines().find(|line| line.starts_with("workers ")).unwrap_or_default();
    assert_eq!(line.split_whitespace().nth(1), Some(cores.as_str()), "{ran:#?}");
    let none = folder.raddle(&["show-config", "--workers", "0"]);
    assert!(none.code == Some(2) && none.err.contains("write `4`, or `cores`"), "{none:#?}");
}
