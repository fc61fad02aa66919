//! Races of a run, and how to turn them round (lines 2 to 8 of Algorithm 2).

use raddle_trace::{
    Access, Accesses, Class, Event, Kind, ObjectId, Operation, Outcome, Run, ThreadId, fault, level,
};

use super::sequence::Sequence;
use super::wakeup_tree::{Found, Planned, PlannedStep, insert};
use super::{Level, OptimalDpor};

/// The later operation of a race: an event, or something that a thread wanted and did not get.
#[derive(Clone, Copy, Debug)]
struct Later {
    thread: ThreadId,
    operation: Operation,
    accesses: Accesses,
    alternative: u32,
    alternatives: u32,
    /// Events from this number on come after it.
    number: usize,
    /// The event of its thread before it.
    previous: Option<usize>,
    /// The event of another thread that made it the next operation of its thread.
    cause: Option<usize>,
}

impl Later {
    /// The ways to plan it when it comes first and then touches `accesses`.
    ///
    /// The alternatives of a weak compare-exchange touch the cell in different ways, so they are planned one by one: the
    /// one that was taken, or, if there was no choice before, both.
    fn ways(&self, accesses: Accesses) -> impl Iterator<Item = (Planned, Accesses)> {
        let could_succeed = accesses.first.class == Class::Exclusive;
        let splits = self.operation.kind == Kind::WeakCompareExchange && could_succeed;
        let failed = Accesses::of(&self.operation, Outcome::Failed);
        let whole = (!splits).then_some((Planned::All, accesses));
        let taken = self.alternatives > 1;
        let wanted = move |alternative| splits && (!taken || self.alternative == alternative);
        let succeeds = wanted(0).then_some((Planned::One(0), accesses));
        let fails = wanted(1).then_some((Planned::One(1), failed));
        [whole, succeeds, fails].into_iter().flatten()
    }
}

impl OptimalDpor {
    /// Turns round all races whose later operation is an event from `first_new` on, or did not happen.
    pub(super) fn reverse_races(&mut self, run: &Run, first_new: usize) {
        for number in first_new..run.events.len() {
            let event = &run.events[number];
            let later = Later {
                thread: event.thread,
                operation: event.operation,
                accesses: *self.order.accesses(number),
                alternative: event.alternative,
                alternatives: event.alternatives,
                number,
                previous: self.order.previous(number),
                cause: event.summoned_by(),
            };
            self.reverse_races_of(run, &later);
            self.reverse_notification(run, &later);
        }
        for blocked in &run.blocked {
            if blocked.pending.operation.kind.is_wait() || fault!(BlockedDoNotRace) {
                continue;
            }
            let last = self.order.events_of(blocked.thread).last().map(|&last| last as usize);
            let later = Later {
                thread: blocked.thread,
                operation: blocked.pending.operation,
                accesses: blocked.pending.accesses,
                alternative: 0,
                alternatives: 1,
                number: run.events.len(),
                previous: last,
                cause: blocked.pending.cause.map(|cause| cause as usize),
            };
            self.reverse_races_of(run, &later);
        }
    }

    /// A thread that was notified might have given up before.
    fn reverse_notification(&mut self, run: &Run, relock: &Later) {
        let (Kind::Relock, Some(notification), Some(waited)) =
            (relock.operation.kind, relock.cause, relock.previous)
        else {
            return;
        };
        let wait = &run.events[waited];
        if let Some(kind) = wait.operation.kind.ends_by_itself().filter(|_| !fault!(TimeoutsDoNotRace)) {
            let operation = Operation::new(kind, wait.operation.object, 0);
            let accesses = Accesses::of(&operation, Outcome::Done);
            let later = Later { operation, accesses, cause: None, number: notification + 1, ..*relock };
            self.reverse(run, notification, &later, accesses);
        }
    }

    fn reverse_races_of(&mut self, run: &Run, later: &Later) {
        if later.accesses.is_nothing() {
            return;
        }
        for (earlier, accesses) in self.races_of(run, later) {
            self.reverse(run, earlier, later, accesses);
        }
    }

