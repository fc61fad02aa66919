//! A program that can be checked.

use std::ffi::OsString;
use std::path::PathBuf;

/// A program with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The binary.
    pub path: PathBuf,
    /// Its arguments, without its name.
    pub arguments: Vec<OsString>,
    /// The folder in which the runtime lies, if it is not where the program was told to look when it was built.
    pub libraries: Option<PathBuf>,
}
