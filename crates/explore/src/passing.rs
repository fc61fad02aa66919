//! A run that passes, as close as possible to one that shows a finding: where the two part is what matters.
//!
//! The schedule of the finding is followed up to one of its choices; there something else is chosen, and from then on
//! threads are switched only where they have to be. First each pre-emption is left out, from the last to the first; then
//! every later choice is tried, from the last one on, because the more the two runs share the more they tell.

use raddle_trace::{Ending, Run, Step, ThreadId};

use crate::{Choice, Chooser, Decision, NoPick, Offer, Replay, RunLimits, Subject};

/// What looking for a run that passes arrived at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passing {
    /// The choices of the run that passes, if one of those that were made does.
    pub steps: Option<Vec<Step>>,
    /// Runs that were made for it.
    pub runs: u64,
}

/// Looks for a run that passes and begins like `found`, as long as it may go on after so many runs. A run passes if it comes
/// to its end and nothing is wrong with it.
pub fn passing(
    subject: &mut dyn Subject,
    limits: &RunLimits,
    found: &Run,
    may_go_on: &mut dyn FnMut(u64) -> bool,
    is_wrong: &mut dyn FnMut(&Run) -> bool,
) -> Passing {
    let steps = Replay::steps_of(&found.events);
    let mut counting = Counting { replay: Replay::new(&steps), others: Vec::new() };
    subject.run(&mut counting, limits);
    let others = counting.others;
    let mut looking = Looking { subject, limits, steps: &steps, is_wrong, runs: 0 };
    let (mut best, mut first) = (None, 0);
    for at in switches(found).into_iter().rev() {
        if best.is_some() || !may_go_on(looking.runs) {
            break;
        }
        best = looking.part(at, 0);
        first = if best.is_some() { at + 1 } else { 0 };
    }
    let later = (first..steps.len()).rev();
    let mut choices =
        later.flat_map(|at| (0..others.get(at).copied().unwrap_or(0)).map(move |which| (at, which)));
    let mut later = None;
    while let (None, true, Some((at, which))) = (&later, may_go_on(looking.runs), choices.next()) {
        later = looking.part(at, which);
    }
    Passing { steps: later.or(best), runs: looking.runs }
}

/// Which steps of the schedule are pre-emptions.
fn switches(found: &Run) -> Vec<usize> {
    let mut switches = Vec::new();
    let mut step = 0;
    for event in &found.events {
        if event.preempts {
            switches.push(step);
        }
        step += usize::from(event.decided) + usize::from(event.alternatives > 1);
    }
    switches
}

struct Looking<'a> {
    subject: &'a mut dyn Subject,
    limits: &'a RunLimits,
    steps: &'a [Step],
    is_wrong: &'a mut dyn FnMut(&Run) -> bool,
    runs: u64,
}

impl Looking<'_> {
    /// Follows the schedule up to this step and chooses something else there; the choices of the run, if it passes.
    fn part(&mut self, at: usize, which: usize) -> Option<Vec<Step>> {
        self.runs += 1;
        let run = self.subject.run(&mut Parting { steps: self.steps, at, which, next: 0 }, self.limits);
        let steps = Replay::steps_of(&run.events);
        // A subject that can make no more runs shows empty ones.
        let parts = steps.len() > at && steps[..at] == self.steps[..at] && steps[at] != self.steps[at];
        (parts && run.ending == Ending::Finished && !(self.is_wrong)(run)).then_some(steps)
    }
}

/// Follows a schedule, and counts at each step what else could have been chosen.
struct Counting<'a> {
    replay: Replay<'a>,
    others: Vec<usize>,
}

impl Chooser for Counting<'_> {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        self.others.push(at.enabled.iter().count().saturating_sub(1));
        self.replay.decide(at)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        self.others.push(at.alternatives as usize - 1);
        self.replay.pick(at)
    }
}

/// Follows a schedule up to a step, chooses something else there, and then switches only where it has to.
struct Parting<'a> {
    steps: &'a [Step],
    at: usize,
    /// Which of the other choices is taken.
    which: usize,
    next: usize,
}

impl Parting<'_> {
    /// The next step of the schedule, and whether the run is still before the one at which it parts; none behind it.
    fn step(&mut self) -> Option<(Step, bool)> {
        let step = self.steps.get(self.next).copied().filter(|_| self.next <= self.at);
        self.next += 1;
        Some((step?, self.next <= self.at))
    }
}

impl Chooser for Parting<'_> {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        match self.step() {
            Some((Step::Thread(thread), true)) if at.enabled.contains(thread) => Choice::Go(thread),
            Some((Step::Thread(thread), false)) => {
                // Who was running comes first: that leaves a pre-emption out.
                let mut others: Vec<ThreadId> = at.enabled.iter().filter(|other| *other != thread).collect();
                others.sort_by_key(|other| at.last != Some(*other));
                others.get(self.which).copied().map_or(Choice::Diverged, Choice::Go)
            }
            Some(_) => Choice::Diverged,
            None => at.natural(at.enabled).map_or(Choice::Diverged, Choice::Go),
        }
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        match self.step() {
            Some((Step::Alternative(alternative), true)) if alternative < at.alternatives => Ok(alternative),
            Some((Step::Alternative(alternative), false)) => {
                let mut others = (0..at.alternatives).filter(|other| *other != alternative);
                others.nth(self.which).ok_or(NoPick::Diverged)
            }
            Some(_) => Err(NoPick::Diverged),
            None => Ok(0),
        }
    }
}
