//! The one loop: plan, run, learn, until there is nothing left to try or something says stop.

use std::time::Duration;

use raddle_coverage::{Growth, HapSets};
use raddle_trace::{Ending, Event, Hidden, Place, Run, ThreadId, limits};

use crate::archive::Kept;
use crate::model::{Beyond, ModelNet};
use crate::{
    Again, Budget, Doubt, Estimate, Explored, Guarantee, Limit, ModelSize, Replay, RunLimits, Saved,
    Strategy, Subject, Verdict, digest,
};

/// How often runs of a search that came to its end were made again, at the least.
const MADE_AGAIN: u32 = 8;

/// Runs that did not end by themselves before the search is given up.
const MAX_UNFINISHED: u32 = 3;

/// Whether to go on after a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Go on.
    No,
    /// This was enough.
    Now,
    /// Something was found in this run; go on.
    Found,
    /// Something was found in this run, and this was enough.
    FoundEnough,
}

impl Stop {
    /// From whether something was found and whether that was enough.
    #[must_use]
    pub fn after(found: bool, enough: bool) -> Stop {
        match (found, enough) {
            (false, false) => Stop::No,
            (false, true) => Stop::Now,
            (true, false) => Stop::Found,
            (true, true) => Stop::FoundEnough,
        }
    }

    /// Whether something was found in the run.
    #[must_use]
    pub fn found(self) -> bool {
        matches!(self, Stop::Found | Stop::FoundEnough)
    }

    /// Whether the search is to end.
    #[must_use]
    pub fn is_enough(self) -> bool {
        matches!(self, Stop::Now | Stop::FoundEnough)
    }
}

/// What a search is doing when it asks whether to go on.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
    /// It is about to make a run, which may turn out not to count: it could only repeat others, or is another worker's.
    Begins,
    /// It has made a complete run, with this number, counted from one.
    Run(&'a Run, u64),
    /// Its strategy thinks about what it knows, and has more to think about. That can take far longer than a run.
    Thinking,
}

/// Who sees what a search is doing, with its strategy, and says whether to go on.
pub type Judge<'j> = dyn FnMut(Moment<'_>, &dyn Strategy) -> Stop + 'j;

/// How far a search came.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Complete runs.
    pub runs: u64,
    /// Runs that were given up because they could only repeat others.
    pub blocked: u64,
    /// Events of all runs.
    pub steps: u64,
    /// Events of the longest run.
    pub longest: usize,
    /// Threads that occurred.
    pub threads: usize,
    /// The limit that ended the search or left a gap in it.
    pub limit: Option<Limit>,
    /// Why the search cannot be trusted.
    pub doubt: Option<Doubt>,
    /// Whether there was nothing left to try.
    pub finished: bool,
    /// What has to be visible when the search starts again.
    pub needs_visible: Option<Hidden>,
    /// Whether an atomic operation asked for less than sequential consistency.
    pub weaker_orders: bool,
    /// Where a loop was taken for waiting that may have changed something where nobody looks.
    pub assumed_waiting: Option<Place>,
    /// Where a loop was made to wait that went on changing on its own.
    pub cut_short: Option<Place>,
    /// Who made the last step of a run that had too many, and where.
    pub too_long: Option<(ThreadId, Place)>,
    /// What the strategy may claim if it finished.
    pub guarantee: Option<Guarantee>,
    /// How much there would have been, if the search did not finish.
    pub estimate: Option<Estimate>,
    /// The size of the model, if the strategy built one.
    pub model: Option<ModelSize>,
    /// Why there is no model, if the strategy would have built one.
    pub beyond: Option<Beyond>,
    /// The model itself, as far as it was asked for.
    pub net: Option<Box<ModelNet>>,
    /// Runs that a guided search made beside a complete one. If the complete one came to its end and nothing was found,
    /// they are not among [`Reached::runs`]: it would have claimed the same without them.
    pub beside: u64,
    /// Different traces among the runs, if they were counted.
    pub traces: Option<u64>,
    /// The orders of statements that were seen, if the strategy learns them.
    pub covered: Option<Covered>,
    /// What was tried and what was not, if the search was watched.
    pub explored: Option<Explored>,
    /// Where it stopped, if it can go on from there.
    pub saved: Option<Saved>,
}

/// The orders of statements that a search has seen.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// Which they are, with what was known at the beginning.
    pub sets: HapSets,
    /// How their number grew from run to run.
    pub growth: Growth,
}

