//! What a library of primitives uses: visiting the stage with a visible operation.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use corosensei::Coroutine;
use raddle_trace::limits::MAX_ALTERNATIVES;
use raddle_trace::{
    Ending, Hidden, Kind, ObjectId, Operation, Order, Outcome, Place, Run, ThreadId, Trouble,
};
use raddle_world::{Awaits, Hint, ObjectKind, Trust, World};

use crate::fiber::{Fiber, Way};
use crate::local::destroy_locals;
use crate::own::Frame;
use crate::panic_count;
use crate::panics::{self, RunIsOver};
use crate::stage::{Stage, Turn};

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

/// The thread has been reading the same for a long time without saying that it spins: it waits first, if it has changed nothing of
/// its own.
#[cold]
#[inline(never)]
fn rest_after_quiet_loop(place: Place) {
    let frame = Frame::here();
    let hint = with_stage(|stage| {
        let own = stage.own_at(place, &frame);
        stage.world.quiet_round(stage.current, place.address(), own)
    });
    obey(hint, place);
}

/// Waits for the turn of the current thread, whose operation is published, and executes it; false if the run is over and the
/// thread is being unwound.
#[inline(never)]
fn wait_and_go(pointer: *mut Stage) -> bool {
    if std::thread::panicking() {
        return go_while_panicking(pointer);
    }
    // SAFETY: as in `with_stage`.
    let stage = unsafe { &mut *pointer };
    let turn = stage.turn();
    take_turn(pointer, turn)
}