    /// The events that `later` races with: dependent, of another thread, not known to the thread, reversible, and
    /// nothing of that kind in between. Each comes with what `later` would touch if it came first.
    fn races_of(&self, run: &Run, later: &Later) -> Vec<(usize, Accesses)> {
        let mut candidates: Vec<(usize, Access)> = Vec::new();
        for access in self.order.touched_by(later.accesses) {
            self.candidates_at(later, access, &mut candidates);
        }
        candidates.sort_unstable_by_key(|(event, _)| std::cmp::Reverse(*event));
        let mut races: Vec<(usize, Accesses)> = Vec::new();
        for (event, access) in candidates {
            let between = races.iter().any(|&(race, _)| self.order.happens_before(event, race));
            if between || (fault!(OnlyTheLastRace) && !races.is_empty()) {
                continue;
            }
            match self.foresee(run, event, later, access.object) {
                Some(accesses) => races.push((event, accesses)),
                None if fault!(ReleasesHideRaces) => break,
                None => {}
            }
        }
        races
    }

    fn candidates_at(&self, later: &Later, access: Access, candidates: &mut Vec<(usize, Access)>) {
        for touch in self.order.touches(access.object).iter().rev() {
            let event = touch.event as usize;
            if event >= later.number {
                continue;
            }
            let known = self.knows(later, event);
            if !known && self.order.thread(event) != later.thread && touch.class.conflicts_with(access.class)
            {
                candidates.push((event, access));
            }
            // Everything before an exclusive access happens before it.
            if known && touch.class == Class::Exclusive {
                break;
            }
        }
    }

    /// Whether the event happens before the operation for another reason than the objects that the operation touches.
    fn knows(&self, later: &Later, event: usize) -> bool {
        [later.previous, later.cause]
            .into_iter()
            .flatten()
            .any(|known| self.order.happens_before(event, known))
    }

    /// What `later` would touch if it came before `earlier`, with everything in between that does not depend on
    /// `earlier`; `None` if it could not go then.
    fn foresee(&self, run: &Run, earlier: usize, later: &Later, object: ObjectId) -> Option<Accesses> {
        if later.operation.kind == Kind::Spin {
            return self.spin_could_go(run, earlier, later).then_some(later.accesses);
        }
        if later.operation.object != object {
            // The mutex that a wait gives back: its holder can always go.
            return Some(later.accesses);
        }
        let mut level = level_before(&run.events, earlier, object);
        for number in earlier + 1..run.events.len() {
            if !self.order.happens_before(earlier, number) && !fault!(ForeseeIgnoresOthers) {
                level = level.wrapping_add(change(&run.events[number], object));
            }
        }
        let outcome = if fault!(EverythingIsReversible) {
            level::outcome(&later.operation, level).unwrap_or_default()
        } else {
            level::outcome(&later.operation, level)?
        };
        if fault!(OutcomeNeverChanges) {
            return Some(later.accesses);
        }
        Some(Accesses::of(&later.operation, outcome))
    }

    /// Whether a spinning thread would see a change other than `earlier` and what depends on it.
    fn spin_could_go(&self, run: &Run, earlier: usize, later: &Later) -> bool {
        let since = later.previous.map_or(0, |previous| previous + 1);
        (since..later.number).any(|number| {
            let event = &run.events[number];
            let spared = number < earlier || !self.order.happens_before(earlier, number);
            let watched = self
                .order
                .touched_by(later.accesses)
                .any(|access| access.object == event.operation.object && event.before != event.value);
            number != earlier && event.thread != later.thread && spared && watched
        })
    }

    /// Plans a run in which `later` comes before `earlier`, unless there is or was one.
    fn reverse(&mut self, run: &Run, earlier: usize, later: &Later, accesses: Accesses) {
        if fault!(ForgetEveryFifthRace) && earlier % 5 == 4 {
            return;
        }
        let at = self.levels.partition_point(|level| level.event() < earlier);
        let Some(Level::Threads(_)) = self.levels.get(at).filter(|level| level.event() == earlier) else {
            return;
        };
        for (planned, accesses) in later.ways(accesses) {
            let sequence = self.sequence(run, earlier, later, planned, accesses);
            self.plan(run, at, sequence);
        }
    }

