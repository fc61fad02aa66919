//! A search that was stopped, kept so that it can go on.

use std::fs::File;
use std::path::{Path, PathBuf};

use raddle_channel::{Resume, SavedCheck, Task, frame};
use raddle_native::Plan;
use raddle_store::{CheckFolder, EVENTS, be_new, last_with, lock};

use crate::failure::Failure;

/// The names of the files that it leaves in the folder of its check.
const STOPPED: &str = "resume.bin";
const STOPPED_PROGRAM: &str = "program";

/// Keeps in the folder of a check where its search stopped.
pub(crate) fn keep_stopped(
    folder: &CheckFolder,
    program: &str,
    plan: &Plan,
    resume: &Resume,
) -> std::io::Result<()> {
    let saved = SavedCheck {
        program: program.to_owned(),
        arguments: plan.arguments(),
        task: Task { resume: Some(Box::new(resume.clone())), ..plan.task.clone() },
    };
    std::fs::copy(&plan.program.path, folder.path().join(STOPPED_PROGRAM))?;
    std::fs::write(folder.path().join(STOPPED), frame::to_bytes(&saved))
}

/// A search that was stopped.
pub(crate) struct Stopped {
    /// Its program.
    pub(crate) program: PathBuf,
    /// The rest.
    pub(crate) saved: SavedCheck,
    /// Keeps others from removing its folder.
    _used: Option<File>,
}

/// Finds a search that was stopped.
pub(crate) fn stopped(out: &Path, which: &str) -> Result<Stopped, Failure> {
    // If that fails, so will what comes next, and say why.
    let _ = be_new(out);
    let named = if which == "latest" { out.join("latest") } else { PathBuf::from(which) };
    // What was killed while it went on can go on from where it began.
    let is_killed = which == "latest" && !named.join("record.json").is_file();
    let last = || last_with(out, "record.json").unwrap_or_else(|| named.clone());
    let folder = if is_killed { last() } else { named };
    let path = folder.join(STOPPED);
    let shown = path.display();
    let bytes = std::fs::read(&path).map_err(|error| {
        Failure::usage(format!(
            "--resume {which}: there is no search to go on with, could not read {shown}: {error}; only a search that a limit \
             or Ctrl-C stopped can go on, by one worker and with a strategy that builds no model; check the program again"
        ))
    })?;
    let used = File::open(folder.join(EVENTS)).ok();
    // If it cannot be locked, it is most likely not removed either.
    let used = used.filter(|events| lock::shared(events).is_ok());
    // `latest` is about to lead elsewhere.
    let folder = folder.canonicalize().unwrap_or(folder);
    match frame::read::<SavedCheck>(&mut bytes.as_slice()) {
        Ok(Some(saved)) if saved.task.resume.is_some() => {
            Ok(Stopped { program: folder.join(STOPPED_PROGRAM), saved, _used: used })
        }
        Ok(_) => Err(Failure::usage(format!("could not use {shown}: it is empty; check the program again"))),
        Err(error) => Err(Failure::usage(format!("could not use {shown}: {error}; check the program again"))),
    }
}
