use raddle_trace::{Ending, Kind, ObjectId};

use super::*;

#[test]
fn names_and_messages_cannot_harm_the_terminal() {
    let evil = "\x1b[2J\u{202e}evil\0\r\nname \u{1f600}\u{fe0f} ".repeat(40);
    for style in [WIDE, PLAIN] {
        let mut script =
            Script::with_threads(&[Some(&evil), Some(&evil), Some("日本語のとても長いスレッドの名前です")]);
        let cell = script.object("atomic", 0);
        for thread in [0, 1, 2, 1] {
            script.load(thread, cell);
        }
        for message in
            [evil.as_str(), "", "assertion", "assertion failed: ", &format!("assertion failed: {evil}")]
        {
            script.panics(1, message);
            let text = report_on(&script, &style);
            check_shape(&text, &style);
            assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()), "{text:?}");
            assert!(!text.contains('\u{202e}'), "{text:?}");
        }
    }
}

#[test]
fn the_words_of_a_comparison_stand_below_the_headline() {
    let mut script = Script::default();
    script.panics(0, "assertion `left == right` failed: the sum\n  left: 1\n right: 2");
    let text = report_on(&script, &WIDE);
    let second = text.lines().find(|line| line.contains("left: 1"));
    assert_eq!(second, Some("             the sum   left: 1   right: 2"), "{text}");
    assert!(text.starts_with("       FAIL  assertion `left == right` failed in T0 main,"), "{text}");
}

#[test]
fn other_endings_have_a_headline() {
    let cases = [
        (Ending::Panic, "index out of bounds", "T0 main panicked, hostile.rs:"),
        (
            Ending::Misuse,
            "unlocked a lock that nobody holds",
            "T0 main unlocked a lock that nobody holds, hostile.rs:",
        ),
        (Ending::StackOverflow, "a thread overflowed its stack", "T0 main overflowed its stack, hostile.rs:"),
    ];
    for (ending, message, expected) in cases {
        let mut script = Script::default();
        script.panics(0, message);
        script.run.ending = ending;
        let text = report_on(&script, &WIDE);
        let words = text.split_whitespace().collect::<Vec<&str>>().join(" ").replace(" finding k3f7", "");
        assert!(words.starts_with(&format!("FAIL {expected}")), "{text}");
    }
    let mut script = Script::default();
    script.thread(0, Kind::Create, 1);
    script.blocked(0, Kind::Spin, ObjectId::NONE, None);
    script.run.ending = Ending::Livelock;
    let text = report_on(&script, &WIDE);
    assert!(text.contains("livelock: T0 main spins for ever"), "{text}");
}

#[test]
fn source_text_cannot_harm_the_terminal() {
    let lines = ["\x1b[2J\t\t\u{202e}load(", "", "日本語".repeat(60).as_str(), &"x".repeat(5_000), "short"]
        .map(str::to_owned);
    for shift in 0..lines.len() {
        let text: Vec<&str> = (0..200).map(|line| lines[(line + shift) % lines.len()].as_str()).collect();
        let text = text.join("\n");
        for style in [WIDE, PLAIN] {
            let mut script = Script::default();
            let cell = script.object("cell", 0);
            script.thread(0, Kind::Create, 1);
            script.event(1, Kind::PlainWrite, cell, 0);
            script.event(0, Kind::PlainWrite, cell, 0);
            let text = report_with(&script, &style, &|_| Some(text.clone()));
            check_shape(&text, &style);
            assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()), "{text:?}");
        }
    }
}
