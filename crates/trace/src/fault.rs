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
    PostsAreReads: "a post commutes with a failed try",
    FailedTryTouchesNothing: "a failed try depends on nothing",
    CauseForgotten: "a caused event is not ordered after its cause",
    ClockSkipsReads: "a write is not ordered after the reads before it",
    ClockSkipsWrites: "an access is not ordered after the write before it",
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
