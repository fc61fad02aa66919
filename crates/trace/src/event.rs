//! Events, and the run that they make up.

use crate::{Accesses, Calls, Kind, ObjectId, Operation, Order, Outcome, Place, ThreadId};

/// One visible step of one thread.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Who.
    pub thread: ThreadId,
    /// What.
    pub operation: Operation,
    /// How it ended.
    pub outcome: Outcome,
    /// Which alternative was chosen, if there were several.
    pub alternative: u32,
    /// How many alternatives there were.
    pub alternatives: u32,
    /// The object's level before ([`crate::level`]).
    pub before: i64,
    /// The object's level afterwards; for a read, what was read.
    pub value: i64,
    /// The event of another thread that made this one possible: the creation of the thread, the end that a join
    /// waited for, the notification that ended a wait, the message that was received.
    pub cause: Option<u32>,
    /// Whether the search decided that this thread goes; otherwise the step was urgent.
    pub decided: bool,
    /// Whether the thread chosen before could have gone on: whether this event is a pre-emption.
    pub preempts: bool,
    /// Where in the source.
    pub place: Place,
}

impl Event {
    /// Whether the search chose something for it: that its thread goes, or with which alternative.
    #[inline]
    #[must_use]
    pub fn is_step(&self) -> bool {
        self.decided || self.alternatives > 1
    }

    /// What the event touched.
    #[inline]
    #[must_use]
    pub fn accesses(&self) -> Accesses {
        Accesses::of(&self.operation, self.outcome)
    }

    /// The event of another thread that made this operation the next one of its thread. The cause of other operations
    /// only made them possible: they were wanted before.
    #[inline]
    #[must_use]
    pub fn summoned_by(&self) -> Option<usize> {
        self.cause.filter(|_| self.operation.kind == Kind::Relock).map(|cause| cause as usize)
    }

    /// Whether the two are the same step of the same thread, as far as can be told between two runs.
    #[inline]
    #[must_use]
    pub fn same_step(&self, other: &Event) -> bool {
        self.thread == other.thread
            && self.operation.kind == other.operation.kind
            && self.operation.object == other.operation.object
            && self.outcome == other.outcome
            && self.alternative == other.alternative
            && self.place == other.place
    }
}

/// The operation that a thread is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// What.
    pub operation: Operation,
    /// How it would end now; `None` if it cannot go now.
    pub outcome: Option<Outcome>,
    /// What it touches, if it goes now; if it cannot go, what it would touch.
    pub accesses: Accesses,
    /// How many alternatives it has now.
    pub alternatives: u32,
    /// Where in the source.
    pub place: Place,
    /// The event of another thread that made the thread able to do this.
    pub cause: Option<u32>,
}

impl Pending {
    /// What it touches if it goes now with this alternative.
    #[inline]
    #[must_use]
    pub fn accesses_of(&self, alternative: u32) -> Accesses {
        if self.operation.kind == Kind::WeakCompareExchange && alternative == 1 {
            Accesses::of(&self.operation, Outcome::Failed)
        } else {
            self.accesses
        }
    }
}

/// What a program did that no schedule excuses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Failure {
    /// An assertion did not hold.
    Assertion,
    /// A signal killed the program.
    Crash,
    /// Memory was used after it had been freed.
    UseAfterFree,
    /// Memory was freed twice.
    DoubleFree,
    /// Memory beside an allocation was used.
    OutOfBounds,
    /// Memory was not freed.
    Leak,
    /// A thread went on for ever without a visible step.
    Stuck,
}

