//! A closure as a subject: called again for every run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use raddle_explore::{Chooser, RunLimits, Subject};
use raddle_trace::{Run, ThreadId};

use crate::checkpoint::Checkpoint;
use crate::fiber::Bounds;
use crate::names::Names;
use crate::outside::next_stamp;
use crate::overflow::{self, Death};
use crate::panics;
use crate::stage::{Stage, StageOptions};
use crate::threads::make_fiber;
use crate::visit::on_stage;

/// A closure that is the main thread of a program.
pub struct Program<F> {
    main: F,
    stage: Box<Stage>,
}

impl<F: Fn()> Program<F> {
    /// A program whose main thread runs `main`.
    pub fn new(main: F, options: StageOptions) -> Program<F> {
        panics::install_hook();
        Program { main, stage: Box::new(Stage::new(options)) }
    }

    /// The threads that have occurred.
    pub fn names(&self) -> &Names {
        &self.stage.names
    }

    /// Shares the numbers of threads with another worker's program.
    pub fn share_names(&mut self, names: Names) {
        self.stage.names = names;
    }

    /// Puts loops that are taken for waiting to the test. For searches: a run that is made again has no need of it.
    pub fn try_loops(&mut self) {
        self.stage.trials.wanted = true;
    }

    /// Gives numbers to threads before they occur, so that a schedule recorded by another search can be followed.
    pub fn names_mut(&mut self) -> &mut Names {
        &mut self.stage.names
    }

    /// Does before the first run what runs would do when they need it for the first time, for so many threads. Only for
    /// foreign code: a process that is forked from this one finds it done.
    ///
    /// # Panics
    /// If the system has no memory for the stacks.
    pub fn prepare(&mut self, threads: usize) {
        overflow::prepare(self.stage.options.foreign);
        for thread in (0..threads).map(ThreadId::new) {
            let stack = self.stage.stack_for(thread, None);
            self.stage.slot(thread).stack = Some(stack);
        }
    }

    /// Goes on giving numbers to objects where another process was.
    pub fn restore_numbers(&mut self, given: usize, tokens: Vec<raddle_trace::ObjectId>) {
        self.stage.world.restore_numbers(given, tokens);
    }

    /// The world as the last run left it.
    pub fn world(&self) -> &raddle_world::World {
        &self.stage.world
    }

    /// The last run.
    pub fn last_mut(&mut self) -> &mut Run {
        &mut self.stage.run
    }

    /// The stack of a thread that has occurred, as its lowest and its highest address. Only for foreign code, between runs.
    pub fn stack(&self, thread: ThreadId) -> Option<(usize, usize)> {
        let bounds = Bounds::of(self.stage.slots.get(thread.index())?.stack.as_ref()?);
        Some((bounds.lowest, bounds.base))
    }

    /// Begins a run, from a checkpoint if one is given. [`Program::make_with`] makes the rest of it. Only for foreign code.
    ///
    /// # Safety
    /// The chooser lives until the run has been made. With a checkpoint: the memory of the program is as it was when that was
    /// taken, and since then only runs were made that went on from it or from a later one.
    pub unsafe fn begin_from(
        &mut self,
        from: Option<&Checkpoint>,
        chooser: &mut dyn Chooser,
        limits: &RunLimits,
    ) {
        overflow::prepare(self.stage.options.foreign);
        let chooser = erased(chooser);
        let Some(checkpoint) = from else { return self.open(chooser, limits) };
        self.stage.steered_by(chooser, limits, next_stamp());
        // SAFETY: passed on to the caller.
        unsafe { self.stage.put_back(checkpoint) };
        self.stage.decide_at_root();
    }

    /// Makes the run that was begun by [`Program::begin_from`]. If there is a decision after so many events, at least and at
    /// most, `take` may keep a checkpoint from before it ([`Checkpoint::keep`]).
    pub fn make_with(&mut self, wanted: Option<(usize, usize)>, take: &mut dyn FnMut(&Stage)) -> &Run {
        self.stage.stop_from = wanted.map_or(usize::MAX, |(first, _)| first);
        on_stage(&mut self.stage, |pointer| {
            make(pointer);
            // SAFETY: as in `make`.
            while std::mem::take(&mut unsafe { &mut *pointer }.stops) {
                // SAFETY: as in `make`; nothing below resumes a fiber before the last use of it.
                let stage = unsafe { &mut *pointer };
                stage.stop_from = usize::MAX;
                if wanted.is_some_and(|(_, last)| stage.run.events.len() <= last) {
                    take(stage);
                }
                stage.decide_at_root();
                make(pointer);
            }
            drop_all(pointer);
        });
        self.finish()
    }

    fn open(&mut self, chooser: NonNull<dyn Chooser>, limits: &RunLimits) {
        self.stage.open(chooser, limits, next_stamp());
        let stack = self.stage.stack_for(ThreadId::MAIN, None);
        let main = &self.main;
        // SAFETY: the fiber is gone when the run has been made, and `main` outlives that.
        self.stage.slot(ThreadId::MAIN).fiber = Some(unsafe { make_fiber(stack, main) });
    }

    fn finish(&mut self) -> &Run {
        self.stage.close();
        if let Some(bug) = self.stage.bug.take() {
            panic!("{} ({})", bug.message, bug.place);
        }
        &self.stage.run
    }

    /// The last run, with everything that a report needs.
    pub fn described(&mut self) -> &Run {
        self.stage.describe_run();
        &self.stage.run
    }
}

