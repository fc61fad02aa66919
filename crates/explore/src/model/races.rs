//! Data races on plain memory whose accesses are steps.
//!
//! Two accesses race if nothing orders them. If threads are told of each other only by what also orders them (locks, joins,
//! barriers, sequentially consistent atomics), then a program that has a race has a run in which one of the two accesses
//! comes right after the other (Boehm and Adve, "Foundations of the C++ concurrency memory model", 2008, section 7): there
//! is a marking in which both threads are about to make them. That is a matter of the model; a run to such a marking shows
//! the race to the detector. Where a lock is held at every access to a piece of memory there can be none.
//!
//! Other ways to be told of another thread are a try that fails, a notification, and atomics with weaker orders (the paper's
//! section 8). Together with memory that no lock guards, they put a program beyond the model.

use raddle_trace::{Event, Kind, Operation, Order, Outcome};

use super::valuation::Content;
use super::{Knowledge, LocalState, Next, ThreadState};

/// Whether an event shows its thread something of another that does not order what the two did before.
pub(super) fn tells_without_order(event: &Event) -> bool {
    use Kind::*;
    let failed = event.outcome != Outcome::Done;
    match event.operation.kind {
        TryLock | TimedLock | TryRead | TimedRead | TryWrite | TimedWrite => failed,
        TryAcquire | TimedAcquire | TimedPark | TrySend | TryReceive | TimedReceive => failed,
        CompareExchange | WeakCompareExchange => {
            failed && event.operation.order_on_failure != Order::SequentiallyConsistent
        }
        // It was notified; otherwise there is no cause.
        Relock => event.cause.is_some(),
        _ => false,
    }
}

impl Knowledge {
    /// Whether there may be races that no marking shows.
    pub(super) fn hides_races(&self) -> bool {
        self.told_without_order
            && self.objects().any(|object| {
                let thing = &self.things[object.index()];
                thing.plain && thing.changed && !self.is_calm(object)
            })
    }

    /// Whether two threads that are in these states race: what they do next nothing orders.
    pub(crate) fn race(&self, left: ThreadState, right: ThreadState) -> bool {
        let (ThreadState::At(_), ThreadState::At(_)) = (left, right) else { return false };
        let (Some(one), Some(other)) = (self.plain_access(left), self.plain_access(right)) else {
            return false;
        };
        one.0 == other.0 && (one.1 || other.1) && (one.2 || other.2)
    }

    /// The memory that a thread in this state is about to use, whether it writes, and whether it does so plainly; `None` if
    /// a lock keeps others out.
    fn plain_access(&self, state: ThreadState) -> Option<(super::ObjectName, bool, bool)> {
        let intent = self.intent(state)?;
        let object = intent.object?;
        let thing = &self.things[object.index()];
        let exposed = thing.plain && thing.changed && !self.is_calm(object);
        exposed.then_some((object, intent.kind != Kind::Load, intent.plain))
    }

    /// Whether a thread in this state could take part in a race.
    pub(crate) fn is_exposed(&self, state: ThreadState) -> bool {
        matches!(state, ThreadState::At(_)) && self.plain_access(state).is_some()
    }

    /// Whether memory with this content was freed.
    pub(super) fn is_freed(&self, content: Content) -> bool {
        let Content::By(state) = content else { return false };
        let frees = |at: LocalState| match self.local(at).next {
            Next::Does(intent) => Operation::frees(intent.kind, intent.operand),
            _ => false,
        };
        self.local(state).parent.is_some_and(frees)
    }
}
