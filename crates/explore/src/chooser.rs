//! The contract between a run and whoever steers it.

use raddle_trace::{Kind, Pending, Run, ThreadId, ThreadSet};

/// A point where a thread has to be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// The threads that can go; never empty.
    pub enabled: ThreadSet,
    /// The thread that was chosen last.
    pub last: Option<ThreadId>,
    /// What every thread is about to do, by number; meaningful for those that are alive.
    pub pending: &'a [Pending],
    /// The number of the event that the chosen thread will make.
    pub event: usize,
    /// How many objects the run has met so far; `usize::MAX` if objects have the same numbers in every run.
    pub objects: usize,
}

impl Decision<'_> {
    /// The last chosen thread, if it can go on: choosing another would be a pre-emption.
    #[inline]
    #[must_use]
    pub fn running(&self) -> Option<ThreadId> {
        self.last.filter(|&last| self.enabled.contains(last))
    }

    /// The thread that goes on if there is no reason for another: the running one, else the one with the lowest number.
    #[inline]
    #[must_use]
    pub fn natural(&self, among: ThreadSet) -> Option<ThreadId> {
        self.last.filter(|&last| among.contains(last)).or_else(|| among.first())
    }
}

/// Who goes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// This thread, which has to be enabled.
    Go(ThreadId),
    /// Nobody: the run can only repeat one that has been made.
    GiveUp,
    /// Nobody: another worker searches here.
    Elsewhere,
    /// Nobody: the program is not doing what it did before.
    Diverged,
}

/// A point where one of several alternatives has to be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Whose operation it is.
    pub thread: ThreadId,
    /// What the operation is.
    pub kind: Kind,
    /// How many alternatives there are; at least two.
    pub alternatives: u32,
    /// The number of the event that the operation will make.
    pub event: usize,
}

/// Why no alternative was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoPick {
    /// Another worker searches here.
    Elsewhere,
    /// The program is not doing what it did before.
    Diverged,
}

/// Steers one run.
pub trait Chooser {
    /// Chooses a thread.
    fn decide(&mut self, at: &Decision<'_>) -> Choice;

    /// Chooses an alternative, below [`Offer::alternatives`].
    ///
    /// # Errors
    /// If the run should not go on.
    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick>;

    /// Whether the run should say what its threads and objects are called although nothing is wrong with it.
    fn wants_names(&self) -> bool {
        false
    }

    /// Whether accesses to plain memory that threads share are steps of the run, where the subject can tell which those are.
    fn sees_plain(&self) -> bool {
        false
    }

    /// How many of the first events of the run that begins are those of the run before, so that a subject which can go on
    /// from the middle of that one does not have to make them again.
    fn shared(&self) -> usize {
        0
    }

    /// The run goes on after its first `events` events, at most [`Chooser::shared`]; nothing is asked about those.
    fn skip(&mut self, events: usize) {
        debug_assert_eq!(events, 0, "bug in raddle: skipped what the chooser does not know");
    }
}

/// Limits of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunLimits {
    /// Events before the run is given up.
    pub max_steps: usize,
}

impl Default for RunLimits {
    fn default() -> RunLimits {
        RunLimits { max_steps: raddle_trace::limits::DEFAULT_MAX_STEPS }
    }
}

/// A program that can be run again under control.
pub trait Subject {
    /// Runs the program once, steered by `chooser`.
    fn run(&mut self, chooser: &mut dyn Chooser, limits: &RunLimits) -> &Run;

    /// A run with steps that are accesses to plain memory as it is without those: for everybody but the strategy.
    fn as_told(&mut self, run: &Run, _limits: &RunLimits) -> Run {
        run.without_plain_steps()
    }
}