impl Covered {
    /// Adds what another part of the same search covered.
    fn add(&mut self, other: &Covered) {
        // Parts of one search tell statements apart in the same way.
        if self.sets.merge(&other.sets).is_ok() && other.growth.runs() > self.growth.runs() {
            self.growth = other.growth.clone();
        }
    }
}

impl Reached {
    /// What may be claimed, given the number of findings.
    #[must_use]
    pub fn verdict(&self, findings: usize) -> Verdict {
        let guarantee = self.guarantee.unwrap_or(Guarantee::Sample);
        match (&self.doubt, self.limit) {
            (Some(doubt), _) => Verdict::Untrusted(doubt.clone()),
            _ if findings > 0 => Verdict::Failed,
            (None, Some(Limit::Runs(_))) if guarantee == Guarantee::Sample => Verdict::Sampled(self.runs),
            (None, Some(limit)) => Verdict::Stopped(limit),
            (None, None) if self.finished && self.cut_short.is_some() && guarantee != Guarantee::Sample => {
                Verdict::Stopped(Limit::Rounds)
            }
            (None, None) if self.finished => Verdict::at_end(guarantee, self.runs),
            // Somebody said stop without a finding: what was run is all that may be claimed.
            (None, None) => Verdict::Stopped(Limit::Interrupted(self.runs)),
        }
    }
}

/// A search: a subject, a strategy, and what may be spent.
pub struct Search<'a> {
    /// The program.
    pub subject: &'a mut dyn Subject,
    /// What to try.
    pub strategy: &'a mut dyn Strategy,
    /// What may be spent.
    pub budget: Budget,
    /// Limits of each run.
    pub limits: RunLimits,
    /// The time since the search started.
    pub elapsed: &'a dyn Fn() -> Duration,
}

