//! Local states of threads: what a thread has done and seen, as a tree.

use std::collections::BTreeMap;

use raddle_trace::{Kind, Outcome, ThreadId, ThreadSet};

use super::ObjectName;

/// A local state of a thread, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LocalState(pub(crate) u32);

impl LocalState {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum ThreadState {
    /// Not created.
    Absent,
    /// In this local state, with its next operation before it.
    At(LocalState),
    /// In this local state, until another thread wakes it: at a condition variable or a barrier.
    Asleep(LocalState),
    /// At its end, whatever it has seen: nobody is told, so its last local states are one place of the net.
    Over,
}

impl ThreadState {
    /// The local state of a thread that exists.
    pub(crate) fn local(self) -> Option<LocalState> {
        match self {
            ThreadState::Absent | ThreadState::Over => None,
            ThreadState::At(state) | ThreadState::Asleep(state) => Some(state),
        }
    }
}

/// What a thread is about to do, with objects named as the model names them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Intent {
    pub(crate) kind: Kind,
    pub(crate) object: Option<ObjectName>,
    /// The mutex of a wait.
    pub(crate) mutex: Option<ObjectName>,
    pub(crate) operand: u64,
    /// Whether data that is no part of the event goes with the operation.
    pub(crate) carries: bool,
    /// Whether it is a plain access to memory, so that one that can go at the same time races.
    pub(crate) plain: bool,
}

impl Intent {
    /// An operation that touches no object.
    pub(crate) fn local(kind: Kind) -> Intent {
        Intent { kind, object: None, mutex: None, operand: 0, carries: false, plain: false }
    }
}

/// What is known of a local state's future.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// No run has come here.
    Unknown,
    /// The thread does this.
    Does(Intent),
    /// The thread has come to its end.
    Ended,
    /// The run fails here.
    Fails,
    /// The thread has asked for the end of the program: it is no deadlock that others wait.
    Exits,
}

/// What a thread saw in a step: the way from one local state to the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Seen {
    outcome: u8,
    source: u128,
}

impl Seen {
    /// The step showed nothing.
    pub(crate) const NOTHING: Seen = Seen { outcome: 0, source: u128::MAX };

    /// How the operation ended, and nothing else.
    pub(crate) fn outcome(outcome: Outcome) -> Seen {
        Seen { outcome: visible(outcome) as u8, source: u128::MAX }
    }

    /// How the operation ended, and what it found.
    pub(crate) fn from(outcome: Outcome, source: impl Into<u128>) -> Seen {
        Seen { outcome: visible(outcome) as u8, source: source.into() }
    }
}

/// To the program the last but one arrival at a barrier is like those before it.
pub(crate) fn visible(outcome: Outcome) -> Outcome {
    if outcome == Outcome::LastButOne { Outcome::Done } else { outcome }
}

/// A local state and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) thread: ThreadId,
    pub(crate) parent: Option<LocalState>,
    /// What a run showed of the step that led here: for a report, and for comparison with brute force.
    pub(crate) step: Option<super::SeenStep>,
    pub(crate) next: Next,
    /// What a thread that sleeps here can do by itself: give up waiting.
    pub(crate) sleeping: Option<Intent>,
    /// The value that the step which led here left in its cell.
    pub(crate) wrote: Option<i64>,
    /// The locks that the thread holds here.
    pub(crate) held: Vec<ObjectName>,
    /// The threads that it has created and not joined.
    pub(crate) around: ThreadSet,
    /// Whether it has ever created one.
    pub(crate) creates: bool,
    pub(crate) children: BTreeMap<Seen, LocalState>,
    /// The first local states of the threads created here.
    pub(crate) created: BTreeMap<ThreadId, LocalState>,
}

impl Local {
    pub(crate) fn new(thread: ThreadId, parent: Option<LocalState>) -> Local {
        Local {
            thread,
            parent,
            step: None,
            next: Next::Unknown,
            sleeping: None,
            wrote: None,
            held: Vec::new(),
            around: ThreadSet::EMPTY,
            creates: false,
            children: BTreeMap::new(),
            created: BTreeMap::new(),
        }
    }
}
