//! Findings: what went wrong, with the facts that a report needs.

use raddle_trace::{Block, Blocked, Ending, Failure, Kind, ObjectId, Place, Run, ThreadId};

use crate::deadlock::{Waiter, cycle, waiters};
use crate::race;

/// What kind of thing went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingKind {
    /// An assertion failed.
    Assertion,
    /// A thread panicked for another reason.
    Panic,
    /// Threads wait for ever.
    Deadlock,
    /// Two threads touched the same memory, nothing orders them, and one of them wrote.
    DataRace,
    /// The program died: a signal, or a stack that overflowed.
    Crash,
    /// A primitive was used in a way that its rules forbid.
    Misuse,
    /// Threads go on for ever without getting anywhere.
    Livelock,
    /// Memory was used after it had been given back.
    UseAfterFree,
    /// Memory was given back twice, or never was to be given back.
    DoubleFree,
    /// Memory was used beside what had been asked for.
    OutOfBounds,
    /// Memory was never given back.
    Leak,
    /// The program did what its model does not allow.
    Nonconformance,
}

impl FindingKind {
    /// The word that scripts rely on.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::Assertion => "assertion",
            FindingKind::Panic => "panic",
            FindingKind::Deadlock => "deadlock",
            FindingKind::DataRace => "data-race",
            FindingKind::Crash => "crash",
            FindingKind::Misuse => "misuse",
            FindingKind::Livelock => "livelock",
            FindingKind::UseAfterFree => "use-after-free",
            FindingKind::DoubleFree => "double-free",
            FindingKind::OutOfBounds => "out-of-bounds",
            FindingKind::Leak => "leak",
            FindingKind::Nonconformance => "nonconformance",
        }
    }

    /// All kinds, in the order of their declaration.
    pub const ALL: [FindingKind; 12] = [
        FindingKind::Assertion,
        FindingKind::Panic,
        FindingKind::Deadlock,
        FindingKind::DataRace,
        FindingKind::Crash,
        FindingKind::Misuse,
        FindingKind::Livelock,
        FindingKind::UseAfterFree,
        FindingKind::DoubleFree,
        FindingKind::OutOfBounds,
        FindingKind::Leak,
        FindingKind::Nonconformance,
    ];

    /// The kind that a word stands for.
    #[must_use]
    pub fn from_word(word: &str) -> Option<FindingKind> {
        FindingKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// One side of a data race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Who.
    pub thread: ThreadId,
    /// Which event.
    pub event: usize,
    /// Whether it wrote.
    pub writes: bool,
    /// Where in the source.
    pub place: Place,
    /// The locks that the thread held.
    pub holding: Vec<ObjectId>,
}

/// The facts that go with a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Nothing more.
    None,
    /// Who waits for what, and the threads that wait for each other in a circle, if there is one.
    Deadlock {
        /// All threads that cannot go on.
        waiters: Vec<Waiter>,
        /// The circle, each thread waiting for the next.
        cycle: Vec<ThreadId>,
    },
    /// The two accesses.
    Race {
        /// The memory.
        object: ObjectId,
        /// The one that happened first in this run.
        first: Access,
        /// The other one.
        second: Access,
    },
    /// The block of memory, and what was done to it.
    Memory(Block),
}

/// Something that went wrong in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// The program's own words, if it had any.
    pub message: String,
    /// The thread in which it showed.
    pub thread: ThreadId,
    /// Where in the source it showed.
    pub place: Place,
    /// Facts.
    pub detail: Detail,
}

impl Finding {
    /// Whether the two are the same fault, seen in two runs: the same kind at the same places.
    #[must_use]
    pub fn is_same(&self, other: &Finding) -> bool {
        self.kind == other.kind && self.place == other.place && self.places() == other.places()
    }

