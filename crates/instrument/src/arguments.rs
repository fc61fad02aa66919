//! clang's command line, as far as the driver has to understand it: which files are given, what is made of them, and with
//! which optimisation. Everything is handed on to clang as it came.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Options whose value is the next argument. Those that clang also takes in one word (`-ofile`) count only when alone.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-I",
    "-L",
    "-D",
    "-U",
    "-F",
    "-l",
    "-x",
    "-e",
    "-u",
    "-z",
    "-T",
    "-A",
    "-B",
    "-G",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-iframework",
    "-cxx-isystem",
    "-c-isystem",
    "-include-pch",
    "-ivfsoverlay",
    "--include",
    "--sysroot",
    "--param",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xanalyzer",
    "-mllvm",
    "-arch",
    "-target",
    "--target",
    "-framework",
    "-rpath",
    "-dumpdir",
    "-dumpbase",
    "-aux-info",
    "--config",
    "-working-directory",
    "-gcc-toolchain",
    "-undefined",
    "-weak_library",
    "-plugin",
    "-fplugin-arg",
    "-wrapper",
    "-specs",
    "-install_name",
    "-soname",
];

/// Options after which nothing is linked.
const STOPS: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "--analyze",
    "-emit-ast",
    "--precompile",
    "-r",
    "-Wl,-r",
    "--preprocess",
    "--compile",
    "--assemble",
    "-emit-interface-stubs",
    "--version",
    "-dumpversion",
    "-dumpmachine",
    "--help",
];

/// A file on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    /// What `-x` said of it, if anything.
    pub(crate) language: Option<String>,
}

impl Input {
    /// Whether clang turns it into LLVM's code, where the pass sees it.
    pub(crate) fn is_source(&self) -> bool {
        match self.language.as_deref() {
            Some(language) => !language.starts_with("assembler"),
            None => {
                let extension = self.path.extension().and_then(OsStr::to_str).unwrap_or_default();
                const SOURCES: &[&str] = &[
                    "c", "cc", "cp", "cpp", "cxx", "c++", "C", "CC", "CPP", "i", "ii", "ll", "bc", "cppm",
                    "ixx",
                ];
                SOURCES.contains(&extension) || self.path.as_os_str() == "-"
            }
        }
    }

    /// Whether it is a header, to be compiled ahead.
    fn is_header(&self) -> bool {
        match self.language.as_deref() {
            Some(language) => language.ends_with("-header"),
            None => self.path.extension().is_some_and(|extension| {
                matches!(extension.as_bytes(), b"h" | b"hh" | b"hpp" | b"hxx" | b"H")
            }),
        }
    }

    /// Whether it is assembly, which no pass sees.
    pub(crate) fn is_assembly(&self) -> bool {
        match self.language.as_deref() {
            Some(language) => language.starts_with("assembler"),
            None => self
                .path
                .extension()
                .is_some_and(|extension| matches!(extension.as_bytes(), b"s" | b"S" | b"sx")),
        }
    }
}

/// What a command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) inputs: Vec<Input>,
    /// Libraries by `-l`, and the folders of `-L` where they are looked for first.
    pub(crate) libraries: Vec<OsString>,
    pub(crate) library_folders: Vec<PathBuf>,
    /// Nothing is linked: `-c` and its like.
    pub(crate) stops: bool,
    /// No optimisation: `-O0` or nothing.
    pub(crate) unoptimised: bool,
    /// The option that asks for a static program, if one does.
    pub(crate) fixed: Option<String>,
    /// The option that asks for a checker which wants memory and threads for itself.
    pub(crate) sanitizer: Option<String>,
    /// Where `--` stands among the arguments: behind it everything is a file.
    pub(crate) end_of_options: Option<usize>,
}

impl Arguments {
    /// Reads a command line. Response files are read where they stand; one that cannot be read is left for clang to complain
    /// about.
    pub(crate) fn read(given: &[OsString]) -> Arguments {
        let mut read = Arguments {
            unoptimised: true,
            end_of_options: given.iter().position(|argument| argument == "--"),
            ..Arguments::default()
        };
        let mut language = None;
        let mut rest = expand(given, 0).into_iter();
        while let Some(argument) = rest.next() {
            if argument == "--" {
                read.inputs.extend(rest.by_ref().map(|path| input(path, &language)));
            } else if argument.as_bytes().first() != Some(&b'-') || argument == "-" {
                read.inputs.push(input(argument, &language));
            } else {
                let option = argument.to_string_lossy().into_owned();
                let value = if WITH_VALUE.contains(&option.as_str()) { rest.next() } else { None };
                read.option(&option, value, &mut language);
            }
        }
        read
    }

