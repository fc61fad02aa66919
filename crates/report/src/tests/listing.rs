//! Runs as they are listed.

use raddle_detect::FindingKind;
use raddle_trace::Ending;

use super::*;
use crate::{ListedRun, listed_run};

fn listed(script: &Script) -> ListedRun<'_> {
    let (events, ending) = (script.run.events.as_slice(), script.run.ending);
    ListedRun { number: 4, events, ending, found: Some(FindingKind::Assertion) }
}

#[test]
fn a_run_is_who_went_how_far_and_its_ending() {
    let script = bank::script();
    let failed = listed_run(&listed(&script), &Style::new(true, 100));
    assert_eq!(failed, "run      4  assertion       T0×2 T1 T2 T1 T2×3 T1×2 T0×3");
    let events = &script.run.events[..5];
    let good = ListedRun { found: None, ending: Ending::Finished, events, number: 12 };
    assert_eq!(listed_run(&good, &Style::new(false, 100)), "run     12  in order        T0*2 T1 T2 T1");
}

#[test]
fn a_long_run_is_cut_unless_all_of_it_is_wanted() {
    let script = bank::script();
    let events = script.run.events.repeat(50);
    let long = ListedRun { events: &events, ..listed(&script) };
    let style = Style::new(true, 80);
    let line = listed_run(&long, &style);
    assert!(line.ends_with('…') && line.chars().count() <= 80, "{line}");
    assert!(listed_run(&long, &Style { full: true, ..style }).ends_with(" T0×3"));
}
