//! A run that somebody else made, followed step by step.
//!
//! Every event has to be what the interpreter says that its thread does next, and to end as the interpreter says. Threads
//! and objects may have other numbers there: a thread is known by who created it, an object by who uses it.

use std::collections::{BTreeMap, BTreeSet};

use raddle_trace::{Event, Kind, ObjectId, Operation, Outcome, ThreadId, TraceKey};

use crate::code::Code;
use crate::interpreter::Machine;
use crate::outcomes::EndState;
use crate::race::{is_memory, is_plain, without_plain};
use crate::recorder::Recorder;
use crate::{Cells, Ending, Program};

/// What the run was, in the oracle's own words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Followed {
    /// The name of its trace.
    pub key: TraceKey,
    /// What it left behind.
    pub end: EndState,
}

/// Whether accesses to memory are events of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// They are, once there is a second thread.
    Visible,
    /// Those to plain variables are not; then nothing may race.
    Hidden(Cells),
}

/// Follows a run of the program. Loops that spin go round as often as whoever made the run likes, so such a program cannot be
/// followed.
///
/// # Errors
/// The run is none of the program; the text says why.
pub fn follow(
    program: &Program,
    events: &[Event],
    ending: raddle_trace::Ending,
    memory: Memory,
) -> Result<Followed, String> {
    let code = Code::of(program);
    let mut follower = Follower {
        machine: Machine::new(&code),
        recorder: Recorder::default(),
        threads: BTreeMap::from([(ThreadId::MAIN, ThreadId::MAIN)]),
        objects: BTreeMap::new(),
        strangers: BTreeSet::new(),
        memory,
    };
    for (number, event) in events.iter().enumerate() {
        follower.event(event).map_err(|problem| format!("step {number} of {}: {problem}", events.len()))?;
    }
    follower.end(ending)
}

struct Follower<'c> {
    machine: Machine<'c>,
    recorder: Recorder,
    /// The run's threads, with ours.
    threads: BTreeMap<ThreadId, ThreadId>,
    /// The run's objects, with ours.
    objects: BTreeMap<ObjectId, ObjectId>,
    /// Threads that are none of the program: one that waits for all others, to do what has to be done at its end.
    strangers: BTreeSet<ThreadId>,
    memory: Memory,
}

impl Follower<'_> {
    fn event(&mut self, event: &Event) -> Result<(), String> {
        let kind = event.operation.kind;
        if kind == Kind::Detach || self.strangers.contains(&event.thread) {
            return Ok(());
        }
        let thread = *self.threads.get(&event.thread).ok_or("its thread was never created")?;
        self.do_what_nobody_sees(thread);
        let Some(expected) = self.machine.operation(thread) else {
            return Err(format!("{thread} has nothing to do, but the run has {kind:?}"));
        };
        if expected.kind == Kind::Join && kind == Kind::Load {
            // The thread reads which thread it is to join: a step if plain memory is visible.
            return Ok(());
        }
        if expected.kind == Kind::End && Operation::frees(kind, event.operation.operand) {
            // What the program allocated is freed after everything else.
            return Ok(());
        }
        if expected.kind == Kind::End && kind == Kind::Store {
            return self.compare_registers(thread, event.value);
        }
        if expected.kind == Kind::End && kind == Kind::Create {
            self.strangers.insert(ThreadId::new(event.operation.operand as usize));
            return Ok(());
        }
        if expected.kind != kind {
            return Err(format!("{thread} has to do {:?}, but the run has {kind:?}", expected.kind));
        }
        let alternatives = self.machine.alternatives(thread);
        if event.alternative >= alternatives.max(1) || (alternatives != event.alternatives.max(1)) {
            let (here, there) = (alternatives, event.alternatives);
            return Err(format!("{thread}: {kind:?} has {here} alternatives, in the run {there}"));
        }
        let outcome = self.machine.outcome(thread, event.alternative);
        if outcome.map(told) != Some(told(event.outcome)) {
            return Err(format!("{thread}: {kind:?} ends by {outcome:?}, in the run by {:?}", event.outcome));
        }
        self.same_object(&expected, &event.operation)?;
        self.step(thread, event)
    }

    /// A thread that tells its registers does so right before its end, in one number.
    fn compare_registers(&self, thread: ThreadId, told: i64) -> Result<(), String> {
        let registers = &self.machine.state.thread(thread).registers;
        let here =
            registers.iter().fold(0, |sum: i64, register| sum.wrapping_mul(31).wrapping_add(*register));
        if here == told {
            Ok(())
        } else {
            Err(format!("{thread} ends with {registers:?}, in the run otherwise"))
        }
    }

    fn step(&mut self, thread: ThreadId, event: &Event) -> Result<(), String> {
        let happened = self.machine.step(thread, event.alternative);
        self.recorder.push(&happened, false);
        let (kind, held) = (happened.operation.kind, happened.held);
        let reads = matches!(kind, Kind::Load | Kind::Store | Kind::ReadModifyWrite);
        if reads && held != event.before {
            return Err(format!("{thread}: {kind:?} finds {held}, in the run {}", event.before));
        }
        if kind == Kind::Create {
            let here = ThreadId::new(happened.operation.operand as usize);
            self.threads.insert(ThreadId::new(event.operation.operand as usize), here);
        }
        Ok(())
    }

    /// Until there is a second thread, what the first one does to memory is no event of a run; and if memory is hidden, what
    /// anybody does to it. Without a race it makes no difference when it is done.
    fn do_what_nobody_sees(&mut self, thread: ThreadId) {
        let alone = self.threads.len() == 1;
        let memory = self.memory;
        let is_hidden = |operation: Operation| match memory {
            Memory::Hidden(cells) if !alone => is_plain(&operation, cells),
            _ => alone && is_memory(operation.kind),
        };
        while self.machine.operation(thread).is_some_and(is_hidden) {
            self.recorder.push(&self.machine.step(thread, 0), false);
        }
    }

    /// An object of the run always stands for the same one of ours.
    fn same_object(&mut self, here: &Operation, there: &Operation) -> Result<(), String> {
        if matches!(
            here.kind,
            Kind::Spin | Kind::Create | Kind::Start | Kind::End | Kind::Join | Kind::Choose
        ) {
            return Ok(());
        }
        let known = *self.objects.entry(there.object).or_insert(here.object);
        let others = self.objects.values().filter(|object| **object == here.object).count();
        if known != here.object || others != 1 {
            return Err(format!("{:?} of {}, in the run of {}", here.kind, here.object, there.object));
        }
        Ok(())
    }

    fn end(mut self, ending: raddle_trace::Ending) -> Result<Followed, String> {
        use raddle_trace::Ending as Told;
        let main = ThreadId::MAIN;
        // Whoever waits for ever has come so far.
        let all: Vec<ThreadId> = self.threads.values().copied().collect();
        all.into_iter().for_each(|thread| self.do_what_nobody_sees(thread));
        // A main thread that returns ends the program: there is no end of the thread besides.
        let returns = self.machine.operation(main).is_some_and(|operation| operation.kind == Kind::End);
        if ending == Told::Finished && returns {
            self.recorder.push(&self.machine.step(main, 0), false);
        }
        let end = EndState::of(&self.machine.state);
        let told = match ending {
            Told::Finished => Ending::Finished,
            Told::Deadlock | Told::Livelock => Ending::Deadlock,
            Told::Failed(_) | Told::Panic => Ending::Panic,
            other => return Err(format!("the run ended by {other:?}")),
        };
        let waits = self.machine.candidates().is_empty();
        if end.ending != told || !waits {
            let can = if waits { "nobody can go on" } else { "somebody can go on" };
            return Err(format!("the run ended by {ending:?}, here by {:?}, and {can}", end.ending));
        }
        let key = match self.memory {
            Memory::Visible => TraceKey::of(self.recorder.events()),
            Memory::Hidden(cells) => TraceKey::of(&without_plain(self.recorder.events(), cells)),
        };
        Ok(Followed { key, end })
    }
}

