//! What every strategy has in common, and their names.

use std::sync::Arc;

use raddle_coverage::{Aim, Growth, HapSets};
use raddle_trace::{Run, ThreadSet};

use crate::model::{Beyond, ModelNet};
use crate::strategies::{
    Auto, Dpor, Every, HapSet, OptimalDpor, Pct, Pos, PreemptionBound, Random, StatefulNaive, Surw, Unfolding,
};
use crate::{Again, Chooser, Doubt, Estimate, Explored, Fate, ModelSize, Passed, Recorded, Share};

/// How far a search reaches when it comes to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guarantee {
    /// Every trace was run at least once.
    All,
    /// Every trace that has a schedule with at most this many pre-emptions was run.
    Within(u32),
    /// Some runs were made.
    Sample,
}

/// What is left to be tried along the way of the last run: at which events, and which threads.
pub type Waiting = Vec<(usize, ThreadSet)>;

/// Decides what to try, run after run.
pub trait Strategy: Chooser {
    /// Prepares the next run; false if there is nothing left to try.
    fn begin(&mut self) -> bool;

    /// Does a part of the work between two runs; true if there is more of it. What is left is done by
    /// [`Strategy::begin`]. So a search that takes long between two runs can be stopped.
    fn think(&mut self) -> bool {
        false
    }

    /// Learns from the run that was just made. Who only draws has nothing to learn.
    fn learn(&mut self, _run: &Run) {}

    /// Told before [`Strategy::learn`] if something was found in the run.
    fn found(&mut self) {}

    /// Told before [`Strategy::begin`] which part of the budget is spent, from 0 to 1, if there is a budget.
    fn spent(&mut self, _part: f64) {}

    /// Whether the run that was just made, and came to an end, counts here; with several workers another may have it.
    fn keeps(&mut self) -> bool {
        true
    }

    /// How many of the first events of the run that was just begun have to be those of the run before.
    fn replayed(&self) -> usize {
        0
    }

    /// What may be claimed when [`Strategy::begin`] returned false. Unless a strategy knows better, the least.
    fn guarantee(&self) -> Guarantee {
        Guarantee::Sample
    }

    /// How far the search has come, if that can be told.
    fn estimate(&self, _runs: u64) -> Option<Estimate> {
        None
    }

    /// Why the runs so far are a reason not to trust the search, if they are.
    fn doubt(&self) -> Option<Doubt> {
        None
    }

    /// The size of the model that the strategy has built, if it builds one.
    fn model(&self) -> Option<ModelSize> {
        None
    }

    /// The model that the strategy has built, and its unfolding, with so many nodes each at most, if it builds one.
    fn net(&mut self, _most: usize) -> Option<ModelNet> {
        None
    }

    /// Why a strategy that builds models has built none, if that is so.
    fn beyond(&self) -> Option<Beyond> {
        None
    }

    /// Of the runs that count, those that were made beside the complete search: their number and their events. They are
    /// no part of what it claims.
    fn beside(&self) -> (u64, u64) {
        (0, 0)
    }

    /// The orders of statements that its runs showed, and how their number grew, if the strategy learns them.
    fn coverage(&self) -> Option<(&HapSets, &Growth)> {
        None
    }

    /// Why somebody who could have gone at the decision that was just made is never tried there, if it comes to that.
    /// Asked only if the search is watched.
    fn passes_over(&self, _passed: Passed) -> Fate {
        Fate::Equivalent
    }

    /// What is left to be tried along the way of the last run.
    fn waiting(&self) -> Waiting {
        Waiting::new()
    }

    /// Everything that the strategy needs to go on in another process after the last run, if it can tell.
    fn save(&self) -> Option<Vec<u64>> {
        None
    }

    /// Goes on where [`Strategy::save`] was called, after the last run, which is made again first; false if these are not
    /// the numbers of such a strategy.
    fn restore(&mut self, _saved: &[u64], _again: &mut Again<'_>) -> bool {
        false
    }

    /// What was tried, if that was watched.
    fn explored(&self) -> Option<Explored> {
        None
    }
}

/// What `hapset` and `auto` are guided by.
#[derive(Clone, Debug)]
pub struct Guidance {
    /// What earlier searches learned; left out if it tells statements apart in another way.
    pub sets: Option<Arc<HapSets>>,
    /// How many of the most recent calls tell statements apart.
    pub context: u32,
    /// An order that somebody wants to see.
    pub aim: Option<Aim>,
    /// Runs that are drawn at the beginning of a round, to learn from.
    pub learning_runs: u32,
    /// Rounds, unless something else ends the search earlier.
    pub rounds: Option<u32>,
}

impl Default for Guidance {
    fn default() -> Guidance {
        Guidance { sets: None, context: 0, aim: None, learning_runs: 5, rounds: None }
    }
}

