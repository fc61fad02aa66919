//! Where a run has to be taken up again: lines 3 to 12 of Figure 1, 3 to 13 of Figure 2, 3 to 17 of Figure 3.

use raddle_trace::{Accesses, Blocked, Class, Kind, Operation, Outcome, Run, ThreadId, conflict, fault};

use super::{Dpor, Level};

/// An operation that a thread had as its next, from one event on.
struct Next {
    thread: ThreadId,
    operation: Operation,
    accesses: Accesses,
    /// The event of the thread before the operation.
    previous: Option<usize>,
    /// The event of another thread that made the operation the next one.
    cause: Option<usize>,
}

impl Dpor {
    pub(super) fn look_back_from_event(&mut self, run: &Run, number: usize) {
        let event = &run.events[number];
        let previous = self.order.events_of(event.thread).last().map(|&last| last as usize);
        let cause = event.summoned_by();
        self.look_back(run, &self.next(event.thread, event.operation, previous, cause));
        // A thread that was notified had until then another next operation: to give up waiting.
        if let (Kind::Relock, Some(_), Some(waited)) = (event.operation.kind, cause, previous)
            && let Some(kind) = run.events[waited].operation.kind.ends_by_itself()
            && !fault!(DporForgetsTimeouts)
        {
            let operation = Operation::new(kind, run.events[waited].operation.object, 0);
            self.look_back(run, &self.next(event.thread, operation, previous, None));
        }
    }

    pub(super) fn look_back_from_blocked(&mut self, run: &Run, blocked: &Blocked) {
        if fault!(DporForgetsBlocked) {
            return;
        }
        let previous = self.order.events_of(blocked.thread).last().map(|&last| last as usize);
        let cause = blocked.pending.cause.map(|cause| cause as usize);
        if !blocked.pending.operation.kind.is_wait() {
            self.look_back(run, &self.next(blocked.thread, blocked.pending.operation, previous, cause));
        }
    }

    fn next(
        &self,
        thread: ThreadId,
        operation: Operation,
        previous: Option<usize>,
        cause: Option<usize>,
    ) -> Next {
        let accesses = if fault!(FailuresNeverSucceed) {
            Accesses::of(&operation, Outcome::Failed)
        } else {
            conflict::widest(&operation)
        };
        Next { thread, operation, accesses: self.relation.view(accesses), previous, cause }
    }

    fn look_back(&mut self, run: &Run, next: &Next) {
        if next.accesses.is_nothing() {
            return;
        }
        let mut points = Vec::new();
        for access in self.order.touched_by(next.accesses) {
            self.look_back_at(run, next, access.object, access.class, &mut points);
        }
        for event in points {
            self.add_point(event, next);
        }
    }

    /// The points for one object: all dependent events since the operation is next, and the last one before that does
    /// not happen before the thread.
    fn look_back_at(
        &self,
        run: &Run,
        next: &Next,
        object: raddle_trace::ObjectId,
        class: Class,
        points: &mut Vec<usize>,
    ) {
        let known = |event: usize| {
            next.previous.is_some_and(|previous| self.order.happens_before(event, previous))
                || next.cause.is_some_and(|cause| self.order.happens_before(event, cause))
        };
        for touch in self.order.touches(object).iter().rev() {
            let event = touch.event as usize;
            let other = &run.events[event];
            if other.thread == next.thread || !touch.class.conflicts_with(class) {
                continue;
            }
            let gives_back = other.operation.kind.releases()
                || (fault!(DporSkipsAcquisitions) && other.operation.kind.takes_alone());
            let never_together = next.operation.kind.waits_for_release() && gives_back;
            if never_together
                && !(next.operation.kind == Kind::Read && other.operation.kind == Kind::ReadUnlock)
            {
                continue;
            }
            if since(next).is_none_or(|since| event > since) {
                points.push(event);
            } else if !known(event) {
                points.push(event);
                break;
            } else if touch.class == Class::Exclusive {
                break;
            }
            if fault!(DporLooksOnce) {
                break;
            }
        }
    }

    fn add_point(&mut self, event: usize, next: &Next) {
        if fault!(DporForgetsEveryThirdPoint) && event % 3 == 2 {
            return;
        }
        let at = self.levels.partition_point(|level| level.event() < event);
        let Some(Level::Threads(node)) = self.levels.get_mut(at).filter(|level| level.event() == event)
        else {
            return;
        };
        let was_next = since(next).is_none_or(|since| since < event);
        let sleeps = node.asleep.of_thread(next.thread).is_some() && !fault!(DporTrustsSleepers);
        if was_next && node.enabled.contains(next.thread) && !sleeps {
            node.backtrack.insert(next.thread);
        } else if !fault!(DporForgetsDisabled) {
            node.backtrack = node.backtrack.union(node.enabled);
        }
    }
}

/// The event after which the operation was the next one of its thread.
fn since(next: &Next) -> Option<usize> {
    next.previous.max(next.cause)
}
