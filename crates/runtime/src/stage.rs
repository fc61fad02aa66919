//! The stage: everything about the run that is being made.

use std::ptr::NonNull;

use corosensei::stack::DefaultStack;
use raddle_explore::{Choice, Chooser, Decision, NoPick, Offer, RunLimits};
use raddle_trace::{
    Ending, Event, Failure, Hidden, Kind, ObjectId, ObjectNote, Operation, Outcome, Place, Run, ThreadId,
    ThreadSet, Trouble,
};
use raddle_world::{Misuse, ObjectKind, Options, World};

use crate::clocks::Clocks;
use crate::fiber::{Bounds, Fiber, STACK_BYTES, StackPool};
use crate::local::Locals;
use crate::names::Names;
use crate::outside;
use crate::overflow::{Cause, Death};
use crate::own::Frame;
use crate::panics::PanicNote;
use crate::switch::Context;
use crate::trial::{CountedLoops, Trials};
use crate::watch;

/// How much time a hint takes.
const HINT_NANOSECONDS: u64 = 1_000_000;

/// How far the clock of a thread is put forward whose time runs out, in nanoseconds: ten seconds, and then ten hours.
const SHORT_STRIDE: u64 = 10_000_000_000;
const LONG_STRIDE: u64 = 3600 * SHORT_STRIDE;

/// What a program may expect of its world.
#[derive(Clone, Copy, Debug)]
pub struct StageOptions {
    /// What may happen by itself.
    pub world: Options,
    /// Whether a thread that panics only ends itself, as in a real program; otherwise it is a finding.
    pub panics_allowed: bool,
    /// How often in a row a weak compare-exchange of a thread may fail for no reason.
    pub spurious_failures: u32,
    /// Whether the end of a thread is something that others can see without joining it.
    pub visible_ends: bool,
    /// Whether changes of reference counts are visible operations.
    pub visible_counts: bool,
    /// Whether it is also visible who gives up the last reference to something.
    pub visible_last_drops: bool,
    /// Whether threads that come to a lock that can be shared queue for it visibly, so that nobody reads before a writer that
    /// came earlier.
    pub visible_queues: bool,
    /// Loops whose rounds are told apart, because they count them where nobody sees it.
    pub counted: CountedLoops,
    /// Whether other workers run the same closure at the same time.
    pub shared: bool,
    /// Rounds that threads which only spin are allowed to make when nobody else can go, before that is a livelock.
    pub last_rounds: u32,
    /// The threads run code of another language, whose frames own nothing that a destructor would have to give back: what is
    /// left of them at the end of a run is dropped, not unwound, and each thread has the same stack in every run.
    pub foreign: bool,
    /// Objects keep their numbers from run to run ([`World::keep_numbers`]).
    pub stable: bool,
    /// Bytes of the stack of a thread that asks for no other size.
    pub stack: usize,
    /// Bytes of the stack of the main thread.
    pub main_stack: usize,
    /// Where in the source the current thread is, as far as can be told when it dies.
    pub place: fn() -> Place,
}

impl Default for StageOptions {
    fn default() -> StageOptions {
        StageOptions {
            world: Options::default(),
            panics_allowed: false,
            spurious_failures: 1,
            visible_ends: false,
            visible_counts: false,
            visible_last_drops: false,
            visible_queues: false,
            counted: CountedLoops::default(),
            shared: false,
            last_rounds: 100,
            foreign: false,
            stable: false,
            stack: STACK_BYTES,
            main_stack: STACK_BYTES,
            place: || Place::Unknown,
        }
    }
}

impl StageOptions {
    /// Makes something visible that need not be in all programs.
    pub fn show(&mut self, hidden: Hidden) {
        match hidden {
            Hidden::Ends => self.visible_ends = true,
            Hidden::Counts => self.visible_counts = true,
            Hidden::LastDrops => (self.visible_counts, self.visible_last_drops) = (true, true),
            Hidden::Rounds(place) => self.counted.add(place),
            Hidden::Queues => self.visible_queues = true,
        }
    }
}

/// Events that other threads may still make after the program has asked to be ended.
const EVENTS_AFTER_EXIT: usize = 1000;

/// One thread's fiber and what goes with it.
pub(crate) struct Slot {
    pub fiber: Option<Fiber>,
    pub locals: Locals,
    /// How many threads it has created in this run.
    pub children: usize,
    /// The time as the thread sees it.
    pub clock: u64,
    /// How long it has slept, with all sleeps that happened before.
    pub slept: u64,
    /// The time at its last hint that it has nothing to do.
    pub clock_at_hint: u64,
    /// The name that the program gave it.
    pub name: Option<String>,
    /// Its stack, between two runs, if the stage is for foreign code.
    pub stack: Option<DefaultStack>,
}

