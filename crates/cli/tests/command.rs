//! The command itself: arguments, settings, exit codes, bad input.

mod common;

use common::Folder;

#[test]
fn every_command_that_is_listed_has_help() {
    let folder = Folder::new();
    let help = folder.raddle(&["--help"]);
    assert_eq!(help.code, Some(0));
    assert!(help.out.contains("130  interrupted"), "{}", help.out);
    for command in ["check", "replay", "compare", "explain", "doctor", "show-config", "completions", "man"] {
        assert!(help.out.contains(command), "{command} is not listed");
        let ran = folder.raddle(&[command, "--help"]);
        assert_eq!(ran.code, Some(0), "{command}: {ran:#?}");
        assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{command}: wider than 100 columns");
    }
}

#[test]
fn wrong_use_is_exit_code_2_with_a_suggestion() {
    let folder = Folder::new();
    let cases: [(&[&str], &str); 6] = [
        (&["chek"], "check"),
        (&["check", "--strategy", "optimal", "x.c"], "there is no strategy `optimal`"),
        (&["check", "--max-time", "5", "x.c"], "--max-time: `5` is not a time; write it like"),
        (&["check"], "there is nothing to check"),
        (&["explain", "scop"], "did you mean `scope`?"),
        (&["replay", "abcde"], "there is no finding `abcde`"),
    ];
    for (arguments, expected) in cases {
        let ran = folder.raddle(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:#?}");
        assert!(ran.err.contains(expected), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{arguments:?}");
    }
}

#[test]
fn a_missing_file_and_a_file_that_is_no_program_are_told_apart() {
    let folder = Folder::new();
    folder.file("notes.txt", "not a program\n");
    let missing = folder.raddle(&["check", "bank.c"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("could not read bank.c: there is no such file"), "{}", missing.err);
    let text = folder.raddle(&["check", "notes.txt"]);
    assert_eq!(text.code, Some(3), "{text:#?}");
    let foreign = folder.raddle(&["check", "/bin/true"]);
    assert_eq!(foreign.code, Some(3));
    assert!(foreign.err.contains("CC=\"raddle cc\""), "{}", foreign.err);
}

#[test]
fn every_exit_code_is_explained() {
    let folder = Folder::new();
    for code in ["0", "1", "2", "3", "4", "5", "6", "70", "130"] {
        let ran = folder.raddle(&["explain", code]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.out.starts_with(&format!("exit code {code}: ")), "{}", ran.out);
    }
}

#[test]
fn settings_come_from_the_command_line_then_the_environment_then_the_profile() {
    let folder = Folder::new();
    folder
        .file("raddle.toml", "[default]\nseed = 5\nbound = 7\nmax-runs = 100\n\n[ci]\nmax-time = \"10m\"\n");
    folder.file("deep/down/x", "");
    let below = Folder(folder.0.join("deep/down"));
    let ran = below.raddle_with(&["show-config", "--profile", "ci", "--seed", "9"], &[("RADDLE_BOUND", "8")]);
    std::mem::forget(below);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    let line = |name: &str| {
        let found = ran.out.lines().find(|line| line.starts_with(&format!("{name} ")));
        found
            .unwrap_or_else(|| panic!("{name} is not shown: {}", ran.out))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(line("seed"), "seed 9 command line");
    assert_eq!(line("bound"), "bound 8 environment, RADDLE_BOUND");
    assert!(line("max-runs").ends_with("raddle.toml:4, profile default"), "{}", line("max-runs"));
    assert!(line("max-time").ends_with("raddle.toml:7, profile ci"), "{}", line("max-time"));
    assert_eq!(line("strategy"), "strategy auto built-in");
}

#[test]
fn the_programs_of_raddle_toml_are_checked_from_any_folder_below() {
    let folder = Folder::new();
    folder.file(
        "raddle.toml",
        "[default]\ncflags = \"-Iinclude\"\n\n[[program]]\nname = \"pair\"\nsource = [\"src/pair.c\"]\narguments = [\"2\"]\n",
    );
    folder.file("include/rounds.h", "#define ROUNDS 2\n");
    folder.file(
        "src/pair.c",
        "#include <pthread.h>\n#include <stdlib.h>\n#include \"rounds.h\"\nstatic pthread_mutex_t lock = \
         PTHREAD_MUTEX_INITIALIZER;\nstatic void *work(void *unused) {\n  for (int i = 0; i < ROUNDS; i++) { \
         pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }\n  return unused;\n}\nint main(int count, char **words) \
         {\n  pthread_t t[8];\n  int threads = count > 1 ? atoi(words[1]) : 0;\n  for (int i = 0; i < threads; i++) \
         pthread_create(&t[i], 0, work, 0);\n  for (int i = 0; i < threads; i++) pthread_join(t[i], 0);\n  return 0;\n}\n",
    );
    let below = Folder(folder.0.join("src"));
    for place in [&folder, &below] {
        let ran = place.raddle(&["check", "--format", "json"]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        // Two threads with two critical sections each: 4! / (2! 2!) orders.
        assert_eq!((&ran.json()["program"], &ran.json()["runs"]), (&"pair".into(), &6.into()), "{ran:#?}");
    }
    std::mem::forget(below);
}

#[test]
fn an_unknown_key_is_refused_with_its_line_and_a_suggestion() {
    let folder = Folder::new();
    folder.file("raddle.toml", "[default]\n\nmax-tme = \"1s\"\n");
    let ran = folder.raddle(&["show-config"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.starts_with("raddle: raddle.toml:3: `max-tme` is not known, did you mean `max-time`?"),
        "{}",
        ran.err
    );
}

#[test]
fn completions_and_the_manual_page_come_from_the_arguments() {
    let folder = Folder::new();
    let bash = folder.raddle(&["completions", "bash"]);
    assert!(bash.out.contains("--accept-incomplete"), "{}", bash.err);
    let man = folder.raddle(&["man"]);
    assert!(man.out.contains(".TH raddle") && man.out.contains("accept\\-incomplete"), "{}", man.err);
}

#[test]
fn who_closes_the_pipe_has_seen_enough() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .arg("man")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let mut said = String::new();
    let _ = child.stderr.take().map(|mut err| err.read_to_string(&mut said));
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{said}");
    assert_eq!(said, "");
}
