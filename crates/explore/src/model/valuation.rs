//! Valuations of shared objects.

use raddle_trace::ThreadSet;

use super::LocalState;

/// An object as the model names it, the same in all runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjectName(pub(crate) u32);

impl ObjectName {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the content of a cell or a lock comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Content {
    /// It was there at first.
    First,
    /// The step that led to this local state left it there.
    By(LocalState),
    /// It is this number, whoever left it there (`--match values`).
    Value(i64),
}

impl Content {
    /// As a number, different for different contents of one object.
    pub(crate) fn number(self) -> u128 {
        let (sort, number) = match self {
            Content::First => (1, 0),
            Content::By(state) => (2, u64::from(state.0)),
            Content::Value(value) => (3, value as u64),
        };
        sort << 64 | u128::from(number)
    }
}

/// The state of one object, as far as threads can tell. One place of the net (section 3, Figure 2).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Valuation {
    /// The level ([`raddle_trace::level`]) of an object that is no memory cell.
    pub(crate) level: i64,
    /// What a cell holds, or what is kept under a lock.
    pub(crate) content: Content,
    /// Who waits at a condition variable or a barrier.
    pub(crate) waiting: ThreadSet,
    /// The messages of a channel, by the local states of their senders.
    pub(crate) messages: Vec<LocalState>,
}

impl Valuation {
    pub(crate) fn first(level: i64) -> Valuation {
        Valuation { level, content: Content::First, waiting: ThreadSet::EMPTY, messages: Vec::new() }
    }

    pub(crate) fn with_level(&self, level: i64) -> Valuation {
        Valuation { level, ..self.clone() }
    }

    pub(crate) fn with_content(&self, content: Content) -> Valuation {
        Valuation { content, ..self.clone() }
    }
}