    /// Plans to continue from a level with a sequence.
    fn plan(&mut self, run: &Run, at: usize, sequence: Sequence) {
        let Level::Threads(node) = &mut self.levels[at] else {
            unreachable!("bug in raddle: the level of an event changed while it was looked at")
        };
        let order = &self.order;
        let covered = node.asleep.members().iter().any(|asleep| match sequence.first_of(asleep.thread) {
            Some(own) => {
                let sleeps = match sequence.steps()[own].planned {
                    Planned::One(alternative) => asleep.alternatives.contains(alternative),
                    Planned::All => asleep.is_whole(),
                };
                sleeps && sequence.is_initial(own, order)
            }
            None => asleep.is_whole() && sequence.commutes_with(&asleep.accesses),
        });
        if covered && !fault!(SleepDoesNotCover) {
            return;
        }
        let found = Found { order, objects: node.objects, blocked: &run.blocked };
        insert(&mut node.plans, sequence, node.asleep.members(), &found);
    }

    /// The events after `earlier` that do not depend on it, and then `later`.
    fn sequence(
        &self,
        run: &Run,
        earlier: usize,
        later: &Later,
        planned: Planned,
        accesses: Accesses,
    ) -> Sequence {
        let mut sequence = Sequence::default();
        for number in earlier + 1..run.events.len() {
            let event = &run.events[number];
            let is_step = event.decided || event.alternatives > 1;
            if is_step && !self.order.happens_before(earlier, number) {
                let mut step = self.planned_step(event, number);
                if event.operation.kind == Kind::Arrive && !fault!(ArrivalsKeepTheirPlace) {
                    step.accesses = self.arrival_without(run, earlier, number);
                }
                sequence.push(step, number);
            }
            if fault!(SequenceTooShort) && number > earlier {
                break;
            }
        }
        let position = later.previous.map_or(0, |previous| self.order.position(previous) + 1);
        let step = PlannedStep {
            thread: later.thread,
            planned,
            // Only a weak compare-exchange is planned for one alternative here.
            alternatives: if planned == Planned::All { 1 } else { 2 },
            decided: true,
            accesses,
            position,
            history: later.previous.map_or(0, |previous| self.order.history(previous)),
        };
        sequence.push_last(step, [later.previous, later.cause]);
        sequence
    }

    /// What an arrival at a barrier touches if `earlier` and what depends on it are left out: being the last but one is
    /// a matter of how many came before, not of who.
    fn arrival_without(&self, run: &Run, earlier: usize, number: usize) -> Accesses {
        let event = &run.events[number];
        let left_out = (earlier..number)
            .filter(|&other| self.order.happens_before(earlier, other))
            .map(|other| change(&run.events[other], event.operation.object))
            .sum::<i64>();
        let outcome = level::outcome(&event.operation, event.before - left_out).unwrap_or_default();
        Accesses::of(&event.operation, outcome)
    }

    fn planned_step(&self, event: &Event, number: usize) -> PlannedStep {
        let previous = self.order.previous(number);
        PlannedStep {
            thread: event.thread,
            planned: if event.alternatives > 1 { Planned::One(event.alternative) } else { Planned::All },
            alternatives: event.alternatives,
            decided: event.decided,
            accesses: *self.order.accesses(number),
            position: self.order.position(number),
            history: previous.map_or(0, |previous| self.order.history(previous)),
        }
    }
}

/// The level of an object before an event that touches it.
fn level_before(events: &[Event], number: usize, object: ObjectId) -> i64 {
    let event = &events[number];
    if event.operation.object == object {
        return event.before;
    }
    if event.operation.mutex() == Some(object) {
        // A wait holds the mutex that it gives back.
        return 0;
    }
    // A spinning thread only looks: the level is what the last operation left behind, or the next one found.
    let left = events[..number].iter().rev().find(|other| other.operation.object == object);
    let found = || events[number..].iter().find(|other| other.operation.object == object);
    left.map(|other| other.value).or_else(|| found().map(|other| other.before)).unwrap_or(0)
}

/// What an event changed about the level of an object.
fn change(event: &Event, object: ObjectId) -> i64 {
    if event.operation.object == object {
        event.value.wrapping_sub(event.before)
    } else {
        i64::from(event.operation.mutex() == Some(object))
    }
}
