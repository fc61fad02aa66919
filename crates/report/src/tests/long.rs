//! Findings at length, and the other ways to show more or less of them.

use raddle_trace::{Place, Site, ThreadId, ThreadSet};

use super::records::{found, freed};
use super::*;
use crate::{Diverged, Face, diverged, explain};

fn explained(script: &Script, style: &Style) -> String {
    explain(&found(script, "k3f7").view(), style, &source)
}

#[test]
fn an_explanation_tells_every_step() {
    let script = bank::script();
    for style in [WIDE, PLAIN] {
        let text = explained(&script, &style);
        check_width(&text, &style);
        let numbered = text.lines().filter(|line| {
            let start: String = line.chars().take(7).collect();
            start.rsplit(' ').next().is_some_and(|number| number.parse::<u32>().is_ok())
        });
        assert_eq!(numbered.count(), script.run.events.len(), "{text}");
    }
    let text = explained(&script, &WIDE);
    check(part(&text, "      9  ", "\n\n"), NINE);
    check(part(&text, "⇄     6  ", "\n\n"), SIX);
}

/// From where it starts to where it ends.
fn part<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.find(start).unwrap_or_else(|| panic!("no {start:?} in\n{text}"));
    let length = text[from..].find(end).unwrap_or(text.len() - from);
    &text[from..from + length]
}

const SIX: &str = r#"
⇄     6  T2 teller  atomic 1 → 100
         at  bank.rs:14
     source  script.load(thread, balance);
     switch  a pre-emption: T1 could have gone on with `atomic 1 ← 70`, step 9"#;

const NINE: &str = r#"
      9  T1 teller  atomic 1 ← 70
         at  bank.rs:21
     source  script.store(1, balance, 70);
       note  undoes step 7
    changes  atomic 1 from 60 to 70
      after  step 7 of T2
     switch  T2 had ended"#;

#[test]
fn an_explanation_says_what_is_held_and_can_be_of_some_threads_only() {
    let text = explained(&teller::script(), &WIDE);
    assert!(text.contains("      holds  mutex 1\n"), "{text}");
    assert!(text.contains("write by T1 teller, step 3, holding mutex 1"), "{text}");
    let only = ThreadSet::only(ThreadId::new(1));
    let text = explained(&teller::script(), &Style { only, ..WIDE });
    assert!(text.contains("unlock mutex 1") && !text.contains("reads cell 1"), "{text}");
}

#[test]
fn wrong_uses_of_memory_name_the_allocation_and_the_end_of_the_block() {
    let text = report_with(&freed(), &WIDE, &|_| None);
    check_shape(&text, &WIDE);
    check(&text, FREED);
}

const FREED: &str = r#"
       FAIL  use after free: T1 consumer reads 4 bytes of a block of 24 bytes that T0   finding k3f7
             main freed, src/queue.c:14

  step  T0 main         T1 consumer      where
  ────  ──────────────  ───────────────  ──────────
     1  create T1                        queue.c:31
     2                  queue.head → 0   queue.c:12
  ⇄  3  queue.head ← 7                   queue.c:22
                        ✗ reads 4 bytes  queue.c:14

        → read   ← written   ⇄ a switch nobody forced (pre-emption)

  allocated  by T0 main, before step 1, queue.c:5 in node_new, called from queue.c:30
      freed  by T0 main, after step 3, queue.c:23 in produce
      scope  found in run 4 · shrunk from 21 to 3 steps, 3 to 1 pre-emption · replayed, same end
     replay  RADDLE_REPLAY=k3f7 cargo test transfer
"#;

#[test]
fn everything_is_shown_if_that_is_asked_for_and_only_some_threads_if_that_is() {
    let mut script = Script::with_threads(&[None, Some("a")]);
    let cell = script.object("atomic", 0);
    for step in 0..200 {
        script.store(step / 100, cell, step as i64);
    }
    script.panics(0, "assertion failed: x");
    let folded = report_on(&script, &WIDE);
    let full = report_on(&script, &Style { full: true, ..WIDE });
    assert!(folded.lines().count() <= 40 && full.contains("atomic 1 ← 57"), "{folded}");
    assert!(full.lines().count() > 200);
    let only = report_on(&script, &Style { only: ThreadSet::only(ThreadId::new(1)), full: true, ..WIDE });
    assert!(!only.contains("atomic 1 ← 57") && only.contains("atomic 1 ← 157"), "{only}");
    assert!(only.contains("steps without a line are of threads not shown"), "{only}");
}

#[test]
fn a_replay_that_went_elsewhere() {
    let facts = Diverged {
        step: 212,
        recorded: "T3 lock queue.mutex queue.c:88",
        observed: "T3 call getrandom\x1b util.c:12",
        schedule: "raddle-out/findings/k3f7/schedule.txt",
        face: Face::Command,
    };
    check(&diverged(&facts, &WIDE), DIVERGED);
    check_width(&diverged(&facts, &PLAIN), &PLAIN);
}

const DIVERGED: &str = r#"
   DIVERGED  replay left the recorded schedule at step 212
   recorded  T3 lock queue.mutex queue.c:88
   observed  T3 call getrandom\u{1b} util.c:12
   schedule  raddle-out/findings/k3f7/schedule.txt
       next  the program has changed since, or does something that raddle does not control; check
             the program again to find it again
