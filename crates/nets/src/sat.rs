//! A small solver of propositional clauses, for questions about prefixes that are hard in principle.
//!
//! Conflict-driven: two watched literals per clause, learning at the first unique implication point, activities that
//! decay, and restarts that grow geometrically. Clauses may be added between two calls of `solve`, which is how all
//! answers are enumerated; without new ones it goes on where it gave up. Deterministic: ties are broken by variable number.

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Literal(u32);

impl Literal {
    const fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether the literal is satisfied when its variable is true.
    const fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }
}

impl std::ops::Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The number of a clause; [`NO_CLAUSE`] for none.
type ClauseIndex = u32;
const NO_CLAUSE: ClauseIndex = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Watch {
    clause: ClauseIndex,
    /// Some other literal of the clause: while it is true, the clause need not be looked at.
    blocker: Literal,
}

/// Clauses, and what has been found out about their variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solver {
    clauses: Vec<Vec<Literal>>,
    /// For each literal the clauses that watch it.
    watches: Vec<Vec<Watch>>,
    values: Vec<Option<bool>>,
    levels: Vec<u32>,
    reasons: Vec<ClauseIndex>,
    /// The value that a variable had last, tried first when it is decided.
    phases: Vec<bool>,
    trail: Vec<Literal>,
    level_starts: Vec<usize>,
    next: usize,
    activities: Vec<f64>,
    increment: f64,
    heap: Vec<u32>,
    places_in_heap: Vec<u32>,
    seen: Vec<bool>,
    is_contradictory: bool,
    /// Conflicts between the last restart and the next one, and those of them that are still to come.
    restart: u64,
    until_restart: u64,
}

/// Conflicts before the first restart.
const FIRST_RESTART: u64 = 100;

const NOT_IN_HEAP: u32 = u32::MAX;

impl Solver {
    pub(crate) fn new() -> Self {
        Self { increment: 1.0, restart: FIRST_RESTART, until_restart: FIRST_RESTART, ..Self::default() }
    }

    /// A new variable, and the value to try first.
    pub(crate) fn variable(&mut self, phase: bool) -> Literal {
        let variable = self.values.len() as u32;
        self.values.push(None);
        self.levels.push(0);
        self.reasons.push(NO_CLAUSE);
        self.phases.push(phase);
        self.activities.push(0.0);
        self.seen.push(false);
        self.places_in_heap.push(NOT_IN_HEAP);
        self.watches.push(Vec::new());
        self.watches.push(Vec::new());
        self.insert_into_heap(variable);
        Literal(variable * 2)
    }

    /// Whether a literal is true in the last answer.
    pub(crate) fn is_true(&self, literal: Literal) -> bool {
        self.value(literal) == Some(true)
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.values[literal.variable()].map(|value| value == literal.is_positive())
    }

    /// Requires that one of the literals is true. Forgets the last answer.
    pub(crate) fn add(&mut self, clause: &[Literal]) {
        self.back_to(0);
        (self.restart, self.until_restart) = (FIRST_RESTART, FIRST_RESTART);
        let mut literals = clause.to_vec();
        literals.sort_unstable();
        literals.dedup();
        let is_tautology = literals.windows(2).any(|pair| pair[0] == !pair[1]);
        if is_tautology || literals.iter().any(|&literal| self.value(literal) == Some(true)) {
            return;
        }
        literals.retain(|&literal| self.value(literal).is_none());
        match literals.as_slice() {
            [] => self.is_contradictory = true,
            [literal] => self.assign(*literal, NO_CLAUSE),
            _ => {
                self.attach(literals);
            }
        }
    }

    fn attach(&mut self, literals: Vec<Literal>) -> ClauseIndex {
        let clause = self.clauses.len() as ClauseIndex;
        self.watches[literals[0].index()].push(Watch { clause, blocker: literals[1] });
        self.watches[literals[1].index()].push(Watch { clause, blocker: literals[0] });
        self.clauses.push(literals);
        clause
    }

    fn assign(&mut self, literal: Literal, reason: ClauseIndex) {
        let variable = literal.variable();
        self.values[variable] = Some(literal.is_positive());
        self.phases[variable] = literal.is_positive();
        self.levels[variable] = self.level_starts.len() as u32;
        self.reasons[variable] = reason;
        self.trail.push(literal);
    }

    fn back_to(&mut self, level: usize) {
        let Some(&start) = self.level_starts.get(level) else { return };
        for literal in self.trail.split_off(start) {
            self.values[literal.variable()] = None;
            self.insert_into_heap(literal.variable() as u32);
        }
        self.level_starts.truncate(level);
        self.next = start;
    }

