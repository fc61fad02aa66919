//! On a terminal: the keys of the live display, and that the terminal is what it was whatever ends the command.
//!
//! `script` makes the terminal; what is written to it is typed, what comes back is what a person would see.

mod common;

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use common::Folder;

/// Four threads that take one lock four times each: more orders than anybody waits for.
const LOCKS: &str = "#include <pthread.h>\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int sum;\n\
    static void *work(void *unused) {\n  for (int i = 0; i < 4; i++) { pthread_mutex_lock(&lock); sum++; \
    pthread_mutex_unlock(&lock); }\n  return unused;\n}\nint main(void) {\n  pthread_t t[4];\n  for (int i = 0; i < 4; i++) \
    pthread_create(&t[i], 0, work, 0);\n  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);\n  return 0;\n}\n";
/// Never comes to a step, so it never looks whether it is to stop.
const ENDLESS: &str = "int main(void) { for (;;) __asm__ volatile(\"\"); }\n";
const LOCKS_CHECK: &str = "raddle check locks.c --strategy optimal-dpor --max-time 100s";
/// Nobody waits for longer than this; a test that comes here has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// A shell on a terminal of its own, in which the command runs.
struct Terminal {
    folder: Folder,
    shell: Child,
    keyboard: ChildStdin,
    screen: Receiver<String>,
    /// Everything that was shown.
    seen: String,
    /// Where the text ends that was waited for.
    read: usize,
}

impl Terminal {
    /// Runs the command; what the terminal was like before and afterwards is kept in files.
    fn run(command: &str, variables: &[(&str, &str)]) -> Terminal {
        let folder = Folder::new();
        folder.file("locks.c", LOCKS);
        folder.file("endless.c", ENDLESS);
        // The shell outlives Ctrl-C, to look at the terminal afterwards.
        let session = format!("trap : INT; stty -a > before; {command}; echo \"code $?\"; stty -a > after");
        let bin = std::path::Path::new(env!("CARGO_BIN_EXE_raddle")).parent().expect("it lies in a folder");
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("script")
            .args(["-qefc", &session, "/dev/null"])
            .current_dir(&folder.0)
            .env("PATH", path)
            .env("TERM", "xterm")
            .env("SHELL", "/bin/bash")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("GITHUB_ACTIONS")
            .env_remove("COLUMNS")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script is there");
        let keyboard = shell.stdin.take().expect("it was asked for");
        let mut output = shell.stdout.take().expect("it was asked for");
        let (send, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                if send.send(String::from_utf8_lossy(&bytes[..length]).into_owned()).is_err() {
                    break;
                }
            }
        });
        Terminal { folder, shell, keyboard, screen, seen: String::new(), read: 0 }
    }

    fn types(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).and_then(|()| self.keyboard.flush()).expect("somebody reads");
    }

    /// Waits until the text is shown, after what was waited for before.
    fn shows(&mut self, text: &str) {
        loop {
            if let Some(at) = self.seen[self.read..].find(text) {
                self.read += at + text.len();
                return;
            }
            let more = self.screen.recv_timeout(PATIENCE);
            self.seen += &more.unwrap_or_else(|_| panic!("`{text}` was not shown: {}", self.seen));
        }
    }

    /// Waits for the end of the command; its exit code has to be this, and the terminal what it was.
    fn ends(mut self, code: u8) {
        self.shows(&format!("code {code}\r\n"));
        self.shell.wait().expect("the shell ends");
        let [before, after] = ["before", "after"]
            .map(|name| std::fs::read_to_string(self.folder.0.join(name)).expect("stty wrote it"));
        assert!(before.contains(" icanon ") && before.contains(" echo "), "{before}");
        assert_eq!(after, before);
    }
}

#[test]
fn keys_ask_how_far_it_is_let_it_wait_and_stop_it() {
    let mut terminal = Terminal::run(LOCKS_CHECK, &[]);
    terminal.shows("[s] status  [p] pause  [q] stop and save");
    terminal.types(b"s");
    terminal.shows("runs cut short\r\n");
    terminal.types(b"p");
    terminal.shows("  Paused     ");
    terminal.shows("[s] status  [p] go on  [q] stop and save");
    // While it waits no run is made: looks see the same again and again. What was under way comes to its end first.
    let mut counts: Vec<String> = Vec::new();
    let same =
        |counts: &[String]| counts.iter().rev().take_while(|count| Some(*count) == counts.last()).count();
    while same(&counts) < 5 {
        assert!(counts.len() < 100, "it goes on: {counts:?}");
        terminal.types(b"s");
        terminal.shows(" s] ");
        let from = terminal.read;
        terminal.shows(" runs ");
        counts.push(terminal.seen[from..terminal.read].trim().to_owned());
        terminal.shows("  Paused     ");
    }
    terminal.types(b"p");
    terminal.shows("  Exploring  ");
    terminal.types(b"xq");
    terminal.shows("no problem found so far; interrupted after ");
    terminal.shows("continue  raddle check --resume latest");
    terminal.ends(130);
}