"#;

#[test]
fn every_call_that_is_not_under_control_is_listed() {
    let mut record = records::untrusted();
    record.face = Face::Command;
    let doubt = raddle_explore::Doubt::Uncontrolled {
        name: "getrandom".to_owned(),
        place: raddle_trace::Place::Unknown,
    };
    record.verdict = raddle_explore::Verdict::Untrusted(doubt);
    check(&crate::summary(&record.summary(), &WIDE), UNTRUSTED);
    check_width(&crate::summary(&record.summary(), &PLAIN), &PLAIN);
}

const UNTRUSTED: &str = r#"
  UNTRUSTED  no claim: the program does things that raddle does not control                   pool.c
   explored  1,204 runs · 3 cut short · optimal-dpor · 4 threads · longest 61 steps · 0.0 s
       uses  getrandom       src/queue.c:12  in 1,204 of 1,204 runs
             pthread_cancel                  in    31 of 1,204 runs
       next  take it out of what is checked; `raddle explain limits` lists what is not controlled
"#;

#[test]
fn a_remark_that_does_not_fit_beside_its_mark_stands_below_and_nothing_is_left_out() {
    let style = Style::new(true, 60);
    let script = bank::script();
    let fact = judge(&script.run).expect("the run shows something");
    let view = view_of(&script, &fact);
    let words = crate::finding::words_of(&view, &style);
    let waits: Vec<String> = (1..=4).map(|thread| format!("T{thread} waits for forks[{thread}]")).collect();
    let place = script.run.events[0].place;
    let marks = vec![crate::snippet::Mark { place, remark: waits.join("; "), strong: true }];
    let lines = crate::snippet::snippet(&words, marks, &|_| Some("take(&forks[second]);\n".repeat(99)));
    let text = lines.join("\n");
    assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
    assert!(lines.iter().any(|line| line.trim_end().ends_with('━')), "{text}");
    for wait in waits {
        let last = wait.rsplit(' ').next().unwrap_or_default();
        assert!(text.contains(last), "{last} is missing: {text}");
    }
}

/// The lines of a snippet with this remark on the part of a line.
fn marked(line: &str, part: &str, remark: &str, style: &Style) -> Vec<String> {
    let script = bank::script();
    let fact = judge(&script.run).expect("the run shows something");
    let words = crate::finding::words_of(&view_of(&script, &fact), style);
    let column = line.find(part).expect("the part is in the line") as u32 + 1;
    let site = Site { file: "a.rs", line: 1, column, function: "", context: 0 };
    let place = Place::Site(Box::leak(Box::new(site)));
    let mark = crate::snippet::Mark { place, remark: remark.to_owned(), strong: true };
    let lines = crate::snippet::snippet(&words, vec![mark], &|_| Some(line.to_owned()));
    check_width(&lines.join("\n"), style);
    lines
}

/// What stands above the mark.
fn above(lines: &[String], rule: char) -> String {
    let marks = lines[2].chars().zip(lines[1].chars()).filter(|(below, _)| *below == rule);
    marks.map(|(_, code)| code).collect()
}

#[test]
fn a_mark_stands_exactly_under_what_it_speaks_of_however_long_the_line_is() {
    let line = "    let t = thread::spawn(move || { let g = d.0.lock().unwrap(); drop(d.2.wait(g)); });";
    let remark = "T1 waits for a notify of condvar 1";
    let lines = marked(line, "wait(g)", remark, &WIDE);
    assert_eq!(above(&lines, '━'), "wait(g)", "{lines:#?}");
    assert_eq!(lines[3].trim_start_matches([' ', '│']), remark, "{lines:#?}");
    // One that begins beyond the last column.
    let far = format!("{}wait(g);", "first(); ".repeat(20));
    for (style, rule) in [(WIDE, '━'), (PLAIN, '=')] {
        for part in ["wait(g)", "first()"] {
            let lines = marked(&far, part, remark, &style);
            assert_eq!(above(&lines, rule), part, "{lines:#?}");
        }
    }
    // A short one has its remark beside it.
    assert_eq!(marked("    wait(g);", "wait(g)", remark, &WIDE).len(), 3);
}

#[test]
fn what_follows_a_failure_stands_after_it_and_only_where_everything_is_told() {
    let mut script = Script::with_threads(&[None]);
    let lock = script.object("mutex", 0);
    script.event(0, raddle_trace::Kind::Lock, lock, 0);
    script.panics(0, "assertion failed: x");
    script.run.trouble_after = Some(script.run.events.len() as u32);
    script.event(0, raddle_trace::Kind::Unlock, lock, 0);
    let full = report_on(&script, &Style { full: true, ..WIDE });
    for text in [explained(&script, &WIDE), full] {
        let (failure, unlock) = (text.find("✗ x"), text.find("unlock mutex 1"));
        assert!(failure.is_some() && failure < unlock, "{text}");
        assert!(text.contains("shrunk from 21 to 1 step,"), "{text}");
    }
    let short = report_on(&script, &WIDE);
    assert!(short.contains("✗ x") && !short.contains("unlock"), "{short}");
    assert!(short.contains("shrunk from 21 to 1 step,"), "{short}");
}
