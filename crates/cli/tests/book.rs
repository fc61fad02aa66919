//! Every command of the book is run, and what it prints is compared with what the book says.
//!
//! In a ```` ```console ```` block a line that begins with `$ ` is a command, and the lines below it are what it prints, stdout before
//! stderr. `…` stands for anything: alone on a line for any number of lines, within a line for any letters. A page is one session in
//! a folder of its own, with a copy of the examples in it. A name of a finding stands for the one that was really given.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should not")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command, and the lines that it prints.
struct Example {
    line: usize,
    command: String,
    printed: Vec<String>,
}

/// The examples of a page.
fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for (number, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            examples.push(Example { line: number + 1, command: command.to_owned(), printed: Vec::new() });
        } else if let Some(last) = examples.last_mut().filter(|_| inside) {
            last.printed.push(line.to_owned());
        }
    }
    examples
}

/// Whether `line` is what the book says, where `…` stands for any letters.
fn line_matches(said: &str, line: &str) -> bool {
    let mut parts = said.split('…');
    let Some(rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    let mut rest = rest;
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether the lines are what the book says, where a line `…` stands for any number of them.
fn matches(said: &[String], lines: &[&str]) -> bool {
    match said.split_first() {
        None => lines.is_empty(),
        Some((first, said)) if first == "…" => {
            (0..=lines.len()).any(|skipped| matches(said, &lines[skipped..]))
        }
        Some((first, said)) => {
            lines.split_first().is_some_and(|(line, lines)| line_matches(first, line) && matches(said, lines))
        }
    }
}

/// What stands between a word and the next letter that is none of a name.
fn name_after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = &text[text.find(word)? + word.len()..];
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
    (end > 0).then_some(&rest[..end])
}

/// One page, as one session.
struct Session {
    folder: PathBuf,
    /// The names of findings in the book, and those that were really given.
    names: BTreeMap<String, String>,
    code: i32,
}

impl Session {
    fn new(page: &Path) -> Session {
        let name = page.with_extension("").to_string_lossy().replace('/', "-");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book").join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        copy(&root().join("examples"), &folder);
        Session { folder, names: BTreeMap::new(), code: 0 }
    }

    /// The text with the names that were really given.
    fn real(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (said, given)| text.replace(said, given))
    }

    fn run(&mut self, command: &str) -> String {
        if command == "echo $?" {
            return self.code.to_string();
        }
        let bin = Path::new(env!("CARGO_BIN_EXE_raddle")).parent().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        // The copy of the examples is no part of a workspace; the program is to run in it all the same.
        let profile = if cfg!(debug_assertions) { "" } else { " --release" };
        let manifest = root().join("Cargo.toml");
        let cargo = format!("cargo run{profile} --quiet --manifest-path {} ", manifest.display());
        let output = Command::new("sh")
            .args(["-c", &command.replace("cargo run ", &cargo)])
            .current_dir(&self.folder)
            .env_remove("GITHUB_ACTIONS")
            .env("PATH", path)
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        self.code = output.status.code().unwrap_or(-1);
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// What is wrong with the example, if anything is.
    fn check(&mut self, example: &Example) -> Option<String> {
        let command = self.real(&example.command);
        let printed = self.run(&command);
        let said = example.printed.join("\n");
        if let (Some(said), Some(given)) =
            (name_after(&said, "raddle replay "), name_after(&printed, "raddle replay "))
        {
            self.names.insert(said.to_owned(), given.to_owned());
        }
        let said: Vec<String> = example.printed.iter().map(|line| self.real(line)).collect();
        let mut lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        (!matches(&said, &lines)).then(|| {
            format!(
                "line {}: $ {command}\n--- the book says\n{}\n--- it prints\n{printed}",
                example.line,
                said.join("\n")
            )
        })
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The pages that the summary lists, as paths below `docs/src`.
fn pages() -> Vec<String> {
    let summary = std::fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    summary
        .lines()
        .filter_map(|line| line.rsplit_once("](")?.1.strip_suffix(')').map(str::to_owned))
        .collect()
}

#[test]
fn every_page_of_the_summary_exists_and_no_other() {
    let folder = root().join("docs/src");
    let listed = pages();
    for page in &listed {
        assert!(folder.join(page).is_file(), "docs/src/SUMMARY.md lists {page}, which does not exist");
    }
    for part in ["", "tutorial", "how-to", "reference", "how-it-works"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&folder).unwrap().display().to_string();
            let known = !name.ends_with(".md") || name == "SUMMARY.md" || listed.contains(&name);
            assert!(known, "docs/src/SUMMARY.md does not list {name}");
        }
    }
}

#[test]
fn every_file_that_the_book_names_exists() {
    for page in pages() {
        let text = std::fs::read_to_string(root().join("docs/src").join(&page)).unwrap();
        for name in text.split('`').skip(1).step_by(2) {
            let is_path =
                ["crates/", "corpus/", "examples/", "docs/"].iter().any(|start| name.starts_with(start));
            if is_path && !name.contains(['*', '…', ' ']) {
                assert!(root().join(name).exists(), "{page} names {name}, which does not exist");
            }
        }
    }
}

#[test]
fn every_command_of_the_book_prints_what_the_book_says() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(root().join("docs/src").join(&page)).unwrap();
        let examples = examples(&text);
        if examples.is_empty() {
            continue;
        }
        let mut session = Session::new(Path::new(&page));
        for example in &examples {
            wrong.extend(session.check(example).map(|what| format!("docs/src/{page}, {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_report_in_the_readme_is_what_the_command_above_it_prints() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let command = "raddle check examples/c/bank.c";
    let block = block(&readme, &format!("\n{command}\n"), "text");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let output = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(command.split(' ').skip(1))
        .arg("--out")
        .arg(&out)
        .current_dir(root())
        .env("LC_ALL", "C.UTF-8")
        .env_remove("GITHUB_ACTIONS")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.starts_with(block), "README.md says\n{block}\nand it prints\n{printed}");
}

/// The first block of this kind below a heading of the README.
fn block<'a>(readme: &'a str, heading: &str, kind: &str) -> &'a str {
    let (_, below) = readme.split_once(heading).expect("the heading is there");
    let (_, block) = below.split_once(&format!("```{kind}\n")).expect("the block is there");
    block.split_once("```").expect("the block ends").0
}

#[test]
fn the_rust_test_in_the_readme_fails_as_the_readme_says() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let heading = "## In a Rust test";
    let test = std::fs::read_to_string(root().join("examples/tests/withdrawals.rs")).unwrap();
    assert_eq!(block(&readme, heading, "rust"), test);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme-rust");
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["test", "--quiet", "--package", "raddle-examples", "--test", "withdrawals"])
        .args((!cfg!(debug_assertions)).then_some("--release"))
        .current_dir(root())
        .env("RADDLE_OUT", out)
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = block(&readme, heading, "text");
    assert!(
        !output.status.success() && printed.contains(said),
        "README.md says\n{said}\nand it prints\n{printed}"
    );
    let replay = name_after(&printed, "finding ").expect("the finding has a name");
    assert!(readme.contains(&format!(
        "`RADDLE_REPLAY={replay} cargo test -p raddle-examples withdrawals_add_up -- --exact`"
    )));
}

#[test]
fn dots_stand_for_anything() {
    assert!(line_matches("a … d", "a b c d"));
    assert!(line_matches("…", ""));
    assert!(!line_matches("a … d", "a b c"));
    let said = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches(&said("a\n…\nd"), &["a", "b", "c", "d"]));
    assert!(!matches(&said("a\nd"), &["a", "b", "d"]));
    assert!(matches(&said("…"), &[]));
}
