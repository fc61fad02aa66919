//! Shrinking: the same finding with the fewest pre-emptions, then the fewest steps.
//!
//! First all schedules with no pre-emption are searched, then with one, and so on; the first bound under which the
//! finding shows up again is the smallest there is. Where that takes too many runs, the found schedule is simplified
//! instead: one switch after the other is tried to be put off.

use raddle_trace::{Event, Run, Step, ThreadId};

use crate::strategies::PreemptionBound;
use crate::{Choice, Chooser, Decision, NoPick, Offer, Replay, RunLimits, Strategy, Subject};

/// What shrinking arrived at.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The choices of the smallest run found.
    pub steps: Vec<Step>,
    /// Its pre-emptions.
    pub preemptions: usize,
    /// Its events.
    pub length: usize,
    /// Runs that were made for it.
    pub runs: u64,
}

/// How many switches a run made away from a thread that could have gone on.
///
/// A thread could go on if its next event was decided too and was enabled, which a run tells by what its threads did:
/// the runtime marks it in the event that was taken instead.
#[must_use]
pub fn preemptions(events: &[Event]) -> usize {
    events.iter().filter(|event| event.preempts).count()
}

fn size(run: &Run) -> (usize, usize) {
    (preemptions(&run.events), run.events.len())
}

/// Looks for the smallest run for which `same` holds, starting from one that does; makes at most `max_runs` runs.
pub fn shrink(
    subject: &mut dyn Subject,
    limits: &RunLimits,
    found: &Run,
    max_runs: u64,
    same: &mut dyn FnMut(&Run) -> bool,
) -> Shrunk {
    let mut best = Shrunk {
        steps: Replay::steps_of(&found.events),
        preemptions: preemptions(&found.events),
        length: found.events.len(),
        runs: 0,
    };
    search_below(subject, limits, max_runs / 2, same, &mut best);
    simplify(subject, limits, max_runs, same, &mut best);
    best
}

impl Shrunk {
    fn consider(&mut self, run: &Run) -> bool {
        let smaller = size(run) < (self.preemptions, self.length);
        if smaller {
            (self.preemptions, self.length) = size(run);
            self.steps = Replay::steps_of(&run.events);
        }
        smaller
    }
}

/// Searches all schedules with fewer pre-emptions than the best one, from none upwards; of those with the fewest it
/// keeps the shortest.
fn search_below(
    subject: &mut dyn Subject,
    limits: &RunLimits,
    max_runs: u64,
    same: &mut dyn FnMut(&Run) -> bool,
    best: &mut Shrunk,
) {
    for bound in 0.. {
        let mut strategy = PreemptionBound::at_most(bound as u32);
        let mut found = false;
        while best.runs < max_runs && strategy.begin() {
            best.runs += 1;
            let run = subject.run(&mut strategy, limits);
            if same(run) {
                best.consider(run);
                found = true;
            }
        }
        if found || best.runs >= max_runs || bound + 1 > best.preemptions {
            return;
        }
    }
}

/// Tries to put off every switch of the best schedule, as long as that makes it smaller.
fn simplify(
    subject: &mut dyn Subject,
    limits: &RunLimits,
    max_runs: u64,
    same: &mut dyn FnMut(&Run) -> bool,
    best: &mut Shrunk,
) {
    let mut at = 1;
    while at < best.steps.len() && best.runs < max_runs {
        let candidate = without_switch(&best.steps, at);
        at += 1;
        let Some(candidate) = candidate else { continue };
        best.runs += 1;
        let run = subject.run(&mut Leaning { steps: &candidate, next: 0 }, limits);
        if same(run) && best.consider(run) {
            at = 1;
        }
    }
}

/// The schedule in which the thread before step `at` goes on instead of being switched away from.
fn without_switch(steps: &[Step], at: usize) -> Option<Vec<Step>> {
    let (Step::Thread(before), Step::Thread(now)) = (steps[at - 1], steps[at]) else {
        return None;
    };
    if before == now {
        return None;
    }
    let later = steps[at..].iter().position(|step| *step == Step::Thread(before))? + at;
    let mut moved = steps.to_vec();
    let step = moved.remove(later);
    moved.insert(at, step);
    Some(moved)
}

/// Follows a schedule where it can, and otherwise switches only where it has to.
struct Leaning<'a> {
    steps: &'a [Step],
    next: usize,
}

impl Leaning<'_> {
    /// The next thread of the schedule that can go.
    fn wanted(&mut self, at: &Decision<'_>) -> Option<ThreadId> {
        while let Some(step) = self.steps.get(self.next) {
            self.next += 1;
            match step {
                Step::Thread(thread) if at.enabled.contains(*thread) => return Some(*thread),
                _ => {}
            }
        }
        None
    }
}

impl Chooser for Leaning<'_> {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        self.wanted(at).or_else(|| at.natural(at.enabled)).map_or(Choice::GiveUp, Choice::Go)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        match self.steps.get(self.next) {
            Some(Step::Alternative(alternative)) => {
                self.next += 1;
                Ok((*alternative).min(at.alternatives - 1))
            }
            _ => Ok(0),
        }
    }
}
