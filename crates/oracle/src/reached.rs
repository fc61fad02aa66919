//! What the threads of a program can have done and seen: their local states, and where all of them can end.

use std::collections::{BTreeMap, BTreeSet};

use raddle_trace::{Event, Kind, Outcome};

use crate::brute_force::{TooLarge, for_each_run};
use crate::{Ending, Program};

/// What a thread has done and seen, step by step: the kind of the operation, how it ended as far as the thread can tell,
/// and what it read.
pub type Local = Vec<(u8, u8, i64)>;

/// How a run can end without a panic.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReachedEnd {
    /// Whether threads wait for ever.
    pub deadlock: bool,
    /// What every thread has done and seen; nothing for those that were never created.
    pub threads: Vec<Local>,
    /// The values of the cells.
    pub cells: Vec<i64>,
}

/// Everything that can be reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// The local states, with their threads.
    pub locals: BTreeSet<(usize, Local)>,
    /// The ends without a panic.
    pub ends: BTreeSet<ReachedEnd>,
    /// Whether a run can panic.
    pub panics: bool,
}

/// Finds everything that can be reached, by making all runs.
///
/// # Errors
/// If there are more than `limit`.
pub fn reached(program: &Program, limit: u64) -> Result<Reached, TooLarge> {
    let mut reached = Reached::default();
    let mut tree: Vec<BTreeMap<(u8, u8, i64), usize>> = vec![BTreeMap::new(); program.threads.len()];
    let mut paths: Vec<(usize, Local)> = (0..tree.len()).map(|thread| (thread, Local::new())).collect();
    for_each_run(program, limit, &mut |run| {
        let mut at: Vec<usize> = (0..program.threads.len()).collect();
        for (number, event) in run.events.iter().enumerate() {
            let thread = event.thread.index();
            let step = seen(run.events, number, event);
            let node = at[thread];
            at[thread] = *tree[node].entry(step).or_insert_with(|| {
                let mut path = paths[node].clone();
                path.1.push(step);
                paths.push(path);
                paths.len() - 1
            });
            if tree.len() < paths.len() {
                tree.push(BTreeMap::new());
            }
        }
        match run.end.ending {
            Ending::Panic => reached.panics = true,
            ending => {
                reached.ends.insert(ReachedEnd {
                    deadlock: ending == Ending::Deadlock,
                    threads: at.iter().map(|node| paths[*node].1.clone()).collect(),
                    cells: run.end.cells.clone(),
                });
            }
        }
    })?;
    reached.locals = paths.into_iter().filter(|(_, path)| !path.is_empty()).collect();
    Ok(reached)
}

/// What the thread of an event saw in it.
fn seen(events: &[Event], number: usize, event: &Event) -> (u8, u8, i64) {
    use Kind::*;
    let value = match (event.operation.kind, event.cause) {
        (Load | ReadModifyWrite, _) => event.before,
        (Choose, _) => i64::from(event.alternative),
        (Receive | TryReceive | TimedReceive, Some(cause)) => {
            let sender = events[cause as usize].thread;
            let before = events[..cause as usize].iter().filter(|earlier| earlier.thread == sender).count();
            ((sender.index() as i64) << 32) | before as i64
        }
        (Receive | TryReceive | TimedReceive, None) => -1,
        _ => 0,
    };
    debug_assert!(event.cause.is_none_or(|cause| (cause as usize) < number), "causes come first");
    let outcome = match (event.operation.kind, event.outcome) {
        (NotifyOne | NotifyAll, _) | (_, Outcome::LastButOne) => Outcome::Done,
        (_, outcome) => outcome,
    };
    (event.operation.kind as u8, outcome as u8, value)
}
