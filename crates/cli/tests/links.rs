//! The book as a book: every page is in its summary, and every link of a document leads somewhere.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::root;

fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The text without what stands in blocks of code and between backticks, where brackets mean other things.
fn prose(text: &str) -> String {
    let mut inside = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            let parts = line.split('`').enumerate();
            // The text of a link may be code; its target never is.
            prose.extend(parts.map(|(number, part)| if number % 2 == 0 { part } else { "code" }));
            prose.push('\n');
        }
    }
    prose
}

/// Where the links of a document lead.
fn targets(text: &str) -> Vec<String> {
    let prose = prose(text);
    let mut rest = prose.as_str();
    let mut targets = Vec::new();
    while let Some((_, after)) = rest.split_once("](") {
        let (target, after) = after.split_once(')').unwrap_or((after, ""));
        targets.push(target.to_owned());
        rest = after;
    }
    targets
}

/// The name that mdBook and GitHub give a heading.
fn anchor(heading: &str) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    let name: String = heading.trim_start_matches('#').trim().to_lowercase().chars().filter(kept).collect();
    name.replace(' ', "-")
}

#[test]
fn every_page_is_in_the_summary_once_and_every_entry_is_a_page() {
    let book = root().join("docs/src");
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).expect("the book has a summary");
    let listed = targets(&summary);
    let unique: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len(), "a page is listed twice");
    for page in &listed {
        let text = std::fs::read_to_string(book.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.starts_with("# "), "{page} begins with its title");
    }
    let mut pages = Vec::new();
    markdown(&book, &mut pages);
    for page in pages {
        let name = page.strip_prefix(&book).expect("it is below").display().to_string();
        assert!(name == "SUMMARY.md" || listed.contains(&name), "{name} is not in the summary");
    }
}

#[test]
fn every_link_of_a_document_leads_somewhere() {
    let root = root();
    let mut documents = Vec::new();
    markdown(&root.join("docs"), &mut documents);
    markdown(&root.join("examples"), &mut documents);
    documents.extend(["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|name| root.join(name)));
    let mut wrong = Vec::new();
    for document in
        documents.iter().filter(|document| !document.components().any(|part| part.as_os_str() == "target"))
    {
        let text = std::fs::read_to_string(document).expect("a document can be read");
        for target in targets(&text).iter().filter(|target| !target.contains("://")) {
            let (file, part) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { document.clone() } else { document.with_file_name(file) };
            let there = path.exists();
            let has_part = part.is_empty()
                || std::fs::read_to_string(&path)
                    .is_ok_and(|text| text.lines().any(|line| line.starts_with('#') && anchor(line) == part));
            if !there || !has_part {
                wrong.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
