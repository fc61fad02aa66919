//! What the supervisor asks for.

use std::time::Duration;

use raddle_detect::Finding;
use raddle_explore::{Reached, StrategyName};
use raddle_trace::limits::DEFAULT_MAX_STEPS;
use raddle_trace::schedule::ThreadName;
use raddle_trace::{ObjectId, Step};

use crate::message::Found;
use crate::wire::{Input, Output, Wire, WireError, fields, variants};

/// What is to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// Search.
    Search,
    /// Make one run again and tell it.
    Again {
        /// Its choices; threads are those of [`Task::threads`].
        steps: Vec<Step>,
        /// Stop in the debugger before this event, counted from one.
        stop_before: Option<u64>,
    },
    /// Look for the smallest run with the same finding, and tell it.
    Shrink {
        /// The choices of the run that is known.
        steps: Vec<Step>,
        /// What was found in it.
        finding: Finding,
        /// Runs that may be made.
        max_runs: u64,
    },
    /// Look for a run that passes and begins like this one, and tell it; if there is none, tell this one.
    Passing {
        /// The choices of the run that shows a finding.
        steps: Vec<Step>,
        /// Runs that may be made.
        max_runs: u64,
    },
    /// Let the program run by itself, with real threads and short random delays, and tell which orders of statements it
    /// showed.
    Record,
}

/// What a data race on plain memory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Races {
    /// A finding.
    #[default]
    Fail,
    /// Nothing special: plain accesses are visible operations.
    Ignore,
}

/// How runs are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// In one process, whose memory is put back before each run.
    #[default]
    Inline,
    /// Each in a process of its own.
    Fork,
}

/// One of several processes that search a program together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The descriptor of the memory that they share, of [`SHARED_BYTES`].
    pub descriptor: u32,
    /// Which of them it is, counted from zero.
    pub worker: u32,
}

/// Bytes of the memory that processes share; only what is used counts.
pub const SHARED_BYTES: u64 = 8 << 20;

/// A search that was stopped, with what a new process has to know to go on: which numbers stand for what.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    /// How far it came.
    pub reached: Reached,
    /// The threads, by number.
    pub threads: Vec<ThreadName>,
    /// The objects that have a number in all runs: key, how many were there before it, and the number.
    pub objects: Vec<u64>,
    /// How many numbers were given.
    pub given: u64,
    /// The numbers of the tokens of threads.
    pub tokens: Vec<ObjectId>,
    /// What was found before it stopped.
    pub found: Vec<Found>,
}

impl PartialEq for Resume {
    fn eq(&self, other: &Resume) -> bool {
        crate::frame::to_bytes(self) == crate::frame::to_bytes(other)
    }
}

/// A search that was stopped, as a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SavedCheck {
    /// The program's name in reports.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The task, with [`Task::resume`].
    pub task: Task,
}

/// A variable of the program's static memory, as far as it holds a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable {
    /// How far from where the program was loaded.
    pub offset: u64,
    /// How many bytes it has: one to eight.
    pub bytes: u32,
}

