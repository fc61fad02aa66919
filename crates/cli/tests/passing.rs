//! A run that passes beside a finding: a real run, kept with it, told where the finding is told.

mod common;

use common::Folder;
use serde_json::Value;

const BANK: &str = include_str!("../../../examples/c/bank.c");

/// Checks a program with a bug in it; its finding as the folder has it.
fn found(folder: &Folder, arguments: &[&str]) -> (String, Value) {
    let ran = folder.raddle(&[&["check", "--format", "json"], arguments].concat());
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let id = ran.json()["findings"][0]["id"].as_str().expect("there is a finding").to_owned();
    let path = folder.0.join("raddle-out/findings").join(&id).join("finding.json");
    let text = std::fs::read_to_string(path).expect("it was kept");
    (id, serde_json::from_str::<Value>(&text).expect("it is JSON")["finding"].clone())
}

#[test]
fn a_run_without_the_switch_passes_and_replays_from_a_copied_folder() {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    let (id, finding) = found(&folder, &["bank.c"]);
    let passing = &finding["passing"];
    assert_eq!([&passing["parts_at"], &passing["goes_on_at"]], [7, 7]);
    let text = "a run that passes parts at step 7: there T1 goes on with `balance ← 70`, bank.c:12; \
                here T2 goes with `balance → 100`, bank.c:11";
    assert_eq!(passing["text"], text);
    let steps = |trace: &Value| -> Vec<String> {
        let steps = trace.as_array().expect("the steps are there");
        steps.iter().map(|step| format!("T{} {}", step["thread"], step["text"])).collect()
    };
    let (fails, passes) = (steps(&finding["trace"]), steps(&passing["trace"]));
    assert_eq!(fails[..6], passes[..6]);
    assert_eq!((fails[6].as_str(), passes[6].as_str()), ("T2 \"balance → 100\"", "T1 \"balance ← 70\""));
    assert_eq!(passes.last().map(String::as_str), Some("T0 \"balance → 30\""));

    let elsewhere = Folder::new();
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .arg(folder.0.join("raddle-out/findings").join(&id))
        .arg(elsewhere.0.join("sent"))
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    assert_eq!(elsewhere.raddle(&["replay", "sent"]).code, Some(1));
    let ran = elsewhere.raddle(&["replay", "sent/passing.txt"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let passed = "       PASS  the recorded run was made again: it comes to its end, and nothing is wrong\n";
    assert!(ran.out.starts_with(passed) && ran.out.contains("run  14 steps · 3 threads\n"), "{ran:#?}");
    let explained = elsewhere.raddle(&["explain", "sent/"]);
    let told = explained.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(told.contains(&format!("passing {text}")), "{explained:#?}");
    let again = elsewhere.raddle(&["replay", "sent", "--format", "json"]).json();
    assert_eq!(again["findings"][0]["passing"]["text"], text);
    let part = elsewhere.raddle(&["replay", "sent", "--until", "5"]).out;
    assert!(part.contains("5 steps, 0 pre-emptions · replayed") && !part.contains("shrunk"), "{part}");
    let part = elsewhere.raddle(&["replay", "sent", "--until", "5", "--format", "json"]).json();
    assert_eq!(part["findings"][0].get("passing"), None);
    let kept = std::fs::read_to_string(elsewhere.0.join("sent/report.html")).expect("the page is there");
    assert!(kept.contains("A run that passes parts at step 7"));
}

#[test]
fn a_run_of_a_program_that_crashes_passes_too() {
    let folder = Folder::new();
    folder.file("null.c", include_str!("../../../corpus/native/null_pointer.c"));
    for isolation in ["inline", "fork"] {
        let (_, finding) = found(&folder, &["--isolation", isolation, "null.c"]);
        assert_eq!(finding["kind"], "crash");
        assert_eq!(finding["passing"]["parts_at"], 4, "{isolation}");
    }
}

#[test]
fn where_no_run_passes_that_is_said() {
    let folder = Folder::new();
    let race = "#include <pthread.h>\n#include <stdatomic.h>\nint plain; atomic_int seen;\n\
                void *count(void *unused) { atomic_fetch_add(&seen, 1); plain++; return unused; }\n\
                int main(void) { pthread_t a, b; pthread_create(&a, 0, count, 0); pthread_create(&b, 0, count, 0);\n\
                pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";
    folder.file("race.c", &race.replace("seen, 1)", "seen, 1), atomic_load(&seen)"));
    let (id, finding) = found(&folder, &["race.c"]);
    assert_eq!(finding["kind"], "data-race");
    let passing = &finding["passing"];
    assert_eq!([&passing["parts_at"], &passing["trace"]], [&Value::Null, &Value::Null]);
    let tried = passing["tried"].as_u64().expect("a number");
    assert!(tried > 1, "{passing}");
    let explained = folder.raddle(&["explain", &id]).out;
    assert!(
        explained.contains(&format!("passing  none was found: of {tried} runs that were tried")),
        "{explained}"
    );
    assert!(!folder.0.join("raddle-out/findings").join(&id).join("passing.txt").exists());

    folder.file(
        "alone.c",
        "#include <assert.h>\nint main(void) { int one = 1; assert(one == 2); return 0; }\n",
    );
    let (_, finding) = found(&folder, &["alone.c"]);
    assert_eq!(
        finding["passing"]["text"],
        "there is none to compare this one with: it leaves the schedule no choice"
    );
}
