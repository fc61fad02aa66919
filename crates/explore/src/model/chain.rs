//! Steps that are taken as one transition: a step, and those after it that may be taken at once (`movers.rs`).

use raddle_trace::ThreadId;

use super::net::{Detail, GrowingNet, Inputs};
use super::{Change, Knowledge, Move, ObjectName, ThreadState, Valuation, View};

/// Objects that one transition may touch: there is one for every combination of their valuations.
const MAX_OBJECTS: usize = 4;

/// Memory cells among them.
const MAX_CELLS: usize = 2;

/// Steps of one transition.
const MAX_STEPS: usize = 64;

/// The steps of a transition.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) moves: Vec<Move>,
    /// For each of them the part of a marking that it was taken in: what would be a transition without chains.
    pub(crate) taken_in: Vec<(Inputs, u32)>,
    /// Where the threads are after it.
    pub(super) threads: Vec<(ThreadId, ThreadState)>,
    /// The valuations of the objects after it, and who has read them if nobody has changed them.
    pub(super) objects: Vec<Touched>,
    /// Whether it is not known yet how a thread goes on at its end, so that the transition may turn out to be longer.
    pub(crate) is_tentative: bool,
}

/// An object that a transition touches.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    pub(super) object: ObjectName,
    pub(super) before: u32,
    pub(super) after: Valuation,
    pub(super) readers: Vec<ThreadId>,
    pub(super) is_changed: bool,
}

/// What came of putting a chain together.
pub(super) enum Draft {
    Whole(Box<Chain>),
    /// It goes on with this object, whose valuation is not among the inputs.
    Wants(ObjectName),
}

/// The part of a marking that its steps lead to.
impl View for Chain {
    fn state(&self, thread: ThreadId) -> ThreadState {
        let found = self.threads.iter().find(|(known, _)| *known == thread);
        found.map_or(ThreadState::Absent, |(_, state)| *state)
    }

    fn valuation(&self, object: ObjectName) -> Option<&Valuation> {
        self.objects.iter().find(|touched| touched.object == object).map(|touched| &touched.after)
    }
}

impl Chain {
    /// Takes a step.
    fn push(&mut self, step: Move, taken_in: Inputs) {
        self.taken_in.push((taken_in, step.alternative));
        for &(thread, state) in &step.states {
            match self.threads.iter_mut().find(|(known, _)| *known == thread) {
                Some((_, at)) => *at = state,
                None => self.threads.push((thread, state)),
            }
        }
        for (object, change) in &step.objects {
            let Some(touched) = self.objects.iter_mut().find(|touched| touched.object == *object) else {
                continue;
            };
            match change {
                Change::Reads if touched.readers.contains(&step.thread) => {}
                Change::Reads => touched.readers.push(step.thread),
                Change::To(valuation) => {
                    touched.after = valuation.clone();
                    touched.is_changed = true;
                }
            }
        }
        self.moves.push(step);
    }

    /// Where it leads the threads that it moves.
    pub(crate) fn states(&self) -> impl Iterator<Item = (ThreadId, ThreadState)> {
        self.threads.iter().copied()
    }

    /// Whether it leads to the same as another chain with the same inputs.
    pub(crate) fn is_like(&self, other: &Chain) -> bool {
        let afters = |chain: &Chain| -> Vec<Valuation> {
            chain.objects.iter().map(|touched| touched.after.clone()).collect()
        };
        self.moves.len() == other.moves.len() && afters(self) == afters(other)
    }
}

impl GrowingNet {
    /// The steps that a thread takes as one, beginning with this alternative; `None` if it cannot.
    pub(super) fn chain(
        &mut self,
        knowledge: &mut Knowledge,
        thread: ThreadId,
        inputs: &Inputs,
        alternative: u32,
    ) -> Option<Draft> {
        let objects = inputs.objects.iter().map(|&(object, number)| Touched {
            object,
            before: number,
            after: self.valuation(object, number).clone(),
            readers: Vec::new(),
            is_changed: false,
        });
        let mut chain = Chain {
            moves: Vec::new(),
            taken_in: Vec::new(),
            threads: inputs.threads.clone(),
            objects: objects.collect(),
            is_tentative: false,
        };
        let first = knowledge.fire(&chain, thread, alternative)?;
        let own = Inputs {
            threads: inputs.threads.clone(),
            objects: inputs.objects.iter().filter(|(object, _)| first.touches(*object)).copied().collect(),
        };
        let mut going: Vec<ThreadId> = vec![thread];
        going.extend(first.created());
        chain.push(first, own);
        if self.detail == Detail::Steps {
            return Some(Draft::Whole(Box::new(chain)));
        }
        let mut next = 0;
        while let Some(&thread) = going.get(next) {
            next += 1;
            while knowledge.goes_on(chain.state(thread)) && chain.moves.len() < MAX_STEPS {
                let object = knowledge.intent(chain.state(thread)).and_then(|intent| intent.object);
                if let Some(object) = object
                    && chain.valuation(object).is_none()
                {
                    let cells = chain.objects.iter().filter(|touched| knowledge.is_memory(touched.object));
                    let has_room = chain.objects.len() < MAX_OBJECTS
                        && (!knowledge.is_memory(object) || cells.count() < MAX_CELLS);
                    if has_room && self.has_valuations(object) {
                        return Some(Draft::Wants(object));
                    }
                    break;
                }
                let Some(step) = knowledge.fire(&chain, thread, 0) else { break };
                // What others do before a failure is theirs to do: it stays a transition of its own.
                if step.alternatives > 1 || step.states.iter().any(|(_, state)| knowledge.fails(*state)) {
                    break;
                }
                let objects = chain.objects.iter().filter(|touched| step.touches(touched.object));
                let objects: Vec<(ObjectName, Valuation)> =
                    objects.map(|touched| (touched.object, touched.after.clone())).collect();
                let objects = objects.iter().map(|(object, before)| (*object, self.number(*object, before)));
                let taken_in =
                    Inputs { threads: vec![(thread, chain.state(thread))], objects: objects.collect() };
                going.extend(step.created());
                chain.push(step, taken_in);
            }
            chain.is_tentative |= !knowledge.is_complete(chain.state(thread));
        }
        Some(Draft::Whole(Box::new(chain)))
    }
}
