//! The state of one run, and how operations are published and executed.

use raddle_trace::{
    Accesses, Blocked, Event, Held, Kind, ObjectId, Operation, Outcome, Pending, Place, ThreadId, ThreadSet,
    level,
};

use crate::channel::Queue;
use crate::object::{Object, ObjectKind};
use crate::thread::Thread;

/// What may happen by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether timed operations can give up although the other threads could go on.
    pub timeouts: bool,
    /// How often in a run each thread can be woken from a wait for no reason.
    pub spurious_wakeups: u32,
    /// Whether a thread that has seen the same very often is taken to be waiting, although nobody knows what it keeps to itself.
    pub guesses_loops: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { timeouts: true, spurious_wakeups: 0, guesses_loops: true }
    }
}

/// A rule of a primitive that was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misuse {
    /// A lock was given back by a thread that does not hold it.
    UnlockedByStranger {
        /// Who holds it.
        owner: Option<ThreadId>,
    },
    /// A thread waited at a condition variable without holding the mutex.
    WaitedWithoutMutex,
}

/// The state of one run.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub(crate) objects: Vec<Object>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) pending: Vec<Pending>,
    pub(crate) has_pending: ThreadSet,
    pub(crate) alive: ThreadSet,
    enabled: ThreadSet,
    urgent: ThreadSet,
    pub(crate) queues: Vec<Queue>,
    pub(crate) used_queues: usize,
    pub(crate) options: Options,
    /// If numbers of objects stay the same from run to run: how many have been given, and those of the threads' tokens.
    stable: Option<(usize, Vec<ObjectId>)>,
}

impl World {
    /// A world without threads and objects.
    #[must_use]
    pub fn new(options: Options) -> World {
        World { options, ..World::default() }
    }

    /// Back to the beginning; what was allocated stays.
    pub fn reset(&mut self) {
        self.objects.clear();
        self.used_queues = 0;
        self.has_pending = ThreadSet::EMPTY;
        self.alive = ThreadSet::EMPTY;
        self.enabled = ThreadSet::EMPTY;
        self.urgent = ThreadSet::EMPTY;
        for thread in &mut self.threads {
            thread.alive = false;
            thread.ended = None;
        }
    }

    /// Becomes what `saved` is; what was allocated stays, and so do the numbers that objects keep.
    pub fn put_back(&mut self, saved: &World) {
        while self.threads.len() < saved.threads.len() {
            self.threads.push(Thread::unborn());
            self.pending.push(World::nothing_pending());
        }
        self.objects.clone_from(&saved.objects);
        for (thread, saved) in self.threads.iter_mut().zip(&saved.threads) {
            thread.put_back(saved);
        }
        for thread in self.threads.iter_mut().skip(saved.threads.len()) {
            thread.alive = false;
            thread.ended = None;
        }
        let known = saved.pending.len();
        self.pending[..known].clone_from_slice(&saved.pending);
        self.has_pending = saved.has_pending;
        self.alive = saved.alive;
        self.enabled = saved.enabled;
        self.urgent = saved.urgent;
        self.queues.clone_from(&saved.queues);
        self.used_queues = saved.used_queues;
    }

    pub(crate) fn nothing_pending() -> Pending {
        Pending {
            operation: Operation::new(Kind::Start, ObjectId::NONE, 0),
            outcome: None,
            accesses: Accesses::NOTHING,
            alternatives: 1,
            place: Place::Unknown,
            cause: None,
        }
    }

    /// Adds an object.
    pub fn register(&mut self, kind: ObjectKind) -> ObjectId {
        if let Some((given, _)) = &mut self.stable {
            let number = ObjectId::new(*given);
            *given += 1;
            self.register_as(number, kind);
            return number;
        }
        let mut object = Object::new(kind);
        if matches!(kind, ObjectKind::Channel { .. }) {
            object.queue = self.new_queue();
        }
        self.objects.push(object);
        ObjectId::new(self.objects.len() - 1)
    }

    /// From now on objects keep their numbers from run to run: whoever registers one says which it is, by
    /// [`World::register_as`], if it has one.
    pub fn keep_numbers(&mut self) {
        self.stable.get_or_insert_default();
    }

    /// Whether objects keep their numbers from run to run.
    #[must_use]
    pub fn keeps_numbers(&self) -> bool {
        self.stable.is_some()
    }

