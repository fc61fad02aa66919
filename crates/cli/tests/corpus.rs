//! Every program of `corpus/native` against the answer in its head, by the real command, and what is shown of it against the goals.

mod common;
mod goals;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use common::{Folder, root};

/// Programs whose threads pass data to each other that no event shows, and one whose threads do not: the strategy that
/// searches the markings of a model has to come to the same answer.
const ALSO_MODELLED: &[&str] = &[
    "atomic_in_a_block_freed_before_its_use.c",
    "atomic_local_variable_left_before_its_use.c",
    "buffer_with_one_condvar.c",
    "dining_4.c",
    "double_checked_with_atomics.c",
    "file_system_16.c",
    "local_server.c",
    "one_place_queue.c",
    "one_woken_where_two_wait.c",
    "stolen_wakeup.c",
    "work_queue_closed_by_signal.c",
];

/// What the head of a program says.
#[derive(Default, Debug)]
struct Head {
    verdict: String,
    findings: Vec<(String, Option<u64>)>,
    runs: Vec<(String, u64)>,
    blocked: Vec<(String, u64)>,
    flags: Vec<String>,
    cflags: String,
    arguments: Vec<String>,
}

impl Head {
    fn read(text: &str) -> Head {
        let mut head = Head::default();
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let counted = |text: &str| {
            let (name, number) = text.split_once(' ').unwrap_or((text, ""));
            let number = number.trim().replace([',', '_'], "").parse();
            (name.to_owned(), number.unwrap_or_else(|_| panic!("`{text}` should be a strategy and a number")))
        };
        for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match key.trim() {
                "verdict" => head.verdict = value.to_owned(),
                "finding" => {
                    let (kind, line) =
                        value.split_once(" at ").map_or((value, None), |(kind, at)| (kind, Some(at)));
                    head.findings.push((kind.trim().to_owned(), line.and_then(|at| at.trim().parse().ok())));
                }
                "runs" => head.runs.push(counted(value)),
                "blocked" => head.blocked.push(counted(value)),
                "flags" => head.flags = words(value),
                "cflags" => head.cflags = value.to_owned(),
                "args" => head.arguments = words(value),
                _ => {}
            }
        }
        head
    }

    /// The strategies that numbers are stated for, and the default one.
    fn strategies(&self) -> Vec<String> {
        if let Some(own) = self.flags.iter().position(|flag| flag == "--strategy") {
            return self.flags.get(own + 1).cloned().into_iter().collect();
        }
        let mut names: Vec<String> =
            self.runs.iter().chain(&self.blocked).map(|(name, _)| name.clone()).collect();
        names.push("optimal-dpor".to_owned());
        names.sort();
        names.dedup();
        names
    }
}

/// Checks one program; what is wrong, in sentences.
fn problems(program: &Path, head: &Head) -> Vec<String> {
    let folder = Folder::new();
    let shown = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut problems = Vec::new();
    let stated = |list: &[(String, u64)], strategy: &str| {
        list.iter().find(|(name, _)| name == strategy).map(|(_, number)| *number)
    };
    let mut strategies = head.strategies();
    if ALSO_MODELLED.contains(&shown.as_str()) {
        strategies.extend(["stateful-naive", "unfolding"].map(str::to_owned));
    }
    for strategy in strategies {
        let mut arguments = vec!["check".to_owned(), program.display().to_string()];
        arguments.extend(["--progress", "none"].map(str::to_owned));
        if !head.flags.contains(&"--strategy".to_owned()) {
            arguments.extend(["--strategy".to_owned(), strategy.clone()]);
        }
        arguments.extend(head.flags.iter().cloned());
        if !head.cflags.is_empty() {
            arguments.extend(["--cflags".to_owned(), head.cflags.clone()]);
        }
        arguments.push("--".to_owned());
        arguments.extend(head.arguments.iter().cloned());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let _ = std::fs::remove_dir_all(folder.0.join("raddle-out"));
        let ran = folder.raddle(&arguments);
        let kept =
            std::fs::read_to_string(folder.0.join("raddle-out/latest/record.json")).unwrap_or_default();
        let Ok(json) = serde_json::from_str::<serde_json::Value>(&kept) else {
            let last = ran.err.lines().last().unwrap_or_default();
            problems.push(format!("{shown} ({strategy}): no result, exit code {:?}: {last}", ran.code));
            continue;
        };
        let mut wrong = |what: String| problems.push(format!("{shown} ({strategy}): {what}"));
        if json["verdict"] != head.verdict.as_str() {
            wrong(format!(
                "verdict {} instead of {}; findings {}; doubt {}; {}",
                json["verdict"],
                head.verdict,
                json["findings"],
                json["doubt"],
                ran.err.lines().last().unwrap_or_default()
            ));
            continue;
        }
        for (what, list) in [("runs", &head.runs), ("blocked", &head.blocked)] {
            if let Some(number) = stated(list, &strategy).filter(|number| json[what] != *number) {
                wrong(format!("{} {what} instead of {number}", json[what]));
            }
        }
        compare_findings(&json, head, &mut wrong);
        goals::problems(&folder, &ran, &json).into_iter().for_each(&mut wrong);
    }
    problems
}

/// One stated finding has to be the first one; several have to be all there are.
fn compare_findings(json: &serde_json::Value, head: &Head, wrong: &mut dyn FnMut(String)) {
    let found: Vec<(String, u64)> = json["findings"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|finding| {
            let kind = finding["kind"].as_str().unwrap_or_default().to_owned();
            (kind, finding["at"]["line"].as_u64().unwrap_or(0))
        })
        .collect();
    let is = |stated: &(String, Option<u64>), found: &(String, u64)| {
        stated.0 == found.0 && stated.1.is_none_or(|line| line == found.1)
    };
    let good = match head.findings.as_slice() {
        [] => head.verdict == "failed" || found.is_empty(),
        [only] => found.first().is_some_and(|first| is(only, first)),
        several => {
            several.iter().all(|stated| found.iter().any(|found| is(stated, found)))
                && found.iter().all(|found| several.iter().any(|stated| is(stated, found)))
        }
    };
    if !good {
        wrong(format!("found {found:?} instead of {:?}", head.findings));
    }
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_source = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c" || ending == "cpp");
    let mut programs: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_source).collect();
    programs.sort();
    programs
}

#[test]
fn every_program_has_the_answer_in_its_head() {
    let wanted = std::env::var("CORPUS_ONLY").ok();
    let mut queue = programs(&root().join("corpus/native"));
    queue
        .retain(|path| wanted.as_ref().is_none_or(|wanted| path.to_string_lossy().contains(wanted.as_str())));
    assert!(!queue.is_empty(), "corpus/native has programs");
    let count = queue.len();
    queue.reverse();
    let queue = Mutex::new(queue);
    let problems_found = Mutex::new(Vec::new());
    // Two at a time: compilers are hungry, and the machines that test us are small.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(program) = queue.lock().expect("nobody panics with it").pop() else { break };
                    let text = std::fs::read_to_string(&program).expect("a program can be read");
                    let found = problems(&program, &Head::read(&text));
                    problems_found.lock().expect("nobody panics with it").extend(found);
                }
            });
        }
    });
    let mut problems = problems_found.into_inner().expect("nobody panics with it");
    problems.sort();
    assert!(problems.is_empty(), "{} problems in {count} programs:\n{}", problems.len(), problems.join("\n"));
}
