//! Making sure of a finding: shrunk in one fresh process, made again in another, and named.

use std::time::{Duration, Instant};

use raddle_channel::{Found, Isolation, Message, Module, Task, Told, What, sites};
use raddle_detect::Finding;
use raddle_explore::model::ModelNet;
use raddle_explore::{Doubt, KeptRun};
use raddle_trace::{Ending, Failure, ObjectNote, Place, Step, Whereabouts};

use super::search::{SHRINKING_TIME, Searched, is_deadly};
use super::{CheckError, Confirmed, GRACE, Passing, Plan};
use crate::host::{Heard, Host};
use crate::{ProgramOutput, Symbols};

/// Runs that shrinking may make within one process, and with a process for each.
const SHRINKING_RUNS: u64 = 20_000;
const SHRINKING_FORKS: u64 = 3_000;
/// The same for looking for a run that passes, and how long that may take.
const PASSING_RUNS: u64 = 2_000;
const PASSING_FORKS: u64 = 300;
const PASSING_TIME: Duration = Duration::from_secs(1);

/// A run that was made again.
#[derive(Clone, Debug)]
pub(crate) struct Again {
    /// The run.
    pub(crate) told: Told,
    /// What was found in it.
    pub(crate) finding: Option<Finding>,
    /// Runs that were made for it.
    pub(crate) runs: u64,
    /// What the program wrote in it.
    pub(crate) output: ProgramOutput,
}

/// Why there is nothing to show of a finding.
pub(super) enum Unconfirmed {
    /// It does not happen again.
    Doubt(Doubt),
    /// The run was taken for endless, but comes to its end: how long it takes is up to the machine, not to the program.
    OnlySlow,
}

/// Shrinks a finding and makes it happen again.
pub(super) fn confirm(
    plan: &Plan,
    searched: &Searched,
    found: &Found,
    interrupted: &dyn Fn() -> bool,
) -> Result<Confirmed, Unconfirmed> {
    let deadly = is_deadly(found.finding.kind);
    let isolation = if deadly { Isolation::Fork } else { searched.isolation };
    // A run that goes on for ever takes the whole of its time whenever it is made: once is enough.
    let endless = found.told.run.ending == Ending::Failed(Failure::Stuck);
    let shrunk = if endless || interrupted() { None } else { shrink(plan, isolation, found, interrupted) };
    let is_same =
        |again: &Again| again.finding.as_ref().is_some_and(|finding| finding.is_same(&found.finding));
    let mut notes = Vec::new();
    let mut last = None;
    for told in shrunk.iter().chain([&found.told]) {
        // Who wants to stop still wants to see what was found; a second wish ends us at once.
        match again(plan, isolation, &told.steps, &told.names, None, &|| false) {
            Ok((again, modules)) if is_same(&again) => {
                if shrunk.is_none() && !endless {
                    notes.push("it could not be shrunk in the time that there was".to_owned());
                }
                let mut told = again.told;
                name_objects(&mut told, &modules);
                let looked = !endless && !interrupted();
                let passing = looked.then(|| passing(plan, isolation, &told, interrupted)).flatten();
                return Ok(Confirmed {
                    passing,
                    finding: again.finding.unwrap_or_else(|| found.finding.clone()),
                    told,
                    run: found.run,
                    found_steps: found.told.run.events.len(),
                    found_preemptions: found.told.preemptions,
                    notes,
                    output: again.output,
                    times: None,
                });
            }
            Ok((again, _)) => last = Some(again),
            Err(_) => {}
        }
    }
    if endless && last.as_ref().is_some_and(came_to_its_end) {
        return Err(Unconfirmed::OnlySlow);
    }
    Err(Unconfirmed::Doubt(not_again(found, last.as_ref())))
}

fn came_to_its_end(again: &Again) -> bool {
    again.finding.is_none() && again.told.run.ending == Ending::Finished
}

/// A finding that does not happen again is no finding but a reason for doubt.
fn not_again(found: &Found, again: Option<&Again>) -> Doubt {
    let before = format!("{} {}", found.finding.kind.word(), found.finding.place);
    let now = match again.and_then(|again| again.finding.as_ref()) {
        Some(finding) => format!("{} {}", finding.kind.word(), finding.place),
        None => "no finding".to_owned(),
    };
    let last = again.and_then(|again| again.told.run.events.last());
    Doubt::NotDeterministic {
        event: again.map_or(0, |again| again.told.run.events.len()),
        before,
        now,
        place: last.map_or(Place::Unknown, |event| event.place),
    }
}

