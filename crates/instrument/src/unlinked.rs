//! Why sources did not become a program: what clang says of it stands above, but not what to do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSymbol};

use crate::driver::{Language, compile};
use crate::tools::Tools;

/// Why there is no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A source file does not compile.
    NotCompiled,
    /// All of them compile, and none has a function `main`.
    NoMain,
    /// All of them compile, but something else is missing that they use.
    NotLinked,
}

/// Compiles each source for itself, without a word, and sees what is in the objects. `folder` is for files that nobody needs
/// afterwards.
#[must_use]
pub fn why(sources: &[PathBuf], others: &[PathBuf], flags: &[String], tools: &Tools, folder: &Path) -> Why {
    let tools = Tools { silent: true, ..tools.clone() };
    let mut objects = others.to_vec();
    for (number, source) in sources.iter().enumerate() {
        let object = folder.join(format!("part-{number}.o"));
        let mut arguments: Vec<OsString> = vec!["-pthread".into(), "-c".into()];
        arguments.extend(flags.iter().map(OsString::from));
        arguments.extend([source.into(), "-o".into(), object.clone().into()]);
        // The C compiler takes every file for what its name says.
        if !compile(Language::C, &arguments, &tools).is_ok_and(|status| status.success()) {
            return Why::NotCompiled;
        }
        objects.push(object);
    }
    if objects.iter().any(|object| may_have_main(object)) { Why::NotLinked } else { Why::NoMain }
}

/// Whether an object defines `main`; of what is no object that is not known.
fn may_have_main(path: &Path) -> bool {
    let Ok(data) = std::fs::read(path) else { return true };
    let Ok(file) = object::File::parse(&*data) else { return true };
    file.symbols().any(|symbol| symbol.is_definition() && symbol.name() == Ok("main"))
}
