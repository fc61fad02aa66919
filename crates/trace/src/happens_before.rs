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

/// What is kept of an event, beside its clock.
#[derive(Clone, Copy, Debug)]
struct Kept {
    accesses: Accesses,
    history: u64,
    thread: ThreadId,
    position: u32,
    /// The event of the same thread before it, if its position is not zero.
    previous: u32,
}

/// The order of the events of a run.
#[derive(Clone, Debug)]
pub struct HappensBefore {
    relation: Relation,
    /// Entries of a clock: a multiple of [`LANES`].
    width: usize,
    clocks: Vec<u32>,
    events: Vec<Kept>,
    by_thread: Vec<Vec<u32>>,
    touches: Vec<Vec<Touch>>,
}

/// Entries of a clock that are dealt with at once.
const LANES: usize = 4;

impl HappensBefore {
    /// The order of a run without events.
    #[must_use]
    pub fn new(relation: Relation) -> HappensBefore {
        HappensBefore {
            relation,
            width: LANES,
            clocks: Vec::new(),
            events: Vec::new(),
            by_thread: Vec::new(),
            touches: Vec::new(),
        }
    }

    /// How many events there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there is no event.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The thread of an event.
    #[inline]
    #[must_use]
    pub fn thread(&self, event: usize) -> ThreadId {
        self.events[event].thread
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
        self.events[event].position as usize
    }

    /// The event of the same thread before this one.
    #[inline]
    #[must_use]
    pub fn previous(&self, event: usize) -> Option<usize> {
        let event = &self.events[event];
        (event.position > 0).then_some(event.previous as usize)
    }

    /// What the event touched, as the relation sees it.
    #[inline]
    #[must_use]
    pub fn accesses(&self, event: usize) -> &Accesses {
        &self.events[event].accesses
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
        self.events[event].history
    }

    /// Whether `earlier` happens before `later`, or is it.
    #[inline]
    #[must_use]
    pub fn happens_before(&self, earlier: usize, later: usize) -> bool {
        self.is_among(earlier, self.clock(later))
    }

    /// How many events of each thread happen before an event, or are it.
    #[inline]
    #[must_use]
    pub fn clock(&self, event: usize) -> &[u32] {
        &self.clocks[event * self.width..(event + 1) * self.width]
    }

    /// Whether an event is among the first ones of its thread, if a clock says how many of each thread are meant.
    #[inline]
    #[must_use]
    pub fn is_among(&self, event: usize, clock: &[u32]) -> bool {
        let event = &self.events[event];
        let known = clock[event.thread.index()];
        if crate::fault!(ClockOffByOne) { known >= event.position } else { known > event.position }
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
        for number in (length..self.events.len()).rev() {
            let Kept { accesses, thread, .. } = self.events[number];
            self.by_thread[thread.index()].pop();
            for access in [accesses.first, accesses.second] {
                if access.class != Class::None {
                    self.touches[access.object.index()].pop();
                }
            }
            if accesses.watched != 0 {
                for touches in &mut self.touches {
                    touches.pop_if(|touch| touch.event as usize == number);
                }
            }
        }
        self.events.truncate(length);
        self.clocks.truncate(length * self.width);
    }

    /// Adds the next event.
    pub fn push(&mut self, event: &Event) {
        let thread = event.thread;
        let number = self.events.len();
        self.make_room(thread);
        let own = &mut self.by_thread[thread.index()];
        let (position, previous) = (own.len() as u32, own.last().copied());
        own.push(number as u32);
        let start = self.clocks.len();
        self.clocks.resize(start + self.width, 0);
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
        if let Some(previous) = previous {
            self.join(start, previous as usize);
            history = mix(history, self.history(previous as usize));
        }
        if let Some(cause) = event.cause.filter(|_| !crate::fault!(CauseForgotten)) {
            self.join(start, cause as usize);
            history = mix(history, self.history(cause as usize));
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
                self.touches[access.object.index()].push(Touch { event: number as u32, class: access.class });
            }
        }
        let (history, previous) = (mix(history, gathered), previous.unwrap_or(0));
        self.events.push(Kept { accesses, history, thread, position, previous });
    }

    /// Joins the clocks of everything that touched the object and conflicts with `access`, back to the last exclusive
    /// access, whose clock contains all that came before.
    fn join_object(&mut self, start: usize, access: Access) -> u64 {
        let mut gathered = 0u64;
        if self.touches.len() <= access.object.index() {
            self.touches.resize_with(access.object.index() + 1, Vec::new);
        }
        let Self { touches, clocks, events, width, .. } = self;
        for touch in touches[access.object.index()].iter().rev() {
            if touch.class.conflicts_with(access.class) {
                let skipped = match touch.class {
                    Class::Shared | Class::Reading => crate::fault!(ClockSkipsReads),
                    Class::Exclusive => crate::fault!(ClockSkipsWrites),
                    _ => crate::fault!(ClockSkipsFailedTries),
                };
                if !skipped {
                    join(clocks, *width, start, touch.event as usize);
                }
                gathered = gathered.wrapping_add(mix(events[touch.event as usize].history, 1));
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
        join(&mut self.clocks, self.width, start, event);
    }

    #[inline]
    fn make_room(&mut self, thread: ThreadId) {
        if self.by_thread.len() <= thread.index() {
            self.by_thread.resize_with(thread.index() + 1, Vec::new);
        }
        if thread.index() >= self.width {
            self.widen((thread.index() + 1).next_power_of_two());
        }
    }

    #[cold]
    fn widen(&mut self, wider: usize) {
        let mut clocks = Vec::with_capacity((self.events.len() + 1) * wider);
        for clock in self.clocks.chunks(self.width) {
            clocks.extend_from_slice(clock);
            clocks.resize(clocks.len() + wider - self.width, 0);
        }
        self.clocks = clocks;
        self.width = wider;
    }
}

/// Joins the clock of an event into the last one, which begins at `start`.
#[inline]
fn join(clocks: &mut [u32], width: usize, start: usize, event: usize) {
    let from = event * width;
    let (earlier, clock) = clocks.split_at_mut(start);
    let (others, _) = earlier[from..from + width].as_chunks::<LANES>();
    let (mine, _) = clock.as_chunks_mut::<LANES>();
    for (mine, other) in mine.iter_mut().zip(others) {
        *mine = std::array::from_fn(|lane| mine[lane].max(other[lane]));
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