/// Steps that are visible operations only in programs that can tell: in all others they would only make more orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hidden {
    /// The end of a thread, as seen by one that does not join it.
    Ends,
    /// How many references there are to shared data.
    Counts,
    /// Which thread gives up the last one of them.
    LastDrops,
    /// How often a thread has been round the loop at this place: it counts, where nobody sees it.
    Rounds(Place),
    /// Who waits for a lock that others read.
    Queues,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ending {
    /// Every thread came to its end.
    #[default]
    Finished,
    /// Some threads wait for ever.
    Deadlock,
    /// Only spinning threads are left, and nothing that they watch can change any more.
    Livelock,
    /// A thread panicked.
    Panic,
    /// A thread overflowed its stack.
    StackOverflow,
    /// A primitive was used in a way that its rules forbid.
    Misuse,
    /// The program did something that no schedule excuses.
    Failed(Failure),
    /// An assumption of the program did not hold, so the run is of no interest.
    Assumed,
    /// The run had more steps than allowed.
    StepLimit,
    /// The program has more threads than can be told apart.
    TooManyThreads,
    /// The search gave the run up: it could only repeat a run that has been made.
    Blocked,
    /// The search gave the run up: another worker makes it.
    Elsewhere,
    /// The program can tell something that is no visible operation: the search has to start again, with more of them.
    NeedsVisible(Hidden),
    /// The program did not do what it did before with the same schedule.
    Diverged,
    /// A thread does not come back from a call that is not under control; the run's trouble names it.
    Outside,
}

impl Ending {
    /// Whether the run went as far as the program goes.
    #[must_use]
    pub fn is_complete(self) -> bool {
        matches!(self, Ending::Finished | Ending::Assumed) || self.is_failure()
    }

    /// Whether the ending is a fault of the program.
    #[must_use]
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Ending::Deadlock
                | Ending::Livelock
                | Ending::Panic
                | Ending::StackOverflow
                | Ending::Misuse
                | Ending::Failed(_)
        )
    }
}

/// A thread that could not go on when the run ended.
#[derive(Clone, Copy, Debug)]
pub struct Blocked {
    /// Who.
    pub thread: ThreadId,
    /// What it wanted to do.
    pub pending: Pending,
    /// Who would have to do something first, if that is one thread.
    pub by: Option<ThreadId>,
}

/// A lock that a thread held when the run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The lock.
    pub object: ObjectId,
    /// Who held it.
    pub by: ThreadId,
    /// The event in which it was taken; for a lock shared by readers, the last one.
    pub since: u32,
}

/// Where an object lies in memory, in terms that do not change from run to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Whereabouts {
    /// Not known.
    #[default]
    Unknown,
    /// In the static memory of the program or of a library.
    Global {
        /// Which one, in the order in which they were loaded.
        module: u32,
        /// How far from where it was loaded.
        offset: u64,
    },
    /// In memory that was allocated.
    Heap {
        /// By whom.
        by: ThreadId,
        /// Which allocation of that thread.
        number: u32,
        /// How far from the start of the allocation.
        offset: u64,
        /// Where in the source it was allocated.
        allocated: Place,
    },
    /// On the stack of a thread.
    Stack {
        /// Whose.
        thread: ThreadId,
        /// How far from the start of the stack.
        offset: u64,
    },
}

/// What is known of an object besides its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ObjectNote {
    /// What it is, in a word.
    pub kind: &'static str,
    /// What the program calls it, as in `fork[1]`; without that it is known by its kind and a number.
    pub name: Option<&'static str>,
    /// Where a thread first used it.
    pub place: Place,
    /// Where it lies, if that is known.
    pub lies: Whereabouts,
}

/// A block of memory that was used wrongly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// How many bytes were asked for.
    pub size: u64,
    /// Where the access begins, in bytes from the start of the block.
    pub offset: i64,
    /// How many bytes the access touches; zero if it gives the block back.
    pub touched: u64,
    /// Whether the access writes.
    pub writes: bool,
    /// Who asked for the block, and where.
    pub allocated: Option<Spot>,
    /// Who gave it back, and where.
    pub freed: Option<Spot>,
}

/// Something that a thread did that is no event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Who.
    pub thread: ThreadId,
    /// How many events the run had before it.
    pub events_before: usize,
    /// Where in the source.
    pub place: Place,
    /// The calls that led there, the innermost first; may be empty.
    pub stack: Vec<Place>,
}

/// An access to plain memory that raced with another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainAccess {
    /// Who.
    pub thread: ThreadId,
    /// How many events had happened before.
    pub events: u32,
    /// Whether it wrote.
    pub writes: bool,
    /// Where in the source.
    pub place: Place,
}

