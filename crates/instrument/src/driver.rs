//! In the place of clang: the same command line, plus the pass plugin when it compiles and the runtime when it links.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::arguments::Arguments;
use crate::tools::Tools;
use crate::uncontrolled;

/// Which compiler is stood in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `clang`.
    C,
    /// `clang++`.
    Cpp,
}

/// Why nothing was compiled. A program that clang does not accept is no error here: clang says it itself, and its exit status
/// is handed on.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// No clang.
    #[error(
        "`{program}` was not found: install the package clang-19 (on Debian and Ubuntu: apt-get install clang-19)"
    )]
    NoCompiler {
        /// What was looked for.
        program: String,
    },
    /// The plugin or the runtime is not where it should be.
    #[error(
        "`{file}` was not found in {looked}: build it with `cargo build --release -p {package}`, or set RADDLE_LIB to the \
         folder that holds it"
    )]
    NoLibrary {
        /// Its file name.
        file: String,
        /// The package that makes it.
        package: String,
        /// The folders that were looked at.
        looked: String,
    },
    /// A static program has no place for the runtime.
    #[error(
        "a program linked with `{option}` cannot be controlled, because the runtime is a shared library: leave `{option}` out"
    )]
    Static {
        /// The option that asks for it.
        option: String,
    },
    /// Another checker in the same program.
    #[error(
        "`{option}` and raddle cannot be in one program, because both manage its memory and threads: leave `{option}` out; raddle \
         finds data races and misuse of the heap itself"
    )]
    Sanitizer {
        /// The option that asks for it.
        option: String,
    },
    /// clang did not start.
    #[error("`{}` could not be started: {error}; `raddle doctor` says what is missing", program.display())]
    Start {
        /// What was started.
        program: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The list of uncontrolled objects could not be written.
    #[error("`{}` could not be written: {error}; is there room, and may you write there?", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
}

/// Does what clang would do with these arguments, for the tester.
///
/// # Errors
/// clang could not be asked.
pub fn compile(language: Language, args: &[OsString], tools: &Tools) -> Result<ExitStatus, DriverError> {
    let read = Arguments::read(args);
    let program = match language {
        Language::C => &tools.clang,
        Language::Cpp => &tools.clangxx,
    };
    if let Some(option) = read.sanitizer {
        return Err(DriverError::Sanitizer { option });
    }
    let mut objects = Vec::new();
    if read.links() {
        if let Some(option) = read.fixed {
            return Err(DriverError::Static { option });
        }
        objects = uncontrolled::find(&read);
    }
    let run = |objects: &[String], map: Option<&Path>| {
        let note = (!objects.is_empty()).then(|| uncontrolled::Note::write(objects)).transpose()?;
        let mut command = Command::new(program);
        command.args(all_arguments(&read, args, tools, note.as_ref(), map));
        command.envs(tools.temporary.iter().map(|folder| ("TMPDIR", folder)));
        if let Some(folder) = &tools.folder {
            command.current_dir(folder);
        }
        if tools.silent {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let not_started = |error| DriverError::Start { program: program.clone(), error };
        if let Some(path) = &tools.said {
            let file = File::options().create(true).append(true).open(path).map_err(not_started)?;
            command.stderr(file);
        }
        command.status().map_err(not_started)
    };
    let Some(map) = uncontrolled::Map::for_these(&objects) else { return run(&objects, None) };
    let status = run(&objects, Some(map.file()))?;
    // Only the linker knows which objects of a library the program needs, and it has just said so.
    let linked = map.linked(&objects);
    if status.success() && linked != objects { run(&linked, None) } else { Ok(status) }
}

/// What clang is told.
fn all_arguments(
    read: &Arguments,
    args: &[OsString],
    tools: &Tools,
    note: Option<&uncontrolled::Note>,
    map: Option<&Path>,
) -> Vec<OsString> {
    let mut all = Vec::new();
    if read.links() {
        all.extend(link_arguments(tools));
        all.extend(note.into_iter().flat_map(uncontrolled::Note::arguments));
        all.extend(
            map.into_iter()
                .flat_map(|map| ["-Xlinker".into(), "-Map".into(), "-Xlinker".into(), OsString::from(map)]),
        );
    }
    if read.compiles() {
        // The C++ library then leaves its strings to be compiled, and instrumented, with the program, and checks how its
        // containers are used. First, so that the user may take it back.
        let first = ["--start-no-unused-arguments", "-D_GLIBCXX_ASSERTIONS", "--end-no-unused-arguments"];
        all.extend(first.map(OsString::from));
    }
    let (options, files) = args.split_at(read.end_of_options.unwrap_or(args.len()));
    all.extend_from_slice(options);
    if read.compiles() {
        all.extend(compile_arguments(read, tools));
    }
    all.extend_from_slice(files);
    all
}

/// The runtime, before everything else that is linked, so that its functions are found before those of the libraries. One
/// word at a time: a comma in a path would end a word of `-Wl,`.
fn link_arguments(tools: &Tools) -> Vec<OsString> {
    let mut arguments = Vec::new();
    let mut linker = |word: OsString| arguments.extend(["-Xlinker".into(), word]);
    // A program that calls nothing of ours by name still needs us.
    linker("--push-state".into());
    linker("--no-as-needed".into());
    linker(tools.runtime_library.clone().into());
    linker("--pop-state".into());
    if let Some(folder) = tools.runtime_library.parent() {
        linker("-rpath".into());
        linker(folder.to_owned().into());
    }
    arguments
}

/// What makes clang instrument, behind the arguments of the user: the last one counts.
fn compile_arguments(read: &Arguments, tools: &Tools) -> Vec<OsString> {
    let mut plugin = OsString::from("-fpass-plugin=");
    plugin.push(&tools.plugin);
    // Not every run of clang uses every option, and that is none of the user's business.
    let mut arguments: Vec<OsString> = vec!["--start-no-unused-arguments".into(), "-g".into(), plugin];
    // Objects have to be machine code: the runtime and the list of uncontrolled objects look into them.
    arguments.push("-fno-lto".into());
    // A frame larger than a stack must not reach over the guard behind it.
    arguments.push("-fstack-clash-protection".into());
    if read.unoptimised {
        // Without this clang forbids the promotion of local variables, and every one of them would seem shared.
        arguments.extend(["-Xclang".into(), "-disable-O0-optnone".into()]);
    }
    if let Some(include) = &tools.include {
        arguments.extend(["-idirafter".into(), include.clone().into()]);
    }
    arguments.push("--end-no-unused-arguments".into());
    arguments
}