    /// How many numbers were given that objects keep, and those of the tokens of threads.
    #[must_use]
    pub fn kept_numbers(&self) -> (usize, &[ObjectId]) {
        self.stable.as_ref().map_or((0, &[]), |(given, tokens)| (*given, tokens))
    }

    /// Goes on giving numbers where another world of the same program was.
    pub fn restore_numbers(&mut self, given: usize, tokens: Vec<ObjectId>) {
        if self.stable.is_some() {
            self.stable = Some((given, tokens));
        }
    }

    /// Adds the object that has this number in all runs.
    pub fn register_as(&mut self, number: ObjectId, kind: ObjectKind) {
        while self.objects.len() <= number.index() {
            self.objects.push(Object::new(ObjectKind::Plain));
        }
        self.objects[number.index()] = Object::new(kind);
    }

    /// Adds the token of a thread.
    pub(crate) fn register_token(&mut self, thread: ThreadId) -> ObjectId {
        let known = self.stable.as_ref().and_then(|(_, tokens)| tokens.get(thread.index()).copied());
        if let Some(known) = known.filter(|known| *known != ObjectId::NONE) {
            self.register_as(known, ObjectKind::Token(thread));
            return known;
        }
        let number = self.register(ObjectKind::Token(thread));
        if let Some((_, tokens)) = &mut self.stable {
            if tokens.len() <= thread.index() {
                tokens.resize(thread.index() + 1, ObjectId::NONE);
            }
            tokens[thread.index()] = number;
        }
        number
    }

    /// How many objects there are.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    /// What an object is.
    #[must_use]
    pub fn kind(&self, object: ObjectId) -> ObjectKind {
        self.objects[object.index()].kind
    }

    /// The level of an object.
    #[must_use]
    pub fn level(&self, object: ObjectId) -> i64 {
        self.objects[object.index()].level
    }

    /// The threads that a decision can let go on.
    #[inline]
    #[must_use]
    pub fn enabled(&self) -> ThreadSet {
        self.enabled
    }

    /// The threads that go on at once.
    #[inline]
    #[must_use]
    pub fn urgent(&self) -> ThreadSet {
        self.urgent
    }

    /// The threads that have not come to their end.
    #[inline]
    #[must_use]
    pub fn alive(&self) -> ThreadSet {
        self.alive
    }

    /// What every thread is about to do, by thread number; meaningful for the members of [`World::with_pending`].
    #[inline]
    #[must_use]
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// The threads that have published an operation.
    #[inline]
    #[must_use]
    pub fn with_pending(&self) -> ThreadSet {
        self.has_pending
    }

    /// A thread is about to do this.
    #[inline(always)]
    pub fn publish(&mut self, thread: ThreadId, operation: Operation, place: Place) {
        let mut operation = self.without_timeout(operation);
        if operation.kind == Kind::Wait && self.threads[thread.index()].spurious_left > 0 {
            operation.kind = Kind::FickleWait;
        }
        self.announce(thread, operation, place);
    }

    /// With time-outs switched off a timed operation is one that waits.
    #[inline(always)]
    fn without_timeout(&self, mut operation: Operation) -> Operation {
        if !self.options.timeouts {
            operation.kind = match operation.kind {
                Kind::TimedLock => Kind::Lock,
                Kind::TimedRead => Kind::Read,
                Kind::TimedWrite => Kind::Write,
                Kind::TimedAcquire => Kind::Acquire,
                Kind::TimedPark => Kind::Park,
                Kind::TimedReceive => Kind::Receive,
                Kind::TimedWait => Kind::Wait,
                kind => kind,
            };
        }
        operation
    }

    #[inline(always)]
    pub(crate) fn announce(&mut self, thread: ThreadId, operation: Operation, place: Place) {
        let pending = &mut self.pending[thread.index()];
        pending.operation = operation;
        pending.place = place;
        pending.cause = None;
        // The most frequent kinds can always go. Looked at here, where the kind is known.
        let outcome = match operation.kind {
            kind if kind.is_unconditional() => Some(Outcome::Done),
            Kind::CompareExchange => level::outcome(&operation, self.objects[operation.object.index()].level),
            _ => None,
        };
        if let Some(outcome) = outcome {
            pending.outcome = Some(outcome);
            pending.accesses = Accesses::of(&operation, outcome);
            pending.alternatives = 1;
            self.has_pending.insert(thread);
            self.enabled.insert(thread);
            self.urgent.remove(thread);
        } else {
            self.has_pending.insert(thread);
            self.look_again(thread);
        }
    }

