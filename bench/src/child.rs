//! The parent's side of a cell: starts this same executable again, watches it and reads its answer.
//!
//! A process per cell, so that a panic, an abort or an explosion of one tester hurts no other, and so that the
//! peak of memory is that tester's own. The parent watches rather than a thread in the child: a second thread
//! would make the child's allocator take locks, at the cost of the testers that allocate most.

use crate::answer::Answer;
use crate::cell::{Caps, Tester};
use crate::measure;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How much longer than its cap a cell may take: testers look at the clock only between runs.
const GRACE: Duration = Duration::from_secs(20);

/// A cell with more memory than this is ended; the machine has other users.
const MOST_MEMORY_KIB: u64 = 2 * 1024 * 1024;

/// How often the parent looks.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a cell in a process of its own.
pub fn run(tester: Tester, model: &str, caps: Caps) -> Answer {
    match start(tester, model, caps) {
        Ok(mut child) => watch(&mut child, caps.time + GRACE),
        Err(error) => Answer::failed(format!("could not start the cell: {error}")),
    }
}

fn start(tester: Tester, model: &str, caps: Caps) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--cell", tester.name(), model]);
    command.args(["--seconds", &caps.time.as_secs_f64().to_string()]);
    command.args(["--max-runs", &caps.runs.to_string()]);
    // The testers' own environment settings would make one measurement differ from the next.
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if ["LOOM_", "SHUTTLE_", "RADDLE_"].iter().any(|prefix| name_text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

fn watch(child: &mut Child, time: Duration) -> Answer {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                return read(child).unwrap_or_else(|| Answer::failed(format!("died: {status}")));
            }
            Ok(None) if start.elapsed() > time => {
                return end(child, format!("stuck in a run for over {} s", GRACE.as_secs()));
            }
            Ok(None) if measure::resident_kib(child.id()) > MOST_MEMORY_KIB => {
                return end(child, format!("over {} MiB of memory", MOST_MEMORY_KIB / 1024));
            }
            Ok(None) => std::thread::sleep(LOOK),
            Err(error) => return end(child, format!("could not wait for the cell: {error}")),
        }
    }
}

/// The answer is the last line, in case a tester prints something itself.
fn read(child: &mut Child) -> Option<Answer> {
    let mut output = String::new();
    child.stdout.take()?.read_to_string(&mut output).ok()?;
    Answer::from_json(output.lines().last()?)
}

fn end(child: &mut Child, reason: String) -> Answer {
    // Both fail only if the process has just ended by itself, which is what is wanted.
    let _ = child.kill();
    let _ = child.wait();
    Answer::failed(reason)
}
