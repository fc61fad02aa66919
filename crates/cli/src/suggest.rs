//! "Did you mean …?"

use raddle_explore::nearest;

/// The known word that is nearest, as the part of a sentence; `;` if none is near.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> String {
    nearest(word, known).map_or_else(|| ";".to_owned(), |candidate| format!(", did you mean `{candidate}`?"))
}
