//! Replaying a finding from its file.

use std::collections::VecDeque;
use std::path::PathBuf;

use raddle_detect::judge;
use raddle_explore::{Doubt, Reached, Replay, RunLimits, Subject, Verdict, preemptions};
use raddle_report::{Diverged, Face, FindingRecord, Style};
use raddle_runtime::{Names, Program, StageOptions};
use raddle_trace::{Ending, Hidden, Kind, Place, Run, Schedule};

use super::findings::{note_of, notes, path_of, renumber};
use super::fresh::on_fresh_thread;
use super::report::{Finding, Report, say};
use super::{Check, again};

/// Replays a finding; an error is a whole sentence.
pub(super) fn replay<F: Fn() + Send + Sync>(check: &Check, finding: &str, f: &F) -> Result<Report, String> {
    let path = find(check, finding)?;
    let shown = path.display();
    let bytes =
        std::fs::read(&path).map_err(|error| format!("could not read the schedule {shown}: {error}"))?;
    let schedule = Schedule::from_bytes(&bytes)
        .map_err(|error| format!("could not use the schedule {shown}: {error}"))?;
    let program_name = check.program();
    let (recorded, number) = again::name_and_number(&schedule.program);
    if recorded == program_name && number != check.number && is_for_all() {
        return Ok(Report::new(check, Verdict::Sampled(0), Reached::default(), 0.0, Vec::new()));
    }
    if recorded != program_name {
        return Err(format!(
            "the schedule {shown} was recorded from `{}`, but this is `{program_name}`: replay it with that program, or run \
             without RADDLE_REPLAY to search this one",
            schedule.program
        ));
    }
    let mut first_problem = None;
    let mut ways: VecDeque<StageOptions> = visibilities(check.options).into();
    while let Some(mut options) = ways.pop_front() {
        let mut names = Names::default();
        let steps = renumber(&schedule, &mut names)
            .ok_or_else(|| format!("the schedule {shown} speaks of a thread that it does not name"))?;
        let limits = RunLimits { max_steps: check.max_steps };
        let run = on_fresh_thread(check.max_run_time, || {
            let mut program = Program::new(f, options);
            program.share_names(names.clone());
            program.run(&mut Replay::new(&steps), &limits);
            program.described().clone()
        });
        if matches!(run.ending, Ending::NeedsVisible(_)) {
            continue;
        }
        match compare(&schedule, &run, &shown.to_string()) {
            Ok(()) => return Ok(report(check, finding, &run, &names.all(), path)),
            Err(problem) => _ = first_problem.get_or_insert(problem),
        }
        let unknown = |place: &Place| !options.counted.contains(*place) && !options.counted.is_full();
        if let Some(place) = waits_instead(&schedule, &run).filter(unknown) {
            options.show(Hidden::Rounds(place));
            ways.push_front(options);
        }
    }
    Err(first_problem.unwrap_or_else(|| format!("the schedule {shown} leads to no end of the program")))
}

/// Whether all checks of a test are asked to replay the same schedule, which only one of them has recorded.
fn is_for_all() -> bool {
    std::env::var_os("RADDLE_REPLAY").is_some()
}

/// The ways in which the schedule may have been recorded, from the most likely one on: a search that finds that the program can
/// tell something which was not visible starts again with more visible operations, and the schedule does not say so.
fn visibilities(options: StageOptions) -> Vec<StageOptions> {
    let shown: [&[Hidden]; 6] = [
        &[],
        &[Hidden::Counts],
        &[Hidden::LastDrops],
        &[Hidden::Ends],
        &[Hidden::Ends, Hidden::Counts],
        &[Hidden::Ends, Hidden::LastDrops],
    ];
    let with = |hidden: &[Hidden], more: &[Hidden]| {
        let mut options = options;
        hidden.iter().chain(more).for_each(|hidden| options.show(*hidden));
        options
    };
    let queues: [&[Hidden]; 2] = [&[], &[Hidden::Queues]];
    queues.iter().flat_map(|queues| shown.iter().map(|shown| with(shown, queues))).collect()
}

/// Where a thread waits in a loop in which nobody waits in the schedule: the search knew that the loop counts its rounds.
fn waits_instead(schedule: &Schedule, run: &Run) -> Option<Place> {
    let made = run.events.iter().map(|event| (event.operation.kind, event.place));
    let wanted = run.blocked.iter().map(|blocked| (blocked.pending.operation.kind, blocked.pending.place));
    let mut waits = made.chain(wanted).filter(|(kind, _)| *kind == Kind::Spin);
    waits.find(|&(kind, place)| !schedule.notes.contains(&note_of(kind, place))).map(|(_, place)| place)
}

/// The file of a finding, given by its id or its path.
fn find(check: &Check, finding: &str) -> Result<PathBuf, String> {
    let path = path_of(&check.out, finding);
    if path.is_file() {
        return Ok(path);
    }
    let given = PathBuf::from(finding);
    if given.is_file() {
        return Ok(given);
    }
    Err(format!(
        "there is no finding `{finding}`: neither {} nor {} is a file; run the test without RADDLE_REPLAY to find it again",
        path.display(),
        given.display()
    ))
}

/// Sees that the run did what the schedule says.
fn compare(schedule: &Schedule, run: &Run, path: &str) -> Result<(), String> {
    let now = notes(&run.events);
    let same = schedule.notes.iter().zip(&now).take_while(|(recorded, now)| recorded == now).count();
    if same == schedule.notes.len() && run.ending != Ending::Diverged {
        return Ok(());
    }
    let recorded = schedule.notes.get(same).map_or("its end", String::as_str);
    let observed = now.get(same).map_or("something that the schedule does not allow", String::as_str);
    let diverged = Diverged { step: same + 1, recorded, observed, schedule: path, face: Face::Rust };
    Err(format!("\n{}", raddle_report::diverged(&diverged, &Style::default())))
}

fn report(
    check: &Check,
    id: &str,
    run: &Run,
    names: &[raddle_trace::schedule::ThreadName],
    path: PathBuf,
) -> Report {
    let reached = Reached {
        runs: 1,
        steps: run.events.len() as u64,
        longest: run.events.len(),
        threads: run.threads,
        ..Reached::default()
    };
    let shown = path.display().to_string();
    let finding = judge(run).map(|fact| {
        let record = FindingRecord {
            found_steps: fact.length(run),
            fact,
            run: run.clone(),
            names: names.to_vec(),
            id: id.to_owned(),
            found_in_run: 1,
            found_preemptions: preemptions(&run.events),
            preemptions: preemptions(&run.events),
            replay: check.replay_command(id),
            schedule: Some(shown),
            page: None,
            notes: Vec::new(),
            met: None,
            passing: None,
        };
        Finding::new(record, Some(path))
    });
    let verdict = match &run.trouble {
        _ if finding.is_some() => Verdict::Failed,
        Some(trouble) if run.ending == Ending::Outside => {
            Verdict::Untrusted(Doubt::Uncontrolled { name: trouble.message.clone(), place: trouble.place })
        }
        _ => {
            say(&raddle_report::replayed_well(run.events.len(), run.threads, &Style::default()));
            Verdict::Sampled(1)
        }
    };
    Report::new(check, verdict, reached, 0.0, finding.into_iter().collect())
}
