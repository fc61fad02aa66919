//! Files of nets: PEP's low-level format, PNML and DOT, read and written; prefixes written as MCI and DOT.
//!
//! The readers are total: every sequence of bytes gives a net or an error with line and column. What they give remembers
//! where each place and transition stood, so that later trouble (a net that turns out not to be safe) can be shown there.

mod builder;
mod dot;
mod ll_net;
mod mci;
mod pnml;
mod text;
mod xml;

use crate::id::{PlaceId, TransitionId};
use crate::limits::Stop;
use crate::net::Net;

pub use dot::{read_dot, write_dot, write_prefix_dot};
pub use ll_net::{read_ll_net, write_ll_net};
pub use mci::write_mci;
pub use pnml::{read_pnml, write_pnml};

/// The most bytes of a file that is read.
pub const MAX_BYTES: usize = 256 << 20;
/// The most places, and the most transitions.
pub const MAX_NODES: usize = 1_000_000;
/// The most arcs.
pub const MAX_ARCS: usize = 16_000_000;

/// Where something stands in a file, counted from 1; columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Position {
    /// The beginning of a file.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl std::fmt::Display for Position {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// A file that is no safe net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {problem}")]
pub struct ReadError {
    /// Where.
    pub position: Position,
    /// What.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something else was expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The format is none that is known.
    #[error("this is no net: expected a file that begins with PEP (.ll_net), < (PNML) or digraph (DOT)")]
    UnknownFormat,
    /// An arc from or to a place that does not exist.
    #[error("place {0} does not exist; declare it, or correct the arc")]
    UnknownPlace(String),
    /// An arc from or to a transition that does not exist.
    #[error("transition {0} does not exist; declare it, or correct the arc")]
    UnknownTransition(String),
    /// An arc from or to something that does not exist.
    #[error("{0} is neither a place nor a transition of this net; declare it, or correct the arc")]
    UnknownNode(String),
    /// An arc between two places or two transitions.
    #[error("an arc goes from a place to a transition or back; {0} and {1} are of the same kind")]
    SameKind(String, String),
    /// The same number or identifier twice.
    #[error("{0} is declared twice; give the second one another name")]
    Twice(String),
    /// The same arc twice, or an arc of weight two or more.
    #[error("the arc between {0} and {1} has weight {2}; only safe nets, with arcs of weight 1, can be read")]
    Weight(String, String, u64),
    /// More than one token on a place.
    #[error("place {0} has {1} tokens; only safe nets, with at most one token a place, can be read")]
    Tokens(String, u64),
    /// No token anywhere.
    #[error("no place has a token, so nothing can happen; mark at least one place")]
    EmptyMarking,
    /// A transition that needs no token.
    #[error("transition {0} takes no token, so it could fire for ever; give it an arc from a place")]
    NoPreset(String),
    /// Too many of something.
    #[error("more than {limit} {what}, the limit of this reader")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many are allowed.
        limit: usize,
    },
    /// Something that other tools know and this one does not.
    #[error("{0} is not supported; only places, transitions, plain arcs and read arcs are")]
    Unsupported(String),
    /// Found while unfolding: two tokens can be on a place at once.
    #[error(
        "place {place} can hold two tokens at once after transition {transition}: only safe nets can be unfolded"
    )]
    Unsafe {
        /// The place's name.
        place: String,
        /// The transition's name.
        transition: String,
    },
}

/// A net that was read, with the places in the file where its parts stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The net.
    pub net: Net,
    places: Vec<Position>,
    transitions: Vec<Position>,
}

impl Source {
    /// Where a place was declared.
    #[must_use]
    pub fn place(&self, place: PlaceId) -> Position {
        self.places.get(place.index()).copied().unwrap_or(Position::START)
    }

    /// Where a transition was declared.
    #[must_use]
    pub fn transition(&self, transition: TransitionId) -> Position {
        self.transitions.get(transition.index()).copied().unwrap_or(Position::START)
    }

    /// The error that stands in the file, if an unfolding stopped because of one.
    #[must_use]
    pub fn explain(&self, stop: &Stop) -> Option<ReadError> {
        let Stop::Unsafe { place, transition } = *stop else { return None };
        let problem = Problem::Unsafe {
            place: format!("`{}`", self.net.place_name(place)),
            transition: format!("`{}`", self.net.transition_name(transition)),
        };
        Some(ReadError { position: self.transition(transition), problem })
    }
}

/// Reads a net in any of the formats; which one is seen from how the file begins.
///
/// # Errors
/// When it is no safe net.
pub fn read(bytes: &[u8]) -> Result<Source, ReadError> {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if start.starts_with(b"PEP") {
        read_ll_net(bytes)
    } else if start.starts_with(b"<") {
        read_pnml(bytes)
    } else if [&b"digraph"[..], b"strict", b"//", b"/*"].iter().any(|word| start.starts_with(word)) {
        read_dot(bytes)
    } else {
        Err(ReadError { position: Position::START, problem: Problem::UnknownFormat })
    }
}
