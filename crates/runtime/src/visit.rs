//! What a library of primitives uses: visiting the stage with a visible operation.

use std::cell::Cell;
use std::panic::resume_unwind;

use raddle_trace::limits::MAX_ALTERNATIVES;
use raddle_trace::{
    Ending, Hidden, Kind, ObjectId, Operation, Order, Outcome, Place, Run, ThreadId, Trouble,
};
use raddle_world::{ObjectKind, World};

use crate::fiber::{Bounds, Fiber, Way};
use crate::loops::rest_after_quiet_loop;
use crate::panic_count;
use crate::panics::{self, RunIsOver};
use crate::stage::{Stage, Turn};
use crate::switch::Context;

thread_local! {
    static CURRENT: Cell<*mut Stage> = const { Cell::new(std::ptr::null_mut()) };
}

/// Makes `stage` the one of this OS thread while `f` runs.
pub(crate) fn on_stage<R>(stage: &mut Stage, f: impl FnOnce(*mut Stage) -> R) -> R {
    struct Restore(*mut Stage);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.with(|current| current.set(self.0));
        }
    }
    let pointer = std::ptr::from_mut(stage);
    let _restore = Restore(CURRENT.with(|current| current.replace(pointer)));
    f(pointer)
}

/// How far the run of an OS thread is.
pub(crate) struct Moment {
    /// Its number.
    pub run: u64,
    pub events: usize,
    /// The running thread has said what it wants to do next and has not done it: the search may be deciding.
    pub is_at_operation: bool,
}

/// How far the run of this OS thread is, for a signal handler.
pub(crate) fn moment() -> Option<Moment> {
    let stage = CURRENT.try_with(Cell::get).ok().filter(|stage| !stage.is_null())?;
    // SAFETY: `on_stage` keeps the stage. Whoever was interrupted may be in the middle of changing it, but only numbers are
    // read, none of which is ever torn on its own thread, and nothing is kept.
    let stage = unsafe { &*stage };
    let is_pending = stage.world.with_pending().contains(stage.current);
    // A thread that is being unwound will never do what it wanted to.
    let is_at_operation = is_pending && !stage.over;
    Some(Moment { run: stage.stamp, events: stage.run.events.len(), is_at_operation })
}

/// The stack of the fiber that is running on this OS thread, if one is, and where the root waits: for a signal handler.
pub(crate) fn running() -> Option<(Bounds, Context)> {
    let stage = CURRENT.try_with(Cell::get).ok().filter(|stage| !stage.is_null())?;
    // SAFETY: as in `moment`.
    let stage = unsafe { &*stage };
    (!stage.at_root).then_some((stage.running, stage.root))
}

/// Whether the caller is part of a run.
#[inline]
#[must_use]
pub fn in_run() -> bool {
    CURRENT.try_with(|current| !current.get().is_null()).unwrap_or(false)
}

/// Where the stage is.
#[inline]
fn stage_pointer() -> *mut Stage {
    let pointer = CURRENT.with(Cell::get);
    assert!(!pointer.is_null(), "bug in raddle: used the stage outside a run");
    pointer
}

/// The run that the caller is part of, looked up once: that takes as long as a small operation.
#[derive(Clone, Copy, Debug)]
pub struct Here(*mut Stage);

impl Here {
    /// The run, if the caller is part of one.
    #[inline]
    #[must_use]
    pub fn find() -> Option<Here> {
        let pointer = CURRENT.try_with(Cell::get).unwrap_or(std::ptr::null_mut());
        (!pointer.is_null()).then_some(Here(pointer))
    }

    /// The run.
    ///
    /// # Panics
    /// Outside a run.
    #[inline]
    #[must_use]
    pub fn now() -> Here {
        Here(stage_pointer())
    }

    #[inline]
    fn with<R>(self, f: impl FnOnce(&mut Stage) -> R) -> R {
        // SAFETY: as in `with_stage`; whoever has found the run is part of it, and a fiber stays on its OS thread.
        f(unsafe { &mut *self.0 })
    }