impl Slot {
    fn empty() -> Slot {
        Slot {
            fiber: None,
            locals: Locals::default(),
            children: 0,
            clock: 0,
            slept: 0,
            clock_at_hint: u64::MAX,
            name: None,
            stack: None,
        }
    }

    /// A new run begins, in which the thread does not exist yet.
    pub(crate) fn begin_run(&mut self) {
        self.children = 0;
        self.clock = 0;
        self.slept = 0;
        self.clock_at_hint = u64::MAX;
        self.name = None;
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    Of(ThreadId),
    Nobody,
}

/// The run that is being made, and what is reused from run to run.
pub struct Stage {
    pub(crate) world: World,
    pub(crate) run: Run,
    pub(crate) names: Names,
    pub(crate) slots: Vec<Slot>,
    pub(crate) pool: StackPool,
    pub(crate) current: ThreadId,
    pub(crate) next: Option<ThreadId>,
    /// The run has its ending; what is still alive is being unwound.
    pub(crate) over: bool,
    /// The event count at which the program asked to be ended.
    pub(crate) exiting: Option<usize>,
    /// No fiber is running: the root is tidying up.
    pub(crate) at_root: bool,
    /// Where the root waits while fibers run.
    pub(crate) root: Context,
    /// The stack of the fiber that is running.
    pub(crate) running: Bounds,
    pub(crate) options: StageOptions,
    /// Names the run among all runs of the process.
    pub(crate) stamp: u64,
    chooser: Option<NonNull<dyn Chooser>>,
    limits: RunLimits,
    pub(crate) last: Option<ThreadId>,
    decided: bool,
    preempts: bool,
    pub(crate) last_rounds: u32,
    statics: Vec<(usize, ObjectId)>,
    pub(crate) places: Vec<Place>,
    /// Before the first decision after so many events the root gets a chance to take a checkpoint.
    pub(crate) stop_from: usize,
    /// Whether it is its turn to do so.
    pub(crate) stops: bool,
    /// Loops that are put to the test.
    pub(crate) trials: Trials,
    pub(crate) clocks: Clocks,
    /// How many rounds of loops have been told apart.
    counted_rounds: u64,
    /// Threads that wait in the middle of a panic, and the panic.
    pub(crate) panicking: Vec<(ThreadId, PanicNote)>,
    /// What went wrong with us, not with the program.
    pub(crate) bug: Option<PanicNote>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Fibers are only left here when the tester itself is being unwound; unwinding them as well would need a stage.
        for slot in &mut self.slots {
            std::mem::forget(slot.fiber.take());
        }
    }
}

impl Stage {
    pub(crate) fn new(options: StageOptions) -> Stage {
        let mut world = World::new(options.world);
        if options.stable {
            world.keep_numbers();
        }
        Stage {
            world,
            run: Run::default(),
            names: Names::default(),
            slots: Vec::new(),
            pool: StackPool::default(),
            current: ThreadId::MAIN,
            next: None,
            over: false,
            exiting: None,
            at_root: true,
            root: Context::NONE,
            running: Bounds::default(),
            options,
            stamp: 0,
            chooser: None,
            limits: RunLimits::default(),
            last: None,
            decided: false,
            preempts: false,
            last_rounds: 0,
            statics: Vec::new(),
            places: Vec::new(),
            stop_from: usize::MAX,
            stops: false,
            trials: Trials::default(),
            clocks: Clocks::new(),
            counted_rounds: 0,
            panicking: Vec::new(),
            bug: None,
        }
    }

    /// Gets ready for a run steered by `chooser`, which has to live until [`Stage::close`].
    pub(crate) fn open(&mut self, chooser: NonNull<dyn Chooser>, limits: &RunLimits, stamp: u64) {
        self.steered_by(chooser, limits, stamp);
        self.world.reset();
        self.run.clear();
        self.statics.clear();
        self.places.clear();
        self.panicking.clear();
        self.clocks.begin_run();
        self.exiting = None;
        self.last = None;
        self.last_rounds = 0;
        self.next = Some(ThreadId::MAIN);
        self.slots.iter_mut().for_each(Slot::begin_run);
        self.world.add_thread(ThreadId::MAIN, None);
        self.world.publish(ThreadId::MAIN, Operation::new(Kind::Start, ObjectId::NONE, 0), Place::Unknown);
    }

