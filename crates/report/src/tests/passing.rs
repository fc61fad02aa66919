//! A run that passes beside the one that shows a finding.

use super::records::{EVIL, bank_beside, beside, failed, found, hostile, race_alone};
use super::*;
use crate::finding::words_of;
use crate::passing::{Beside, Row, sentence};
use crate::{FindingRecord, explain, finding_json, page};

fn rows(found: &FindingRecord) -> (usize, Vec<Row>) {
    let (style, view) = (Style::default(), found.view());
    let words = words_of(&view, &style);
    let passing = found.passing.as_ref().and_then(|passing| passing.run.as_ref()).expect("there is one");
    let beside = Beside::new(&words, &found.fact, passing, &style);
    (beside.parts, beside.rows)
}

fn told(found: &FindingRecord) -> String {
    let (style, view) = (Style::default(), found.view());
    sentence(&words_of(&view, &style), &found.fact, found.passing.as_ref()).expect("one was looked for")
}

#[test]
fn what_both_runs_do_stands_side_by_side_from_where_they_part() {
    use Row::*;
    let (parts, rows) = rows(&bank_beside());
    assert_eq!(parts, 5);
    let expected = [
        There(5),
        There(6),
        Both(5, 7),
        Both(6, 8),
        Both(7, 9),
        Here(8),
        Here(9),
        Both(10, 10),
        Both(11, 11),
        Both(12, 12),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn the_parting_is_told_in_one_sentence() {
    let expected = "a run that passes parts at step 6: there T1 goes on with `atomic 1 ← 70`, bank.rs:21; \
                    here T2 goes with `atomic 1 → 100`, bank.rs:14";
    assert_eq!(told(&bank_beside()), expected);
    let text = explain(&bank_beside().view(), &Style::new(true, 200), &source);
    assert!(text.contains(&format!("passing  {expected}\n")), "{text}");
    let expected =
        "none was found: of 7 runs that were tried, each of which goes another way at a step, none passes";
    assert_eq!(told(&race_alone()), expected);
    let mut alone = race_alone();
    alone.passing.as_mut().expect("it was looked for").tried = 0;
    assert_eq!(told(&alone), "there is none to compare this one with: it leaves the schedule no choice");
}

#[test]
fn nothing_is_said_where_nothing_was_looked_for() {
    let found = found(&bank::script(), "k3f7");
    assert!(!explain(&found.view(), &Style::default(), &source).contains("passing"));
    let record = failed("bank.c", vec![found]);
    assert!(!page(&record, &source).contains("<details"));
    assert!(!finding_json(&record, &record.findings[0]).contains("\"passing\""));
}

#[test]
fn the_page_has_both_runs_without_a_script_and_marks_where_they_part() {
    let text = page(&failed("bank.c", vec![bank_beside(), race_alone()]), &source);
    for expected in [
        "<details class=\"beside\" id=\"k3f7/passing\"><summary>A run that passes parts at step 6",
        "Steps 1 and 2 are the same in both.",
        "They part here.",
        "<td class=\"does\">atomic 1 → 100</td><td class=\"number\">8</td><td class=\"does\">atomic 1 → 70</td>",
        "<td class=\"does\"><span class=\"muted\">at step 9</span></td>",
        "<i class=\"parts\">a run that passes parts here</i>",
        "passes: comes to its end, nothing is wrong",
        "A run that passes: none was found: of 7 runs that were tried",
    ] {
        assert!(text.contains(expected), "{expected}");
    }
    assert_eq!(text.matches("<details").count(), 1);
}

#[test]
fn json_has_every_step_of_the_run_that_passes() {
    let record = failed("bank.c", vec![bank_beside()]);
    let text = finding_json(&record, &record.findings[0]);
    let document: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let passing = &document["finding"]["passing"];
    assert_eq!([&passing["tried"], &passing["parts_at"], &passing["goes_on_at"]], [3, 6, 6]);
    let steps = passing["trace"].as_array().expect("the steps are there");
    assert_eq!(steps.len(), 13);
    assert_eq!(steps[8]["text"], "atomic 1 ← 30");
}

#[test]
fn the_accesses_of_a_race_do_not_hide_what_the_runs_share() {
    // Both accesses are events of the run that shows the race, and of that one alone.
    let race = found(&teller::script(), "m2c8");
    let racing = match &race.fact.detail {
        raddle_detect::Detail::Race { first, second, .. } => [first.event, second.event],
        _ => panic!("it is a race"),
    };
    let steps = race.run.events.len();
    let order: Vec<usize> = (0..steps).filter(|step| !racing.contains(step)).collect();
    let mut race = beside(race, &order, &[]);
    race.run.events.iter_mut().enumerate().for_each(|(index, event)| {
        if racing.contains(&index) {
            event.decided = false;
        }
    });
    assert_eq!(rows(&race), (steps, Vec::new()));
    assert!(told(&race).ends_with("they differ in their end alone"), "{}", told(&race));
}

#[test]
fn an_object_is_called_the_same_in_both_runs_whoever_met_it_first() {
    use raddle_trace::Kind::*;
    let mut script = Script::with_threads(&[None, Some("a"), Some("b")]);
    let (first, second) = (script.object("mutex", 0), script.object("mutex", 0));
    script.thread(0, Create, 1);
    script.thread(0, Create, 2);
    script.lock(1, first);
    script.lock(2, second);
    script.panics(0, "no");
    let mut found = beside(found(&script, "o1"), &[0, 1, 3, 2], &[]);
    // The run that passes numbers them as it meets them.
    let run = &mut found.passing.as_mut().and_then(|passing| passing.run.as_mut()).expect("there is one").run;
    (run.events[2].operation.object, run.events[3].operation.object) = (first, second);
    let expected = "there T2 goes with `lock mutex 2`, passing.rs";
    assert!(told(&found).contains(expected), "{}", told(&found));
}

#[test]
fn hostile_text_stays_text_in_both_columns() {
    let text = page(&hostile(), &|_| Some(format!("{EVIL}\n").repeat(9)));
    let (_, section) = text.split_once("<details").expect("there is a run that passes");
    let (section, _) = section.split_once("</details>").expect("it ends");
    assert!(section.contains("&lt;/script&gt;") && !section.contains("<img") && !section.contains("<script"));
}
