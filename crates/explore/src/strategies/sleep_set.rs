//! Sleep sets: steps that need not be taken from here, because every run that begins with them has been made
//! (Godefroid 1996; in a search that replays runs, section IV-C of Saarikivi, Kähkönen, Heljanko).
//!
//! A step is a thread with some of the alternatives of its next operation. It wakes up as soon as a step is taken that
//! depends on it. What a sleeping thread would do is looked up in the state at hand, since it has not moved.

use raddle_trace::{Accesses, Class, Kind, Pending, Relation, ThreadId, ThreadSet, dependent, fault};

use crate::archive::{Archive, Numbers, archive};

/// Some alternatives of one operation, as a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Alternatives(u64);

impl Alternatives {
    /// All of them, however many there are.
    pub(super) const ALL: Alternatives = Alternatives(u64::MAX);

    /// Just this one. Alternatives beyond the mask cannot sleep, which costs runs but loses none.
    pub(super) fn only(alternative: u32) -> Alternatives {
        Alternatives(if alternative < 63 { 1 << alternative } else { 0 })
    }

    const NONE: Alternatives = Alternatives(0);

    /// These, but for one, of `count`.
    fn without(self, alternative: u32, count: u32) -> Alternatives {
        Alternatives(self.0 & ((1 << count) - 1) & !(1 << alternative))
    }

    pub(super) fn contains(self, alternative: u32) -> bool {
        self == Alternatives::ALL || (alternative < 63 && self.0 & (1 << alternative) != 0)
    }

    fn covers(self, count: u32) -> bool {
        self == Alternatives::ALL || (count < 63 && self.0 & ((1 << count) - 1) == (1 << count) - 1)
    }
}

/// A sleeping step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asleep {
    pub thread: ThreadId,
    pub alternatives: Alternatives,
    /// How many alternatives there are.
    pub known: u32,
    /// Whether it is a weak compare-exchange, whose alternatives touch the cell in different ways.
    pub weak: bool,
    /// What it would touch in the state to which the set belongs.
    pub accesses: Accesses,
}

impl Asleep {
    /// Whether the thread sleeps with all its alternatives.
    pub(super) fn is_whole(&self) -> bool {
        self.alternatives.covers(self.known)
    }

    /// The step, as far as it still sleeps after another thread has touched `step`.
    pub(super) fn after(&self, step: &Accesses) -> Option<Asleep> {
        let mut still = self.alternatives;
        if self.weak && self.known == 2 {
            // One alternative may wake without the other.
            let mut failed = self.accesses;
            failed.first.class = Class::Reading;
            for (alternative, accesses) in [self.accesses, failed].iter().enumerate() {
                if dependent(accesses, step) {
                    still = still.without(alternative as u32, 2);
                }
            }
        } else if dependent(&self.accesses, step) {
            still = Alternatives::NONE;
        }
        (still != Alternatives::NONE).then_some(Asleep { alternatives: still, ..*self })
    }
}

archive!(Asleep { thread, alternatives, known, weak, accesses });
archive!(SleepSet { members });

impl Archive for Alternatives {
    fn put(&self, out: &mut Vec<u64>) {
        out.push(self.0);
    }

    fn take(input: &mut Numbers<'_>) -> Option<Alternatives> {
        u64::take(input).map(Alternatives)
    }
}

/// The steps that need not be taken from a state.
#[derive(Clone, Debug, Default)]
pub(super) struct SleepSet {
    members: Vec<Asleep>,
}

impl SleepSet {
    pub(super) fn clear(&mut self) {
        self.members.clear();
    }

    pub(super) fn members(&self) -> &[Asleep] {
        &self.members
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Puts a step to sleep.
    pub(super) fn insert(&mut self, step: Asleep) {
        match self.members.iter_mut().find(|member| member.thread == step.thread) {
            Some(member) => {
                member.alternatives = Alternatives(member.alternatives.0 | step.alternatives.0);
                member.accesses = step.accesses;
            }
            None => self.members.push(step),
        }
    }

    /// Wakes the threads that sleep with only some of their alternatives.
    pub(super) fn keep_whole(&mut self) {
        self.members.retain(Asleep::is_whole);
    }

    /// The threads that sleep with all their alternatives.
    pub(super) fn threads(&self, pending: &[Pending]) -> ThreadSet {
        let whole =
            |member: &&Asleep| member.alternatives.covers(pending[member.thread.index()].alternatives);
        self.members.iter().filter(whole).map(|member| member.thread).collect()
    }

    /// The alternatives with which a thread sleeps.
    pub(super) fn of_thread(&self, thread: ThreadId) -> Option<Alternatives> {
        self.members.iter().find(|member| member.thread == thread).map(|member| member.alternatives)
    }

    /// The set after `thread` took a step that touched `step`, written into `after`.
    pub(super) fn after_step(
        &self,
        thread: ThreadId,
        step: &Accesses,
        pending: &[Pending],
        relation: Relation,
        after: &mut SleepSet,
    ) {
        after.members.clear();
        for member in &self.members {
            if member.thread == thread {
                continue;
            }
            // It has not moved, but how its operation would end may have changed.
            let pending = &pending[member.thread.index()];
            let member = Asleep {
                known: pending.alternatives,
                weak: pending.operation.kind == Kind::WeakCompareExchange,
                accesses: relation.view(pending.accesses),
                ..*member
            };
            if fault!(SleepersNeverWake) {
                after.members.push(member);
            } else if !fault!(SleepersAlwaysWake) {
                after.members.extend(member.after(step));
            }
        }
    }
}
