//! From what the search met to what a person is shown: shrunk, written to a file, replayed from that file.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use raddle_detect::{Detail, Finding as Fact, FindingKind, judge};
use raddle_explore::{
    self as explore, Chooser, Doubt, Limit, Replay, RunLimits, Shrunk, Subject, Verdict, preemptions, shrink,
};
use raddle_report::{FindingRecord, Passing, PassingRun, finding_id};
use raddle_runtime::{Names, Program};
use raddle_trace::{Ending, Event, Failure, Kind, Place, Run, Schedule, Step};

use super::fresh::{is_spent, on_fresh_thread};
use super::report::Finding;
use super::search::Found;
use super::{Check, again};

/// Runs that shrinking may make for one finding.
const SHRINKING_RUNS: u64 = 20_000;
/// The same for looking for a run that passes, and how long that may take.
const PASSING_RUNS: u64 = 2_000;
const PASSING_TIME: Duration = Duration::from_secs(1);

/// Prepares findings to be shown. One that does not happen again is no finding but a reason not to trust the search.
pub(super) fn prepare<F: Fn() + Send + Sync>(
    check: &Check,
    f: &F,
    found: Vec<Found>,
    verdict: &mut Verdict,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for found in found {
        match prepare_one(check, f, &found) {
            Ok(finding) => findings.push(finding),
            Err(Unconfirmed::Doubt(doubt)) => *verdict = Verdict::Untrusted(doubt),
            // Whoever doubts already has a reason.
            Err(Unconfirmed::OnlySlow) if matches!(verdict, Verdict::Untrusted(_)) => {}
            Err(Unconfirmed::OnlySlow) => *verdict = Verdict::Stopped(Limit::RunTime(check.max_run_time)),
        }
    }
    findings
}

/// Why there is nothing to show of a finding.
enum Unconfirmed {
    /// It does not happen again.
    Doubt(Doubt),
    /// The run was taken for endless, but comes to its end: how long it takes is up to the machine, not to the program.
    OnlySlow,
}

impl From<Doubt> for Unconfirmed {
    fn from(doubt: Doubt) -> Unconfirmed {
        Unconfirmed::Doubt(doubt)
    }
}

fn prepare_one<F: Fn() + Send + Sync>(check: &Check, f: &F, found: &Found) -> Result<Finding, Unconfirmed> {
    let limits = RunLimits { max_steps: check.max_steps };
    let names = found.names.clone();
    let (first, _) = make(check, f, &found.steps, names.clone(), &limits, &found.finding)?;
    // Every run of a thread that never makes a step takes as long as that may take.
    let is_small = is_stuck(&first) && preemptions(&first.events) == 0;
    let shrunk = on_fresh_thread(check.max_run_time, || {
        let mut program = Program::new(f, check.options);
        program.share_names(names.clone());
        let max_runs = if is_small { 0 } else { SHRINKING_RUNS };
        shrink(&mut UntilSpent::new(program), &limits, &first, max_runs, &mut |run| {
            judge(run).is_some_and(|finding| finding.is_same(&found.finding))
        })
    });
    let (run, names) = match is_small {
        true => (first, names),
        false => make(check, f, &shrunk.steps, names, &limits, &found.finding)?,
    };
    let id = finding_id(&check.program(), &found.finding);
    let schedule = schedule_of(check, &run, &names);
    let path = path_of(&check.out, &id);
    let stored = store(&path, &schedule);
    // What is shown is what the file makes happen, in a program that knows nothing of the search.
    let read = match &stored {
        Ok(()) => std::fs::read(&path).ok().and_then(|bytes| Schedule::from_bytes(&bytes).ok()),
        Err(_) => Some(schedule.clone()),
    };
    let read = read.ok_or_else(|| missing(&found.finding, &run))?;
    let mut fresh = Names::default();
    let steps = renumber(&read, &mut fresh).ok_or_else(|| missing(&found.finding, &run))?;
    let (replayed, fresh) = make(check, f, &steps, fresh, &limits, &found.finding)?;
    if let Some(event) = Replay::difference(&run, &replayed) {
        return Err(changed(&run.events.get(event).map_or("its end".to_owned(), note), &replayed).into());
    }
    let fact = judge(&replayed).unwrap_or_else(|| found.finding.clone());
    let passing = passing(check, f, &replayed, &fresh, &limits);
    if let (Ok(()), Some(run)) = (&stored, &passing.run) {
        let schedule = Schedule { threads: run.names.clone(), ..schedule_of(check, &run.run, &fresh) };
        // The report is whole without it.
        let _ = store(&path.with_file_name("passing.txt"), &schedule);
    }
    Ok(show(check, &fact, &replayed, &fresh, found, &shrunk, passing, &id, stored.map(|()| path)))
}

