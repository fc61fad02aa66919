//! What the command alone knows of `raddle-out/`: how findings and searches that were stopped are kept and found again. The rest is
//! the crate `raddle-store`, which Rust tests use as well.

mod finding;
mod stopped;

use std::path::{Path, PathBuf};

pub(crate) use finding::{Schedules, Stored, find, folder_given, keep, of_rust};
pub(crate) use stopped::{keep_stopped, stopped};

/// Where things are kept: what was given, the variable of the environment, or the folder that everybody uses.
pub(crate) fn out(given: Option<&Path>) -> PathBuf {
    let variable = || std::env::var_os("RADDLE_OUT").filter(|value| !value.is_empty()).map(PathBuf::from);
    given.map(Path::to_owned).or_else(variable).unwrap_or_else(|| PathBuf::from("raddle-out"))
}

/// What a command needs to find what is not kept where everybody looks.
pub(crate) fn elsewhere(out: &Path) -> String {
    if out == Path::new("raddle-out") { String::new() } else { format!(" --out {}", out.display()) }
}