impl Search<'_> {
    /// Searches; `judge` sees every complete run with its number, counted from one.
    pub fn run(&mut self, judge: &mut dyn FnMut(&Run, u64) -> Stop) -> Reached {
        self.run_watched(&mut |moment, _| match moment {
            Moment::Run(run, number) => judge(run, number),
            Moment::Begins | Moment::Thinking => Stop::No,
        })
    }

    /// The same, for who wants to look at the strategy meanwhile, also while it thinks.
    pub fn run_watched(&mut self, judge: &mut Judge<'_>) -> Reached {
        self.go_on(Reached::default(), Vec::new(), judge)
    }

    /// Goes on with a search that was stopped, also in another process: counts go on from `reached`, budgets begin anew.
    ///
    /// # Errors
    /// If the program does something else now than it did then, or the strategy cannot use what was kept, in a few words.
    pub fn resume(&mut self, reached: Reached, judge: &mut Judge<'_>) -> Result<Reached, &'static str> {
        const CHANGED: &str = "the program does something else now than when the search was stopped";
        let saved = reached.saved.clone().unwrap_or_default();
        let mut changed = false;
        let mut make = |kept: &Kept| {
            let made = kept.again(&mut |replay| self.subject.run(replay, &self.limits).clone());
            changed |= made.is_none();
            made
        };
        let last = make(&saved.last()).ok_or(CHANGED)?;
        if !self.strategy.restore(&saved.state, &mut Again { last: &last, make: &mut make }) {
            let foreign = "what was kept of the search does not belong to its strategy";
            return Err(if changed { CHANGED } else { foreign });
        }
        let reached = Reached { limit: None, estimate: None, saved: None, ..reached };
        Ok(self.go_on(reached, last.events, judge))
    }

    fn go_on(&mut self, mut reached: Reached, mut before: Vec<Event>, judge: &mut Judge<'_>) -> Reached {
        let earlier = reached.runs;
        let (mut unfinished, mut found) = (0, false);
        let (mut made_again, mut may_be_made_again) = (0, None);
        while reached.doubt.is_none() {
            let Some((elapsed, thinks)) = self.think(judge) else { break };
            let limit = self.budget.reached(reached.runs - earlier, elapsed);
            if limit.is_some() || judge(Moment::Begins, self.strategy).is_enough() {
                reached.saved = self.save(&before).filter(|_| !thinks);
                // The last run may have been the last one there was.
                reached.finished = !thinks && !self.strategy.begin();
                reached.limit = reached.limit.or(limit.filter(|_| !reached.finished));
                break;
            }
            if let Some(part) = self.budget.spent(reached.runs - earlier, elapsed) {
                self.strategy.spent(part);
            }
            if !self.strategy.begin() {
                reached.finished = true;
                break;
            }
            let replayed = self.strategy.replayed();
            let run = self.subject.run(self.strategy, &self.limits);
            if let Ending::NeedsVisible(hidden) = run.ending {
                reached.needs_visible = Some(hidden);
                break;
            }
            reached.count(run, &self.limits);
            if let Some(doubt) = divergence(&before, replayed, run) {
                reached.doubt = Some(doubt);
                break;
            }
            before.truncate(replayed);
            before.extend_from_slice(&run.events[before.len()..]);
            if run.ending == Ending::StepLimit {
                // What comes after is not known, so nothing can be exhausted any more; and what does not end once will
                // hardly end the next time.
                unfinished += 1;
                if unfinished >= MAX_UNFINISHED {
                    break;
                }
            }
            if matches!(run.ending, Ending::Blocked | Ending::Elsewhere) {
                self.strategy.learn(run);
                continue;
            }
            if !self.strategy.keeps() {
                self.strategy.learn(run);
                reached.runs -= 1;
                continue;
            }
            // Judged first: what a run with a finding did is nothing to get used to.
            let (sees_plain, shows_more_next) = (run.has_plain_steps, run.shows_more_next);
            let stop = if sees_plain {
                let own = run.clone();
                let told = self.subject.as_told(&own, &self.limits);
                let stop = judge(Moment::Run(&told, reached.runs), self.strategy);
                if stop.found() {
                    self.strategy.found();
                }
                self.strategy.learn(&own);
                stop
            } else {
                let stop = judge(Moment::Run(run, reached.runs), self.strategy);
                if stop.found() {
                    self.strategy.found();
                }
                self.strategy.learn(run);
                stop
            };
            found |= stop.found();
            // The same schedule leads elsewhere when more accesses are steps.
            may_be_made_again = (!shows_more_next).then_some(sees_plain);
            if let Some(sees_plain) = may_be_made_again
                && reached.doubt.is_none()
                && reached.runs.is_power_of_two()
            {
                reached.doubt = self.run_again(&before, sees_plain);
                made_again += 1;
            }
            if stop.is_enough() {
                // What was found would not be found again.
                reached.saved = self.save(&before).filter(|_| !stop.found());
                break;
            }
        }
        // With only a few schedules, a program that draws lots may have drawn the same in all of them.
        while let Some(sees_plain) = may_be_made_again
            && reached.finished
            && reached.doubt.is_none()
            && made_again < MADE_AGAIN
        {
            reached.doubt = self.run_again(&before, sees_plain);
            made_again += 1;
        }
        reached.guarantee = Some(self.strategy.guarantee());
        let (runs, steps) = self.strategy.beside();
        reached.beside = runs;
        if reached.finished && reached.guarantee != Some(Guarantee::Sample) && !found {
            reached.runs = reached.runs.saturating_sub(runs);
            reached.steps = reached.steps.saturating_sub(steps);
        }
        reached.model = self.strategy.model();
        reached.beyond = self.strategy.beyond();
        let covered = self.strategy.coverage();
        reached.covered =
            covered.map(|(sets, growth)| Covered { sets: sets.clone(), growth: growth.clone() });
        reached.explored = self.strategy.explored();
        if reached.finished || reached.doubt.is_some() {
            reached.saved = None;
        }
        if !reached.finished {
            reached.estimate = self.strategy.estimate(reached.runs);
        }
        reached
    }

    /// Where the search is after the run with these events.
    fn save(&self, before: &[Event]) -> Option<Saved> {
        let state = self.strategy.save()?;
        let steps = Replay::steps_of(before);
        Some(Saved { state, steps, events: before.len(), digest: digest(before) })
    }

    /// Lets the strategy do what needs no run, as long as there is time; the time that has passed, and whether there is more
    /// to do. `None` if somebody said stop meanwhile.
    fn think(&mut self, judge: &mut Judge<'_>) -> Option<(Duration, bool)> {
        loop {
            let elapsed = if self.budget.max_time.is_some() { (self.elapsed)() } else { Duration::ZERO };
            let in_time = self.budget.max_time.is_none_or(|max| elapsed < max);
            let thinks = self.strategy.think();
            if !(in_time && thinks) {
                return Some((elapsed, thinks));
            }
            if judge(Moment::Thinking, self.strategy).is_enough() {
                return None;
            }
        }
    }

    /// Makes the last run again: a program that does something else now is not under control.
    fn run_again(&mut self, before: &[Event], sees_plain: bool) -> Option<Doubt> {
        let steps = Replay::steps_of(before);
        let run = self.subject.run(&mut Replay::new(&steps).seeing_plain(sees_plain), &self.limits);
        divergence(before, before.len(), run)
    }
}

