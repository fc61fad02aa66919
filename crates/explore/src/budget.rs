//! How much a search may spend.

use std::time::Duration;

/// What a search may spend. Nothing is limited unless it is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Complete runs.
    pub max_runs: Option<u64>,
    /// Time.
    pub max_time: Option<Duration>,
}

/// The limit that ended a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// [`Budget::max_runs`] was reached.
    Runs(u64),
    /// [`Budget::max_time`] was reached.
    Time(Duration),
    /// At least one run was longer than allowed, so what comes after is not known.
    Steps(usize),
    /// At least one run had more threads than can be told apart.
    Threads(usize),
}

impl Budget {
    /// The limit that these numbers reach, if any.
    #[must_use]
    pub fn reached(&self, runs: u64, elapsed: Duration) -> Option<Limit> {
        match (self.max_runs, self.max_time) {
            (Some(max), _) if runs >= max => Some(Limit::Runs(max)),
            (_, Some(max)) if elapsed >= max => Some(Limit::Time(max)),
            _ => None,
        }
    }
}