/// Two accesses to plain memory that nothing orders, seen while the run was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RacingPair {
    /// The memory.
    pub object: ObjectId,
    /// The one that happened first.
    pub first: PlainAccess,
    /// The other one.
    pub second: PlainAccess,
}

/// What went wrong, in words of the program: the text of a panic, the rule that was broken.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// The thread in which it happened.
    pub thread: ThreadId,
    /// The message.
    pub message: String,
    /// Where in the source.
    pub place: Place,
    /// The memory that it was about, if it was.
    pub block: Option<Block>,
}

/// One run from start to end.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What happened, in order.
    pub events: Vec<Event>,
    /// How it ended.
    pub ending: Ending,
    /// The threads that could not go on at the end.
    pub blocked: Vec<Blocked>,
    /// The locks that were held at the end, if the run ended in a deadlock.
    pub held: Vec<Held>,
    /// The objects that the run met, by number.
    pub objects: Vec<ObjectNote>,
    /// The names that the program gave its threads, by number.
    pub thread_names: Vec<Option<String>>,
    /// Where the function that each thread began with lies, by number, if that is told.
    pub bodies: Vec<Whereabouts>,
    /// What went wrong, if the ending has a text.
    pub trouble: Option<Trouble>,
    /// How many events there were when it went wrong, if more could follow: those of the destructors that run because of it.
    pub trouble_after: Option<u32>,
    /// The first data race, where races are looked for while a run is made.
    pub race: Option<RacingPair>,
    /// One more than the highest thread number met so far in the search.
    pub threads: usize,
    /// Whether an atomic operation asked for less than sequential consistency.
    pub weaker_orders: bool,
    /// Where a loop was taken for waiting that may have changed something where nobody looks.
    pub assumed_waiting: Option<Place>,
    /// Where a loop was made to wait that went on changing on its own: what it does in later rounds was not tried in all ways.
    pub cut_short: Option<Place>,
    /// Whether a thread that had an object for itself used its value without a visible operation.
    pub unseen_access: bool,
    /// How many of the first events were not made again, but are those of the run before.
    pub kept: usize,
    /// Whether memory was found that threads share and whose accesses will be steps in the runs that follow: what this one
    /// shows is not all that they will show.
    pub shows_more_next: bool,
    /// Whether accesses to plain memory are among the events, as steps ([`Order::Plain`]).
    pub has_plain_steps: bool,
    /// The calls that led to the events, where a run is made to be shown and they can be told.
    pub calls: Calls,
}

impl Run {
    /// Empties the run for reuse; what it allocated stays.
    pub fn clear(&mut self) {
        self.events.clear();
        self.blocked.clear();
        self.held.clear();
        self.objects.clear();
        self.thread_names.clear();
        self.bodies.clear();
        self.ending = Ending::Finished;
        self.trouble = None;
        self.trouble_after = None;
        self.race = None;
        self.weaker_orders = false;
        self.assumed_waiting = None;
        self.cut_short = None;
        self.unseen_access = false;
        self.kept = 0;
        self.shows_more_next = false;
        self.has_plain_steps = false;
        self.calls.clear();
    }

    /// The run without accesses to plain memory that are steps for the sake of a model.
    #[must_use]
    pub fn without_plain_steps(&self) -> Run {
        let mut run = self.clone();
        run.has_plain_steps = false;
        run.kept = 0;
        run.events.clear();
        // How many events are left before each.
        let mut left = Vec::with_capacity(self.events.len() + 1);
        run.calls.of_events.clear();
        for (number, event) in self.events.iter().enumerate() {
            left.push(run.events.len() as u32);
            if event.operation.order != Order::Plain {
                run.events.push(*event);
                run.calls.of_events.push(self.calls.of_events.get(number).copied().flatten());
            }
        }
        left.push(run.events.len() as u32);
        let shift = |event: &mut u32| *event = left[(*event as usize).min(self.events.len())];
        let causes = run.events.iter_mut().filter_map(|event| event.cause.as_mut());
        let races = run.race.iter_mut().flat_map(|race| [&mut race.first.events, &mut race.second.events]);
        let others = run.held.iter_mut().map(|held| &mut held.since).chain(&mut run.trouble_after);
        causes.chain(others).chain(races).for_each(shift);
        run
    }
}
