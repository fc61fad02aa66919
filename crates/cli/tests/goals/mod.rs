//! What has to hold of everything that is shown of every program: the goals U3, U5, U8 and U10 of the book's page of goals.

use serde_json::Value;

use crate::common::{Folder, Ran, root};

#[path = "../../../report/src/tests/schema.rs"]
mod schema;

/// The most columns and lines of a finding, and the most lines of a check that passes.
const COLUMNS: usize = 100;
const LINES: usize = 40;
const LINES_OF_A_PASS: usize = 10;

/// What is wrong with what was shown of the last check in the folder, in sentences.
pub(crate) fn problems(folder: &Folder, ran: &Ran, record: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let findings: Vec<&Value> = record["findings"].as_array().into_iter().flatten().collect();
    for finding in &findings {
        let id = finding["id"].as_str().unwrap_or_default();
        let text = read(folder, &format!("findings/{id}/finding.txt"));
        fits(&text, &mut problems);
        names_everything(finding, &text, &mut problems);
        let whole = read(folder, &format!("findings/{id}/finding.json"));
        problems.extend(schema::problems(&own_schema(), &whole));
    }
    if let Some(line) = ran.out.lines().find(|line| line.chars().count() > COLUMNS) {
        problems.push(format!("wider than {COLUMNS} columns: {line}"));
    }
    if ran.code == Some(0) {
        let lines = ran.out.lines().count() + ran.err.lines().count();
        if lines > LINES_OF_A_PASS {
            problems.push(format!("a check that passes said {lines} lines"));
        }
    }
    agree(folder, ran, record, findings.len(), &mut problems);
    problems
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.0.join("raddle-out").join(name)).unwrap_or_default()
}

fn own_schema() -> String {
    let path = root().join("docs/schema/raddle-1.schema.json");
    std::fs::read_to_string(path).expect("the schema can be read")
}

/// U3: a finding fits a screen.
fn fits(text: &str, problems: &mut Vec<String>) {
    let (lines, widest) =
        (text.lines().count(), text.lines().map(|line| line.chars().count()).max().unwrap_or(0));
    if lines == 0 || lines > LINES || widest > COLUMNS {
        problems.push(format!("a finding of {lines} lines and {widest} columns:\n{text}"));
    }
}

/// U5: both places, with their source, and names instead of addresses.
fn names_everything(finding: &Value, text: &str, problems: &mut Vec<String>) {
    let mut missing = |what: &str| problems.push(format!("{what} is missing:\n{text}"));
    let has_place = |at: &Value| at["file"].is_string() && at["line"].as_u64().is_some_and(|line| line > 0);
    let kind = finding["kind"].as_str().unwrap_or_default();
    if let Some(race) = finding["race"].as_object() {
        if !["first", "second"].iter().all(|access| has_place(&race[*access]["at"])) {
            missing("one of the two places of a race");
        }
        if race["object"].as_str().is_none_or(str::is_empty) {
            missing("the name of what is raced on");
        }
    } else if let Some(deadlock) = finding["deadlock"].as_object() {
        for waiter in deadlock["waiters"].as_array().into_iter().flatten() {
            if !has_place(&waiter["at"]) || waiter["wants"].as_str().is_none_or(str::is_empty) {
                missing("where and for what a thread waits");
            }
            if !waiter["holds"].as_array().into_iter().flatten().all(|held| has_place(&held["at"])) {
                missing("where a lock was taken");
            }
        }
    } else if kind != "crash" && !has_place(&finding["at"]) {
        missing("the place");
    }
    if let Some(memory) = finding["memory"].as_object() {
        let given_back = matches!(kind, "use-after-free" | "double-free");
        if !has_place(&memory["allocated"]["at"]) || (given_back && !has_place(&memory["freed"]["at"])) {
            missing("where the block was allocated or given back");
        }
    }
    let is_address = |word: &str| {
        let digits = word.trim_start_matches(|letter: char| !letter.is_ascii_alphanumeric());
        digits.strip_prefix("0x").is_some_and(|digits| digits.len() >= 6)
    };
    if let Some(word) = text.split_whitespace().find(|word| is_address(word)) {
        problems.push(format!("a raw address, {word}:\n{text}"));
    }
}

/// U8: every file for machines is what its schema says, and all count the same as the text.
fn agree(folder: &Folder, ran: &Ran, record: &Value, findings: usize, problems: &mut Vec<String>) {
    problems.extend(schema::problems(&own_schema(), &record.to_string()));
    let sarif = read(folder, "latest/results.sarif");
    let official = root().join("crates/report/src/tests/schemas/sarif-2.1.0.json");
    let official = std::fs::read_to_string(official).expect("the schema can be read");
    problems.extend(schema::problems(&official, &sarif));
    let sarif: Value = serde_json::from_str(&sarif).unwrap_or_default();
    let results = sarif["runs"][0]["results"].as_array().map_or(0, Vec::len);
    if results != findings {
        problems.push(format!("{findings} findings, but {results} results in SARIF"));
    }
    let kinds: std::collections::BTreeSet<&str> =
        record["findings"].as_array().into_iter().flatten().filter_map(|one| one["kind"].as_str()).collect();
    junit(&read(folder, "latest/junit.xml"), findings, kinds.len(), problems);
    let ids = record["findings"].as_array().into_iter().flatten().filter_map(|one| one["id"].as_str());
    for id in ids.filter(|id| !ran.out.contains(&format!("finding {id}"))) {
        problems.push(format!("the text does not name finding {id}"));
    }
    let runs = record["runs"].as_u64().unwrap_or(0);
    let said = format!("{} run", raddle_report::grouped(runs));
    if findings == 0 && !ran.out.contains(&said) {
        problems.push(format!("{runs} runs, but the text does not say `{said}`:\n{}", ran.out));
    }
}

/// The counts in the attributes are those of the elements, every element is closed, and what failed is what was found.
fn junit(text: &str, findings: usize, kinds: usize, problems: &mut Vec<String>) {
    let total = |name: &str| -> Option<usize> {
        let head = text.split_once("<testsuites ")?.1.split_once('>')?.0;
        head.split_once(&format!("{name}=\""))?.1.split_once('"')?.0.parse().ok()
    };
    let elements = |name: &str| text.matches(&format!("<{name} ")).count();
    let counts = [("tests", "testcase"), ("failures", "failure"), ("errors", "error")];
    for (attribute, element) in counts {
        if total(attribute) != Some(elements(element)) {
            problems.push(format!(
                "JUnit says {attribute} {:?} and has {}",
                total(attribute),
                elements(element)
            ));
        }
    }
    let failures = elements("failure");
    if (failures == 0) != (findings == 0) || failures > kinds {
        problems.push(format!("{findings} findings of {kinds} kinds, but {failures} failures in JUnit"));
    }
    for name in ["testsuites", "testsuite"] {
        if text.matches(&format!("<{name} ")).count() != text.matches(&format!("</{name}>")).count() {
            problems.push(format!("JUnit opens and closes {name} unequally often"));
        }
    }
}
