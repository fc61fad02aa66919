//! From what the user named to a binary that can be checked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use raddle_instrument::driver::{self, Language};
use raddle_instrument::tools::Tools;
use raddle_instrument::unlinked::{self, Why};

use crate::failure::Failure;
use crate::output::stderr_colours;
use crate::scratch::Scratch;

/// File names that end like this are source.
const C: [&str; 1] = ["c"];
const CPP: [&str; 6] = ["cc", "cpp", "cxx", "c++", "C", "cp"];

/// A binary that can be checked.
pub(crate) struct Built {
    /// The binary.
    pub(crate) binary: PathBuf,
    /// How long the compiler took, if it was needed.
    pub(crate) seconds: Option<f64>,
    /// Where the runtime lies; a binary may have been built elsewhere.
    pub(crate) libraries: Option<PathBuf>,
    /// What has to be removed at the end.
    _folder: Option<Scratch>,
}

/// Compiles the sources in one go, or takes the binary as it is.
pub(crate) fn build(programs: &[PathBuf], cflags: &[String]) -> Result<Built, Failure> {
    build_in(None, programs, cflags, None)
}

/// Takes what the compiler said.
pub(crate) type Listener<'a> = &'a mut dyn FnMut(&str);

/// The same, but flags that name files mean those of a folder; the paths of the programs are as ever. What the compiler says
/// goes to the listener when it is done, if there is one: whoever draws on the terminal has to make room for it.
pub(crate) fn build_in(
    folder: Option<&Path>,
    programs: &[PathBuf],
    cflags: &[String],
    listener: Option<Listener<'_>>,
) -> Result<Built, Failure> {
    for path in programs {
        let why = match std::fs::File::open(path) {
            _ if path.is_dir() => "it is a folder".to_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            Err(error) => error.to_string(),
            Ok(_) if !path.is_file() => "it is no ordinary file".to_owned(),
            Ok(_) => continue,
        };
        return Err(Failure::usage(format!(
            "could not read {}: {why}; give a C or C++ source file, or a binary built by `raddle cc`",
            path.display()
        )));
    }
    let sources = programs.iter().filter(|path| language(path).is_some()).count();
    match programs {
        [binary] if sources == 0 => Ok(Built::before(binary.clone())),
        _ if sources == 0 => Err(Failure::usage(
            "several programs were given: check one at a time, and give its arguments after `--`",
        )),
        _ => compile(folder, programs, cflags, listener),
    }
}

impl Built {
    /// A binary that was built before.
    pub(crate) fn before(binary: PathBuf) -> Built {
        Built { binary, seconds: None, libraries: runtime_folder(), _folder: None }
    }
}

/// The folder of the runtime of this raddle, if it is installed.
pub(crate) fn runtime_folder() -> Option<PathBuf> {
    Tools::find().ok().and_then(|tools| Some(tools.runtime_library.parent()?.to_owned()))
}

fn language(path: &Path) -> Option<Language> {
    let ending = path.extension()?.to_str()?;
    if C.contains(&ending) {
        Some(Language::C)
    } else if CPP.contains(&ending) {
        Some(Language::Cpp)
    } else {
        None
    }
}

fn compile(
    folder: Option<&Path>,
    programs: &[PathBuf],
    cflags: &[String],
    listener: Option<Listener<'_>>,
) -> Result<Built, Failure> {
    let mut tools = Tools::find().map_err(Failure::not_started)?;
    tools.folder = folder.map(Path::to_owned);
    let start = Instant::now();
    let scratch = Scratch::new()?;
    let scratch_path = scratch.path().to_owned();
    let binary = scratch_path.join("program");
    // The compiler's own files go away with ours, also if it is stopped in the middle.
    tools.temporary = Some(scratch.path().to_owned());
    // The binary is removed whatever happens from here on.
    let mut built = Built {
        binary: binary.clone(),
        seconds: None,
        libraries: tools.runtime_library.parent().map(Path::to_owned),
        _folder: Some(scratch),
    };
    let languages: Vec<Language> = programs.iter().filter_map(|path| language(path)).collect();
    let all_cpp = languages.iter().all(|language| *language == Language::Cpp);
    let some_cpp = languages.contains(&Language::Cpp);
    let mut arguments: Vec<OsString> = vec!["-pthread".into()];
    if listener.is_some() && stderr_colours() {
        // It cannot see that what it says goes to a terminal in the end.
        arguments.push("-fcolor-diagnostics".into());
    }
    arguments.extend(cflags.iter().map(OsString::from));
    arguments.extend(programs.iter().map(OsString::from));
    if some_cpp && !all_cpp {
        // The C driver compiles each file as what it is, but does not link the C++ library by itself.
        arguments.extend(["-lstdc++".into(), "-lm".into()]);
    }
    arguments.extend(["-o".into(), binary.into_os_string()]);
    let language = if all_cpp { Language::Cpp } else { Language::C };
    tools.said = listener.is_some().then(|| scratch_path.join("said"));
    let status = driver::compile(language, &arguments, &tools);
    if let (Some(listener), Some(path)) = (listener, tools.said.take()) {
        let said = std::fs::read(path).unwrap_or_default();
        if !said.is_empty() {
            listener(&String::from_utf8_lossy(&said));
        }
    }
    let status = status.map_err(Failure::not_started)?;
    if !status.success() {
        return Err(not_built(programs, cflags, &tools));
    }
    built.seconds = Some(start.elapsed().as_secs_f64());
    Ok(built)
}

/// What is to be done about sources that did not become a program.
fn not_built(programs: &[PathBuf], cflags: &[String], tools: &Tools) -> Failure {
    let names: Vec<String> = programs.iter().map(|path| path.display().to_string()).collect();
    let names = names.join(" ");
    let (sources, others): (Vec<PathBuf>, Vec<PathBuf>) =
        programs.iter().cloned().partition(|path| language(path).is_some());
    let why = match &tools.temporary {
        Some(folder) => unlinked::why(&sources, &others, cflags, tools, folder),
        None => Why::NotCompiled,
    };
    Failure::not_started(match why {
        Why::NotCompiled => {
            format!("{names} did not compile, see above; flags for the compiler go into --cflags")
        }
        Why::NoMain => format!(
            "{names} compiled, but there is no function `main` to begin with; name the file that has it as well, or write one \
             that starts the threads: raddle check {names} main.c"
        ),
        Why::NotLinked => format!(
            "{names} compiled, but could not be linked: something is missing, see above; name the source files that have it as \
             well (raddle check {names} OTHER.c), or their libraries in --cflags (-lNAME)"
        ),
    })
}

/// The words of a text as a shell would part them: spaces part, quotes keep together, a backslash keeps one letter.
pub(crate) fn words(text: &str) -> Result<Vec<String>, Failure> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(letters.next()),
            (_, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(open) = quote {
        return Err(Failure::usage(format!(
            "--cflags: `{text}` ends inside of a quotation; add the {open} that is missing"
        )));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_parted_as_a_shell_would() {
        let parted = words(r#"-O2  -DNAME="a b" -I'x y' a\ b "" "#).expect("every quotation ends");
        assert_eq!(parted, ["-O2", "-DNAME=a b", "-Ix y", "a b", ""]);
        assert!(words("-DNAME='x").is_err());
    }

    #[test]
    fn source_is_known_by_its_ending() {
        let of = |name: &str| language(Path::new(name));
        assert_eq!(
            [of("a.c"), of("a.cpp"), of("a.cc")],
            [Some(Language::C), Some(Language::Cpp), Some(Language::Cpp)]
        );
        assert_eq!([of("a"), of("a.out"), of("a.o")], [None; 3]);
    }
}
