//! The middle of a run, kept so that later runs can go on from there instead of making its beginning again.
//!
//! Only for foreign code, whose frames own nothing: the fibers are kept as they lie in memory. Whoever takes a checkpoint keeps
//! the memory of the program itself, with the stacks whose used parts [`Checkpoint::stacks`] tells.

use raddle_trace::{Place, Run, ThreadId};
use raddle_world::World;

use crate::fiber::Fiber;
use crate::stage::{Slot, Stage};
use crate::switch::Context;

/// What is kept of a thread.
#[derive(Default)]
struct OfThread {
    /// Where it left its fiber, and where its stack begins, if it has begun and not ended.
    left: Option<(Context, usize)>,
    children: usize,
    clock: u64,
    clock_at_hint: u64,
    name: Option<String>,
}

/// A run up to a decision.
#[derive(Default)]
pub struct Checkpoint {
    events: usize,
    world: World,
    /// Without the events: they are those of every run that goes on from here.
    run: Run,
    threads: Vec<OfThread>,
    places: Vec<Place>,
    exiting: Option<usize>,
    last: Option<ThreadId>,
    last_rounds: u32,
}

impl Checkpoint {
    /// Becomes the run as it is, between two steps; false if that cannot be kept.
    pub fn keep(&mut self, stage: &Stage) -> bool {
        stage.keep_in(self)
    }

    /// Events before it.
    #[must_use]
    pub fn events(&self) -> usize {
        self.events
    }

    /// The used parts of the threads' stacks, from and to.
    pub fn stacks(&self) -> impl Iterator<Item = (usize, usize)> {
        self.threads.iter().filter_map(|thread| thread.left).map(|(context, base)| (context.lowest(), base))
    }
}

impl Stage {
    /// Keeps the run as it is in `kept`, which may be one that is no longer needed; false if that cannot be done. No fiber is
    /// running, and a decision is to be made.
    pub(crate) fn keep_in(&self, kept: &mut Checkpoint) -> bool {
        kept.threads.resize_with(self.slots.len(), OfThread::default);
        let all = self.slots.iter().zip(&mut kept.threads).all(|(slot, kept)| slot.keep_in(kept));
        kept.events = self.run.events.len();
        kept.world.put_back(&self.world);
        kept.run.weaker_orders = self.run.weaker_orders;
        kept.run.assumed_waiting = self.run.assumed_waiting;
        kept.run.cut_short = self.run.cut_short;
        kept.run.unseen_access = self.run.unseen_access;
        kept.run.race.clone_from(&self.run.race);
        kept.places.clone_from(&self.places);
        kept.exiting = self.exiting;
        kept.last = self.last;
        kept.last_rounds = self.last_rounds;
        all
    }

    /// Goes back to a checkpoint of the last run, or of one that began like it up to there.
    ///
    /// # Safety
    /// The memory of the program is as it was when the checkpoint was taken, stacks included, and every stack that a fiber
    /// had then still exists: since then only runs were made that went on from there.
    pub(crate) unsafe fn put_back(&mut self, checkpoint: &Checkpoint) {
        self.world.put_back(&checkpoint.world);
        let mut events = std::mem::take(&mut self.run.events);
        events.truncate(checkpoint.events);
        self.run.clear();
        self.run.events = events;
        self.run.kept = checkpoint.events;
        self.run.weaker_orders = checkpoint.run.weaker_orders;
        self.run.assumed_waiting = checkpoint.run.assumed_waiting;
        self.run.cut_short = checkpoint.run.cut_short;
        self.run.unseen_access = checkpoint.run.unseen_access;
        self.run.race.clone_from(&checkpoint.run.race);
        self.places.clone_from(&checkpoint.places);
        self.exiting = checkpoint.exiting;
        self.last = checkpoint.last;
        self.last_rounds = checkpoint.last_rounds;
        for (slot, kept) in self.slots.iter_mut().zip(&checkpoint.threads) {
            // SAFETY: passed on to the caller.
            unsafe { slot.put_back(kept) };
        }
        for slot in self.slots.iter_mut().skip(checkpoint.threads.len()) {
            slot.begin_run();
        }
    }
}

impl Slot {
    fn keep_in(&self, kept: &mut OfThread) -> bool {
        kept.left = self.fiber.as_ref().map(|fiber| (fiber.context(), fiber.bounds().base));
        kept.children = self.children;
        kept.clock = self.clock;
        kept.clock_at_hint = self.clock_at_hint;
        kept.name.clone_from(&self.name);
        // What one is to do that has not begun is its own, and would be destroyed with the run.
        self.locals.is_empty() && self.fiber.as_ref().is_none_or(Fiber::has_begun)
    }

    /// # Safety
    /// As of [`Stage::put_back`].
    unsafe fn put_back(&mut self, kept: &OfThread) {
        if let Some((context, _)) = kept.left {
            // It was given back at the end of the last run.
            let stack = self.stack.take().expect("bug in raddle: a thread without the stack of its last run");
            // SAFETY: the caller answers for what is on the stack.
            self.fiber = Some(unsafe { Fiber::left(stack, context) });
        }
        self.children = kept.children;
        self.clock = kept.clock;
        self.clock_at_hint = kept.clock_at_hint;
        self.name.clone_from(&kept.name);
    }
}
