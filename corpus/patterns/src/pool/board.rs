//! The board: which tasks are done, and what each still waits for.

use raddle::sync::{Condvar, Mutex};

/// What is known of a task.
#[derive(Clone, Debug)]
struct Entry {
    /// The tasks that it still waits for.
    waits_for: Vec<usize>,
    done: bool,
}

/// All tasks.
#[derive(Debug)]
pub(super) struct Board {
    entries: Mutex<Vec<Entry>>,
    finished: Condvar,
}

impl Board {
    /// A board of tasks with what each needs.
    pub(super) fn new(needs: Vec<Vec<usize>>) -> Board {
        let entries = needs.into_iter().map(|waits_for| Entry { waits_for, done: false }).collect();
        Board { entries: Mutex::new(entries), finished: Condvar::new() }
    }

    /// The tasks that can be done at once.
    pub(super) fn without_dependencies(&self) -> Vec<usize> {
        let entries = self.entries.lock().unwrap();
        let free = entries.iter().enumerate().filter(|(_, entry)| entry.waits_for.is_empty());
        free.map(|(task, _)| task).collect()
    }

    /// Notes that a task is done; returns those that waited for it alone.
    pub(super) fn finish(&self, task: usize) -> Vec<usize> {
        let mut entries = self.entries.lock().unwrap();
        assert!(!entries[task].done, "a task was done twice");
        entries[task].done = true;
        let mut freed = Vec::new();
        for (other, entry) in entries.iter_mut().enumerate() {
            let before = entry.waits_for.len();
            entry.waits_for.retain(|needed| *needed != task);
            if before > 0 && entry.waits_for.is_empty() {
                freed.push(other);
            }
        }
        let all = entries.iter().all(|entry| entry.done);
        drop(entries);
        if all {
            self.finished.notify_all();
        }
        freed
    }

    /// Waits until every task is done.
    pub(super) fn wait_for_all(&self) {
        let mut entries = self.entries.lock().unwrap();
        while entries.iter().any(|entry| !entry.done) {
            entries = self.finished.wait(entries).unwrap();
        }
    }
}
