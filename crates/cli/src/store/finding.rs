//! The folder of one finding.

use std::path::{Path, PathBuf};

use raddle_channel::Races;
use raddle_native::Plan;
use raddle_report::{FindingRecord, Record, finding_files, write_files};
use raddle_store::{folder_of, put_finding};
use raddle_trace::Schedule;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::sources::Sources;

/// What a replay needs besides the schedule and the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayFile {
    /// The version of this file.
    pub(crate) schema: u32,
    /// The short name of the finding, whatever its folder is called.
    pub(crate) id: String,
    /// The program's name in reports.
    pub(crate) program: String,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// The seed of `rand` and the like.
    pub(crate) seed: u64,
    /// Whether races on plain memory are ignored.
    pub(crate) ignore_races: bool,
    /// Whether leaks are looked for.
    pub(crate) leaks: bool,
    /// The most steps of a run.
    pub(crate) max_steps: usize,
    /// The stack of a thread.
    pub(crate) stack: u64,
    /// The folders in which the sources were compiled.
    pub(crate) folders: Vec<PathBuf>,
    /// The number of the run in which it was found.
    #[serde(default = "first_run")]
    pub(crate) run: u64,
}

fn first_run() -> u64 {
    1
}

/// The version of [`ReplayFile`] that is written, and the only one that is read.
const SCHEMA: u32 = 1;

/// The file with the choices that make a finding happen again.
const SCHEDULE: &str = "schedule.txt";
/// The same for a run that passes and begins like it.
const PASSING: &str = "passing.txt";

/// The file with what a replay needs besides.
const REPLAY: &str = "replay.json";

/// The runs of a finding that are kept.
pub(crate) struct Schedules {
    /// The one that shows it.
    pub(crate) finding: Schedule,
    /// One that passes and begins like it.
    pub(crate) passing: Option<Schedule>,
}

/// A finding that was found again in its folder.
pub(crate) struct Stored {
    /// How the user named it.
    pub(crate) given: String,
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The choices: those that show the finding, unless the file of a run that passes was given.
    pub(crate) schedule: Schedule,
    /// The rest.
    pub(crate) replay: ReplayFile,
}

impl Stored {
    /// The binary that showed the finding.
    pub(crate) fn program(&self) -> PathBuf {
        self.folder.join("program")
    }

    /// The choices of a run that passes and begins like the finding; none if there is none, or it cannot be read.
    pub(crate) fn passing(&self) -> Option<Schedule> {
        Schedule::from_bytes(&std::fs::read(self.folder.join(PASSING)).ok()?).ok()
    }

    /// How many runs were tried to find that one; none if it was not looked for.
    pub(crate) fn tried(&self) -> Option<u64> {
        value(&self.folder, "/finding/passing/tried")?.as_u64()
    }

    /// The steps of the report that are the two accesses of a race; none if the finding is no race.
    pub(crate) fn racing(&self) -> Vec<u64> {
        let steps = ["/finding/race/first/step", "/finding/race/second/step"];
        steps.iter().filter_map(|step| value(&self.folder, step)?.as_u64()).collect()
    }
}

/// A value of the `finding.json` in a folder.
fn value(folder: &Path, pointer: &str) -> Option<serde_json::Value> {
    let text = std::fs::read_to_string(folder.join("finding.json")).ok()?;
    let file: serde_json::Value = serde_json::from_str(&text).ok()?;
    file.pointer(pointer).cloned()
}

/// Keeps a finding in its folder.
pub(crate) fn keep(
    out: &Path,
    record: &Record,
    finding: &FindingRecord,
    schedules: &Schedules,
    plan: &Plan,
    sources: &Sources,
) -> std::io::Result<()> {
    put_finding(out, &finding.id, |folder| write(folder, record, finding, schedules, plan, sources))
}