/// The smallest run with the same finding, if the program lives to tell it.
fn shrink(plan: &Plan, isolation: Isolation, found: &Found, interrupted: &dyn Fn() -> bool) -> Option<Told> {
    let max_runs = if isolation == Isolation::Fork { SHRINKING_FORKS } else { SHRINKING_RUNS };
    let what = What::Shrink { steps: found.told.steps.clone(), finding: found.finding.clone(), max_runs };
    let task = Task {
        what,
        isolation,
        threads: found.told.names.clone(),
        max_time: Some(SHRINKING_TIME),
        ..plan.task.clone()
    };
    let answer = ask(plan, &task, SHRINKING_TIME + GRACE, interrupted).ok()?;
    let is_same = answer.0.finding.as_ref().is_some_and(|finding| finding.is_same(&found.finding));
    is_same.then_some(answer.0.told)
}

/// A run that passes and begins like this one, made again in a process that knows nothing of the search; nothing if it could
/// not be looked for.
fn passing(
    plan: &Plan,
    isolation: Isolation,
    shown: &Told,
    interrupted: &dyn Fn() -> bool,
) -> Option<Passing> {
    // What one of those runs dies of is not what was found, so it may come as a surprise.
    let answers = [isolation, Isolation::Fork].into_iter().find_map(|isolation| {
        let max_runs = if isolation == Isolation::Fork { PASSING_FORKS } else { PASSING_RUNS };
        let task = Task {
            what: What::Passing { steps: shown.steps.clone(), max_runs },
            isolation,
            threads: shown.names.clone(),
            max_time: Some(PASSING_TIME),
            ..plan.task.clone()
        };
        let most = PASSING_TIME + plan.task.stuck_after + GRACE;
        Some((isolation, ask(plan, &task, most, interrupted).ok()?.0))
    });
    let (isolation, answer) = answers?;
    let mut passing = Passing { told: None, tried: answer.runs };
    if passes(&answer) && answer.told.steps != shown.steps {
        let (steps, names) = (&answer.told.steps, &answer.told.names);
        let (again, modules) = again(plan, isolation, steps, names, None, interrupted).ok()?;
        if passes(&again) && again.told.steps == *steps {
            let mut told = again.told;
            name_objects(&mut told, &modules);
            passing.told = Some(told);
        }
    }
    Some(passing)
}

fn passes(made: &Again) -> bool {
    made.finding.is_none() && made.told.run.ending == Ending::Finished
}

/// Makes a run again in a fresh process.
pub(crate) fn again(
    plan: &Plan,
    isolation: Isolation,
    steps: &[Step],
    threads: &[raddle_trace::schedule::ThreadName],
    stop_before: Option<u64>,
    interrupted: &dyn Fn() -> bool,
) -> Result<(Again, Vec<Module>), CheckError> {
    let task = again_task(plan, isolation, steps, threads, stop_before);
    ask(plan, &task, plan.task.stuck_after + GRACE, interrupted)
}

/// The task of making a run again.
pub(crate) fn again_task(
    plan: &Plan,
    isolation: Isolation,
    steps: &[Step],
    threads: &[raddle_trace::schedule::ThreadName],
    stop_before: Option<u64>,
) -> Task {
    Task {
        what: What::Again { steps: steps.to_vec(), stop_before },
        isolation,
        threads: threads.to_vec(),
        max_time: None,
        ..plan.task.clone()
    }
}

/// Gives a fresh process a task that is answered by one run.
fn ask(
    plan: &Plan,
    task: &Task,
    most: Duration,
    interrupted: &dyn Fn() -> bool,
) -> Result<(Again, Vec<Module>), CheckError> {
    let program = plan.program.path.display().to_string();
    let mut limits = plan.limits;
    // While it shrinks, a process has nothing to tell.
    limits.silence = limits.silence.max(most);
    let mut host = Host::start(&plan.program, &limits, task, Some(Instant::now() + most), interrupted)
        .map_err(|error| CheckError::NotStarted { program: program.clone(), error })?;
    let mut modules = Vec::new();
    let mut answer = None;
    let mut broken = None;
    loop {
        match host.next() {
            Heard::Message(message) => match *message {
                Message::Hello { modules: told, .. } => modules = told,
                Message::Run { told, finding, runs } => answer = Some((*told, finding, runs)),
                Message::Found(found) if answer.is_none() => {
                    answer = Some((found.told, Some(found.finding), 1));
                }
                Message::Done(_) => break,
                _ => {}
            },
            Heard::Closed => break,
            Heard::Broken(error) => {
                broken = Some(error.to_string());
                break;
            }
            Heard::Ended(_) => {
                broken = Some("it did not come to an end in time".to_owned());
                break;
            }
        }
    }
    let gone = host.end();
    match answer {
        Some((told, finding, runs)) => Ok((Again { told, finding, runs, output: gone.output }, modules)),
        None => Err(CheckError::NoAnswer { program, how: broken.unwrap_or_else(|| gone.how()) }),
    }
}

