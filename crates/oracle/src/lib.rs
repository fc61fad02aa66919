//! The reference that the search is compared with.
//!
//! Random programs, an interpreter of the primitives, and brute force over all runs. Invariants: nothing here comes
//! from the search or from the interpreter that the search uses; the only thing shared is the type of an event and
//! what follows from it. No I/O, no clock, no randomness but the seed that is handed in.

mod brute_force;
mod c_source;
mod cell;
mod channel;
mod check;
mod code;
mod commutes;
mod distribution;
mod effect;
mod feature;
mod follow;
mod generate;
mod interpreter;
mod lock;
mod outcomes;
mod parse;
mod pending;
mod program;
mod race;
mod random;
mod reached;
mod recorder;
mod shrink;
mod state;
mod text;
mod uses;
mod words;

pub use brute_force::{TooLarge, brute_force, for_each_run};
pub use c_source::{
    Cells, Form, Language, Lies, Threads, Written, as_c_can_say, c_source, takes_twice, topics_of_c,
};
pub use check::Malformed;
pub use commutes::{
    Choice, Difference, DoNotCommute, Foresight, Tested, check_commutes, check_commutes_with,
};
pub use distribution::Distribution;
pub use feature::Feature;
pub use follow::{Followed, Memory, follow};
pub use generate::{Shape, Topic, generate};
pub use outcomes::{EndState, Ending, MAX_PREEMPTIONS, Outcomes, Run};
pub use parse::{ParseError, parse};
pub use program::{Object, Program, REGISTERS, Register, Stmt, Value, received};
pub use race::{Synchronised, synchronised};
pub use reached::{Local, Reached, ReachedEnd, reached};
pub use shrink::shrink;
