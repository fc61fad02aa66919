//! `raddle-out/`: what is kept of checks, and how it is found again.
//!
//! ```text
//! raddle-out/latest                        the check that began last: a link to
//! raddle-out/checks/N/record.json          one check; beside it report.html, results.sarif, junit.xml
//! raddle-out/checks/N/events.jsonl         what happened, line by line, while it happens
//! raddle-out/checks/N/findings/ID          what it found: links to
//! raddle-out/findings/ID/schedule.txt      the choices that make the finding happen again
//! raddle-out/findings/ID/passing.txt       those of a run that passes and begins like it, if one was found
//! raddle-out/findings/ID/finding.json      the finding, step by step; beside it finding.txt, explain.txt, report.html
//! raddle-out/findings/ID/replay.json       with which settings and arguments
//! raddle-out/findings/ID/program           the binary that showed it
//! raddle-out/findings/ID/source/           the source files that it speaks of
//! raddle-out/checks/N/resume.bin           where a search stopped, with its program, if it can go on
//! raddle-out/lock                          locked while one of these is put in its place or removed
//! ```
//! A finding's folder is all that a replay needs, so it can be copied to another place. Several checks can use one
//! `raddle-out/`: each has a folder of its own, and findings are put in their place as a whole.

mod finding;
mod folder;
mod prune;
mod stopped;

use std::fs::File;
use std::path::{Path, PathBuf};

pub(crate) use finding::{Schedules, Stored, find, folder_given, folder_of, keep, of_rust};
pub(crate) use folder::{CheckFolder, last_with};
pub(crate) use prune::Most;
pub(crate) use stopped::stopped;

/// Where things are kept: what was given, the variable of the environment, or the folder that everybody uses.
pub(crate) fn out(given: Option<&Path>) -> PathBuf {
    let variable = || std::env::var_os("RADDLE_OUT").filter(|value| !value.is_empty()).map(PathBuf::from);
    given.map(Path::to_owned).or_else(variable).unwrap_or_else(|| PathBuf::from("raddle-out"))
}

/// What a command needs to find what is not kept where everybody looks.
pub(crate) fn elsewhere(out: &Path) -> String {
    if out == Path::new("raddle-out") { String::new() } else { format!(" --out {}", out.display()) }
}

/// The right to put something in its place, until it is dropped.
struct Alone(#[expect(dead_code, reason = "the file is what is locked")] File);

impl Alone {
    /// Waits until nobody else has it.
    fn in_folder(out: &Path) -> std::io::Result<Alone> {
        if out.exists() && !out.is_dir() {
            return Err(std::io::Error::new(std::io::ErrorKind::NotADirectory, "it is no folder"));
        }
        std::fs::create_dir_all(out)?;
        let file = File::options().create(true).truncate(false).write(true).open(out.join("lock"))?;
        raddle_native::lock::alone(&file)?;
        Ok(Alone(file))
    }
}

/// Removes a file or link, if it is there.
fn forget(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
