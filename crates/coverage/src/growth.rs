//! How coverage grew.

/// The number of pairs after each run that added some, and before the first if some were known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Growth {
    runs: u64,
    points: Vec<(u64, u64)>,
}

impl Growth {
    /// From what [`Growth::runs`] and [`Growth::points`] say.
    #[must_use]
    pub fn from_parts(runs: u64, points: Vec<(u64, u64)>) -> Growth {
        Growth { runs, points }
    }

    /// Nothing was run yet, and this many pairs are known from earlier searches.
    #[must_use]
    pub fn starting_with(pairs: u64) -> Growth {
        Growth { runs: 0, points: (pairs > 0).then_some((0, pairs)).into_iter().collect() }
    }

    /// Another run was made, and there are now this many pairs.
    pub fn add(&mut self, pairs: u64) {
        self.runs += 1;
        if self.points.last().is_none_or(|(_, last)| *last != pairs) {
            self.points.push((self.runs, pairs));
        }
    }

    /// The runs that were made.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Pairs after so many runs, in order; only where the number changed.
    #[must_use]
    pub fn points(&self) -> &[(u64, u64)] {
        &self.points
    }

    /// How many pairs the last hundred runs added.
    #[must_use]
    pub fn last_hundred(&self) -> u64 {
        let start = self.runs.saturating_sub(100);
        let now = self.points.last().map_or(0, |(_, pairs)| *pairs);
        let before = self.points.iter().rev().find(|(run, _)| *run <= start).map_or(0, |(_, pairs)| *pairs);
        now.saturating_sub(before)
    }
}

#[cfg(test)]
mod tests {
    use super::Growth;

    #[test]
    fn the_last_hundred_runs_are_counted_from_the_end() {
        let mut growth = Growth::default();
        for run in 1..=250u64 {
            growth.add(if run < 200 { 5 } else { 7 });
        }
        assert_eq!(growth.runs(), 250);
        assert_eq!(growth.points(), [(1, 5), (200, 7)]);
        assert_eq!(growth.last_hundred(), 2);
    }

    #[test]
    fn what_was_known_before_is_not_new() {
        let mut growth = Growth::starting_with(5);
        growth.add(5);
        assert_eq!((growth.points(), growth.last_hundred()), (&[(0, 5)][..], 0));
        growth.add(6);
        assert_eq!((growth.points(), growth.last_hundred()), (&[(0, 5), (2, 6)][..], 1));
    }
}