/// A run that passes and begins like this one, as a program makes it that knows nothing of the others.
fn passing<F: Fn() + Send + Sync>(
    check: &Check,
    f: &F,
    shown: &Run,
    names: &Names,
    limits: &RunLimits,
) -> Passing {
    let start = Instant::now();
    let without_step = check.max_run_time.min(PASSING_TIME);
    let (found, names) = on_fresh_thread(without_step, || {
        let mut program = Program::new(f, check.options);
        program.share_names(names.clone());
        let names = program.names().clone();
        let may_go_on = &mut |runs| runs < PASSING_RUNS && start.elapsed() < PASSING_TIME && !is_spent();
        let is_wrong = &mut |run: &Run| judge(run).is_some();
        (explore::passing(&mut UntilSpent::new(program), limits, shown, may_go_on, is_wrong), names)
    });
    let run = found.steps.and_then(|steps| {
        on_fresh_thread(without_step, || {
            let mut program = Program::new(f, check.options);
            program.share_names(names);
            program.run(&mut Replay::new(&steps), limits);
            let run = program.described().clone();
            let passes = run.ending == Ending::Finished && judge(&run).is_none();
            passes.then(|| PassingRun { run, names: program.names().all() })
        })
    });
    Passing { run, tried: found.runs }
}

/// Runs a program until its OS thread is spent or a run had to be ended; from then on every run is empty.
struct UntilSpent<F> {
    program: Program<F>,
    /// A thread never made a step, or waited outside. Thousands of such runs would take for ever.
    had_to_be_ended: bool,
}

impl<F: Fn()> UntilSpent<F> {
    fn new(program: Program<F>) -> UntilSpent<F> {
        UntilSpent { program, had_to_be_ended: false }
    }
}