/// What a strategy is made from.
#[derive(Clone, Debug)]
pub struct Settings {
    /// For random strategies.
    pub seed: u64,
    /// For `preemption-bound`: pre-emptions; for `pct`: the depth of the bugs it aims at.
    pub bound: Option<u32>,
    /// The part of one of several workers.
    pub share: Option<Share>,
    /// For strategies that build a model: a cell has the same valuation whenever it holds the same value, whoever wrote it.
    pub match_values: bool,
    /// For `hapset` and `auto`.
    pub guidance: Guidance,
    /// Whether to keep what was tried, see [`Recorded`].
    pub watched: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seed: 1,
            bound: None,
            share: None,
            match_values: false,
            guidance: Guidance::default(),
            watched: false,
        }
    }
}

/// The pre-emptions that `preemption-bound` allows, and the depth of `pct`, unless another number is given. Most
/// bugs that have been studied need no more.
const DEFAULT_BOUND: u32 = 2;

/// The name of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[non_exhaustive]
pub enum StrategyName {
    /// All schedules, without reduction.
    Every,
    /// Uniformly random threads.
    Random,
    /// Random priorities with a few random changes.
    Pct,
    /// Random priorities of events, drawn again for those that race.
    Pos,
    /// Threads drawn by the weight of what they have left.
    Surw,
    /// All schedules with few pre-emptions.
    PreemptionBound,
    /// Flanagan and Godefroid's reduction.
    Dpor,
    /// The same with sleep sets.
    DporSleep,
    /// The same with commutative reads.
    DporCr,
    /// With commutative reads and sleep sets.
    DporCrSleep,
    /// One run per trace.
    #[default]
    OptimalDpor,
    /// The markings of a model of the program, one by one.
    StatefulNaive,
    /// The unfolding of a model of the program, without terminals.
    UnfoldingStateless,
    /// The unfolding of a model of the program.
    Unfolding,
    /// Guided to orders of statements that no run has shown.
    HapSet,
    /// Everything if the budget allows it, else guided.
    Auto,
}

/// There is no strategy of that name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no strategy `{name}`{}; there are {}", suggestion(name), all_names())]
pub struct UnknownStrategy {
    /// What was asked for.
    pub name: String,
}

fn all_names() -> String {
    StrategyName::ALL.map(StrategyName::as_str).join(", ")
}

fn suggestion(name: &str) -> String {
    let known = StrategyName::ALL.map(StrategyName::as_str);
    nearest(name, &known).map_or_else(String::new, |known| format!(", did you mean `{known}`?"))
}

/// The known word that somebody means who typed another: the only one that begins with it, else the nearest, if it is near.
#[must_use]
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let mut longer = known.iter().filter(|candidate| !word.is_empty() && candidate.starts_with(word));
    if let (Some(candidate), None) = (longer.next(), longer.next()) {
        return Some(candidate);
    }
    let distance = |candidate: &str| edit_distance(word, candidate);
    let nearest = known.iter().copied().min_by_key(|candidate| distance(candidate));
    nearest.filter(|candidate| distance(candidate) * 2 <= candidate.len())
}

/// How many letters have to be added, taken away or changed.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

impl StrategyName {
    /// All of them.
    pub const ALL: [StrategyName; 16] = [
        StrategyName::Every,
        StrategyName::Random,
        StrategyName::Pct,
        StrategyName::Pos,
        StrategyName::Surw,
        StrategyName::PreemptionBound,
        StrategyName::Dpor,
        StrategyName::DporSleep,
        StrategyName::DporCr,
        StrategyName::DporCrSleep,
        StrategyName::OptimalDpor,
        StrategyName::StatefulNaive,
        StrategyName::UnfoldingStateless,
        StrategyName::Unfolding,
        StrategyName::HapSet,
        StrategyName::Auto,
    ];

    /// Whether the strategy only samples, and so never comes to an end by itself.
    #[must_use]
    pub fn only_samples(self) -> bool {
        use StrategyName::{HapSet, Pct, Pos, Random, Surw};
        matches!(self, Random | Pct | Pos | Surw | HapSet)
    }

    /// Whether the strategy builds a model of the program.
    #[must_use]
    pub fn builds_model(self) -> bool {
        use StrategyName::{StatefulNaive, Unfolding, UnfoldingStateless};
        matches!(self, StatefulNaive | UnfoldingStateless | Unfolding)
    }

    /// Whether the strategy is guided by orders of statements.
    #[must_use]
    pub fn is_guided(self) -> bool {
        matches!(self, StrategyName::HapSet | StrategyName::Auto)
    }

    /// Whether the strategy runs every trace when it comes to its end; one with a model predicts some of them instead.
    #[must_use]
    pub fn runs_every_trace(self) -> bool {
        !self.only_samples() && !self.builds_model() && self != StrategyName::PreemptionBound
    }

