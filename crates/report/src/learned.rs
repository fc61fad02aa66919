//! The file in which the orders of statements that were seen are kept from one search to the next.

use std::io::ErrorKind;
use std::path::Path;

use raddle_coverage::HapSets;

/// The HaPSets of a file; none if there is no such file yet.
///
/// # Errors
/// If the file cannot be read, is none of ours, or tells statements apart by another number of calls; a whole sentence.
pub fn read_hapsets(path: &Path, context: u32) -> Result<Option<HapSets>, String> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("could not read the HaPSets in {}: {error}", path.display())),
    };
    let refused = |reason: String| format!("could not use the HaPSets in {}: {reason}", path.display());
    let sets = HapSets::from_bytes(&bytes).map_err(|error| refused(error.to_string()))?;
    // Merging with empty sets tells whether the two go together.
    HapSets::new(context).merge(&sets).map_err(|error| refused(error.to_string()))?;
    Ok(Some(sets))
}

/// Adds what was learned to a file. Other searches may have added to it meanwhile, so it is read again.
///
/// # Errors
/// If the file cannot be used or written; a whole sentence.
pub fn add_hapsets(path: &Path, learned: &HapSets) -> Result<(), String> {
    let context = learned.context();
    let mut all = read_hapsets(path, context)?.unwrap_or_else(|| HapSets::new(context));
    all.merge(learned).map_err(|error| format!("could not add to {}: {error}", path.display()))?;
    // Written aside and moved, so that nobody ever reads half of it.
    let half = path.with_extension(format!("{}.half", std::process::id()));
    std::fs::write(&half, all.to_text())
        .and_then(|()| std::fs::rename(&half, path))
        .map_err(|error| format!("could not write the HaPSets to {}: {error}", path.display()))
}
