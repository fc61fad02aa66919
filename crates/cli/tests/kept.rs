//! `raddle-out/`: a folder for each check, `latest`, what happened line by line; several checks at once; old ones go.

mod common;

#[path = "../../report/src/tests/schema.rs"]
mod schema;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Folder, Ran, root};
use serde_json::Value;

const BANK: &str = include_str!("../../../examples/c/bank.c");
const FIXED: &str = include_str!("../../../examples/c/bank_fixed.c");

fn folder_with_bank() -> Folder {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    folder.file("fixed.c", FIXED);
    folder
}

fn names(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn latest(folder: &Folder) -> PathBuf {
    std::fs::read_link(folder.0.join("raddle-out/latest")).expect("latest is a link")
}

/// The lines, each of which fits the published schema.
fn lines(text: &str) -> Vec<Value> {
    let schema =
        std::fs::read_to_string(root().join("docs/schema/raddle-events-1.schema.json")).expect("it is there");
    let value = |line: &str| {
        assert_eq!(schema::problems(&schema, line), Vec::<String>::new(), "{line}");
        serde_json::from_str::<Value>(line).expect("the schema was fitted")
    };
    text.lines().map(value).collect()
}

fn events(lines: &[Value]) -> Vec<&str> {
    lines.iter().filter_map(|line| line["event"].as_str()).collect()
}

#[test]
fn every_check_has_a_folder_and_latest_leads_to_the_last_one() {
    let folder = folder_with_bank();
    let found = folder.raddle(&["check", "bank.c", "--format", "json"]).json();
    let id = found["findings"][0]["id"].as_str().expect("there is a bug in it").to_owned();
    assert_eq!(found["findings"][0]["schedule"], format!("raddle-out/findings/{id}/schedule.txt"));
    assert_eq!(latest(&folder), Path::new("checks/1"));
    let out = folder.0.join("raddle-out");
    assert_eq!(names(&out), ["checks", "findings", "latest", "lock"]);
    let files = ["events.jsonl", "findings", "junit.xml", "record.json", "report.html", "results.sarif"];
    assert_eq!(names(&out.join("latest")), files);
    assert_eq!(
        names(&out.join("latest/findings").join(&id)),
        [
            "explain.txt",
            "finding.json",
            "finding.txt",
            "passing.txt",
            "program",
            "replay.json",
            "report.html",
            "schedule.txt",
            "source"
        ]
    );
    assert_eq!(folder.raddle(&["check", "fixed.c"]).code, Some(0));
    assert_eq!(latest(&folder), Path::new("checks/2"));
    assert_eq!(folder.raddle(&["report"]).out, "raddle-out/latest/report.html\n");
    // What the first check found can still be replayed, by its id and by its folder.
    assert_eq!(folder.raddle(&["replay", &id]).code, Some(1));
    assert_eq!(folder.raddle(&["replay", &format!("raddle-out/checks/1/findings/{id}")]).code, Some(1));
}

#[test]
fn what_happened_is_told_line_by_line_in_the_folder_and_on_stdout() {
    let folder = folder_with_bank();
    let ran = folder.raddle(&["check", "bank.c", "--message-format", "json", "--", "an argument"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let told = lines(&ran.out);
    assert_eq!(events(&told), ["started", "finding", "ended"]);
    assert_eq!(told[0]["program"], "bank.c");
    assert_eq!(told[0]["arguments"], serde_json::json!(["an argument"]));
    assert_eq!(told[0]["folder"], "raddle-out/checks/1");
    assert_eq!((&told[2]["verdict"], &told[2]["exit_code"]), (&"failed".into(), &1.into()));
    assert_eq!(told[2]["findings"][0], told[1]["finding"]["id"]);
    // The report is for people, so it is not on stdout.
    assert!(ran.err.contains("       FAIL  assertion `balance == 30` failed in T0 main"), "{}", ran.err);
    let kept = std::fs::read_to_string(folder.0.join("raddle-out/latest/events.jsonl")).expect("kept");
    assert_eq!(kept, ran.out);
    let record = folder.raddle(&["check", "bank.c", "--format", "json"]).json();
    assert_eq!(record["findings"][0], told[1]["finding"]);
}

#[test]
fn programs_of_the_settings_file_follow_each_other() {
    let folder = folder_with_bank();
    folder.file(
        "raddle.toml",
        "[default]\nmessage-format = \"json\"\n[[program]]\nsource = \"fixed.c\"\n[[program]]\nsource = \"bank.c\"\n",
    );
    let ran = folder.raddle(&["check"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_eq!(events(&lines(&ran.out)), ["started", "ended", "started", "finding", "ended"]);
    assert_eq!(names(&folder.0.join("raddle-out/checks")), ["1", "2"]);
}

#[test]
fn who_wants_lines_gets_one_also_if_there_is_no_result() {
    let folder = folder_with_bank();
    let cases: [(&[&str], i32, &[&str], &str); 3] = [
        (&["check", "--message-format", "json", "absent.c"], 2, &["failed"], "could not read absent.c"),
        (
            &["check", "--message-format=json", "bank.c", "--format", "sarif"],
            2,
            &["failed"],
            "--message-format json and --format sarif both write to stdout",
        ),
        (
            &["check", "--message-format", "json", "/bin/true"],
            3,
            &["started", "failed"],
            "not built for raddle",
        ),
    ];
    for (arguments, code, expected, message) in cases {
        let ran = folder.raddle(arguments);
        assert_eq!(ran.code, Some(code), "{ran:#?}");
        let told = lines(&ran.out);
        assert_eq!(events(&told), expected, "{ran:#?}");
        let error = &told[told.len() - 1]["error"];
        assert_eq!(error["exit_code"], code);
        assert!(error["message"].as_str().is_some_and(|text| text.contains(message)), "{ran:#?}");
    }
    // What came to nothing leaves nothing behind.
    assert!(!folder.0.join("raddle-out/latest").exists());
}

#[test]
fn a_check_that_came_to_nothing_gives_latest_back() {
    let folder = folder_with_bank();
    assert_eq!(folder.raddle(&["check", "fixed.c"]).code, Some(0));
    let late = "__attribute__((constructor)) static void no(void) { __builtin_trap(); }\nint main(void) { return 0; }\n";
    folder.file("late.c", late);
    assert_eq!(folder.raddle(&["check", "late.c"]).code, Some(3));
    assert_eq!(latest(&folder), Path::new("checks/1"));
    assert_eq!(names(&folder.0.join("raddle-out/checks")), ["1"]);
}

#[test]
fn checks_that_use_one_folder_at_once_do_each_other_no_harm() {
    const AT_ONCE: usize = 8;
    let folder = folder_with_bank();
    let start = |number: usize| {
        let program = if number.is_multiple_of(2) { "bank.c" } else { "fixed.c" };
        let command = Command::new(env!("CARGO_BIN_EXE_raddle"))
            .args(["check", program, "--format", "json"])
            .env_remove("GITHUB_ACTIONS")
            .current_dir(&folder.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        command.expect("the command starts")
    };
    let started: Vec<_> = (0..AT_ONCE).map(start).collect();
    for (number, child) in started.into_iter().enumerate() {
        let ran = Ran::new(&child.wait_with_output().expect("it ends"));
        let (code, verdict) = if number.is_multiple_of(2) { (1, "failed") } else { (0, "exhausted") };
        assert_eq!((ran.code, &ran.json()["verdict"]), (Some(code), &verdict.into()), "{ran:#?}");
        assert_eq!(ran.err, "", "nothing was lost");
    }
    let checks = folder.0.join("raddle-out/checks");
    assert_eq!(names(&checks), (1..=AT_ONCE).map(|number| number.to_string()).collect::<Vec<_>>());
    let verdicts = names(&checks).into_iter().map(|name| {
        let kept = std::fs::read_to_string(checks.join(&name).join("events.jsonl")).expect("kept");
        let told = lines(&kept);
        let record = std::fs::read_to_string(checks.join(&name).join("record.json")).expect("kept");
        let record: Value = serde_json::from_str(&record).expect("a whole document");
        assert_eq!(told.last().expect("it ended")["verdict"], record["verdict"]);
        record["verdict"].as_str().map(str::to_owned)
    });
    let failed = verdicts.filter(|verdict| verdict.as_deref() == Some("failed")).count();
    assert_eq!(failed, AT_ONCE / 2);
    // The one finding is whole, and nothing half written is left.
    let findings = names(&folder.0.join("raddle-out/findings"));
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(folder.raddle(&["replay", &findings[0]]).code, Some(1));
}

#[test]
fn old_checks_go_but_not_their_findings() {
    let folder = folder_with_bank();
    folder.raddle(&["check", "bank.c"]);
    for _ in 0..3 {
        assert_eq!(folder.raddle(&["check", "fixed.c", "--keep-checks", "2"]).code, Some(0));
    }
    assert_eq!(names(&folder.0.join("raddle-out/checks")), ["3", "4"]);
    assert_eq!(names(&folder.0.join("raddle-out/findings")).len(), 1);
    assert_eq!(folder.raddle(&["check", "fixed.c", "--keep-size", "0"]).code, Some(0));
    assert_eq!(names(&folder.0.join("raddle-out/checks")), ["5"]);
    assert_eq!(names(&folder.0.join("raddle-out/findings")), Vec::<String>::new());
    assert_eq!(latest(&folder), Path::new("checks/5"));
}

#[test]
fn what_an_earlier_version_left_in_latest_stays_a_check_that_can_go_on() {
    let folder = folder_with_bank();
    let first = ["check", "fixed.c", "--strategy", "optimal-dpor", "--max-runs", "1"];
    assert_eq!(folder.raddle(&first).code, Some(4));
    let out = folder.0.join("raddle-out");
    std::fs::remove_file(out.join("latest")).expect("a link");
    std::fs::remove_file(out.join("checks/1/events.jsonl")).expect("a file");
    std::fs::rename(out.join("checks/1"), out.join("latest")).expect("a folder");
    let on = folder.raddle(&["check", "--resume", "latest", "--format", "json"]);
    assert_eq!((on.code, &on.json()["runs"]), (Some(0), &2.into()), "{on:#?}");
    assert_eq!(names(&out.join("checks")), ["1", "2"]);
    assert_eq!(latest(&folder), Path::new("checks/2"));
}

#[test]
fn a_search_whose_continuation_was_killed_can_go_on_from_where_that_began() {
    let folder = folder_with_bank();
    let first = ["check", "fixed.c", "--strategy", "optimal-dpor", "--max-runs", "1"];
    assert_eq!(folder.raddle(&first).code, Some(4));
    // A check that was killed leaves a folder without a record, to which `latest` leads.
    folder.file("raddle-out/checks/2/events.jsonl", "");
    let out = folder.0.join("raddle-out");
    std::fs::remove_file(out.join("latest")).expect("a link");
    std::os::unix::fs::symlink("checks/2", out.join("latest")).expect("a link can be made");
    assert_eq!(folder.raddle(&["report"]).out, "raddle-out/checks/1/report.html\n");
    let on = folder.raddle(&["check", "--resume", "latest", "--format", "json"]);
    assert_eq!((on.code, &on.json()["runs"]), (Some(0), &2.into()), "{on:#?}");
}

#[test]
fn a_finding_of_a_rust_test_is_shown_and_says_how_it_is_replayed() {
    let folder = Folder::new();
    let own = |name: &str| format!("raddle-out/findings/r1u5t/{name}");
    folder.file(&own("schedule.txt"), "raddle schedule 1\n");
    folder.file(&own("explain.txt"), "       FAIL  every step in words\n");
    folder.file(&own("report.html"), "<!DOCTYPE html>\n");
    let replay = "RADDLE_REPLAY=r1u5t cargo test it -- --exact";
    let finding = serde_json::json!({ "schema": 1, "finding": { "id": "r1u5t", "replay": replay } });
    folder.file(&own("finding.json"), &finding.to_string());
    assert_eq!(folder.raddle(&["explain", "r1u5t"]).out, "       FAIL  every step in words\n");
    assert_eq!(folder.raddle(&["report", "r1u5t"]).out, own("report.html") + "\n");
    let ran = folder.raddle(&["replay", "r1u5t"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("a finding of a Rust program") && ran.err.contains(replay), "{ran:#?}");
}

#[test]
fn a_recorded_rust_check_is_kept_and_shown_like_one_of_the_command() {
    let folder = folder_with_bank();
    let out = folder.0.join("raddle-out");
    assert_eq!(folder.raddle(&["check", "bank.c"]).code, Some(1));
    let report = raddle::Check::new().name("fails").out(&out).record(true).run(|| panic!("as it should"));
    let id = report.findings()[0].id().to_owned();
    assert_eq!(latest(&folder), Path::new("checks/2"));
    let (of_command, of_test) = (names(&out.join("checks/1")), names(&out.join("checks/2")));
    assert_eq!(of_command, of_test, "the command has the feature for all formats, and so has this test");
    assert_eq!(folder.raddle(&["report"]).out, "raddle-out/latest/report.html\n");
    let explained = folder.raddle(&["explain", &id]);
    assert!(explained.out.contains("as it should"), "{explained:#?}");
    // What a passing check leaves is not in the way of the next one.
    assert_eq!(folder.raddle(&["check", "fixed.c"]).code, Some(0));
    assert_eq!(latest(&folder), Path::new("checks/3"));
}
