//! A program does the same with and without instrumentation, at every level of optimisation.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use raddle_instrument::driver::Language;
use support::{drive, folder, language, run, sources};

/// What a program says of its own compilation.
fn flags(source: &str) -> String {
    source.lines().filter_map(|line| line.strip_prefix("//! flags: ")).collect::<Vec<_>>().join(" ")
}

/// Builds a program with clang alone and with the driver, and compares what the two do, the second also on the path of a
/// controlled run.
fn compare(file: &Path, folder: &Path, level: &str) {
    let source = std::fs::read_to_string(file).expect("the program can be read");
    let name = file.file_name().expect("a file has a name").to_string_lossy().replace('.', "_");
    let (plain, ours) = (folder.join(format!("{name}-plain")), folder.join(format!("{name}-ours")));
    let compiler = if language(file) == Language::Cpp { "clang++-19" } else { "clang-19" };
    let flags = flags(&source);
    let status = Command::new(compiler)
        .args([level, "-w"])
        .arg(file)
        .args(flags.split_whitespace())
        .arg("-o")
        .arg(&plain)
        .status()
        .expect("clang-19 is installed, see setup.sh");
    assert!(status.success(), "{name} compiles");
    let line = format!("{level} -w {} {flags} -o {}", file.display(), ours.display());
    assert!(drive(language(file), folder, &line), "{name} compiles with the driver");
    let expected = run(&plain, None);
    for variable in [None, Some("STUB_ACTIVE")] {
        let output = run(&ours, variable);
        assert_eq!(
            (String::from_utf8_lossy(&output.stdout), output.status.code()),
            (String::from_utf8_lossy(&expected.stdout), expected.status.code()),
            "{name} {level} {variable:?}"
        );
    }
}

fn programs(extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(sources().join("programs")).expect("the programs are there");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|each| each == extension));
    files.sort();
    files
}

fn compare_all(extension: &str, level: &str) {
    let folder = folder(&format!("same-{extension}{level}"));
    let files = programs(extension);
    assert!(!files.is_empty());
    for file in files {
        compare(&file, &folder, level);
    }
}

#[test]
fn c_programs_do_the_same_without_optimisation() {
    compare_all("c", "-O0");
}

#[test]
fn c_programs_do_the_same_with_optimisation() {
    compare_all("c", "-O2");
}

#[test]
fn cpp_programs_do_the_same_without_optimisation() {
    compare_all("cpp", "-O0");
}

#[test]
fn cpp_programs_do_the_same_with_optimisation() {
    compare_all("cpp", "-O2");
}
