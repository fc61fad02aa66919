//! Where a run has to be taken up again: lines 3 to 12 of Figure 1, 3 to 13 of Figure 2, 3 to 17 of Figure 3.

use raddle_trace::{
    Accesses, Blocked, Class, Kind, Operation, Outcome, Place, Run, ThreadId, ThreadSet, conflict, fault,
};

use super::guide::Reason;
use super::{Dpor, Level, Node};

/// An operation that a thread had as its next, from one event on.
struct Next {
    thread: ThreadId,
    operation: Operation,
    place: Place,
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
        let wanted = (event.operation, event.place);
        self.look_back_from(run, event.thread, wanted, previous, cause);
    }

    pub(super) fn look_back_from_blocked(&mut self, run: &Run, blocked: &Blocked) {
        if fault!(DporForgetsBlocked) {
            return;
        }
        let previous = self.order.events_of(blocked.thread).last().map(|&last| last as usize);
        let cause = blocked.pending.cause.map(|cause| cause as usize);
        if !blocked.pending.operation.kind.is_wait() {
            let wanted = (blocked.pending.operation, blocked.pending.place);
            self.look_back_from(run, blocked.thread, wanted, previous, cause);
        }
    }

    fn look_back_from(
        &mut self,
        run: &Run,
        thread: ThreadId,
        wanted: (Operation, Place),
        previous: Option<usize>,
        cause: Option<usize>,
    ) {
        self.look_back(run, &self.next(thread, wanted, previous, cause));
        // A thread that was notified had until then another next operation: to give up waiting.
        if let (Kind::Relock, Some(_), Some(waited)) = (wanted.0.kind, cause, previous)
            && let Some(kind) = run.events[waited].operation.kind.ends_by_itself()
            && !fault!(DporForgetsTimeouts)
        {
            let waited = &run.events[waited];
            let timeout = (Operation::new(kind, waited.operation.object, 0), waited.place);
            self.look_back(run, &self.next(thread, timeout, previous, None));
        }
    }

    fn next(
        &self,
        thread: ThreadId,
        (operation, place): (Operation, Place),
        previous: Option<usize>,
        cause: Option<usize>,
    ) -> Next {
        let accesses = if fault!(FailuresNeverSucceed) {
            Accesses::of(&operation, Outcome::Failed)
        } else {
            conflict::widest(&operation)
        };
        Next { thread, operation, place, accesses: self.relation.view(accesses), previous, cause }
    }

    fn look_back(&mut self, run: &Run, next: &Next) {
        if next.accesses.is_nothing() {
            return;
        }
        let mut points = Vec::new();
        // The guide is asked while the order is looked through, and changes with every question.
        let mut guide = self.guide.take();
        for access in self.order.touched_by(next.accesses) {
            let mut wants = |event: usize| match &mut guide {
                Some(guide) => {
                    guide.reason((next.thread, next.place, next.operation.kind), &run.events[event]).map(Some)
                }
                None => Some(None),
            };
            self.look_back_at(run, next, (access.object, access.class), &mut wants, &mut points);
        }
        self.guide = guide;
        for (event, reason) in points {
            self.add_point(event, next, reason);
        }
    }

    /// The points for one object: all dependent events since the operation is next, and the last one before that does
    /// not happen before the thread.
    fn look_back_at(
        &self,
        run: &Run,
        next: &Next,
        (object, class): (raddle_trace::ObjectId, Class),
        wants: &mut dyn FnMut(usize) -> Option<Option<Reason>>,
        points: &mut Vec<(usize, Option<Reason>)>,
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
            // Where a guide says that the order has been seen, the one before may still be new.
            if since(next).is_none_or(|since| event > since) {
                points.extend(wants(event).map(|reason| (event, reason)));
            } else if !known(event) {
                let Some(reason) = wants(event) else { continue };
                points.push((event, reason));
                break;
            } else if touch.class == Class::Exclusive {
                break;
            }
            if fault!(DporLooksOnce) {
                break;
            }
        }
    }

    fn add_point(&mut self, event: usize, next: &Next, reason: Option<Reason>) {
        if fault!(DporForgetsEveryThirdPoint) && event % 3 == 2 {
            return;
        }
        let at = self.levels.partition_point(|level| level.event() < event);
        let Some(Level::Threads(node)) = self.levels.get_mut(at).filter(|level| level.event() == event)
        else {
            return;
        };
        let was_next = since(next).is_none_or(|since| since < event);
        if let Some(reason) = reason {
            let bound = self.guide.as_ref().and_then(|guide| guide.bound);
            let threads = match bound {
                Some(bound) => node.within(bound),
                None if was_next && node.enabled.contains(next.thread) => ThreadSet::only(next.thread),
                None => node.enabled,
            };
            node.backtrack = node.backtrack.union(threads);
            if !threads.without(node.done).is_empty() {
                node.reasons.push(reason.for_threads(threads));
            }
            return;
        }
        let sleeps = node.asleep.of_thread(next.thread).is_some() && !fault!(DporTrustsSleepers);
        if was_next && node.enabled.contains(next.thread) && !sleeps {
            node.backtrack.insert(next.thread);
        } else if !fault!(DporForgetsDisabled) {
            node.backtrack = node.backtrack.union(node.enabled);
        }
    }
}

impl Node {
    /// The threads that can go without more than `bound` pre-emptions.
    fn within(&self, bound: u32) -> ThreadSet {
        match self.running {
            Some(running) if self.preemptions >= bound => ThreadSet::only(running),
            _ => self.enabled,
        }
    }
}

/// The event after which the operation was the next one of its thread.
fn since(next: &Next) -> Option<usize> {
    next.previous.max(next.cause)
}
