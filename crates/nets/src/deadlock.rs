//! Deadlocks of a prefix: markings that enable nothing.
//!
//! Every reachable marking is that of a configuration without cut-offs, and what it enables are events of the prefix
//! (McMillan's check, as clauses: Heljanko, "Using logic programs with stable model semantics to solve deadlock and
//! reachability problems for 1-safe Petri nets"). So a deadlock is a set of events that contains the causes of each of its
//! members, has at most one consumer of each condition, and enables no event, cut-offs included. Extensions that still
//! wait count as events that are cut off: what is found in an unfinished prefix is a deadlock, only not every one is.

use crate::id::{EventId, PlaceId};
use crate::net::Marking;
use crate::occurrence::NONE;
use crate::sat::{Literal, Solver};
use crate::unfolder::{Status, Unfolder};

/// A marking that enables nothing, and how to get there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The events that lead to it, in an order in which they can happen.
    pub configuration: Vec<EventId>,
    /// The marking.
    pub marking: Marking,
}

/// The search was given up: it is hard in principle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("gave up the search for deadlocks after {0} conflicts; there may be more of them")]
pub struct GaveUp(pub u64);

/// What came of a part of a search for deadlocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    /// Another deadlock.
    Found(Deadlock),
    /// There are no more.
    NoMore,
    /// It is not known yet.
    Unknown,
}

/// All deadlocks of a prefix, each marking once.
#[derive(Clone, Debug)]
pub struct Deadlocks<'a> {
    prefix: &'a Unfolder,
    search: DeadlockSearch,
    conflicts: u64,
    is_done: bool,
}

/// A search for deadlocks that is made bit by bit. It belongs to the prefix with which it was begun, as that was then.
#[derive(Clone, Debug)]
pub struct DeadlockSearch {
    solver: Solver,
    /// For each event whether it happens; `None` if it is cut off.
    happens: Vec<Option<Literal>>,
    /// For each condition whether it is consumed; `None` if nothing can.
    consumed: Vec<Option<Literal>>,
    /// For each place, that it is marked and that it is unmarked, once somebody asked.
    marks: Vec<Option<(Literal, Literal)>>,
    conditions_of: Vec<Vec<u32>>,
}

impl Unfolder {
    /// The deadlocks of the prefix: every one, if it is complete.
    #[must_use]
    pub fn deadlocks(&self) -> Deadlocks<'_> {
        Deadlocks { prefix: self, search: DeadlockSearch::new(self), conflicts: 1_000_000, is_done: false }
    }
}

impl Deadlocks<'_> {
    /// Only deadlocks in which at least one of these places is marked: for a program, the places of threads that have
    /// not ended.
    #[must_use]
    pub fn with_one_of(mut self, places: &[PlaceId]) -> Self {
        self.search.require_one_of(self.prefix, places);
        self
    }

    /// Gives up a search after so many conflicts (a million unless told otherwise).
    #[must_use]
    pub const fn at_most(mut self, conflicts: u64) -> Self {
        self.conflicts = conflicts;
        self
    }
}

impl Iterator for Deadlocks<'_> {
    type Item = Result<Deadlock, GaveUp>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        if self.prefix.lost.is_some() {
            // What was lost may be enabled where nothing seems to be.
            self.is_done = true;
            return Some(Err(GaveUp(0)));
        }
        match self.search.go_on(self.prefix, self.conflicts) {
            Sought::Found(deadlock) => Some(Ok(deadlock)),
            Sought::NoMore => {
                self.is_done = true;
                None
            }
            Sought::Unknown => {
                self.is_done = true;
                Some(Err(GaveUp(self.conflicts)))
            }
        }
    }
}

impl DeadlockSearch {
    /// Begins a search for the deadlocks of a prefix.
    #[must_use]
    pub fn new(prefix: &Unfolder) -> Self {
        let mut solver = Solver::new();
        // Deadlocks are where as much as possible has happened, so try that first.
        let is_cut_off = |event: EventId| prefix.status(event) != Status::Extended;
        let happens: Vec<Option<Literal>> =
            prefix.events().map(|event| (!is_cut_off(event)).then(|| solver.variable(true))).collect();
        let mut conditions_of = vec![Vec::new(); prefix.place_count()];
        for condition in prefix.conditions() {
            let producer = prefix.producer(condition);
            if producer.is_none_or(|event| happens[event.index()].is_some()) {
                conditions_of[prefix.place(condition).index()].push(condition.0);
            }
        }
        let consumed = vec![None; prefix.condition_count()];
        let marks = vec![None; prefix.place_count()];
        let mut search = Self { solver, happens, consumed, marks, conditions_of };
        if prefix.lost.is_none() {
            search.require_configuration(prefix);
            search.require_dead(prefix);
        }
        search
    }

    /// Goes on, until there is an answer or so many conflicts were met.
    pub fn go_on(&mut self, prefix: &Unfolder, conflicts: u64) -> Sought {
        if prefix.lost.is_some() {
            return Sought::Unknown;
        }
        match self.solver.solve(conflicts) {
            Some(true) => {
                let deadlock = self.answer(prefix);
                self.exclude(prefix, &deadlock.marking);
                Sought::Found(deadlock)
            }
            Some(false) => Sought::NoMore,
            None => Sought::Unknown,
        }
    }

