//! The table of outcomes.

use raddle_explore::{Guarantee, Limit, Reached};
use raddle_trace::Ending;

use super::records::{EVIL, failed, found};
use super::*;
use crate::{OneOutcome, Outcomes, outcomes};

fn one(values: &[&str], traces: Option<u64>, first: u64) -> OneOutcome {
    OneOutcome {
        finding: None,
        ending: Ending::Finished,
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        runs: 3,
        traces,
        first,
    }
}

fn all<'a>(reached: &'a Reached, names: &[&str], all: Vec<OneOutcome>) -> Outcomes<'a> {
    Outcomes {
        program: "it.c",
        reached,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        all,
        others: 0,
    }
}

#[test]
fn what_is_the_same_in_all_outcomes_is_not_shown_and_what_does_not_fit_is_counted() {
    let reached = Reached { finished: true, guarantee: Some(Guarantee::All), runs: 9, ..Reached::default() };
    let names: Vec<String> = (0..30).map(|number| format!("variable_{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (mut first, mut second) = (vec!["0"; 30], vec!["1"; 30]);
    (first[0], second[0]) = ("7", "7");
    let text =
        outcomes(&all(&reached, &names, vec![one(&first, Some(2), 1), one(&second, Some(4), 2)]), &PLAIN);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "  traces  ends      variable_1  variable_2  variable_3  variable_4  variable_5");
    assert_eq!(lines[2], "       4  in order           1           1           1           1           1");
    assert_eq!(lines[5], "   outcomes  2 outcomes in 6 traces; every interleaving was covered, so there");
    assert_eq!(lines[6], "             are no others");
    assert_eq!(lines[7], "       note  24 more variables differ and do not fit; --wide and --format json");
    assert_eq!(lines[8], "             have them");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn outcomes_of_a_search_that_did_not_end_say_so_and_hostile_names_do_no_harm() {
    let reached = Reached { limit: Some(Limit::Runs(9)), runs: 9, ..Reached::default() };
    let record = failed("bank.c", vec![found(&bank::script(), "k3f7")]);
    let mut wrong = one(&[EVIL], None, 4);
    wrong.finding = Some(record.findings[0].fact.clone());
    let text = outcomes(&all(&reached, &[EVIL], vec![wrong, one(&["1"], None, 1)]), &WIDE);
    let last = text.lines().last().unwrap_or_default();
    assert_eq!(last, "   outcomes  2 outcomes in 9 runs; there may be others: stopped by --max-runs 9");
    assert!(text.starts_with("  runs  ends "), "{text}");
    assert!(text.contains("     3  in order"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\0']), "{text:?}");
}
