//! Learning from a program that runs by itself, before it is searched.

use std::time::Instant;

use raddle_channel::{Message, Task, What};
use raddle_coverage::HapSets;

use super::{CheckError, Plan};
use crate::host::{Heard, Host};

/// What runs of a program by itself have shown.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The orders of statements, with those that were known before.
    pub sets: HapSets,
    /// How many runs were good, and so were learned from.
    pub good: u64,
    /// How many runs were made.
    pub runs: u64,
}

/// Lets the program run by itself so many times, with real threads and random delays, and learns from the runs that came
/// to a good end.
///
/// # Errors
/// If the program cannot be started.
pub fn learn(plan: &Plan, runs: u64, interrupted: &dyn Fn() -> bool) -> Result<Learned, CheckError> {
    raddle_instrument::model::read(&plan.program.path)?;
    let known = HapSets::from_bytes(&plan.task.coverage).unwrap_or_default();
    let known = if known.context() == plan.task.context { known } else { HapSets::new(plan.task.context) };
    let mut learned = Learned { sets: known, good: 0, runs: 0 };
    for number in 0..runs {
        if interrupted() {
            break;
        }
        learned.runs += 1;
        let seed = plan.task.seed.wrapping_add(number);
        let task = Task { what: What::Record, seed, ..plan.task.clone() };
        // A run that hangs is no good run.
        let until = Some(Instant::now() + plan.task.stuck_after);
        let started = Host::start(&plan.program, &plan.limits, &task, until, interrupted);
        let shown = plan.program.path.display().to_string();
        let mut host = started.map_err(|error| CheckError::NotStarted { program: shown, error })?;
        while let Heard::Message(message) = host.next() {
            if let Message::Done(reached) = *message {
                let merged = reached.covered.map(|covered| learned.sets.merge(&covered.sets));
                learned.good += u64::from(merged == Some(Ok(())));
                break;
            }
        }
        drop(host);
    }
    Ok(learned)
}
