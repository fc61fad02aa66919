//! How large a model is.

/// The size of the model that a strategy has built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ModelSize {
    /// Local states of threads and valuations of objects that were reached.
    pub places: usize,
    /// Transitions between them that were found.
    pub transitions: usize,
    /// Events of the unfolding.
    pub events: usize,
    /// Conditions of the unfolding.
    pub conditions: usize,
    /// Events after which the unfolding stopped, because their marking was known.
    pub terminals: usize,
    /// Markings that were visited.
    pub markings: usize,
}
