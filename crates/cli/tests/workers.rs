//! Several processes that search one C program together cover what one covers.

mod common;

use common::Folder;

/// Threads that are created by threads, in an order that the schedule decides, and each use one lock.
const NESTED: &str = r#"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *leaf(void *unused) {
    pthread_mutex_lock(&lock); sum++; pthread_mutex_unlock(&lock);
    return unused;
}
static void *branch(void *unused) {
    pthread_t child;
    pthread_mutex_lock(&lock); sum++; pthread_mutex_unlock(&lock);
    pthread_create(&child, 0, leaf, 0);
    pthread_join(child, 0);
    return unused;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, branch, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
"#;

const LATE: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int last;
static void *work(void *number) {
    for (int i = 0; i < 2; i++) atomic_store(&last, (int)(long)number);
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(last != 0);
    return 0;
}
"#;

#[test]
fn workers_make_the_runs_of_one() {
    let folder = Folder::new();
    folder.file("nested.c", NESTED);
    let built = folder.raddle(&["cc", "-pthread", "nested.c", "-o", "nested"]);
    assert_eq!(built.code, Some(0), "{built:#?}");
    for isolation in ["inline", "fork"] {
        for workers in ["1", "2", "3"] {
            let ran = folder.raddle(&[
                "check",
                "nested",
                "--isolation",
                isolation,
                "--workers",
                workers,
                "--strategy",
                "dpor-cr-sleep",
                "--format",
                "json",
            ]);
            let json = ran.json();
            assert_eq!(json["verdict"], "exhausted", "{workers} {isolation}: {ran:#?}");
            // Three pairs of critical sections, each pair in order: 6! / 2!³.
            assert_eq!(json["runs"], 90, "{workers} {isolation}: {ran:#?}");
            assert_eq!(json["workers"].to_string(), workers);
            assert_eq!(ran.err, "");
        }
    }
    let by_default = folder.raddle(&["check", "nested", "--workers", "2", "--format", "json"]);
    let json = by_default.json();
    assert_eq!((&json["verdict"], &json["runs"]), (&"exhausted".into(), &90.into()), "{by_default:#?}");
    let optimal = ["check", "nested", "--workers", "2", "--strategy", "optimal-dpor", "--format", "json"];
    let ran = folder.raddle(&optimal);
    assert_eq!(ran.json()["runs"], 90, "{ran:#?}");
    assert!(ran.err.contains("optimal-dpor cannot be divided among workers"), "{ran:#?}");
    let limited = folder.raddle(&[&optimal[..], &["--max-runs", "20"]].concat());
    assert_eq!(limited.json()["verdict"], "stopped", "{limited:#?}");
    assert!(limited.json()["runs"].as_u64().is_some_and(|runs| (20..=21).contains(&runs)), "{limited:#?}");
}

#[test]
fn workers_find_what_one_finds_and_stop_then() {
    let folder = Folder::new();
    folder.file("late.c", LATE);
    for isolation in ["inline", "fork"] {
        let ran = folder.raddle(&[
            "check",
            "late.c",
            "--workers",
            "3",
            "--isolation",
            isolation,
            "--format",
            "json",
        ]);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        let json = ran.json();
        assert_eq!(json["findings"].as_array().map(Vec::len), Some(1), "{ran:#?}");
        assert_eq!(
            (&json["findings"][0]["kind"], &json["findings"][0]["at"]["line"]),
            (&"assertion".into(), &14.into())
        );
        let id = json["findings"][0]["id"].as_str().expect("a finding has an id").to_owned();
        assert_eq!(folder.raddle(&["replay", &id]).code, Some(1));
    }
}