/// Puts the program's own names to the objects and threads of a run.
pub(crate) fn name_objects(told: &mut Told, modules: &[Module]) {
    let mut symbols: Vec<Option<Symbols>> = modules.iter().map(|_| None).collect();
    let run = &mut told.run;
    name_threads(&run.bodies, &mut run.thread_names, modules, &mut symbols);
    name_notes(&mut run.objects, modules, &mut symbols);
}

/// Puts the program's own names to the objects and threads of a model.
pub(super) fn name_model(model: &mut ModelNet, modules: &[Module]) {
    let mut symbols: Vec<Option<Symbols>> = modules.iter().map(|_| None).collect();
    name_threads(&model.bodies, &mut model.threads, modules, &mut symbols);
    name_notes(&mut model.objects, modules, &mut symbols);
}

/// Puts the program's own names to the objects and threads of the runs that are kept to be shown.
pub(super) fn name_kept(kept: &mut [KeptRun], modules: &[Module]) {
    let mut symbols: Vec<Option<Symbols>> = modules.iter().map(|_| None).collect();
    for KeptRun { run, .. } in kept {
        name_threads(&run.bodies, &mut run.thread_names, modules, &mut symbols);
        name_notes(&mut run.objects, modules, &mut symbols);
    }
}

fn name_notes(notes: &mut [ObjectNote], modules: &[Module], symbols: &mut [Option<Symbols>]) {
    let mut blocks: Vec<(Place, u32, usize)> = Vec::new();
    for note in notes {
        match note.lies {
            Whereabouts::Global { module, offset } => {
                let index = module as usize;
                let Some(path) = modules.get(index).map(|module| std::path::Path::new(&module.path)) else {
                    continue;
                };
                let known = symbols[index].get_or_insert_with(|| Symbols::of(path));
                if let Some(name) = known.name(offset) {
                    note.name = Some(sites::text(&name));
                }
            }
            Whereabouts::Heap { by, number, offset, allocated } if note.name.is_none() => {
                let name = block_name(&mut blocks, allocated, (by.index() as u32) << 24 | number, offset);
                note.name = name.map(|name| sites::text(&name));
            }
            _ => {}
        }
    }
}

/// Threads that the program gave no name are called after the function that they began with.
fn name_threads(
    bodies: &[Whereabouts],
    names: &mut [Option<String>],
    modules: &[Module],
    symbols: &mut [Option<Symbols>],
) {
    for (thread, body) in bodies.iter().enumerate() {
        let Whereabouts::Global { module, offset } = *body else { continue };
        let Some(known) = modules.get(module as usize) else { continue };
        let path = std::path::Path::new(&known.path);
        let known = symbols[module as usize].get_or_insert_with(|| Symbols::of(path));
        if let (Some(name), Some(slot @ None)) = (known.function(offset), names.get_mut(thread)) {
            *slot = Some(name.to_owned());
        }
    }
}

/// What memory that was allocated is called: by the line that asked for it, which block of that line it is if there are
/// several, and how far in.
fn block_name(
    blocks: &mut Vec<(Place, u32, usize)>,
    allocated: Place,
    number: u32,
    offset: u64,
) -> Option<String> {
    let line = allocated.line()?;
    let known = blocks.iter().find(|(_, known, _)| *known == number).map(|(_, _, which)| *which);
    let which = known.unwrap_or_else(|| {
        let which = blocks.iter().filter(|(place, _, _)| *place == allocated).count() + 1;
        blocks.push((allocated, number, which));
        which
    });
    let which = if which == 1 { String::new() } else { format!("#{which}") };
    let within = if offset == 0 { String::new() } else { format!("+{offset}") };
    Some(format!("heap:{line}{which}{within}"))
}
