//! Learning from a run: its steps are taken in the model too, and what the program did is compared with what the model
//! says it had to do.

use std::collections::BTreeSet;

use raddle_trace::{Ending, Event, Kind, ObjectId, Operation, Order, Outcome, Run, ThreadId};

use super::alike::{Met, Renamed};
use super::races::tells_without_order;
use super::summary::{self, Sent};
use super::{Beyond, Intent, Knowledge, Marking, Next, ObjectName, SeenStep, ThreadState, View};
use crate::Doubt;

/// A run that is being followed through the model.
struct Following<'r> {
    run: &'r Run,
    marking: Marking,
    met: Met,
    /// The objects on which there was an event.
    touched: BTreeSet<ObjectName>,
    /// How many events each thread has had.
    counts: Vec<u32>,
    /// For each event, which one of its thread it is.
    positions: Vec<u32>,
}

impl Knowledge {
    /// Takes over what a run has shown; the marking in which it ended, if it could be followed so far.
    pub(crate) fn learn(&mut self, run: &Run) -> Option<Marking> {
        // What threads know from memory that no event shows is not part of their local states, so nothing of this run is.
        if run.unseen_access {
            self.give_up(Beyond::Plain);
            return None;
        }
        let mut following = Following {
            run,
            marking: Marking::first(self),
            met: Met::new(self),
            touched: BTreeSet::new(),
            counts: Vec::new(),
            positions: Vec::new(),
        };
        let mut events = run.events.iter().enumerate();
        let followed = events.try_for_each(|(number, event)| {
            following.count(event);
            self.follow(&mut following, number, event)
        });
        if followed.is_some() {
            self.learn_from_end(&mut following);
            self.tell_apart(&following.met);
        }
        self.told_without_order |= run.weaker_orders;
        if self.hides_races() {
            self.give_up(Beyond::Unordered);
        }
        self.settle_objects();
        followed.map(|()| following.marking)
    }

    /// Takes one step of a run; `None` if the rest of the run is of no use.
    fn follow(&mut self, following: &mut Following<'_>, number: usize, event: &Event) -> Option<()> {
        if let Some(beyond) = beyond(&event.operation) {
            self.give_up(beyond);
            return None;
        }
        let state = following.marking.state(event.thread);
        let Some(local) = state.local() else {
            return self.contradicted(number, event, "nothing: it was not there");
        };
        let expected = self.intent(state);
        let intent = self.intent_of(following, event.thread, &event.operation, expected)?;
        match expected {
            None if matches!(state, ThreadState::At(_)) && self.local(local).next == Next::Unknown => {
                self.local_mut(local).next = Next::Does(intent);
            }
            None => return self.contradicted(number, event, "nothing"),
            Some(expected) if expected.kind != intent.kind => {
                return self.contradicted(number, event, &format!("{:?}", expected.kind));
            }
            Some(expected) if expected.operand != intent.operand => {
                self.give_up(Beyond::Unstable);
                return None;
            }
            Some(_) => {}
        }
        self.note_first_level(following, event, &intent)?;
        self.note_use(local, &intent);
        let Some(mut step) = self.fire(&following.marking, event.thread, event.alternative) else {
            return self.contradicted(number, event, "waiting");
        };
        if step.outcome != event.outcome || step.alternatives != event.alternatives {
            let words = format!("{:?} with {:?}", step.kind, step.outcome);
            return self.contradicted(number, event, &words);
        }
        self.note_locks(local, step.target(), &intent, event);
        self.told_without_order |= tells_without_order(event);
        let seen = following.seen(event);
        let target = self.local_mut(step.target());
        target.step = Some(seen);
        if leaves_value(event) && target.wrote != Some(event.value) {
            let before = target.wrote.replace(event.value);
            if before.is_some() && (self.by_value() || !intent.plain) {
                self.give_up(Beyond::Unstable);
                return None;
            }
            step = self.fire(&following.marking, event.thread, event.alternative)?;
        }
        following.marking.apply(&step);
        Some(())
    }

    /// What the program did is not what the model says it had to do.
    fn contradicted(&mut self, number: usize, event: &Event, predicted: &str) -> Option<()> {
        self.doubt.get_or_insert_with(|| Doubt::NotDeterministic {
            event: number + 1,
            before: format!("{} {predicted}, by what it had seen so far", event.thread),
            now: format!("{} {:?} at {}", event.thread, event.operation.kind, event.place),
            place: event.place,
        });
        None
    }

    /// An operation with the model's names.
    fn intent_of(
        &mut self,
        following: &mut Following<'_>,
        thread: ThreadId,
        operation: &Operation,
        expected: Option<Intent>,
    ) -> Option<Intent> {
        // Passing a barrier is a matter of being woken; giving up waits for nothing.
        if operation.kind == Kind::Pass {
            return Some(Intent::local(Kind::Pass));
        }
        let mut intent = Intent {
            kind: operation.kind,
            object: None,
            mutex: None,
            operand: operation.operand,
            carries: operation.carries,
            plain: operation.order == Order::Plain && !Operation::frees(operation.kind, operation.operand),
        };
        if operation.object != ObjectId::NONE {
            let known = expected.and_then(|expected| expected.object);
            intent.object = Some(self.named(following, operation.object, known, thread));
        }
        if let Some(mutex) = operation.mutex() {
            let known = expected.and_then(|expected| expected.mutex);
            intent.mutex = Some(self.named(following, mutex, known, thread));
            intent.operand = 0;
        }
        if operation.kind == Kind::Unpark {
            // Whose token it is, the object says.
            intent.operand = 0;
        }
        let consistent = self.beyond.is_none() && self.is_of_one_sort(&intent);
        consistent.then_some(intent)
    }