    /// Who steers the run that begins or goes on.
    pub(crate) fn steered_by(&mut self, chooser: NonNull<dyn Chooser>, limits: &RunLimits, stamp: u64) {
        self.stamp = stamp;
        watch::run_begins(stamp);
        self.chooser = Some(chooser);
        self.limits = *limits;
        self.over = false;
        self.decided = false;
        self.preempts = false;
        self.next = None;
        self.stops = false;
        self.stop_from = usize::MAX;
    }

    pub(crate) fn close(&mut self) {
        let named = self.chooser().wants_names();
        self.chooser = None;
        self.run.threads = self.slots.len();
        if outside::was_used(self.stamp) {
            let message = "a thread that raddle::thread did not start".to_owned();
            self.run.trouble =
                Some(Trouble { thread: self.current, message, place: Place::Unknown, block: None });
            self.run.ending = Ending::Outside;
        }
        let wrong =
            self.run.ending != Ending::Finished || self.run.trouble.is_some() || self.run.race.is_some();
        if named || wrong {
            self.describe_run();
        }
    }

    /// Adds what only a report needs.
    pub(crate) fn describe_run(&mut self) {
        let notes = self.places.iter().enumerate().map(|(index, place)| ObjectNote {
            kind: self.world.kind(ObjectId::new(index)).word(),
            place: *place,
            ..ObjectNote::default()
        });
        self.run.objects.clear();
        self.run.objects.extend(notes);
        self.run.thread_names.clear();
        self.run.thread_names.extend(self.slots.iter().map(|slot| slot.name.clone()));
    }

    /// The slot of a thread.
    /// Lets a little time pass for the current thread, unless it has done so itself since the last time, or sees the same again:
    /// while it waits, time stands still, so that its rounds are alike.
    pub(crate) fn pass_a_moment(&mut self) {
        let waits = self.world.sees_the_same(self.current);
        let slot = self.slot(self.current);
        if slot.clock == slot.clock_at_hint && !waits {
            slot.clock = slot.clock.saturating_add(HINT_NANOSECONDS);
        }
        slot.clock_at_hint = slot.clock;
    }

    /// Stands for what the current thread keeps to itself, at a place where it may be going round a loop. If it is known to count its
    /// rounds elsewhere, no two of them are alike.
    pub(crate) fn own_at(&mut self, place: Place, frame: &Frame) -> u64 {
        if self.options.counted.contains(place) {
            self.counted_rounds += 1;
            return self.counted_rounds;
        }
        frame.sum(self.running.base)
    }

    /// The same where the place is one of ours, and frames of ours lie between. In these there are things that change in every round:
    /// where the record of the run ends, how long it is, and what time it is. If what the thread counts is taken for one of them, the
    /// trial of its loop finds out.
    pub(crate) fn own_behind_ours(&mut self, place: Place, frame: &Frame) -> u64 {
        if self.options.counted.contains(place) {
            return self.own_at(place, frame);
        }
        let events = self.run.events.as_ptr_range();
        let (begin, length) = (events.start as u64, self.run.events.len() as u64);
        let end = begin + (self.run.events.capacity() * size_of::<Event>()) as u64;
        let slot = self.slot(self.current);
        let times = [slot.clock, slot.slept, slot.clock_at_hint];
        frame.sum_but_for(self.running.base, |word| {
            (begin..=end).contains(&word) || length.wrapping_sub(word) <= 2 || times.contains(&word)
        })
    }

    /// The time of a thread that waits by the clock runs out: first a little, then a lot.
    pub(crate) fn let_time_run_out(&mut self, thread: ThreadId) {
        let stride = if self.world.runs_out_of_time(thread) == 1 { SHORT_STRIDE } else { LONG_STRIDE };
        let slot = self.slot(thread);
        slot.clock = slot.clock.saturating_add(stride);
    }

    pub(crate) fn slot(&mut self, thread: ThreadId) -> &mut Slot {
        while self.slots.len() <= thread.index() {
            self.slots.push(Slot::empty());
        }
        &mut self.slots[thread.index()]
    }

    pub(crate) fn locals(&mut self) -> &mut Locals {
        let current = self.current;
        &mut self.slot(current).locals
    }

    pub(crate) fn register(&mut self, kind: ObjectKind, place: Place) -> ObjectId {
        let number = self.world.register(kind);
        self.note_place(number, place);
        number
    }

