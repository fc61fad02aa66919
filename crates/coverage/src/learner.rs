//! Learning HaPSets from a run: `LearnHapSets` of Algorithm 1 in Wang, Said, Gupta, for all events of a run at once.
//!
//! An event is *immediately dependent* on the last event of another thread at the same object if the two conflict and no
//! event of its own thread in between conflicted with that one too: then the order was told there already. This is how
//! the sets of the paper's Figure 1 come out: the second read of a thread learns nothing, because the first one has.
//!
//! Conflicts are those of the one dependence relation, and those of accesses to plain memory, whose order other events
//! decide. Giving a lock back counts only for locks that are taken recursively (section 3.2.2). The creation of a thread
//! comes before its first statement, its last statement before whoever joins it, a notification before the waking.

use raddle_trace::{Class, Event, Kind, ObjectId, Place, Site, ThreadId, fault};

use crate::hash::Table;
use crate::{Half, HapSets, Order, Statement, StatementId};

/// The last access of a thread to an object.
#[derive(Clone, Copy, Debug)]
struct Touch {
    thread: ThreadId,
    class: Class,
    statement: StatementId,
    /// When, in events of the run.
    at: u32,
    /// Which event of its thread it was.
    position: u32,
    /// When the thread last touched the object in a class that conflicts with each class; zero if never.
    met: [u32; CLASSES],
}

/// How many classes there are.
const CLASSES: usize = 8;

/// The classes by number.
const ALL_CLASSES: [Class; CLASSES] = {
    use Class::*;
    [None, Reading, Shared, Observing, Exclusive, LastButOne, Tail, Head]
};

/// What is known of an object in the current run.
#[derive(Clone, Debug, Default)]
struct Object {
    /// The run this is about; what belongs to an older one is forgotten.
    run: u64,
    recursive: bool,
    touches: Vec<Touch>,
}

/// What is known of a thread in the current run.
#[derive(Clone, Debug, Default)]
struct Thread {
    events: u32,
    /// How many events of each thread came before by creation and joining alone.
    before: Vec<u32>,
    created_by: Option<StatementId>,
    last: Option<StatementId>,
    /// What tells its statements apart, if calls do and the place does not know them.
    root: u32,
}

/// Learns from runs, one after the other. Knows nothing of the sets it learns for, except how it names their statements.
#[derive(Clone, Debug, Default)]
pub struct Learner {
    runs: u64,
    objects: Vec<Object>,
    threads: Vec<Thread>,
    names: Table<(usize, u64, u64), StatementId>,
    /// The statements found last, by the lowest bits of the place's address: what tells them apart, and their numbers.
    recent: Vec<(u64, u64, StatementId)>,
}

/// How many of the statements found last are kept.
const RECENT: usize = 128;

/// How an event touches its object, as far as HaPSets are concerned.
fn class_of(event: &Event) -> Class {
    match event.operation.kind {
        Kind::PlainRead => Class::Reading,
        Kind::PlainWrite => Class::Exclusive,
        _ => event.accesses().first.class,
    }
}

impl Learner {
    /// Learns from the events of a whole run; returns how many pairs are new.
    pub fn learn(&mut self, sets: &mut HapSets, events: &[Event]) -> usize {
        let before = sets.len();
        self.runs += 1;
        self.threads.iter_mut().for_each(Thread::clear);
        for (number, event) in events.iter().enumerate() {
            self.note_threads(sets, events, event);
            let statement = self.statement(sets, event.thread, event.place, Half::of(event.operation.kind));
            self.note_ends(sets, events, event, statement);
            self.meet(sets, event, number as u32 + 1, statement);
            self.thread(event.thread).events += 1;
        }
        sets.len() - before
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

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        &mut self.threads[thread.index()]
    }