#[test]
fn the_time_that_a_search_waits_is_not_spent() {
    let mut terminal = Terminal::run("raddle check locks.c --strategy optimal-dpor --max-time 4s", &[]);
    terminal.shows("[q] stop and save");
    terminal.types(b"p");
    terminal.shows("  Paused     ");
    while !terminal.seen.contains("[   5 s] ") {
        terminal.types(b"s");
        terminal.shows(" s] ");
        terminal.shows("  Paused     ");
    }
    terminal.types(b"p");
    terminal.shows("  Exploring  ");
    terminal.shows("stopped by --max-time 4s");
    terminal.ends(4);
}

#[test]
fn ctrl_c_stops_and_saves_and_a_second_one_ends_it_at_once() {
    let mut terminal = Terminal::run(LOCKS_CHECK, &[]);
    terminal.shows("[q] stop and save");
    terminal.types(b"\x03");
    terminal.shows("continue  raddle check --resume latest");
    terminal.ends(130);
    let mut terminal = Terminal::run("raddle check endless.c", &[]);
    terminal.shows("[q] stop and save");
    terminal.types(b"\x03");
    terminal.shows("  Stopping   ");
    terminal.shows("Ctrl-C again ends it at once");
    terminal.types(b"\x03");
    terminal.ends(130);
}

#[test]
fn what_ends_us_from_outside_gives_the_terminal_back() {
    for (signal, code) in [("HUP", 129), ("QUIT", 131), ("TERM", 130)] {
        // Who runs the tests in the background may have signals ignored, and what is ignored stays so for all below.
        let command = format!("sh -c 'echo $$ > pid; exec env --default-signal=HUP,QUIT,TERM {LOCKS_CHECK}'");
        let mut terminal = Terminal::run(&command, &[]);
        terminal.shows("[q] stop and save");
        let pid = std::fs::read_to_string(terminal.folder.0.join("pid")).expect("it was written");
        let sent = Command::new("kill").args([&format!("-{signal}"), pid.trim()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        terminal.ends(code);
    }
}

#[test]
fn a_panic_of_ours_gives_the_terminal_back() {
    let mut terminal = Terminal::run(LOCKS_CHECK, &[("RADDLE_PANIC", "progress")]);
    terminal.shows("raddle: a bug in raddle, not in your program");
    terminal.ends(70);
}

#[test]
fn who_is_stopped_gives_the_terminal_back_and_takes_it_again() {
    // Only a shell that looks after its jobs lets them be stopped.
    let mut terminal = Terminal::run(&format!("set -m; {LOCKS_CHECK}; stty -a > stopped; fg"), &[]);
    terminal.shows("[q] stop and save");
    terminal.types(b"\x1a");
    terminal.shows("Stopped");
    // The display is drawn again, and whoever reads a key has the keyboard again.
    terminal.shows("[q] stop and save");
    terminal.types(b"q");
    terminal.shows("continue  raddle check --resume latest");
    let [before, stopped] = ["before", "stopped"]
        .map(|name| std::fs::read_to_string(terminal.folder.0.join(name)).expect("stty wrote it"));
    assert_eq!(stopped, before);
    terminal.ends(130);
}

#[test]
fn a_check_that_is_over_at_once_and_one_without_a_keyboard_say_nothing_of_keys() {
    let mut terminal = Terminal::run("raddle check endless.c --max-run-time 2s < /dev/null", &[]);
    terminal.shows("Ctrl-C stops and says what was covered");
    terminal.shows("went on for too long without a visible step");
    assert!(!terminal.seen.contains("[q]"), "{}", terminal.seen);
    terminal.ends(1);
}

#[test]
fn what_the_compiler_says_is_not_drawn_over() {
    let source = "printf 'int main(void) { return undeclared; }' > broken.c";
    let mut terminal = Terminal::run(&format!("{source}; raddle check broken.c"), &[("NO_COLOR", "1")]);
    terminal.shows("  Compiling  broken.c");
    // The line that was drawn goes away first, and then everything stays.
    terminal.shows("\x1b[1A\x1b[J");
    terminal.shows("use of undeclared identifier");
    terminal.shows("1 error generated.\r\nraddle: broken.c did not compile, see above");
    terminal.ends(3);
}
