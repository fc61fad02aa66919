//! Tests the dependence relation itself.
//!
//! If search and brute force agree on a wrong relation, they agree on wrong traces. So at every state of a program,
//! every two steps that the relation calls independent are taken in both orders, and must lead to the same state with
//! the same threads enabled. And if one step lets another thread go on, the relation or the cause must order the two.

use std::collections::HashSet;

use raddle_trace::{Accesses, HappensBefore, Operation, Outcome, Relation, ThreadId, dependent};

use crate::Program;
use crate::code::Code;
use crate::interpreter::{Happened, Machine};
use crate::recorder::Recorder;
use crate::state::State;

/// A step that could be taken: the thread, and which alternative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Who.
    pub thread: ThreadId,
    /// Which alternative.
    pub alternative: u32,
}

/// Why two steps that are called independent are not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// After the other one, the step could not be taken or had another number of alternatives.
    Availability,
    /// After the other one, the step ended differently.
    Outcome,
    /// The two orders led to different states.
    State,
    /// The first step made the second possible, but nothing orders them.
    Enabling,
}

/// Two steps that the relation calls independent, and that are not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{first:?} and {second:?} do not commute ({difference:?}) after {prefix:?}")]
pub struct DoNotCommute {
    /// How to get to the state in which they met: the scheduled steps.
    pub prefix: Vec<Choice>,
    /// One step.
    pub first: (Choice, Operation, Outcome),
    /// The other.
    pub second: (Choice, Operation, Outcome),
    /// What differs.
    pub difference: Difference,
}

/// How much has been tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tested {
    /// In how many states.
    pub states: u64,
    /// How many pairs of independent steps.
    pub pairs: u64,
    /// Whether these were all states of the program.
    pub complete: bool,
}

/// When an operation's accesses are looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foresight {
    /// Two steps are called independent if they are so as they would end now *and* as they end after each other. This
    /// is what makes traces sound: neighbours in a run may change places.
    Actual,
    /// Two steps are called independent if they are so as they would end now. A search that keeps a thread asleep while
    /// independent steps are taken relies on this.
    Pending,
}

/// Tests the relation in up to `limit` states of the program. Runs end at a panic, and so does the test.
///
/// # Errors
/// The first pair that does not commute.
pub fn check_commutes(program: &Program, limit: u64) -> Result<Tested, Box<DoNotCommute>> {
    check_commutes_with(program, limit, Foresight::Actual)
}

/// Like [`check_commutes`], with a say in what is called independent.
///
/// # Errors
/// The first pair that does not commute.
pub fn check_commutes_with(
    program: &Program,
    limit: u64,
    foresight: Foresight,
) -> Result<Tested, Box<DoNotCommute>> {
    let code = Code::of(program);
    let mut tester =
        Tester { foresight, limit, seen: HashSet::new(), tested: Tested::default(), prefix: Vec::new() };
    let mut recorder = Recorder::default();
    let mut machine = Machine::new(&code);
    close(&mut machine, &mut recorder);
    tester.tested.complete = true;
    tester.go(&machine, &recorder)?;
    Ok(tester.tested)
}

/// Takes all urgent steps. A choice takes an alternative that depends only on the thread and on how far it is, so it is
/// the same in both orders of two steps, and yet all alternatives are taken somewhere.
fn close(machine: &mut Machine<'_>, recorder: &mut Recorder) {
    while let Some(thread) = machine.urgent() {
        let events = machine.state.thread(thread).events;
        let alternative = (events + thread.index() as u32) % machine.alternatives(thread);
        recorder.push(&machine.step(thread, alternative), false);
    }
}

/// A state after a step, and the step.
struct After<'c> {
    machine: Machine<'c>,
    recorder: Recorder,
    happened: Happened,
    /// Where the step is in the run.
    number: usize,
}

fn take<'c>(machine: &Machine<'c>, recorder: &Recorder, choice: Choice) -> After<'c> {
    let (mut machine, mut recorder) = (machine.clone(), recorder.clone());
    let number = recorder.events().len();
    let happened = machine.step(choice.thread, choice.alternative);
    recorder.push(&happened, false);
    close(&mut machine, &mut recorder);
    After { machine, recorder, happened, number }
}

