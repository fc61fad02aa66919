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
    /// Whoever started it said stop, after so many runs.
    Interrupted(u64),
    /// At least one run was longer than allowed, so what comes after is not known.
    Steps(usize),
    /// At least one loop went on changing on its own, and was made to wait for the others: what it does in later rounds is not
    /// known in all ways.
    Rounds,
    /// At least one run had more threads than can be told apart.
    Threads(usize),
    /// A run was given up because it made no step for so long, as if it never would; when it was made again, it did.
    RunTime(Duration),
}

impl Budget {
    /// Which part of the budget these numbers are, from 0 to 1; `None` if nothing is limited.
    #[must_use]
    pub fn spent(&self, runs: u64, elapsed: Duration) -> Option<f64> {
        let of_runs = self.max_runs.map(|max| runs as f64 / max.max(1) as f64);
        let of_time =
            self.max_time.map(|max| elapsed.as_secs_f64() / max.as_secs_f64().max(f64::MIN_POSITIVE));
        of_runs.into_iter().chain(of_time).reduce(f64::max)
    }

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
