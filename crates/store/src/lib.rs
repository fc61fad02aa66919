//! `raddle-out/`: what is kept of checks, once for Rust tests and for the command.
//!
//! ```text
//! raddle-out/latest                        the check that began last: a link to
//! raddle-out/checks/N/record.json          one check; beside it report.html, results.sarif, junit.xml, and what else was asked for
//! raddle-out/checks/N/events.jsonl         what happened, line by line, while it happens
//! raddle-out/checks/N/findings/ID          what it found: links to
//! raddle-out/findings/ID/schedule.txt      the choices that make the finding happen again
//! raddle-out/findings/ID/passing.txt       those of a run that passes and begins like it, if one was found
//! raddle-out/findings/ID/finding.json      the finding, step by step; beside it finding.txt, explain.txt, report.html
//! raddle-out/findings/ID/source/           the source files that it speaks of
//! raddle-out/findings/ID/replay.json       with which settings and arguments; C and C++ only
//! raddle-out/findings/ID/program           the binary that showed it; C and C++ only
//! raddle-out/checks/N/resume.bin           where a search stopped, with its program, if it can go on; C and C++ only
//! raddle-out/lock                          locked while one of these is put in its place or removed
//! ```
//! A finding's folder is all that a replay needs, so it can be copied to another place. Several checks can use one
//! `raddle-out/`: each has a folder of its own, and what others may read at the same time is put in its place as a whole.

mod events;
mod finding;
mod folder;
mod github;
pub mod lock;
mod prune;

use std::fs::File;
use std::path::Path;

pub use events::Events;
pub use finding::{folder_of, put_finding};
pub use folder::{CheckFolder, EVENTS, be_new, last_with};
pub use github::add_step_summary;
pub use prune::Most;

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
        lock::alone(&file)?;
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