/// How an operation ended, as far as everybody can tell.
fn told(outcome: Outcome) -> Outcome {
    if outcome == Outcome::LastButOne { Outcome::Done } else { outcome }
}

#[cfg(test)]
mod tests {
    use raddle_trace::{Ending, TraceKey};

    use super::{Memory, follow};
    use crate::{Shape, as_c_can_say, for_each_run, generate, topics_of_c};

    fn told(ending: crate::Ending) -> Ending {
        match ending {
            crate::Ending::Finished => Ending::Finished,
            crate::Ending::Deadlock => Ending::Deadlock,
            crate::Ending::Panic => Ending::Panic,
        }
    }

    #[test]
    fn the_oracles_own_runs_are_followed_to_the_same_end() {
        let shape = Shape { threads: 3, statements: 2, topics: topics_of_c() };
        for seed in 0..50 {
            let program = as_c_can_say(&generate(seed, &shape), crate::Cells::Atomic);
            let done = for_each_run(&program, 500, &mut |run| {
                // Until there is a second thread, memory is no event.
                let alone = run.events.iter().take_while(|event| event.operation.kind != super::Kind::Create);
                if alone.clone().any(|event| super::is_memory(event.operation.kind)) {
                    return;
                }
                let followed = follow(&program, run.events, told(run.end.ending), Memory::Visible);
                let followed = followed.expect("a run of the program");
                assert_eq!((followed.key, followed.end), (TraceKey::of(run.events), run.end.clone()));
            });
            // A program that is too large has shown its first runs.
            let _ = done;
        }
    }

    #[test]
    fn a_run_that_the_program_does_not_have_is_refused() {
        let text = "cell c0 0\nthread 0\n  spawn 1\n  store c0 1\nthread 1\n  load c0 r0\n";
        let program = crate::parse(text).expect("a program");
        for_each_run(&program, 10, &mut |run| {
            let mut events = run.events.to_vec();
            let load = events.iter().position(|event| event.operation.kind == super::Kind::Load);
            events[load.expect("the load of thread 1")].before += 1;
            let problem = follow(&program, &events, Ending::Finished, Memory::Visible);
            assert!(problem.is_err_and(|problem| problem.contains("Load finds")));
            let short = &run.events[..run.events.len() - 1];
            assert!(follow(&program, short, Ending::Deadlock, Memory::Visible).is_err());
        })
        .expect("few runs");
    }
}