/// A chooser without its lifetime: the stage uses it until the run has been made.
fn erased(chooser: &mut dyn Chooser) -> NonNull<dyn Chooser> {
    // SAFETY: only the lifetime is erased; whoever begins a run keeps the chooser until its end.
    NonNull::from(unsafe { std::mem::transmute::<&mut dyn Chooser, &mut (dyn Chooser + 'static)>(chooser) })
}

impl<F: Fn()> Subject for Program<F> {
    fn run(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> &Run {
        self.run_once(chooser, limits);
        while let Some(trial) = self.stage.begin_trial() {
            self.run_once(&mut trial.chooser(), &trial.limits());
            self.stage.end_trial(trial);
        }
        &self.stage.run
    }
}

impl<F: Fn()> Program<F> {
    fn run_once(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) {
        overflow::prepare(self.stage.options.foreign);
        self.open(erased(chooser), limits);
        on_stage(&mut self.stage, |stage| {
            make(stage);
            // SAFETY: as in `make`.
            if unsafe { &*stage }.options.foreign {
                drop_all(stage);
            } else {
                tidy_up(stage);
            }
        });
        self.finish();
    }
}

/// Makes the run: lets whoever's turn it is go, and takes leave of those that have come to their end, until it is nobody's turn.
fn make(pointer: *mut Stage) {
    loop {
        // SAFETY: no fiber runs now, so nobody else has a reference to the stage; this one ends before the next switch.
        let stage = unsafe { &mut *pointer };
        let Some(next) = stage.next.take() else { break };
        let back = let_go(pointer, next);
        // SAFETY: as above.
        let stage = unsafe { &mut *pointer };
        if back.overflowed {
            stage.overflowed();
        }
        if let Some(death) = back.death {
            stage.died(death);
        }
        bury(stage, back);
    }
}

/// Takes the fiber of a thread that came back to the root and will not go on; any other one stays where it is.
fn bury(stage: &mut Stage, back: Back) {
    let slot = &mut stage.slots[back.thread.index()];
    let Some(mut fiber) = slot.fiber.take_if(|fiber| back.is_dead() || fiber.has_ended()) else { return };
    if stage.options.foreign {
        // What kills it leaves nothing on its stack that anybody refers to.
        fiber.end();
        slot.stack = fiber.into_stack();
    } else if back.death.is_some() {
        // Its frames were left as they were, without their destructors: somebody may still refer to what is in them.
        drop(fiber);
    } else {
        // Those of one that overflowed its stack were lost as well, but they were most of all its own.
        fiber.end();
        stage.pool.give(fiber);
    }
}

/// Drops what is left when the run is over, as it is: nothing on those stacks has to be given back.
fn drop_all(pointer: *mut Stage) {
    // SAFETY: as in `make`.
    let stage = unsafe { &mut *pointer };
    for slot in &mut stage.slots {
        if let Some(mut fiber) = slot.fiber.take() {
            if fiber.has_begun() {
                // Foreign code, and the frames of ours that lie between, own nothing that is on the stack, and nobody refers
                // to it any more.
                fiber.end();
            }
            slot.stack = fiber.into_stack();
        }
    }
}

/// Who came back to the root, and why.
struct Back {
    thread: ThreadId,
    overflowed: bool,
    death: Option<Death>,
}

impl Back {
    fn is_dead(&self) -> bool {
        self.overflowed || self.death.is_some()
    }
}

/// Lets a fiber go on, and whoever it hands over to, until one of them comes back here.
fn let_go(pointer: *mut Stage, thread: ThreadId) -> Back {
    // SAFETY: as in `make`.
    let stage = unsafe { &mut *pointer };
    let way = stage.way_to(thread);
    stage.at_root = false;
    let root = &raw mut stage.root;
    // SAFETY: nobody is running, so the fiber is not, and the stage stays where it is.
    unsafe { way.go(root) };
    // SAFETY: as in `make`.
    let stage = unsafe { &mut *pointer };
    stage.at_root = true;
    // What kills a fiber makes it come back.
    Back { thread: stage.current, overflowed: overflow::take_overflowed(), death: overflow::take_death() }
}

/// Unwinds what is left when the run is over, so that destructors run.
fn tidy_up(pointer: *mut Stage) {
    // SAFETY: as in `make`.
    let count = unsafe { &mut *pointer }.slots.len();
    // Scoped threads borrow from the one that created them, whose number is lower.
    for index in (0..count).rev() {
        let thread = ThreadId::new(index);
        unwind(pointer, thread);
        // SAFETY: as in `make`.
        let stage = unsafe { &mut *pointer };
        stage.current = thread;
        let locals = &mut stage.slot(thread).locals;
        if locals.is_empty() {
            continue;
        }
        let mut locals = std::mem::take(locals);
        let _ = catch_unwind(AssertUnwindSafe(|| while locals.take_last().is_some() {}));
        locals.clear();
        // SAFETY: as in `make`; the list is given back for reuse.
        unsafe { &mut *pointer }.slot(thread).locals = locals;
    }
}

fn unwind(pointer: *mut Stage, thread: ThreadId) {
    // SAFETY: as in `make`.
    let stage = unsafe { &mut *pointer };
    stage.current = thread;
    if let Some(fiber) = stage.slot(thread).fiber.take_if(|fiber| !fiber.has_begun()) {
        // The closure was never called; it is destroyed here.
        let _ = catch_unwind(AssertUnwindSafe(move || drop(fiber)));
        return;
    }
    if stage.slot(thread).fiber.is_none() {
        return;
    }
    let back = let_go(pointer, thread);
    // SAFETY: as in `make`.
    let stage = unsafe { &mut *pointer };
    bury(stage, back);
    // If it is still there, its destructors wait for something that is gone, or never end: its stack is lost.
    stage.slot(thread).fiber = None;
}
