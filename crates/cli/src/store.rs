//! `raddle-out/`: what is kept of a check, and how it is found again.
//!
//! ```text
//! raddle-out/latest/record.json            the last check; beside it report.html, results.sarif, junit.xml
//! raddle-out/latest/resume.bin            where a search stopped, with its program, if it can go on
//! raddle-out/findings/ID/schedule.txt      the choices that make the finding happen again
//! raddle-out/findings/ID/finding.json      the finding, step by step; beside it finding.txt, explain.txt, report.html
//! raddle-out/findings/ID/replay.json       with which settings and arguments
//! raddle-out/findings/ID/program           the binary that showed it
//! raddle-out/findings/ID/source/           the source files that it speaks of
//! ```
//! A finding's folder is all that a replay needs, so it can be copied to another place.

use std::path::{Path, PathBuf};

use raddle_channel::{Races, Resume, SavedCheck, Task, frame};
use raddle_native::Plan;
use raddle_report::{FindingRecord, OutputFile, Record, finding_files, write_files};
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

/// A finding that was found again in its folder.
pub(crate) struct Stored {
    /// How the user named it.
    pub(crate) given: String,
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The choices.
    pub(crate) schedule: Schedule,
    /// The rest.
    pub(crate) replay: ReplayFile,
}

impl Stored {
    /// The binary that showed the finding.
    pub(crate) fn program(&self) -> PathBuf {
        self.folder.join("program")
    }
}

/// Where the folder of a finding is.
pub(crate) fn folder_of(out: &Path, id: &str) -> PathBuf {
    out.join("findings").join(id)
}

/// Keeps a finding; returns the path of its schedule.
pub(crate) fn keep(
    out: &Path,
    record: &Record,
    finding: &FindingRecord,
    schedule: &Schedule,
    plan: &Plan,
    sources: &Sources,
) -> std::io::Result<PathBuf> {
    let folder = folder_of(out, &finding.id);
    // A finding that is found again replaces what was kept of it.
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => std::fs::create_dir_all(folder.join("source"))?,
    }
    let path = folder.join("schedule.txt");
    std::fs::write(&path, schedule.to_text())?;
    write_files(&folder, &finding_files(record, finding, &|file| sources.read(file)))?;
    let replay = ReplayFile {
        schema: SCHEMA,
        id: finding.id.clone(),
        program: record.program.clone(),
        arguments: plan.program.arguments.iter().map(|text| text.to_string_lossy().into_owned()).collect(),
        seed: plan.task.seed,
        ignore_races: plan.task.races == Races::Ignore,
        leaks: plan.task.leaks,
        max_steps: plan.task.max_steps,
        stack: plan.task.stack,
        folders: sources.folders().to_vec(),
        run: finding.found_in_run,
    };
    let text = serde_json::to_string_pretty(&replay).map_err(std::io::Error::other)?;
    std::fs::write(folder.join("replay.json"), text + "\n")?;
    std::fs::copy(&plan.program.path, folder.join("program"))?;
    Ok(path)
}

/// Keeps the last check in the formats that other programs read, and its page.
pub(crate) fn keep_record(out: &Path, record: &Record, sources: &Sources) -> std::io::Result<()> {
    let source = |file: &str| sources.read(file);
    let file = |path: &str, contents: String| OutputFile { path: path.to_owned(), contents };
    let files = [
        file("record.json", raddle_report::json(record)),
        file("results.sarif", raddle_report::sarif(record)),
        file("junit.xml", raddle_report::junit(std::slice::from_ref(record), &source)),
        file("report.html", raddle_report::page(record, &source)),
    ];
    let folder = out.join("latest");
    std::fs::create_dir_all(&folder)?;
    write_files(&folder, &files)
}

/// The names of the files that a stopped search leaves in the folder of the last check.
const STOPPED: &str = "resume.bin";
const STOPPED_PROGRAM: &str = "program";

