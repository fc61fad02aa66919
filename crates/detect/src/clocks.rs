//! Happens-before of the memory model, kept by vector clocks while a run goes on.
//!
//! Each thread has a clock; what an operation publishes is kept with its object; what it takes over is joined (Flanagan and
//! Freund, FastTrack 2009). Release sequences and fences are those of C++20. Nothing is allocated once the buffers have
//! grown, so that a run can be followed while it is being made.

use raddle_trace::{Event, Kind, ObjectId, Order, Outcome, ThreadId};

/// How many events of each thread are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Clock(Vec<u32>);

impl Clock {
    #[inline]
    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*other);
        }
    }

    #[inline]
    fn set(&mut self, other: &Clock) {
        self.0.clear();
        self.0.extend_from_slice(&other.0);
    }

    #[inline]
    fn tick(&mut self, thread: ThreadId) {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] += 1;
    }
}

/// The clocks of a thread.
#[derive(Clone, Debug, Default)]
struct OfThread {
    known: Clock,
    /// What relaxed reads have seen, for a later acquire fence.
    seen: Clock,
    /// What was known at the last release fence.
    fenced: Clock,
}

/// The clocks of an object.
#[derive(Clone, Debug, Default)]
struct OfObject {
    /// What was published with it.
    published: Clock,
    /// What readers of a lock published: only a writer takes it over.
    readers: Clock,
}

/// Follows a run.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    threads: Vec<OfThread>,
    objects: Vec<OfObject>,
    /// The clocks of events that cause others (creations, ends, messages), by the number of the event.
    causes: Vec<(usize, Clock)>,
    used_causes: usize,
}

impl Clocks {
    /// Back to the beginning; what was allocated stays.
    pub fn reset(&mut self) {
        for thread in &mut self.threads {
            thread.known.0.clear();
            thread.seen.0.clear();
            thread.fenced.0.clear();
        }
        for object in &mut self.objects {
            object.published.0.clear();
            object.readers.0.clear();
        }
        self.used_causes = 0;
    }

    /// Becomes what `saved` is; what was allocated stays. The clocks of causes are only counted: those of the first events are
    /// the same in all runs that begin with them.
    pub fn put_back(&mut self, saved: &Clocks) {
        let (nobody, nothing) = (OfThread::default(), OfObject::default());
        self.threads.resize(self.threads.len().max(saved.threads.len()), OfThread::default());
        self.objects.resize(self.objects.len().max(saved.objects.len()), OfObject::default());
        for (index, thread) in self.threads.iter_mut().enumerate() {
            let saved = saved.threads.get(index).unwrap_or(&nobody);
            thread.known.set(&saved.known);
            thread.seen.set(&saved.seen);
            thread.fenced.set(&saved.fenced);
        }
        for (index, object) in self.objects.iter_mut().enumerate() {
            let saved = saved.objects.get(index).unwrap_or(&nothing);
            object.published.set(&saved.published);
            object.readers.set(&saved.readers);
        }
        self.used_causes = saved.used_causes;
    }

    /// The time of a thread: how many events it has made.
    #[inline]
    #[must_use]
    pub fn time(&self, thread: ThreadId) -> u32 {
        self.threads
            .get(thread.index())
            .and_then(|clocks| clocks.known.0.get(thread.index()).copied())
            .unwrap_or(0)
    }

    /// Whether what `other` did at `time` happens before what `thread` does next.
    #[inline]
    #[must_use]
    pub fn knows(&self, thread: ThreadId, other: ThreadId, time: u32) -> bool {
        let clocks = self.threads.get(thread.index());
        clocks.and_then(|clocks| clocks.known.0.get(other.index())).is_some_and(|&known| known >= time)
    }