    /// The name as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            StrategyName::Every => "every",
            StrategyName::Random => "random",
            StrategyName::Pct => "pct",
            StrategyName::Pos => "pos",
            StrategyName::Surw => "surw",
            StrategyName::PreemptionBound => "preemption-bound",
            StrategyName::Dpor => "dpor",
            StrategyName::DporSleep => "dpor-sleep",
            StrategyName::DporCr => "dpor-cr",
            StrategyName::DporCrSleep => "dpor-cr-sleep",
            StrategyName::OptimalDpor => "optimal-dpor",
            StrategyName::StatefulNaive => "stateful-naive",
            StrategyName::UnfoldingStateless => "unfolding-stateless",
            StrategyName::Unfolding => "unfolding",
            StrategyName::HapSet => "hapset",
            StrategyName::Auto => "auto",
        }
    }

    /// Makes the strategy.
    #[must_use]
    pub fn make(self, settings: &Settings) -> Box<dyn Strategy + Send> {
        let strategy = self.make_unwatched(settings);
        if settings.watched { Box::new(Recorded::new(strategy)) } else { strategy }
    }

    /// The strategy that several workers take in place of this one.
    ///
    /// Optimal reduction needs to know in which order its plans are carried out. Workers, which do not, take the other reduction
    /// that runs no trace twice. A model is built in one piece, so workers do not share it either.
    #[must_use]
    pub fn of_workers(self) -> StrategyName {
        match self {
            StrategyName::OptimalDpor
            | StrategyName::StatefulNaive
            | StrategyName::UnfoldingStateless
            | StrategyName::Unfolding => StrategyName::DporCrSleep,
            other => other,
        }
    }

    fn make_unwatched(self, settings: &Settings) -> Box<dyn Strategy + Send> {
        use raddle_trace::Relation;
        let bound = settings.bound.unwrap_or(DEFAULT_BOUND);
        let share = settings.share.clone();
        // Workers that draw must not draw the same.
        let seed = settings.seed.wrapping_add(share.as_ref().map_or(0, |share| share.worker) << 32);
        let strategy = if share.is_some() { self.of_workers() } else { self };
        match strategy {
            StrategyName::Every => Box::new(Every::shared(share)),
            StrategyName::Random => Box::new(Random::new(seed)),
            StrategyName::Pct => Box::new(Pct::new(seed, bound)),
            StrategyName::Pos => Box::new(Pos::new(seed)),
            StrategyName::Surw => Box::new(Surw::new(seed)),
            StrategyName::PreemptionBound => Box::new(PreemptionBound::shared(bound, share)),
            StrategyName::Dpor => Box::new(Dpor::new(Relation::SameObject).shared(share)),
            StrategyName::DporSleep => Box::new(Dpor::with_sleep_sets(Relation::SameObject).shared(share)),
            StrategyName::DporCr => Box::new(Dpor::new(Relation::Classes).shared(share)),
            StrategyName::DporCrSleep => Box::new(Dpor::with_sleep_sets(Relation::Classes).shared(share)),
            StrategyName::OptimalDpor => Box::new(OptimalDpor::new()),
            StrategyName::StatefulNaive => Box::new(StatefulNaive::new(settings.match_values)),
            StrategyName::UnfoldingStateless => Box::new(Unfolding::stateless(settings.match_values)),
            StrategyName::Unfolding => Box::new(Unfolding::new(settings.match_values)),
            StrategyName::HapSet => Box::new(HapSet::new(seed, settings.bound, &settings.guidance)),
            StrategyName::Auto => {
                let guided = HapSet::new(seed, None, &settings.guidance);
                Box::new(Auto::new(StrategyName::OptimalDpor.make_unwatched(settings), guided))
            }
        }
    }
}

impl std::fmt::Display for StrategyName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for StrategyName {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<StrategyName, UnknownStrategy> {
        StrategyName::ALL
            .into_iter()
            .find(|known| known.as_str() == name)
            .ok_or_else(|| UnknownStrategy { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for name in StrategyName::ALL {
            assert_eq!(name.as_str().parse(), Ok(name));
        }
    }

    #[test]
    fn a_wrong_name_gets_a_suggestion_and_the_list() {
        let error = "optimal-dpr".parse::<StrategyName>().expect_err("there is no such strategy").to_string();
        assert!(
            error.starts_with("there is no strategy `optimal-dpr`, did you mean `optimal-dpor`?"),
            "{error}"
        );
        let error = "optimal".parse::<StrategyName>().expect_err("it is only the beginning").to_string();
        assert!(error.contains("`optimal`, did you mean `optimal-dpor`?"), "{error}");
        assert!(error.ends_with("stateful-naive, unfolding-stateless, unfolding, hapset, auto"), "{error}");
    }
}