    fn named(
        &mut self,
        following: &mut Following<'_>,
        object: ObjectId,
        known: Option<ObjectName>,
        thread: ThreadId,
    ) -> ObjectName {
        let (name, renamed) = self.meet(&mut following.met, object, known, thread);
        if let Some(Renamed { from, to }) = renamed {
            following.marking.rename(from, to);
            if following.touched.remove(&from) {
                following.touched.insert(to);
            }
        }
        name
    }

    /// Memory cells have contents, other objects levels; an object that is used as both has no construct.
    fn is_of_one_sort(&mut self, intent: &Intent) -> bool {
        use Kind::*;
        let Some(object) = intent.object else { return true };
        let memory =
            matches!(intent.kind, Load | Store | ReadModifyWrite | CompareExchange | WeakCompareExchange);
        let known = self.things[object.index()].memory.replace(memory);
        if known.is_some_and(|known| known != memory) {
            self.give_up(Beyond::Operation(intent.kind));
            return false;
        }
        true
    }

    /// The first event on an object shows its first level, which has to be the same in every run.
    fn note_first_level(
        &mut self,
        following: &mut Following<'_>,
        event: &Event,
        intent: &Intent,
    ) -> Option<()> {
        let Some(object) = intent.object else { return Some(()) };
        if !following.touched.insert(object) {
            return Some(());
        }
        match self.things[object.index()].first {
            None => {
                self.things[object.index()].first = Some(event.before);
            }
            // What plain memory holds that nobody has written does not matter to who names contents by their writers.
            Some(first) if first != event.before && (self.by_value() || !intent.plain) => {
                self.give_up(Beyond::Unstable);
                return None;
            }
            Some(_) => {}
        }
        Some(())
    }

    /// What the threads that are left want to do.
    fn learn_from_end(&mut self, following: &mut Following<'_>) {
        let run = following.run;
        let unfinished = fails_at(run);
        if let Some(thread) = unfinished
            && let ThreadState::At(local) = following.marking.state(thread)
        {
            let cut_short = matches!(run.ending, Ending::TooManyThreads | Ending::NeedsVisible(_));
            if !cut_short && self.local(local).next == Next::Unknown {
                self.local_mut(local).next = Next::Fails;
            }
        }
        for blocked in &run.blocked {
            let state = following.marking.state(blocked.thread);
            let ThreadState::At(local) = state else { continue };
            if Some(blocked.thread) == unfinished {
                continue;
            }
            let operation = &blocked.pending.operation;
            if operation.is_exit() {
                self.local_mut(local).next = Next::Exits;
                continue;
            }
            if let Some(why) = beyond(operation) {
                self.give_up(why);
                return;
            }
            // What is known shows which object it waits for: perhaps one that was met under another name.
            let known = self.intent(state).filter(|known| known.kind == operation.kind);
            if let Some(intent) = self.intent_of(following, blocked.thread, operation, known)
                && self.local(local).next == Next::Unknown
            {
                self.local_mut(local).next = Next::Does(intent);
                self.note_use(local, &intent);
            }
        }
    }
}

impl Following<'_> {
    fn count(&mut self, event: &Event) {
        if self.counts.len() <= event.thread.index() {
            self.counts.resize(event.thread.index() + 1, 0);
        }
        self.positions.push(self.counts[event.thread.index()]);
        self.counts[event.thread.index()] += 1;
    }

    /// What a thread saw in an event.
    fn seen(&self, event: &Event) -> SeenStep {
        let sent = event.cause.map(|cause| Sent {
            thread: self.run.events[cause as usize].thread,
            position: self.positions[cause as usize],
        });
        summary::seen(event, sent)
    }
}

/// Why an operation is beyond the model.
fn beyond(operation: &Operation) -> Option<Beyond> {
    match operation.kind {
        Kind::PlainRead | Kind::PlainWrite => Some(Beyond::Plain),
        Kind::Spin | Kind::Taken | Kind::Offer | Kind::Add => Some(Beyond::Operation(operation.kind)),
        _ => None,
    }
}

fn leaves_value(event: &Event) -> bool {
    match event.operation.kind {
        Kind::Store => !Operation::frees(Kind::Store, event.operation.operand),
        Kind::ReadModifyWrite => true,
        Kind::CompareExchange | Kind::WeakCompareExchange => event.outcome == Outcome::Done,
        _ => false,
    }
}

/// The thread in whose hands the run ended, if it did not end by itself.
fn fails_at(run: &Run) -> Option<ThreadId> {
    match run.ending {
        Ending::Panic
        | Ending::StackOverflow
        | Ending::Misuse
        | Ending::Failed(_)
        | Ending::Assumed
        | Ending::TooManyThreads
        | Ending::NeedsVisible(_) => {
            let last = run.events.last().map(|event| event.thread);
            run.trouble.as_ref().map(|trouble| trouble.thread).or(last)
        }
        _ => None,
    }
}
