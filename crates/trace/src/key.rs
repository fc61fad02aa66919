//! The canonical key of a run's trace.

use crate::happens_before::mix;
use crate::{Event, HappensBefore, Relation, ThreadId};

/// Names the Mazurkiewicz trace of a run: equal for two runs of one program if, and in practice only if, they differ
/// in the order of independent events alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TraceKey(pub u64);

impl TraceKey {
    /// The key of a run with these events.
    #[must_use]
    pub fn of(events: &[Event]) -> TraceKey {
        let mut order = HappensBefore::new(Relation::Classes);
        events.iter().for_each(|event| order.push(event));
        TraceKey::of_order(&order)
    }

    /// The key of a run with this order.
    ///
    /// The history of a thread's last event covers all that happened before it, so the last events of all threads
    /// together cover the run.
    #[must_use]
    pub fn of_order(order: &HappensBefore) -> TraceKey {
        let mut key = 0;
        for index in 0..crate::limits::MAX_THREADS {
            if let Some(&last) = order.events_of(ThreadId::new(index)).last() {
                key = mix(mix(key, index as u64), order.history(last as usize));
            }
        }
        TraceKey(key)
    }
}
