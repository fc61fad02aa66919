//! Objects and libraries that were not compiled here: they link, but what they do is not seen. The program carries their
//! names.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};

use crate::arguments::Arguments;
use crate::driver::DriverError;
use crate::model::SECTION;

/// The names of what is linked without having been instrumented. Libraries of the system are not among them: what is called
/// there stands in the model as external.
pub(crate) fn find(read: &Arguments) -> Vec<String> {
    let mut names = Vec::new();
    for input in &read.inputs {
        if input.is_assembly() {
            names.push(input.path.display().to_string());
        } else if !input.is_source() {
            look(&input.path, &mut names);
        }
    }
    for library in &read.libraries {
        if let Some(path) = library_file(library, &read.library_folders) {
            look(&path, &mut names);
        }
    }
    names.sort();
    names.dedup();
    names
}

/// Where the linker finds a library in the folders that the user names.
fn library_file(library: &OsString, folders: &[PathBuf]) -> Option<PathBuf> {
    let name = library.to_string_lossy();
    folders
        .iter()
        .flat_map(|folder| [folder.join(format!("lib{name}.so")), folder.join(format!("lib{name}.a"))])
        .find(|path| path.is_file())
}

/// Adds what an object, a shared library or an archive has of uncontrolled code. What cannot be read is the linker's to
/// complain about.
fn look(path: &Path, names: &mut Vec<String>) {
    let Ok(data) = std::fs::read(path) else { return };
    let shown = path.display();
    if let Ok(archive) = ArchiveFile::parse(&*data) {
        for member in archive.members().flatten() {
            let name = String::from_utf8_lossy(member.name());
            if member.data(&*data).is_ok_and(is_uncontrolled) {
                names.push(format!("{shown}({name})"));
            }
        }
    } else if is_uncontrolled(&data) {
        names.push(shown.to_string());
    }
}

/// Whether this is an object file with code, but without our section.
fn is_uncontrolled(data: &[u8]) -> bool {
    let Ok(file) = object::File::parse(data) else { return false };
    let has_code =
        file.sections().any(|section| section.kind() == object::SectionKind::Text && section.size() > 0);
    has_code && file.section_by_name(SECTION).is_none()
}

/// What the linker writes down about a link: a file that is removed when it is dropped.
pub(crate) struct Map {
    file: PathBuf,
}

impl Map {
    /// One for a link with objects of libraries; others need none.
    pub(crate) fn for_these(objects: &[String]) -> Option<Map> {
        objects.iter().any(|name| is_member(name)).then(|| Map { file: temporary("map") })
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// What of these was linked. Without an answer of the linker it is taken to be all.
    pub(crate) fn linked(&self, objects: &[String]) -> Vec<String> {
        let map = std::fs::read(&self.file).unwrap_or_default();
        let map = String::from_utf8_lossy(&map);
        let named = |name: &str| map.contains(name.rsplit_once('/').map_or(name, |(_, last)| last));
        objects.iter().filter(|name| map.is_empty() || !is_member(name) || named(name)).cloned().collect()
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // As for the list of names.
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Whether a name is that of an object in a library.
fn is_member(name: &str) -> bool {
    name.ends_with(')')
}

/// A new name in the folder for temporary files.
fn temporary(ending: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("raddle-{}-{number}.{ending}", std::process::id()))
}

/// A little assembly file with the names, linked into the program. It is removed when it is dropped.
pub(crate) struct Note {
    file: PathBuf,
}

impl Note {
    pub(crate) fn write(names: &[String]) -> Result<Note, DriverError> {
        let file = temporary("s");
        let mut text = format!(".section {SECTION},\"aR\",@progbits\n");
        for name in names {
            let line = format!("uncontrolled\t{}\n", name.replace(['\t', '\n'], " "));
            let bytes: Vec<String> = line.bytes().map(|byte| byte.to_string()).collect();
            text.push_str(&format!(".byte {}\n", bytes.join(",")));
        }
        text.push_str(".section .note.GNU-stack,\"\",@progbits\n");
        match std::fs::write(&file, text) {
            Ok(()) => Ok(Note { file }),
            Err(error) => Err(DriverError::Write { file, error }),
        }
    }

    /// How clang is told of it.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        vec!["-x".into(), "assembler".into(), self.file.clone().into(), "-x".into(), "none".into()]
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        // A file that is left behind in the folder for such files harms nobody.
        let _ = std::fs::remove_file(&self.file);
    }
}
