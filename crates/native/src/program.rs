//! A program that can be checked, and what its compiler said about it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};

/// A program with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The binary.
    pub path: PathBuf,
    /// Its arguments, without its name.
    pub arguments: Vec<OsString>,
}

/// Why a program cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum NoProgram {
    /// It cannot be read.
    #[error("could not read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is something else.
    #[error(
        "{} is not a program: give a C or C++ source file, or a binary that `raddle cc` or `raddle c++` built",
        path.display()
    )]
    NotABinary {
        /// The file.
        path: PathBuf,
    },
    /// Another compiler built it.
    #[error(
        "{} was not built by raddle: build it with `raddle cc` or `raddle c++` instead of cc or c++, for example by \
         make CC=\"raddle cc\" CXX=\"raddle c++\"",
        path.display()
    )]
    NotInstrumented {
        /// The file.
        path: PathBuf,
    },
}

/// What the compiler wrote into the program: the section `.raddle.model`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StaticModel {
    /// Functions that are called but not defined in what was compiled.
    pub externals: Vec<String>,
    /// Objects that were linked but not compiled by us.
    pub uncontrolled: Vec<String>,
}

/// The section in which the compiler leaves the static model.
const SECTION: &str = ".raddle.model";

impl StaticModel {
    /// Reads what the compiler wrote.
    ///
    /// # Errors
    /// If the file is not a program that was built by `raddle cc`.
    pub fn of(path: &Path) -> Result<StaticModel, NoProgram> {
        let bytes =
            std::fs::read(path).map_err(|error| NoProgram::Unreadable { path: path.to_owned(), error })?;
        let file = object::File::parse(bytes.as_slice())
            .map_err(|_| NoProgram::NotABinary { path: path.to_owned() })?;
        let section = file.section_by_name(SECTION);
        let text = section.and_then(|section| section.uncompressed_data().ok());
        let text = text.ok_or_else(|| NoProgram::NotInstrumented { path: path.to_owned() })?;
        Ok(StaticModel::read(&String::from_utf8_lossy(&text)))
    }

    fn read(text: &str) -> StaticModel {
        let mut model = StaticModel::default();
        // Each module wrote its own lines; the linker may have put zero bytes between them.
        for line in text.split(['\n', '\0']) {
            match line.split_once(' ') {
                Some(("external", name)) => model.externals.push(name.to_owned()),
                Some(("uncontrolled", name)) => model.uncontrolled.push(name.to_owned()),
                _ => {}
            }
        }
        for names in [&mut model.externals, &mut model.uncontrolled] {
            names.sort();
            names.dedup();
        }
        model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_all_modules_are_put_together() {
        let model = StaticModel::read(
            "module a.c\nexternal puts\nexternal pthread_create\n\0\0module b.c\nexternal puts\nuncontrolled c.o\n",
        );
        assert_eq!(model.externals, ["pthread_create", "puts"]);
        assert_eq!(model.uncontrolled, ["c.o"]);
    }

    #[test]
    fn what_cannot_be_checked_says_what_to_do() {
        let text =
            |path: &str| StaticModel::of(Path::new(path)).expect_err("it is no program of ours").to_string();
        assert!(text("/nowhere/at/all").starts_with("could not read /nowhere/at/all: "));
        assert!(text("/etc/passwd").contains("give a C or C++ source file"));
        assert!(text("/bin/true").contains("build it with `raddle cc`"));
    }
}