    pub(crate) fn register_as(&mut self, number: ObjectId, kind: ObjectKind, place: Place) {
        self.world.register_as(number, kind);
        self.note_place(number, place);
    }

    fn note_place(&mut self, number: ObjectId, place: Place) {
        if self.places.len() <= number.index() {
            self.places.resize(number.index() + 1, Place::Unknown);
        }
        self.places[number.index()] = place;
    }

    pub(crate) fn remembered(&self, address: usize) -> Option<ObjectId> {
        // The last one counts: memory of the run is used again.
        self.statics.iter().rev().find(|(known, _)| *known == address).map(|(_, number)| *number)
    }

    pub(crate) fn remember(&mut self, address: usize, number: ObjectId) {
        self.statics.push((address, number));
    }

    fn chooser(&mut self) -> &mut dyn Chooser {
        let mut chooser = self.chooser.expect("bug in raddle: a run without a chooser");
        // SAFETY: the caller of `open` keeps the chooser alive and untouched until `close`, and the stage, of which
        // there is one reference at a time, is the only user in between.
        unsafe { chooser.as_mut() }
    }

    /// Whose turn it is, after every thread has said what it wants to do.
    #[inline(always)]
    pub(crate) fn turn(&mut self) -> Turn {
        if self.over {
            return Turn::Nobody;
        }
        if let Some(urgent) = self.world.urgent().first() {
            self.decided = false;
            self.preempts = false;
            return Turn::Of(urgent);
        }
        if self.exiting.is_some_and(|since| self.run.events.len() >= since + EVENTS_AFTER_EXIT) {
            return self.end(Ending::Finished);
        }
        if self.run.events.len() >= self.limits.max_steps {
            return self.end(Ending::StepLimit);
        }
        let enabled = self.world.enabled();
        if enabled.is_empty() {
            return self.nobody_can_go();
        }
        if self.run.events.len() >= self.stop_from && !self.at_root {
            // The root goes on from here.
            self.stops = true;
            return Turn::Nobody;
        }
        self.decide(enabled)
    }

    #[inline(always)]
    fn decide(&mut self, enabled: ThreadSet) -> Turn {
        let last = self.last;
        let mut chooser = self.chooser.expect("bug in raddle: a run without a chooser");
        let decision = Decision {
            enabled,
            last,
            pending: self.world.pending(),
            event: self.run.events.len(),
            objects: if self.world.keeps_numbers() { usize::MAX } else { self.world.objects() },
        };
        // SAFETY: as in `Stage::chooser`; here the world is borrowed beside it.
        match unsafe { chooser.as_mut() }.decide(&decision) {
            Choice::Go(thread) => {
                assert!(enabled.contains(thread), "bug in raddle: chose {thread}, which cannot go");
                self.decided = true;
                self.preempts = last.is_some_and(|last| last != thread && enabled.contains(last));
                self.last = Some(thread);
                Turn::Of(thread)
            }
            Choice::GiveUp => self.end(Ending::Blocked),
            Choice::Elsewhere => self.end(Ending::Elsewhere),
            Choice::Diverged => self.end(Ending::Diverged),
        }
    }

    /// Goes on from the root, where a fiber stopped before a decision.
    pub(crate) fn decide_at_root(&mut self) {
        if let Turn::Of(next) = self.turn() {
            self.next = Some(next);
        }
    }

    /// Ends the run.
    pub(crate) fn end(&mut self, ending: Ending) -> Turn {
        let stuck = matches!(ending, Ending::Deadlock | Ending::Livelock) && !self.options.panics_allowed;
        let panicked = self.panicking.pop().filter(|_| stuck);
        self.run.ending = if panicked.is_some() { Ending::Panic } else { ending };
        // A destructor that waits for ever is no more than what comes of the panic.
        if let Some((thread, note)) = panicked {
            self.note_panic(thread, note);
        }
        self.over = true;
        self.run.blocked.extend(self.world.blocked());
        if matches!(ending, Ending::Deadlock | Ending::Livelock) {
            self.run.held.extend(self.world.held());
        }
        Turn::Nobody
    }

