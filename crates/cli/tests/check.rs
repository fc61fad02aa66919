//! `raddle check` and `raddle replay` on small C programs, by the real command.

mod common;

use common::{Folder, root};

const BANK: &str = include_str!("../../../examples/c/bank.c");
const FIXED: &str = include_str!("../../../examples/c/bank_fixed.c");

#[test]
fn a_finding_has_the_keys_that_scripts_rely_on_and_replays_elsewhere() {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    let ran = folder.raddle(&["check", "bank.c", "--format", "json"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let json = ran.json();
    for key in ["schema", "program", "strategy", "verdict", "runs", "blocked", "steps", "threads", "seconds"]
    {
        assert!(!json[key].is_null(), "{key} is missing: {json:#}");
    }
    assert_eq!(json["schema"], 1);
    assert_eq!(json["program"], "bank.c");
    assert_eq!(json["verdict"], "failed");
    assert_eq!(json["threads"], 3);
    let finding = &json["findings"][0];
    assert_eq!(finding["kind"], "assertion");
    assert!(
        finding["message"].as_str().is_some_and(|message| message.contains("balance == 30")),
        "{finding:#}"
    );
    assert_eq!(finding["at"]["file"], "bank.c");
    assert_eq!(finding["at"]["line"], 24);
    let id = finding["id"].as_str().expect("a finding has an id");
    let schedule = format!("raddle-out/findings/{id}/schedule.txt");
    assert_eq!(finding["schedule"], schedule.as_str());

    // The folder of a finding is all that a replay needs, wherever it lies and whatever it is called.
    let elsewhere = Folder::new();
    let copy = elsewhere.0.join("copy");
    std::fs::rename(folder.0.join("raddle-out/findings").join(id), &copy).expect("the folder can be moved");
    std::fs::remove_file(folder.0.join("bank.c")).expect("the source can be removed");
    let replayed = elsewhere.raddle(&["replay", "copy"]);
    assert_eq!(replayed.code, Some(1), "{replayed:#?}");
    assert!(replayed.out.contains("assertion `balance == 30` failed"), "{}", replayed.out);
    assert!(replayed.out.contains("balance ← 70"), "{}", replayed.out);
    assert!(replayed.out.contains("atomic_store(&balance"), "the kept source is shown: {}", replayed.out);
    let explained = elsewhere.raddle(&["explain", "./copy"]);
    assert_eq!(explained.code, Some(0), "{explained:#?}");
    let page = elsewhere.raddle(&["report", "copy"]);
    assert_eq!(page.out.trim(), "copy/report.html", "{page:#?}");
}

#[test]
fn a_program_that_passes_says_little_and_only_on_stdout() {
    let folder = Folder::new();
    folder.file("fixed.c", FIXED);
    let ran = folder.raddle(&["check", "fixed.c"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.out.contains("PASS  no problem found, and every interleaving was covered"), "{}", ran.out);
    assert!(ran.out.lines().count() <= 10, "{}", ran.out);
    assert_eq!(ran.err, "");
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
}

#[test]
fn a_limit_is_exit_code_4_unless_it_is_accepted() {
    let folder = Folder::new();
    folder.file("fixed.c", FIXED);
    let limited = ["check", "fixed.c", "--max-runs", "1", "--strategy", "every"];
    let ran = folder.raddle(&limited);
    assert_eq!(ran.code, Some(4), "{ran:#?}");
    assert!(ran.out.contains("INCOMPLETE"), "{}", ran.out);
    let accepted = folder.raddle(&[&limited[..], &["--accept-incomplete"]].concat());
    assert_eq!(accepted.code, Some(0), "{accepted:#?}");
}

#[test]
fn source_that_does_not_compile_is_exit_code_3_with_the_words_of_clang() {
    let folder = Folder::new();
    folder.file("broken.c", "int main(void) { return undeclared; }\n");
    let ran = folder.raddle(&["check", "broken.c"]);
    assert_eq!(ran.code, Some(3), "{ran:#?}");
    assert!(
        ran.err.contains("broken.c:1:25: error: use of undeclared identifier 'undeclared'"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("raddle: broken.c did not compile"), "{}", ran.err);
    assert_eq!(ran.out, "");
}

#[test]
fn no_clang_names_the_package() {
    let folder = Folder::new();
    folder.file("fixed.c", FIXED);
    let without = [("PATH", "/nowhere"), ("RADDLE_LLVM", "/nowhere")];
    let ran = folder.raddle_with(&["check", "fixed.c"], &without);
    assert_eq!(ran.code, Some(3), "{ran:#?}");
    assert_eq!(
        ran.err,
        "raddle: `clang-19` was not found: install the package clang-19 (on Debian and Ubuntu: apt-get install clang-19)\n"
    );
    let doctor = folder.raddle_with(&["doctor"], &without);
    assert_eq!(doctor.code, Some(3), "{doctor:#?}");
    let line =
        |what: &str| doctor.out.lines().find(|line| line.contains(what)).unwrap_or_default().to_owned();
    assert!(line(" clang ").starts_with(" MISSING"), "{}", doctor.out);
    assert!(line(" clang ").contains("apt-get install clang-19"), "{}", doctor.out);
    assert!(
        line(" gdb ").starts_with("  absent") && line(" gdb ").contains("apt-get install gdb"),
        "{}",
        doctor.out
    );
    assert!(folder.raddle(&["doctor"]).out.contains("C and C++ programs can be checked here."));
}

#[test]
fn a_program_that_needs_arguments_gets_a_hint_and_takes_them() {
    let folder = Folder::new();
    folder.file(
        "needs.c",
        "#include <stdio.h>\nint main(int count, char **words) {\n  if (count < 2) { puts(\"usage: needs WORD\"); return 2; }\n  \
         printf(\"got %s\\n\", words[1]);\n  return 0;\n}\n",
    );
    let without = folder.raddle(&["check", "needs.c", "--show-output"]);
    assert!(without.err.contains("usage: needs WORD"), "{without:#?}");
    assert!(without.err.contains("give them after `--`"), "{without:#?}");
    let with = folder.raddle(&["check", "needs.c", "--show-output", "--", "this"]);
    assert_eq!(with.code, Some(0), "{with:#?}");
    assert!(with.err.contains("got this"), "{with:#?}");
    assert!(!with.out.contains("got this"), "the program's output is not mixed into ours: {with:#?}");
}

#[test]
fn several_files_flags_and_a_binary_of_our_compiler_are_checked() {
    let folder = Folder::new();
    folder.file("include/limit.h", "#define LIMIT 2\n");
    folder.file(
        "main.c",
        "#include <pthread.h>\nvoid *work(void *);\nint main(void) {\n  pthread_t t[2];\n  for (int i = 0; i < 2; i++) \
         pthread_create(&t[i], 0, work, 0);\n  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\n  return 0;\n}\n",
    );
    folder.file(
        "work.c",
        "#include <pthread.h>\n#include \"limit.h\"\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int \
         sum;\nvoid *work(void *unused) {\n  for (int i = 0; i < LIMIT; i++) { pthread_mutex_lock(&lock); sum += STEP; \
         pthread_mutex_unlock(&lock); }\n  return unused;\n}\n",
    );
    let flags = "-O2 -Iinclude -DSTEP=3";
    let ran = folder.raddle(&["check", "main.c", "work.c", "--cflags", flags, "--format", "json"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    // Two threads with two critical sections each: 4! / (2! 2!) orders.
    assert_eq!(ran.json()["runs"], 6);
    for source in ["main.c", "work.c"] {
        let built = folder.raddle(&["cc", "-O2", "-Iinclude", "-DSTEP=3", "-c", source]);
        assert_eq!(built.code, Some(0), "{built:#?}");
    }
    let linked = folder.raddle(&["cc", "-pthread", "main.o", "work.o", "-o", "prog"]);
    assert_eq!(linked.code, Some(0), "{linked:#?}");
    let checked = folder.raddle(&["check", "prog", "--format", "json"]);
    assert_eq!(checked.json()["runs"], 6);
    // Without the tester it just runs.
    let status = std::process::Command::new(folder.0.join("prog")).status().expect("it starts");
    assert!(status.success());
}

#[test]
fn another_program_does_not_follow_the_schedule() {
    let folder = Folder::new();
    folder.file("bank.c", BANK);
    folder.file("fixed.c", FIXED);
    let found = folder.raddle(&["check", "bank.c", "--format", "json"]).json();
    let id = found["findings"][0]["id"].as_str().expect("a finding has an id").to_owned();
    let built = folder.raddle(&["cc", "-pthread", "fixed.c", "-o", "fixed"]);
    assert_eq!(built.code, Some(0), "{built:#?}");
    let ran = folder.raddle(&["replay", &id, "--program", "fixed"]);
    assert_eq!(ran.code, Some(6), "{ran:#?}");
    assert!(ran.err.contains("replay left the recorded schedule at step"), "{}", ran.err);
}

#[test]
fn strategies_are_put_side_by_side() {
    let folder = Folder::new();
    folder.file("fixed.c", FIXED);
    let ran = folder.raddle(&["compare", "fixed.c", "--strategies", "optimal-dpor,every", "--budget", "20s"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.out.contains("optimal-dpor") && ran.out.contains("everything"), "{}", ran.out);
    let csv = std::fs::read_to_string(folder.0.join("raddle-out/latest/compare.csv"))
        .expect("the raw data is kept");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    // Everybody gets it as he wants it: on a narrow screen, or as the raw data itself.
    let two = ["compare", "fixed.c", "--strategies", "optimal-dpor,unfolding-stateless"];
    let narrow = folder.raddle_with(&two, &[("COLUMNS", "80"), ("LANG", "C")]).out;
    assert!(narrow.lines().all(|line| line.len() <= 80), "{narrow}");
    assert_eq!(narrow.matches("\n  strategy ").count(), 2, "{narrow}");
    let printed = folder.raddle(&[&two[..], &["--format", "csv"]].concat()).out;
    let kept = std::fs::read_to_string(folder.0.join("raddle-out/latest/compare.csv"));
    assert_eq!(printed, kept.expect("it is kept as well"));
    let json = folder.raddle(&[&two[..], &["--format", "json"]].concat()).json();
    assert_eq!(json[1]["strategy"], "unfolding-stateless");
}

#[test]
fn every_hostile_program_is_survived_and_its_ending_is_named() {
    let corpus = root().join("corpus/hostile");
    let mut wrong = Vec::new();
    let entries = std::fs::read_dir(&corpus).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut programs: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "c" || ending == "cpp"))
        .collect();
    programs.sort();
    for program in programs {
        let text = std::fs::read_to_string(&program).expect("a program can be read");
        let line = |key: &str| {
            let prefix = format!("//! {key}:");
            text.lines()
                .find_map(|line| line.strip_prefix(prefix.as_str()))
                .map(str::trim)
                .unwrap_or_default()
                .to_owned()
        };
        let folder = Folder::new();
        let path = program.display().to_string();
        let (flags, cflags, own) = (line("flags"), line("cflags"), line("args"));
        let mut arguments =
            vec!["check", &path, "--format", "json", "--max-run-time", "2s", "--max-time", "20s"];
        arguments.extend(flags.split_whitespace());
        if !cflags.is_empty() {
            arguments.extend(["--cflags", &cflags]);
        }
        arguments.push("--");
        arguments.extend(own.split_whitespace());
        let ran = folder.raddle(&arguments);
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_default();
        let kinds =
            json["findings"].as_array().into_iter().flatten().filter_map(|finding| finding["kind"].as_str());
        // Before main there is nothing to control: it could not be started.
        let not_started = (ran.code == Some(3)).then_some("not-started");
        let said: Vec<&str> = kinds.chain(json["verdict"].as_str()).chain(not_started).collect();
        assert!(ran.code.is_some_and(|code| code < 70), "{path} was the end of us: {ran:#?}");
        let expected = line("ending");
        if !expected.split('|').any(|ending| said.contains(&ending.trim())) {
            let last = ran.err.lines().last().unwrap_or_default().to_owned();
            wrong.push(format!("{path}: {said:?} instead of {expected}; {last}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Four threads that take one lock twice each: 8! / (2!)^4 orders.
const LOCKS: &str = "#include <pthread.h>\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int sum;\n\
    static void *work(void *unused) {\n  for (int i = 0; i < TIMES; i++) { pthread_mutex_lock(&lock); sum++; \
    pthread_mutex_unlock(&lock); }\n  return unused;\n}\nint main(void) {\n  pthread_t t[4];\n  for (int i = 0; i < 4; i++) \
    pthread_create(&t[i], 0, work, 0);\n  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);\n  return 0;\n}\n";

#[test]
fn a_search_that_a_limit_stopped_goes_on_and_makes_no_run_twice() {
    for (strategy, isolation) in [
        ("optimal-dpor", "inline"),
        ("dpor-cr-sleep", "inline"),
        ("optimal-dpor", "fork"),
        ("auto", "inline"),
    ] {
        let folder = Folder::new();
        folder.file("locks.c", LOCKS);
        let first =
            ["check", "locks.c", "--cflags=-DTIMES=2", "--strategy", strategy, "--isolation", isolation];
        // What is left out of a budget is a sample that was asked for.
        let code = if strategy == "auto" { 0 } else { 4 };
        let stopped = folder.raddle(&[&first[..], &["--max-runs", "1000"]].concat());
        assert_eq!(stopped.code, Some(code), "{stopped:#?}");
        assert!(stopped.out.contains("continue  raddle check --resume latest"), "{}", stopped.out);
        std::fs::remove_file(folder.0.join("locks.c")).expect("the source can be removed");
        let again = folder.raddle(&["check", "--resume", "latest", "--max-runs", "1000", "--format", "json"]);
        assert_eq!((again.code, &again.json()["runs"]), (Some(code), &2000.into()), "{again:#?}");
        let whole = folder.raddle(&["check", "--resume", "latest", "--format", "json"]);
        assert_eq!((whole.code, &whole.json()["runs"]), (Some(0), &2520.into()), "{whole:#?}");
        assert_eq!(whole.json()["verdict"], "exhausted");
        // What came to its end cannot go on.
        let over = folder.raddle(&["check", "--resume", "latest"]);
        assert_eq!(over.code, Some(2), "{over:#?}");
    }
}

#[test]
fn a_search_that_goes_on_still_knows_what_it_had_found() {
    let folder = Folder::new();
    let breaks = "#include <assert.h>\n#define TIMES 2\n".to_owned() + LOCKS;
    folder.file("breaks.c", &breaks.replace("return 0;", "assert(!sum); return 0;"));
    let stopped = folder.raddle(&["check", "breaks.c", "--keep-going", "--max-runs", "1000"]);
    assert_eq!(stopped.code, Some(1), "{stopped:#?}");
    let whole = folder.raddle(&["check", "--resume", "latest", "--max-runs", "10", "--format", "json"]);
    assert_eq!((whole.code, &whole.json()["runs"]), (Some(1), &1010.into()), "{whole:#?}");
    assert_eq!(whole.json()["findings"][0]["run"], 1);
}

#[test]
fn an_interrupted_search_is_exit_code_130_says_so_and_goes_on() {
    ["auto", "optimal-dpor", "random", "hapset"].into_iter().for_each(interrupt_and_go_on);
}

fn interrupt_and_go_on(strategy: &str) {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    folder.file("locks.c", LOCKS);
    let samples = matches!(strategy, "random" | "hapset");
    // As many as it makes by itself would be made before it is interrupted.
    let asked: &[&str] = if samples { &["--max-runs", "1000000000"] } else { &[] };
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["check", "locks.c", "--cflags=-DTIMES=4", "--list", "runs", "--strategy", strategy])
        .args(asked)
        .current_dir(&folder.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut said = std::io::BufReader::new(child.stderr.take().expect("it was asked for"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut said, &mut line).expect("it lists its first run");
    assert!(line.starts_with("run      1  in order"), "{line}");
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(asked.success());
    let rest = std::thread::spawn(move || std::io::Read::read_to_end(&mut said, &mut Vec::new()));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{output:#?}");
    assert!(rest.join().is_ok());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("INCOMPLETE  no problem found so far; interrupted after "), "{text}");
    assert!(text.contains("continue  raddle check --resume latest"), "{text}");
    let runs = |text: &str| -> u64 {
        let record: serde_json::Value = serde_json::from_str(text).expect("a record");
        record["runs"].as_u64().expect("it counts")
    };
    let before =
        runs(&std::fs::read_to_string(folder.0.join("raddle-out/latest/record.json")).expect("kept"));
    let on = folder.raddle(&["check", "--resume", "latest", "--max-runs", "10", "--format", "json"]);
    // Of a strategy that only samples, samples are what was asked for.
    let code = if samples { 0 } else { 4 };
    assert_eq!((on.code, runs(&on.out)), (Some(code), before + 10), "{strategy}: {}", on.err);
}

#[test]
fn who_asks_by_signal_is_told_what_every_worker_does() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    folder.file("locks.c", LOCKS);
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["check", "locks.c", "--cflags=-DTIMES=4", "--message-format", "json", "--workers", "3"])
        .args(["--strategy", "dpor-cr-sleep"])
        .current_dir(&folder.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let happens = BufReader::new(child.stdout.take().expect("it was asked for"));
    let mut happens = happens.lines().map_while(Result::ok);
    let said = BufReader::new(child.stderr.take().expect("it was asked for"));
    let mut said = said.lines().map_while(Result::ok);
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    };
    assert!(happens.any(|line| line.contains("\"event\":\"progress\"")));
    signal("-USR1");
    assert!(said.any(|line| line.starts_with('[')));
    for number in 1..=3 {
        let line = said.next().expect("there is a line for each worker");
        assert!(line.trim_start().starts_with(&format!("worker {number} ")), "{line}");
        assert!([" runs · at step ", " runs · idle"].iter().any(|state| line.contains(state)), "{line}");
    }
    signal("-INT");
    happens.for_each(drop);
    said.for_each(drop);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn who_asks_by_signal_gets_a_line() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    folder.file("locks.c", LOCKS);
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["check", "locks.c", "--cflags=-DTIMES=4", "--list", "runs", "--strategy", "optimal-dpor"])
        .current_dir(&folder.0)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let said = std::io::BufReader::new(child.stderr.take().expect("it was asked for"));
    let mut lines = std::io::BufRead::lines(said).map_while(Result::ok);
    assert!(lines.next().is_some_and(|line| line.starts_with("run")));
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    };
    signal("-USR1");
    let answer = lines.find(|line| line.starts_with('['));
    assert!(answer.is_some_and(|line| line.contains(" runs ") && line.contains("threads")));
    signal("-USR1");
    // A worker is spoken of once it has said something.
    let worker = loop {
        match lines.find(|line| line.starts_with('[') || line.contains("worker")) {
            Some(line) if line.contains("worker") => break line,
            line => assert!(line.is_some(), "it said nothing of its worker"),
        }
        signal("-USR1");
    };
    assert!(worker.trim_start().starts_with("worker 1 ") && worker.contains(" runs · at step "), "{worker}");
    signal("-INT");
    lines.for_each(drop);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}