    /// [`visit`].
    #[inline]
    pub fn visit(self, operation: Operation, place: Place) -> Executed {
        visit_on(self.0, operation, place)
    }

    /// [`visit_write`].
    #[inline]
    pub fn visit_write(self, operation: Operation, place: Place, new: impl FnOnce(u64) -> u64) -> Executed {
        visit_write_on(self.0, operation, place, new)
    }

    /// [`note_weaker_order`].
    #[inline]
    pub fn note_weaker_order(self, order: Order) {
        if order != Order::SequentiallyConsistent {
            self.with(|stage| stage.run.weaker_orders = true);
        }
    }

    /// [`with_run`].
    #[inline]
    pub fn with_run<R>(self, f: impl FnOnce(&mut Run) -> R) -> R {
        self.with(|stage| f(&mut stage.run))
    }

    /// Gives a cell this value if it has another one, by something that is no event.
    #[inline]
    pub fn correct_cell(self, cell: ObjectId, value: u64) {
        self.with(|stage| {
            if stage.world.value(cell) != value {
                stage.world.write(cell, value);
            }
        });
    }
}

/// Uses the stage for a moment.
///
/// # Panics
/// Outside a run.
#[inline]
pub(crate) fn with_stage<R>(f: impl FnOnce(&mut Stage) -> R) -> R {
    let pointer = stage_pointer();
    // SAFETY: the pointer is set by `on_stage` for as long as the stage lives. All users are on one OS thread, and
    // none keeps the reference across a switch of fibers or a call into the program: `f` never does either.
    f(unsafe { &mut *pointer })
}

/// Looks at the world.
///
/// # Panics
/// Outside a run.
pub fn with_world<R>(f: impl FnOnce(&World) -> R) -> R {
    with_stage(|stage| f(&stage.world))
}

/// The thread that the caller is.
///
/// # Panics
/// Outside a run.
#[inline]
#[must_use]
pub fn current_thread() -> ThreadId {
    with_stage(|stage| stage.current)
}

/// What a visible operation did.
#[derive(Clone, Copy, Debug)]
pub struct Executed {
    /// How it ended.
    pub outcome: Outcome,
    /// The level of the object before.
    pub before: i64,
    /// The level of the object afterwards.
    pub value: i64,
    /// Which alternative was chosen.
    pub alternative: u32,
    /// What was done: for a wait, what ended it.
    pub kind: Kind,
    /// The run is over and the thread is being unwound: nothing was done.
    pub skipped: bool,
}

impl Executed {
    const SKIPPED: Executed = Executed {
        outcome: Outcome::Done,
        before: 0,
        value: 0,
        alternative: 0,
        kind: Kind::Start,
        skipped: true,
    };
}

/// The run is over if something that the program can tell is not visible.
pub(crate) fn need_visible(hidden: Hidden) {
    with_stage(|stage| {
        let visible = match hidden {
            Hidden::Ends => stage.options.visible_ends,
            Hidden::Counts => stage.options.visible_counts,
            Hidden::LastDrops => stage.options.visible_last_drops,
            Hidden::Rounds(place) => stage.options.counted.contains(place),
            Hidden::Queues => stage.options.visible_queues,
        };
        if !visible && !stage.over {
            stage.end(Ending::NeedsVisible(hidden));
        }
    });
}

/// Does something that is the program's, and tells whether there were events meanwhile.
#[inline]
pub fn made_events<R>(f: impl FnOnce() -> R) -> (R, bool) {
    let events = || with_stage(|stage| stage.run.events.len());
    let before = events();
    let result = f();
    (result, events() != before)
}

/// Whether the run is over and the caller should only tidy up.
#[must_use]
pub fn unwinding() -> bool {
    with_stage(|stage| stage.over)
}

/// Does a visible operation: publishes it, waits for the turn, executes it.
///
/// When the run is over this unwinds the thread; while it is being unwound it does nothing.
#[inline]
#[track_caller]
pub fn visit(operation: Operation, place: Place) -> Executed {
    visit_on(stage_pointer(), operation, place)
}

