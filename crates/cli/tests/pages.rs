//! What only a real program shows on the page: the calls that its steps lie in, and the runs of what was tried.

mod common;

use common::Folder;

const CALLS: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int number;

static int look(void)
{
    return atomic_load(&number);
}

static void change(int by)
{
    int seen = look();
    atomic_store(&number, seen + by);
}

static void *work(void *argument)
{
    change(1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    change(2);
    pthread_join(thread, NULL);
    assert(number == 3);
    return 0;
}
"#;

/// The page of the last check, with quotes as they were.
fn page(folder: &Folder) -> String {
    let page = folder.0.join("raddle-out/latest/report.html");
    std::fs::read_to_string(page).expect("the page is there").replace("&quot;", "\"")
}

/// The numbers in an attribute of the rows, by step.
fn of_steps<'a>(page: &'a str, attribute: &str) -> Vec<Option<&'a str>> {
    let rows = page.split("<a class=\"row").skip(1).map(|row| row.split('>').next().unwrap_or_default());
    rows.map(|row| row.split(&format!(" {attribute}=\"")).nth(1)?.split('"').next()).collect()
}

#[test]
fn steps_lie_in_the_calls_that_led_to_them_however_runs_are_kept_apart() {
    for isolation in ["inline", "fork"] {
        let folder = Folder::new();
        folder.file("calls.c", CALLS);
        assert_eq!(folder.raddle(&["check", "--isolation", isolation, "calls.c"]).code, Some(1));
        let page = page(&folder);
        for (name, place) in [("change", "calls.c:20"), ("change", "calls.c:28"), ("look", "calls.c:14")] {
            assert!(page.contains(&format!("[\"{name}\",\"{place}\",")), "{isolation}: {name} {place}");
        }
        let calls = of_steps(&page, "data-call");
        let inside = calls.iter().flatten().count();
        // Both threads look and change; nothing else lies in a call.
        assert_eq!((inside, calls.len() > 4), (4, true), "{isolation}: {calls:?}");
        // What the page shows is in JSON as well.
        let id = folder.raddle(&["check", "--format", "json", "calls.c"]).json()["findings"][0]["id"].clone();
        let path = folder.0.join("raddle-out/findings").join(id.as_str().unwrap_or_default());
        let text = std::fs::read_to_string(path.join("finding.json")).expect("the finding is there");
        let finding: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let deepest = serde_json::json!(["in look, called at calls.c:14", "in change, called at calls.c:28"]);
        let steps = finding["finding"]["trace"].as_array().expect("it has steps");
        assert!(steps.iter().any(|step| step["calls"] == deepest), "{isolation}: {text}");
        assert_eq!(steps.iter().filter(|step| step["calls"].is_array()).count(), 4, "{isolation}: {text}");
    }
}

#[test]
fn the_tree_has_the_steps_of_runs_with_the_names_of_the_program() {
    for isolation in ["inline", "fork"] {
        let folder = Folder::new();
        folder.file("calls.c", CALLS);
        folder.raddle(&[
            "check",
            "--isolation",
            isolation,
            "--keep-going",
            "--strategy",
            "optimal-dpor",
            "calls.c",
        ]);
        let page = page(&folder);
        let texts =
            page.split("class=\"tried-texts\" hidden>").nth(1).and_then(|texts| texts.split('<').next());
        let texts: Vec<&str> = texts.expect("the texts are there").lines().collect();
        for expected in ["T1 work", "number ← 3", "number → 1", "calls.c:15", "in order"] {
            assert!(texts.contains(&expected), "{isolation}: {expected} in {texts:?}");
        }
        assert!(texts.iter().any(|text| text.starts_with("assertion `number == 3` failed")), "{texts:?}");
        let followed = page.matches(" data-followed=\"1\"").count();
        assert!(followed > 4 && page.matches(" data-run=\"").count() >= followed, "{isolation}");
    }
}

#[test]
fn both_accesses_of_a_race_have_the_calls_that_led_to_them() {
    let folder = Folder::new();
    // The steps beside an access tell by which calls its thread came to its function.
    let plain = CALLS
        .replace("static atomic_int number;", "static atomic_int number; static int total;")
        .replace("int seen = look();", "int seen = look(); total += by;");
    folder.file("race.c", &plain);
    assert_eq!(folder.raddle(&["check", "race.c"]).code, Some(1));
    let page = page(&folder);
    for call in ["in change, called at race.c:20", "in change, called at race.c:28"] {
        assert!(page.contains(call), "{call}");
    }
}
