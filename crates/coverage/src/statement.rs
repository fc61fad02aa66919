//! Statements: what HaPSets are made of.

use std::fmt;
use std::sync::Arc;

use raddle_trace::{Kind, Place};

/// Which part of a statement an event is. A wait at a condition variable is one statement and two events, and whether
/// a notification came before the first or before the second is the difference between a lost one and a useful one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Half {
    /// The statement, or how it begins.
    #[default]
    First,
    /// How a statement that waited goes on.
    Second,
}

impl Half {
    /// The part that an operation of this kind is.
    #[must_use]
    pub fn of(kind: Kind) -> Half {
        match kind {
            Kind::Relock | Kind::Timeout | Kind::SpuriousWake | Kind::Pass | Kind::Taken => Half::Second,
            _ => Half::First,
        }
    }
}

/// A statement of the program: the tuple (file, line, thr, ctx) of Wang, Said, Gupta, section 3.1.
///
/// The paper supposes one statement per line; the column makes that true. Whether it is executed by the local or by the
/// remote thread (`thr`) is told by where it stands in a [`crate::Pair`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Statement {
    /// The file as the compiler named it; empty if it is not known.
    pub file: Arc<str>,
    /// The line, counted from one; zero if it is not known.
    pub line: u32,
    /// The column, counted from one; zero if it is not known.
    pub column: u32,
    /// Which part of the statement.
    pub half: Half,
    /// A number for the most recent calls ([`raddle_trace::Site::context_of`]); zero if they are not told apart.
    pub context: u32,
}

impl Statement {
    /// The statement at a place.
    #[must_use]
    pub fn at(place: Place, half: Half, context: u32) -> Statement {
        Statement {
            file: Arc::from(place.file().unwrap_or("")),
            line: place.line().unwrap_or(0),
            column: place.column().unwrap_or(0),
            half,
            context,
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.is_empty() { f.write_str("?") } else { write!(f, "{}:{}", self.file, self.line) }
    }
}

/// The number of a statement in one [`crate::HapSets`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StatementId(pub(crate) u32);

impl StatementId {
    /// From what [`StatementId::number`] says.
    #[must_use]
    pub fn new(number: u32) -> StatementId {
        StatementId(number)
    }

    /// The number.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}
