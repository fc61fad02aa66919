//! The events of the run that is under way.

use raddle_trace::{Event, Place};

use crate::interpreter::Happened;

/// The events so far, which can be cut back to a shorter prefix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    events: Vec<Event>,
    /// For each thread, where its events are in the run.
    by_thread: Vec<Vec<u32>>,
}

impl Recorder {
    /// The events, in order.
    #[must_use]
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Adds an event. `preempts` says whether the thread scheduled before it could have gone on.
    pub(crate) fn push(&mut self, happened: &Happened, preempts: bool) {
        let thread = happened.thread.index();
        if self.by_thread.len() <= thread {
            self.by_thread.resize_with(thread + 1, Vec::new);
        }
        let number =
            |name: crate::state::EventName| self.by_thread[name.thread.index()][name.position as usize];
        let event = Event {
            thread: happened.thread,
            operation: happened.operation,
            outcome: happened.outcome,
            alternative: happened.alternative,
            alternatives: happened.alternatives,
            before: happened.held,
            value: 0,
            cause: happened.cause.map(number),
            decided: happened.decided,
            preempts: happened.decided && preempts,
            place: Place::Unknown,
        };
        self.by_thread[thread].push(self.events.len() as u32);
        self.events.push(event);
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        for event in self.events.drain(length..) {
            self.by_thread[event.thread.index()].pop();
        }
    }
}
