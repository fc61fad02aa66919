//! Learning HaPSets from a run: `LearnHapSets` of Algorithm 1 in Wang, Said, Gupta, for all events of a run at once.
//!
//! An event is *immediately dependent* on the last event of another thread at the same object if the two conflict and no
//! event of its own thread in between conflicted with that one too: then the order was told there already. This is how
//! the sets of the paper's Figure 1 come out: the second read of a thread learns nothing, because the first one has.
//!
//! Conflicts are those of the one dependence relation, and those of accesses to plain memory, whose order other events
//! decide. Giving a lock back counts only for locks that are taken recursively (section 3.2.2). The creation of a thread
//! comes before its first statement, its last statement before whoever joins it, a notification before the waking.

use raddle_trace::limits::MAX_THREADS;
use raddle_trace::{Class, Event, Kind, ObjectId, Place, Site, ThreadId, fault};

use crate::hash::Table;
use crate::sort::{CLASSES, Sort, Sorts};
use crate::{Half, HapSets, Order, Statement, StatementId};

/// The last access of a thread to an object.
#[derive(Clone, Copy, Debug)]
struct Touch {
    thread: ThreadId,
    class: Class,
    /// When, in events of the run, counted from one.
    at: u32,
    /// What tells its statement apart ([`key`]), and the statement into whose set it was put last.
    key: u64,
    told: u64,
    /// When the thread last touched the object in each class, and in which it has, a bit for each.
    last: [u32; CLASSES],
    used: u8,
}

impl Touch {
    /// When the thread last touched the object in one of these classes, a bit for each; zero if never.
    #[inline]
    fn met(&self, classes: u8) -> u32 {
        let mut among = self.used & classes;
        if among == self.used {
            return self.at;
        }
        let mut met = 0;
        while among != 0 {
            met = met.max(self.last[among.trailing_zeros() as usize % CLASSES]);
            among &= among - 1;
        }
        met
    }
}

/// What is known of an object in the current run.
#[derive(Clone, Debug, Default)]
struct Object {
    /// The run this is about; what belongs to an older one is forgotten.
    run: u64,
    recursive: bool,
    touches: Vec<Touch>,
    /// Which of them is the newest.
    newest: usize,
}

/// No event.
const NEVER: u32 = u32::MAX;

/// The key of no statement.
const NOBODY: u64 = u64::MAX;

/// What is known of a thread in the current run.
#[derive(Clone, Debug)]
struct Thread {
    /// Up to which event of the run, counted from one, those of each thread came before by creation and joining alone; its
    /// creator's are told below.
    before: Vec<u32>,
    /// Its creator, and up to which event those of the creator came before.
    creator: Option<(ThreadId, u32)>,
    /// The event by which it was created.
    created_by: u32,
    /// Its last event at a known place.
    last: u32,
    /// Whether it was created and has not executed a statement yet.
    fresh: bool,
    /// What tells its statements apart, if calls do and the place does not know them.
    root: u32,
}

/// Learns from runs, one after the other. Knows nothing of the sets it learns for, except how it names their statements.
#[derive(Clone, Debug, Default)]
pub struct Learner {
    runs: u64,
    objects: Vec<Object>,
    /// As many as a run can have.
    threads: Vec<Thread>,
    /// How many of them the last run had at most.
    used: usize,
    names: Table<(usize, u64, u64), StatementId>,
    /// The statements found last, by the lowest bits of the place's address: what tells them apart, and their numbers.
    recent: Vec<(u64, u64, StatementId)>,
    known: Known,
    sorts: Sorts,
}

/// How many of the statements found last are kept.
const RECENT: usize = 128;

/// Places for pairs that are known.
const KNOWN: usize = 256;

/// What tells a statement apart in one process, if calls do not; its lowest bit is free.
#[inline]
fn key(place: Place, sort: Sort) -> u64 {
    place.address() << 2 | u64::from(sort.is(Sort::SECOND)) << 1
}

