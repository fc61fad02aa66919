//! Happens-before of the memory model, kept by vector clocks while a run goes on.
//!
//! Each thread has a clock; what an operation publishes is kept with its object; what it takes over is joined (Flanagan and
//! Freund, FastTrack 2009). Release sequences and fences are those of C++20. Nothing is allocated once the buffers have
//! grown, so that a run can be followed while it is being made.

use raddle_trace::{Event, Kind, ObjectId, Order, Outcome, ThreadId};

/// Clocks, one after the other: how many events of each thread are known. Those that there is no room for know nothing.
type Rows = Vec<u32>;

/// Entries of a clock that are dealt with at once; there is room for a multiple of it.
const LANES: usize = 4;

/// Follows a run.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// Entries of each clock.
    width: usize,
    /// What each thread knows.
    known: Rows,
    /// What its relaxed reads have seen, for a later acquire fence.
    seen: Rows,
    /// What it knew at its last release fence.
    fenced: Rows,
    /// What was published with each object.
    published: Rows,
    /// What readers of a lock published: only a writer takes it over.
    readers: Rows,
    /// The clocks of events that cause others (creations, ends, messages), and the numbers of the events.
    causes: Rows,
    caused_by: Vec<usize>,
}

/// Room for the clock of this number.
#[inline]
fn row_mut(rows: &mut Rows, width: usize, number: usize) -> &mut [u32] {
    let (start, end) = (number * width, (number + 1) * width);
    if rows.len() < end {
        rows.resize(end, 0);
    }
    &mut rows[start..end]
}

/// Joins the clock of number `of` in `others` into a clock.
#[inline]
fn join(mine: &mut [u32], others: &[u32], of: usize) {
    let start = of * mine.len();
    let Some(other) = others.get(start..start + mine.len()) else { return };
    let (mine, _) = mine.as_chunks_mut::<LANES>();
    let (other, _) = other.as_chunks::<LANES>();
    for (mine, other) in mine.iter_mut().zip(other) {
        *mine = std::array::from_fn(|lane| mine[lane].max(other[lane]));
    }
}

/// Makes a clock that of number `of` in `others`.
#[inline]
fn set(mine: &mut [u32], others: &[u32], of: usize) {
    let start = of * mine.len();
    match others.get(start..start + mine.len()) {
        Some(other) => {
            let (mine, _) = mine.as_chunks_mut::<LANES>();
            let (other, _) = other.as_chunks::<LANES>();
            mine.iter_mut().zip(other).for_each(|(mine, other)| *mine = *other);
        }
        None => mine.fill(0),
    }
}

impl Clocks {
    /// Back to the beginning; what was allocated stays.
    pub fn reset(&mut self) {
        for rows in [&mut self.known, &mut self.seen, &mut self.fenced] {
            rows.clear();
        }
        for rows in [&mut self.published, &mut self.readers, &mut self.causes] {
            rows.clear();
        }
        self.caused_by.clear();
    }

    /// Becomes what `saved` is; what was allocated stays. The clocks of causes are only counted: those of the first events are
    /// the same in all runs that begin with them.
    pub fn put_back(&mut self, saved: &Clocks) {
        self.make_room(saved.width);
        let width = self.width;
        let put_back = |mine: &mut Rows, saved_rows: &Rows| {
            if width == saved.width {
                mine.clear();
                mine.extend_from_slice(saved_rows);
            } else {
                *mine = widened(saved_rows, saved.width, width);
            }
        };
        put_back(&mut self.known, &saved.known);
        put_back(&mut self.seen, &saved.seen);
        put_back(&mut self.fenced, &saved.fenced);
        put_back(&mut self.published, &saved.published);
        put_back(&mut self.readers, &saved.readers);
        self.caused_by.resize(saved.caused_by.len(), 0);
        self.causes.resize(saved.caused_by.len() * width, 0);
    }

    /// Makes the clocks so wide.
    #[inline]
    fn make_room(&mut self, width: usize) {
        if self.width < width {
            self.widen(width.next_power_of_two().max(LANES));
        }
    }

    #[cold]
    fn widen(&mut self, wider: usize) {
        let width = std::mem::replace(&mut self.width, wider);
        for rows in [&mut self.known, &mut self.seen, &mut self.fenced] {
            *rows = widened(rows, width, wider);
        }
        for rows in [&mut self.published, &mut self.readers, &mut self.causes] {
            *rows = widened(rows, width, wider);
        }
    }

    /// The time of a thread: how many events it has made.
    #[inline]
    #[must_use]
    pub fn time(&self, thread: ThreadId) -> u32 {
        self.known.get(thread.index() * self.width + thread.index()).copied().unwrap_or(0)
    }

    /// Whether what `other` did at `time` happens before what `thread` does next.
    #[inline]
    #[must_use]
    pub fn knows(&self, thread: ThreadId, other: ThreadId, time: u32) -> bool {
        let known = self.known.get(thread.index() * self.width + other.index());
        other.index() < self.width && known.is_some_and(|&known| known >= time)
    }

    /// Takes the next event in.
    #[inline]
    pub fn follow(&mut self, number: usize, event: &Event) {
        let thread = event.thread.index();
        self.make_room(thread + 1);
        row_mut(&mut self.known, self.width, thread)[thread] += 1;
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
        let (thread, object, width) = (event.thread.index(), operation.object.index(), self.width);
        if reads {
            let taken = if order.acquires() { &mut self.known } else { &mut self.seen };
            join(row_mut(taken, width, thread), &self.published, object);
        }
        if writes {
            let source = if order.releases() { &self.known } else { &self.fenced };
            let published = row_mut(&mut self.published, width, object);
            // A store begins a new release sequence; a read-modify-write continues the one it read from.
            if reads {
                join(published, source, thread);
            } else {
                set(published, source, thread);
            }
        }
    }

    fn fence(&mut self, thread: usize, order: Order) {
        if order.acquires() {
            join(row_mut(&mut self.known, self.width, thread), &self.seen, thread);
        }
        if order.releases() {
            set(row_mut(&mut self.fenced, self.width, thread), &self.known, thread);
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
                join(row_mut(&mut self.known, self.width, thread), &self.readers, object.index());
            }
            (Unlock | WriteUnlock | Downgrade | Post | Unpark | OnceExit | OncePoison | DropSender, _) => {
                self.release(thread, object);
            }
            (ReadUnlock, _) => {
                join(row_mut(&mut self.readers, self.width, object.index()), &self.known, thread);
            }
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
        if let Ok(at) = self.caused_by.binary_search(&cause) {
            join(row_mut(&mut self.known, self.width, thread), &self.causes, at);
        }
    }

    fn keep_cause(&mut self, thread: usize, number: usize) {
        let kept = self.caused_by.len();
        self.caused_by.push(number);
        set(row_mut(&mut self.causes, self.width, kept), &self.known, thread);
    }

    #[inline]
    fn acquire(&mut self, thread: usize, object: ObjectId) {
        join(row_mut(&mut self.known, self.width, thread), &self.published, object.index());
    }

    #[inline]
    fn release(&mut self, thread: usize, object: ObjectId) {
        join(row_mut(&mut self.published, self.width, object.index()), &self.known, thread);
    }
}

/// The same clocks with more entries.
fn widened(rows: &Rows, width: usize, wider: usize) -> Rows {
    let mut wide = Rows::with_capacity(rows.len() / width.max(1) * wider);
    for row in rows.chunks(width.max(1)) {
        wide.extend_from_slice(row);
        wide.resize(wide.len() + wider - width, 0);
    }
    wide
}
