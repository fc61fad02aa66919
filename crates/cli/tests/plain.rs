//! The same information wherever it is shown: goal U11 of the book's page of goals.

mod common;

use common::Folder;

const BANK: &str = include_str!("../../../examples/c/bank.c");

/// The words of a text, without what only draws.
fn words(text: &str) -> Vec<String> {
    let plain: String = text.chars().map(|letter| if letter.is_ascii() { letter } else { ' ' }).collect();
    let drawn = |word: &&str| word.chars().any(char::is_alphanumeric);
    plain.split_whitespace().filter(drawn).map(str::to_owned).collect()
}

/// What has to be said whatever the place looks like.
const SAID: [&str; 12] = [
    "FAIL",
    "assertion",
    "bank.c:24",
    "finding",
    "create",
    "join",
    "undoes",
    "pre-emption",
    "replay",
    "scope",
    "bank.c:11",
    "bank.c:12",
];

#[test]
fn nothing_is_lost_without_colour_without_unicode_in_a_pipe_and_at_eighty_columns() {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    type Place = (&'static str, &'static [(&'static str, &'static str)], usize);
    let places: [Place; 5] = [
        ("a pipe", &[], 100),
        ("NO_COLOR", &[("NO_COLOR", "1")], 100),
        ("TERM=dumb", &[("TERM", "dumb")], 100),
        ("LANG=C", &[("LANG", "C"), ("LC_ALL", "C")], 100),
        ("80 columns", &[("COLUMNS", "80")], 80),
    ];
    let usual = folder.raddle(&["check", "bank.c"]).out;
    for (place, variables, columns) in places {
        let ran = folder.raddle_with(&["check", "bank.c"], variables);
        assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{place}");
        assert!(!ran.out.contains('\x1b'), "{place}: {}", ran.out);
        assert!(ran.out.lines().all(|line| line.chars().count() <= columns), "{place}: {}", ran.out);
        let said = words(&ran.out);
        for word in SAID {
            assert!(said.iter().any(|own| own.contains(word)), "{place} does not say {word}:\n{}", ran.out);
        }
        if place == "LANG=C" {
            assert!(ran.out.is_ascii(), "{}", ran.out);
        } else if columns == 100 {
            let same = |text: &str| {
                let time = |word: &String| word.parse::<f64>().is_ok() && word.contains('.');
                words(text).into_iter().filter(|word| !time(word)).collect::<Vec<_>>()
            };
            assert_eq!(same(&ran.out), same(&usual), "{place}");
        }
    }
}

#[test]
fn colour_only_repeats_what_the_words_say() {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    let coloured = folder.raddle(&["check", "bank.c", "--color", "always"]).out;
    let plain = folder.raddle(&["check", "bank.c", "--color", "never"]).out;
    assert!(coloured.contains("\x1b[1;31mFAIL\x1b[0m"), "{coloured}");
    let stripped = coloured.replace("\x1b[1;31m", "").replace("\x1b[0m", "");
    assert_eq!(words(&stripped).len(), words(&plain).len());
}
