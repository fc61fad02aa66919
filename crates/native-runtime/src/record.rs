//! Recording a program that runs by itself: real threads, short random delays, and every event written down in one order
//! (`RandCTest` of Algorithm 1 in Wang, Said, Gupta, without control).
//!
//! An event is noted while its thread still holds what it took or is about to give back, so the order of notes is that of
//! the events; of accesses to memory that nothing orders it is the order in which they were about to happen. What was
//! learned goes to the supervisor when the program ends by itself with exit code 0. One that dies, hangs or ends otherwise
//! was no good run: its process is gone before anything is told.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use raddle_channel::{Message, Races, Task};
use raddle_coverage::{Growth, HapSets, Learner};
use raddle_explore::{Covered, Reached};
use raddle_trace::limits::MAX_THREADS;
use raddle_trace::{Event, Kind, ObjectId, Operation, Outcome, Place, ThreadId};

use crate::abi::{self, RawLocal, RawSite};
use crate::host::{Channel, leave};
use crate::objects::Use;
use crate::state::site_in_context;

/// What comes after so many events is not noted.
const MOST_EVENTS: usize = 200_000;
/// A thread that has slept so often does not sleep any more.
const MOST_SLEEPS: u32 = 400;
/// The longest sleep, in microseconds.
const LONGEST_SLEEP: u64 = 200;

/// Everything that was noted.
struct Log {
    channel: Channel,
    context: u32,
    /// Whether plain accesses are statements like others, as they are in a search that ignores races.
    plain: bool,
    events: Vec<Event>,
    places: BTreeMap<(usize, usize), Place>,
    objects: BTreeMap<(usize, u8), ObjectId>,
    /// How many objects there were.
    numbers: usize,
    threads: usize,
    /// Who holds a lock, and how often beyond the first time.
    owners: BTreeMap<usize, (ThreadId, u32)>,
    /// Who waits at a condition variable, and the last notification there.
    waiting: BTreeMap<usize, u32>,
    notified: BTreeMap<usize, u32>,
    /// The thread that the program knows by a name, and the last event of each thread.
    names: BTreeMap<u64, ThreadId>,
    ends: BTreeMap<usize, u32>,
}

static LOG: Mutex<Option<Log>> = Mutex::new(None);
static SEED: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static ME: Cell<usize> = const { Cell::new(0) };
    static RANDOM: Cell<u64> = const { Cell::new(0) };
    static SLEEPS: Cell<u32> = const { Cell::new(0) };
    static LOCALS: RefCell<BTreeMap<usize, usize>> = const { RefCell::new(BTreeMap::new()) };
}

fn log() -> MutexGuard<'static, Option<Log>> {
    // Only ever added to, so a thread that died in the middle has not spoiled it.
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on everything is noted.
pub(crate) fn begin(channel: Channel, task: &Task) {
    SEED.store(task.seed | 1, Ordering::Relaxed);
    *log() = Some(Log {
        channel,
        context: task.context,
        plain: task.races == Races::Ignore,
        events: Vec::new(),
        places: BTreeMap::new(),
        objects: BTreeMap::new(),
        numbers: 0,
        threads: 1,
        owners: BTreeMap::new(),
        waiting: BTreeMap::new(),
        notified: BTreeMap::new(),
        names: BTreeMap::new(),
        ends: BTreeMap::new(),
    });
    abi::start_recording();
}

/// The program ends by itself: what it showed is told, if it was a good run.
pub(crate) fn finish(code: c_int) -> ! {
    let mut log = log();
    if let Some(log) = log.as_mut().filter(|_| code == 0) {
        let mut sets = HapSets::new(log.context);
        Learner::default().learn(&mut sets, &log.events);
        let growth = Growth::from_parts(1, vec![(1, sets.len() as u64)]);
        log.channel.send(&Message::Done(Reached {
            runs: 1,
            steps: log.events.len() as u64,
            longest: log.events.len(),
            threads: log.threads,
            covered: Some(Covered { sets, growth }),
            ..Reached::default()
        }));
    }
    leave(code)
}

