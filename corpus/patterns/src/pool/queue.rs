//! The work queue: a lock, a condition, and whether anything more will come.

use std::collections::VecDeque;

use raddle::sync::{Condvar, Mutex};

use super::lanes::Move;

/// A task that can be done now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) task: usize,
    pub(super) does: Move,
}

#[derive(Debug, Default)]
struct Inside {
    jobs: VecDeque<Job>,
    closed: bool,
}

/// Jobs in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Queue {
    inside: Mutex<Inside>,
    changed: Condvar,
}

impl Queue {
    pub(super) fn new() -> Queue {
        Queue::default()
    }

    /// Adds a job and wakes somebody who waits for one.
    pub(super) fn put(&self, job: Job) {
        let mut inside = self.inside.lock().unwrap();
        assert!(!inside.closed, "a job came after the end");
        inside.jobs.push_back(job);
        drop(inside);
        self.changed.notify_one();
    }

    /// Takes a job, or waits for one; none if the queue is closed and empty.
    pub(super) fn take(&self) -> Option<Job> {
        let mut inside = self.inside.lock().unwrap();
        loop {
            if let Some(job) = inside.jobs.pop_front() {
                return Some(job);
            }
            if inside.closed {
                return None;
            }
            inside = self.changed.wait(inside).unwrap();
        }
    }

    /// Nothing more will come.
    pub(super) fn close(&self) {
        self.inside.lock().unwrap().closed = true;
        self.changed.notify_all();
    }
}
