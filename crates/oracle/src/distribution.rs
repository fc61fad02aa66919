//! What was drawn: a suite that never draws a feature tests nothing about it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use crate::{Ending, Feature, Program};

/// Counts of what was drawn.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    programs: u64,
    distinct: BTreeSet<u64>,
    features: BTreeMap<Feature, u64>,
    pairs: BTreeMap<(Feature, Feature), u64>,
    endings: BTreeMap<Ending, u64>,
}

impl Distribution {
    /// Counts a program and the ways in which its runs end.
    pub fn add(&mut self, program: &Program, endings: &BTreeSet<Ending>) {
        self.programs += 1;
        self.distinct.insert(program.fingerprint());
        let features: Vec<Feature> = Feature::of(program).into_iter().collect();
        for (index, feature) in features.iter().enumerate() {
            *self.features.entry(*feature).or_default() += 1;
            for other in &features[index + 1..] {
                *self.pairs.entry((*feature, *other)).or_default() += 1;
            }
        }
        endings.iter().for_each(|ending| *self.endings.entry(*ending).or_default() += 1);
    }

    /// How many programs were counted.
    #[must_use]
    pub fn programs(&self) -> u64 {
        self.programs
    }

    /// How many of them were different.
    #[must_use]
    pub fn distinct(&self) -> u64 {
        self.distinct.len() as u64
    }

    /// In how many programs a feature occurred.
    #[must_use]
    pub fn count(&self, feature: Feature) -> u64 {
        self.features.get(&feature).copied().unwrap_or(0)
    }

    /// In how many programs two features occurred together.
    #[must_use]
    pub fn count_pair(&self, a: Feature, b: Feature) -> u64 {
        self.pairs.get(&(a.min(b), a.max(b))).copied().unwrap_or(0)
    }

    /// How many programs had a run that ended so.
    #[must_use]
    pub fn count_ending(&self, ending: Ending) -> u64 {
        self.endings.get(&ending).copied().unwrap_or(0)
    }

    /// The features that never occurred.
    #[must_use]
    pub fn never_drawn(&self) -> Vec<Feature> {
        Feature::all().into_iter().filter(|feature| self.count(*feature) == 0).collect()
    }

    /// The pairs of features that never occurred together.
    #[must_use]
    pub fn never_paired(&self) -> Vec<(Feature, Feature)> {
        let all = Feature::all();
        let pairs = all.iter().flat_map(|a| all.iter().filter(move |b| a < *b).map(move |b| (*a, *b)));
        pairs.filter(|(a, b)| self.count_pair(*a, *b) == 0).collect()
    }
}

impl Display for Distribution {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} programs, {} distinct", self.programs, self.distinct())?;
        for (ending, count) in &self.endings {
            writeln!(f, "  ending {ending:?}: {count}")?;
        }
        for feature in Feature::all() {
            writeln!(f, "  {feature:?}: {}", self.count(feature))?;
        }
        write!(f, "  pairs never drawn together: {}", self.never_paired().len())
    }
}

impl Program {
    /// A hash of the text (FNV-1a), to tell whether programs are different.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.to_string().bytes().fold(0xcbf2_9ce4_8422_2325, step)
    }
}