    /// What creations and joins order.
    #[inline]
    fn note_threads(&mut self, sets: &mut HapSets, events: &[Event], event: &Event) {
        if !matches!(event.operation.kind, Kind::Create | Kind::Start | Kind::Join) {
            return;
        }
        let other = event.cause.and_then(|cause| events.get(cause as usize)).map(|cause| cause.thread);
        match (event.operation.kind, other) {
            (Kind::Create, _) => {
                let creation = self.statement(sets, event.thread, event.place, Half::First);
                // Only where calls are told apart is it worth to name this one.
                let call = event.place.file().zip(event.place.line()).filter(|_| sets.context() > 0);
                let child = self.thread(ThreadId::new(event.operation.operand as usize));
                child.created_by = Some(creation);
                child.root = Site::context_of(call.into_iter());
            }
            (Kind::Start | Kind::Join, Some(other)) if other != event.thread => {
                let mut known = std::mem::take(&mut self.thread(other).before);
                let count = self.thread(other).events;
                let mine = &mut self.thread(event.thread).before;
                mine.resize(mine.len().max(known.len()).max(other.index() + 1), 0);
                for (mine, known) in mine.iter_mut().zip(&known) {
                    *mine = (*mine).max(*known);
                }
                mine[other.index()] = count;
                std::mem::swap(&mut known, &mut self.thread(other).before);
            }
            _ => {}
        }
    }

    /// The pairs that creations, joins and notifications make.
    fn note_ends(&mut self, sets: &mut HapSets, events: &[Event], event: &Event, statement: StatementId) {
        if matches!(event.place, Place::Unknown) {
            return;
        }
        let first = match event.operation.kind {
            kind @ (Kind::Join | Kind::Relock) => {
                match event.cause.and_then(|cause| events.get(cause as usize)) {
                    Some(end) if kind == Kind::Join => self.thread(end.thread).last,
                    Some(notify) if notify.thread != event.thread => {
                        Some(self.statement(sets, notify.thread, notify.place, Half::First))
                    }
                    _ => self.thread(event.thread).created_by.take(),
                }
            }
            _ => self.thread(event.thread).created_by.take(),
        };
        if let Some(first) = first.filter(|first| !sets.has(*first, statement)) {
            sets.insert(first, statement, Order::Fixed);
        }
        self.thread(event.thread).last = Some(statement);
    }

    /// The pairs of an event with what other threads did last to the same object.
    fn meet(&mut self, sets: &mut HapSets, event: &Event, now: u32, statement: StatementId) {
        let kind = event.operation.kind;
        if event.operation.object == ObjectId::NONE {
            return;
        }
        let index = event.operation.object.index();
        if self.objects.len() <= index {
            self.objects.resize_with(index + 1, Object::default);
        }
        let object = &mut self.objects[index];
        if object.run != self.runs {
            object.run = self.runs;
            object.recursive = false;
            object.touches.clear();
        }
        if kind == Kind::LockAgain {
            object.recursive = true;
            return;
        }
        let gives_back = kind.releases() && !kind.is_wait();
        if gives_back && !object.recursive && !fault!(UnlocksAreLearned) {
            return;
        }
        let class = class_of(event);
        if class == Class::None {
            return;
        }
        let me = &self.threads[event.thread.index()];
        let own = object.own(event.thread);
        let met = object.touches[own].met;
        for touch in &object.touches {
            if touch.thread == event.thread
                || !touch.class.conflicts_with(class)
                // The thread has had a conflict with this touch since, so the order was told there.
                || met[touch.class as usize] > touch.at && !fault!(EveryAccessIsImmediate)
                || sets.is_scheduled(touch.statement, statement)
            {
                continue;
            }
            let fixed = me.before.get(touch.thread.index()).is_some_and(|known| *known > touch.position);
            sets.insert(touch.statement, statement, if fixed { Order::Fixed } else { Order::Scheduled });
        }
        let touch = &mut object.touches[own];
        (touch.class, touch.statement, touch.at, touch.position) = (class, statement, now, me.events);
        if class == Class::Exclusive && !fault!(ReadsConflictNever) {
            // It conflicts with everything, and is what most events are.
            touch.met = [now; CLASSES];
            return;
        }
        for (other, met) in ALL_CLASSES.into_iter().zip(&mut touch.met) {
            if class.conflicts_with(other) {
                *met = now;
            }
        }
    }
}

impl Object {
    /// Where the last access of a thread is kept, also if there was none yet.
    #[inline]
    fn own(&mut self, thread: ThreadId) -> usize {
        self.touches.iter().position(|touch| touch.thread == thread).unwrap_or_else(|| {
            let never = Touch {
                thread,
                class: Class::None,
                statement: StatementId(0),
                at: 0,
                position: 0,
                met: [0; CLASSES],
            };
            self.touches.push(never);
            self.touches.len() - 1
        })
    }
}

impl Thread {
    fn clear(&mut self) {
        self.events = 0;
        self.before.clear();
        self.created_by = None;
        self.last = None;
    }
}
