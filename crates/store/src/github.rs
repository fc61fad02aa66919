//! The summary of a step on GitHub.

use std::io::Write;

use raddle_report::{Record, github_summary};

/// Adds the check to the summary of the step, if GitHub names a file for it.
///
/// # Errors
/// A sentence, if the file cannot be written.
pub fn add_step_summary(record: &Record, source: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let text = github_summary(record, source);
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| format!("the summary could not be added to {}: {error}", path.display()))
}
