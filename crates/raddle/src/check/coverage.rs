//! What was learned about orders of statements, from one check to the next.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use raddle_coverage::HapSets;
use raddle_explore::Guidance;

use super::Check;

/// What a check is guided by; an error is a whole sentence.
pub(super) fn guidance(check: &Check) -> Result<Guidance, String> {
    let aim = check.aim.as_deref().map(str::parse).transpose().map_err(|error| format!("{error}"))?;
    let sets = check.hapset_file.as_deref().map(|path| read(path, check.context)).transpose()?.flatten();
    Ok(Guidance { sets: sets.map(Arc::new), context: check.context, aim, ..Guidance::default() })
}

/// The sets of a file; none if there is no such file yet.
fn read(path: &Path, context: u32) -> Result<Option<HapSets>, String> {
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

/// Adds what was learned to the file. Other tests may have added to it meanwhile, so it is read again.
pub(super) fn keep(check: &Check, learned: &HapSets) -> Result<(), String> {
    let Some(path) = check.hapset_file.as_deref() else { return Ok(()) };
    let mut all = read(path, check.context)?.unwrap_or_else(|| HapSets::new(check.context));
    all.merge(learned).map_err(|error| format!("could not add to {}: {error}", path.display()))?;
    // Written aside and moved, so that nobody ever reads half of it.
    let half = path.with_extension(format!("{}.half", std::process::id()));
    std::fs::write(&half, all.to_text())
        .and_then(|()| std::fs::rename(&half, path))
        .map_err(|error| format!("could not write the HaPSets to {}: {error}", path.display()))
}