/// The same, for who knows where the stage is: looking that up takes as long as a small operation.
///
/// Publishing is part of whoever calls: there it is known what kind of operation it is, and the operation need not go through
/// memory, where one that was just written in small pieces cannot be read in one for a while.
#[inline(always)]
fn visit_on(pointer: *mut Stage, operation: Operation, place: Place) -> Executed {
    // SAFETY: as in `with_stage`.
    let mut stage = unsafe { &mut *pointer };
    if operation.kind != Kind::Spin && !stage.over && stage.world.may_spin_without_hint(stage.current) {
        rest_after_quiet_loop(place);
        // SAFETY: as in `with_stage`; a fiber stays on its OS thread, so the stage is the same.
        stage = unsafe { &mut *pointer };
    }
    if stage.over {
        return leave();
    }
    stage.world.publish(stage.current, operation, place);
    if wait_and_go(pointer) { executed(pointer) } else { Executed::SKIPPED }
}

/// Waits for the turn of the current thread, whose operation is published, and executes it; false if the run is over and the
/// thread is being unwound.
#[inline(never)]
fn wait_and_go(pointer: *mut Stage) -> bool {
    if std::thread::panicking() {
        return go_while_panicking(pointer);
    }
    // SAFETY: as in `with_stage`.
    let turn = unsafe { &mut *pointer }.turn();
    await_turn(pointer, turn);
    go(pointer)
}

/// The same for a thread in the middle of a panic, which is its own business: the others are not panicking.
#[cold]
fn go_while_panicking(pointer: *mut Stage) -> bool {
    let Some(panics) = panic_count::set_aside() else {
        // SAFETY: as in `with_stage`.
        let turn = unsafe { &mut *pointer }.turn_while_panicking();
        await_turn(pointer, turn);
        return go_without_hurry(pointer);
    };
    let note = panics::set_note_aside();
    // SAFETY: as in `with_stage`; the reference ends before the switch.
    let stage = unsafe { &mut *pointer };
    let current = stage.current;
    stage.panicking.extend(note.clone().map(|note| (current, note)));
    let turn = stage.turn();
    await_turn(pointer, turn);
    // SAFETY: as in `with_stage`.
    unsafe { &mut *pointer }.panicking.retain(|(thread, _)| *thread != current);
    panics::put_note_back(note);
    panic_count::put_back(panics);
    go_without_hurry(pointer)
}

/// What the last event of the run did. Part of whoever looks at it: most need little of it.
#[inline(always)]
fn executed(pointer: *mut Stage) -> Executed {
    // SAFETY: as in `with_stage`.
    let stage = unsafe { &mut *pointer };
    stage.run.events.last().map_or(Executed::SKIPPED, |event| Executed {
        outcome: event.outcome,
        before: event.before,
        value: event.value,
        alternative: event.alternative,
        kind: event.operation.kind,
        skipped: false,
    })
}

/// Executes the operation that the world gave the current thread to do next: after a wait or an arrival at a barrier, what
/// ends it.
pub fn wait_for_turn() -> Executed {
    if unwinding() {
        return leave();
    }
    let pointer = stage_pointer();
    if wait_and_go(pointer) { executed(pointer) } else { Executed::SKIPPED }
}

/// Records an access to unsynchronised memory. It is no decision: if it races with another one, that shows in any order.
pub fn record(operation: Operation, place: Place) {
    with_stage(|stage| {
        if !stage.over {
            stage.record(operation, place);
        }
    });
}

/// Waits for the turn of the current thread, whose operation is published.
#[inline]
fn await_turn(pointer: *mut Stage, turn: Turn) {
    // SAFETY: as in `with_stage`; the reference ends before the switch.
    let stage = unsafe { &mut *pointer };
    if turn != Turn::Of(stage.current) {
        switch_away(pointer, turn);
    }
}

