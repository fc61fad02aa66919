//! What a step does: the transitions of the net, predicted from what is known of a local state (`PredictTransitionsFromModel`
//! of section 4.1, with the constructs of Figure 2 and those in their spirit for the other primitives).

use raddle_trace::{Kind, ObjectId, Operation, Outcome, ThreadId, ThreadSet, level};

use super::local::Seen;
use super::valuation::Content;
use super::{Intent, Knowledge, LocalState, Next, ObjectName, ThreadState, Valuation};

/// A state of the whole program, or as much of it as a step needs.
pub(crate) trait View {
    /// Where a thread is.
    fn state(&self, thread: ThreadId) -> ThreadState;

    /// The valuation of an object; `None` if it is the first one.
    fn valuation(&self, object: ObjectName) -> Option<&Valuation>;
}

/// What a step does to an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// Looks at it.
    Reads,
    /// Gives it this valuation.
    To(Valuation),
}

/// A transition: one step of one thread.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) thread: ThreadId,
    pub(crate) kind: Kind,
    pub(crate) outcome: Outcome,
    pub(crate) alternative: u32,
    pub(crate) alternatives: u32,
    /// The new states of all threads that the step moves; its own thread is the first.
    pub(crate) states: Vec<(ThreadId, ThreadState)>,
    /// The objects that it touches.
    pub(crate) objects: Vec<(ObjectName, Change)>,
    /// The thread whose end it waited for.
    pub(crate) joins: Option<ThreadId>,
}

impl Move {
    /// Whether it looks at an object or changes it.
    pub(crate) fn touches(&self, object: ObjectName) -> bool {
        self.objects.iter().any(|(touched, _)| *touched == object)
    }

    /// The thread that it creates.
    pub(crate) fn created(&self) -> Option<ThreadId> {
        let created = self.states.get(1).filter(|_| self.kind == Kind::Create);
        created.map(|(thread, _)| *thread)
    }

    /// The local state that the thread comes to.
    pub(crate) fn target(&self) -> LocalState {
        self.states[0].1.local().expect("bug in raddle: a step leads its thread nowhere")
    }

    /// Whether two steps of different threads can be taken in either order with the same result.
    pub(crate) fn commutes_with(&self, other: &Move) -> bool {
        let touches = |step: &Move, thread: ThreadId| {
            step.joins == Some(thread) || step.states.iter().any(|(moved, _)| *moved == thread)
        };
        let same_thread = self.states.iter().any(|(thread, _)| touches(other, *thread))
            || self.joins.is_some_and(|joined| touches(other, joined));
        let same_object = self.objects.iter().any(|(object, change)| {
            other.objects.iter().any(|(also, differently)| {
                also == object && !(*change == Change::Reads && *differently == Change::Reads)
            })
        });
        !same_thread && !same_object
    }
}

/// A step that is being put together.
struct Draft {
    seen: Seen,
    asleep: bool,
    wakes: ThreadSet,
    changes: Vec<(ObjectName, Draw)>,
}

/// What becomes of an object; the new content is named by the local state that the step leads to.
enum Draw {
    Reads,
    To(Valuation),
    Leaves(Valuation),
    Appends(Valuation),
}

impl Draft {
    fn new(seen: Seen) -> Draft {
        Draft { seen, asleep: false, wakes: ThreadSet::EMPTY, changes: Vec::new() }
    }

    fn with(mut self, object: ObjectName, draw: Draw) -> Draft {
        self.changes.push((object, draw));
        self
    }
}

impl Knowledge {
    /// What a thread in this state is about to do, if that is known and can ever be done by itself.
    pub(crate) fn intent(&self, state: ThreadState) -> Option<Intent> {
        let intent = match state {
            ThreadState::Absent | ThreadState::Over => None,
            ThreadState::At(local) => match self.local(local).next {
                Next::Does(intent) => Some(intent),
                _ => None,
            },
            ThreadState::Asleep(local) => self.local(local).sleeping,
        };
        intent.map(|intent| Intent {
            object: intent.object.map(|object| self.find(object)),
            mutex: intent.mutex.map(|mutex| self.find(mutex)),
            ..intent
        })
    }

    /// In how many ways the step could go, given the valuation of its object.
    pub(crate) fn alternatives(&self, intent: &Intent, valuation: Option<&Valuation>) -> u32 {
        match intent.kind {
            Kind::Choose => intent.operand as u32,
            Kind::NotifyOne => valuation.map_or(1, |valuation| valuation.waiting.len().max(1)) as u32,
            Kind::WeakCompareExchange => match (intent.object, valuation) {
                (Some(object), Some(valuation))
                    if self.value(object, valuation.content) == Some(intent.operand as i64) =>
                {
                    2
                }
                _ => 1,
            },
            _ => 1,
        }
    }

