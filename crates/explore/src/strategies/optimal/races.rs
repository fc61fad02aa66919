//! Races of a run, and how to turn them round (lines 2 to 8 of Algorithm 2).

use raddle_trace::{
    Access, Accesses, Class, Event, HappensBefore, Kind, ObjectId, Operation, Outcome, Run, ThreadId,
    ThreadSet, fault, level,
};

use super::candidates::{Candidate, Done};
use super::sequence::Sequence;
use super::wakeup_tree::{Found, Planned, PlannedStep, insert_unless_asleep};
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

/// Events that something later could come before.
#[derive(Clone, Debug)]
pub(super) struct Race {
    /// The first of the events; almost always there is no other.
    first: [usize; 1],
    /// All of them, in order, if there are several.
    several: Vec<usize>,
    /// What the later operation would touch if it came first.
    accesses: Accesses,
    /// Which of the later event's candidates the event is.
    candidate: Option<usize>,
}

impl Race {
    fn with(event: usize, accesses: Accesses) -> Race {
        Race { first: [event], several: Vec::new(), accesses, candidate: None }
    }

    /// The events, in order.
    fn left_out(&self) -> &[usize] {
        if self.several.is_empty() { &self.first } else { &self.several }
    }
}

impl Later {
    /// Whether everything that could change how the operation ends depends on it, so that what comes after it in a run changes
    /// nothing about how it would have ended before others.
    fn is_steady(&self) -> bool {
        matches!(self.accesses.first.class, Class::Exclusive | Class::Reading | Class::Observing)
    }

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
    /// Turns round all races of a run whose events from `first_new` on are new.
    ///
    /// A race between two old events was looked at before, but with other events after it. It has to be looked at again if
    /// some of the new ones do not depend on it: then another beginning of a run comes of it.
    pub(super) fn reverse_races(&mut self, run: &Run, first_new: usize) {
        self.find_candidates(run, first_new);
        let mut known = std::mem::take(&mut self.known_to_new);
        self.find_new_steps(run, first_new);
        self.order.meet(&self.new_steps, &mut known);
        let mut races = std::mem::take(&mut self.races);
        for index in 0..self.candidates.racing().len() {
            let number = self.candidates.racing()[index];
            let event = &run.events[number];
            let notified = event.summoned_by().is_some();
            let old = number < first_new;
            let due = |candidate: &Candidate| {
                !old || (!self.is_done(candidate) && self.stays_new(candidate.event, &known))
            };
            if !notified && !self.candidates.of(number).iter().any(due) {
                continue;
            }
            let later = self.later(event, number);
            self.find_races(run, &later, self.candidates.of(number), &mut races);
            if !old {
                self.pass_over_the_rest(&later, &races);
            }
            races.retain(|race| {
                let done = race.candidate.is_some_and(|at| self.is_done(&self.candidates.of(number)[at]));
                !old || (!done && race.left_out().iter().any(|&event| self.stays_new(event, &known)))
            });
            for race in &races {
                self.reverse(run, race, &later);
            }
            if let Some((race, timeout)) = self.race_with_notification(run, &later)
                && (!old || self.stays_new(race.first[0], &known))
            {
                self.reverse(run, &race, &timeout);
            }
        }
        self.known_to_new = known;
        self.races = races;
        self.reverse_races_of_blocked(run);
    }

    /// Whether a race need not be looked at again.
    fn is_done(&self, candidate: &Candidate) -> bool {
        match candidate.done {
            Done::No => false,
            Done::ForGood => true,
            Done::Planned => !self.had_alternatives && !self.had_doubts,
        }
    }

    /// Notes that what an event does not race with, because it races with something that comes between or could not go then,
    /// is done with.
    fn pass_over_the_rest(&mut self, later: &Later, races: &[Race]) {
        if !later.is_steady() || !races.iter().any(|race| race.candidate.is_some()) {
            return;
        }
        let mut of_races = races.iter().filter_map(|race| race.candidate).peekable();
        for index in 0..self.candidates.of(later.number).len() {
            if of_races.next_if_eq(&index).is_none() {
                self.candidates.done_with(later.number, index, Done::ForGood);
            }
        }
    }