    /// Takes the next event in.
    pub fn follow(&mut self, number: usize, event: &Event) {
        let thread = event.thread.index();
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, OfThread::default());
        }
        self.threads[thread].known.tick(event.thread);
        let object = event.operation.object;
        if object != ObjectId::NONE && self.objects.len() <= object.index() {
            self.objects.resize(object.index() + 1, OfObject::default());
        }
        match event.operation.kind {
            Kind::PlainRead | Kind::PlainWrite => {}
            Kind::Load | Kind::Store | Kind::ReadModifyWrite | Kind::Add => self.atomic(event),
            Kind::CompareExchange | Kind::WeakCompareExchange => self.atomic(event),
            Kind::Fence => self.fence(thread, event.operation.order),
            _ => self.synchronise(number, event),
        }
    }

    fn atomic(&mut self, event: &Event) {
        let operation = &event.operation;
        let failed = event.outcome == Outcome::Failed;
        let order = if failed { operation.order_on_failure } else { operation.order };
        let reads = operation.kind != Kind::Store;
        let writes = operation.kind != Kind::Load && !failed;
        let clocks = &mut self.threads[event.thread.index()];
        let published = &mut self.objects[operation.object.index()].published;
        if reads {
            let taken = if order.acquires() { &mut clocks.known } else { &mut clocks.seen };
            taken.join(published);
        }
        if writes {
            let source = if order.releases() { &clocks.known } else { &clocks.fenced };
            // A store begins a new release sequence; a read-modify-write continues the one it read from.
            if reads {
                published.join(source);
            } else {
                published.set(source);
            }
        }
    }

    fn fence(&mut self, thread: usize, order: Order) {
        let OfThread { known, seen, fenced } = &mut self.threads[thread];
        if order.acquires() {
            known.join(seen);
        }
        if order.releases() {
            fenced.set(known);
        }
    }

    fn synchronise(&mut self, number: usize, event: &Event) {
        use Kind::*;
        let (thread, object) = (event.thread.index(), event.operation.object);
        // A notification wakes, but it is the mutex that orders.
        if let Some(cause) = event.cause.filter(|_| event.operation.kind != Relock) {
            self.take_cause(thread, cause as usize);
        }
        match (event.operation.kind, event.outcome) {
            (Lock | TryLock | TimedLock | Relock, Outcome::Done) => self.acquire(thread, object),
            (Acquire | TryAcquire | TimedAcquire | Park | TimedPark, Outcome::Done) => {
                self.acquire(thread, object);
            }
            (Read | TryRead | TimedRead, Outcome::Done) => self.acquire(thread, object),
            (OnceEnter | OnceLook, _) => self.acquire(thread, object),
            (Receive | TryReceive | TimedReceive, Outcome::Closed) => self.acquire(thread, object),
            (Write | TryWrite | TimedWrite, Outcome::Done) => {
                self.acquire(thread, object);
                self.threads[thread].known.join(&self.objects[object.index()].readers);
            }
            (Unlock | WriteUnlock | Post | Unpark | OnceExit | OncePoison | DropSender, _) => {
                self.release(thread, object);
            }
            (ReadUnlock, _) => self.objects[object.index()].readers.join(&self.threads[thread].known),
            (Arrive, Outcome::Last) => {
                self.acquire(thread, object);
                self.release(thread, object);
                self.keep_cause(thread, number);
            }
            (Arrive, _) => self.release(thread, object),
            (Wait | TimedWait | FickleWait, _) => {
                self.release(thread, ObjectId::new(event.operation.operand as usize));
            }
            (Create | End | Send | TrySend | Receive | TryReceive | TimedReceive | Offer, _) => {
                self.keep_cause(thread, number);
            }
            _ => {}
        }
    }

    fn take_cause(&mut self, thread: usize, cause: usize) {
        let kept = &self.causes[..self.used_causes];
        if let Ok(at) = kept.binary_search_by_key(&cause, |(number, _)| *number) {
            self.threads[thread].known.join(&kept[at].1);
        }
    }

    fn keep_cause(&mut self, thread: usize, number: usize) {
        if self.causes.len() == self.used_causes {
            self.causes.push((0, Clock::default()));
        }
        let kept = &mut self.causes[self.used_causes];
        kept.0 = number;
        kept.1.set(&self.threads[thread].known);
        self.used_causes += 1;
    }

    fn acquire(&mut self, thread: usize, object: ObjectId) {
        self.threads[thread].known.join(&self.objects[object.index()].published);
    }

    fn release(&mut self, thread: usize, object: ObjectId) {
        if self.objects.len() <= object.index() {
            self.objects.resize(object.index() + 1, OfObject::default());
        }
        self.objects[object.index()].published.join(&self.threads[thread].known);
    }
}
