//! "Did you mean …?"

use raddle_explore::edit_distance;

/// The known word that is nearest, as the part of a sentence; `;` if none is near.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> String {
    known
        .iter()
        .min_by_key(|candidate| edit_distance(word, candidate))
        .filter(|candidate| edit_distance(word, candidate) * 2 <= candidate.len())
        .map_or_else(|| ";".to_owned(), |candidate| format!(", did you mean `{candidate}`?"))
}
