//! Guided search: the examples of Wang, Said, Gupta (ICSE 2011) as programs, what is kept from check to check, aims, and
//! what `auto` does with its budget.

#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

use std::sync::{Mutex as StdMutex, PoisonError};
use std::time::Duration;

use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Check, Strategy, thread};
use raddle_coverage::HapSets;
use raddle_explore::{Budget, Guidance, Reached, RunLimits, Search, Settings, Stop};
use raddle_runtime::{Program, StageOptions};

/// A guided search without learning runs, one round of it; goes on after findings.
fn guided(guidance: Guidance) -> Settings {
    let guidance = Guidance { learning_runs: 0, rounds: Some(1), ..guidance };
    Settings { guidance, ..Settings::default() }
}

/// Searches to the end or the limit, and counts the runs with a finding.
fn search(strategy: Strategy, settings: &Settings, max_runs: u64, f: impl Fn() + Sync) -> (Reached, u64) {
    let search = || {
        let mut program = Program::new(&f, StageOptions::default());
        let mut found = 0;
        let mut search = Search {
            subject: &mut program,
            strategy: &mut *strategy.make(settings),
            budget: Budget { max_runs: Some(max_runs), max_time: None },
            limits: RunLimits::default(),
            elapsed: &|| Duration::ZERO,
        };
        let reached = search.run(&mut |run, _| {
            let is_finding = raddle_detect::judge(run).is_some();
            found += u64::from(is_finding);
            Stop::after(is_finding, false)
        });
        (reached, found)
    };
    std::thread::scope(|scope| scope.spawn(search).join()).expect("the search itself does not panic")
}

/// Figure 2 of the paper. The waiting thread gives up after many rounds, so that runs end.
fn busy_waiting() {
    const ROUNDS: usize = 400;
    let (lock, x) = (Arc::new(Mutex::new(())), Arc::new(AtomicBool::new(false)));
    let setter = thread::spawn({
        let (lock, x) = (Arc::clone(&lock), Arc::clone(&x));
        move || {
            let _guard = lock.lock().unwrap();
            x.store(true, SeqCst);
        }
    });
    let waiter = thread::spawn(move || {
        for _ in 0..ROUNDS {
            let _guard = lock.lock().unwrap();
            if x.load(SeqCst) {
                break;
            }
        }
    });
    setter.join().unwrap();
    waiter.join().unwrap();
}

#[test]
fn busy_waiting_needs_two_guided_runs_and_more_than_plain_reduction_may_make() {
    let (reached, _) = search(Strategy::HapSet, &guided(Guidance::default()), 100, busy_waiting);
    assert_eq!((reached.runs, reached.finished), (2, true));
    assert_eq!(reached.verdict(0).word(), "sampled");
    let (reached, _) = search(Strategy::Dpor, &Settings::default(), 100, busy_waiting);
    assert_eq!((reached.runs, reached.finished), (100, false));
}

const FIGURE_1: u32 = line!() + 1;
fn use_between_free() {
    let pointer = Arc::new(AtomicUsize::new(0));
    let owner = thread::spawn({
        let pointer = Arc::clone(&pointer);
        move || {
            pointer.store(1, SeqCst); // e1
            pointer.store(0, SeqCst); // e4
        }
    });
    let user = thread::spawn(move || {
        let is_there = pointer.load(SeqCst) != 0; // e2
        if is_there {
            assert_ne!(pointer.load(SeqCst), 0, "used after it was freed"); // e3
        }
    });
    owner.join().unwrap();
    user.join().unwrap();
}

/// The line of each event, from the first of the function.
const EVENTS: [(u32, &str); 4] = [(5, "e1"), (6, "e4"), (10, "e2"), (12, "e3")];

/// The sets of the events, as in the paper: `e1: e2`.
fn figure_1_sets(sets: &HapSets) -> Vec<String> {
    let name =
        |line: u32| EVENTS.iter().find(|(at, _)| FIGURE_1 + at == line).map(|(_, name)| (*name).to_owned());
    let mut shown: Vec<String> = sets
        .pairs()
        .iter()
        .filter(|pair| pair.order == raddle_coverage::Order::Scheduled)
        .filter_map(|pair| Some(format!("{}: {}", name(pair.second.line)?, name(pair.first.line)?)))
        .collect();
    shown.sort();
    shown
}

/// Section 3.2.1: `HaPSet(e1) = {e2}`, `HaPSet(e2) = {e1, e4}`, `HaPSet(e3)` is empty, `HaPSet(e4) = {e3}`. The run in
/// which the use comes after the freeing fails, so it is not learned from.
#[test]
fn the_use_between_free_is_found_and_the_sets_of_the_good_runs_are_those_of_the_paper() {
    let (reached, found) = search(Strategy::HapSet, &guided(Guidance::default()), 100, use_between_free);
    assert!(found >= 1 && reached.finished, "{found} findings in {} runs", reached.runs);
    let covered = reached.covered.expect("hapset learns");
    assert_eq!(figure_1_sets(&covered.sets), ["e1: e2", "e2: e1", "e2: e4", "e4: e3"]);
}

