//! Runs in which one statement waits as long as anything else can go. Guarantee: a sample; every statement that was met
//! gets its turn, however many threads there are.
//!
//! Many failures are of one shape: somebody is about to take a step, and everybody else goes on first. Which step it is
//! takes a few runs to try, one or two for each statement, whereas a walk has to keep the same thread waiting step by step,
//! and the more threads there are, the less likely that becomes. Sen's active testing ("Race directed random testing of
//! concurrent programs", PLDI 2008) postpones threads like this where two statements are suspected; here nothing is
//! suspected, and all statements at which threads meet are tried in a random order.

use raddle_trace::{Event, ObjectId, Run, ThreadId, ThreadSet};

use super::by_statement::{different_spots, spot, spot_of};
use crate::archive::{Archive, Numbers, archive};
use crate::rng::Rng;
use crate::{Again, Choice, Chooser, Decision, Fate, NoPick, Offer, Passed, Strategy};

/// A statement at which threads meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Met {
    spot: u64,
    /// Who was there in some run.
    threads: ThreadSet,
}

/// What waits in a run, and how the others go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Plan {
    /// The statement.
    spot: u64,
    /// Whether all that come to it wait, or only the first.
    all: bool,
    /// Who goes there before anybody else does anything, if somebody does.
    leads: Option<ThreadId>,
    /// Whether the others go as far as they can, one after the other, or by turns.
    far: bool,
}

archive!(Met { spot, threads });
archive!(Plan { spot, all, leads, far });

/// One statement at a time, postponed.
#[derive(Clone, Debug)]
pub struct Postponed {
    rng: Rng,
    /// The statements at which threads met, in order.
    met: Vec<Met>,
    /// What is still to be tried before everything is tried again.
    plans: Vec<Plan>,
    plan: Option<Plan>,
    /// The first thread that waited, and whether it has gone on since because nobody else could.
    waits: Option<ThreadId>,
    gone_on: bool,
    scratch: Vec<(u64, ThreadId)>,
    /// Who touched each object, in the run that is learned from.
    touched: Vec<ThreadSet>,
}

impl Postponed {
    /// The same seed makes the same runs.
    #[must_use]
    pub fn new(seed: u64) -> Postponed {
        Postponed {
            rng: Rng::new(seed),
            met: Vec::new(),
            plans: Vec::new(),
            plan: None,
            waits: None,
            gone_on: false,
            scratch: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// Everything there is to try, in a random order.
    fn plan_again(&mut self) {
        self.plans.clear();
        for met in &self.met {
            for all in [true, false] {
                let leads = met.threads.nth(self.rng.below(met.threads.len()));
                let leads = leads.filter(|_| self.rng.below(2) == 1);
                self.plans.push(Plan { spot: met.spot, all, leads, far: self.rng.below(2) == 1 });
            }
        }
        for end in (1..self.plans.len()).rev() {
            let other = self.rng.below(end + 1);
            self.plans.swap(end, other);
        }
    }

    /// Who of the enabled threads may go.
    fn free(&mut self, at: &Decision<'_>, plan: Plan) -> ThreadSet {
        let is_there = |thread: &ThreadId| spot(at, *thread) == plan.spot;
        if self.waits.is_none() {
            self.waits = at.enabled.iter().find(is_there);
        }
        if let Some(leader) = plan.leads.filter(|leader| at.enabled.contains(*leader) && self.waits.is_none())
        {
            return ThreadSet::only(leader);
        }
        let waiting = match self.waits {
            _ if plan.all => at.enabled.iter().filter(is_there).collect(),
            Some(waiting) if !self.gone_on => ThreadSet::only(waiting),
            _ => ThreadSet::EMPTY,
        };
        let free = at.enabled.without(waiting);
        if free.is_empty() {
            self.gone_on = true;
            return at.enabled;
        }
        free
    }
}

impl Chooser for Postponed {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        let free = self.plan.map_or(at.enabled, |plan| self.free(at, plan));
        let far = self.plan.is_some_and(|plan| plan.far);
        if let Some(running) = at.running().filter(|running| far && free.contains(*running)) {
            return Choice::Go(running);
        }
        different_spots(&Decision { enabled: free, ..*at }, &mut self.scratch);
        let (drawn, _) = self.scratch[self.rng.below(self.scratch.len())];
        let there: ThreadSet = free.iter().filter(|thread| spot(at, *thread) == drawn).collect();
        let chosen = there.nth(self.rng.below(there.len()));
        Choice::Go(chosen.expect("bug in raddle: a decision without enabled threads"))
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        Ok(self.rng.below(at.alternatives as usize) as u32)
    }
}

impl Strategy for Postponed {
    fn begin(&mut self) -> bool {
        (self.waits, self.gone_on) = (None, false);
        if self.plans.is_empty() {
            self.plan_again();
        }
        self.plan = self.plans.pop();
        true
    }

