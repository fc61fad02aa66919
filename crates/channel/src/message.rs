//! What the runtime inside the program tells.

use raddle_detect::{Finding, FindingKind};
use raddle_explore::{Estimate, Reached};
use raddle_trace::{Ending, Event, Place};

use crate::run::Told;
use crate::task::Resume;
use crate::wire::{fields, variants};

/// A loaded file: the program or one of its libraries, in the order that [`raddle_trace::Whereabouts`] counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its path.
    pub path: String,
    /// Where it was loaded.
    pub base: u64,
    /// Whether it was built by `raddle cc`.
    pub instrumented: bool,
}

/// How far a search has come.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Progress {
    /// Complete runs.
    pub runs: u64,
    /// Runs given up.
    pub blocked: u64,
    /// Events of all runs.
    pub steps: u64,
    /// Threads that occurred.
    pub threads: usize,
    /// How much there will be.
    pub estimate: Option<Estimate>,
    /// After how many steps the last run left the one before it; zero if the strategy does not go on from others.
    pub at: usize,
    /// How many steps the last run had.
    pub length: usize,
    /// Who went in it until then, as [`crate::turns`] tells it.
    pub way: String,
}

/// Something that a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What.
    pub finding: Finding,
    /// The run in which it showed.
    pub told: Told,
    /// The number of that run, counted from one.
    pub run: u64,
}

/// Something that the program used and that is not under control.
#[derive(Clone, Debug)]
pub struct Uncontrolled {
    /// What, as in `pthread_cancel`.
    pub name: String,
    /// Where it was first used.
    pub place: Place,
    /// In how many runs.
    pub runs: u64,
}

/// How often something was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// In how many runs.
    pub runs: u64,
    /// In how many different traces; none if there were too many to tell them apart.
    pub traces: Option<u64>,
}

/// One of the ways in which runs came out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was found, if anything was.
    pub finding: Option<Finding>,
    /// How the runs ended.
    pub ending: Ending,
    /// What the variables of [`crate::Task::variables`] held at the end, bit by bit.
    pub values: Vec<u64>,
    /// How often.
    pub times: Times,
    /// The first run that came out like this, counted from one.
    pub first: u64,
}

/// What the runtime tells.
#[allow(clippy::large_enum_variant, reason = "there is one of them at a time")]
#[derive(Clone, Debug)]
pub enum Message {
    /// The first message: the runtime is there.
    Hello {
        /// The loaded files.
        modules: Vec<Module>,
        /// Object files in the program that were not built by `raddle cc`.
        strangers: Vec<String>,
    },
    /// Now and then.
    Progress(Progress),
    /// A run that was made, if every one is to be told of.
    Listed {
        /// Its number, counted from one.
        number: u64,
        /// What happened, in order.
        events: Vec<Event>,
        /// How it ended.
        ending: Ending,
        /// What is wrong with it, if anything is.
        found: Option<FindingKind>,
    },
    /// A new finding; not shrunk.
    Found(Box<Found>),
    /// The answer to [`crate::What::Again`], [`crate::What::Shrink`] and [`crate::What::Passing`].
    Run {
        /// The run.
        told: Box<Told>,
        /// What was found in it.
        finding: Option<Finding>,
        /// Runs that were made for it.
        runs: u64,
    },
    /// The program used something that is not under control; once for each name.
    Uncontrolled(Uncontrolled),
    /// A process that made one run of a search with [`crate::Isolation::Fork`] died in a way that the runtime could not
    /// turn into a finding.
    Died {
        /// The signal, or zero.
        signal: u32,
        /// The exit code, if it was no signal.
        code: u32,
    },
    /// The search was stopped, and this is what it needs to go on.
    Saved(Box<Resume>),
    /// How often each finding was met, in the order in which they were told; only if the search went on after them.
    Met(Vec<Times>),
    /// All outcomes, if they are to be told, and how many runs had others than those.
    Outcomes {
        /// Those that were kept.
        outcomes: Vec<Outcome>,
        /// Runs with outcomes that were too many to be kept.
        others: u64,
    },
    /// The last message: the task is done.
    Done(Reached),
}

fields!(Uncontrolled { name, place, runs });
fields!(Module { path, base, instrumented });
fields!(Progress { runs, blocked, steps, threads, estimate, at, length, way });
fields!(Found { finding, told, run });
variants!(Message as "a message" {
    0 => Hello { modules, strangers },
    1 => Progress(progress),
    2 => Found(found),
    3 => Run { told, finding, runs },
    4 => Uncontrolled(uncontrolled),
    5 => Died { signal, code },
    6 => Done(reached),
    7 => Listed { number, events, ending, found },
    8 => Saved(resume),
    9 => Met(times),
    10 => Outcomes { outcomes, others },
});
fields!(Times { runs, traces });
fields!(Outcome { finding, ending, values, times, first });
