//! Threads: creation, start, end, join, detach; park and unpark are a token, an object like others.

use raddle_trace::{ObjectId, Place, ThreadId};

use crate::condvar::Waiting;
use crate::spin::Rounds;
use crate::world::World;

/// A thread during a run.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub alive: bool,
    pub ended: Option<u32>,
    pub detached: bool,
    pub created: Option<u32>,
    pub token: ObjectId,
    pub waiting: Option<Waiting>,
    pub spurious_left: u32,
    pub rounds: Rounds,
}

impl Thread {
    pub(crate) fn unborn() -> Thread {
        Thread {
            alive: false,
            ended: None,
            detached: false,
            created: None,
            token: ObjectId::NONE,
            waiting: None,
            spurious_left: 0,
            rounds: Rounds::default(),
        }
    }
}

impl Thread {
    /// Makes it what another one is; what was allocated stays.
    pub(crate) fn put_back(&mut self, saved: &Thread) {
        let mut rounds = std::mem::take(&mut self.rounds);
        rounds.put_back(&saved.rounds);
        *self = Thread { rounds, ..*saved };
    }
}

impl World {
    /// Brings a thread into being: its token exists from now on, and it can publish. `created` is the event.
    pub fn add_thread(&mut self, thread: ThreadId, created: Option<u32>) {
        while self.threads.len() <= thread.index() {
            self.threads.push(Thread::unborn());
            self.pending.push(World::nothing_pending());
        }
        let token = self.register_token(thread);
        let spurious_left = self.options.spurious_wakeups;
        let slot = &mut self.threads[thread.index()];
        slot.alive = true;
        slot.ended = None;
        slot.detached = false;
        slot.created = created;
        slot.token = token;
        slot.waiting = None;
        slot.spurious_left = spurious_left;
        slot.rounds.clear();
        self.alive.insert(thread);
        self.pending[thread.index()].place = Place::Unknown;
    }

    pub(crate) fn end_thread(&mut self, thread: ThreadId, number: u32) {
        self.threads[thread.index()].ended = Some(number);
        self.threads[thread.index()].alive = false;
        self.alive.remove(thread);
        self.withdraw(thread);
        self.refresh_waiters(raddle_trace::Kind::Join);
    }

    /// Whether the thread has come to its end.
    #[must_use]
    pub fn has_ended(&self, thread: ThreadId) -> bool {
        self.threads.get(thread.index()).is_some_and(|thread| thread.ended.is_some())
    }

    pub(crate) fn detach(&mut self, thread: ThreadId) {
        self.threads[thread.index()].detached = true;
    }

    /// Whether nobody can join the thread any more.
    #[must_use]
    pub fn is_detached(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].detached
    }

    /// The token of a thread that exists.
    #[must_use]
    pub fn token(&self, thread: ThreadId) -> ObjectId {
        self.threads[thread.index()].token
    }
}