/// Writes the files of a finding.
fn write(
    folder: &Path,
    record: &Record,
    finding: &FindingRecord,
    schedules: &Schedules,
    plan: &Plan,
    sources: &Sources,
) -> std::io::Result<()> {
    std::fs::create_dir_all(folder.join("source"))?;
    std::fs::write(folder.join(SCHEDULE), schedules.finding.to_text())?;
    if let Some(passing) = &schedules.passing {
        std::fs::write(folder.join(PASSING), passing.to_text())?;
    }
    write_files(folder, &finding_files(record, finding, &|file| sources.read(file)))?;
    let replay = ReplayFile {
        schema: SCHEMA,
        id: finding.id.clone(),
        program: record.program.clone(),
        arguments: plan.arguments(),
        seed: plan.task.seed,
        ignore_races: plan.task.races == Races::Ignore,
        leaks: plan.task.leaks,
        max_steps: plan.task.max_steps,
        stack: plan.task.stack,
        folders: sources.folders().to_vec(),
        run: finding.found_in_run,
    };
    let text = serde_json::to_string_pretty(&replay).map_err(std::io::Error::other)?;
    std::fs::write(folder.join(REPLAY), text + "\n")?;
    std::fs::copy(&plan.program.path, folder.join("program"))?;
    Ok(())
}

/// The folder of a finding, which is given by its id, its folder or a schedule in it, and the name of that schedule.
pub(crate) fn folder_given(out: &Path, given: &str) -> Result<(PathBuf, &'static str), Failure> {
    let as_path = PathBuf::from(given);
    let beside = if as_path.is_file() { as_path.parent().map(Path::to_owned) } else { None };
    let name = if as_path.ends_with(PASSING) { PASSING } else { SCHEDULE };
    let candidates = [Some(folder_of(out, given)), Some(as_path), beside];
    let folder = candidates.into_iter().flatten().find(|folder| folder.join(name).is_file());
    folder.map(|folder| (folder, name)).ok_or_else(|| {
        Failure::usage(format!(
            "there is no finding `{given}`: neither {} nor {given} is the folder of one{}; give an id, or the path of a \
             folder",
            folder_of(out, given).display(),
            known(out)
        ))
    })
}

/// What a finding of a Rust program says at length, and the command that replays it; none if the command can replay it itself.
pub(crate) fn of_rust(folder: &Path) -> Option<(String, String)> {
    if folder.join(REPLAY).exists() {
        return None;
    }
    let replay = value(folder, "/finding/replay")?.as_str()?.to_owned();
    let text = std::fs::read_to_string(folder.join("explain.txt")).ok()?;
    (!replay.starts_with("raddle replay ")).then_some((text, replay))
}

/// Finds a finding by its id, its folder or its schedule.
pub(crate) fn find(out: &Path, given: &str) -> Result<Stored, Failure> {
    let (folder, name) = folder_given(out, given)?;
    if let Some((_, replay)) = of_rust(&folder) {
        return Err(Failure::usage(format!(
            "`{given}` is a finding of a Rust program, which its own test makes again: {replay}; `raddle explain {given}` and \
             `raddle report {given}` show it"
        )));
    }
    let path = folder.join(name);
    let shown = path.display();
    let bytes = std::fs::read(&path).map_err(|error| {
        Failure::usage(format!("could not read {shown}: {error}; check the program again"))
    })?;
    let schedule = Schedule::from_bytes(&bytes).map_err(|error| {
        Failure::usage(format!("could not use the schedule {shown}: {error}; check the program again"))
    })?;
    let replay = read_replay(&folder.join(REPLAY))?;
    Ok(Stored { given: given.to_owned(), folder, schedule, replay })
}

fn read_replay(path: &Path) -> Result<ReplayFile, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("could not read {shown}: {error}; check the program again"))
    })?;
    let file: ReplayFile = serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("could not use {shown}: {error}; check the program again"))
    })?;
    if file.schema != SCHEMA {
        return Err(Failure::usage(format!(
            "could not use {shown}: it has version {}, this raddle reads version {SCHEMA}; check the program again",
            file.schema
        )));
    }
    Ok(file)
}

/// The ids that there are, as part of a sentence.
fn known(out: &Path) -> String {
    let entries = std::fs::read_dir(out.join("findings")).into_iter().flatten().flatten();
    let mut ids: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    ids.retain(|id| !id.starts_with('.'));
    ids.sort();
    ids.truncate(12);
    if ids.is_empty() { String::new() } else { format!(" (there are {})", ids.join(", ")) }
}
