//! Holding a program within limits: what is set before it starts, and what is watched while it runs.

use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::Limits;

/// Descriptors that the runtime needs beside the program's own.
const OURS: u64 = 8;

/// Prepares a command: a process group of its own, no address randomisation, limits, and the channel and what is shared left open.
pub(crate) fn confine(command: &mut Command, limits: &Limits, channel: RawFd, shared: Option<RawFd>) {
    let Limits { processes, file_size, descriptors, .. } = *limits;
    let prepare = move || {
        // SAFETY: only system calls that are allowed between fork and exec; no memory is allocated.
        unsafe {
            check(libc::setpgid(0, 0))?;
            // The program dies with us, whatever we die of.
            check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
            // Where this is forbidden, addresses differ from process to process, and only programs that look at them mind.
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            limit(libc::RLIMIT_CORE, 0)?;
            limit(libc::RLIMIT_FSIZE, file_size)?;
            limit(libc::RLIMIT_NOFILE, descriptors.saturating_add(OURS))?;
            limit_processes(processes)?;
            check(libc::fcntl(channel, libc::F_SETFD, 0))?;
            if let Some(shared) = shared {
                check(libc::fcntl(shared, libc::F_SETFD, 0))?;
            }
        }
        Ok(())
    };
    // SAFETY: see above: the closure is fit to run between fork and exec.
    unsafe { command.pre_exec(prepare) };
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Lowers a limit; one that is lower already stays.
fn limit(what: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` is a valid place for the answer, and a valid limit.
    unsafe {
        check(libc::getrlimit(what, &raw mut now))?;
        let most = most.min(now.rlim_max);
        check(libc::setrlimit(what, &libc::rlimit { rlim_cur: most, rlim_max: most }))
    }
}

/// The system counts all processes of the user, so the limit is only a far fence; [`Usage`] watches the near one.
fn limit_processes(most: u64) -> io::Result<()> {
    limit(libc::RLIMIT_NPROC, most.saturating_add(1 << 14))
}

/// What a process group uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Usage {
    /// Bytes in memory.
    pub(crate) memory: u64,
    /// Processes.
    pub(crate) processes: u64,
}

impl Usage {
    /// What the group uses now, as far as the system tells.
    pub(crate) fn of_group(group: i32) -> Usage {
        let mut usage = Usage::default();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let is_process = entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
            if !is_process {
                continue;
            }
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            if let Some(pages) = resident_pages(&stat, group) {
                usage.memory += pages * PAGE;
                usage.processes += 1;
            }
        }
        usage
    }
}

const PAGE: u64 = 4096;

/// The pages that a process has in memory, if it belongs to the group; from the text of `/proc/PID/stat`.
fn resident_pages(stat: &str, group: i32) -> Option<u64> {
    // The name of the process stands in parentheses and may contain anything.
    let after_name = &stat[stat.rfind(')')? + 1..];
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let (is_dead, own) = (fields.first()? == &"Z", fields.get(2)?.parse::<i32>().ok()?);
    if is_dead || own != group {
        return None;
    }
    fields.get(21)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_a_process_is_read_whatever_its_name_is() {
        let rest = "5 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 100 5000000 321 0";
        assert_eq!(resident_pages(&format!("9 (a) 1 (b) S {rest}"), 7), Some(321));
        assert_eq!(resident_pages(&format!("9 (a) S {rest}"), 8), None);
        assert_eq!(resident_pages(&format!("9 (a) Z {rest}"), 7), None);
        assert_eq!(resident_pages("", 7), None);
    }
}
