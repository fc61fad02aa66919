//! Programs with known answers: for each fault, what kind it is and how few pre-emptions show it; for each correct program,
//! that nothing is found.

#![allow(clippy::unwrap_used)]

#[path = "corpus/atomics.rs"]
mod atomics;
#[path = "corpus/correct.rs"]
mod correct;
#[path = "corpus/locks.rs"]
mod locks;
#[path = "corpus/memory.rs"]
mod memory;
#[path = "corpus/threads.rs"]
mod threads;
#[path = "corpus/waiting.rs"]
mod waiting;

use std::collections::BTreeSet;
use std::path::PathBuf;

use raddle::sync::Arc;
use raddle::{Check, Finding, Report, Strategy, thread};

/// A report is no wider and no longer than this.
const WIDTH: usize = 100;
const LINES: usize = 40;

/// A program and what is known of it.
struct Case {
    name: &'static str,
    program: fn(),
    /// What kind of finding it has; empty if it is correct.
    kind: &'static str,
    /// The fewest pre-emptions that show it.
    preemptions: usize,
    /// How often a run may wake a thread for no reason.
    spurious: u32,
}

/// A program with one fault.
const fn fails(name: &'static str, kind: &'static str, preemptions: usize, program: fn()) -> Case {
    Case { name, program, kind, preemptions, spurious: 0 }
}

/// A program without one.
const fn passes(name: &'static str, program: fn()) -> Case {
    Case { name, program, kind: "", preemptions: 0, spurious: 0 }
}

impl Case {
    const fn with_a_spurious_wakeup(self) -> Case {
        Case { spurious: 1, ..self }
    }

    fn check(&self) -> Check {
        let out = std::env::temp_dir().join(format!("raddle-corpus-{}", std::process::id()));
        Check::new().name(self.name).out(out).spurious_wakeups(self.spurious)
    }

    fn search(&self) -> Report {
        self.check().run(self.program)
    }

    fn replay(&self, schedule: &str) -> Report {
        self.check().replay(schedule).run(self.program)
    }
}

/// Runs a body in each of several threads, all with what they share, and joins them. The main thread does nothing itself,
/// so who goes first is no pre-emption.
fn share<S: Send + Sync + 'static>(shared: S, bodies: &[fn(&S)]) -> Arc<S> {
    let shared = Arc::new(shared);
    let handles: Vec<_> = bodies
        .iter()
        .map(|&body| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || body(&shared))
        })
        .collect();
    handles.into_iter().for_each(|handle| handle.join().unwrap());
    shared
}

fn replays() -> usize {
    std::env::var("RADDLE_CORPUS_REPLAYS").map_or(20, |number| number.parse().unwrap())
}

/// What must be the same in every replay.
fn identity(finding: &Finding) -> (String, u64, usize) {
    (finding.kind().to_owned(), finding.trace(), finding.steps())
}

/// What is wrong with what was found, if anything.
fn differs<T: PartialEq + std::fmt::Debug>(what: &str, is: T, expected: T) -> Result<(), String> {
    if is == expected { Ok(()) } else { Err(format!("{what} is {is:?}, not {expected:?}")) }
}

fn look_at_text(text: &str, file: &str) -> Result<(), String> {
    let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or_default();
    let problems = [
        (widest > WIDTH, format!("{widest} columns wide")),
        (text.lines().count() > LINES, format!("{} lines long", text.lines().count())),
        (!text.contains(file), format!("without {file}")),
        (!text.contains("replay"), "without a way to replay it".to_owned()),
    ];
    match problems.into_iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, problem)) => Err(format!("the report is {problem}")),
        None => Ok(()),
    }
}

fn look_at_fault(case: &Case, file: &str) -> Result<(), String> {
    let report = case.search();
    let fault = || {
        differs("the number of findings", report.findings().len(), 1)?;
        let finding = &report.findings()[0];
        differs("the kind", finding.kind(), case.kind)?;
        differs("the verdict", report.verdict(), "failed")?;
        differs("the number of pre-emptions", finding.preemptions(), case.preemptions)?;
        look_at_text(finding.text(), file)?;
        let schedule: PathBuf = finding.schedule().ok_or("no schedule was kept")?.to_owned();
        for _ in 0..replays() {
            let again = case.replay(schedule.to_str().unwrap());
            differs("the number of findings of a replay", again.findings().len(), 1)?;
            differs("a replay", identity(&again.findings()[0]), identity(finding))?;
        }
        Ok(())
    };
    fault().map_err(|problem: String| format!("{}: {problem}\n{report}", case.name))
}

/// Looks at all faults of a file before it complains.
#[track_caller]
fn faults(file: &str, cases: &[Case]) {
    let problems: Vec<String> = cases.iter().filter_map(|case| look_at_fault(case, file).err()).collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

fn look_at_correct(case: &Case) -> Result<(), String> {
    let others = [
        (Strategy::OptimalDpor, "exhausted"),
        (Strategy::DporCrSleep, "exhausted"),
        (Strategy::PreemptionBound, "exhausted-within"),
        (Strategy::Random, "sampled"),
    ];
    for (strategy, expected) in others {
        let check = case.check().strategy(strategy);
        let check = match strategy {
            Strategy::PreemptionBound => check.bound(2),
            Strategy::Random => check.max_runs(200),
            _ => check,
        };
        let report = check.run(case.program);
        differs("the number of findings", report.findings().len(), 0)
            .and_then(|()| differs("the verdict", report.verdict(), expected))
            .map_err(|problem| format!("{}, {strategy}: {problem}\n{report}", case.name))?;
    }
    Ok(())
}

#[test]
fn faults_of_atomics_are_found_and_replayed() {
    faults("atomics.rs", &atomics::CASES);
}

#[test]
fn faults_of_locks_are_found_and_replayed() {
    faults("locks.rs", &locks::CASES);
}

#[test]
fn faults_of_waiting_are_found_and_replayed() {
    faults("waiting.rs", &waiting::CASES);
}

#[test]
fn faults_of_memory_are_found_and_replayed() {
    faults("memory.rs", &memory::CASES);
}

#[test]
fn faults_of_single_threads_are_found_and_replayed() {
    faults("threads.rs", &threads::CASES);
}

#[test]
fn nothing_is_found_in_correct_programs() {
    let problems: Vec<String> =
        correct::CASES.iter().filter_map(|case| look_at_correct(case).err()).collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_corpus_is_large_and_every_name_is_used_once() {
    let faults: [&[Case]; 5] =
        [&atomics::CASES, &locks::CASES, &waiting::CASES, &memory::CASES, &threads::CASES];
    let names: Vec<&str> = faults.iter().flat_map(|cases| cases.iter()).map(|case| case.name).collect();
    assert!(names.len() >= 24 && correct::CASES.len() >= 16);
    let all: BTreeSet<&str> =
        names.iter().copied().chain(correct::CASES.iter().map(|case| case.name)).collect();
    assert_eq!(all.len(), names.len() + correct::CASES.len());
}
