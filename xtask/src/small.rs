//! The small programs in `corpus/small`: each once showed a mistake, or shows what no random program may.

use std::path::PathBuf;

use raddle_oracle::{Program, parse};

/// All of them, by file name.
///
/// # Panics
/// If a file cannot be read: then the project itself is broken.
pub fn programs() -> Vec<(String, Program)> {
    let folder = crate::root().join("corpus/small");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let text =
                std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let program = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned()), program)
        })
        .collect()
}
