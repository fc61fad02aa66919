//! The folder of one finding.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Alone;

/// Where the folder of a finding is.
#[must_use]
pub fn folder_of(out: &Path, id: &str) -> PathBuf {
    out.join("findings").join(id)
}

/// Puts a finding in its place: `write` makes its folder aside, and it is moved there as a whole, because others may find the
/// same at the same time, and nobody replays half of it. A finding that is found again replaces what was kept of it.
///
/// # Errors
/// If `write` fails, or the folder cannot be moved.
pub fn put_finding(
    out: &Path,
    id: &str,
    write: impl FnOnce(&Path) -> std::io::Result<()>,
) -> std::io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let half = out.join("findings").join(format!(".{id}-{}-{number}", std::process::id()));
    let moved = write(&half).and_then(|()| {
        let _alone = Alone::in_folder(out)?;
        let folder = folder_of(out, id);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => std::fs::rename(&half, &folder),
        }
    });
    if moved.is_err() {
        // What went wrong first is what matters.
        let _ = std::fs::remove_dir_all(&half);
    }
    moved
}