impl Reached {
    fn count(&mut self, run: &Run, limits: &RunLimits) {
        match run.ending {
            Ending::Blocked => self.blocked += 1,
            Ending::Elsewhere => return,
            _ => self.runs += 1,
        }
        self.steps += run.events.len() as u64;
        self.longest = self.longest.max(run.events.len());
        self.threads = self.threads.max(run.threads);
        self.weaker_orders |= run.weaker_orders;
        self.assumed_waiting = self.assumed_waiting.or(run.assumed_waiting);
        self.cut_short = self.cut_short.or(run.cut_short);
        match run.ending {
            Ending::StepLimit => {
                self.limit = Some(Limit::Steps(limits.max_steps));
                let last = run.events.last().map(|event| (event.thread, event.place));
                self.too_long = self.too_long.or(last);
            }
            Ending::TooManyThreads => self.limit = Some(Limit::Threads(limits::MAX_THREADS)),
            Ending::Outside => {
                let (name, place) = match &run.trouble {
                    Some(trouble) => (trouble.message.clone(), trouble.place),
                    None => ("a call that waits".to_owned(), Place::Unknown),
                };
                self.doubt.get_or_insert(Doubt::Uncontrolled { name, place });
            }
            _ => {}
        }
    }
}

/// Why a run is not the continuation of the first `replayed` events of the one before, if it is not.
fn divergence(before: &[Event], replayed: usize, run: &Run) -> Option<Doubt> {
    let replayed = replayed.min(before.len());
    // What was not made again is the same.
    let kept = run.kept.min(replayed);
    let again = before[kept..replayed].iter().zip(&run.events[kept..]);
    let same = kept + again.take_while(|(a, b)| a.same_step(b)).count();
    if same == replayed && run.ending != Ending::Diverged {
        return None;
    }
    let event = same.min(run.events.len());
    let (then, now) = (before.get(event), run.events.get(event));
    // Two steps of one line look the same without their columns.
    let alike = then.zip(now).is_some_and(|(then, now)| describe(then) == describe(now));
    let describe = if alike { describe_closely } else { describe };
    Some(Doubt::NotDeterministic {
        event: event + 1,
        before: then.map_or_else(|| "its end".to_owned(), describe),
        now: now.map_or_else(|| ended(run), describe),
        place: now.map_or(Place::Unknown, |now| now.place),
    })
}

fn describe(event: &Event) -> String {
    let step = format!("{} {:?}", event.thread, event.operation.kind);
    if event.place == Place::Unknown { step } else { format!("{step} at {}", event.place) }
}

/// How a run ended that should have gone on.
fn ended(run: &Run) -> String {
    let Some(trouble) = &run.trouble else { return "something else".to_owned() };
    let words = trouble.message.lines().next().unwrap_or_default();
    format!("{} fails at {}: {words}", trouble.thread, trouble.place)
}

fn describe_closely(event: &Event) -> String {
    let column = event.place.column().map(|column| format!(", column {column}")).unwrap_or_default();
    format!(
        "{}{column}, outcome {:?} of object {}",
        describe(event),
        event.outcome,
        event.operation.object.index()
    )
}

impl Reached {
    /// Adds what another worker of the same search reached.
    pub fn add(&mut self, other: &Reached) {
        self.runs += other.runs;
        self.beside += other.beside;
        self.blocked += other.blocked;
        self.steps += other.steps;
        self.longest = self.longest.max(other.longest);
        self.threads = self.threads.max(other.threads);
        self.limit = self.limit.or(other.limit);
        self.doubt = self.doubt.take().or_else(|| other.doubt.clone());
        self.finished &= other.finished;
        self.needs_visible = self.needs_visible.or(other.needs_visible);
        self.weaker_orders |= other.weaker_orders;
        self.assumed_waiting = self.assumed_waiting.or(other.assumed_waiting);
        self.cut_short = self.cut_short.or(other.cut_short);
        self.too_long = self.too_long.or(other.too_long);
        self.estimate = None;
        self.model = self.model.or(other.model);
        self.beyond = self.beyond.or(other.beyond);
        self.net = self.net.take().or_else(|| other.net.clone());
        // A search that goes on on another thread knows of everything before.
        self.explored = other.explored.clone().or(self.explored.take());
        match (&mut self.covered, &other.covered) {
            (Some(mine), Some(other)) => mine.add(other),
            (mine, other) => *mine = mine.take().or_else(|| other.clone()),
        }
        self.guarantee = match (self.guarantee, other.guarantee) {
            (Some(Guarantee::Sample), _) | (_, Some(Guarantee::Sample)) => Some(Guarantee::Sample),
            (mine, other) => mine.or(other),
        };
    }
}