/// Pairs that are known to be in the sets, by the lowest bits of a mixture of their keys: most of what a run shows has been
/// seen. There is room for two in a place, so that two that are seen all the time do not drive each other out.
#[derive(Clone, Debug)]
struct Known(Box<[[(u64, u64); 2]; KNOWN]>);

impl Default for Known {
    fn default() -> Known {
        Known(Box::new([[(NOBODY, NOBODY); 2]; KNOWN]))
    }
}

impl Known {
    #[inline]
    fn slot(&mut self, pair: (u64, u64)) -> &mut [(u64, u64); 2] {
        let mixed = pair.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ pair.1.wrapping_mul(0xd6e8_feb8_6659_fd93);
        &mut self.0[(mixed >> 32) as usize % KNOWN]
    }
}

impl Learner {
    /// Learns from the events of a whole run; returns how many pairs are new.
    pub fn learn(&mut self, sets: &mut HapSets, events: &[Event]) -> usize {
        let before = sets.len();
        self.runs += 1;
        self.threads.resize_with(MAX_THREADS, Thread::default);
        self.threads[..self.used].iter_mut().for_each(Thread::clear);
        // The first thread is not created.
        self.used = 1;
        let mut objects = std::mem::take(&mut self.objects);
        for (number, event) in events.iter().enumerate() {
            let sort = self.sorts.of(event);
            if sort.is(Sort::OF_THREADS) {
                self.note_threads(sets.context(), events, number);
            }
            if !matches!(event.place, Place::Unknown) {
                let own = &mut self.threads[event.thread.index()];
                own.last = number as u32;
                if own.fresh || sort.is(Sort::SUMMONED) {
                    self.note_ends(sets, events, (number, sort));
                }
            }
            if event.operation.object == ObjectId::NONE || !sort.is(Sort::CLASS | Sort::TAKES_AGAIN) {
                continue;
            }
            let index = event.operation.object.index();
            if objects.len() <= index {
                objects.resize_with(index + 1, Object::default);
            }
            self.meet(sets, events, (number, sort), &mut objects[index]);
        }
        self.objects = objects;
        sets.len() - before
    }

    /// The number of the statement of an event.
    fn statement_of(&mut self, sets: &mut HapSets, event: &Event) -> StatementId {
        self.statement(sets, event.thread, event.place, Half::of(event.operation.kind))
    }

    /// The number of the statement that a thread executes at a place.
    pub fn statement(
        &mut self,
        sets: &mut HapSets,
        thread: ThreadId,
        place: Place,
        half: Half,
    ) -> StatementId {
        let context = if sets.context() == 0 {
            0
        } else {
            match place.context() {
                0 => self.threads.get(thread.index()).map_or(0, |thread| thread.root),
                context => context,
            }
        };
        let (address, way) = (place.address(), u64::from(context) << 1 | half as u64);
        let slot = (address >> 3 ^ way) as usize % RECENT;
        match self.recent.get(slot) {
            Some((known, known_way, statement)) if *known == address && *known_way == way => *statement,
            _ => self.find_statement(sets, place, half, context, slot),
        }
    }

    /// The number of a statement that was not found lately. The compiler may keep one location several times, so it is
    /// looked for by what the location says.
    #[cold]
    fn find_statement(
        &mut self,
        sets: &mut HapSets,
        place: Place,
        half: Half,
        context: u32,
        slot: usize,
    ) -> StatementId {
        let file = place.file().unwrap_or("").as_ptr() as usize;
        let spot = u64::from(place.line().unwrap_or(0)) << 32 | u64::from(place.column().unwrap_or(0));
        let way = u64::from(context) << 1 | half as u64;
        let number = || sets.number(&Statement::at(place, half, context));
        let statement = *self.names.entry((file, spot, way)).or_insert_with(number);
        if self.recent.is_empty() {
            self.recent.resize(RECENT, (u64::MAX, 0, statement));
        }
        self.recent[slot] = (place.address(), way, statement);
        statement
    }

