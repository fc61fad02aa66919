//! What the program writes: read all the time, so that it never waits for us, and kept up to a limit.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// What a program wrote.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgramOutput {
    /// The beginning.
    pub kept: Vec<u8>,
    /// How many bytes more there were.
    pub dropped: u64,
}

/// Reads the output of a program.
pub(crate) struct Capture {
    reader: Option<JoinHandle<ProgramOutput>>,
    done: Arc<AtomicBool>,
}

/// The two ends of a pipe: to read, to write.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = io::pipe()?;
    Ok((read.into(), write.into()))
}

impl Capture {
    /// Starts to read.
    pub(crate) fn new(from: OwnedFd, most: u64) -> Capture {
        let done = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&done);
        let reader = std::thread::spawn(move || drain(File::from(from), most, &seen));
        Capture { reader: Some(reader), done }
    }

    /// Ends when nothing more is to be read; who still holds the other end is not waited for.
    pub(crate) fn end(mut self) -> ProgramOutput {
        self.done.store(true, Ordering::Release);
        self.reader.take().and_then(|reader| reader.join().ok()).unwrap_or_default()
    }
}

fn drain(mut from: File, most: u64, done: &AtomicBool) -> ProgramOutput {
    let mut output = ProgramOutput::default();
    let mut buffer = vec![0_u8; 64 << 10];
    loop {
        // Read before waiting, so that nothing written before the end is missed.
        let was_done = done.load(Ordering::Acquire);
        if !is_readable(&from) {
            if was_done {
                return output;
            }
            continue;
        }
        match from.read(&mut buffer) {
            Ok(0) => return output,
            Ok(count) => {
                let room = usize::try_from(most).unwrap_or(usize::MAX).saturating_sub(output.kept.len());
                output.kept.extend_from_slice(&buffer[..count.min(room)]);
                output.dropped += count.saturating_sub(room) as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return output,
        }
    }
}

/// Waits a moment for something to read.
fn is_readable(from: &File) -> bool {
    const MOMENT: libc::c_int = 20;
    let mut poll = libc::pollfd { fd: from.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid entry.
    unsafe { libc::poll(&raw mut poll, 1, MOMENT) > 0 }
}
