//! One run under control.
//!
//! All threads of the program are fibers on one OS thread, the one that searches. A thread pauses just before its next
//! visible operation and publishes it; if the strategy lets the same thread go on, nothing is switched. [`Stage`] is
//! the run: the world, the fibers, the record. What a library of primitives needs is in [`visit`] and beside it.
//!
//! Invariants: there is at most one stage per OS thread, reached through a thread-local pointer that is only set while
//! a run is being made; no reference to the stage is held across a switch; nothing is allocated between two decisions,
//! once the buffers have grown.

mod checkpoint;
mod clocks;
mod code;
mod count;
mod fiber;
mod local;
mod loops;
mod names;
mod outside;
mod overflow;
mod own;
mod panic_count;
mod panics;
mod registration;
mod stack;
mod stage;
mod subject;
mod switch;
mod threads;
mod trial;
mod visit;
mod watch;
mod watchdog;

pub use checkpoint::Checkpoint;
pub use code::loaded_around;
pub use count::{Count, GivesUp, destroy_last};
pub use local::{LocalKeyId, with_local};
pub use loops::{
    begin_loop, idle, look_at_clock, may_wait, pass_a_moment, round, spin_hint, start_new_loop, touch,
};
pub use names::{Names, Register};
pub use overflow::{Cause, Death, die};
pub use own::Frame;
pub use panic_count::{can_forget_panics, forget_panics};
pub use registration::{Registration, is_static};
pub use stack::stack_left;
pub use stage::{Stage, StageOptions};
pub use subject::Program;
pub use threads::{
    end_thread, ends_are_visible, has_ended, join, join_for_result, name_of_thread, name_thread, queues_for,
    spawn, spawn_unchecked,
};
pub use trial::CountedLoops;
pub use visit::{
    Executed, Here, choose, current_thread, end_of_run, end_run, exit_program, in_run, made_events,
    note_more_next, note_unseen_access, note_weaker_order, panics_allowed, record, register, register_as,
    set_cell, spurious_failures, unwinding, virtual_now, visit, visit_write, wait_for_turn, with_run,
    with_world,
};
pub use watchdog::watched;
