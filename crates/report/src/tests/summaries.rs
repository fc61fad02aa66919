use std::time::Duration;

use raddle_explore::{Doubt, Estimate, Limit, Reached, StrategyName, Verdict};
use raddle_trace::Place;

use super::*;
use crate::{Face, Summary, summary};

fn shown(verdict: &Verdict, reached: &Reached, style: &Style) -> String {
    let text = summary(
        &Summary {
            program: "bank",
            strategy: StrategyName::OptimalDpor,
            verdict,
            reached,
            seconds: 3.06,
            workers: 1,
            uncontrolled: &[],
            face: Face::Rust,
            resume: None,
            findings: 1,
            record: None,
        },
        style,
    );
    check_shape(&text, style);
    assert!(text.lines().count() <= 10, "{text}");
    text
}

fn reached() -> Reached {
    Reached { runs: 1_204, threads: 4, longest: 61, ..Reached::default() }
}

#[test]
fn everything_was_covered() {
    check(&shown(&Verdict::Exhausted, &reached(), &WIDE), EXHAUSTED);
}

#[test]
fn what_was_treated_otherwise_is_said() {
    let place = Place::Rust(std::panic::Location::caller());
    let reached = Reached { weaker_orders: true, assumed_waiting: Some(place), blocked: 12, ..reached() };
    let text = shown(&Verdict::Exhausted, &reached, &PLAIN);
    let text = text.replace(&place.to_string(), "PLACE");
    check(&text, EXHAUSTED_WITH_NOTES);
    let text = shown(&Verdict::ExhaustedWithin(2), &reached, &WIDE);
    assert!(text.contains("with up to 2 pre-emptions; all covered if one loop only waits"), "{text}");
}

#[test]
fn a_limit_stopped_it() {
    let estimate = Estimate { done: 0.18, total_runs: 210_000.0, uncertainty: 0.4 };
    let reached = Reached { runs: 38_112, estimate: Some(estimate), ..reached() };
    let limit = Limit::Time(Duration::from_secs(600));
    check(&shown(&Verdict::Stopped(limit), &reached, &WIDE), STOPPED);
    check(&shown(&Verdict::Stopped(limit), &reached, &PLAIN), STOPPED_PLAIN);
}

#[test]
fn a_program_out_of_control() {
    let doubt = Doubt::NotDeterministic {
        event: 12,
        before: "T1 Load at src/bank.rs:9".to_owned(),
        now: "T1 Store at src/bank.rs:10".to_owned(),
        place: Place::Unknown,
    };
    let verdict = Verdict::Untrusted(doubt);
    check(&shown(&verdict, &reached(), &WIDE), UNTRUSTED);
    let narrow = shown(&verdict, &reached(), &PLAIN);
    assert!(narrow.ends_with("made in the test\n"), "{narrow}");
}

#[test]
fn every_verdict_has_its_words() {
    let verdicts = [
        (Verdict::ExhaustedWithin(2), "PASS  no problem found with up to 2 pre-emptions"),
        (Verdict::Sampled(1_000), "PASS  no problem found in 1,000 sampled runs"),
        (Verdict::Failed, "FAIL  1 finding in 1,204 runs"),
        (Verdict::Stopped(Limit::Runs(5)), "INCOMPLETE  no problem found so far; stopped by max_runs 5"),
        (Verdict::Stopped(Limit::Steps(20_000)), "a run was longer than max_steps 20,000"),
        (Verdict::Stopped(Limit::Threads(128)), "a run had more than 128 threads"),
    ];
    for (verdict, expected) in verdicts {
        for style in [WIDE, PLAIN] {
            let text = shown(&verdict, &reached(), &style);
            let words = text.replace("bank", "").split_whitespace().collect::<Vec<&str>>().join(" ");
            assert!(words.contains(&expected.replace("  ", " ")), "{text}");
        }
    }
}

const EXHAUSTED: &str = r#"
       PASS  no problem found, and every interleaving was covered                               bank
   explored  1,204 runs · optimal-dpor · 4 threads · longest 61 steps · 3.1 s
      scope  all schedules · these inputs · sequential consistency (no weaker order was used)
    outside  other inputs, and what does not go through raddle::*
"#;
const EXHAUSTED_WITH_NOTES: &str = r#"
       PASS  no problem found; all covered if one loop only waits           bank
   explored  1,204 runs | 12 cut short | optimal-dpor | 4 threads | longest 61
             steps | 3.1 s
      scope  all schedules | these inputs | sequential consistency
    outside  weak memory: orders weaker than SeqCst were asked for, and treated
             as SeqCst; other inputs
       note  the loop at PLACE was taken for
             waiting; what it may change under its lock is not seen
"#;
const STOPPED: &str = r#"
 INCOMPLETE  no problem found so far; stopped by max_time 600s                                  bank
   explored  38,112 runs · optimal-dpor · 4 threads · longest 61 steps · 3.1 s
      scope  38,112 of ~210,000 runs, about 18 % (± 40 %) · these inputs · sequential consistency
             (no weaker order was used)
    outside  other inputs, and what does not go through raddle::*
       next  raise max_time, or make the test smaller: fewer threads or steps
"#;
const STOPPED_PLAIN: &str = r#"
 INCOMPLETE  no problem found so far; stopped by max_time 600s              bank
   explored  38,112 runs | optimal-dpor | 4 threads | longest 61 steps | 3.1 s
      scope  38,112 of ~210,000 runs, about 18 % (+- 40 %) | these inputs |
             sequential consistency (no weaker order was used)
    outside  other inputs, and what does not go through raddle::*
       next  raise max_time, or make the test smaller: fewer threads or steps
"#;
const UNTRUSTED: &str = r#"
  UNTRUSTED  no claim: with the same schedule the program did something else at step 12         bank
   explored  1,204 runs · optimal-dpor · 4 threads · longest 61 steps · 3.1 s
     before  T1 Load at src/bank.rs:9
        now  T1 Store at src/bank.rs:10
       next  raddle controls only what goes through raddle::*: replace a real clock by raddle::time,
             the random order of a HashMap by a BTreeMap, random numbers by raddle::choose, and a
             static that a run leaves changed by a value made in the test
"#;