    /// The threads whose states a step needs to know besides its own, given the valuation of its object.
    pub(crate) fn other_threads(
        &self,
        intent: &Intent,
        valuation: Option<&Valuation>,
        alternative: u32,
    ) -> ThreadSet {
        let waiting = valuation.map_or(ThreadSet::EMPTY, |valuation| valuation.waiting);
        match intent.kind {
            Kind::Join | Kind::Create => ThreadSet::only(ThreadId::new(intent.operand as usize)),
            Kind::NotifyAll => waiting,
            Kind::NotifyOne => waiting.nth(alternative as usize).map_or(ThreadSet::EMPTY, ThreadSet::only),
            Kind::Arrive if waiting.len() as u64 + 1 >= intent.operand.max(1) => waiting,
            _ => ThreadSet::EMPTY,
        }
    }

    /// The step that a thread takes with this alternative; `None` if it cannot.
    pub(crate) fn fire(&mut self, view: &impl View, thread: ThreadId, alternative: u32) -> Option<Move> {
        let state = view.state(thread);
        let intent = self.intent(state)?;
        let from = state.local()?;
        let first;
        let valuation = match intent.object {
            Some(object) => match view.valuation(object) {
                Some(valuation) => Some(valuation),
                None => {
                    first = self.first_valuation(object)?;
                    Some(&first)
                }
            },
            None => None,
        };
        let alternatives = self.alternatives(&intent, valuation);
        let outcome = self.outcome(&intent, valuation, alternative, view)?;
        let draft = match (intent.object, valuation) {
            (Some(object), Some(valuation)) => {
                self.on_object(view, thread, &intent, outcome, alternative, object, valuation)?
            }
            _ => self.without_object(view, &intent, alternative)?,
        };
        let target = self.child(from, draft.seen);
        self.foresee_next(from, target, &intent);
        let own = if draft.asleep { ThreadState::Asleep(target) } else { ThreadState::At(target) };
        let mut states = vec![(thread, own)];
        for woken in draft.wakes.iter() {
            states.push((woken, ThreadState::At(view.state(woken).local()?)));
        }
        if intent.kind == Kind::Create {
            let created = ThreadId::new(intent.operand as usize);
            states.push((created, ThreadState::At(self.created(from, created))));
        }
        let objects = draft.changes.into_iter();
        let objects = objects.map(|(object, draw)| (object, self.settle(draw, target))).collect();
        let joins = (intent.kind == Kind::Join).then(|| ThreadId::new(intent.operand as usize));
        Some(Move { thread, kind: intent.kind, outcome, alternative, alternatives, states, objects, joins })
    }

    /// How the step would end; `None` if it has to wait.
    fn outcome(
        &self,
        intent: &Intent,
        valuation: Option<&Valuation>,
        alternative: u32,
        view: &impl View,
    ) -> Option<Outcome> {
        match (intent.kind, valuation) {
            (Kind::Join, _) => {
                let joined = view.state(ThreadId::new(intent.operand as usize));
                self.has_ended(joined).then_some(Outcome::Done)
            }
            (Kind::WeakCompareExchange, _) if alternative == 1 => Some(Outcome::Failed),
            (Kind::CompareExchange | Kind::WeakCompareExchange, Some(valuation)) => {
                let value = self.value(intent.object?, valuation.content)?;
                Some(if value as u64 == intent.operand { Outcome::Done } else { Outcome::Failed })
            }
            (_, Some(valuation)) => {
                let operation = Operation::new(intent.kind, ObjectId::NONE, intent.operand);
                level::outcome(&operation, valuation.level)
            }
            (_, None) => Some(Outcome::Done),
        }
    }

    fn without_object(&self, view: &impl View, intent: &Intent, alternative: u32) -> Option<Draft> {
        Some(match intent.kind {
            Kind::Choose => Draft::new(Seen::from(Outcome::Done, u64::from(alternative))),
            Kind::Join if intent.carries => {
                let joined = view.state(ThreadId::new(intent.operand as usize)).local()?;
                Draft::new(Seen::from(Outcome::Done, u64::from(joined.0)))
            }
            _ => Draft::new(Seen::NOTHING),
        })
    }

