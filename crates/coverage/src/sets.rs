//! HaPSets: for each statement the set of those that came right before it.

use std::collections::BTreeMap;

use crate::hash::Table;
use crate::{Statement, StatementId};

/// How two statements that met were ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Order {
    /// By the creation or the end of a thread, or by a notification: always this way.
    Fixed,
    /// By the schedule: the other order may be possible.
    Scheduled,
}

/// Two statements that met: `first` of the remote thread is in the HaPSet of `second` of the local thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Pair {
    /// What came first.
    pub first: Statement,
    /// What came right after it, on the same object, in another thread.
    pub second: Statement,
    /// Whether it could have been the other way.
    pub order: Order,
}

/// Why two HaPSets cannot be put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "they tell {theirs} calls of a statement apart, these tell {ours}: learn again with the same context"
)]
pub struct MergeError {
    /// How many calls these tell apart.
    pub ours: u32,
    /// How many calls the others tell apart.
    pub theirs: u32,
}

/// The HaPSets of a program, as far as its runs have shown them (Definition 2 of Wang, Said, Gupta).
#[derive(Clone, Debug, Default)]
pub struct HapSets {
    context: u32,
    statements: Vec<Statement>,
    numbers: BTreeMap<Statement, StatementId>,
    pairs: Vec<(StatementId, StatementId, Order)>,
    /// Where each pair stands in `pairs`.
    positions: Table<u64, u32>,
    /// For each statement, a bit for each of those that came right before it although the schedule alone decided so: most
    /// of what a run shows has been seen, and has to be told apart fast.
    scheduled: Bits,
    /// The same, whatever decided it.
    seen: Bits,
}

/// A bit for each pair of statements, in rows by the second.
#[derive(Clone, Debug, Default)]
struct Bits(Vec<Vec<u64>>);

impl Bits {
    #[inline]
    fn has(&self, first: StatementId, second: StatementId) -> bool {
        let word = self.0.get(second.0 as usize).and_then(|row| row.get(first.0 as usize / 64));
        word.is_some_and(|word| word >> (first.0 % 64) & 1 == 1)
    }

    fn set(&mut self, first: StatementId, second: StatementId) {
        let (row, word) = (second.0 as usize, first.0 as usize / 64);
        if self.0.len() <= row {
            self.0.resize(row + 1, Vec::new());
        }
        let row = &mut self.0[row];
        if row.len() <= word {
            row.resize(word + 1, 0);
        }
        row[word] |= 1 << (first.0 % 64);
    }
}

fn key(first: StatementId, second: StatementId) -> u64 {
    u64::from(first.0) << 32 | u64::from(second.0)
}

impl HapSets {
    /// Empty sets whose statements are told apart by this many calls.
    #[must_use]
    pub fn new(context: u32) -> HapSets {
        HapSets { context, ..HapSets::default() }
    }

    /// How many calls tell statements apart.
    #[must_use]
    pub fn context(&self) -> u32 {
        self.context
    }

    /// How many pairs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether nothing was learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The number of a statement, given one if it has none.
    pub fn number(&mut self, statement: &Statement) -> StatementId {
        if let Some(&number) = self.numbers.get(statement) {
            return number;
        }
        let number =
            StatementId(u32::try_from(self.statements.len()).expect("bug in raddle: too many statements"));
        self.statements.push(statement.clone());
        self.numbers.insert(statement.clone(), number);
        number
    }

    /// The statement with this number.
    #[must_use]
    pub fn statement(&self, number: StatementId) -> &Statement {
        &self.statements[number.0 as usize]
    }

    /// Whether `first` is in the set of `second`.
    #[inline]
    #[must_use]
    pub fn has(&self, first: StatementId, second: StatementId) -> bool {
        self.seen.has(first, second)
    }

    /// Whether `first` is in the set of `second`, and the schedule alone decided so.
    #[inline]
    pub(crate) fn is_scheduled(&self, first: StatementId, second: StatementId) -> bool {
        self.scheduled.has(first, second)
    }

    /// Puts `first` into the set of `second`; whether it is new there.
    pub fn insert(&mut self, first: StatementId, second: StatementId, order: Order) -> bool {
        if order == Order::Scheduled {
            self.scheduled.set(first, second);
        }
        self.seen.set(first, second);
        if let Some(&at) = self.positions.get(&key(first, second)) {
            let known = &mut self.pairs[at as usize].2;
            *known = (*known).max(order);
            return false;
        }
        self.positions.insert(key(first, second), self.pairs.len() as u32);
        self.pairs.push((first, second, order));
        true
    }

    /// All statements, by number.
    #[must_use]
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// All pairs by the numbers of their statements, in the order in which they were seen.
    pub fn numbered(&self) -> impl Iterator<Item = (StatementId, StatementId, Order)> {
        self.pairs.iter().copied()
    }

    /// All pairs, in the order of their statements.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = self.pairs.iter().map(|pair| self.pair(pair)).collect();
        pairs.sort();
        pairs
    }

    fn pair(&self, (first, second, order): &(StatementId, StatementId, Order)) -> Pair {
        Pair { first: self.statement(*first).clone(), second: self.statement(*second).clone(), order: *order }
    }

    /// The set of a statement: what came right before it.
    #[must_use]
    pub fn of(&self, statement: &Statement) -> Vec<Statement> {
        self.pairs().into_iter().filter(|pair| pair.second == *statement).map(|pair| pair.first).collect()
    }

    /// The pairs that were seen in one order only, although the schedule alone decided it.
    #[must_use]
    pub fn one_sided(&self) -> Vec<Pair> {
        let is_one_sided = |(first, second, order): &&(StatementId, StatementId, Order)| {
            let forgotten = raddle_trace::fault!(OneSidedForgetsLoops) && first.0 > second.0;
            *order == Order::Scheduled && first != second && !self.has(*second, *first) && !forgotten
        };
        let mut pairs: Vec<Pair> =
            self.pairs.iter().filter(is_one_sided).map(|pair| self.pair(pair)).collect();
        pairs.sort();
        pairs
    }

    /// Adds everything that is in `other`.
    ///
    /// # Errors
    /// If the two tell statements apart in different ways; then nothing is added.
    pub fn merge(&mut self, other: &HapSets) -> Result<(), MergeError> {
        if self.context != other.context {
            return Err(MergeError { ours: self.context, theirs: other.context });
        }
        for (first, second, order) in &other.pairs {
            let first = self.number(other.statement(*first));
            let second = self.number(other.statement(*second));
            self.insert(first, second, *order);
        }
        Ok(())
    }
}

impl PartialEq for HapSets {
    fn eq(&self, other: &HapSets) -> bool {
        self.context == other.context && self.pairs() == other.pairs()
    }
}

impl Eq for HapSets {}
