//! How far an unfolding may go, and what is said when it stops.

use crate::id::{PlaceId, TransitionId};

/// Hard limits of an unfolding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most events, cut-offs included.
    pub events: usize,
    /// The most bytes, as far as the unfolder counts its own memory.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { events: 10_000_000, bytes: 4 << 30 }
    }
}

/// Why an unfolding stopped before it was complete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The limit on events.
    #[error(
        "stopped at {0} events, the limit: the prefix is not complete; raise the limit or make the net smaller"
    )]
    Events(usize),
    /// The limit on memory.
    #[error(
        "stopped at {used} bytes, over the limit of {limit}: the prefix is not complete; raise the limit or make the net smaller"
    )]
    Bytes {
        /// What was used.
        used: usize,
        /// What was allowed.
        limit: usize,
    },
    /// The net is not safe, and only safe nets are unfolded.
    #[error(
        "place number {place} can hold two tokens at once after transition number {transition}: only safe nets (one token a place) can be unfolded"
    )]
    Unsafe {
        /// The place with two tokens.
        place: PlaceId,
        /// The transition of the event after which it was noticed.
        transition: TransitionId,
    },
}

/// Why a place or transition could not be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTransition {
    /// It would be enabled for ever.
    #[error("a transition needs at least one place to take a token from, or it would fire for ever")]
    NoPreset,
    /// A place that does not exist.
    #[error("place number {0} does not exist; add it before the transition")]
    UnknownPlace(PlaceId),
    /// A place twice on one side: an arc of weight two, which a safe net has no use for.
    #[error(
        "place number {0} stands twice on one side of a transition; a safe net has arcs of weight 1 only"
    )]
    Twice(PlaceId),
}
