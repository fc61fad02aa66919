//! Small programs, each a real bug pattern, with as many threads as asked for.
//!
//! Threads beyond those that make the bug do the same as the others, or something of their own that gets in the way. Every
//! program fails in some schedule whatever the number of threads, and passes in most.

mod atomicity;
mod counts;
mod crowd;
mod locks;
mod measure;
mod order;
mod pool;
mod rare;
mod waiting;

pub use measure::{First, Learning, Reach, first_finding, learning_overhead, make_runs, reach};
pub use pool::{BROKEN, CORRECT, Locking, Pool};

/// A program with a bug.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// Its name.
    pub name: &'static str,
    /// The kind of the finding.
    pub finding: &'static str,
    /// What is wrong with it.
    pub what: &'static str,
    /// The program, with this many threads.
    pub run: fn(usize),
}

macro_rules! patterns {
    ($($module:ident::$name:ident: $finding:literal, $what:literal;)*) => {
        /// All of them.
        pub const PATTERNS: &[Pattern] = &[
            $(Pattern { name: stringify!($name), finding: $finding, what: $what, run: $module::$name },)*
        ];
    };
}

patterns! {
    atomicity::lost_update: "assertion", "a counter is read and written in two steps";
    atomicity::stale_check: "panic", "a balance is tested in one step and lowered in the next";
    atomicity::use_between_free: "assertion", "a pointer is tested, freed by another thread, and used";
    atomicity::two_variables: "panic", "two variables belong together and are written one after the other";
    atomicity::log_overwritten: "panic", "the position of a log is read, used and moved on in three steps";
    atomicity::shrinking_buffer: "panic", "a length is taken under the lock, and used under the lock, but not in one go";
    atomicity::double_sale: "assertion", "the last ticket is looked at under one lock and sold under the next";
    atomicity::torn_snapshot: "panic", "a snapshot of two accounts is taken while money moves between them";
    atomicity::check_then_insert: "panic", "a key is looked for and then inserted, twice";
    order::use_before_init: "assertion", "a thread is started before what it uses is there";
    order::late_handle: "assertion", "a thread uses its own entry in a table that its creator fills in afterwards";
    order::workers_set_too_late: "deadlock", "the number of workers is set after some have said that they are done";
    order::closed_while_used: "panic", "a file is closed while a worker that was seen idle writes";
    order::double_checked_locking: "assertion", "a flag says that something is there before it is";
    order::published_too_early: "assertion", "an index is published before the slot is written";
    order::cancelled_timer_fires: "assertion", "a timer looks whether it is cancelled, and fires later";
    locks::two_locks: "deadlock", "two locks are taken in two orders";
    locks::three_locks: "deadlock", "three locks are taken round in a circle";
    locks::transfers: "deadlock", "every account is locked before its neighbour, also the last before the first";
    locks::lock_and_condition: "deadlock", "a thread waits for a condition with a lock that the notifier needs";
    locks::semaphores: "deadlock", "two semaphores are taken in two orders";
    locks::upgrade: "deadlock", "two readers of a hand-made lock wait for each other to become writers";
    locks::two_stage: "assertion", "a value and its successor stand behind two locks, and a reader comes in between";
    waiting::lost_wake_up: "deadlock", "a flag is looked at without the lock, set, and then waited for";
    waiting::wrong_waiter: "deadlock", "one of two kinds of waiters is notified, and it may be the wrong kind";
    waiting::if_for_while: "panic", "a woken consumer does not look again whether there is something left";
    waiting::barrier_reused: "panic", "a hand-made barrier is used again before everybody has left it";
    waiting::starved_writer: "panic", "a writer that tries twice always meets a reader";
    counts::resurrected: "panic", "a reference is counted up after the last one has gone";
    counts::counted_in_two_steps: "assertion", "a reference count is read and written in two steps";
    counts::aba: "assertion", "a stack's head is the same again although the stack is not";
    counts::stale_size: "panic", "a queue's size is looked at before it is emptied";
    rare::between_adjacent_steps: "panic", "one thread has to run, whole, between two adjacent steps of another";
    rare::third_in_line: "assertion", "three threads have to come in one order out of six";
}

/// A chain of two-stage locks: as many stages as threads, one of which is read at the wrong moment.
pub const CHAIN: Pattern = Pattern {
    name: "two_stage_chain",
    finding: "assertion",
    what: "a chain of two-stage locks, one link for each thread, read in between",
    run: rare::two_stage_chain,
};