/// Keeps a search that was stopped, so that it can go on; or forgets the one before, if this one was not.
pub(crate) fn keep_stopped(
    out: &Path,
    program: &str,
    plan: &Plan,
    resume: Option<&Resume>,
) -> std::io::Result<()> {
    let folder = out.join("latest");
    let (file, binary) = (folder.join(STOPPED), folder.join(STOPPED_PROGRAM));
    let Some(resume) = resume else {
        for path in [file, binary] {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        return Ok(());
    };
    std::fs::create_dir_all(&folder)?;
    let saved = SavedCheck {
        program: program.to_owned(),
        arguments: plan.program.arguments.iter().map(|text| text.to_string_lossy().into_owned()).collect(),
        task: Task { resume: Some(Box::new(resume.clone())), ..plan.task.clone() },
    };
    std::fs::write(file, frame::to_bytes(&saved))?;
    // A search that goes on for the second time has its program there already.
    if plan.program.path != binary {
        std::fs::copy(&plan.program.path, binary)?;
    }
    Ok(())
}

/// A search that was stopped: its program, and the rest.
pub(crate) fn stopped(out: &Path, which: &str) -> Result<(PathBuf, SavedCheck), Failure> {
    let folder = if which == "latest" { out.join("latest") } else { PathBuf::from(which) };
    let path = folder.join(STOPPED);
    let shown = path.display();
    let bytes = std::fs::read(&path).map_err(|error| {
        Failure::usage(format!(
            "--resume {which}: there is no search to go on with, could not read {shown}: {error}; only a search that a limit \
             or Ctrl-C stopped can go on, by one worker and with a strategy that builds no model; check the program again"
        ))
    })?;
    let saved = frame::read::<SavedCheck>(&mut bytes.as_slice());
    match saved {
        Ok(Some(saved)) if saved.task.resume.is_some() => Ok((folder.join(STOPPED_PROGRAM), saved)),
        Ok(_) => Err(Failure::usage(format!("could not use {shown}: it is empty; check the program again"))),
        Err(error) => Err(Failure::usage(format!("could not use {shown}: {error}; check the program again"))),
    }
}

/// Keeps one file of the last check or comparison.
pub(crate) fn keep_latest(out: &Path, name: &str, text: &str) -> std::io::Result<PathBuf> {
    let folder = out.join("latest");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(name);
    std::fs::write(&path, text)?;
    Ok(path)
}

/// Where things are kept: what was given, the variable of the environment, or the folder that everybody uses.
pub(crate) fn out(given: Option<&Path>) -> PathBuf {
    let variable = || std::env::var_os("RADDLE_OUT").filter(|value| !value.is_empty()).map(PathBuf::from);
    given.map(Path::to_owned).or_else(variable).unwrap_or_else(|| PathBuf::from("raddle-out"))
}

/// What a command needs to find what is not kept where everybody looks.
pub(crate) fn elsewhere(out: &Path) -> String {
    if out == Path::new("raddle-out") { String::new() } else { format!(" --out {}", out.display()) }
}

/// Finds a finding by its id, its folder or its schedule.
pub(crate) fn find(out: &Path, given: &str) -> Result<Stored, Failure> {
    let as_path = PathBuf::from(given);
    let beside = if as_path.is_file() { as_path.parent().map(Path::to_owned) } else { None };
    let candidates = [Some(folder_of(out, given)), Some(as_path), beside];
    let folder = candidates.into_iter().flatten().find(|folder| folder.join("schedule.txt").is_file());
    let Some(folder) = folder else {
        return Err(Failure::usage(format!(
            "there is no finding `{given}`: neither {} nor {given} is the folder of one{}; give an id, or the path of a \
             folder",
            folder_of(out, given).display(),
            known(out)
        )));
    };
    let path = folder.join("schedule.txt");
    let shown = path.display();
    let bytes = std::fs::read(&path).map_err(|error| {
        Failure::usage(format!("could not read {shown}: {error}; check the program again"))
    })?;
    let schedule = Schedule::from_bytes(&bytes).map_err(|error| {
        Failure::usage(format!("could not use the schedule {shown}: {error}; check the program again"))
    })?;
    let replay = read_replay(&folder.join("replay.json"))?;
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
    ids.sort();
    ids.truncate(12);
    if ids.is_empty() { String::new() } else { format!(" (there are {})", ids.join(", ")) }
}