impl<F: Fn()> Subject for UntilSpent<F> {
    fn run(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> &Run {
        static NOTHING: LazyLock<Run> = LazyLock::new(Run::default);
        if self.had_to_be_ended || is_spent() {
            return &NOTHING;
        }
        let run = self.program.run(chooser, limits);
        self.had_to_be_ended = is_stuck(run) || run.ending == Ending::Outside;
        run
    }
}

/// Whether the run had to be ended because one of its threads never made a step.
fn is_stuck(run: &Run) -> bool {
    run.ending == Ending::Failed(Failure::Stuck)
}

/// Makes a run again, on an OS thread of its own, and sees that it ends as it did.
fn make<F: Fn() + Send + Sync>(
    check: &Check,
    f: &F,
    steps: &[Step],
    names: Names,
    limits: &RunLimits,
    expected: &Fact,
) -> Result<(Run, Names), Unconfirmed> {
    on_fresh_thread(check.max_run_time, || {
        let mut program = Program::new(f, check.options);
        program.share_names(names);
        program.run(&mut Replay::new(steps), limits);
        let run = program.described().clone();
        let same = judge(&run).is_some_and(|finding| finding.is_same(expected));
        let names = program.names().clone();
        // Nothing else is a livelock that nobody waits in.
        let was_stuck = expected.kind == FindingKind::Livelock && expected.detail == Detail::None;
        match same {
            true => Ok((run, names)),
            false if was_stuck && run.ending == Ending::Finished => Err(Unconfirmed::OnlySlow),
            false => Err(missing(expected, &run).into()),
        }
    })
}

/// A finding did not happen again: what it was, and where the run with its schedule ended instead.
fn missing(expected: &Fact, now: &Run) -> Doubt {
    let words = expected.message.lines().next().unwrap_or_default();
    changed(&format!("{}, {}: {words}", expected.kind.word(), expected.place), now)
}

fn changed(before: &str, now: &Run) -> Doubt {
    let last = now.events.last();
    Doubt::NotDeterministic {
        event: now.events.len(),
        before: before.trim_end_matches([':', ' ']).to_owned(),
        now: last.map_or_else(|| "nothing".to_owned(), note),
        place: last.map_or(Place::Unknown, |event| event.place),
    }
}

/// What a step did, in the words that a schedule keeps to notice a program that has changed.
pub(super) fn note(event: &Event) -> String {
    note_of(event.operation.kind, event.place)
}

/// The same of an operation that may not have been done.
pub(super) fn note_of(kind: Kind, place: Place) -> String {
    format!("{kind:?} {place}")
}

/// The notes of a run, one per step.
pub(super) fn notes(events: &[Event]) -> Vec<String> {
    let mut notes = Vec::new();
    for event in events {
        if event.decided {
            notes.push(note(event));
        }
        if event.alternatives > 1 {
            notes.push(note(event));
        }
    }
    notes
}

fn schedule_of(check: &Check, run: &Run, names: &Names) -> Schedule {
    Schedule {
        program: again::called(&check.program(), check.number),
        threads: names.all(),
        steps: Replay::steps_of(&run.events),
        notes: notes(&run.events),
    }
}

/// The steps of a schedule, with the numbers that its threads have here; `None` if it speaks of threads that it does not
/// name.
pub(super) fn renumber(schedule: &Schedule, names: &mut Names) -> Option<Vec<Step>> {
    let numbers: Option<Vec<_>> = schedule.threads.iter().map(|name| names.find(name)).collect();
    let numbers = numbers?;
    let renumbered = schedule.steps.iter().map(|step| match step {
        Step::Thread(thread) => numbers.get(thread.index()).copied().map(Step::Thread),
        Step::Alternative(number) => Some(Step::Alternative(*number)),
    });
    renumbered.collect()
}

/// Where the schedule of a finding is kept.
pub(super) fn path_of(out: &Path, id: &str) -> PathBuf {
    out.join("findings").join(id).join("schedule.txt")
}

fn store(path: &Path, schedule: &Schedule) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // Written beside and renamed, so that a reader never sees half a file.
    let half = path.with_extension(format!("{}.part", std::process::id()));
    std::fs::write(&half, schedule.to_text())?;
    std::fs::rename(&half, path)
}

#[expect(
    clippy::too_many_arguments,
    reason = "everything that a report says of a finding comes together here"
)]
fn show(
    check: &Check,
    fact: &Fact,
    run: &Run,
    names: &Names,
    found: &Found,
    shrunk: &Shrunk,
    passing: Passing,
    id: &str,
    stored: std::io::Result<PathBuf>,
) -> Finding {
    let replay = match &stored {
        Ok(_) => check.replay_command(id),
        Err(_) => "only by searching again, because nothing was kept".to_owned(),
    };
    let shown = |path: &Path| again::seen_from_shell(path).display().to_string();
    let path = stored.as_ref().ok().map(|path| shown(path));
    let mut notes = Vec::new();
    if let Err(error) = &stored {
        notes.push(format!("the schedule could not be kept in {}: {error}", check.out.display()));
    }
    debug_assert!(shrunk.length == run.events.len(), "bug in raddle: shrunk to another run than is shown");
    let page = stored.as_ref().ok().map(|path| shown(&path.with_file_name("report.html")));
    let record = FindingRecord {
        fact: fact.clone(),
        run: run.clone(),
        names: names.all(),
        id: id.to_owned(),
        found_in_run: found.run,
        found_steps: found.length,
        found_preemptions: found.preemptions,
        preemptions: preemptions(&run.events),
        replay,
        schedule: path,
        page,
        notes,
        met: found.met,
        passing: Some(passing),
    };
    Finding::new(record, stored.ok())
}

/// The text of a source file. Paths are relative to where the compiler ran: the package, or the workspace above it.
pub(super) fn read_source(file: &str) -> Option<String> {
    ["", "..", "../.."].iter().find_map(|up| std::fs::read_to_string(Path::new(up).join(file)).ok())
}
