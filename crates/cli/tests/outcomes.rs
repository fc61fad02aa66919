//! Which outcomes a program has: those that are known, with every way to search it; and how often a finding was met.

mod common;

#[path = "../../report/src/tests/schema.rs"]
mod schema;

use common::{Folder, root};

const BANK: &str = include_str!("../../../examples/c/bank.c");
const DINING: &str = include_str!("../../../examples/c/dining.c");

/// Each thread writes its own variable and reads the other's: one of them comes second and sees what the first wrote.
const BUFFERING: &str = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x, y;\nstatic int r1, r2;\n\
    static void *one(void *unused) { atomic_store(&x, 1); r1 = atomic_load(&y); return unused; }\n\
    static void *two(void *unused) { atomic_store(&y, 1); r2 = atomic_load(&x); return unused; }\n\
    int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, one, 0);\n  pthread_create(&b, 0, two, 0);\n  \
    pthread_join(a, 0);\n  pthread_join(b, 0);\n  return 0;\n}\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    folder.file("dining.c", DINING);
    folder.file("buffering.c", BUFFERING);
    folder
}

/// The values of each outcome, in order, and how many traces it has.
fn known(document: &serde_json::Value, names: &[&str]) -> Vec<(Vec<String>, u64)> {
    let mut known: Vec<(Vec<String>, u64)> = document["outcomes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let value = |name: &&str| one["values"][*name].as_str().unwrap_or("?").to_owned();
            (names.iter().map(value).collect(), one["traces"].as_u64().expect("counted"))
        })
        .collect();
    known.sort();
    known
}

#[test]
fn outcomes_are_told_with_what_the_variables_hold_and_how_many_traces_there_are() {
    let folder = folder();
    let ran = folder.raddle(&["explain", "--outcomes", "bank.c"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:#?}");
    assert_eq!(
        ran.out,
        "  traces  ends                                         balance\n\
         \x20 ──────  ───────────────────────────────────────────  ───────\n\
         \x20      2  in order                                          30\n\
         \x20      1  assertion `balance == 30` failed, bank.c:24       70\n\
         \x20      1  assertion `balance == 30` failed, bank.c:24       60\n\
         \n\
         \x20  outcomes  3 outcomes in 4 traces; every interleaving was covered, so there are no others\n"
    );
    // What is only looked at leaves nothing behind.
    assert!(!folder.0.join("raddle-out").exists());
}

#[test]
fn every_way_to_search_knows_the_same_outcomes() {
    let folder = folder();
    let schema =
        std::fs::read_to_string(root().join("docs/schema/raddle-1.schema.json")).expect("it is there");
    let expected =
        [["0", "1"], ["1", "0"], ["1", "1"]].map(|[r1, r2]| (vec![r1.to_owned(), r2.to_owned()], 1));
    for strategy in ["auto", "optimal-dpor", "dpor", "dpor-cr-sleep", "every"] {
        for isolation in ["inline", "fork"] {
            let ran = folder.raddle(&[
                "explain",
                "--outcomes",
                "buffering.c",
                "--strategy",
                strategy,
                "--isolation",
                isolation,
                "--format",
                "json",
            ]);
            assert_eq!(ran.code, Some(0), "{ran:#?}");
            let document = ran.json();
            assert_eq!(schema::problems(&schema, &ran.out), Vec::<String>::new(), "{}", ran.out);
            assert_eq!(known(&document, &["r1", "r2"]), expected, "{strategy}, {isolation}");
            assert_eq!((&document["complete"], &document["traces"]), (&true.into(), &3.into()));
        }
    }
}

#[test]
fn what_a_limit_left_out_is_not_claimed() {
    let folder = folder();
    let arguments = ["explain", "--outcomes", "buffering.c", "--strategy", "optimal-dpor", "--max-runs", "2"];
    let ran = folder.raddle(&arguments);
    assert_eq!(ran.code, Some(4), "{ran:#?}");
    let last = ran.out.lines().last().unwrap_or_default();
    assert_eq!(last, "   outcomes  2 outcomes in 2 traces; there may be others: stopped by --max-runs 2");
    let sample =
        folder.raddle(&["explain", "--outcomes", "buffering.c", "--strategy", "random", "--max-runs", "50"]);
    let last = sample.out.lines().last().unwrap_or_default();
    assert!(last.ends_with("; there may be others: stopped by --max-runs 50"), "{last}");
}

#[test]
fn a_finding_knows_how_many_traces_end_like_it_if_the_search_went_on() {
    let folder = folder();
    let said = |arguments: &[&str]| {
        let ran = folder.raddle(&[&["check"], arguments].concat());
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let scope = words.split("scope ").nth(1).unwrap_or_default();
        scope.split(" · ").nth(3).unwrap_or_default().split(" hint ").next().unwrap_or_default().to_owned()
    };
    for strategy in ["optimal-dpor", "auto"] {
        let end = said(&["dining.c", "--keep-going", "--strategy", strategy]);
        assert_eq!(end, "1 of 7 traces ends this way", "{strategy}");
    }
    // Every schedule is a run of its own here: three threads that take two locks each.
    let every = said(&["dining.c", "--keep-going", "--strategy", "every"]);
    assert!(every.ends_with(" runs end this way"), "{every}");
    let random = said(&["dining.c", "--keep-going", "--strategy", "random", "--max-runs", "40"]);
    assert!(random.starts_with("so far in ") && random.ends_with(" of 40 runs"), "{random}");
    // Who stops at the first finding does not know.
    let stopped = folder.raddle(&["check", "dining.c"]);
    assert!(!stopped.out.contains(" this way") && !stopped.out.contains("so far"), "{}", stopped.out);
    let json = folder.raddle(&["check", "bank.c", "--keep-going", "--format", "json"]).json();
    let met = serde_json::json!({ "times": 2, "of": 4, "what": "traces", "finished": true });
    assert_eq!(json["findings"][0]["met"], met);
}

#[test]
fn the_program_of_a_finding_can_be_asked_for_its_outcomes() {
    let folder = folder();
    let found = folder.raddle(&["check", "bank.c", "--format", "json"]).json();
    let id = found["findings"][0]["id"].as_str().expect("there is a bug in it");
    std::fs::remove_file(folder.0.join("bank.c")).expect("the source can be removed");
    let document = folder.raddle(&["explain", "--outcomes", id, "--format", "json"]).json();
    let expected =
        [("30", 2), ("60", 1), ("70", 1)].map(|(balance, traces)| (vec![balance.to_owned()], traces));
    assert_eq!(known(&document, &["balance"]), expected);
    let wrong = folder.raddle(&["explain", "--outcomes", "absent.c"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("could not read absent.c"), "{wrong:#?}");
}
