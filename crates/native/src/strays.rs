//! Processes that a program left behind by leaving its group, as one that turns itself into a daemon does.
//!
//! Whoever asks for it inherits what its descendants leave behind, and can end it.

use std::collections::BTreeSet;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who was started by us and is waited for elsewhere; `None` as long as nobody asked for strays to be ended.
static OURS: Mutex<Option<BTreeSet<u32>>> = Mutex::new(None);

/// Rounds of ending what is there: each may bring up what the last one left behind.
const ROUNDS: usize = 1000;

fn ours() -> MutexGuard<'static, Option<BTreeSet<u32>>> {
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, processes that lose their parent become ours, and are ended after each program. Only for a command that
/// starts nothing else: every child that was not started by [`started`] is taken for a stray.
pub fn adopt() {
    // SAFETY: changes a flag of this process.
    if unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } == 0 {
        ours().get_or_insert_default();
    }
}

/// Starts a child for which whoever starts it waits.
///
/// # Errors
/// If it could not be started.
pub fn started(start: impl FnOnce() -> std::io::Result<Child>) -> std::io::Result<Child> {
    // In the meantime nobody looks for strays.
    let mut ours = ours();
    let child = start()?;
    if let Some(ours) = ours.as_mut() {
        ours.insert(child.id());
    }
    Ok(child)
}

/// This child has been waited for.
pub fn is_gone(child: u32) {
    if let Some(ours) = ours().as_mut() {
        ours.remove(&child);
    }
}

/// Ends all strays.
pub(crate) fn end() {
    let ours = ours();
    let Some(known) = ours.as_ref() else { return };
    for _ in 0..ROUNDS {
        let strays: Vec<i32> = children()
            .into_iter()
            .filter(|child| !known.contains(child))
            .filter_map(|child| i32::try_from(child).ok())
            .collect();
        if strays.is_empty() {
            return;
        }
        for stray in strays {
            // SAFETY: a child of ours that has not been waited for, so the number is its own.
            unsafe {
                libc::kill(stray, libc::SIGKILL);
                libc::waitpid(stray, std::ptr::null_mut(), 0);
            }
        }
    }
}

/// All children of this process.
fn children() -> Vec<u32> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<u32>>())
        .collect()
}