/// Executes the operation of the current thread, whose turn it is; false if the run is over and the thread is being unwound.
#[inline(always)]
fn go(pointer: *mut Stage) -> bool {
    // SAFETY: as in `with_stage`; a fiber stays on its OS thread, so the stage is the same.
    let stage = unsafe { &mut *pointer };
    let goes = !stage.over && stage.perform();
    if !goes {
        leave();
    }
    goes
}

/// The same, not as a part of the caller.
#[inline(never)]
fn go_without_hurry(pointer: *mut Stage) -> bool {
    go(pointer)
}

/// Leaves the fiber until it is its turn again. Never part of another function, so that all fibers wait at the same place
/// ([`crate::switch`] says what for).
#[inline(never)]
fn switch_away(pointer: *mut Stage, turn: Turn) {
    // SAFETY: as in `with_stage`; the reference ends before the switch.
    let stage = unsafe { &mut *pointer };
    let from = stage.fiber(stage.current).leaves();
    let way = match turn {
        Turn::Of(other) => stage.way_to(other),
        Turn::Nobody => Way::Switch(stage.root),
    };
    // SAFETY: where the fiber was left is written before anybody else runs, who could move that. The other one is not running,
    // because this one is, and neither is the root.
    unsafe { way.go(from) };
}

/// The run is over: unwinds the thread, unless it is being unwound.
#[cold]
pub(crate) fn leave() -> Executed {
    if with_stage(|stage| stage.options.foreign) {
        end_of_run();
    }
    let stay = with_stage(|stage| stage.at_root) || std::thread::panicking();
    if !stay {
        resume_unwind(Box::new(RunIsOver));
    }
    Executed::SKIPPED
}

/// Leaves a thread that cannot even be unwound, for ever: what is on its stack is lost. Only after the end of a run, when
/// a destructor needs something that it can no longer get.
pub fn end_of_run() -> ! {
    if with_stage(|stage| stage.at_root) {
        resume_unwind(Box::new(RunIsOver));
    }
    loop {
        switch_away(stage_pointer(), Turn::Nobody);
    }
}

/// Does a visible operation on memory, and gives the cell the value that `new` makes of the old one.
///
/// For a compare-exchange that fails, `new` is not called.
#[inline]
pub fn visit_write(operation: Operation, place: Place, new: impl FnOnce(u64) -> u64) -> Executed {
    visit_write_on(stage_pointer(), operation, place, new)
}

/// The same, for who knows where the stage is.
#[inline]
fn visit_write_on(
    pointer: *mut Stage,
    operation: Operation,
    place: Place,
    new: impl FnOnce(u64) -> u64,
) -> Executed {
    let mut executed = visit_on(pointer, operation, place);
    if executed.skipped {
        return write_after_end(operation, new);
    }
    let value = if executed.outcome == Outcome::Done { Some(new(executed.before as u64)) } else { None };
    // SAFETY: as in `with_stage`; a fiber stays on its OS thread, so the stage is the same.
    let stage = unsafe { &mut *pointer };
    match value {
        Some(value) => {
            executed.value = value as i64;
            stage.write(operation.object, value);
        }
        None => stage.settle(executed.before),
    }
    executed
}

/// After the end of a run destructors still count on memory: a write is done, but is no event.
#[cold]
fn write_after_end(operation: Operation, new: impl FnOnce(u64) -> u64) -> Executed {
    with_stage(|stage| {
        let before = stage.world.value(operation.object);
        let compares = matches!(operation.kind, Kind::CompareExchange | Kind::WeakCompareExchange);
        let fails = compares && before != operation.operand;
        let value = if fails { before } else { new(before) };
        stage.world.write(operation.object, value);
        Executed {
            outcome: if fails { Outcome::Failed } else { Outcome::Done },
            before: before as i64,
            value: value as i64,
            ..Executed::SKIPPED
        }
    })
}

/// Takes note that the program asked for less than sequential consistency.
#[inline]
pub fn note_weaker_order(order: Order) {
    if order != Order::SequentiallyConsistent {
        Here::now().note_weaker_order(order);
    }
}