/// Xorshift, by thread.
fn random() -> u64 {
    RANDOM.with(|state| {
        let mut word = state.get();
        if word == 0 {
            let seed = SEED.load(Ordering::Relaxed);
            word = (seed ^ (ME.get() as u64 + 1) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        }
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        state.set(word);
        word
    })
}

/// Lets others go first, now and then.
fn delay() {
    match random() >> 60 {
        0 | 1 if SLEEPS.get() < MOST_SLEEPS => {
            SLEEPS.set(SLEEPS.get() + 1);
            std::thread::sleep(Duration::from_micros(random() % LONGEST_SLEEP));
        }
        2..=5 => std::thread::yield_now(),
        _ => {}
    }
}

impl Log {
    fn object(&mut self, address: usize, used_as: Use) -> ObjectId {
        let numbers = &mut self.numbers;
        *self.objects.entry((address, used_as as u8)).or_insert_with(|| {
            *numbers += 1;
            ObjectId::new(*numbers)
        })
    }

    fn place(&mut self, site: *const RawSite) -> Place {
        if site.is_null() {
            return Place::Unknown;
        }
        let calls = abi::calls(site, self.context as usize);
        let key = calls.clone().fold(0_usize, |key, call| key.rotate_left(21) ^ call as usize);
        *self.places.entry((site as usize, key)).or_insert_with(|| site_in_context(site, calls))
    }

    fn push(&mut self, operation: Operation, outcome: Outcome, cause: Option<u32>, place: Place) {
        if self.events.len() >= MOST_EVENTS || ME.get() >= MAX_THREADS {
            return;
        }
        self.events.push(Event {
            thread: ThreadId::new(ME.get()),
            operation,
            outcome,
            alternative: 0,
            alternatives: 1,
            before: 0,
            value: 0,
            cause,
            decided: true,
            preempts: false,
            place,
        });
    }

    /// The number of the event that was noted last.
    fn last(&self) -> u32 {
        self.events.len().saturating_sub(1) as u32
    }

    /// What taking or giving back a lock is, for a thread that may hold it already.
    fn held(&mut self, kind: Kind, address: usize) -> Kind {
        let me = ThreadId::new(ME.get().min(MAX_THREADS - 1));
        match (kind, self.owners.get_mut(&address)) {
            (Kind::Lock | Kind::TryLock | Kind::TimedLock, Some((owner, depth))) if *owner == me => {
                *depth += 1;
                Kind::LockAgain
            }
            (
                Kind::Lock
                | Kind::TryLock
                | Kind::TimedLock
                | Kind::Write
                | Kind::TryWrite
                | Kind::TimedWrite,
                _,
            ) => {
                self.owners.insert(address, (me, 0));
                kind
            }
            (Kind::Unlock, Some((_, depth))) if *depth > 0 => {
                *depth -= 1;
                Kind::UnlockInner
            }
            (Kind::Unlock, _) => {
                self.owners.remove(&address);
                kind
            }
            // A reader-writer lock is given back by one function.
            (Kind::ReadUnlock, Some((owner, _))) if *owner == me => {
                self.owners.remove(&address);
                Kind::WriteUnlock
            }
            _ => kind,
        }
    }
}

/// Notes what the calling thread did or is about to do to the object at an address.
fn note(kind: Kind, address: usize, used_as: Use, outcome: Outcome, site: *const RawSite) {
    if let Some(log) = log().as_mut() {
        let kind = if outcome == Outcome::Done { log.held(kind, address) } else { kind };
        let (object, place) = (log.object(address, used_as), log.place(site));
        log.push(Operation::new(kind, object, 1), outcome, None, place);
    }
}

/// Memory is about to be accessed.
pub(crate) fn memory(kind: Kind, address: usize, site: *const RawSite) {
    if matches!(kind, Kind::PlainRead | Kind::PlainWrite) && !log().as_ref().is_some_and(|log| log.plain) {
        return;
    }
    delay();
    note(kind, address, Use::Cell, Outcome::Done, site);
}

/// Takes something by `take`, which returns zero if it succeeds.
pub(crate) fn taking<T>(kind: Kind, object: *mut T, take: impl FnOnce() -> c_int) -> c_int {
    if !abi::recording() {
        return take();
    }
    let site = abi::caller();
    delay();
    let result = take();
    match (result, kind) {
        (0, _) => note(kind, object as usize, Use::Primitive, Outcome::Done, site),
        (_, Kind::TryLock | Kind::TryRead | Kind::TryWrite | Kind::TryAcquire) => {
            note(kind, object as usize, Use::Primitive, Outcome::Failed, site);
        }
        _ => {}
    }
    result
}

/// Gives something back, or posts it, by `give`.
pub(crate) fn giving<T>(kind: Kind, object: *mut T, give: impl FnOnce() -> c_int) -> c_int {
    if abi::recording() {
        delay();
        note(kind, object as usize, Use::Primitive, Outcome::Done, abi::caller());
    }
    give()
}

/// Meets others at a barrier by `meet`.
pub(crate) fn meeting<T>(barrier: *mut T, meet: impl FnOnce() -> c_int) -> c_int {
    if !abi::recording() {
        return meet();
    }
    let site = abi::caller();
    delay();
    note(Kind::Arrive, barrier as usize, Use::Primitive, Outcome::Done, site);
    let result = meet();
    note(Kind::Pass, barrier as usize, Use::Primitive, Outcome::Done, site);
    result
}

/// Notifies by `notify`.
pub(crate) fn notifying<T>(kind: Kind, condition: *mut T, notify: impl FnOnce() -> c_int) -> c_int {
    if abi::recording() {
        delay();
        if let Some(log) = log().as_mut() {
            let (address, site) = (condition as usize, abi::caller());
            let heard = log.waiting.get(&address).is_some_and(|waiting| *waiting > 0);
            let (object, place) = (log.object(address, Use::Primitive), log.place(site));
            let outcome = if heard { Outcome::Done } else { Outcome::Failed };
            log.push(Operation::new(kind, object, 0), outcome, None, place);
            let last = log.last();
            log.notified.insert(address, last);
        }
    }
    notify()
}

/// Waits at a condition variable by `wait`.
pub(crate) fn waiting<C, L>(
    kind: Kind,
    condition: *mut C,
    lock: *mut L,
    wait: impl FnOnce() -> c_int,
) -> c_int {
    if !abi::recording() {
        return wait();
    }
    let site = abi::caller();
    let (condition, lock) = (condition as usize, lock as usize);
    let mut began = 0;
    if let Some(log) = log().as_mut() {
        log.held(Kind::Unlock, lock);
        *log.waiting.entry(condition).or_insert(0) += 1;
        let (object, mutex) = (log.object(condition, Use::Primitive), log.object(lock, Use::Primitive));
        let place = log.place(site);
        log.push(Operation::new(kind, object, mutex.index() as u64), Outcome::Done, None, place);
        began = log.last();
    }
    let result = wait();
    if let Some(log) = log().as_mut() {
        log.held(Kind::Lock, lock);
        log.waiting.entry(condition).and_modify(|waiting| *waiting = waiting.saturating_sub(1));
        let cause = log.notified.get(&condition).copied().filter(|at| *at > began && result == 0);
        let (mutex, place) = (log.object(lock, Use::Primitive), log.place(site));
        log.push(Operation::new(Kind::Relock, mutex, 0), Outcome::Done, cause, place);
    }
    result
}

/// A body of a thread of the program.
pub(crate) type Body = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// A thread that is about to begin.
struct Beginning {
    body: Body,
    argument: *mut c_void,
    number: usize,
    created: u32,
}

/// Notes that a thread is created; what it is to begin with instead of its body.
pub(crate) fn creating(body: Body, argument: *mut c_void) -> (Body, *mut c_void, usize) {
    let mut log = log();
    let Some(log) = log.as_mut() else { return (body, argument, 0) };
    let number = log.threads;
    log.threads += 1;
    let place = log.place(abi::caller());
    log.push(Operation::new(Kind::Create, ObjectId::NONE, number as u64), Outcome::Done, None, place);
    let created = log.last();
    let beginning = Box::new(Beginning { body, argument, number, created });
    (begins, Box::into_raw(beginning).cast(), number)
}

/// The program knows a thread by this name.
pub(crate) fn created(name: u64, number: usize) {
    if let Some(log) = log().as_mut().filter(|_| number < MAX_THREADS) {
        log.names.insert(name, ThreadId::new(number));
    }
}

unsafe extern "C" fn begins(beginning: *mut c_void) -> *mut c_void {
    // SAFETY: made by `creating` for this thread alone.
    let beginning = unsafe { Box::from_raw(beginning.cast::<Beginning>()) };
    ME.set(beginning.number);
    let thread = |kind| Operation::new(kind, ObjectId::NONE, 0);
    if let Some(log) = log().as_mut() {
        log.push(thread(Kind::Start), Outcome::Done, Some(beginning.created), Place::Unknown);
    }
    // SAFETY: the program's own function with its own argument.
    let result = unsafe { (beginning.body)(beginning.argument) };
    if let Some(log) = log().as_mut() {
        log.push(thread(Kind::End), Outcome::Done, None, Place::Unknown);
        let last = log.last();
        log.ends.insert(ME.get(), last);
    }
    result
}

/// A thread was joined.
pub(crate) fn joined(name: u64) {
    if !abi::recording() {
        return;
    }
    if let Some(log) = log().as_mut() {
        let thread = log.names.get(&name).copied();
        let end = thread.and_then(|thread| log.ends.get(&thread.index()).copied());
        let place = log.place(abi::caller());
        let operand = thread.map_or(0, |thread| thread.index() as u64);
        log.push(Operation::new(Kind::Join, ObjectId::NONE, operand), Outcome::Done, end, place);
    }
}

/// A block of memory is given back: what comes to lie there is something else.
pub(crate) fn freed(address: usize, size: usize) {
    if let Some(log) = log().as_mut() {
        let range = (address, 0)..(address.saturating_add(size), 0);
        let gone: Vec<(usize, u8)> = log.objects.range(range).map(|(key, _)| *key).collect();
        gone.iter().for_each(|key| _ = log.objects.remove(key));
    }
}

/// The calling thread's own copy of a thread-local variable.
pub(crate) fn local(local: &RawLocal) -> *mut c_void {
    LOCALS.with_borrow_mut(|locals| {
        let make = || {
            let (size, align) = (local.size.max(1) as usize, local.align.max(16) as usize);
            // SAFETY: a size and an alignment that the compiler chose.
            let copy = unsafe { crate::real::heap::__libc_memalign(align, size) };
            if !copy.is_null() {
                // SAFETY: the copy was just given out, and the descriptor tells where its first value lies.
                unsafe {
                    copy.cast::<u8>().write_bytes(0, size);
                    if !local.initial.is_null() {
                        std::ptr::copy_nonoverlapping(local.initial.cast::<u8>(), copy.cast(), size);
                    }
                }
            }
            copy as usize
        };
        *locals.entry(std::ptr::from_ref(local) as usize).or_insert_with(make) as *mut c_void
    })
}
