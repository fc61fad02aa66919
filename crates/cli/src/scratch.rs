//! A folder for files that nobody needs afterwards. It goes away with us, whatever we die of.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::failure::Failure;

/// Waits until we are done or gone, then removes the folder. A compiler that is still at work may put something into it
/// while it is being removed.
const KEEPER: &str =
    "read -r _; for round in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- \"$0\" && exit; sleep 1; done";

/// The folder.
pub(crate) struct Scratch {
    path: PathBuf,
    /// Removes the folder when its standard input is closed.
    keeper: Option<Child>,
}

impl Scratch {
    /// A new folder that only we use.
    pub(crate) fn new() -> Result<Scratch, Failure> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("raddle-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch { keeper: keeper(&path), path }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Failure::not_started(format!("could not make {}: {error}", path.display())));
                }
            }
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Starts who removes the folder; without a shell we do it ourselves if we can.
fn keeper(path: &Path) -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", KEEPER])
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C is meant for us.
        .process_group(0);
    raddle_native::strays::started(|| command.spawn()).ok()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
        if let Some(mut keeper) = self.keeper.take() {
            drop(keeper.stdin.take());
            let _ = keeper.wait();
            raddle_native::strays::is_gone(keeper.id());
        }
    }
}
