//! How much of a search is done.
//!
//! Every run follows one way through the tree of decisions. Give each of the branches known at a decision the same
//! share of what its decision has; then the shares of all branches that are finished add up to the part that is done
//! (Knuth's estimator, taken along the current depth-first way). For a search that still discovers branches this is
//! a guess from above, and it gets better from run to run.

/// A guess at how far a search has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The part that is done, from 0 to 1.
    pub done: f64,
    /// The number of runs at the end.
    pub total_runs: f64,
    /// How far the number of runs may be off, as a factor of it.
    pub uncertainty: f64,
}

impl Estimate {
    /// From the branches along the current way: for each decision, how many are finished and how many are known.
    pub(crate) fn along(way: impl Iterator<Item = (usize, usize)>, runs: u64) -> Option<Estimate> {
        let (mut done, mut share) = (0.0, 1.0);
        for (finished, known) in way {
            debug_assert!(finished < known.max(1) + 1);
            share /= known.max(1) as f64;
            done += share * finished as f64;
        }
        (runs > 0 && done > 0.0).then(|| Estimate {
            done,
            total_runs: runs as f64 / done,
            // The share of the first, unexplored branches is what the guess rests on.
            uncertainty: (1.0 - done).max(0.02),
        })
    }
}
