//! A run as it is told.

use raddle_explore::{Replay, preemptions};
use raddle_trace::schedule::ThreadName;
use raddle_trace::{Event, Run, Step, ThreadId};

use crate::wire::fields;

/// A run with what is needed to make it again and to show it.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// What happened, with the accesses of a data race as events.
    pub run: Run,
    /// The names of the threads, by number.
    pub names: Vec<ThreadName>,
    /// The choices that make it happen again.
    pub steps: Vec<Step>,
    /// What each step did, in words, to notice a program that has changed.
    pub notes: Vec<String>,
    /// Pre-emptions.
    pub preemptions: usize,
}

impl Told {
    /// The run, told.
    #[must_use]
    pub fn new(run: &Run, names: Vec<ThreadName>) -> Told {
        Told {
            steps: Replay::steps_of(&run.events),
            notes: notes(run),
            preemptions: preemptions(&run.events),
            run: raddle_detect::race::with_accesses(run),
            names,
        }
    }
}

/// Who went how many steps at a time, as in `T1*3 T2*5`: the first turns, at most so many.
#[must_use]
pub fn turns(events: &[Event], most: usize) -> String {
    let mut turns: Vec<(ThreadId, usize)> = Vec::new();
    for thread in events.iter().map(|event| event.thread) {
        let full = turns.len() == most;
        match turns.last_mut() {
            Some((last, steps)) if *last == thread => *steps += 1,
            _ if full => break,
            _ => turns.push((thread, 1)),
        }
    }
    let told: usize = turns.iter().map(|(_, steps)| steps).sum();
    let turns = turns.iter().map(|(thread, steps)| format!("{thread}*{steps}"));
    let rest = (told < events.len()).then(|| "...".to_owned());
    turns.chain(rest).collect::<Vec<String>>().join(" ")
}

/// What each step of a schedule did.
fn notes(run: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    for event in &run.events {
        let times = usize::from(event.decided) + usize::from(event.alternatives > 1);
        notes.extend((0..times).map(|_| format!("{:?} {}", event.operation.kind, event.place)));
    }
    notes
}

fields!(Told { run, names, steps, notes, preemptions });
