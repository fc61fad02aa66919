//! Guided search of C programs by the real command: the default, what is kept between checks, aims, native runs.

mod common;

use common::Folder;

/// Two threads that go through two locked sections each, in functions of their own.
const SECTIONS: &str = r#"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void add(int n)
{
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
}
static void *twice(void *unused)
{
    add(1);
    add(2);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, twice, 0);
    pthread_create(&b, 0, twice, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return total != 6;
}
"#;

/// Ends with exit code 1, whatever the schedule.
const NEVER_GOOD: &str = r#"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *section(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, section, 0);
    section(0);
    pthread_join(other, 0);
    return 1;
}
"#;

/// Two lines that take one lock: one run shows one of their orders.
const TWO_LINES: &str = r#"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("sections.c", SECTIONS);
    folder
}

#[test]
fn the_default_exhausts_a_small_program_in_the_runs_that_optimal_reduction_needs() {
    let folder = folder();
    let by_default = folder.raddle(&["check", "sections.c", "--format", "json"]).json();
    let optimal =
        folder.raddle(&["check", "sections.c", "--format", "json", "--strategy", "optimal-dpor"]).json();
    assert_eq!(by_default["strategy"], "auto");
    for key in ["verdict", "runs", "blocked", "steps", "threads", "finished"] {
        assert_eq!(by_default[key], optimal[key], "{key}");
    }
    assert_eq!((by_default["verdict"].as_str(), by_default["runs"].as_u64()), (Some("exhausted"), Some(6)));
}

#[test]
fn a_budget_that_ends_early_is_no_pass() {
    let folder = folder();
    let ran = folder.raddle(&["check", "sections.c", "--format", "json", "--max-runs", "2"]);
    assert_eq!((ran.code, ran.json()["verdict"].as_str()), (Some(4), Some("stopped")));
}

#[test]
fn a_file_of_pairs_that_cannot_be_written_is_refused_before_the_search() {
    let folder = folder();
    let ran =
        folder.raddle(&["check", "sections.c", "--strategy", "hapset", "--hapset", "nowhere/pairs.txt"]);
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.err.contains("could not write the HaPSets to nowhere/pairs.txt"), "{ran:#?}");
}

#[test]
fn what_was_covered_is_kept_and_a_file_that_does_not_fit_is_refused() {
    let folder = folder();
    let check = ["check", "sections.c", "--strategy", "hapset", "--max-runs", "40", "--hapset", "pairs.txt"];
    let first = folder.raddle(&check);
    assert_eq!(first.code, Some(0), "{first:#?}");
    let pairs = || std::fs::read_to_string(folder.0.join("pairs.txt")).expect("the file is written");
    let kept = pairs();
    assert!(kept.starts_with("raddle hapset 1\ncontext 0\n"), "{kept}");
    assert_eq!(folder.raddle(&check).code, Some(0));
    assert_eq!(pairs(), kept, "merging is idempotent");
    let again = folder.raddle(&[&check[..], &["--format", "json"]].concat()).json();
    assert_eq!(again["coverage"]["new_per_100_runs"], 0.0, "what was read from the file is not new");
    let other = folder.raddle(&[&check[..], &["--context", "1"]].concat());
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("they tell 0 calls of a statement apart, these tell 1"), "{}", other.err);
    folder.file("pairs.txt", "something else");
    let foreign = folder.raddle(&check);
    assert_eq!(foreign.code, Some(2));
    assert!(foreign.err.contains("this is not a file of HaPSets"), "{}", foreign.err);
    assert_eq!(pairs(), "something else", "what is refused is not overwritten");
}

#[test]
fn calls_tell_statements_apart() {
    let folder = folder();
    let pairs = |context: &str| {
        let check = ["check", "sections.c", "--strategy", "hapset", "--max-runs", "60", "--context", context];
        folder.raddle(&[&check[..], &["--format", "json"]].concat()).json()["coverage"]["pairs"].as_u64()
    };
    // Two creations before the first statement of a thread, its last one before two joins, and the lock, which meets itself;
    // by its caller the lock is two statements, each of which meets both.
    assert_eq!((pairs("0"), pairs("1")), (Some(5), Some(8)));
}

#[test]
fn an_order_that_was_never_seen_comes_with_the_aim_that_looks_for_it() {
    let folder = folder();
    folder.file("two_lines.c", TWO_LINES);
    let check = ["check", "two_lines.c", "--strategy", "hapset", "--max-runs", "1", "--format", "json"];
    let unseen = |check: &[&str]| folder.raddle(check).json()["coverage"]["one_sided"][0].clone();
    let first = unseen(&check);
    let lines = (first["first"]["line"].as_u64(), first["second"]["line"].as_u64());
    assert!([(Some(6), Some(14)), (Some(14), Some(6))].contains(&lines), "{first}");
    let aim = first["aim"].as_str().expect("an aim is a text").to_owned();
    // The first run that is aimed shows what the run before did not.
    let aimed = unseen(&[&check[..], &["--aim", &aim]].concat());
    assert_eq!((aimed["second"]["line"].as_u64(), aimed["first"]["line"].as_u64()), lines, "{aim}");
    let said = |aim: &str| folder.raddle(&[&check[..], &["--aim", aim]].concat()).err;
    assert!(said(&aim).contains("was seen right before line two_lines.c:"), "{}", said(&aim));
    assert!(said("1:2").contains("line 1 was never seen right before line 2"), "{}", said("1:2"));
    for guide in [["--aim", "1:2"], ["--hapset", "pairs.txt"]] {
        let other =
            folder.raddle(&[&["check", "two_lines.c", "--strategy", "optimal-dpor"], &guide[..]].concat());
        assert_eq!(other.code, Some(2), "{other:#?}");
        assert!(other.err.contains("the strategy `optimal-dpor` is not guided"), "{}", other.err);
    }
    let wrong = folder.raddle(&[&check[..], &["--aim", "two_lines.c"]].concat());
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("--aim: `two_lines.c` is not an aim"), "{}", wrong.err);
}

#[test]
fn native_runs_teach_if_they_end_well() {
    let folder = folder();
    folder.file("never_good.c", NEVER_GOOD);
    let check = |program| {
        folder
            .raddle(&["check", program, "--strategy", "hapset", "--max-runs", "5", "--learn-native", "3"])
            .err
    };
    let learned = check("sections.c");
    assert!(learned.contains("from 3 good native runs of 3"), "{learned}");
    let nothing = check("never_good.c");
    assert!(
        nothing.contains("learned 0 ordered pairs of statements from 0 good native runs of 3"),
        "{nothing}"
    );
}

#[test]
fn exhaustive_strategies_are_held_against_each_other() {
    let folder = folder();
    let strategies = "auto,optimal-dpor,dpor,every,random";
    let compare = ["compare", "sections.c", "--strategies", strategies, "--max-runs", "500", "--seeds", "2"];
    let ran = folder.raddle(&compare);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.out.contains("the exhaustive strategies agree on all 6 traces"), "{}", ran.out);
    let kept = std::fs::read_to_string(folder.0.join("raddle-out/latest/compare.json"))
        .expect("the rows are kept as JSON");
    let rows: serde_json::Value = serde_json::from_str(&kept).expect("it is JSON");
    assert_eq!(rows[1]["traces"], serde_json::json!([6, 6]));
    assert_eq!((rows[4]["seeds"].as_u64(), rows[4]["runs"].as_u64()), (Some(2), Some(1000)));
}