    /// Everybody has come to an end, or waits for ever, or only spins.
    fn nobody_can_go(&mut self) -> Turn {
        let alive = self.world.alive();
        if alive.is_empty() || self.exiting.is_some() {
            return self.end(Ending::Finished);
        }
        let spins = |thread: &ThreadId| {
            self.world.with_pending().contains(*thread)
                && self.world.pending()[thread.index()].operation.kind == Kind::Spin
        };
        if let Some(spinner) = alive.iter().find(spins) {
            self.last_rounds += 1;
            if self.last_rounds > self.options.last_rounds {
                return self.end(Ending::Livelock);
            }
            if self.world.goes_by_clock(spinner) {
                // Nothing will change any more, but time goes on.
                self.let_time_run_out(spinner);
            } else {
                // A loop that counts its rounds will end by itself now.
                self.run.cut_short.get_or_insert(self.world.pending()[spinner.index()].place);
            }
            self.world.release_spinner(spinner);
            self.decided = false;
            self.preempts = false;
            return Turn::Of(spinner);
        }
        if self.only_leftovers(alive) {
            return self.end(Ending::Finished);
        }
        self.end(Ending::Deadlock)
    }

    /// Whether main is done and what is left was detached and waits for something that only main could have done: a
    /// real program would end here too. Locks are another matter: who waits for one should get it. And in C a main
    /// thread that ends without ending the program leaves all others behind, which it then waits for.
    fn only_leftovers(&self, alive: ThreadSet) -> bool {
        let ends_with_main = !self.options.foreign;
        ends_with_main
            && alive.iter().all(|thread| {
                thread != ThreadId::MAIN
                    && self.world.is_detached(thread)
                    && self.world.blocked_by(thread).is_none_or(|by| !self.world.alive().contains(by))
            })
    }

    /// Does what the current thread wants to do, and records it; false if the run is over instead.
    #[inline(always)]
    pub(crate) fn perform(&mut self) -> bool {
        let thread = self.current;
        let pending = &self.world.pending()[thread.index()];
        let alternatives = pending.alternatives;
        let caused = pending.cause.is_some();
        self.run.events.push(Event {
            thread,
            operation: in_pieces(&pending.operation),
            outcome: Outcome::Done,
            alternative: 0,
            alternatives,
            before: 0,
            value: 0,
            cause: None,
            decided: self.decided,
            preempts: self.preempts,
            place: pending.place,
        });
        if caused {
            self.copy_cause();
        }
        if alternatives > 1 && !self.pick() {
            self.run.events.pop();
            return false;
        }
        let number = (self.run.events.len() - 1) as u32;
        let Some(event) = self.run.events.last_mut() else { return false };
        if let Err(misuse) = self.world.execute(event, number) {
            let place = event.place;
            self.run.events.pop();
            self.misused(misuse, place);
            return false;
        }
        self.decided = false;
        self.preempts = false;
        let writes = matches!(
            event.operation.kind,
            Kind::Store | Kind::ReadModifyWrite | Kind::CompareExchange | Kind::WeakCompareExchange
        );
        if !writes {
            self.world.observe(event);
        }
        true
    }

    /// The same, not as a part of the caller: for steps of which a thread makes only one.
    #[inline(never)]
    pub(crate) fn perform_without_hurry(&mut self) -> bool {
        self.perform()
    }

    /// Completes the event that is being made by what made it possible.
    #[cold]
    fn copy_cause(&mut self) {
        let cause = self.world.pending()[self.current.index()].cause;
        if let Some(event) = self.run.events.last_mut() {
            event.cause = cause;
        }
    }

    /// Lets the search choose the alternative of the event that is being made; false if the run is over instead.
    #[cold]
    fn pick(&mut self) -> bool {
        let number = self.run.events.len() - 1;
        let event = self.run.events[number];
        let (thread, kind, alternatives) = (event.thread, event.operation.kind, event.alternatives);
        match self.chooser().pick(&Offer { thread, kind, alternatives, event: number }) {
            Ok(alternative) => {
                self.run.events[number].alternative = alternative;
                true
            }
            Err(reason) => {
                self.end(match reason {
                    NoPick::Elsewhere => Ending::Elsewhere,
                    NoPick::Diverged => Ending::Diverged,
                });
                false
            }
        }
    }

    /// Records an event that is no decision and that the world does not see.
    pub(crate) fn record(&mut self, operation: Operation, place: Place) {
        let event = Event {
            thread: self.current,
            operation,
            outcome: Outcome::Done,
            alternative: 0,
            alternatives: 1,
            before: 0,
            value: 0,
            cause: None,
            decided: false,
            preempts: false,
            place,
        };
        self.run.events.push(event);
        self.world.observe(&event);
    }

