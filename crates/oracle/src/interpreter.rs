//! Runs a program step by step.
//!
//! This is the oracle's own reading of what every primitive means. It shares nothing with the interpreter that the
//! search uses, so a misunderstanding has to happen twice before it goes unnoticed.

use raddle_trace::{Kind, ObjectId, Operation, Outcome, ThreadId};

use crate::code::{Code, Instruction};
use crate::state::{EventName, State};

/// What a step was: an event whose cause is still named by thread and place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Happened {
    /// Who.
    pub(crate) thread: ThreadId,
    /// What.
    pub(crate) operation: Operation,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// Which alternative it took.
    pub(crate) alternative: u32,
    /// How many there were.
    pub(crate) alternatives: u32,
    /// The event of another thread that made it possible.
    pub(crate) cause: Option<EventName>,
    /// Whether it was scheduled, rather than urgent.
    pub(crate) decided: bool,
    /// What a memory cell held before.
    pub(crate) held: i64,
}

/// A program and the state it is in.
#[derive(Clone, Debug)]
pub(crate) struct Machine<'c> {
    code: &'c Code<'c>,
    pub(crate) state: State,
}

impl<'c> Machine<'c> {
    /// The program before its first step.
    pub(crate) fn new(code: &'c Code<'c>) -> Machine<'c> {
        Machine { code, state: State::new(code.program) }
    }

    /// All threads, those not created included.
    pub(crate) fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.state.threads.len()).map(ThreadId::new)
    }

    /// Whether the thread's next operation can go now.
    #[must_use]
    pub(crate) fn enabled(&self, thread: ThreadId) -> bool {
        self.outcome(thread, 0).is_some()
    }

    /// The thread whose step is taken next without a decision: urgent steps go at once, lowest thread first.
    #[must_use]
    pub(crate) fn urgent(&self) -> Option<ThreadId> {
        let is_urgent = |operation: Operation| operation.kind.is_urgent();
        self.threads().find(|thread| self.operation(*thread).is_some_and(is_urgent) && self.enabled(*thread))
    }

    /// The threads among which a decision is made, once nothing urgent is left.
    #[must_use]
    pub(crate) fn candidates(&self) -> Vec<ThreadId> {
        self.threads().filter(|thread| self.enabled(*thread)).collect()
    }

    /// Takes the thread's next step.
    pub(crate) fn step(&mut self, thread: ThreadId, alternative: u32) -> Happened {
        let (Some(operation), Some(outcome)) = (self.operation(thread), self.outcome(thread, alternative))
        else {
            panic!("bug in raddle: {thread} cannot go");
        };
        let happened = Happened {
            thread,
            operation,
            outcome,
            alternative,
            alternatives: self.alternatives(thread),
            cause: self.cause(thread, &operation, outcome),
            decided: !operation.kind.is_urgent(),
            held: match operation.kind {
                Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::Add => {
                    self.state.cell(operation.object).value
                }
                _ => 0,
            },
        };
        let event = EventName { thread, position: self.state.thread(thread).events };
        self.state.thread_mut(thread).events += 1;
        self.apply(&happened, event);
        self.run_local(thread);
        happened
    }

    pub(crate) fn instruction(&self, thread: ThreadId) -> &'c Instruction {
        self.code.at(thread, self.state.thread(thread).at)
    }

    pub(crate) fn token(&self, thread: ThreadId) -> ObjectId {
        self.code.program.token(thread)
    }

    fn cause(&self, thread: ThreadId, operation: &Operation, outcome: Outcome) -> Option<EventName> {
        use crate::state::Sleep;
        match (operation.kind, self.state.thread(thread).sleep) {
            (Kind::Start | Kind::Relock | Kind::Pass, Sleep::Awake(cause)) => cause,
            (Kind::Join, _) => self.end_of(ThreadId::new(operation.operand as usize)),
            _ if outcome != Outcome::Done => None,
            (Kind::TrySend, _) if operation.operand == 0 => self.state.channel(operation.object).offer(),
            (Kind::Send | Kind::TrySend, _) => self.state.channel(operation.object).made_room(),
            (Kind::Taken, _) => self.state.channel(operation.object).taker(operation.operand as usize),
            (Kind::Receive | Kind::TryReceive | Kind::TimedReceive, _) => {
                self.state.channel(operation.object).sent_first()
            }
            _ => None,
        }
    }

    /// Local instructions cannot be told apart from the step before them, so they are part of it.
    fn run_local(&mut self, thread: ThreadId) {
        loop {
            let instruction = self.instruction(thread);
            let state = self.state.thread_mut(thread);
            match instruction {
                Instruction::Branch { reg, equals, otherwise } => {
                    state.at = if state.get(*reg) == *equals { state.at + 1 } else { *otherwise };
                }
                Instruction::Jump(target) => state.at = *target,
                Instruction::Assert { reg, equals } if state.get(*reg) == *equals => state.at += 1,
                Instruction::Assert { .. } => {
                    self.state.panicked = true;
                    return;
                }
                _ => return,
            }
        }
    }
}
