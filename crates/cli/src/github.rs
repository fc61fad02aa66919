//! A check that runs as a step on GitHub: findings beside their lines, and the step's summary.

use raddle_report::{Record, github_annotations};
use raddle_store::add_step_summary;

use crate::failure::Failure;
use crate::output::{print, say};
use crate::sources::Sources;

/// Whether the environment says that this is a step there.
pub(crate) fn is_here() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Adds annotations to what was printed, and a summary to the file that GitHub names. Where stdout is for programs, the
/// annotations go to stderr: GitHub reads both.
pub(crate) fn tell(record: &Record, sources: &Sources, is_stdout_taken: bool) -> Result<(), Failure> {
    let annotations = github_annotations(record);
    match () {
        () if annotations.is_empty() => {}
        () if is_stdout_taken => say(&annotations),
        () => print(&annotations)?,
    }
    if let Err(problem) = add_step_summary(record, &|file| sources.read(file)) {
        say(&format!("raddle: note: {problem}"));
    }
    Ok(())
}