/// The one thing that the supervisor sends.
#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    /// What is to be done.
    pub what: What,
    /// The strategy of a search.
    pub strategy: StrategyName,
    /// Its bound.
    pub bound: Option<u32>,
    /// For random strategies, and for `rand` and the like in the program.
    pub seed: u64,
    /// Runs that may be made.
    pub max_runs: Option<u64>,
    /// Time that may be spent.
    pub max_time: Option<Duration>,
    /// Events of one run.
    pub max_steps: usize,
    /// Whether to go on after a finding.
    pub keep_going: bool,
    /// What a data race is.
    pub races: Races,
    /// Whether memory that is not freed at exit is a finding.
    pub leaks: bool,
    /// How runs are kept apart.
    pub isolation: Isolation,
    /// Bytes of the stack of a thread that asks for no size of its own; the main thread has eight times that.
    pub stack: u64,
    /// Bytes that the program may allocate in one run.
    pub memory: u64,
    /// Time without a visible step after which a run is given up.
    pub stuck_after: Duration,
    /// Whether timed operations can give up although others could go on.
    pub timeouts: bool,
    /// How often in a run each thread can be woken from a wait for no reason.
    pub spurious_wakeups: u32,
    /// The threads that steps speak of.
    pub threads: Vec<ThreadName>,
    /// Whether the program calls functions that may read its memory without telling, so that threads may learn from each
    /// other what no event shows.
    pub reads_elsewhere: bool,
    /// Whether runs may go on from the middle of the run before: nothing that the program calls keeps anything outside its
    /// memory between two steps.
    pub checkpoints: bool,
    /// Whether a strategy that builds a model takes two cells for the same if they hold the same value.
    pub match_values: bool,
    /// How many nodes of the model, and of its unfolding, are to be told at the end.
    pub model_nodes: u64,
    /// What a coverage-guided strategy knows from earlier searches; empty if nothing.
    pub coverage: Vec<u8>,
    /// Whether to keep what was tried.
    pub watched: bool,
    /// Whether to tell of every run.
    pub listed: bool,
    /// Which part of a search that several processes share; `None` for the whole of it.
    pub part: Option<Part>,
    /// How many of the most recent calls tell statements apart.
    pub context: u32,
    /// An order of two statements that somebody wants to see.
    pub aim: Option<String>,
    /// Whether different traces are to be counted.
    pub count_traces: bool,
    /// Whether to tell at the end which outcomes the runs had, and how many runs and traces each.
    pub outcomes: bool,
    /// What outcomes are told apart by, besides how they end.
    pub variables: Vec<Variable>,
    /// Where to go on, instead of beginning anew.
    pub resume: Option<Box<Resume>>,
}

impl Default for Task {
    fn default() -> Task {
        Task {
            what: What::Search,
            strategy: StrategyName::default(),
            bound: None,
            seed: 1,
            max_runs: None,
            max_time: None,
            max_steps: DEFAULT_MAX_STEPS,
            keep_going: false,
            races: Races::Fail,
            leaks: false,
            isolation: Isolation::Inline,
            stack: 1 << 20,
            memory: 1 << 30,
            stuck_after: Duration::from_secs(10),
            timeouts: true,
            spurious_wakeups: 0,
            threads: Vec::new(),
            reads_elsewhere: false,
            checkpoints: false,
            match_values: false,
            model_nodes: 0,
            coverage: Vec::new(),
            watched: false,
            listed: false,
            part: None,
            context: 0,
            aim: None,
            count_traces: false,
            outcomes: false,
            variables: Vec::new(),
            resume: None,
        }
    }
}

variants!(What as "what is to be done" {
    0 => Search,
    1 => Again { steps, stop_before },
    2 => Shrink { steps, finding, max_runs },
    3 => Record,
    4 => Passing { steps, max_runs },
});
variants!(Races as "what races are" { 0 => Fail, 1 => Ignore });
variants!(Isolation as "an isolation" { 0 => Inline, 1 => Fork });

impl Wire for StrategyName {
    fn put(&self, out: &mut Output) {
        out.text(self.as_str());
    }

    fn take(input: &mut Input<'_>) -> Result<StrategyName, WireError> {
        String::take(input)?
            .parse()
            .map_err(|_| WireError::Nonsense { what: "the name of a strategy", found: 0 })
    }
}

fields!(Task {
    what,
    strategy,
    bound,
    seed,
    max_runs,
    max_time,
    max_steps,
    keep_going,
    races,
    leaks,
    isolation,
    stack,
    memory,
    stuck_after,
    timeouts,
    spurious_wakeups,
    threads,
    reads_elsewhere,
    checkpoints,
    match_values,
    model_nodes,
    coverage,
    watched,
    listed,
    part,
    context,
    aim,
    count_traces,
    outcomes,
    variables,
    resume,
});
fields!(Variable { offset, bytes });
fields!(Part { descriptor, worker });
fields!(Resume { reached, threads, objects, given, tokens, found });
fields!(SavedCheck { program, arguments, task });
