//! Calls on the page: which steps lie in which, and that nothing but the script folds them.

use raddle_trace::{Place, Site};

use super::records::{EVIL, failed, found};
use super::*;
use crate::page;

fn site(function: &'static str, line: u32) -> Place {
    Place::Site(Box::leak(Box::new(Site { file: "src/queue.c", function, line, column: 1, context: 0 })))
}

/// A thread that calls `take`, which calls `size`, and another that does not.
pub(super) fn script() -> Script {
    let mut script = Script::with_threads(&[None, Some("worker")]);
    let lock = script.object("mutex", 1);
    let cell = script.object("atomic", 0);
    let mut step = |thread: usize, place: Place, calls: Option<&[Place]>| {
        script.load(thread, cell);
        let number = script.run.events.len() - 1;
        script.run.events[number].place = place;
        if let Some(calls) = calls {
            script.run.calls.note(number, calls.iter().copied());
        }
    };
    let (take, size) = (site("worker", 40), site("take", 31));
    step(0, site("main", 60), Some(&[]));
    step(1, site("take", 30), Some(&[take]));
    step(1, site("size", 20), Some(&[take, size]));
    step(1, site("size", 21), Some(&[take, size]));
    // An access that is no step of the search, as a data race adds them.
    step(1, site("take", 32), None);
    step(1, site("take", 33), Some(&[take]));
    step(0, site("main", 61), Some(&[]));
    step(1, site("worker", 41), Some(&[]));
    script.lock(0, lock);
    script.panics(0, "assertion failed: x == 3");
    script
}

#[test]
fn a_step_has_the_innermost_call_that_led_to_it_and_calls_their_names_and_places() {
    let text = page(&failed("queue.c", vec![found(&script(), "c2l5")]), &source);
    let calls =
        "[[&quot;take&quot;,&quot;queue.c:40&quot;,null],[&quot;size&quot;,&quot;queue.c:31&quot;,0]]";
    assert!(text.contains(&format!("data-calls=\"{calls}\"")), "{text}");
    let of_step = |step: usize| {
        let row =
            text.split(&format!("id=\"c2l5/step/{step}\"")).nth(1).and_then(|row| row.split('>').next());
        row.and_then(|row| row.split(" data-call=\"").nth(1)?.split('"').next()?.parse::<usize>().ok())
    };
    let expected = [None, Some(0), Some(1), Some(1), Some(0), Some(0), None, None, None];
    assert_eq!((1..=9).map(of_step).collect::<Vec<_>>(), expected);
    assert!(text.contains("class=\"fold-calls\""));
}

#[test]
fn without_calls_there_is_nothing_to_fold() {
    let text = page(&failed("bank.c", vec![found(&bank::script(), "k3f7")]), &source);
    assert!(
        !text.contains("class=\"fold-calls\"")
            && !text.contains("data-calls=")
            && !text.contains("data-call=")
    );
}

#[test]
fn names_of_functions_stay_text() {
    let mut script = script();
    let calls = [site("worker", 40)];
    script.run.calls.note(1, calls.into_iter());
    script.run.events[1].place = site(EVIL, 30);
    let text = page(&failed("queue.c", vec![found(&script, "c2l5")]), &source);
    assert!(!text.contains("<img") && text.matches("<script").count() == 1);
}

#[test]
fn a_step_of_rust_in_another_function_than_the_one_that_created_its_thread_lies_in_a_call() {
    // Places are those of the calls below, in this very file.
    fn add(script: &mut Script, cell: raddle_trace::ObjectId) {
        script.load(1, cell);
        script.store(1, cell, 3);
    }
    let mut script = Script::with_threads(&[None, None]);
    let cell = script.object("atomic", 0);
    script.thread(0, raddle_trace::Kind::Create, 1);
    script.load(1, cell);
    add(&mut script, cell);
    script.load(0, cell);
    script.panics(0, "assertion failed: x == 3");
    let own = |_: &str| Some(include_str!("calls.rs").to_owned());
    let text = page(&failed("adds", vec![found(&script, "r2u5")]), &own);
    assert!(text.contains("data-calls=\"[[&quot;add&quot;,&quot;&quot;,null]]\""), "{text}");
    assert_eq!(text.matches(" data-call=\"0\"").count(), 2);
}
