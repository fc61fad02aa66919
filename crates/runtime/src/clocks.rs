//! What time it is for a thread of a run.
//!
//! Time is virtual. Every thread has a clock of its own, which its sleeps and its time-outs put forward; so what it shows is a
//! function of the trace, not of the interleaving. Where one thread learns something from another, as by a lock, a message
//! or an atomic, the sleeps that lie before that lie before it: its clock is not behind them. That is worked out only when
//! a thread looks at its clock and another one has slept.
//!
//! A loop whose time is made to run out ([`Stage::let_time_run_out`]) puts only its own thread's clock forward, by far more than it
//! would have waited: the others' time need not be up.

use raddle_trace::{HappensBefore, Relation, ThreadId};

use crate::stage::Stage;

/// The sleeps of a run, and what is known of their order.
pub(crate) struct Clocks {
    order: HappensBefore,
    sleeps: Vec<Sleep>,
}

/// A thread has slept, or waited until its time was over.
struct Sleep {
    thread: ThreadId,
    /// How many events the run had.
    events: usize,
    /// How long the thread has slept by then, with all sleeps that happened before.
    slept: u64,
}

impl Clocks {
    pub(crate) fn new() -> Clocks {
        Clocks { order: HappensBefore::new(Relation::Classes), sleeps: Vec::new() }
    }

    pub(crate) fn begin_run(&mut self) {
        if !self.sleeps.is_empty() {
            self.order.truncate(0);
            self.sleeps.clear();
        }
    }
}

impl Stage {
    /// The time as the current thread sees it, after it has slept for so long.
    pub(crate) fn time_after(&mut self, slept: u64) -> u64 {
        self.catch_up();
        let (thread, events) = (self.current, self.run.events.len());
        let slot = self.slot(thread);
        slot.clock = slot.clock.saturating_add(slept);
        slot.slept = slot.slept.saturating_add(slept);
        let (clock, total) = (slot.clock, slot.slept);
        // Foreign programs go on from the middle of runs, of which the sleeps are not kept.
        if slept > 0 && !self.options.foreign {
            self.clocks.sleeps.push(Sleep { thread, events, slept: total });
        }
        clock
    }

    /// The clock of the current thread is not behind any sleep that happened before.
    fn catch_up(&mut self) {
        let (thread, known) = (self.current, self.slot(self.current).slept);
        let clocks = &mut self.clocks;
        if !clocks.sleeps.iter().any(|sleep| sleep.thread != thread && sleep.slept > known) {
            return;
        }
        self.run.events[clocks.order.len()..].iter().for_each(|event| clocks.order.push(event));
        let Some(&last) = clocks.order.events_of(thread).last() else { return };
        let happened = clocks.order.clock(last as usize);
        let before = clocks.sleeps.iter().filter(|sleep| {
            let count = happened.get(sleep.thread.index()).map_or(0, |count| *count as usize);
            let events = clocks.order.events_of(sleep.thread);
            count > 0 && events[count - 1] as usize >= sleep.events
        });
        let Some(slept) = before.map(|sleep| sleep.slept).max() else { return };
        let slot = self.slot(thread);
        slot.slept = slot.slept.max(slept);
        slot.clock = slot.clock.max(slept);
    }
}
