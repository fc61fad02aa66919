//! `--list`: what a search tried, also if nothing was found.

mod common;

use common::{Folder, Ran};
use serde_json::Value;

const BANK: &str = include_str!("../../../examples/c/bank.c");

fn check(more: &[&str]) -> (Folder, Ran) {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    let ran = folder.raddle(&[&["check", "bank.c", "--keep-going"], more].concat());
    (folder, ran)
}

fn listed(ran: &Ran) -> Vec<&str> {
    ran.err.lines().filter(|line| line.starts_with("run ")).collect()
}

#[test]
fn every_trace_is_listed_once_with_its_ending() {
    let (_folder, ran) = check(&["--list", "traces"]);
    let lines = listed(&ran);
    assert_eq!(lines.len(), 4, "{ran:#?}");
    assert_eq!(lines.iter().filter(|line| line.contains("  assertion  ")).count(), 2, "{lines:#?}");
    assert_eq!(lines.iter().filter(|line| line.contains("  in order  ")).count(), 2, "{lines:#?}");
    assert!(lines[0].ends_with("T0×3 T1 T2 T1×3 T0 T2×3 T0×2"), "{lines:#?}");
    // `auto` makes guided runs beside, which repeat what was tried.
    let (_folder, ran) = check(&["--list", "runs"]);
    assert!(listed(&ran).len() > 4, "{ran:#?}");
}

#[test]
fn more_than_wanted_are_not_listed_and_that_is_said() {
    let (_folder, ran) = check(&["--list", "traces", "--list-most", "2"]);
    assert_eq!(listed(&ran).len(), 2, "{ran:#?}");
    assert_eq!(
        ran.err.matches("2 traces are listed, and there are more; --list-most").count(),
        1,
        "{ran:#?}"
    );
}

#[test]
fn programs_get_the_list_as_json_and_it_is_kept() {
    let (folder, ran) = check(&["--list", "traces", "--message-format", "json"]);
    assert!(listed(&ran).is_empty(), "{ran:#?}");
    let lines: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect();
    let traces: Vec<&Value> = lines.iter().filter(|line| line["event"] == "listed").collect();
    assert_eq!(traces.len(), 4, "{lines:#?}");
    assert_eq!(traces[0]["turns"][0], serde_json::json!({ "thread": 0, "steps": 3 }));
    let kept = std::fs::read_to_string(folder.0.join("raddle-out/latest/events.jsonl"));
    assert_eq!(kept.expect("it is kept"), ran.out);
}

#[test]
fn who_lists_has_one_worker_and_is_told_so() {
    let (_folder, ran) = check(&["--list", "traces", "--workers", "2"]);
    assert_eq!(listed(&ran).len(), 4, "{ran:#?}");
    assert!(ran.err.contains("--list takes one worker"), "{ran:#?}");
}