    /// The thread has nothing to do until somebody else acts.
    #[inline]
    pub(crate) fn withdraw(&mut self, thread: ThreadId) {
        self.has_pending.remove(thread);
        self.enabled.remove(thread);
        self.urgent.remove(thread);
    }

    /// How the pending operation of a thread would end now.
    #[inline]
    fn foresee(&self, thread: ThreadId) -> Option<Outcome> {
        let operation = &self.pending[thread.index()].operation;
        match operation.kind {
            Kind::Join => self.has_ended(ThreadId::new(operation.operand as usize)).then_some(Outcome::Done),
            Kind::Pass => {
                let arrived = self.objects[operation.object.index()].level;
                (arrived >= operation.operand as i64).then_some(Outcome::Done)
            }
            Kind::Taken => self.taken_by(operation.object, operation.operand).map(|_| Outcome::Done),
            Kind::Spin => (!self.nothing_changed(thread)).then_some(Outcome::Done),
            _ if operation.object == ObjectId::NONE => Some(Outcome::Done),
            _ => level::outcome(operation, self.objects[operation.object.index()].level),
        }
    }

    /// Sees anew what the pending operation of a thread would do.
    #[inline(never)]
    pub(crate) fn look_again(&mut self, thread: ThreadId) {
        let outcome = self.foresee(thread);
        let pending = &mut self.pending[thread.index()];
        pending.outcome = outcome;
        pending.accesses = Accesses::of(&pending.operation, outcome.unwrap_or_default());
        let urgent = pending.operation.kind.is_urgent();
        pending.alternatives = match (pending.operation.kind, outcome) {
            (Kind::Choose, _) => pending.operation.operand as u32,
            (Kind::NotifyOne, _) => {
                self.objects[pending.operation.object.index()].threads.len().max(1) as u32
            }
            (Kind::WeakCompareExchange, Some(Outcome::Done)) => 2,
            _ => 1,
        };
        self.enabled.set(thread, outcome.is_some() && !urgent);
        self.urgent.set(thread, outcome.is_some() && urgent);
    }

    /// Sees anew everything that waits for, or looks at, this object.
    #[inline]
    pub(crate) fn refresh(&mut self, object: ObjectId) {
        for thread in self.has_pending.iter() {
            let operation = &self.pending[thread.index()].operation;
            let sees = operation.object == object && !operation.kind.is_unconditional();
            if sees || operation.kind == Kind::Spin {
                self.look_again(thread);
            }
        }
    }

    pub(crate) fn refresh_waiters(&mut self, kind: Kind) {
        for thread in self.has_pending.iter() {
            if self.pending[thread.index()].operation.kind == kind {
                self.look_again(thread);
            }
        }
    }

    /// Does the pending operation of the enabled thread whose event, of this number, has been made of it, and adds to the
    /// event what the operation did.
    ///
    /// The value that a store, a read-modify-write or a successful compare-exchange leaves behind is given by
    /// [`World::write`] afterwards.
    ///
    /// # Errors
    /// If the operation breaks a rule of the primitive; the world is then as it was.
    ///
    /// # Panics
    /// If the thread is not enabled: that would be a bug in raddle.
    #[inline(always)]
    pub fn execute(&mut self, event: &mut Event, number: u32) -> Result<(), Misuse> {
        let thread = event.thread;
        let outcome = self.pending[thread.index()].outcome;
        event.outcome = outcome.expect("bug in raddle: executed an operation that cannot go");
        self.withdraw(thread);
        if event.operation.kind.is_unconditional() {
            event.before = self.objects[event.operation.object.index()].level;
            event.value = event.before;
            return Ok(());
        }
        self.execute_any(event, number)
    }

    /// The same for an operation whose end may depend on its object.
    fn execute_any(&mut self, event: &mut Event, number: u32) -> Result<(), Misuse> {
        let (thread, object) = (event.thread, event.operation.object);
        if event.operation.kind == Kind::WeakCompareExchange && event.alternative == 1 {
            event.outcome = Outcome::Failed;
        }
        if object == ObjectId::NONE {
            let cause = self.execute_without_object(thread, &event.operation, number);
            event.cause = event.cause.or(cause);
            return Ok(());
        }
        let before = self.objects[object.index()].level;
        let value = level::after(&event.operation, event.outcome, before);
        self.objects[object.index()].level = value;
        match self.execute_on_object(thread, &event.operation, event.outcome, event.alternative, number) {
            Ok(cause) => event.cause = event.cause.or(cause),
            Err(misuse) => {
                self.objects[object.index()].level = before;
                return Err(misuse);
            }
        }
        event.before = before;
        event.value = value;
        if value != before {
            self.refresh(object);
        }
        Ok(())
    }