    /// Draws all consequences; returns a clause that became false.
    fn propagate(&mut self) -> Option<ClauseIndex> {
        while let Some(&literal) = self.trail.get(self.next) {
            self.next += 1;
            let refuted = !literal;
            let mut watches = std::mem::take(&mut self.watches[refuted.index()]);
            let (mut kept, mut conflict) = (0, None);
            let mut read = 0;
            while read < watches.len() {
                let watch = watches[read];
                read += 1;
                if self.value(watch.blocker) == Some(true) {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                if self.moved(watch.clause, refuted) {
                    continue;
                }
                let first = self.clauses[watch.clause as usize][0];
                watches[kept] = Watch { clause: watch.clause, blocker: first };
                kept += 1;
                match self.value(first) {
                    Some(true) => {}
                    None => self.assign(first, watch.clause),
                    Some(false) => {
                        conflict = Some(watch.clause);
                        break;
                    }
                }
            }
            watches.copy_within(read.., kept);
            watches.truncate(kept + watches.len() - read);
            self.watches[refuted.index()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Lets a clause watch another literal than one that became false. If it cannot, the other watched literal is first.
    fn moved(&mut self, clause: ClauseIndex, refuted: Literal) -> bool {
        let literals = &mut self.clauses[clause as usize];
        if literals[0] == refuted {
            literals.swap(0, 1);
        }
        let values = &self.values;
        let is_false = |literal: Literal| values[literal.variable()] == Some(!literal.is_positive());
        let Some(other) = (2..literals.len()).find(|&nth| !is_false(literals[nth])) else { return false };
        literals.swap(1, other);
        let watch = Watch { clause, blocker: literals[0] };
        let watched = literals[1];
        self.watches[watched.index()].push(watch);
        true
    }

    /// Finds values for all variables that satisfy all clauses; `None` if `conflicts` were not enough to tell. What was
    /// found out by then is kept, so that asking again goes on.
    pub(crate) fn solve(&mut self, conflicts: u64) -> Option<bool> {
        let mut left = conflicts;
        loop {
            if self.is_contradictory {
                return Some(false);
            }
            if let Some(conflict) = self.propagate() {
                if self.level_starts.is_empty() {
                    self.is_contradictory = true;
                    return Some(false);
                }
                self.until_restart = self.until_restart.saturating_sub(1);
                self.learn(conflict);
                self.increment /= 0.95;
                if left == 0 {
                    return None;
                }
                left -= 1;
                continue;
            }
            if self.until_restart == 0 {
                self.restart += self.restart / 2;
                self.until_restart = self.restart;
                self.back_to(0);
                continue;
            }
            let Some(variable) = self.most_active() else { return Some(true) };
            self.level_starts.push(self.trail.len());
            let literal = Literal(variable * 2 + u32::from(!self.phases[variable as usize]));
            self.assign(literal, NO_CLAUSE);
        }
    }

    /// Learns a clause from a conflict, goes back to where it would have had an effect, and draws it.
    fn learn(&mut self, conflict: ClauseIndex) {
        let current = self.level_starts.len() as u32;
        let mut learned = vec![Literal(0)];
        let (mut open, mut reason, mut position) = (0, conflict, self.trail.len());
        let pivot = loop {
            // A reason's first literal is the one it implied.
            let skip = usize::from(reason != conflict || open > 0);
            for nth in skip..self.clauses[reason as usize].len() {
                let literal = self.clauses[reason as usize][nth];
                let variable = literal.variable();
                if self.seen[variable] || self.levels[variable] == 0 {
                    continue;
                }
                self.seen[variable] = true;
                self.bump(variable as u32);
                if self.levels[variable] == current {
                    open += 1;
                } else {
                    learned.push(literal);
                }
            }
            position = (0..position).rev().find(|&nth| self.seen[self.trail[nth].variable()]).unwrap_or(0);
            let literal = self.trail[position];
            self.seen[literal.variable()] = false;
            open -= 1;
            if open == 0 {
                break literal;
            }
            reason = self.reasons[literal.variable()];
        };
        learned[0] = !pivot;
        for literal in &learned[1..] {
            self.seen[literal.variable()] = false;
        }
        let deepest = (1..learned.len()).max_by_key(|&nth| self.levels[learned[nth].variable()]);
        match deepest {
            None => {
                self.back_to(0);
                self.assign(!pivot, NO_CLAUSE);
            }
            Some(nth) => {
                learned.swap(1, nth);
                self.back_to(self.levels[learned[1].variable()] as usize);
                let clause = self.attach(learned);
                self.assign(!pivot, clause);
            }
        }
    }

    fn bump(&mut self, variable: u32) {
        self.activities[variable as usize] += self.increment;
        if self.activities[variable as usize] > 1e100 {
            self.activities.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.increment *= 1e-100;
        }
        let place = self.places_in_heap[variable as usize];
        if place != NOT_IN_HEAP {
            self.rise(place as usize);
        }
    }

    fn most_active(&mut self) -> Option<u32> {
        while let Some(&variable) = self.heap.first() {
            self.places_in_heap[variable as usize] = NOT_IN_HEAP;
            if let Some(last) = self.heap.pop()
                && !self.heap.is_empty()
            {
                self.heap[0] = last;
                self.places_in_heap[last as usize] = 0;
                self.sink(0);
            }
            if self.values[variable as usize].is_none() {
                return Some(variable);
            }
        }
        None
    }

    fn insert_into_heap(&mut self, variable: u32) {
        if self.places_in_heap[variable as usize] == NOT_IN_HEAP {
            self.places_in_heap[variable as usize] = self.heap.len() as u32;
            self.heap.push(variable);
            self.rise(self.heap.len() - 1);
        }
    }

    fn is_above(&self, left: u32, right: u32) -> bool {
        let (a, b) = (self.activities[left as usize], self.activities[right as usize]);
        a > b || (a == b && left < right)
    }

    fn exchange(&mut self, left: usize, right: usize) {
        self.heap.swap(left, right);
        self.places_in_heap[self.heap[left] as usize] = left as u32;
        self.places_in_heap[self.heap[right] as usize] = right as u32;
    }

    fn rise(&mut self, mut child: usize) {
        while child > 0 {
            let parent = (child - 1) / 2;
            if !self.is_above(self.heap[child], self.heap[parent]) {
                break;
            }
            self.exchange(child, parent);
            child = parent;
        }
    }

    fn sink(&mut self, mut parent: usize) {
        loop {
            let left = 2 * parent + 1;
            let Some(&first) = self.heap.get(left) else { break };
            let right_is_above = self.heap.get(left + 1).is_some_and(|&other| self.is_above(other, first));
            let child = left + usize::from(right_is_above);
            if !self.is_above(self.heap[child], self.heap[parent]) {
                break;
            }
            self.exchange(child, parent);
            parent = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same every time.
    fn draw(state: &mut u64, bound: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % bound
    }

    fn brute_force(variables: usize, clauses: &[Vec<Literal>]) -> usize {
        let holds =
            |bits: u32, literal: Literal| (bits >> literal.variable() & 1 == 1) == literal.is_positive();
        (0..1_u32 << variables)
            .filter(|&bits| clauses.iter().all(|clause| clause.iter().any(|&literal| holds(bits, literal))))
            .count()
    }

    #[test]
    fn the_number_of_answers_equals_that_of_brute_force() {
        let mut state = 7;
        for round in 0..400 {
            let variables = 3 + (round % 7);
            let mut solver = Solver::new();
            let literals: Vec<Literal> = (0..variables).map(|_| solver.variable(round % 2 == 0)).collect();
            let mut clauses = Vec::new();
            for _ in 0..variables * 3 {
                let clause: Vec<Literal> = (0..1 + draw(&mut state, 3))
                    .map(|_| {
                        let literal = literals[draw(&mut state, variables as u64) as usize];
                        if draw(&mut state, 2) == 0 { literal } else { !literal }
                    })
                    .collect();
                if clause.len() > 1 || draw(&mut state, 4) == 0 {
                    solver.add(&clause);
                    clauses.push(clause);
                }
            }
            let mut answers = 0;
            while solver.solve(u64::MAX) == Some(true) {
                answers += 1;
                let negated: Vec<Literal> = literals
                    .iter()
                    .map(|&literal| if solver.is_true(literal) { !literal } else { literal })
                    .collect();
                solver.add(&negated);
            }
            assert_eq!(answers, brute_force(variables, &clauses), "round {round}");
        }
    }

    /// So many pigeons that each want a hole of their own.
    fn pigeons(pigeons: usize, holes: usize) -> Solver {
        let mut solver = Solver::new();
        let sits: Vec<Vec<Literal>> =
            (0..pigeons).map(|_| (0..holes).map(|_| solver.variable(true)).collect()).collect();
        for row in &sits {
            solver.add(row);
        }
        for (one, other) in (0..pigeons).flat_map(|one| (0..one).map(move |other| (one, other))) {
            for (left, right) in sits[one].iter().zip(&sits[other]) {
                solver.add(&[!*left, !*right]);
            }
        }
        solver
    }

    #[test]
    fn pigeons_do_not_fit_into_fewer_holes() {
        let mut solver = pigeons(7, 6);
        assert_eq!(solver.solve(3), None, "a few conflicts do not suffice");
        assert_eq!(solver.solve(u64::MAX), Some(false));
    }

    #[test]
    fn a_question_that_is_asked_again_and_again_goes_on_where_it_was_given_up() {
        // One conflict more than allowed is learned from, so that each call of these has met eleven.
        let mut solver = pigeons(7, 6);
        let mut slices = 1_u64;
        let answer = loop {
            match solver.solve(10) {
                Some(answer) => break answer,
                None => slices += 1,
            }
        };
        assert!(!answer);
        let most = 11 * slices;
        assert_eq!(pigeons(7, 6).solve(most), Some(false), "in one go it takes as many conflicts");
        assert_eq!(pigeons(7, 6).solve(most - 24), None, "and no fewer");
    }
}
