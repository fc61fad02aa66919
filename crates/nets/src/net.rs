//! Safe place/transition nets with names, and what can happen in them.

use crate::id::{PlaceId, TransitionId};
use crate::limits::BadTransition;

/// A place/transition net whose initial marking has at most one token a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Net {
    places: Vec<Place>,
    transitions: Vec<Transition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    name: String,
    is_marked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Transition {
    name: String,
    preset: Vec<PlaceId>,
    postset: Vec<PlaceId>,
}

impl Net {
    /// The empty net.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a place.
    pub fn add_place(&mut self, name: impl Into<String>, is_marked: bool) -> PlaceId {
        self.places.push(Place { name: name.into(), is_marked });
        PlaceId((self.places.len() - 1) as u32)
    }

    /// Adds a transition.
    ///
    /// # Errors
    /// When the preset is empty, or a place does not exist or stands twice on one side.
    pub fn add_transition(
        &mut self,
        name: impl Into<String>,
        preset: &[PlaceId],
        postset: &[PlaceId],
    ) -> Result<TransitionId, BadTransition> {
        if preset.is_empty() {
            return Err(BadTransition::NoPreset);
        }
        let (preset, postset) = (self.checked(preset)?, self.checked(postset)?);
        self.transitions.push(Transition { name: name.into(), preset, postset });
        Ok(TransitionId((self.transitions.len() - 1) as u32))
    }

    fn checked(&self, places: &[PlaceId]) -> Result<Vec<PlaceId>, BadTransition> {
        let mut sorted = places.to_vec();
        sorted.sort_unstable();
        if let Some(&last) = sorted.last()
            && last.index() >= self.places.len()
        {
            return Err(BadTransition::UnknownPlace(last));
        }
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(BadTransition::Twice(pair[0])),
            None => Ok(sorted),
        }
    }

    /// All places.
    pub fn places(&self) -> impl ExactSizeIterator<Item = PlaceId> + use<> {
        (0..self.places.len() as u32).map(PlaceId)
    }

    /// All transitions.
    pub fn transitions(&self) -> impl ExactSizeIterator<Item = TransitionId> + use<> {
        (0..self.transitions.len() as u32).map(TransitionId)
    }

    /// The name of a place.
    #[must_use]
    pub fn place_name(&self, place: PlaceId) -> &str {
        &self.places[place.index()].name
    }

    /// The name of a transition.
    #[must_use]
    pub fn transition_name(&self, transition: TransitionId) -> &str {
        &self.transitions[transition.index()].name
    }

    /// Whether a place has a token at the beginning.
    #[must_use]
    pub fn is_marked(&self, place: PlaceId) -> bool {
        self.places[place.index()].is_marked
    }

    /// The places that a transition takes tokens from, ascending.
    #[must_use]
    pub fn preset(&self, transition: TransitionId) -> &[PlaceId] {
        &self.transitions[transition.index()].preset
    }

    /// The places that a transition puts tokens on, ascending.
    #[must_use]
    pub fn postset(&self, transition: TransitionId) -> &[PlaceId] {
        &self.transitions[transition.index()].postset
    }

    /// How many arcs there are.
    #[must_use]
    pub fn arc_count(&self) -> usize {
        self.transitions.iter().map(|transition| transition.preset.len() + transition.postset.len()).sum()
    }

    /// The initial marking.
    #[must_use]
    pub fn initial_marking(&self) -> Marking {
        Marking(self.places().filter(|&place| self.is_marked(place)).collect())
    }

    /// Whether a transition can fire at a marking.
    #[must_use]
    pub fn is_enabled(&self, marking: &Marking, transition: TransitionId) -> bool {
        self.preset(transition).iter().all(|&place| marking.contains(place))
    }

    /// The marking after a transition has fired, or the place that would hold two tokens.
    ///
    /// # Errors
    /// When the net is not safe.
    pub fn fire(&self, marking: &Marking, transition: TransitionId) -> Result<Marking, PlaceId> {
        let preset = self.preset(transition);
        let mut places: Vec<PlaceId> =
            marking.0.iter().copied().filter(|place| preset.binary_search(place).is_err()).collect();
        places.extend_from_slice(self.postset(transition));
        places.sort_unstable();
        match places.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(pair[0]),
            None => Ok(Marking(places)),
        }
    }
}

/// A marking of a safe net: the places with a token, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marking(Vec<PlaceId>);

impl Marking {
    /// A marking of the places given.
    #[must_use]
    pub fn new(mut places: Vec<PlaceId>) -> Self {
        places.sort_unstable();
        places.dedup();
        Self(places)
    }

    /// The marked places, ascending.
    #[must_use]
    pub fn places(&self) -> &[PlaceId] {
        &self.0
    }

    /// Whether a place has a token.
    #[must_use]
    pub fn contains(&self, place: PlaceId) -> bool {
        self.0.binary_search(&place).is_ok()
    }
}
