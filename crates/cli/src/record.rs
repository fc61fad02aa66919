//! From what a check arrived at to its record, from which every format is made.

use std::path::Path;

use raddle_channel::{Isolation, Times, Told};
use raddle_explore::StrategyName;
use raddle_native::{Confirmed, Outcome, Plan};
use raddle_report::{
    Face, FindingRecord, Kept, Met, Passing, PassingRun, Record, Style, Uncontrolled, finding_id,
};
use raddle_trace::Schedule;

use crate::sources::Sources;
use crate::store::{self, Schedules};

/// The record of a check; its findings are kept on the way.
pub(crate) fn record(program: &str, plan: &Plan, outcome: &Outcome, out: &Path, sources: &Sources) -> Record {
    let strategy: StrategyName = plan.task.strategy;
    let mut record = Record::new(program, strategy, outcome.verdict.clone(), outcome.reached.clone());
    record.seconds = outcome.seconds;
    record.face = Face::Command;
    record.command = Some(command());
    record.workers = plan.workers as usize;
    let how = match outcome.isolation {
        Isolation::Inline => "inline",
        Isolation::Fork => "fork",
    };
    record.isolation = Some(Kept { how, why: outcome.why_isolation.clone() });
    record.uncontrolled = outcome
        .uncontrolled
        .iter()
        .map(|strange| Uncontrolled { name: strange.name.clone(), place: strange.place, runs: strange.runs })
        .collect();
    for confirmed in &outcome.findings {
        let mut finding = finding_record(program, confirmed, out);
        let met = |times: Times| Met::of(strategy, &outcome.reached, times.runs, times.traces);
        finding.met = confirmed.times.map(met);
        let passing = confirmed.passing.as_ref().and_then(|passing| passing.told.as_ref());
        let schedules = Schedules {
            finding: schedule(program, &confirmed.told),
            passing: passing.map(|told| schedule(program, told)),
        };
        // What is kept says itself where it is.
        let folder = raddle_store::folder_of(out, &finding.id);
        finding.page = Some(folder.join("report.html").display().to_string());
        finding.schedule = Some(folder.join("schedule.txt").display().to_string());
        if let Err(error) = store::keep(out, &record, &finding, &schedules, plan, sources) {
            (finding.page, finding.schedule) = (None, None);
            finding.notes.push(format!(
                "the finding could not be kept in {}: {error}; --out names another folder",
                out.display()
            ));
        }
        record.findings.push(finding);
    }
    record
}

/// What was typed, for who wants to type it again.
fn command() -> String {
    let quoted = |word: std::ffi::OsString| {
        let word = word.to_string_lossy().into_owned();
        let plain = |letter: char| letter.is_alphanumeric() || "-_./=:,+@%".contains(letter);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words = std::env::args_os().skip(1).map(quoted);
    std::iter::once("raddle".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

fn finding_record(program: &str, confirmed: &Confirmed, out: &Path) -> FindingRecord {
    let id = finding_id(program, &confirmed.finding);
    let elsewhere = store::elsewhere(out);
    FindingRecord {
        fact: confirmed.finding.clone(),
        run: confirmed.told.run.clone(),
        names: confirmed.told.names.clone(),
        found_in_run: confirmed.run,
        found_steps: confirmed.found_steps,
        found_preemptions: confirmed.found_preemptions,
        preemptions: confirmed.told.preemptions,
        replay: format!("raddle replay {id}{elsewhere}"),
        id,
        schedule: None,
        page: None,
        notes: confirmed.notes.clone(),
        met: None,
        passing: confirmed
            .passing
            .as_ref()
            .map(|passing| Passing { run: passing.told.as_ref().map(passing_run), tried: passing.tried }),
    }
}

/// A run that passes, as reports show it.
pub(crate) fn passing_run(told: &Told) -> PassingRun {
    PassingRun { run: told.run.clone(), names: told.names.clone() }
}

/// The choices of a run, to be kept.
fn schedule(program: &str, told: &Told) -> Schedule {
    Schedule {
        program: program.to_owned(),
        threads: told.names.clone(),
        steps: told.steps.clone(),
        notes: told.notes.clone(),
    }
}

/// The findings as text.
pub(crate) fn findings(record: &Record, style: &Style, sources: &Sources) -> String {
    let source = |file: &str| sources.read(file);
    let texts = record.findings.iter().map(|finding| raddle_report::finding(&finding.view(), style, &source));
    texts.collect::<Vec<String>>().join("\n")
}
