//! What the pass left in a program: the section `.raddle.model`, text lines of fields parted by tabs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use object::{Architecture, BinaryFormat, Object, ObjectKind, ObjectSection};

/// The name of the section.
pub const SECTION: &str = ".raddle.model";

/// What is known of a program without running it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The source files that were compiled.
    pub modules: Vec<Module>,
    /// The functions with a body.
    pub functions: Vec<Function>,
    /// The places that tell the runtime what they do.
    pub sites: Vec<Site>,
    /// The functions that no module defines, but some module calls or takes the address of; by their linker's names, each
    /// once, in order.
    pub externals: Vec<String>,
    /// What was linked without having been instrumented; each once, in order.
    pub uncontrolled: Vec<String>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Module {
    /// The folder in which it was compiled: the places of its sites are relative to it.
    pub folder: PathBuf,
    /// The file, as clang was given it.
    pub file: PathBuf,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name as in the source.
    pub name: String,
    /// Where it stands.
    pub file: String,
    /// The line.
    pub line: u32,
    /// Its name for the linker.
    pub symbol: String,
}

/// A place that tells the runtime what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The file, as in the debug information.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The function around it.
    pub function: String,
    /// `read`, `write`, `copy`, `fill`, `load`, `store`, `rmw`, `compare-exchange`, `fence` or `call`.
    pub kind: String,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file cannot be read.
    #[error("`{}` could not be read: {error}; give a program that is there and that you may read", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It is no program.
    #[error(
        "`{}` is not a program for Linux (an ELF file): give a C or C++ source file, or a binary built by `raddle cc`",
        file.display()
    )]
    NotAProgram {
        /// The file.
        file: PathBuf,
    },
    /// It is a part of a program, or for another machine.
    #[error("`{}` is {what}; give {instead}", file.display())]
    Other {
        /// The file.
        file: PathBuf,
        /// What it is.
        what: String,
        /// What to give in its place.
        instead: &'static str,
    },
    /// It was built by another compiler.
    #[error(
        "`{}` was not built for raddle: build it with `raddle cc` or `raddle c++` in the place of the compiler, for instance \
         `make CC=\"raddle cc\" CXX=\"raddle c++\"`",
        file.display()
    )]
    NotInstrumented {
        /// The file.
        file: PathBuf,
    },
}

/// Reads the model of a program.
///
/// # Errors
/// The file is no program, or not one of ours.
pub fn read(binary: &Path) -> Result<Model, ModelError> {
    let file = binary.to_owned();
    let data = std::fs::read(binary).map_err(|error| ModelError::Read { file: file.clone(), error })?;
    let Ok(program) = object::File::parse(&*data) else {
        return Err(ModelError::NotAProgram { file });
    };
    if let Some((what, instead)) = no_program_of_ours(&program) {
        return Err(ModelError::Other { file, what, instead });
    }
    let text = program.section_by_name(SECTION).and_then(|section| section.data().ok());
    text.map(parse).filter(|model| !model.modules.is_empty()).ok_or(ModelError::NotInstrumented { file })
}

/// What a file is that cannot be started here, and what would have been right.
fn no_program_of_ours(program: &object::File<'_>) -> Option<(String, &'static str)> {
    if program.format() != BinaryFormat::Elf || program.architecture() != Architecture::X86_64 {
        let machine = format!("for another machine ({:?})", program.architecture());
        return Some((machine, "a program for 64-bit x86 Linux"));
    }
    match program.kind() {
        ObjectKind::Relocatable => {
            Some(("an object file".to_owned(), "the program that it is linked into, built with `raddle cc`"))
        }
        // A program that can be loaded anywhere is marked like a library, but names who loads it.
        ObjectKind::Dynamic if program.section_by_name(".interp").is_none() => {
            Some(("a shared library".to_owned(), "a program that uses it, built with `raddle cc`"))
        }
        ObjectKind::Core => Some(("a core file".to_owned(), "the program itself")),
        _ => None,
    }
}

/// Reads the lines. One that is not understood is left out: a program may carry lines of a later version.
fn parse(text: &[u8]) -> Model {
    let mut model = Model::default();
    let mut seen = BTreeSet::new();
    for line in text.split(|byte| matches!(byte, b'\n' | b'\0')) {
        // What a header defines is told by every module that includes it.
        if !seen.insert(line) {
            continue;
        }
        let line = String::from_utf8_lossy(line);
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["module", folder, file] => {
                model.modules.push(Module { folder: folder.into(), file: file.into() });
            }
            ["function", name, file, line, symbol] => model.functions.push(Function {
                name: (*name).to_owned(),
                file: (*file).to_owned(),
                line: line.parse().unwrap_or(0),
                symbol: (*symbol).to_owned(),
            }),
            ["site", file, line, column, function, kind] => model.sites.push(Site {
                file: (*file).to_owned(),
                line: line.parse().unwrap_or(0),
                column: column.parse().unwrap_or(0),
                function: (*function).to_owned(),
                kind: (*kind).to_owned(),
            }),
            ["external", name] => model.externals.push((*name).to_owned()),
            ["uncontrolled", name] => model.uncontrolled.push((*name).to_owned()),
            _ => {}
        }
    }
    let defined: BTreeSet<&str> = model.functions.iter().map(|each| each.symbol.as_str()).collect();
    model.externals.retain(|name| !defined.contains(name.as_str()));
    model.externals.sort();
    model.uncontrolled.sort();
    model
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_understood_are_left_out() {
        let model = parse(b"module\t/home\ta.c\n\0later\tx\nsite\ta.c\t3\t5\tmain\tread\nexternal\tputs\nexternal\tputs\nuncontrolled\tx.o\nfunction\tf\ta.c\tnonsense\t_Zf\nexternal\t_Zf\n\xff\t");
        assert_eq!(model.modules.len(), 1);
        assert_eq!(model.externals, ["puts"]);
        assert_eq!(model.uncontrolled, ["x.o"]);
        assert_eq!((model.sites[0].line, model.sites[0].column), (3, 5));
        assert_eq!(model.functions[0].line, 0);
    }

    #[test]
    fn what_is_no_program_is_said_to_be_none() {
        let error = read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).map(|_| ());
        assert!(matches!(error, Err(ModelError::NotAProgram { .. })));
    }
}