    /// What creations and joins order.
    #[inline]
    fn note_threads(&mut self, context: u32, events: &[Event], number: usize) {
        let event = &events[number];
        if event.operation.kind == Kind::Create {
            let index = event.operation.operand as usize;
            let child = &mut self.threads[index];
            child.created_by = number as u32;
            child.fresh = true;
            // Only where calls are told apart is it worth to name this one.
            child.root = 0;
            if context > 0 {
                child.root = Site::context_of(event.place.file().zip(event.place.line()).into_iter());
            }
            self.used = self.used.max(index + 1);
            return;
        }
        let Some(other) = event.cause.and_then(|cause| events.get(cause as usize)) else { return };
        let other = other.thread;
        if other == event.thread {
            return;
        }
        let (mine, known) = two(&mut self.threads, event.thread.index(), other.index());
        if event.operation.kind == Kind::Start {
            mine.creator = Some((other, number as u32));
            // A child of the first thread learns nothing else from it, as long as that has joined nobody.
            if known.before.is_empty() && known.creator.is_none() {
                return;
            }
        } else {
            mine.learn_of(other, number as u32);
        }
        for (index, &known) in known.before.iter().enumerate().filter(|(_, known)| **known > 0) {
            mine.learn_of(ThreadId::new(index), known);
        }
        if let Some((creator, known)) = known.creator {
            mine.learn_of(creator, known);
        }
    }

    /// The pairs that creations, joins and notifications make, with an event at a known place.
    #[inline(never)]
    fn note_ends(&mut self, sets: &mut HapSets, events: &[Event], (number, sort): (usize, Sort)) {
        let event = &events[number];
        let cause = event.cause.and_then(|cause| events.get(cause as usize));
        let own = &mut self.threads[event.thread.index()];
        let first = match (event.operation.kind, cause) {
            (Kind::Join, Some(end)) => self.threads[end.thread.index()].last,
            (Kind::Relock, Some(notify)) if notify.thread != event.thread => event.cause.unwrap_or(NEVER),
            _ if std::mem::take(&mut own.fresh) => own.created_by,
            _ => NEVER,
        };
        if let Some(other) = events.get(first as usize) {
            let keys = (key(other.place, self.sorts.of(other)), key(event.place, sort));
            self.tell_pair(sets, events, (first as usize, keys.0), (number, keys.1), true);
        }
    }

    /// The pairs of an event with what other threads did last to the same object.
    #[inline]
    fn meet(
        &mut self,
        sets: &mut HapSets,
        events: &[Event],
        (number, sort): (usize, Sort),
        object: &mut Object,
    ) {
        let (event, now) = (&events[number], number as u32 + 1);
        if object.run != self.runs {
            object.run = self.runs;
            object.recursive = false;
            object.touches.clear();
            object.newest = 0;
        }
        if sort.is(Sort::TAKES_AGAIN | Sort::GIVES_BACK) {
            object.recursive |= sort.is(Sort::TAKES_AGAIN);
            let counts = object.recursive || fault!(UnlocksAreLearned);
            if !counts || !sort.is(Sort::CLASS) {
                return;
            }
        }
        let (class, key) = (sort.class(), key(event.place, sort));
        let own = object.own(event.thread);
        if !object.is_told(own) {
            let conflicting = self.sorts.conflicting(class);
            let mine = &mut object.touches[own];
            // It has nothing to tell itself.
            mine.told = key;
            let mine = *mine;
            for touch in &mut object.touches {
                // If the thread has had a conflict with this touch since, the order was told there.
                if touch.told != key
                    && conflicting >> touch.class as u8 & 1 != 0
                    && (touch.at > mine.at
                        || mine.met(self.sorts.conflicting(touch.class)) <= touch.at
                        || fault!(EveryAccessIsImmediate))
                {
                    self.tell(sets, events, touch, (number, key));
                }
            }
        }
        object.newest = own;
        let touch = &mut object.touches[own];
        (touch.class, touch.at) = (class, now);
        (touch.key, touch.told) = (key, NOBODY);
        touch.last[class as usize] = now;
        touch.used |= 1 << class as u8;
    }

