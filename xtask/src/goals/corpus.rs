//! The programs on which the goals are measured, and checks of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

/// A program of the corpus, with what its head says about how to check it.
pub(super) struct Case {
    pub name: String,
    path: PathBuf,
    /// Whether something has to be found.
    pub fails: bool,
    flags: Vec<String>,
    cflags: String,
    arguments: Vec<String>,
}

impl Case {
    /// Whether it is meant for one strategy.
    pub fn names_a_strategy(&self) -> bool {
        self.flags.iter().any(|flag| flag == "--strategy")
    }
}

/// All programs of `corpus/native`.
pub(super) fn cases() -> Vec<Case> {
    let entries = std::fs::read_dir(crate::root().join("corpus/native")).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "c" || ending == "cpp"));
    paths.sort();
    paths.into_iter().filter_map(case).collect()
}

fn case(path: PathBuf) -> Option<Case> {
    let text = std::fs::read_to_string(&path).ok()?;
    let line = |key: &str| {
        let start = format!("//! {key}:");
        text.lines().find_map(|line| line.strip_prefix(start.as_str())).unwrap_or_default().trim().to_owned()
    };
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect();
    Some(Case {
        name: path.file_name()?.to_string_lossy().into_owned(),
        fails: line("verdict") == "failed",
        flags: words(line("flags")),
        cflags: line("cflags"),
        arguments: words(line("args")),
        path,
    })
}

/// Checks the program in a folder; the record, if there is one.
pub(super) fn check(raddle: &Path, case: &Case, folder: &Path, flags: &[&str]) -> Option<Value> {
    let mut command = Command::new(raddle);
    command.arg("check").arg(&case.path).args(["--progress", "none", "--format", "json"]);
    command.args(&case.flags).args(flags).current_dir(folder);
    if !case.cflags.is_empty() {
        command.args(["--cflags", &case.cflags]);
    }
    let output = command.arg("--").args(&case.arguments).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// A folder that nobody else uses.
pub(super) fn scratch(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("raddle-goals-{}-{name}-{number}", std::process::id()));
    let _ = std::fs::create_dir_all(&path);
    path
}
