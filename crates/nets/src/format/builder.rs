//! From what a file says to a net: identifiers become numbers, arcs are gathered and checked.

use std::collections::BTreeMap;

use super::{MAX_ARCS, MAX_NODES, Position, Problem, ReadError, Source};
use crate::id::PlaceId;
use crate::limits::BadTransition;
use crate::net::Net;

/// A place or transition by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Place(usize),
    Transition(usize),
}

#[derive(Clone, Debug)]
struct Transition {
    name: String,
    position: Position,
    preset: Vec<PlaceId>,
    postset: Vec<PlaceId>,
}

/// A net in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Builder {
    places: Vec<(String, bool, Position)>,
    transitions: Vec<Transition>,
    arcs: usize,
}

pub(super) const fn error(position: Position, problem: Problem) -> ReadError {
    ReadError { position, problem }
}

impl Builder {
    pub(super) fn place(
        &mut self,
        name: String,
        tokens: u64,
        position: Position,
    ) -> Result<usize, ReadError> {
        if tokens > 1 {
            return Err(error(position, Problem::Tokens(format!("`{name}`"), tokens)));
        }
        check_count(self.places.len(), "places", MAX_NODES, position)?;
        self.places.push((name, tokens == 1, position));
        Ok(self.places.len() - 1)
    }

    pub(super) fn transition(&mut self, name: String, position: Position) -> Result<usize, ReadError> {
        check_count(self.transitions.len(), "transitions", MAX_NODES, position)?;
        self.transitions.push(Transition { name, position, preset: Vec::new(), postset: Vec::new() });
        Ok(self.transitions.len() - 1)
    }

    /// Adds an arc. `is_read` makes it a loop: what a read arc means when steps are taken one by one.
    pub(super) fn arc(
        &mut self,
        from: Node,
        to: Node,
        is_read: bool,
        weight: u64,
        position: Position,
    ) -> Result<(), ReadError> {
        let (place, transition, is_input) = match (from, to) {
            (Node::Place(place), Node::Transition(transition)) => (place, transition, true),
            (Node::Transition(transition), Node::Place(place)) => (place, transition, false),
            _ => {
                let problem = Problem::SameKind(self.name(from), self.name(to));
                return Err(error(position, problem));
            }
        };
        if weight != 1 {
            let problem = Problem::Weight(self.name(from), self.name(to), weight);
            return Err(error(position, problem));
        }
        self.arcs += 1;
        check_count(self.arcs, "arcs", MAX_ARCS, position)?;
        let (id, node) = (PlaceId(place as u32), &mut self.transitions[transition]);
        if is_input || is_read {
            node.preset.push(id);
        }
        if !is_input || is_read {
            node.postset.push(id);
        }
        Ok(())
    }

    fn name(&self, node: Node) -> String {
        match node {
            Node::Place(place) => format!("`{}`", self.places[place].0),
            Node::Transition(transition) => format!("`{}`", self.transitions[transition].name),
        }
    }

    /// The net, if it has a token and every transition takes one.
    pub(super) fn finish(self) -> Result<Source, ReadError> {
        let mut net = Net::new();
        let first = self.places.first().map_or(Position::START, |place| place.2);
        if !self.places.iter().any(|place| place.1) {
            return Err(error(first, Problem::EmptyMarking));
        }
        let mut source = Source { net: Net::new(), places: Vec::new(), transitions: Vec::new() };
        for (name, is_marked, position) in self.places {
            net.add_place(name, is_marked);
            source.places.push(position);
        }
        for Transition { name, position, preset, postset } in self.transitions {
            let shown = format!("`{name}`");
            let added = net.add_transition(name, &preset, &postset);
            source.transitions.push(position);
            added.map_err(|problem| match problem {
                BadTransition::NoPreset => error(position, Problem::NoPreset(shown)),
                BadTransition::Twice(place) | BadTransition::UnknownPlace(place) => {
                    let place = format!("`{}`", net.place_name(place));
                    error(position, Problem::Weight(place, shown, 2))
                }
            })?;
        }
        source.net = net;
        Ok(source)
    }
}

fn check_count(count: usize, what: &'static str, limit: usize, position: Position) -> Result<(), ReadError> {
    if count >= limit { Err(error(position, Problem::TooMany { what, limit })) } else { Ok(()) }
}

/// Identifiers and what they stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Names<K> {
    nodes: BTreeMap<K, Node>,
}

impl<K: Ord + std::fmt::Display> Names<K> {
    pub(super) const fn new() -> Self {
        Self { nodes: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, key: K, node: Node, position: Position) -> Result<(), ReadError> {
        if self.nodes.contains_key(&key) {
            return Err(error(position, Problem::Twice(format!("`{key}`"))));
        }
        self.nodes.insert(key, node);
        Ok(())
    }

    pub(super) fn get(&self, key: &K) -> Option<Node> {
        self.nodes.get(key).copied()
    }
}
