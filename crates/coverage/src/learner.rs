//! Learning HaPSets from a run: `LearnHapSets` of Algorithm 1 in Wang, Said, Gupta, for all events of a run at once.
//!
//! An event is *immediately dependent* on the last event of another thread at the same object if the two conflict and no
//! event of its own thread in between conflicted with that one too: then the order was told there already. This is how
//! the sets of the paper's Figure 1 come out: the second read of a thread learns nothing, because the first one has.
//!
//! Conflicts are those of the one dependence relation, and those of accesses to plain memory, whose order other events
//! decide. Giving a lock back counts only for locks that are taken recursively (section 3.2.2). The creation of a thread
//! comes before its first statement, its last statement before whoever joins it, a notification before the waking.

use raddle_trace::{Class, Event, Kind, Place, Site, ThreadId, fault};

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
    /// When the thread last touched the object in each class; zero if never.
    last: [u32; 8],
}

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
}

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
        let file = place.file().unwrap_or("").as_ptr() as usize;
        let spot = u64::from(place.line().unwrap_or(0)) << 32 | u64::from(place.column().unwrap_or(0));
        let key = (file, spot, u64::from(context) << 1 | half as u64);
        *self.names.entry(key).or_insert_with(|| sets.number(&Statement::at(place, half, context)))
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        &mut self.threads[thread.index()]
    }

    /// What creations and joins order.
    fn note_threads(&mut self, sets: &mut HapSets, events: &[Event], event: &Event) {
        let other = event.cause.and_then(|cause| events.get(cause as usize)).map(|cause| cause.thread);
        match (event.operation.kind, other) {
            (Kind::Create, _) => {
                let creation = self.statement(sets, event.thread, event.place, Half::First);
                let call = event.place.file().zip(event.place.line());
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
        if event.place == Place::Unknown {
            return;
        }
        let cause = event.cause.and_then(|cause| events.get(cause as usize));
        let first = match (event.operation.kind, cause) {
            (Kind::Join, Some(end)) => self.thread(end.thread).last,
            (Kind::Relock, Some(notify)) if notify.thread != event.thread => {
                Some(self.statement(sets, notify.thread, notify.place, Half::First))
            }
            _ => self.thread(event.thread).created_by.take(),
        };
        if let Some(first) = first {
            sets.insert(first, statement, Order::Fixed);
        }
        self.thread(event.thread).last = Some(statement);
    }

    /// The pairs of an event with what other threads did last to the same object.
    fn meet(&mut self, sets: &mut HapSets, event: &Event, now: u32, statement: StatementId) {
        let class = class_of(event);
        let index = event.operation.object.index();
        let kind = event.operation.kind;
        if class == Class::None && kind != Kind::LockAgain {
            return;
        }
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
        let me = &self.threads[event.thread.index()];
        let own = object.touches.iter().position(|touch| touch.thread == event.thread);
        let last = own.map_or([0; 8], |own| object.touches[own].last);
        for touch in &object.touches {
            if touch.thread == event.thread
                || !touch.class.conflicts_with(class)
                || told_before(&last, touch) && !fault!(EveryAccessIsImmediate)
            {
                continue;
            }
            let known = sets.order_of(touch.statement, statement);
            if known != Some(Order::Scheduled) {
                let fixed = me.before.get(touch.thread.index()).is_some_and(|known| *known > touch.position);
                sets.insert(touch.statement, statement, if fixed { Order::Fixed } else { Order::Scheduled });
            }
        }
        let own = own.unwrap_or_else(|| {
            let (thread, at, position) = (event.thread, now, me.events);
            object.touches.push(Touch { thread, class, statement, at, position, last: [0; 8] });
            object.touches.len() - 1
        });
        let touch = &mut object.touches[own];
        (touch.class, touch.statement, touch.at, touch.position) = (class, statement, now, me.events);
        touch.last[class as usize] = now;
    }
}

/// Whether a thread that touched an object at these times has had a conflict with `touch` since.
fn told_before(last: &[u32; 8], touch: &Touch) -> bool {
    use Class::*;
    if last[Exclusive as usize] > touch.at {
        return true;
    }
    [Reading, Shared, Observing, LastButOne, Tail, Head]
        .into_iter()
        .any(|class| last[class as usize] > touch.at && class.conflicts_with(touch.class))
}

impl Thread {
    fn clear(&mut self) {
        self.events = 0;
        self.before.clear();
        self.created_by = None;
        self.last = None;
    }
}