/// The same for a thread in the middle of a panic, which is its own business: the others are not panicking.
#[cold]
fn go_while_panicking(pointer: *mut Stage) -> bool {
    let Some(panics) = panic_count::set_aside() else {
        // SAFETY: as in `with_stage`.
        let turn = unsafe { &mut *pointer }.turn_while_panicking();
        return take_turn(pointer, turn);
    };
    let note = panics::set_note_aside();
    // SAFETY: as in `with_stage`; the reference ends before the switch.
    let turn = unsafe { &mut *pointer }.turn();
    await_turn(pointer, turn);
    panics::put_note_back(note);
    panic_count::put_back(panics);
    go(pointer)
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

/// Waits for the turn of the current thread, whose operation is published, and executes it; false if the run is over and the
/// thread is being unwound.
#[inline]
fn take_turn(pointer: *mut Stage, turn: Turn) -> bool {
    await_turn(pointer, turn);
    go(pointer)
}

#[inline]
fn await_turn(pointer: *mut Stage, turn: Turn) {
    // SAFETY: as in `with_stage`; the reference ends before the switch.
    let stage = unsafe { &mut *pointer };
    if turn != Turn::Of(stage.current) {
        if let Turn::Of(other) = turn {
            stage.next = Some(other);
        }
        switch_away(pointer);
    }
}

#[inline]
fn go(pointer: *mut Stage) -> bool {
    // SAFETY: as in `with_stage`; a fiber stays on its OS thread, so the stage is the same.
    let stage = unsafe { &mut *pointer };
    let goes = !stage.over && stage.perform();
    if !goes {
        leave();
    }
    goes
}

/// Leaves the fiber until the root resumes it. Never part of another function, so that its frame is small and the lowest:
/// whoever keeps the stack needs to know how far it reaches.
#[inline(never)]
fn switch_away(pointer: *mut Stage) {
    let here = 0_u8;
    // SAFETY: as in `with_stage`; the reference ends before the switch.
    let stage = unsafe { &mut *pointer };
    let slot = &mut stage.slots[stage.current.index()];
    slot.left_at = &raw const here as usize;
    let way = slot.way;
    // SAFETY: the way belongs to the running fiber, on whose stack we are, and lives as long as it.
    unsafe { (*way).suspend(()) };
}

/// The run is over: unwinds the thread, unless it is being unwound.
#[cold]
fn leave() -> Executed {
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
        switch_away(stage_pointer());
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

/// The caller has nothing to do until something changes. If it is not known to do the same in every round of a loop, `own` is
/// looked at for what it keeps to itself.
pub fn spin_hint(own: Option<&Frame>, place: Place) {
    let hint = with_stage(|stage| {
        if stage.over {
            return Hint::Wait(0, Trust::Known);
        }
        stage.pass_a_moment();
        let own = own.map(|frame| stage.own_at(place, frame));
        stage.world.hint(stage.current, own)
    });
    obey(hint, place);
}

/// If the caller is to wait in a loop, it does so until something of what it has seen changes, or, if the loop goes by the clock, until its time has run
/// out: whichever comes first is a choice, because nobody knows how fast the others are.
fn obey(hint: Hint, place: Place) {
    let Hint::Wait(mask, trust) = hint else { return };
    let awaits = with_stage(|stage| {
        if stage.over {
            return Some(Awaits::Change);
        }
        if !stage.may_wait_at(place, trust) {
            return None;
        }
        match trust {
            Trust::Known => {}
            Trust::Assumed => {
                stage.run.assumed_waiting.get_or_insert(place);
            }
            Trust::Cut => {
                stage.run.cut_short.get_or_insert(place);
            }
        }
        Some(stage.world.awaits(stage.current))
    });
    let Some(awaits) = awaits else { return };
    let time_runs_out = match awaits {
        Awaits::Change => false,
        Awaits::Time => true,
        Awaits::ChangeOrTime => visit(Operation::time_choice(), place).alternative == 1,
    };
    if time_runs_out {
        with_stage(|stage| stage.let_time_run_out(stage.current));
    } else {
        visit(Operation::new(Kind::Spin, ObjectId::NONE, mask), place);
    }
}

/// Takes note that the caller may have changed what a lock guards that it has.
pub fn touch() {
    with_stage(|stage| stage.world.touches(stage.current));
}

/// Takes note that the caller looks at the clock: a loop that does so may be waiting for a moment.
pub fn look_at_clock() {
    with_stage(|stage| stage.world.look_at_clock(stage.current));
}

/// Whether a thread that goes round a loop may be waiting, so that [`round`] has to be called; `mark` stands for a part of what it
/// keeps to itself.
#[inline]
#[must_use]
pub fn may_wait(which: u64, mark: u64) -> bool {
    with_stage(|stage| !stage.over && stage.world.may_wait(stage.current, which, mark))
}

/// The caller comes to a loop from outside.
#[inline]
pub fn begin_loop(which: u64) {
    with_stage(|stage| stage.world.begin_loop(stage.current, which));
}

/// The caller goes round a loop; `own` stands for everything that it keeps to itself.
pub fn round(place: Place, which: u64, own: u64) {
    let hint = with_stage(|stage| match stage.over {
        true => Hint::GoOn,
        false => stage.world.round(stage.current, which, own),
    });
    obey(hint, place);
}

/// Lets a little time pass for a thread that waits and does not say for how long, so that a loop that looks at the clock ends.
pub fn pass_a_moment() {
    with_stage(Stage::pass_a_moment);
}

/// The caller gives way or sleeps: it goes on, but not for ever before anybody else does.
pub fn idle() {
    with_stage(|stage| stage.world.idles(stage.current));
}

/// What the token of a thread holds from its visible end on; more than all unparks could add up to.
const ENDED: u64 = 1 << 62;

/// Whether a thread has ended, without waiting for it.
///
/// For that the ends of threads have to be visible operations. If they are not, the run is over, and the search starts
/// again with visible ends.
pub fn has_ended(thread: ThreadId, place: Place) -> bool {
    let token = with_stage(|stage| {
        if !stage.over && !stage.options.visible_ends {
            stage.end(Ending::NeedsVisible(Hidden::Ends));
        }
        stage.world.token(thread)
    });
    let executed = visit(Operation::new(Kind::Load, token, 0), place);
    !executed.skipped && executed.value as u64 >= ENDED
}

/// Whether the ends of threads are visible, so that [`has_ended`] tells them from the ends of what threads were to do.
#[must_use]
pub fn ends_are_visible() -> bool {
    with_stage(|stage| stage.options.visible_ends)
}

/// Says that what the current thread read so far was not part of the loop that it is about to enter.
pub fn start_new_loop() {
    with_stage(|stage| stage.world.start_new_loop(stage.current));
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

/// Creates a thread that runs `f`.
pub fn spawn<F: FnOnce() + 'static>(
    f: F,
    name: Option<String>,
    stack: Option<usize>,
    place: Place,
) -> ThreadId {
    // SAFETY: `f` is `'static`, so it may live as long as any fiber.
    unsafe { spawn_unchecked(f, name, stack, place) }
}

/// Creates a thread that runs `f`, which may borrow.
///
/// # Safety
/// What `f` borrows has to live until the thread has come to its end, or the run has.
pub unsafe fn spawn_unchecked<F: FnOnce()>(
    f: F,
    name: Option<String>,
    stack: Option<usize>,
    place: Place,
) -> ThreadId {
    let child = with_stage(|stage| {
        if stage.over {
            return None;
        }
        let parent = stage.current;
        let nth = stage.slot(parent).children;
        let child = stage.names.child(parent, nth);
        if child.is_none() {
            stage.end(Ending::TooManyThreads);
        }
        child
    });
    let Some(child) = child else {
        leave();
        // While unwinding there is nobody to run it.
        return ThreadId::MAIN;
    };
    let executed = visit(Operation::new(Kind::Create, ObjectId::NONE, child.index() as u64), place);
    if executed.skipped {
        return child;
    }
    with_stage(|stage| {
        let parent = stage.current;
        stage.slot(parent).children += 1;
        let (clock, slept) = (stage.slot(parent).clock, stage.slot(parent).slept);
        let stack = stage.stack_for(child, stack);
        // SAFETY: passed on to the caller.
        let fiber = unsafe { make_fiber(stack, f) };
        let slot = stage.slot(child);
        *slot.fiber = Some(fiber);
        slot.name = name;
        (slot.clock, slot.slept) = (clock, slept);
        stage.world.publish(child, Operation::new(Kind::Start, ObjectId::NONE, 0), Place::Unknown);
    });
    child
}

/// # Safety
/// What `f` borrows has to live until the fiber has come to its end.
pub(crate) unsafe fn make_fiber<F: FnOnce()>(stack: corosensei::stack::DefaultStack, f: F) -> Fiber {
    // SAFETY: `with_stack_unchecked` only lifts the `'static` bound, which the caller answers for.
    unsafe { Coroutine::with_stack_unchecked(stack, move |way: &Way, ()| thread_main(way, f)) }
}

/// From the first to the last step of a thread.
fn thread_main<F: FnOnce()>(way: &Way, f: F) {
    with_stage(|stage| {
        let current = stage.current;
        stage.slot(current).way = std::ptr::from_ref(way);
        if !stage.over {
            stage.perform();
        }
    });
    let result = catch_unwind(AssertUnwindSafe(|| {
        f();
        // As in `std`, what the thread was to do is done before its variables go.
        if with_stage(|stage| stage.options.visible_ends) {
            let token = with_stage(|stage| stage.world.token(stage.current));
            visit_write(Operation::new(Kind::Store, token, 0), Place::Unknown, |_| ENDED);
        }
        destroy_locals();
    }));
    match result {
        Ok(()) => {}
        Err(payload) if payload.is::<RunIsOver>() => return,
        Err(payload) => {
            let note = panics::take_note(&*payload);
            with_stage(|stage| stage.panicked(note));
            // The payload may be of any type; destroying it is the program's code and may panic as well.
            let _ = catch_unwind(AssertUnwindSafe(move || drop(payload)));
            return;
        }
    }
    with_stage(Stage::end_current);
}

/// Ends the current thread here and now; what is on its stack is lost. Only for foreign code.
pub fn end_thread() -> ! {
    with_stage(Stage::end_current);
    end_of_run()
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

/// Gives the current thread a name.
pub fn name_thread(thread: ThreadId, name: String) {
    with_stage(|stage| stage.slot(thread).name = Some(name));
}

/// The name that a thread was given.
#[must_use]
pub fn name_of_thread(thread: ThreadId) -> Option<String> {
    with_stage(|stage| stage.slot(thread).name.clone())
}

/// Waits for the end of a thread.
pub fn join(thread: ThreadId, place: Place) {
    join_for_result(thread, false, place);
}

/// Waits for the end of a thread, and for its result if it has one.
pub fn join_for_result(thread: ThreadId, carries: bool, place: Place) {
    let operation = Operation::new(Kind::Join, ObjectId::NONE, thread.index() as u64).carrying(carries);
    let executed = visit(operation, place);
    if !executed.skipped {
        with_stage(|stage| {
            let other = stage.slot(thread).clock;
            let current = stage.current;
            let clock = &mut stage.slot(current).clock;
            *clock = (*clock).max(other);
        });
    }
}

impl Stage {
    /// The last step of the current thread, and whose turn it is then.
    fn end_current(&mut self) {
        if !self.over {
            self.world.publish(self.current, Operation::new(Kind::End, ObjectId::NONE, 0), Place::Unknown);
            self.perform();
            if let Turn::Of(other) = self.turn() {
                self.next = Some(other);
            }
        }
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
