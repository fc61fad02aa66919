//! All runs of a program, one after the other.
//!
//! Nothing clever happens here, on purpose: every decision tries every thread, every step every alternative, and a
//! copy of the state is kept to come back to. What the search leaves out, this finds.

use raddle_trace::ThreadId;

use crate::Program;
use crate::code::Code;
use crate::interpreter::Machine;
use crate::outcomes::{EndState, Outcomes, Run};
use crate::recorder::Recorder;

/// There are more runs than the limit allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there are more than {limit} runs")]
pub struct TooLarge {
    /// The limit.
    pub limit: u64,
}

/// Makes all runs of the program.
///
/// # Errors
/// If there are more than `limit`.
pub fn brute_force(program: &Program, limit: u64) -> Result<Outcomes, TooLarge> {
    let mut outcomes = Outcomes::default();
    for_each_run(program, limit, &mut |run| outcomes.add(run))?;
    Ok(outcomes)
}

/// Makes all runs of the program and shows each: for those who want to see the runs of one trace.
///
/// # Errors
/// If there are more than `limit`; then so many have been shown.
pub fn for_each_run(program: &Program, limit: u64, see: &mut dyn FnMut(&Run<'_>)) -> Result<(), TooLarge> {
    let code = Code::of(program);
    let mut search = Search { recorder: Recorder::default(), runs: 0, limit, see };
    search.go(Machine::new(&code), Switches::default())
}

/// Who was scheduled last, and how many pre-emptions there were.
#[derive(Clone, Copy, Default)]
struct Switches {
    last: Option<ThreadId>,
    /// Whether the last decision was a pre-emption.
    preempts: bool,
    preemptions: usize,
}

impl Switches {
    /// It is a pre-emption to schedule another thread than the last one while that one could go on.
    fn to(self, thread: ThreadId, candidates: &[ThreadId]) -> Switches {
        let could_go_on = |last: ThreadId| last != thread && candidates.contains(&last);
        let preempts = self.last.is_some_and(could_go_on);
        Switches { last: Some(thread), preempts, preemptions: self.preemptions + usize::from(preempts) }
    }
}

struct Search<'s> {
    recorder: Recorder,
    runs: u64,
    limit: u64,
    see: &'s mut dyn FnMut(&Run<'_>),
}

impl Search<'_> {
    /// Makes all runs that go on from here.
    fn go(&mut self, mut machine: Machine<'_>, switches: Switches) -> Result<(), TooLarge> {
        let length = self.recorder.events().len();
        let result = loop {
            match machine.urgent() {
                Some(thread) if machine.alternatives(thread) > 1 => {
                    break self.try_alternatives(&machine, thread, switches);
                }
                Some(thread) => self.recorder.push(&machine.step(thread, 0), false),
                None => break self.decide(&machine, switches),
            }
        };
        self.recorder.truncate(length);
        result
    }

    fn decide(&mut self, machine: &Machine<'_>, switches: Switches) -> Result<(), TooLarge> {
        let candidates = machine.candidates();
        if candidates.is_empty() {
            return self.end(machine, switches);
        }
        candidates
            .iter()
            .try_for_each(|thread| self.try_alternatives(machine, *thread, switches.to(*thread, &candidates)))
    }

    fn try_alternatives(
        &mut self,
        machine: &Machine<'_>,
        thread: ThreadId,
        switches: Switches,
    ) -> Result<(), TooLarge> {
        let length = self.recorder.events().len();
        for alternative in 0..machine.alternatives(thread) {
            let mut next = machine.clone();
            self.recorder.push(&next.step(thread, alternative), switches.preempts);
            self.go(next, switches)?;
            self.recorder.truncate(length);
        }
        Ok(())
    }

    fn end(&mut self, machine: &Machine<'_>, switches: Switches) -> Result<(), TooLarge> {
        if self.runs == self.limit {
            return Err(TooLarge { limit: self.limit });
        }
        self.runs += 1;
        let preemptions = switches.preemptions;
        (self.see)(&Run { events: self.recorder.events(), preemptions, end: EndState::of(&machine.state) });
        Ok(())
    }
}
