//! `cargo xtask tidy`: what the compiler does not check.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Lines of a file, without its tests, at which it has to be split.
const MAX_LINES: usize = 800;

/// What each crate may use, from the bottom up. `may_use` of a crate is everything that stands before it, unless it is
/// among those that it must not know.
const LAYERS: &[(&str, &[&str])] = &[
    ("raddle-trace", &[]),
    ("raddle-world", &["raddle-trace"]),
    ("raddle-nets", &[]),
    ("raddle-coverage", &["raddle-trace"]),
    ("raddle-explore", &["raddle-trace", "raddle-nets", "raddle-coverage"]),
    ("raddle-detect", &["raddle-trace"]),
    ("raddle-oracle", &["raddle-trace"]),
    ("raddle-runtime", &["raddle-trace", "raddle-world", "raddle-explore"]),
    (
        "raddle-channel",
        &["raddle-trace", "raddle-nets", "raddle-coverage", "raddle-explore", "raddle-detect"],
    ),
    (
        "raddle-native-runtime",
        &[
            "raddle-trace",
            "raddle-world",
            "raddle-coverage",
            "raddle-explore",
            "raddle-detect",
            "raddle-runtime",
            "raddle-channel",
        ],
    ),
    ("raddle-report", &["raddle-trace", "raddle-nets", "raddle-coverage", "raddle-explore", "raddle-detect"]),
    ("raddle-store", &["raddle-report"]),
    ("raddle-macros", &[]),
    ("raddle-pass", &[]),
    ("raddle-instrument", &[]),
    (
        "raddle",
        &[
            "raddle-trace",
            "raddle-world",
            "raddle-coverage",
            "raddle-explore",
            "raddle-detect",
            "raddle-runtime",
            "raddle-report",
            "raddle-store",
            "raddle-macros",
        ],
    ),
    (
        "raddle-native",
        &[
            "raddle-trace",
            "raddle-coverage",
            "raddle-explore",
            "raddle-detect",
            "raddle-channel",
            "raddle-instrument",
            "raddle-report",
        ],
    ),
    (
        "raddle-cli",
        &[
            "raddle-trace",
            "raddle-explore",
            "raddle-detect",
            "raddle-report",
            "raddle-store",
            "raddle-channel",
            "raddle-instrument",
            "raddle-native",
            "raddle-native-runtime",
            "raddle-pass",
            "raddle-nets",
            "raddle-coverage",
        ],
    ),
];

/// Words that the glossary replaces, in identifiers.
const BANNED: &[&str] =
    &["executor", "permutation", "choice_point", "context_switch", "iteration_count", "sut"];

