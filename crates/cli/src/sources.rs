//! The text of source files, wherever they are now.

use std::path::{Path, PathBuf};

use raddle_report::kept_name;

/// Where source files are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// The copies that were kept with a finding.
    kept: Option<PathBuf>,
    /// The folders in which the compiler ran.
    folders: Vec<PathBuf>,
}

impl Sources {
    /// Of a binary: the folders in which its parts were compiled.
    pub(crate) fn of(binary: &Path) -> Sources {
        let model = raddle_instrument::model::read(binary).unwrap_or_default();
        let mut folders: Vec<PathBuf> = model.modules.into_iter().map(|module| module.folder).collect();
        folders.sort();
        folders.dedup();
        Sources { kept: None, folders }
    }

    /// Of a finding: the copies first.
    pub(crate) fn kept_in(folder: &Path, folders: &[PathBuf]) -> Sources {
        Sources { kept: Some(folder.join("source")), folders: folders.to_vec() }
    }

    /// The folders in which the compiler ran.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The text of a file as the compiler named it.
    pub(crate) fn read(&self, file: &str) -> Option<String> {
        let kept = self.kept.as_ref().map(|folder| folder.join(kept_name(file)));
        let compiled = self.folders.iter().map(|folder| folder.join(file));
        let bytes = kept
            .into_iter()
            .chain(compiled)
            .chain([PathBuf::from(file)])
            .find_map(|path| std::fs::read(path).ok());
        bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}