    /// Gives a cell its new value, as part of the event that was recorded last.
    #[inline]
    pub(crate) fn write(&mut self, cell: ObjectId, value: u64) {
        self.world.write(cell, value);
        self.settle(value as i64);
    }

    /// Completes the event of an operation on memory.
    #[inline]
    pub(crate) fn settle(&mut self, value: i64) {
        let event = self.run.events.last_mut().expect("bug in raddle: a write without its event");
        event.value = value;
        if event.before != value {
            self.last_rounds = 0;
        }
        self.world.observe(event);
    }

    fn misused(&mut self, misuse: Misuse, place: Place) {
        let message = match misuse {
            Misuse::UnlockedByStranger { owner: Some(owner) } => {
                format!("unlocked a lock that {owner} holds")
            }
            Misuse::UnlockedByStranger { owner: None } => "unlocked a lock that nobody holds".to_owned(),
            Misuse::WaitedWithoutMutex => {
                "waited at a condition variable without holding the mutex".to_owned()
            }
        };
        self.run.trouble = Some(Trouble { thread: self.current, message, place, block: None });
        self.end(Ending::Misuse);
    }

    pub(crate) fn panicked(&mut self, note: PanicNote) {
        if note.message.contains("bug in raddle") {
            // Decisions are made on the stack of whichever thread asks for one.
            self.bug.get_or_insert(note);
            self.over = true;
            return;
        }
        if !self.over {
            self.note_panic(self.current, note);
            self.end(Ending::Panic);
        }
    }

    fn note_panic(&mut self, thread: ThreadId, note: PanicNote) {
        self.run.trouble_after = note.after;
        self.run.trouble = Some(Trouble { thread, message: note.message, place: note.place, block: None });
    }

    /// The current thread died of a signal, or was ended by the watch.
    pub(crate) fn died(&mut self, death: Death) {
        if !self.over {
            let place = self.last_place();
            self.run.trouble =
                Some(Trouble { thread: self.current, message: death.words(), place, block: None });
            self.end(match death.cause {
                Cause::Signal => Ending::Failed(Failure::Crash),
                Cause::Endless => Ending::Failed(Failure::Stuck),
                Cause::Asleep => Ending::Outside,
            });
        }
    }

    /// A stack for a thread: its own one of earlier runs, if the stage is for foreign code.
    pub(crate) fn stack_for(&mut self, thread: ThreadId, bytes: Option<usize>) -> DefaultStack {
        if !self.options.foreign {
            return self.pool.take(bytes);
        }
        let usual = if thread == ThreadId::MAIN { self.options.main_stack } else { self.options.stack };
        let bytes = bytes.map_or(usual, |bytes| bytes.max(usual));
        let kept = self.slot(thread).stack.take();
        match kept.filter(|stack| Bounds::of(stack).bytes() >= bytes) {
            Some(stack) => stack,
            None => DefaultStack::new(bytes).expect("could not get memory for the stack of a thread"),
        }
    }

    /// Where the current thread is, or was when it last was seen, or was created.
    fn last_place(&self) -> Place {
        let seen = |event: &&Event| {
            let created = event.operation.kind == Kind::Create
                && event.operation.operand == self.current.index() as u64;
            event.place != Place::Unknown && (created || event.thread == self.current)
        };
        match (self.options.place)() {
            Place::Unknown => {
                self.run.events.iter().rev().find(seen).map_or(Place::Unknown, |event| event.place)
            }
            known => known,
        }
    }

    pub(crate) fn overflowed(&mut self) {
        if !self.over {
            let place = self.last_place();
            let message = "a thread overflowed its stack".to_owned();
            self.run.trouble = Some(Trouble { thread: self.current, message, place, block: None });
            self.end(Ending::StackOverflow);
        }
    }
}

/// A copy of an operation that was just written piece by piece. Read in larger pieces than it was written, it would have to wait
/// until all of them have reached the cache, which takes as long as a quarter of the whole step.
#[inline(always)]
fn in_pieces(operation: &Operation) -> Operation {
    // SAFETY: reads what a reference points to. Volatile only so that the compiler does not join the reads.
    unsafe {
        Operation {
            kind: (&raw const operation.kind).read_volatile(),
            order: (&raw const operation.order).read_volatile(),
            order_on_failure: (&raw const operation.order_on_failure).read_volatile(),
            object: (&raw const operation.object).read_volatile(),
            operand: (&raw const operation.operand).read_volatile(),
            carries: (&raw const operation.carries).read_volatile(),
        }
    }
}
