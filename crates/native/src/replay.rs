//! Making a recorded run happen again: in a fresh process, or under a debugger.

use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};

use raddle_channel::{Isolation, Told, frame};
use raddle_detect::Finding;
use raddle_trace::{Ending, Schedule};

use crate::check::{again, again_task, name_objects};
use crate::{CheckError, Plan};

/// A recorded run that was made again.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The run.
    pub told: Told,
    /// What was found in it.
    pub finding: Option<Finding>,
    /// Where it left the schedule, if it did.
    pub divergence: Option<Divergence>,
}

/// Where a run left its schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// At which step of the schedule, counted from one.
    pub step: usize,
    /// What was recorded there.
    pub recorded: String,
    /// What was done now.
    pub observed: String,
}

/// Makes a recorded run again in a fresh process.
///
/// # Errors
/// If the program cannot be started or does not answer.
pub fn replay(
    plan: &Plan,
    schedule: &Schedule,
    interrupted: &dyn Fn() -> bool,
) -> Result<Replayed, CheckError> {
    // One run needs nothing put back, and a process of its own survives whatever the run dies of.
    let made = again(plan, Isolation::Fork, &schedule.steps, &schedule.threads, None, interrupted);
    let (made, modules) = made?;
    let mut told = made.told;
    name_objects(&mut told, &modules);
    let divergence = compare(schedule, &told);
    Ok(Replayed { told, finding: made.finding, divergence })
}

/// Sees whether the run did what the schedule says.
fn compare(schedule: &Schedule, told: &Told) -> Option<Divergence> {
    let pairs = schedule.notes.iter().zip(&told.notes);
    let same = pairs.take_while(|(recorded, now)| recorded == now).count();
    if same == schedule.notes.len() && told.run.ending != Ending::Diverged {
        return None;
    }
    let recorded = schedule.notes.get(same).map_or("its end", String::as_str).to_owned();
    let observed = told.notes.get(same).map_or("something that the schedule does not allow", String::as_str);
    Some(Divergence { step: same + 1, recorded, observed: observed.to_owned() })
}

/// Makes a recorded run again under a debugger, which stops before the event with this number.
///
/// # Errors
/// If the debugger cannot be started.
pub fn debug(plan: &Plan, schedule: &Schedule, stop_before: Option<u64>) -> io::Result<ExitStatus> {
    let (mut ours, theirs) = UnixStream::pair()?;
    let channel = theirs.as_raw_fd();
    // The debugger watches one process, so the run has to be made in it.
    let task = again_task(plan, Isolation::Inline, &schedule.steps, &schedule.threads, stop_before);
    frame::write(&mut ours, &task).map_err(io::Error::other)?;
    let mut command = Command::new("gdb");
    command
        .args(["-q", "-ex", "handle SIGUSR1 SIGALRM nostop noprint pass", "-ex", "run", "--args"])
        .arg(std::path::absolute(&plan.program.path)?)
        .args(&plan.program.arguments)
        .env("RADDLE_CHANNEL", channel.to_string());
    if let Some(folder) = &plan.program.libraries {
        command.env("LD_LIBRARY_PATH", folder);
    }
    let keep_open = move || {
        // SAFETY: a system call that is allowed between fork and exec.
        match unsafe { libc::fcntl(channel, libc::F_SETFD, 0) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    };
    // SAFETY: see above: the closure is fit to run between fork and exec.
    unsafe { command.pre_exec(keep_open) };
    let mut child = command.spawn()?;
    drop((command, theirs));
    // What the program tells is not needed, but it must not wait for somebody to listen.
    let listener = std::thread::spawn(move || {
        let mut ignored = [0; 4096];
        while ours.read(&mut ignored).is_ok_and(|count| count > 0) {}
    });
    let status = child.wait();
    let _ = listener.join();
    status
}