/// Chooses one of `count` alternatives.
///
/// # Panics
/// If there are too many, at the caller's place.
#[track_caller]
pub fn choose(count: u64, place: Place) -> u64 {
    if count <= 1 {
        return 0;
    }
    assert!(
        count <= MAX_ALTERNATIVES,
        "a choice of {count} alternatives is too large: at most {MAX_ALTERNATIVES}"
    );
    u64::from(visit(Operation::new(Kind::Choose, ObjectId::NONE, count), place).alternative)
}

/// Takes note that accesses will be steps in the runs that follow which are none in this one.
pub fn note_more_next() {
    with_stage(|stage| stage.run.shows_more_next = true);
}

/// Takes note that a thread which has an object for itself used its value without a visible operation.
pub fn note_unseen_access() {
    if in_run() {
        with_stage(|stage| stage.run.unseen_access = true);
    }
}

/// Whether a thread that panics only ends itself.
#[must_use]
pub fn panics_allowed() -> bool {
    with_stage(|stage| stage.options.panics_allowed)
}

/// How often in a row a weak compare-exchange of a thread may fail for no reason.
#[must_use]
pub fn spurious_failures() -> u32 {
    with_stage(|stage| stage.options.spurious_failures)
}

/// The time as the current thread sees it, in nanoseconds since the start of the run, after `passed` more.
///
/// Time is virtual: it passes only for a thread that sleeps, and from a thread to those that learn of it afterwards. So it is a
/// function of the trace, not of the interleaving.
pub fn virtual_now(passed: u64) -> u64 {
    with_stage(|stage| stage.time_after(passed))
}

/// Ends the run here and now, with these facts. Only for foreign code.
pub fn end_run(ending: Ending, trouble: Option<Trouble>) -> ! {
    with_stage(|stage| {
        if !stage.over {
            stage.run.trouble = trouble;
            stage.end(ending);
        }
    });
    end_of_run()
}

/// The program asks to be ended, from the current thread, which never goes on. The others do until they have to wait: what
/// they do then they could have done before.
pub fn exit_program() -> ! {
    let token = with_stage(|stage| {
        stage.exiting.get_or_insert(stage.run.events.len());
        stage.world.token(stage.current)
    });
    loop {
        visit(Operation::exit(token), Place::Unknown);
    }
}

/// Adds an object to the run.
pub fn register(kind: ObjectKind, place: Place) -> ObjectId {
    with_stage(|stage| stage.register(kind, place))
}

/// Adds the object that has this number in all runs.
pub fn register_as(number: ObjectId, kind: ObjectKind, place: Place) {
    with_stage(|stage| stage.register_as(number, kind, place));
}

/// Looks at the run as far as it has been made.
pub fn with_run<R>(f: impl FnOnce(&mut Run) -> R) -> R {
    with_stage(|stage| f(&mut stage.run))
}

/// Gives a cell the value that it got by something that is no event.
pub fn set_cell(cell: ObjectId, value: u64) {
    with_stage(|stage| stage.world.write(cell, value));
}

impl Stage {
    /// The fiber of a thread whose turn it is or was.
    #[inline]
    pub(crate) fn fiber(&mut self, thread: ThreadId) -> &mut Fiber {
        let fiber = self.slots[thread.index()].fiber.as_mut();
        fiber.expect("bug in raddle: the turn of a thread without a fiber")
    }

    /// Makes it the turn of a thread, which has to be switched to at once.
    #[inline]
    pub(crate) fn way_to(&mut self, thread: ThreadId) -> Way {
        self.current = thread;
        let fiber = self.fiber(thread);
        let (way, bounds) = (fiber.way(), fiber.bounds());
        self.running = bounds;
        way
    }

    /// Where the count of panics was not found, no other thread may go while one unwinds because of a panic of its own: the
    /// runtime of Rust counts panics by OS thread. So its operations are done at once; one that would have to wait ends the run.
    fn turn_while_panicking(&mut self) -> Turn {
        let current = self.current;
        if self.world.enabled().contains(current) || self.world.urgent().contains(current) {
            return Turn::Of(current);
        }
        self.end(Ending::Deadlock)
    }
}
