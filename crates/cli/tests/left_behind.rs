//! What is left of a check when it is over, however it ended: nothing.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, Ran};

/// Looks at itself in every run: what earlier runs left would pile up. Every run also opens a named semaphore.
const LOOKS: &str = r#"
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entries(const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count;
}
static int words(const char *path) {
    FILE *file = fopen(path, "r");
    int count = 0, number;
    while (file && fscanf(file, "%d", &number) == 1) count++;
    if (file) fclose(file);
    return count;
}
static void *work(void *unused) {
    for (int i = 0; i < 3; i++) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
    return unused;
}
int main(int count, char **arguments) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", getppid(), getppid());
    assert(entries("/proc/self/fd") <= 16);
    assert(words(path) <= 1);
    sem_t *semaphore = sem_open(arguments[1], O_CREAT, 0600, 1);
    pthread_t thread[4];
    for (int i = 0; i < 4; i++) pthread_create(&thread[i], 0, work, 0);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], 0);
    sem_wait(semaphore);
    return count - 2;
}
"#;

/// Crashes whenever the second thread comes first.
const CRASHES: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
static int value;
static int *_Atomic pointer;
static void *set(void *unused) { atomic_store(&pointer, &value); return unused; }
static void *use(void *unused) { *atomic_load(&pointer) = 1; return unused; }
static void *idle(void *unused) { atomic_load(&pointer); return unused; }
int main(void) {
    void *(*bodies[])(void *) = {set, use, idle, idle, idle, idle};
    pthread_t thread[6];
    for (int i = 0; i < 6; i++) pthread_create(&thread[i], 0, bodies[i], 0);
    for (int i = 0; i < 6; i++) pthread_join(thread[i], 0);
    return 0;
}
"#;

/// Has more orders than anybody waits for, and fails in each.
const FAILS_FOR_EVER: &str = r#"
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
    for (int i = 0; i < 9; i++) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
    return unused;
}
int main(int count, char **arguments) {
    pthread_t thread[6];
    for (int i = 0; i < 6; i++) pthread_create(&thread[i], 0, work, 0);
    for (int i = 0; i < 6; i++) pthread_join(thread[i], 0);
    assert(count == 0);
    return 0;
}
"#;

/// A place in which everything that a check starts or writes can be told from everything else.
struct Watched {
    folder: Folder,
    mark: String,
}

impl Watched {
    fn new(name: &str) -> Watched {
        let folder = Folder::new();
        std::fs::create_dir(folder.0.join("tmp")).expect("a folder can be made");
        Watched { folder, mark: format!("LEFT_BEHIND={name}-{}", std::process::id()) }
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let (name, value) = self.mark.split_once('=').expect("a mark has a value");
        Command::new(env!("CARGO_BIN_EXE_raddle"))
            .args(arguments)
            .current_dir(&self.folder.0)
            .env("TMPDIR", self.folder.0.join("tmp"))
            .env(name, value)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts")
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::new(&self.start(arguments).wait_with_output().expect("the command ends"))
    }

    fn build(&self, source: &str) {
        self.folder.file("program.c", source);
        let built = self.run(&["cc", "-pthread", "program.c", "-o", "program"]);
        assert_eq!(built.code, Some(0), "{built:#?}");
    }

    /// A pipe in the folder.
    fn pipe(&self, name: &str) -> std::path::PathBuf {
        let path = self.folder.0.join(name);
        assert!(Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()));
        path
    }

    /// Processes that carry the mark.
    fn processes(&self) -> Vec<String> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
        let marked = |path: &Path| {
            let variables = std::fs::read(path.join("environ")).unwrap_or_default();
            variables.split(|byte| *byte == 0).any(|variable| variable == self.mark.as_bytes())
        };
        let named = |path: &Path| {
            let name = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
            format!("{}: {}", path.display(), name.split(' ').take(3).collect::<Vec<_>>().join(" "))
        };
        entries.filter(|path| marked(path)).map(|path| named(&path)).collect()
    }

    fn files(&self) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(self.folder.0.join("tmp")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }

    fn nothing_is_left(&self) {
        assert_eq!(self.processes(), [""; 0]);
        assert_eq!(self.files(), Vec::<std::path::PathBuf>::new());
    }

    /// For the case that we could not tidy up ourselves: others need a moment to notice.
    fn nothing_stays(&self) {
        let late = Instant::now() + Duration::from_secs(30);
        while (!self.processes().is_empty() || !self.files().is_empty()) && Instant::now() < late {
            std::thread::yield_now();
        }
        self.nothing_is_left();
    }
}

/// Waits until three runs were listed: the finding of the first one was told before.
fn three_runs(child: &mut Child) -> BufReader<ChildStderr> {
    let mut said = BufReader::new(child.stderr.take().expect("what it says is a pipe"));
    for _ in 0..3 {
        let mut line = String::new();
        assert!(said.read_line(&mut line).is_ok_and(|length| length > 0), "it ended before three runs");
    }
    said
}

fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status();
    assert!(status.is_ok_and(|status| status.success()));
}

#[test]
fn a_hundred_thousand_runs_leave_nothing_behind() {
    let watched = Watched::new("runs");
    watched.build(LOOKS);
    let semaphore = format!("/raddle-left-{}", std::process::id());
    for (isolation, runs) in [("inline", "100000"), ("fork", "2000")] {
        let ran = watched.run(&[
            "check",
            "program",
            "--strategy",
            "optimal-dpor",
            "--isolation",
            isolation,
            "--max-runs",
            runs,
            "--format",
            "json",
            "--",
            &semaphore,
        ]);
        assert_eq!(ran.json()["verdict"], "stopped", "{ran:#?}");
        assert_eq!(ran.json()["runs"].to_string(), runs);
        assert_eq!(ran.json()["isolation"], isolation);
        watched.nothing_is_left();
    }
    assert!(!Path::new("/dev/shm").join(format!("sem.raddle-left-{}", std::process::id())).exists());
}

#[test]
fn crashes_leave_nothing_behind() {
    let watched = Watched::new("crashes");
    watched.build(CRASHES);
    for isolation in ["inline", "fork"] {
        let flags = ["--isolation", isolation, "--keep-going", "--format", "json"];
        let ran = watched.run(&[&["check", "program"], &flags[..]].concat());
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert_eq!(ran.json()["findings"][0]["kind"], "crash", "{ran:#?}");
        watched.nothing_is_left();
    }
}

#[test]
fn a_daemon_is_not_left_behind() {
    let watched = Watched::new("daemon");
    watched.build(
        "#include <unistd.h>\nint main(void) { if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); _exit(0); } \
         return 0; }\n",
    );
    let ran = watched.run(&["check", "program", "--max-run-time", "1s"]);
    assert_eq!(ran.code, Some(5), "{ran:#?}");
    watched.nothing_is_left();
}

#[test]
fn who_is_interrupted_shows_and_keeps_what_was_found() {
    for (isolation, signal) in [("inline", "INT"), ("inline", "TERM"), ("fork", "INT"), ("fork", "TERM")] {
        let watched = Watched::new("interrupted");
        watched.build(FAILS_FOR_EVER);
        let flags = ["--isolation", isolation, "--keep-going", "--list", "runs", "--format", "json"];
        let mut child = watched.start(&[&["check", "program"], &flags[..]].concat());
        let mut said = three_runs(&mut child);
        send(&child, signal);
        let mut rest = String::new();
        said.read_to_string(&mut rest).expect("what it says is text");
        let ran = Ran { err: rest, ..Ran::new(&child.wait_with_output().expect("the command ends")) };
        assert_eq!(ran.code, Some(130), "{ran:#?}");
        let json = ran.json();
        assert_eq!(json["limit"]["kind"], "interrupted", "{ran:#?}");
        assert_eq!(json["findings"][0]["kind"], "assertion", "{ran:#?}");
        assert!(json["runs"].as_u64().is_some_and(|runs| runs >= 1), "{ran:#?}");
        let kept = std::fs::read_to_string(watched.folder.0.join("raddle-out/latest/record.json"));
        assert_eq!(kept.expect("the record is kept"), ran.out);
        let id = json["findings"][0]["id"].as_str().expect("a finding has an id");
        assert!(watched.folder.0.join("raddle-out/findings").join(id).join("schedule.txt").is_file());
        watched.nothing_is_left();
    }
}

#[test]
fn who_is_killed_takes_everything_along() {
    for isolation in ["inline", "fork"] {
        let watched = Watched::new("killed");
        watched.folder.file("program.c", FAILS_FOR_EVER);
        let flags = ["--isolation", isolation, "--keep-going", "--list", "runs"];
        let mut child = watched.start(&[&["check", "program.c"], &flags[..]].concat());
        let _said = three_runs(&mut child);
        send(&child, "KILL");
        child.wait().expect("it ends");
        watched.nothing_stays();
    }
}

#[test]
fn a_compiler_that_is_stopped_in_the_middle_leaves_nothing_behind() {
    for signal in ["INT", "TERM", "KILL"] {
        let watched = Watched::new("compiling");
        // The compiler waits for the end of the header.
        watched.folder.file("program.c", "#include \"slow.h\"\nint main(void) { return 0; }\n");
        let pipe = watched.pipe("slow.h");
        let mut child = watched.start(&["check", "program.c"]);
        let mut header = std::fs::OpenOptions::new().write(true).open(&pipe).expect("the compiler opens it");
        send(&child, signal);
        if signal == "KILL" {
            child.wait().expect("it ends");
        }
        header.write_all(b"\n").expect("the compiler reads it");
        drop(header);
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), (signal != "KILL").then_some(130));
        watched.nothing_stays();
    }
}