    #[expect(clippy::too_many_arguments, reason = "everything that a step depends on comes together here")]
    fn on_object(
        &self,
        view: &impl View,
        thread: ThreadId,
        intent: &Intent,
        outcome: Outcome,
        alternative: u32,
        object: ObjectName,
        valuation: &Valuation,
    ) -> Option<Draft> {
        use Kind::*;
        let found = || match intent.kind {
            Load if raddle_trace::fault!(ModelPredictsWrongly) => {
                Seen::from(outcome, Content::First.number())
            }
            _ => Seen::from(outcome, valuation.content.number()),
        };
        let operation = Operation::new(intent.kind, ObjectId::NONE, intent.operand);
        let after = || valuation.with_level(level::after(&operation, outcome, valuation.level));
        Some(match intent.kind {
            Load => Draft::new(found()).with(object, Draw::Reads),
            // Who comes to memory that was freed goes nowhere from there.
            Store if self.is_freed(valuation.content) => {
                Draft::new(Seen::outcome(Outcome::Failed)).with(object, Draw::Leaves(valuation.clone()))
            }
            Store => Draft::new(Seen::NOTHING).with(object, Draw::Leaves(valuation.clone())),
            CompareExchange | WeakCompareExchange if outcome == Outcome::Failed => {
                Draft::new(found()).with(object, Draw::Reads)
            }
            ReadModifyWrite | CompareExchange | WeakCompareExchange => {
                Draft::new(found()).with(object, Draw::Leaves(valuation.clone()))
            }
            // Who finds nothing may find who failed to make it.
            OnceLook if intent.carries && valuation.level != level::once::RUNNING => {
                Draft::new(found()).with(object, Draw::Reads)
            }
            OnceLook => {
                let done = valuation.level == level::once::COMPLETE;
                Draft::new(Seen::from(outcome, u64::MAX - 2 - u64::from(done))).with(object, Draw::Reads)
            }
            Wait | TimedWait | FickleWait => {
                let mutex = intent.mutex?;
                let held = match view.valuation(mutex) {
                    Some(held) => held.clone(),
                    None => self.first_valuation(mutex)?,
                };
                let mut waiting = after();
                waiting.waiting.insert(thread);
                let given = held.with_level(held.level + 1);
                let given = if intent.carries { Draw::Leaves(given) } else { Draw::To(given) };
                let draft = Draft { asleep: true, ..Draft::new(Seen::NOTHING) };
                draft.with(object, Draw::To(waiting)).with(mutex, given)
            }
            Timeout | SpuriousWake => {
                let mut left = after();
                left.waiting.remove(thread);
                Draft::new(Seen::outcome(Outcome::TimedOut)).with(object, Draw::To(left))
            }
            NotifyOne | NotifyAll => {
                let wakes = self.other_threads(intent, Some(valuation), alternative);
                let mut left = after();
                left.waiting = left.waiting.without(wakes);
                Draft { wakes, ..Draft::new(Seen::NOTHING) }.with(object, Draw::To(left))
            }
            Arrive => {
                let mut left = after();
                let last = outcome == Outcome::Last;
                let wakes = if last { valuation.waiting } else { ThreadSet::EMPTY };
                left.waiting = left.waiting.without(wakes);
                left.waiting.set(thread, !last);
                Draft { wakes, asleep: !last, ..Draft::new(Seen::outcome(outcome)) }
                    .with(object, Draw::To(left))
            }
            Send | TrySend if outcome == Outcome::Done => {
                Draft::new(Seen::outcome(outcome)).with(object, Draw::Appends(after()))
            }
            Receive | TryReceive | TimedReceive if outcome == Outcome::Done => {
                let mut left = after();
                let message = left.messages.remove(0);
                Draft::new(Seen::from(outcome, u64::from(message.0))).with(object, Draw::To(left))
            }
            Unlock | WriteUnlock | Downgrade | OnceExit | OncePoison if intent.carries => {
                Draft::new(Seen::NOTHING).with(object, Draw::Leaves(after()))
            }
            Post | Unpark | Unlock | WriteUnlock | Downgrade | ReadUnlock | OnceExit | OncePoison
            | DropSender | DropReceiver | AddSender => {
                Draft::new(Seen::NOTHING).with(object, Draw::To(after()))
            }
            _ => {
                let takes = intent.carries && matches!(outcome, Outcome::Done | Outcome::Already);
                let seen = if takes { found() } else { Seen::outcome(outcome) };
                Draft::new(seen).with(object, Draw::To(after()))
            }
        })
    }

    fn settle(&self, draw: Draw, target: LocalState) -> Change {
        let content = match (self.by_value(), self.local(target).wrote) {
            (true, Some(value)) if !self.is_freed(Content::By(target)) => Content::Value(value),
            _ => Content::By(target),
        };
        match draw {
            Draw::Reads => Change::Reads,
            Draw::To(valuation) => Change::To(valuation),
            Draw::Leaves(valuation) if raddle_trace::fault!(ModelForgetsCells) => Change::To(valuation),
            Draw::Leaves(valuation) => Change::To(valuation.with_content(content)),
            Draw::Appends(mut valuation) => {
                valuation.messages.push(target);
                Change::To(valuation)
            }
        }
    }

    /// After some steps the next operation is given by the primitive, not by the program.
    fn foresee_next(&mut self, from: LocalState, target: LocalState, intent: &Intent) {
        let next = match intent.kind {
            Kind::Wait | Kind::TimedWait | Kind::FickleWait => {
                let ends = intent.kind.ends_by_itself();
                self.local_mut(target).sleeping =
                    ends.map(|kind| Intent { kind, mutex: None, operand: 0, carries: false, ..*intent });
                Next::Does(Intent {
                    kind: Kind::Relock,
                    object: intent.mutex,
                    mutex: None,
                    operand: 0,
                    ..*intent
                })
            }
            Kind::Timeout | Kind::SpuriousWake => self.local(from).next,
            Kind::Arrive => Next::Does(Intent::local(Kind::Pass)),
            Kind::End => Next::Ended,
            _ => return,
        };
        self.local_mut(target).next = next;
    }
}