    /// From now on only deadlocks in which at least one of these places is marked: for a program, the places of threads
    /// that have not ended.
    pub fn require_one_of(&mut self, prefix: &Unfolder, places: &[PlaceId]) {
        let marked: Vec<Literal> = places.iter().map(|&place| self.mark(prefix, place.index()).0).collect();
        self.solver.add(&marked);
    }

    /// From now on only deadlocks in which none of these places is marked: for a program, the places of threads that have
    /// asked for its end.
    pub fn require_none_of(&mut self, prefix: &Unfolder, places: &[PlaceId]) {
        for &place in places {
            let unmarked = self.mark(prefix, place.index()).1;
            self.solver.add(&[unmarked]);
        }
    }

    /// Whether the producer of a condition happens; `None` if it is initial.
    fn produced(&self, prefix: &Unfolder, condition: u32) -> Option<Literal> {
        match prefix.net.producer(condition) {
            NONE => None,
            event => self.happens[event as usize],
        }
    }

    fn require_configuration(&mut self, prefix: &Unfolder) {
        let net = &prefix.net;
        let mut consumers: Vec<Vec<Literal>> = vec![Vec::new(); net.conditions.len()];
        for (event, happens) in (0..).zip(&self.happens) {
            let Some(happens) = *happens else { continue };
            for &condition in net.preset(event) {
                consumers[condition as usize].push(happens);
                if let Some(cause) = self.produced(prefix, condition) {
                    self.solver.add(&[!happens, cause]);
                }
            }
        }
        for (condition, consumers) in consumers.into_iter().enumerate() {
            self.consumed[condition] = self.at_most_one(&consumers);
        }
    }

    /// Requires that at most one of the literals is true, and returns a literal that says whether one is. With a chain of
    /// further variables, so that the clauses are linear in number.
    fn at_most_one(&mut self, literals: &[Literal]) -> Option<Literal> {
        let (&first, rest) = literals.split_first()?;
        let mut some_before = first;
        for &literal in rest {
            let some = self.solver.variable(true);
            self.solver.add(&[!literal, !some_before]);
            self.solver.add(&[!some_before, some]);
            self.solver.add(&[!literal, some]);
            self.solver.add(&[!some, some_before, literal]);
            some_before = some;
        }
        Some(some_before)
    }

    fn require_dead(&mut self, prefix: &Unfolder) {
        let presets = prefix.events().map(|event| prefix.net.preset(event.0));
        for preset in presets.chain(prefix.queue.presets(&prefix.net)) {
            let mut clause = Vec::new();
            for &condition in preset {
                clause.extend(self.produced(prefix, condition).map(|produced| !produced));
                clause.extend(self.consumed[condition as usize]);
            }
            self.solver.add(&clause);
        }
    }

    /// Literals that imply that a place is marked, and that it is not.
    fn mark(&mut self, prefix: &Unfolder, place: usize) -> (Literal, Literal) {
        if let Some(known) = self.marks[place] {
            return known;
        }
        let (marked, unmarked) = (self.solver.variable(false), self.solver.variable(false));
        let mut some = vec![!marked];
        for nth in 0..self.conditions_of[place].len() {
            let condition = self.conditions_of[place][nth];
            let (produced, consumed) = (self.produced(prefix, condition), self.consumed[condition as usize]);
            let holds = self.solver.variable(false);
            some.push(holds);
            let mut gone = vec![!unmarked];
            if let Some(produced) = produced {
                self.solver.add(&[!holds, produced]);
                gone.push(!produced);
            }
            if let Some(consumed) = consumed {
                self.solver.add(&[!holds, !consumed]);
                gone.push(consumed);
            }
            self.solver.add(&gone);
        }
        self.solver.add(&some);
        self.marks[place] = Some((marked, unmarked));
        (marked, unmarked)
    }

    /// The deadlock of the solver's answer.
    fn answer(&self, prefix: &Unfolder) -> Deadlock {
        let configuration = prefix
            .events()
            .filter(|event| self.happens[event.index()].is_some_and(|happens| self.solver.is_true(happens)))
            .collect();
        let holds = |condition: u32| {
            self.produced(prefix, condition).is_none_or(|produced| self.solver.is_true(produced))
                && self.consumed[condition as usize].is_none_or(|consumed| !self.solver.is_true(consumed))
        };
        let places = prefix.conditions().filter(|condition| {
            let producer = prefix.producer(*condition);
            producer.is_none_or(|event| self.happens[event.index()].is_some()) && holds(condition.0)
        });
        let marking = Marking::new(places.map(|condition| prefix.place(condition)).collect());
        Deadlock { configuration, marking }
    }

    /// Requires another marking than this one.
    fn exclude(&mut self, prefix: &Unfolder, marking: &Marking) {
        let mut clause = Vec::new();
        for place in 0..self.marks.len() {
            let (marked, unmarked) = self.mark(prefix, place);
            clause.push(if marking.contains(PlaceId(place as u32)) { unmarked } else { marked });
        }
        self.solver.add(&clause);
    }
}