    fn execute_without_object(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        number: u32,
    ) -> Option<u32> {
        let other = || ThreadId::new(operation.operand as usize);
        match operation.kind {
            Kind::Start => self.threads[thread.index()].created,
            Kind::Create => {
                self.add_thread(other(), Some(number));
                None
            }
            Kind::End => {
                self.end_thread(thread, number);
                None
            }
            Kind::Join => {
                self.detach(other());
                self.threads[other().index()].ended
            }
            Kind::Detach => {
                self.detach(other());
                None
            }
            Kind::Spin => {
                self.start_new_loop(thread);
                None
            }
            _ => None,
        }
    }

    /// The part of an operation that is particular to its primitive; returns the event that made it possible.
    fn execute_on_object(
        &mut self,
        thread: ThreadId,
        operation: &Operation,
        outcome: Outcome,
        alternative: u32,
        number: u32,
    ) -> Result<Option<u32>, Misuse> {
        use Kind::*;
        let object = operation.object;
        match operation.kind {
            Lock | TryLock | TimedLock | Relock | Write | TryWrite | TimedWrite => {
                self.take_mutex(object, thread, outcome, number);
            }
            Unlock => self.give_mutex(object, thread)?,
            LockAgain => self.objects[object.index()].depth += 1,
            UnlockInner => self.objects[object.index()].depth -= 1,
            Read | TryRead | TimedRead => self.share_lock(object, thread, outcome, number),
            ReadUnlock => self.unshare_lock(object, thread),
            WriteUnlock => self.end_writing(object, thread)?,
            Downgrade => self.downgrade(object, thread)?,
            Wait | TimedWait | FickleWait => self.start_waiting(thread, operation)?,
            Timeout | SpuriousWake => self.stop_waiting(thread, object, operation.kind),
            NotifyOne if outcome == Outcome::Done => self.notify_one(object, alternative, number),
            NotifyAll if outcome == Outcome::Done => self.notify_all(object, number),
            Post | Unpark => self.permits_changed(object),
            Add if operation.operand != 0 => self.permits_changed(object),
            Arrive => self.arrive(thread, operation, outcome, number),
            OnceEnter => self.enter_once(object, thread, outcome, number),
            OnceExit | OncePoison => self.leave_once(object),
            Send | TrySend => return Ok(self.send(operation, outcome, number)),
            Receive | TryReceive | TimedReceive => return Ok(self.receive(operation, outcome, number)),
            Taken => return Ok(self.taken_by(object, operation.operand)),
            Offer => self.offer(object, number),
            DropSender | DropReceiver => self.permits_changed(object),
            _ => {}
        }
        Ok(None)
    }

    /// The thread that would have to act before this one can go on, if it is one.
    #[must_use]
    pub fn blocked_by(&self, thread: ThreadId) -> Option<ThreadId> {
        use Kind::*;
        if !self.has_pending.contains(thread) {
            return None;
        }
        let operation = &self.pending[thread.index()].operation;
        match operation.kind {
            Join => Some(ThreadId::new(operation.operand as usize)),
            Lock | Relock | Read | Write | OnceEnter => {
                let object = &self.objects[operation.object.index()];
                object.owner.or(object.threads.first())
            }
            _ => None,
        }
    }

    /// The threads that have not come to their end, with what they want, in order of number.
    pub fn blocked(&self) -> impl Iterator<Item = Blocked> {
        self.alive.iter().map(|thread| Blocked {
            thread,
            pending: self.blocked_pending(thread),
            by: self.blocked_by(thread),
        })
    }

    fn blocked_pending(&self, thread: ThreadId) -> Pending {
        let mut pending = self.pending[thread.index()];
        if let Some(condvar) = self.waits_at(thread) {
            pending.operation = Operation::new(Kind::Wait, condvar, 0);
            pending.outcome = None;
            pending.accesses = Accesses::NOTHING;
        }
        pending
    }

    /// The locks that are held.
    pub fn held(&self) -> impl Iterator<Item = Held> {
        self.objects.iter().enumerate().filter_map(|(index, object)| {
            let shared = if object.kind == ObjectKind::RwLock { object.threads.first() } else { None };
            let by = object.owner.or(shared)?;
            Some(Held { object: ObjectId::new(index), by, since: object.since })
        })
    }
}
