//! Locks on files. The system takes them back when the file is closed, so also from who was killed.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Waits until nobody else has the file locked, and locks it.
///
/// # Errors
/// If the file system knows no locks.
pub fn alone(file: &File) -> io::Result<()> {
    locked(file, libc::LOCK_EX)
}

/// Locks the file together with others who do the same; it does not wait.
///
/// # Errors
/// If somebody has it alone, or the file system knows no locks.
pub fn shared(file: &File) -> io::Result<()> {
    locked(file, libc::LOCK_SH | libc::LOCK_NB)
}

/// Locks the file if nobody else has; whether that was so.
#[must_use]
pub fn is_free(file: &File) -> bool {
    locked(file, libc::LOCK_EX | libc::LOCK_NB).is_ok()
}

fn locked(file: &File, how: libc::c_int) -> io::Result<()> {
    loop {
        // SAFETY: a descriptor that is open as long as the file is.
        if unsafe { libc::flock(file.as_raw_fd(), how) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