#[test]
fn guidance_over_a_bound_finds_it_too() {
    let settings = Settings { bound: Some(2), ..guided(Guidance::default()) };
    let (reached, found) = search(Strategy::HapSet, &settings, 100, use_between_free);
    assert!(found >= 1 && reached.finished, "{found} findings in {} runs", reached.runs);
    let none = Settings { bound: Some(0), ..settings };
    let (_, found) = search(Strategy::HapSet, &none, 100, use_between_free);
    assert_eq!(found, 0);
}

/// Two threads that each write once.
const WRITERS: u32 = line!() + 1;
fn writers(order: &StdMutex<Vec<u8>>) {
    let cell = AtomicUsize::new(0);
    let note = |who| order.lock().unwrap_or_else(PoisonError::into_inner).push(who);
    thread::scope(|scope| {
        scope.spawn(|| {
            cell.store(1, SeqCst);
            note(1);
        });
        scope.spawn(|| {
            cell.store(2, SeqCst);
            note(2);
        });
    });
}

#[test]
fn the_first_run_of_a_search_with_an_aim_reaches_it() {
    let (one, two) = (WRITERS + 5, WRITERS + 9);
    for (aim, expected) in [(format!("{one}:{two}"), [1, 2]), (format!("hapset.rs:{two}:{one}"), [2, 1])] {
        let order = StdMutex::new(Vec::new());
        Check::new().strategy(Strategy::HapSet).aim(aim.clone()).max_runs(1).check(|| writers(&order));
        let order = order.into_inner().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(order[..2], expected, "{aim}");
    }
}

#[test]
fn an_aim_that_makes_no_sense_is_refused() {
    let refused = std::panic::catch_unwind(|| Check::new().aim("bank").run(|| ()));
    let message = *refused.expect_err("not an aim").downcast::<String>().expect("a text");
    assert!(message.starts_with("aim: `bank` is not an aim"), "{message}");
}

fn temporary(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("raddle-{}-{name}.hapset", std::process::id()))
}

#[test]
fn what_one_check_learned_the_next_one_knows() {
    let file = temporary("grows");
    let check = |runs| {
        let order = StdMutex::new(Vec::new());
        let check = Check::new().strategy(Strategy::HapSet).hapset_file(&file).max_runs(runs);
        check.run(|| writers(&order))
    };
    let first = check(1);
    // Between one pair and its reverse lies one run that turned them round.
    assert_eq!(first.one_sided().len(), 1, "{first}");
    let (written, pairs) = (std::fs::read(&file).expect("written"), first.pairs());
    assert_eq!(HapSets::from_bytes(&written).expect("whole").len(), pairs.expect("learned"));
    let second = check(20);
    assert_eq!(second.pairs(), pairs.map(|pairs| pairs + 1));
    assert!(second.one_sided().is_empty(), "{second}");
    std::fs::remove_file(file).expect("it was there");
}

#[test]
fn a_damaged_file_and_one_with_another_context_are_refused() {
    let file = temporary("bad");
    let refusal = |context| {
        let check = Check::new().strategy(Strategy::Auto).hapset_file(&file).context(context);
        let refused = std::panic::catch_unwind(|| check.run(|| ()));
        *refused.expect_err("refused").downcast::<String>().expect("a text")
    };
    std::fs::write(&file, "not ours").expect("a temporary file");
    assert!(refusal(0).contains("this is not a file of HaPSets"), "{}", refusal(0));
    std::fs::write(&file, HapSets::new(0).to_text()).expect("a temporary file");
    assert!(refusal(1).contains("learn again with the same context"), "{}", refusal(1));
    std::fs::remove_file(file).expect("it was there");
}

/// Threads that each add to one counter twice.
fn adders(threads: usize) {
    let counter = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                counter.fetch_add(1, SeqCst);
                counter.fetch_add(1, SeqCst);
            });
        }
    });
}

#[test]
fn auto_exhausts_what_is_small() {
    let report = Check::new().strategy(Strategy::Auto).run(|| adders(2));
    assert!(report.is_exhausted(), "{report}");
    // Six traces; the guided runs beside them are counted apart.
    assert_eq!(report.runs(), 6);
    let report = Check::new().strategy(Strategy::Auto).run(|| adders(3));
    assert!(report.is_exhausted(), "{report}");
    assert!((90..=200).contains(&report.runs()), "{report}");
}

#[test]
fn auto_samples_what_is_too_large_for_its_budget() {
    let report = Check::new().strategy(Strategy::Auto).max_runs(400).run(|| adders(6));
    assert_eq!((report.verdict(), report.runs()), ("sampled", 400));
    assert!(report.pairs().is_some_and(|pairs| pairs > 0));
    assert!(report.summary().contains("ordered pairs of statements"), "{report}");
}

#[test]
fn workers_search_with_auto_together() {
    let report = Check::new().strategy(Strategy::Auto).workers(2).run(|| adders(2));
    assert!(report.is_exhausted(), "{report}");
}