    fn option(&mut self, option: &str, value: Option<OsString>, language: &mut Option<String>) {
        let text =
            |value: &Option<OsString>| value.as_ref().map(|value| value.to_string_lossy().into_owned());
        match option {
            "-x" => *language = text(&value).filter(|name| name != "none"),
            "-l" => self.libraries.extend(value),
            "-L" => self.library_folders.extend(value.map(PathBuf::from)),
            "-static" | "--static" | "-static-pie" => self.fixed = Some(option.to_owned()),
            _ if takes_over(option) => self.sanitizer = Some(option.to_owned()),
            _ if STOPS.contains(&option)
                || option.starts_with("-print-")
                || option.starts_with("--print-") =>
            {
                self.stops = true;
            }
            _ => {
                if let Some(name) = option.strip_prefix("-x") {
                    *language = Some(name.to_owned()).filter(|name| name != "none");
                } else if let Some(level) = option.strip_prefix("-O") {
                    self.unoptimised = level == "0";
                } else if let Some(library) = option.strip_prefix("-l") {
                    self.libraries.push(library.into());
                } else if let Some(folder) = option.strip_prefix("-L") {
                    self.library_folders.push(folder.into());
                }
            }
        }
    }

    /// Whether a program or a library is linked. A header alone is compiled for later use.
    pub(crate) fn links(&self) -> bool {
        !self.stops && self.inputs.iter().any(|input| !input.is_header())
    }

    /// Whether anything is compiled.
    pub(crate) fn compiles(&self) -> bool {
        self.inputs.iter().any(Input::is_source)
    }
}

fn input(path: OsString, language: &Option<String>) -> Input {
    Input { path: path.into(), language: language.clone() }
}

/// How deep response files may name each other.
const MAX_DEPTH: usize = 16;

/// Replaces `@file` by the arguments in the file.
fn expand(arguments: &[OsString], depth: usize) -> Vec<OsString> {
    let mut expanded = Vec::new();
    for argument in arguments {
        let file = argument.as_bytes().strip_prefix(b"@").filter(|_| depth < MAX_DEPTH);
        match file.and_then(|file| std::fs::read(OsStr::from_bytes(file)).ok()) {
            Some(content) => expanded.extend(expand(&words(&content), depth + 1)),
            None => expanded.push(argument.clone()),
        }
    }
    expanded
}

/// The words of a response file: parted by white space, which quotes and backslashes protect.
fn words(content: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = content.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (_, b'\\') => word.get_or_insert_default().extend(bytes.next()),
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(byte),
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (None, _) if byte.is_ascii_whitespace() => words.extend(word.take().map(OsString::from_vec)),
            (None, _) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

/// Whether an option asks for a checker that manages memory or threads itself, which only one of us can.
fn takes_over(option: &str) -> bool {
    let checkers = option.strip_prefix("-fsanitize=").into_iter().flat_map(|list| list.split(','));
    checkers.into_iter().any(|each| matches!(each, "address" | "hwaddress" | "leak" | "memory" | "thread"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Arguments {
        Arguments::read(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_file_alone_is_compiled_and_linked() {
        let read = read("bank.c");
        assert!(read.compiles() && read.links() && read.unoptimised);
    }

    #[test]
    fn nothing_is_linked_after_c() {
        let read = read("-c bank.c -o bank.o -O2");
        assert!(read.compiles() && !read.links() && !read.unoptimised);
        assert_eq!(read.inputs.len(), 1);
    }

    #[test]
    fn values_of_options_are_no_files() {
        let read = read("-o a.c -I b.c -include c.h -MF d.d -Xlinker e.o -l m -L /lib f.o");
        assert_eq!(read.inputs.len(), 1);
        assert_eq!(read.libraries, ["m"]);
        assert!(!read.compiles() && read.links());
    }

    #[test]
    fn a_question_links_nothing() {
        assert!(!read("--version").links());
        assert!(!read("-print-prog-name=ld").links());
        assert!(!read("-v").links());
        assert!(!read("-x c++-header all.hpp").links());
    }

    #[test]
    fn the_last_optimisation_counts() {
        assert!(read("-O2 -O0 a.c").unoptimised);
        assert!(!read("-O0 -Os a.c").unoptimised);
        assert!(!read("-O a.c").unoptimised);
    }

    #[test]
    fn the_language_holds_until_the_next() {
        let read = read("-x assembler a -x c b -xnone c.S d.o");
        let kinds: Vec<_> = read.inputs.iter().map(|each| (each.is_source(), each.is_assembly())).collect();
        assert_eq!(kinds, [(false, true), (true, false), (false, true), (false, false)]);
    }

    #[test]
    fn words_of_a_response_file_may_be_quoted() {
        assert_eq!(words(b"-c 'a b.c'\n\t\"x\\\"y\" z\\ w ''"), ["-c", "a b.c", "x\"y", "z w", ""]);
    }

    #[test]
    fn what_follows_two_dashes_is_a_file() {
        let read = read("-c -- -x.c");
        assert_eq!(read.end_of_options, Some(1));
        assert_eq!(read.inputs[0].path, PathBuf::from("-x.c"));
    }

    #[test]
    fn checkers_that_want_the_memory_for_themselves_are_known() {
        assert!(takes_over("-fsanitize=address") && takes_over("-fsanitize=undefined,thread"));
        assert!(!takes_over("-fsanitize=undefined") && !takes_over("-fsanitize-trap=all"));
    }
}
