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

/// The one document of a refusal: it fits the schema, has this exit code, and its message contains this.
fn refused(ran: &Ran, code: i32, message: &str) {
    assert_eq!(ran.code, Some(code), "{ran:#?}");
    let schema =
        std::fs::read_to_string(root().join("docs/schema/raddle-1.schema.json")).expect("it is there");
    let document = ran.json();
    assert_eq!(schema::problems(&schema, &ran.out), Vec::<String>::new());
    assert_eq!(document["error"]["exit_code"], code);
    assert!(document["error"]["message"].as_str().is_some_and(|text| text.contains(message)), "{ran:#?}");
}

#[test]
fn a_replay_that_leaves_its_schedule_is_one_document() {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    folder.file("fixed.c", FIXED);
    let found = folder.raddle(&["check", "bank.c", "--format", "json"]).json();
    let id = found["findings"][0]["id"].as_str().expect("there is a bug in it").to_owned();
    assert_eq!(folder.raddle(&["cc", "-pthread", "fixed.c", "-o", "fixed"]).code, Some(0));
    let ran = folder.raddle(&["replay", &id, "--program", "fixed", "--format", "json"]);
    refused(&ran, 6, "DIVERGED");
    let text = folder.raddle(&["replay", &id, "--program", "fixed"]);
    assert!(text.err.starts_with("   DIVERGED  replay left the recorded schedule at step "), "{text:#?}");
}

#[test]
fn what_is_not_controlled_is_named_with_its_place_and_in_how_many_of_all_runs() {
    let folder = Folder::new();
    folder.file("a/long/way/down/to/the/cancels.c", include_str!("../../../corpus/native/cancellation.c"));
    let ran = folder.raddle(&["check", "a/long/way/down/to/the/cancels.c"]);
    assert_eq!(ran.code, Some(5), "{ran:#?}");
    let line = ran.out.lines().find(|line| line.contains("pthread_cancel")).unwrap_or_default();
    assert_eq!(line.trim(), "uses  pthread_cancel  a/long/way/down/to/the/cancels.c:16  in 3 of 3 runs");
    assert!(
        ran.out.contains("  1 run · auto: optimal-dpor, and 2 guided runs beside · 2 threads"),
        "{}",
        ran.out
    );
}

#[test]
fn a_bug_of_ours_is_one_document() {
    let folder = Folder::new();
    folder.file("fixed.c", FIXED);
    let ran = folder.raddle_with(&["check", "fixed.c", "--format", "json"], &[("RADDLE_PANIC", "check")]);
    refused(&ran, 70, "a bug in raddle, not in your program");
    assert!(ran.err.contains("raddle: please send "), "{}", ran.err);
    let file = ran.err.split("please send ").nth(1).and_then(|rest| rest.lines().next());
    std::fs::remove_file(file.unwrap_or_default()).expect("the file that the message names is there");
    let lines =
        folder.raddle_with(&["check", "fixed.c", "--message-format", "json"], &[("RADDLE_PANIC", "check")]);
    let events: Vec<serde_json::Value> =
        lines.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!((lines.code, events.len()), (Some(70), 2), "{lines:#?}");
    assert_eq!((&events[1]["event"], &events[1]["error"]["exit_code"]), (&"failed".into(), &70.into()));
}

#[test]
fn a_search_that_was_interrupted_is_one_document() {
    use std::io::BufRead;
    let folder = Folder::new();
    folder.file("locks.c", LOCKS);
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["check", "locks.c", "--strategy", "optimal-dpor", "--list", "runs", "--format", "json"])
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut said = std::io::BufReader::new(child.stderr.take().expect("it was asked for"));
    said.read_line(&mut String::new()).expect("it lists its first run");
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(asked.is_ok_and(|status| status.success()));
    let rest = std::thread::spawn(move || said.lines().map_while(Result::ok).for_each(drop));
    let ran = Ran::new(&child.wait_with_output().expect("it ends"));
    rest.join().expect("it reads to the end");
    assert_eq!(ran.code, Some(130), "{ran:#?}");
    let document = ran.json();
    assert_eq!(
        (&document["verdict"], &document["limit"]["kind"]),
        (&"stopped".into(), &"interrupted".into())
    );
}

/// Four threads that take one lock four times each: more orders than anybody waits for.
const LOCKS: &str = "#include <pthread.h>\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int sum;\n\
    static void *work(void *unused) {\n  for (int i = 0; i < 4; i++) { pthread_mutex_lock(&lock); sum++; \
    pthread_mutex_unlock(&lock); }\n  return unused;\n}\nint main(void) {\n  pthread_t t[4];\n  for (int i = 0; i < 4; i++) \
    pthread_create(&t[i], 0, work, 0);\n  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);\n  return 0;\n}\n";

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

#[test]
fn a_record_that_cannot_be_kept_is_told_with_what_to_do_and_the_verdict_stays() {
    let folder = Folder::new();
    folder.file("fixed.c", FIXED);
    for (out, why) in [("/dev/full", "it is no folder"), ("/proc/absent", "No such file or directory")] {
        let ran = folder.raddle(&["check", "fixed.c", "--out", out]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        let said = format!("raddle: note: the record could not be kept in {out}: {why}");
        assert!(ran.err.starts_with(&said) && ran.err.contains("; --out names another folder"), "{ran:#?}");
    }
}

#[test]
fn output_that_nobody_can_take_is_exit_code_2() {
    let folder = Folder::new();
    folder.file("fixed.c", FIXED);
    for flags in ["", "--format json", "--message-format json"] {
        let script = format!("\"$1\" check fixed.c {flags} > /dev/full");
        let mut command = Command::new("sh");
        command.current_dir(&folder.0).args(["-c", &script, "sh", env!("CARGO_BIN_EXE_raddle")]);
        let ran = Ran::new(&command.env_remove("GITHUB_ACTIONS").output().expect("sh starts"));
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        let said = "raddle: could not write the output to stdout: No space left on device";
        assert!(ran.err.starts_with(said), "{ran:#?}");
    }
}
