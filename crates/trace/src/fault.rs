//! Deliberate faults, for the test of the tests.
//!
//! Each is one line of the library that is broken while the fault is switched on. The comparison with brute force has
//! to notice every one of them; otherwise it would not notice the same mistake made for real.

use std::cell::Cell;

macro_rules! faults {
    ($($name:ident: $what:literal,)*) => {
        /// What can be broken.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Fault { $(#[doc = $what] $name,)* }

        /// All of them, with what each does.
        pub const ALL: &[(Fault, &str)] = &[$((Fault::$name, $what),)*];
    };
}

faults! {
    // The relation and the clocks.
    ReadsConflictNever: "a shared access conflicts with nothing",
    WaitForgetsMutex: "a wait does not touch the mutex it gives back",
    SpinReadsNothing: "a spinning thread depends on nothing",
    PostsOnlyObserve: "a post commutes with a failed try",
    FailedTryTouchesNothing: "a failed try depends on nothing",
    CauseForgotten: "a caused event is not ordered after its cause",
    ClockSkipsReads: "a write is not ordered after the reads before it",
    ClockSkipsWrites: "an access is not ordered after the write before it",
    ClockSkipsFailedTries: "a write is not ordered after the failed tries before it",
    ClockOffByOne: "an event is known one event too early",
    // No reduction.
    EveryForgetsOne: "one of three or more threads is not tried",
    EverySkipsAlternatives: "only the first alternative of a choice is tried",
    BoundForgetsToCount: "pre-emptions are not counted",
    // Samples.
    PosNeverDrawsAgain: "events that race keep their priority",
    SurwForgetsToCount: "the weight of a thread never falls",
    // Learning which orders were seen.
    OneSidedForgetsLoops: "a pair whose first statement was met later is never one-sided",
    UnlocksAreLearned: "giving a lock back counts as a statement of its own",
    EveryAccessIsImmediate: "an order that was told before is told again",
    // Guided search.
    LearnsFromFailures: "a run with a finding is learned from",
    GuideSkipsUnseen: "an order that was never seen is left out",
    AutoNeverExhausts: "a search that came to its end is called a sample",
    // Reduction with backtracking points.
    SleepersNeverWake: "a sleeping thread stays asleep after a dependent step",
    SleepersAlwaysWake: "every step wakes all sleeping threads",
    ExploredStaysAwake: "an explored thread does not fall asleep",
    DporSkipsAlternatives: "only the first alternative of a choice is tried",
    DporForgetsTimeouts: "a notified thread could not have given up",
    DporForgetsBlocked: "operations that still wait at the end get no backtracking points",
    FailuresNeverSucceed: "an operation that failed is taken to fail always",
    DporSkipsAcquisitions: "two acquisitions of a lock are taken never to be enabled together",
    DporLooksOnce: "only the last access of an object is looked at, dependent or not",
    DporForgetsEveryThirdPoint: "some backtracking points are lost",
    DporForgetsDisabled: "a thread that could not go at a point adds nothing there",
    DporTrustsSleepers: "a point for a sleeping thread adds nothing",
    BoundOffByOne: "one pre-emption too many is allowed",
    // Optimal reduction.
    SkipAlternatives: "only the first alternative of a free choice is tried",
    OldRacesAreDone: "a race is not looked at again with other events after it",
    ExploredIsForgotten: "an explored step does not fall asleep",
    InsertCoveredAgain: "a planned beginning is planned again",
    DoubtfulPlansTakeIn: "a plan that leads into a doubtful one is left to it",
    OneAlternativeSettlesDoubts: "a plan that one alternative is shown to cover is taken to be covered by all",
    WaitsEndInOneWay: "a wait that a run has seen ending in one way is taken to end like that in plans",
    DoubtsAreKept: "a plan that runs have shown to be covered is tried all the same",
    InsertInFront: "a new plan is tried before the older ones",
    EverythingIsInitial: "a step may always come first in a plan",
    EverythingIsWeakInitial: "a step that a plan lacks never conflicts with it",
    WeakInitialsIgnored: "a plan never leads into a branch whose step it lacks",
    BlockedDoNotRace: "operations that still wait at the end do not race",
    TimeoutsDoNotRace: "a time-out does not race with the notification",
    TimeoutsDoNotRaceInVain: "the same, of threads that never get their lock back",
    OnlyTheLastRace: "only the last race of an operation is turned round",
    EverythingIsReversible: "a race is turned round although the later operation could not go",
    OutcomeNeverChanges: "an operation that comes first ends as it did when it came second",
    ForgetEveryFifthRace: "some races are not turned round",
    SleepDoesNotCover: "plans that begin with a sleeping step are not left out",
    SleepLostAtForks: "nobody sleeps in a run that begins with another alternative",
    OneAlternativeSleepsForAll: "an explored alternative puts all of them to sleep",
    PlannedAlternativesAreFree: "all alternatives are tried where one was planned",
    ReleasesHideRaces: "critical sections do not race with each other",
    OneObstacleAtATime: "an operation that waits for several others is not tried before all of them",
    SeveralOnlyAlone: "an operation that waits for several others is tried before one that comes earlier, and not before all of them",
    ForeseeIgnoresOthers: "independent steps do not count for whether an operation could go",
    ArrivalsKeepTheirPlace: "an arrival at a barrier is last but one wherever it comes",
    SequenceTooShort: "a plan leaves out independent steps",
    // Models.
    ModelCutsTooMuch: "every eleventh event of an unfolding is taken for a terminal",
    ModelCutsAnyOrder: "an event is a terminal if all its threads have been where it leads them",
    ModelMissesSteps: "every fifth transition of a net is not added",
    ModelPredictsWrongly: "a read is predicted to find what was there at first",
    ModelForgetsCells: "a write does not change the valuation of its cell",
    ModelForgetsDeadlocks: "the finished prefix is not searched for deadlocks",
    ModelNeverWakes: "a sleeping step of the search over markings never wakes",
    ModelForgetsMarkings: "markings are compared without their objects",
}

thread_local! {
    static CURRENT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Switches a fault on for this OS thread, or all off.
pub fn switch(fault: Option<Fault>) {
    CURRENT.with(|current| current.set(fault));
}

/// Whether this fault is on.
#[must_use]
pub fn is_on(fault: Fault) -> bool {
    CURRENT.with(Cell::get) == Some(fault)
}