struct Tester {
    foresight: Foresight,
    limit: u64,
    /// Only asked, never listed, so its order cannot show.
    seen: HashSet<State>,
    tested: Tested,
    prefix: Vec<Choice>,
}

impl Tester {
    fn go(&mut self, machine: &Machine<'_>, recorder: &Recorder) -> Result<(), Box<DoNotCommute>> {
        if !self.seen.insert(machine.state.clone()) {
            return Ok(());
        }
        if self.tested.states == self.limit {
            self.tested.complete = false;
            return Ok(());
        }
        self.tested.states += 1;
        let choices = choices(machine);
        let afters: Vec<After<'_>> = choices.iter().map(|choice| take(machine, recorder, *choice)).collect();
        for (index, first) in afters.iter().enumerate() {
            afters[index + 1..].iter().try_for_each(|second| self.pair(machine, first, second))?;
            self.enabling(machine, first)?;
        }
        for (choice, after) in choices.iter().zip(&afters) {
            self.prefix.push(*choice);
            self.go(&after.machine, &after.recorder)?;
            self.prefix.pop();
        }
        Ok(())
    }

    /// Takes two steps in both orders.
    fn pair(&mut self, before: &Machine<'_>, a: &After<'_>, b: &After<'_>) -> Result<(), Box<DoNotCommute>> {
        let panicked = a.machine.state.panicked || b.machine.state.panicked;
        if a.happened.thread == b.happened.thread || panicked || !independent(&a.happened, &b.happened) {
            return Ok(());
        }
        self.tested.pairs += 1;
        let differs = |difference| Err(self.report(a, &b.happened, difference));
        let (a_choice, b_choice) = (choice(&a.happened), choice(&b.happened));
        let available = |after: &Machine<'_>, choice: Choice| {
            after.alternatives(choice.thread) == before.alternatives(choice.thread)
                && after.operation(choice.thread) == before.operation(choice.thread)
        };
        if !available(&a.machine, b_choice) || !available(&b.machine, a_choice) {
            return differs(Difference::Availability);
        }
        let a_then_b = take(&a.machine, &a.recorder, b_choice);
        let b_then_a = take(&b.machine, &b.recorder, a_choice);
        let ends_alike = a_then_b.happened.outcome == b.happened.outcome
            && b_then_a.happened.outcome == a.happened.outcome;
        if !ends_alike {
            let ordered = !independent(&a.happened, &a_then_b.happened)
                && !independent(&b.happened, &b_then_a.happened);
            return match self.foresight {
                Foresight::Actual if ordered => Ok(()),
                _ => differs(Difference::Outcome),
            };
        }
        if a_then_b.machine.state != b_then_a.machine.state {
            return differs(Difference::State);
        }
        Ok(())
    }

    /// Whatever a step makes possible must come after it in every run of the trace.
    fn enabling(&mut self, before: &Machine<'_>, first: &After<'_>) -> Result<(), Box<DoNotCommute>> {
        for choice in choices(&first.machine) {
            if choice.thread == first.happened.thread || before.enabled(choice.thread) {
                continue;
            }
            let second = take(&first.machine, &first.recorder, choice);
            let mut order = HappensBefore::new(Relation::Classes);
            second.recorder.events().iter().for_each(|event| order.push(event));
            if !order.happens_before(first.number, second.number) {
                return Err(self.report(first, &second.happened, Difference::Enabling));
            }
        }
        Ok(())
    }

    fn report(&self, first: &After<'_>, second: &Happened, difference: Difference) -> Box<DoNotCommute> {
        let describe = |happened: &Happened| (choice(happened), happened.operation, happened.outcome);
        Box::new(DoNotCommute {
            prefix: self.prefix.clone(),
            first: describe(&first.happened),
            second: describe(second),
            difference,
        })
    }
}

fn choice(happened: &Happened) -> Choice {
    Choice { thread: happened.thread, alternative: happened.alternative }
}

/// All steps that could be scheduled.
fn choices(machine: &Machine<'_>) -> Vec<Choice> {
    let of =
        |thread| (0..machine.alternatives(thread)).map(move |alternative| Choice { thread, alternative });
    machine.candidates().into_iter().flat_map(of).collect()
}

fn independent(a: &Happened, b: &Happened) -> bool {
    let accesses = |happened: &Happened| Accesses::of(&happened.operation, happened.outcome);
    !dependent(&accesses(a), &accesses(b))
}