pub fn main(arguments: &[String]) -> ExitCode {
    if let Some(word) = arguments.first() {
        eprintln!("`{word}` is not known here; `cargo xtask tidy` takes no arguments");
        return ExitCode::from(2);
    }
    let problems = problems(&crate::root());
    for problem in &problems {
        eprintln!("{problem}");
    }
    println!("tidy: {} problems", problems.len());
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn problems(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let mut files = Vec::new();
    for folder in ["crates", "xtask", "bench"] {
        rust_files(&root.join(folder), &mut files);
    }
    files.sort();
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else {
            problems.push(format!("{}: could not be read as text", file.display()));
            continue;
        };
        let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
        check_file(&shown, &text, &mut problems);
    }
    check_layers(root, &mut problems);
    check_code_map(root, &files, &mut problems);
    check_changelog(root, &mut problems);
    problems
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            // What builds and searches leave behind is not ours to judge.
            if path.file_name().is_none_or(|name| name != "target" && name != "raddle-out") {
                rust_files(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn check_file(shown: &str, text: &str, problems: &mut Vec<String>) {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = code.lines().count();
    if lines > MAX_LINES {
        problems.push(format!("{shown}: {lines} lines, at most {MAX_LINES}: split it by subject"));
    }
    let in_src = shown.contains("/src/") && !shown.contains("/tests/");
    if in_src && !text.starts_with("//!") {
        problems.push(format!("{shown}: begins without a module comment that says what it is for"));
    }
    // This file has to name the words that it looks for.
    if shown == "xtask/src/tidy.rs" {
        return;
    }
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or(line).to_lowercase();
        let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        for word in words {
            if let Some(banned) =
                BANNED.iter().find(|banned| word.split('_').any(|part| part == **banned) || word == **banned)
            {
                problems
                    .push(format!("{shown}:{}: `{banned}` is not our word, see the glossary", number + 1));
            }
        }
        for banned in ["#[ignore", "todo!(", "thread::sleep(std::"] {
            if line.contains(banned) {
                problems.push(format!("{shown}:{}: `{banned}` has no place here", number + 1));
            }
        }
    }
}

/// The crates that a manifest names under `[dependencies]`.
fn dependencies(manifest: &str) -> Vec<String> {
    let section = manifest.split("\n[dependencies]").nth(1).unwrap_or("");
    let section = section.split("\n[").next().unwrap_or("");
    section.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).map(str::to_owned).collect()
}

fn check_layers(root: &Path, problems: &mut Vec<String>) {
    let layers: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    for (name, allowed) in LAYERS {
        let folder = name.strip_prefix("raddle-").unwrap_or(name);
        let path = root.join("crates").join(folder).join("Cargo.toml");
        let Ok(manifest) = std::fs::read_to_string(&path) else {
            problems.push(format!("{}: could not be read", path.display()));
            continue;
        };
        for dependency in dependencies(&manifest) {
            if layers.contains_key(dependency.as_str()) && !allowed.contains(&dependency.as_str()) {
                problems.push(format!("crates/{folder}/Cargo.toml: {name} must not use {dependency}"));
            }
        }
    }
    for entry in std::fs::read_dir(root.join("crates")).into_iter().flatten().flatten() {
        let folder = entry.file_name().to_string_lossy().into_owned();
        let name = if folder == "raddle" { folder } else { format!("raddle-{folder}") };
        if !layers.contains_key(name.as_str()) {
            problems.push(format!("crates: {name} has no place in the layers of `cargo xtask tidy`"));
        }
    }
}

/// The code map has a line for every crate and for every file and folder at the top of its sources.
fn check_code_map(root: &Path, files: &[PathBuf], problems: &mut Vec<String>) {
    let Ok(map) = std::fs::read_to_string(root.join("ARCHITECTURE.md")) else {
        problems.push("ARCHITECTURE.md: could not be read".to_owned());
        return;
    };
    for file in files {
        let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
        let parts: Vec<&str> = shown.split('/').collect();
        let is_strategy = shown.starts_with("crates/explore/src/strategies/") && parts.len() == 5;
        let is_top = shown.starts_with("crates/") && parts.len() == 4 && parts[2] == "src";
        let name = parts.last().copied().unwrap_or_default();
        if (is_top || is_strategy)
            && name != "lib.rs"
            && !name.starts_with("__")
            && !map.contains(&format!("`{name}`"))
        {
            problems.push(format!("ARCHITECTURE.md: the code map does not mention `{name}` of {shown}"));
        }
    }
}

fn check_changelog(root: &Path, problems: &mut Vec<String>) {
    match std::fs::read_to_string(root.join("CHANGELOG.md")) {
        Ok(text) if text.contains("\n## Unreleased") => {}
        Ok(_) => problems.push("CHANGELOG.md: has no `## Unreleased` section".to_owned()),
        Err(error) => problems.push(format!("CHANGELOG.md: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        let problems = problems(&crate::root());
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn a_banned_word_a_missing_comment_and_an_ignored_test_are_seen() {
        let mut problems = Vec::new();
        check_file("crates/x/src/a.rs", "fn executor() {}\n#[ignore]\n", &mut problems);
        assert_eq!(problems.len(), 3, "{problems:?}");
    }

    #[test]
    fn dependencies_are_read_from_their_section_alone() {
        let manifest =
            "[package]\nname = \"x\"\n\n[dependencies]\na.workspace = true\nb = \"1\"\n\n[lints]\nc = 1\n";
        assert_eq!(dependencies(manifest).iter().filter(|name| !name.is_empty()).count(), 2);
    }
}
