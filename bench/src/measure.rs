//! What the operating system knows about a process: CPU time and memory.

use std::time::Duration;

/// CPU time that all threads of this process have used so far.
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0, "the clock of CPU time exists on every Linux");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The most memory this process has had resident at once, in KiB; 0 if the system does not tell.
pub fn peak_kib() -> u64 {
    status_kib("self", "VmHWM")
}

/// The memory that the process with this id has resident now, in KiB; 0 if it is gone.
pub fn resident_kib(process: u32) -> u64 {
    status_kib(&process.to_string(), "VmRSS")
}

fn status_kib(process: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
