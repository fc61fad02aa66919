//! Happens-before of one run, by vector clocks, kept while runs share a prefix.
//!
//! Event `i` happens before event `j` if they are of one thread, if `i` caused `j`, or if they are dependent, and by
//! transitivity (Saarikivi, Kähkönen, Heljanko, section II-A). The clock of an event has one entry per thread: how
//! many events of that thread happened before it or are it. Instead of one clock per object (their Figures 2 and 3)
//! each object keeps the list of its accesses, so that the last write, and the reads since, are the end of that list,
//! and going back to a shorter prefix only cuts lists.
//!
//! Invariant: the clock and the history of an event depend only on the events that happen before it, so they are the
//! same in all runs of one trace.

use crate::{Access, Accesses, Class, Event, ObjectId, Outcome, Relation, ThreadId};

/// An access of an object by an event.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The event.
    pub event: u32,
    /// How it touched the object.
    pub class: Class,
}

/// The order of the events of a run.
#[derive(Clone, Debug)]
pub struct HappensBefore {
    relation: Relation,
    width: usize,
    clocks: Vec<u32>,
    who: Vec<ThreadId>,
    position: Vec<u32>,
    history: Vec<u64>,
    accesses: Vec<Accesses>,
    by_thread: Vec<Vec<u32>>,
    touches: Vec<Vec<Touch>>,
}

impl HappensBefore {
    /// The order of a run without events.
    #[must_use]
    pub fn new(relation: Relation) -> HappensBefore {
        HappensBefore {
            relation,
            width: 4,
            clocks: Vec::new(),
            who: Vec::new(),
            position: Vec::new(),
            history: Vec::new(),
            accesses: Vec::new(),
            by_thread: Vec::new(),
            touches: Vec::new(),
        }
    }