    fn learn(&mut self, run: &Run) {
        self.touched.clear();
        let object = |event: &Event| {
            let object = event.operation.object;
            (event.decided && object != ObjectId::NONE).then(|| object.index())
        };
        for event in &run.events {
            if let Some(object) = object(event) {
                if self.touched.len() <= object {
                    self.touched.resize(object + 1, ThreadSet::EMPTY);
                }
                self.touched[object].insert(event.thread);
            }
        }
        for event in &run.events {
            let spot = spot_of(event.place);
            if spot == 0 || object(event).is_none_or(|object| self.touched[object].len() < 2) {
                continue;
            }
            match self.met.binary_search_by_key(&spot, |met| met.spot) {
                Ok(at) => self.met[at].threads.insert(event.thread),
                Err(at) => self.met.insert(at, Met { spot, threads: ThreadSet::only(event.thread) }),
            }
        }
    }

    fn passes_over(&self, _passed: Passed) -> Fate {
        Fate::NotDrawn
    }

    fn save(&self) -> Option<Vec<u64>> {
        Some((self.rng.clone(), (self.met.clone(), self.plans.clone())).numbers())
    }

    fn restore(&mut self, saved: &[u64], _again: &mut Again<'_>) -> bool {
        let saved = Numbers::new(saved).only();
        saved.map(|(rng, (met, plans))| (self.rng, self.met, self.plans) = (rng, met, plans)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use raddle_trace::{Accesses, Kind, Operation, Outcome, Pending, Place, Site};

    use super::*;

    /// Lines of one file, kept for good because places are.
    static SITES: [Site; 5] = {
        let mut sites = [Site { file: "toy.c", function: "f", line: 0, column: 1, context: 0 }; 5];
        let mut line = 0;
        while line < sites.len() {
            sites[line].line = line as u32;
            line += 1;
        }
        sites
    };

    /// Threads that write to one object, at these lines.
    const THREADS: [[usize; 2]; 3] = [[1, 2], [3, 4], [3, 4]];

    fn pending(line: usize) -> Pending {
        let operation = Operation::new(Kind::Store, ObjectId::new(0), 0);
        Pending {
            operation,
            outcome: Some(Outcome::Done),
            accesses: Accesses::of(&operation, Outcome::Done),
            alternatives: 1,
            place: Place::Site(&SITES[line]),
            cause: None,
        }
    }

    /// Makes a run, learns from it, and says at which lines it was.
    fn run(strategy: &mut Postponed) -> Vec<usize> {
        let (mut positions, mut last, mut run, mut lines) = ([0; 3], None, Run::default(), Vec::new());
        strategy.begin();
        loop {
            let enabled: ThreadSet =
                (0..3).filter(|thread| positions[*thread] < 2).map(ThreadId::new).collect();
            if enabled.is_empty() {
                strategy.learn(&run);
                return lines;
            }
            let line = |thread: usize| THREADS[thread].get(positions[thread]).copied().unwrap_or(0);
            let pending = [0, 1, 2].map(|thread| pending(line(thread)));
            let at = Decision { enabled, last, pending: &pending, event: lines.len(), objects: 1 };
            let Choice::Go(thread) = strategy.decide(&at) else { panic!("it always goes on") };
            lines.push(line(thread.index()));
            run.events.push(Event {
                thread,
                operation: pending[thread.index()].operation,
                outcome: Outcome::Done,
                alternative: 0,
                alternatives: 1,
                before: 0,
                value: 0,
                cause: None,
                decided: true,
                preempts: false,
                place: pending[thread.index()].place,
            });
            positions[thread.index()] += 1;
            last = Some(thread);
        }
    }

    #[test]
    fn every_statement_waits_in_some_run_until_nobody_else_can_go() {
        for seed in 0..20 {
            let mut strategy = Postponed::new(seed);
            run(&mut strategy);
            // Two runs for each of the four statements.
            let runs: Vec<Vec<usize>> = (0..8).map(|_| run(&mut strategy)).collect();
            for (line, before) in
                [(1, &[3, 3, 4, 4][..]), (2, &[1, 3, 3, 4, 4]), (3, &[1, 2]), (4, &[1, 2, 3, 3])]
            {
                let waits = |lines: &Vec<usize>| {
                    let mut first = lines.split(|other| *other == line).next().unwrap_or_default().to_vec();
                    first.sort_unstable();
                    first == before
                };
                assert!(runs.iter().any(waits), "line {line}, seed {seed}: {runs:?}");
            }
        }
    }

    #[test]
    fn a_thread_that_came_first_is_overtaken_at_the_same_statement() {
        let mut strategy = Postponed::new(1);
        run(&mut strategy);
        let plan = Plan {
            spot: spot_of(Place::Site(&SITES[4])),
            all: false,
            leads: Some(ThreadId::new(1)),
            far: true,
        };
        strategy.plans.push(plan);
        let lines = run(&mut strategy);
        assert_eq!((lines[0], lines.last()), (3, Some(&4)), "{lines:?}");
        assert_eq!(lines[1..5].iter().filter(|line| **line == 4).count(), 1, "{lines:?}");
    }
}