    /// Operations that still wait at the end race like the others.
    fn reverse_races_of_blocked(&mut self, run: &Run) {
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
            self.add_candidates(later.thread, &later.accesses, later.number, [later.previous, later.cause]);
            let candidates = self.candidates.take_last();
            let mut races = Vec::new();
            self.find_races(run, &later, &candidates, &mut races);
            for race in races {
                // Nothing is kept of what still waits.
                self.reverse(run, &Race { candidate: None, ..race }, &later);
            }
            if let Some((race, timeout)) = self.race_with_notification(run, &later)
                && !fault!(TimeoutsDoNotRaceInVain)
            {
                self.reverse(run, &race, &timeout);
            }
        }
    }

    /// Finds what each new event could race with. That depends only on what came before it, so it is kept.
    pub(super) fn find_candidates(&mut self, run: &Run, first_new: usize) {
        self.candidates.truncate(first_new);
        for number in self.candidates.events()..run.events.len() {
            if !self.order.accesses(number).is_nothing() {
                let (event, accesses) = (&run.events[number], *self.order.accesses(number));
                let knows = [self.order.previous(number), event.summoned_by()];
                self.add_candidates(event.thread, &accesses, number, knows);
            }
            self.candidates.finish_event(run.events[number].summoned_by().is_some());
        }
    }

    /// Adds what an operation of a thread could race with that comes before event `number` and touches this. An event is known
    /// to the thread if it happens before one of the two that `knows` names: it is ordered for another reason than the objects.
    fn add_candidates(
        &mut self,
        thread: ThreadId,
        accesses: &Accesses,
        number: usize,
        knows: [Option<usize>; 2],
    ) {
        let Self { order, candidates, .. } = self;
        let clocks = knows.map(|event| event.map(|event| order.clock(event)));
        let mut add = |access: Access| {
            for touch in order.touches(access.object).iter().rev() {
                let event = touch.event as usize;
                if event >= number {
                    continue;
                }
                let known = clocks.iter().flatten().any(|clock| order.is_among(event, clock));
                if !known && order.thread(event) != thread && touch.class.conflicts_with(access.class) {
                    candidates.push(event, access);
                }
                // Everything before an exclusive access happens before it.
                if known && touch.class == Class::Exclusive {
                    break;
                }
            }
        };
        if accesses.second.class == Class::None && accesses.watched == 0 {
            add(accesses.first);
        } else {
            order.touched_by(*accesses).for_each(add);
        }
    }

    /// Finds the steps of the run, and the first new one of every thread.
    pub(super) fn find_new_steps(&mut self, run: &Run, first_new: usize) {
        while self.steps.pop_if(|last| *last >= first_new).is_some() {}
        self.new_steps.clear();
        let mut seen = ThreadSet::EMPTY;
        for (number, event) in
            run.events.iter().enumerate().skip(first_new).filter(|(_, event)| event.is_step())
        {
            self.steps.push(number);
            if !seen.contains(event.thread) {
                seen.insert(event.thread);
                self.new_steps.push(number);
            }
        }
    }

    /// Whether some new step does not depend on an event. If the first one of each thread does, all of them do.
    fn stays_new(&self, event: usize, known_to_new: &[u32]) -> bool {
        !fault!(OldRacesAreDone) && !self.order.is_among(event, known_to_new)
    }

    fn later(&self, event: &Event, number: usize) -> Later {
        Later {
            thread: event.thread,
            operation: event.operation,
            accesses: *self.order.accesses(number),
            alternative: event.alternative,
            alternatives: event.alternatives,
            number,
            previous: self.order.previous(number),
            cause: event.summoned_by(),
        }
    }

    /// A thread that was notified might have given up before.
    fn race_with_notification(&self, run: &Run, relock: &Later) -> Option<(Race, Later)> {
        let (Kind::Relock, Some(notification), Some(waited)) =
            (relock.operation.kind, relock.cause, relock.previous)
        else {
            return None;
        };
        let wait = &run.events[waited];
        let kind = wait.operation.kind.ends_by_itself().filter(|_| !fault!(TimeoutsDoNotRace))?;
        let operation = Operation::new(kind, wait.operation.object, 0);
        let accesses = Accesses::of(&operation, Outcome::Done);
        let later = Later { operation, accesses, cause: None, number: notification + 1, ..*relock };
        Some((Race::with(notification, accesses), later))
    }

    /// Finds the events that `later` races with: dependent, of another thread, not known to the thread, reversible, and
    /// nothing of that kind in between.
    fn find_races(&self, run: &Run, later: &Later, candidates: &[Candidate], races: &mut Vec<Race>) {
        races.clear();
        let mut obstacles: Vec<usize> = Vec::new();
        for (index, &Candidate { event, access, .. }) in candidates.iter().enumerate() {
            let between = races.iter().any(|race| self.order.happens_before(event, race.first[0]));
            if between || (fault!(OnlyTheLastRace) && !races.is_empty()) {
                continue;
            }
            match self.foresee(run, &[event], later, access.object) {
                Some(accesses) => races.push(Race { candidate: Some(index), ..Race::with(event, accesses) }),
                None if fault!(ReleasesHideRaces) => break,
                // Who gives something back is in nobody's way.
                None if access.object == later.operation.object
                    && change(&run.events[event], access.object) < 0 =>
                {
                    obstacles.push(event);
                }
                None => {}
            }
        }
        if fault!(SeveralOnlyAlone) && !races.is_empty() {
            return;
        }
        if obstacles.len() > 1
            && !fault!(OneObstacleAtATime)
            && let Some(race) = self.race_with_several(run, later, &obstacles)
        {
            // What the obstacles depend on is met again when they have been left out.
            races.retain(|other| {
                !race.several.iter().any(|&one| self.order.happens_before(other.first[0], one))
            });
            races.push(race);
        }
    }

    /// A race with several events at once, none of which can be left out alone: a writer waits for all readers.
    fn race_with_several(&self, run: &Run, later: &Later, obstacles: &[usize]) -> Option<Race> {
        let foresee = |left_out: &[usize]| self.foresee(run, left_out, later, later.operation.object);
        // The obstacles come last first; the fewer of them are left out the better.
        let enough =
            (2..=obstacles.len()).find(|&count| foresee(&in_order(&obstacles[..count])).is_some())?;
        let mut several = in_order(&obstacles[..enough]);
        let mut at = 0;
        while at < several.len() {
            let spared = several.remove(at);
            if several.is_empty() || foresee(&several).is_none() {
                several.insert(at, spared);
                at += 1;
            }
        }
        let accesses = foresee(&several)?;
        Some(Race { first: [several[0]], several, accesses, candidate: None })
    }

    /// What `later` would touch if it came before the events that are left out, with everything in between that does not
    /// depend on them; `None` if it could not go then.
    fn foresee(&self, run: &Run, left_out: &[usize], later: &Later, object: ObjectId) -> Option<Accesses> {
        if later.operation.kind == Kind::Spin {
            return self.spin_could_go(run, left_out[0], later).then_some(later.accesses);
        }
        if later.operation.object != object {
            // The mutex that a wait gives back: its holder can always go.
            return Some(later.accesses);
        }
        if later.operation.kind.is_unconditional() {
            return Some(later.accesses);
        }
        let first = left_out[0];
        let mut level = level_before(&run.events, first, object);
        let mut count = |number: usize| {
            if stays(&self.order, left_out, number) && !fault!(ForeseeIgnoresOthers) {
                level = level.wrapping_add(change(&run.events[number], object));
            }
        };
        if later.operation.kind.is_of_channel() {
            // Adding a sender changes the level of a channel, but touches nothing.
            (first + 1..run.events.len()).for_each(count);
        } else {
            let touches = self.order.touches(object).iter().rev().map(|touch| touch.event as usize);
            touches.take_while(|&number| number > first).for_each(&mut count);
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

    /// Plans a run in which `later` comes before the events of a race, unless there is or was one.
    fn reverse(&mut self, run: &Run, race: &Race, later: &Later) {
        let first = race.left_out()[0];
        if fault!(ForgetEveryFifthRace) && first % 5 == 4 {
            return;
        }
        let at = self.levels.partition_point(|level| level.event() < first);
        let Some(Level::Threads(_)) = self.levels.get(at).filter(|level| level.event() == first) else {
            return;
        };
        // Only what is planned as it was done is the same beginning in the next run.
        let same = race.accesses == later.accesses && later.is_steady();
        let mut done = if same { None } else { Some(Done::No) };
        if later.operation.kind == Kind::WeakCompareExchange {
            for way in later.ways(race.accesses) {
                let covered = self.plan(run, at, race.left_out(), later, way);
                done = Some(done.map_or(covered, |_| Done::No));
            }
        } else {
            let covered = self.plan(run, at, race.left_out(), later, (Planned::All, race.accesses));
            done = done.or(Some(covered));
        }
        if let (Some(candidate), Some(done)) = (race.candidate, done) {
            self.candidates.done_with(later.number, candidate, done);
        }
    }

    /// Plans to continue from a level without some events, with `later` in the way that is wanted; what covers longer plans from
    /// now on.
    fn plan(
        &mut self,
        run: &Run,
        at: usize,
        left_out: &[usize],
        later: &Later,
        way: (Planned, Accesses),
    ) -> Done {
        self.had_alternatives |= way.0 != Planned::All;
        let Self { order, steps, sequence, .. } = self;
        find_sequence(order, steps, run, left_out, later, way, sequence);
        let Level::Threads(node) = &mut self.levels[at] else {
            unreachable!("bug in raddle: the level of an event changed while it was looked at")
        };
        sequence.name(node.objects);
        let found = Found::new(order, run, self.had_alternatives);
        let done = insert_unless_asleep(&mut node.plans, sequence, &node.asleep, &found);
        self.had_doubts |= found.was_ever_unsure();
        if self.had_doubts {
            node.doubtful = node.plans.iter().any(|branch| branch.doubtful);
        }
        done
    }
}

/// Whether an event after the first one that is left out does not depend on any of them.
#[inline]
fn stays(order: &HappensBefore, left_out: &[usize], number: usize) -> bool {
    left_out.iter().all(|&event| !order.happens_before(event, number))
}

/// Finds the steps after the first event that is left out that do not depend on any of them, and then `later`, in the way
/// that is wanted.
fn find_sequence(
    order: &HappensBefore,
    steps: &[usize],
    run: &Run,
    left_out: &[usize],
    later: &Later,
    (planned, accesses): (Planned, Accesses),
    sequence: &mut Sequence,
) {
    sequence.clear();
    let after = steps.partition_point(|&step| step <= left_out[0]);
    for &number in &steps[after..] {
        if fault!(SequenceTooShort) && number > left_out[0] + 1 {
            break;
        }
        if stays(order, left_out, number) {
            sequence.push(order.thread(number), number);
            if run.events[number].operation.kind == Kind::Arrive && !fault!(ArrivalsKeepTheirPlace) {
                sequence.change(number, arrival_without(order, run, left_out, number));
            }
        }
    }
    let position = later.previous.map_or(0, |previous| order.position(previous) + 1);
    let step = PlannedStep {
        thread: later.thread,
        planned,
        // Only a weak compare-exchange is planned for one alternative here.
        alternatives: if planned == Planned::All { 1 } else { 2 },
        decided: true,
        accesses,
        named: false,
        position,
        history: later.previous.map_or(0, |previous| order.history(previous)),
    };
    sequence.push_last(step, [later.previous, later.cause]);
}

/// What an arrival at a barrier touches if some events and what depends on them are left out: being the last but one
/// is a matter of how many came before, not of who.
fn arrival_without(order: &HappensBefore, run: &Run, left_out: &[usize], number: usize) -> Accesses {
    let event = &run.events[number];
    let missing = (left_out[0]..number)
        .filter(|&other| !stays(order, left_out, other))
        .map(|other| change(&run.events[other], event.operation.object))
        .sum::<i64>();
    let outcome = level::outcome(&event.operation, event.before - missing).unwrap_or_default();
    Accesses::of(&event.operation, outcome)
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

/// The same events, the first one first.
fn in_order(last_first: &[usize]) -> Vec<usize> {
    last_first.iter().rev().copied().collect()
}

/// What an event changed about the level of an object.
fn change(event: &Event, object: ObjectId) -> i64 {
    if event.operation.object == object {
        event.value.wrapping_sub(event.before)
    } else {
        i64::from(event.operation.mutex() == Some(object))
    }
}
