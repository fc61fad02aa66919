//! `raddle replay`: a finding again, in a fresh process or under gdb.

use std::ffi::OsString;
use std::path::PathBuf;

use raddle_channel::{Races, Task};
use raddle_explore::{Reached, StrategyName, Verdict, preemptions};
use raddle_native::{Divergence, Keeping, Limits, Plan, Program, Replayed, interrupt};
use raddle_report::{Diverged, Face, FindingRecord, Passing, Record};
use raddle_trace::Ending;

use crate::arguments::Replay;
use crate::compile::runtime_folder;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{print, style};
use crate::record::{findings, passing_run};
use crate::sources::Sources;
use crate::store::{self, Stored};

/// Replays a finding.
pub(crate) fn run(arguments: &Replay) -> Result<Exit, Failure> {
    let stored = store::find(&store::out(arguments.out.as_deref()), &arguments.finding)?;
    let plan = plan(&stored, arguments.program.clone())?;
    if arguments.gdb {
        return under_gdb(&plan, &stored, arguments.until);
    }
    let (mut record, sources) = made_again(&plan, &stored, arguments.until)?;
    // A part of a run has no place where another one parts from it.
    if arguments.format != "human" && arguments.until.is_none() {
        add_passing(&mut record, &plan, &stored);
    }
    let exit = if record.findings.is_empty() { Exit::Good } else { Exit::Found };
    let style = arguments.view.style();
    // What a search would say at its end is no news: there was one run.
    let text = match arguments.format.as_str() {
        "human" if !record.findings.is_empty() => findings(&record, &style, &sources),
        "human" => raddle_report::replayed_well(record.reached.longest, record.reached.threads, &style),
        _ => raddle_report::json(&record),
    };
    print(&text)?;
    Ok(exit)
}

/// The record of the run of a stored finding, made again.
pub(super) fn made_again(
    plan: &Plan,
    stored: &Stored,
    until: Option<u64>,
) -> Result<(Record, Sources), Failure> {
    interrupt::listen();
    let replayed =
        raddle_native::replay(plan, &stored.schedule, &interrupt::requested).map_err(Failure::not_started)?;
    if let Some(divergence) = &replayed.divergence {
        return Err(diverged(divergence, stored));
    }
    let sources = Sources::kept_in(&stored.folder, &stored.replay.folders);
    Ok((record(stored, replayed, until), sources))
}

/// Adds the run that passes and begins like the finding, made again; what cannot be made again is left out.
pub(super) fn add_passing(record: &mut Record, plan: &Plan, stored: &Stored) {
    let replayed = stored.passing().and_then(|schedule| {
        let replayed = raddle_native::replay(plan, &schedule, &interrupt::requested).ok()?;
        let passes = replayed.finding.is_none() && replayed.told.run.ending == Ending::Finished;
        (passes && replayed.divergence.is_none()).then_some(replayed.told)
    });
    let Some(tried) = stored.tried() else { return };
    for finding in &mut record.findings {
        finding.passing = Some(Passing { run: replayed.as_ref().map(passing_run), tried })
            .filter(|passing| passing.run.is_some() || stored.passing().is_none());
    }
}

/// How to make the run of a stored finding again.
pub(super) fn plan(stored: &Stored, program: Option<PathBuf>) -> Result<Plan, Failure> {
    let replay = &stored.replay;
    let path = program.unwrap_or_else(|| stored.program());
    raddle_instrument::model::read(&path).map_err(Failure::not_started)?;
    let task = Task {
        seed: replay.seed,
        races: if replay.ignore_races { Races::Ignore } else { Races::Fail },
        leaks: replay.leaks,
        max_steps: replay.max_steps,
        stack: replay.stack,
        ..Task::default()
    };
    let own: Vec<OsString> = replay.arguments.iter().map(OsString::from).collect();
    let program = Program { path, arguments: own, libraries: runtime_folder() };
    Ok(Plan {
        program,
        task,
        keeping: Keeping::Auto,
        limits: Limits::default(),
        workers: 1,
        wants_output: false,
    })
}

fn under_gdb(plan: &Plan, stored: &Stored, until: Option<u64>) -> Result<Exit, Failure> {
    // The two accesses of a race are steps of the report, and of no run.
    let added = |until: u64| stored.racing().iter().filter(|step| **step < until).count() as u64;
    let until = until.map(|until| until - added(until));
    let status = raddle_native::debug(plan, &stored.schedule, until).map_err(|error| {
        Failure::not_started(format!(
            "could not start gdb: {error}; install it (on Debian and Ubuntu: apt-get install gdb)"
        ))
    })?;
    Ok(if status.success() { Exit::Good } else { Exit::NotStarted })
}

fn diverged(divergence: &Divergence, stored: &Stored) -> Failure {
    let facts = Diverged {
        step: divergence.step,
        recorded: &divergence.recorded,
        observed: &divergence.observed,
        schedule: &stored.folder.join("schedule.txt").display().to_string(),
        face: Face::Command,
    };
    Failure { exit: Exit::Diverged, text: format!("\n{}", raddle_report::diverged(&facts, &style())) }
}

fn record(stored: &Stored, replayed: Replayed, until: Option<u64>) -> Record {
    let mut run = replayed.told.run;
    let reached = Reached {
        runs: 1,
        steps: run.events.len() as u64,
        longest: run.events.len(),
        threads: replayed.told.names.len(),
        ..Reached::default()
    };
    let verdict = if replayed.finding.is_some() { Verdict::Failed } else { Verdict::Sampled(1) };
    let mut record = Record::new(&stored.replay.program, StrategyName::default(), verdict, reached);
    record.face = Face::Command;
    let Some(fact) = replayed.finding else { return record };
    let whole = run.events.len();
    let shown = until.map_or(whole, |until| usize::try_from(until).unwrap_or(usize::MAX).min(whole));
    run.events.truncate(shown);
    let cut = format!("only the first {shown} of {} are shown", raddle_report::count(whole as u64, "step"));
    record.findings.push(FindingRecord {
        fact,
        names: replayed.told.names,
        id: stored.replay.id.clone(),
        found_in_run: stored.replay.run,
        found_steps: shown,
        // A replay shrinks nothing.
        found_preemptions: preemptions(&run.events),
        preemptions: preemptions(&run.events),
        run,
        replay: format!("raddle replay {}", stored.given),
        schedule: Some(stored.folder.join("schedule.txt").display().to_string()),
        page: Some(stored.folder.join("report.html"))
            .filter(|page| page.is_file())
            .map(|page| page.display().to_string()),
        notes: (shown < whole).then_some(cut).into_iter().collect(),
        met: None,
        passing: None,
    });
    record
}