    /// Puts the statement of a touch into the set of that of an event, which is immediately dependent on it.
    #[inline]
    fn tell(&mut self, sets: &mut HapSets, events: &[Event], touch: &mut Touch, (number, key): (usize, u64)) {
        let fixed = self.threads[events[number].thread.index()].knows(touch);
        if !fixed && sets.context() == 0 {
            // Nothing more can be learned from this touch and this statement.
            touch.told = key;
        }
        self.tell_pair(sets, events, (touch.at as usize - 1, touch.key), (number, key), fixed);
    }

    /// Puts the statement of an event into the set of that of another, unless it is known to be there.
    #[inline]
    fn tell_pair(
        &mut self,
        sets: &mut HapSets,
        events: &[Event],
        first: (usize, u64),
        second: (usize, u64),
        fixed: bool,
    ) {
        let pair = (first.1 | u64::from(fixed), second.1);
        let kept = self.known.slot(pair);
        if kept[0] != pair && kept[1] != pair || sets.context() > 0 {
            *kept = [pair, kept[0]];
            self.tell_anew(sets, events, (first.0, second.0), fixed);
        }
    }

    /// The same for a pair of events that is perhaps not known.
    #[cold]
    fn tell_anew(&mut self, sets: &mut HapSets, events: &[Event], pair: (usize, usize), fixed: bool) {
        let first = self.statement_of(sets, &events[pair.0]);
        let second = self.statement_of(sets, &events[pair.1]);
        if fixed && !sets.has(first, second) {
            sets.insert(first, second, Order::Fixed);
        }
        if !fixed && !sets.is_scheduled(first, second) {
            sets.insert(first, second, Order::Scheduled);
        }
    }
}

impl Object {
    /// Where the last access of a thread is kept, also if there was none yet.
    #[inline]
    fn own(&mut self, thread: ThreadId) -> usize {
        if self.touches.get(self.newest).is_some_and(|touch| touch.thread == thread) {
            return self.newest;
        }
        self.touches.iter().position(|touch| touch.thread == thread).unwrap_or_else(|| {
            let never = Touch {
                thread,
                class: Class::None,
                at: 0,
                key: 0,
                told: NOBODY,
                last: [0; CLASSES],
                used: 0,
            };
            self.touches.push(never);
            self.touches.len() - 1
        })
    }

    /// Whether the last access of a thread was the newest of all, and told its order with every other one.
    #[inline]
    fn is_told(&self, own: usize) -> bool {
        if fault!(ReadsConflictNever) {
            return false;
        }
        own == self.newest && self.touches[own].class == Class::Exclusive && !fault!(EveryAccessIsImmediate)
    }
}

impl Default for Thread {
    fn default() -> Thread {
        Thread { before: Vec::new(), creator: None, created_by: NEVER, last: NEVER, fresh: false, root: 0 }
    }
}

impl Thread {
    fn clear(&mut self) {
        self.before.clear();
        (self.creator, self.fresh) = (None, false);
        (self.created_by, self.last) = (NEVER, NEVER);
    }

    /// Whether a touch came before by creation and joining alone.
    #[inline]
    fn knows(&self, touch: &Touch) -> bool {
        self.creator.is_some_and(|(creator, known)| creator == touch.thread && known >= touch.at)
            || self.before.get(touch.thread.index()).is_some_and(|known| *known >= touch.at)
    }

    /// What another thread did up to this event came before.
    fn learn_of(&mut self, other: ThreadId, known: u32) {
        if self.before.len() <= other.index() {
            self.before.resize(other.index() + 1, 0);
        }
        let before = &mut self.before[other.index()];
        *before = known.max(*before);
    }
}

/// Two different threads.
fn two(threads: &mut [Thread], a: usize, b: usize) -> (&mut Thread, &mut Thread) {
    let (lower, upper) = threads.split_at_mut(a.max(b));
    if a < b { (&mut lower[a], &mut upper[0]) } else { (&mut upper[0], &mut lower[b]) }
}
