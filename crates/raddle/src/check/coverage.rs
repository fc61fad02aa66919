//! What was learned about orders of statements, from one check to the next.

use std::sync::Arc;

use raddle_coverage::HapSets;
use raddle_explore::Guidance;
use raddle_report::{add_hapsets, read_hapsets};

use super::Check;

/// What a check is guided by; an error is a whole sentence.
pub(super) fn guidance(check: &Check) -> Result<Guidance, String> {
    let aim = check.aim.as_deref().map(str::parse).transpose().map_err(|error| format!("aim: {error}"))?;
    let file = check.hapset_file.as_deref();
    let sets = file.map(|path| read_hapsets(path, check.context)).transpose()?.flatten();
    Ok(Guidance { sets: sets.map(Arc::new), context: check.context, aim, ..Guidance::default() })
}

/// Adds what was learned to the file.
pub(super) fn keep(check: &Check, learned: &HapSets) -> Result<(), String> {
    check.hapset_file.as_deref().map_or(Ok(()), |path| add_hapsets(path, learned))
}