    /// How many events there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.who.len()
    }

    /// Whether there is no event.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.who.is_empty()
    }

    /// The thread of an event.
    #[inline]
    #[must_use]
    pub fn thread(&self, event: usize) -> ThreadId {
        self.who[event]
    }

    /// The events of a thread, in order.
    #[inline]
    #[must_use]
    pub fn events_of(&self, thread: ThreadId) -> &[u32] {
        self.by_thread.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// Which event of its thread this one is, counted from zero.
    #[inline]
    #[must_use]
    pub fn position(&self, event: usize) -> usize {
        self.position[event] as usize
    }

    /// The event of the same thread before this one.
    #[inline]
    #[must_use]
    pub fn previous(&self, event: usize) -> Option<usize> {
        let position = self.position[event].checked_sub(1)?;
        Some(self.by_thread[self.who[event].index()][position as usize] as usize)
    }

    /// What the event touched, as the relation sees it.
    #[inline]
    #[must_use]
    pub fn accesses(&self, event: usize) -> &Accesses {
        &self.accesses[event]
    }

    /// The accesses of an object so far, in order.
    #[inline]
    #[must_use]
    pub fn touches(&self, object: ObjectId) -> &[Touch] {
        self.touches.get(object.index()).map_or(&[], Vec::as_slice)
    }

    /// Everything that an operation with these accesses would touch, object by object.
    pub fn touched_by(&self, accesses: Accesses) -> impl Iterator<Item = Access> {
        let direct =
            [accesses.first, accesses.second].into_iter().filter(|access| access.class != Class::None);
        let objects = if accesses.watched == 0 { 0 } else { self.touches.len() };
        let watched = (0..objects)
            .map(ObjectId::new)
            .filter(move |object| accesses.watched & object.watch_bit() != 0)
            .map(|object| Access { object, class: Class::Reading });
        direct.chain(watched)
    }

    /// A number that two events share, in practice, only if everything that happened before them is the same.
    #[inline]
    #[must_use]
    pub fn history(&self, event: usize) -> u64 {
        self.history[event]
    }

    /// Whether `earlier` happens before `later`, or is it.
    #[inline]
    #[must_use]
    pub fn happens_before(&self, earlier: usize, later: usize) -> bool {
        self.is_among(earlier, &self.clocks[later * self.width..][..self.width])
    }

    /// Whether an event is among the first ones of its thread, if a clock says how many of each thread are meant.
    #[inline]
    #[must_use]
    pub fn is_among(&self, event: usize, clock: &[u32]) -> bool {
        let known = clock[self.who[event].index()];
        if crate::fault!(ClockOffByOne) {
            known >= self.position[event]
        } else {
            known > self.position[event]
        }
    }

    /// The clock of what happens before every one of these events, written into `clock`; of everything, if there are none.
    pub fn meet(&self, events: &[usize], clock: &mut Vec<u32>) {
        clock.clear();
        clock.resize(self.width, u32::MAX);
        for &event in events {
            let other = &self.clocks[event * self.width..][..self.width];
            clock.iter_mut().zip(other).for_each(|(mine, other)| *mine = (*mine).min(*other));
        }
    }

    /// Forgets all events from number `length` on.
    pub fn truncate(&mut self, length: usize) {
        while self.who.len() > length {
            let event = self.who.len() - 1;
            self.by_thread[self.who[event].index()].pop();
            let accesses = self.accesses[event];
            for access in [accesses.first, accesses.second] {
                if access.class != Class::None {
                    self.touches[access.object.index()].pop();
                }
            }
            if accesses.watched != 0 {
                for touches in &mut self.touches {
                    touches.pop_if(|touch| touch.event as usize == event);
                }
            }
            self.who.pop();
            self.position.pop();
            self.history.pop();
            self.accesses.pop();
        }
        self.clocks.truncate(length * self.width);
    }

    /// Adds the next event.
    pub fn push(&mut self, event: &Event) {
        let thread = event.thread;
        let number = self.who.len();
        self.make_room(thread);
        let position = self.by_thread[thread.index()].len() as u32;
        let start = self.clocks.len();
        let accesses = self.relation.view(event.accesses());

        let outcome = match event.outcome {
            // Which of two arrivals came first is forgotten unless one was the last.
            Outcome::LastButOne => Outcome::Done,
            outcome => outcome,
        };
        let mut history = mix(
            thread.index() as u64,
            (event.operation.kind as u64) << 40 | (outcome as u64) << 32 | u64::from(event.alternative),
        );
        match self.by_thread[thread.index()].last() {
            Some(&previous) => {
                let from = previous as usize * self.width;
                self.clocks.extend_from_within(from..from + self.width);
                history = mix(history, self.history[previous as usize]);
            }
            None => self.clocks.resize(start + self.width, 0),
        }
        if let Some(cause) = event.cause.filter(|_| !crate::fault!(CauseForgotten)) {
            self.join(start, cause as usize);
            history = mix(history, self.history[cause as usize]);
        }
        let mut gathered = 0u64;
        for access in [accesses.first, accesses.second] {
            if access.class != Class::None {
                gathered = gathered.wrapping_add(self.join_object(start, access));
            }
        }
        if accesses.watched != 0 {
            gathered = gathered.wrapping_add(self.join_watched(start, accesses.watched, number));
        }
        self.clocks[start + thread.index()] = position + 1;
        for access in [accesses.first, accesses.second] {
            if access.class != Class::None {
                self.touches_mut(access.object).push(Touch { event: number as u32, class: access.class });
            }
        }
        self.by_thread[thread.index()].push(number as u32);
        self.who.push(thread);
        self.position.push(position);
        self.history.push(mix(history, gathered));
        self.accesses.push(accesses);
    }

    /// Joins the clocks of everything that touched the object and conflicts with `access`, back to the last exclusive
    /// access, whose clock contains all that came before.
    fn join_object(&mut self, start: usize, access: Access) -> u64 {
        let mut gathered = 0u64;
        let count = self.touches_mut(access.object).len();
        for at in (0..count).rev() {
            let touch = self.touches[access.object.index()][at];
            if touch.class.conflicts_with(access.class) {
                let skipped = match touch.class {
                    Class::Shared | Class::Reading => crate::fault!(ClockSkipsReads),
                    Class::Exclusive => crate::fault!(ClockSkipsWrites),
                    _ => crate::fault!(ClockSkipsFailedTries),
                };
                if !skipped {
                    self.join(start, touch.event as usize);
                }
                gathered = gathered.wrapping_add(mix(self.history[touch.event as usize], 1));
            }
            if touch.class == Class::Exclusive {
                break;
            }
        }
        gathered
    }

    /// A spinning thread reads everything it watches.
    fn join_watched(&mut self, start: usize, mask: u64, number: usize) -> u64 {
        let mut gathered = 0u64;
        for index in 0..self.touches.len() {
            let object = ObjectId::new(index);
            if mask & object.watch_bit() != 0 {
                gathered =
                    gathered.wrapping_add(self.join_object(start, Access { object, class: Class::Reading }));
                self.touches[index].push(Touch { event: number as u32, class: Class::Reading });
            }
        }
        gathered
    }

    #[inline]
    fn join(&mut self, start: usize, event: usize) {
        let from = event * self.width;
        let (earlier, clock) = self.clocks.split_at_mut(start);
        for (mine, other) in clock.iter_mut().zip(&earlier[from..from + self.width]) {
            *mine = (*mine).max(*other);
        }
    }

    fn touches_mut(&mut self, object: ObjectId) -> &mut Vec<Touch> {
        if self.touches.len() <= object.index() {
            self.touches.resize_with(object.index() + 1, Vec::new);
        }
        &mut self.touches[object.index()]
    }

    fn make_room(&mut self, thread: ThreadId) {
        if self.by_thread.len() <= thread.index() {
            self.by_thread.resize_with(thread.index() + 1, Vec::new);
        }
        if thread.index() >= self.width {
            let wider = (thread.index() + 1).next_power_of_two();
            let mut clocks = Vec::with_capacity((self.who.len() + 1) * wider);
            for clock in self.clocks.chunks(self.width) {
                clocks.extend_from_slice(clock);
                clocks.resize(clocks.len() + wider - self.width, 0);
            }
            self.clocks = clocks;
            self.width = wider;
        }
    }
}

/// Mixes a number into a hash; the constants are those of the finaliser of SplitMix64.
#[inline]
pub(crate) fn mix(hash: u64, number: u64) -> u64 {
    let mut z = hash.rotate_left(23) ^ number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