    /// The places that make up the fault, in an order that does not depend on the run.
    #[must_use]
    pub fn places(&self) -> Vec<String> {
        let mut places: Vec<String> = match &self.detail {
            Detail::None | Detail::Memory(_) => vec![self.place.to_string()],
            Detail::Deadlock { waiters, .. } => {
                waiters.iter().map(|waiter| waiter.place.to_string()).collect()
            }
            Detail::Race { first, second, .. } => vec![first.place.to_string(), second.place.to_string()],
        };
        places.sort();
        places
    }
}

impl Finding {
    /// How many events of the run came before this; after a panic, those of the destructors that it runs follow.
    #[must_use]
    pub fn length(&self, run: &Run) -> usize {
        let after = match self.kind {
            FindingKind::Assertion | FindingKind::Panic => run.trouble_after,
            _ => None,
        };
        after.map_or(run.events.len(), |after| run.events.len().min(after as usize))
    }
}

/// The first thing that went wrong in a run, if anything did.
#[must_use]
pub fn judge(run: &Run) -> Option<Finding> {
    // A race explains what comes after it, so it is looked for first.
    race::find(run).or_else(|| race::seen(run)).or_else(|| from_ending(run))
}

fn from_ending(run: &Run) -> Option<Finding> {
    let kind = match run.ending {
        Ending::Deadlock => FindingKind::Deadlock,
        Ending::Livelock => FindingKind::Livelock,
        Ending::Misuse => FindingKind::Misuse,
        Ending::StackOverflow => FindingKind::Crash,
        Ending::Failed(failure) => kind_of(failure),
        Ending::Panic if is_assertion(run) => FindingKind::Assertion,
        Ending::Panic => FindingKind::Panic,
        _ => return None,
    };
    let detail = match kind {
        // Who never makes a step waits for nobody.
        _ if run.ending == Ending::Failed(Failure::Stuck) => Detail::None,
        FindingKind::Deadlock | FindingKind::Livelock => {
            Detail::Deadlock { waiters: waiters(run), cycle: cycle(run) }
        }
        _ => match run.trouble.as_ref().and_then(|trouble| trouble.block.clone()) {
            Some(block) => Detail::Memory(block),
            None => Detail::None,
        },
    };
    let (thread, place, message) = match &run.trouble {
        Some(trouble) => (trouble.thread, trouble.place, trouble.message.clone()),
        None => {
            let first = most_telling(run, &detail);
            let thread = first.map_or(ThreadId::MAIN, |blocked| blocked.thread);
            (thread, first.map_or(Place::Unknown, |blocked| blocked.pending.place), String::new())
        }
    };
    Some(Finding { kind, message, thread, place, detail })
}

fn kind_of(failure: Failure) -> FindingKind {
    match failure {
        Failure::Assertion => FindingKind::Assertion,
        Failure::Crash => FindingKind::Crash,
        Failure::UseAfterFree => FindingKind::UseAfterFree,
        Failure::DoubleFree => FindingKind::DoubleFree,
        Failure::OutOfBounds => FindingKind::OutOfBounds,
        Failure::Leak => FindingKind::Leak,
        Failure::Stuck => FindingKind::Livelock,
    }
}

/// The thread that waits whose place says most: one of the circle, or one that waits for something other than the end of
/// another thread.
fn most_telling<'r>(run: &'r Run, detail: &Detail) -> Option<&'r Blocked> {
    let in_cycle = |blocked: &&Blocked| match detail {
        Detail::Deadlock { cycle, .. } => cycle.contains(&blocked.thread),
        _ => false,
    };
    let joins = |blocked: &&Blocked| blocked.pending.operation.kind == Kind::Join;
    let mut blocked = run.blocked.iter();
    let telling = blocked.clone().find(in_cycle).or_else(|| blocked.clone().find(|each| !joins(each)));
    telling.or_else(|| blocked.next())
}

/// The standard library's assertions say so in their text.
fn is_assertion(run: &Run) -> bool {
    run.trouble.as_ref().is_some_and(|trouble| trouble.message.starts_with("assertion"))
}
