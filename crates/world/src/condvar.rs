//! Condition variables.
//!
//! A wait gives the mutex back and joins the waiters in one step; a notification makes a waiter want its mutex again.
//! Waiters have no order: which one a notification wakes is a choice of the search. A timed wait can end by itself at
//! any moment, so while it waits its thread has an operation that is always enabled; spurious wake-ups, if asked for,
//! are the same with a number of times.

use raddle_trace::{Kind, ObjectId, Operation, ThreadId};

use crate::world::{Misuse, World};

/// What a waiting thread needs to go on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub condvar: ObjectId,
    pub mutex: ObjectId,
}

impl World {
    pub(crate) fn start_waiting(&mut self, thread: ThreadId, operation: &Operation) -> Result<(), Misuse> {
        let mutex = ObjectId::new(operation.operand as usize);
        if self.objects[mutex.index()].owner != Some(thread) {
            return Err(Misuse::WaitedWithoutMutex);
        }
        self.give_mutex(mutex, thread)?;
        self.objects[mutex.index()].level += 1;
        self.objects[operation.object.index()].threads.insert(thread);
        self.threads[thread.index()].waiting = Some(Waiting { condvar: operation.object, mutex });
        let place = self.pending[thread.index()].place;
        match operation.kind.ends_by_itself() {
            Some(kind) => self.announce(thread, Operation::new(kind, operation.object, 0), place),
            None => self.withdraw(thread),
        }
        self.refresh(mutex);
        Ok(())
    }

    /// Takes a thread out of the waiters, without a notification.
    pub(crate) fn stop_waiting(&mut self, thread: ThreadId, condvar: ObjectId, kind: Kind) {
        self.objects[condvar.index()].threads.remove(thread);
        if kind == Kind::SpuriousWake {
            self.threads[thread.index()].spurious_left -= 1;
        }
        self.want_mutex_again(thread, None);
    }

    /// Wakes the waiter with this place in the order of thread numbers.
    pub(crate) fn notify_one(&mut self, condvar: ObjectId, alternative: u32, number: u32) {
        let waiter = self.objects[condvar.index()]
            .threads
            .nth(alternative as usize)
            .expect("bug in raddle: a notification chose a waiter that is not there");
        self.objects[condvar.index()].threads.remove(waiter);
        self.objects[condvar.index()].changes += 1;
        self.want_mutex_again(waiter, Some(number));
    }

    pub(crate) fn notify_all(&mut self, condvar: ObjectId, number: u32) {
        let waiters = std::mem::take(&mut self.objects[condvar.index()].threads);
        self.objects[condvar.index()].changes += 1;
        for waiter in waiters.iter() {
            self.want_mutex_again(waiter, Some(number));
        }
    }

    fn want_mutex_again(&mut self, thread: ThreadId, cause: Option<u32>) {
        let waiting = self.threads[thread.index()]
            .waiting
            .take()
            .expect("bug in raddle: a thread was woken that did not wait");
        let place = self.pending[thread.index()].place;
        self.announce(thread, Operation::new(Kind::Relock, waiting.mutex, 0), place);
        self.pending[thread.index()].cause = cause;
    }

    /// The condition variable at which a thread waits, un-notified.
    #[must_use]
    pub fn waits_at(&self, thread: ThreadId) -> Option<ObjectId> {
        self.threads[thread.index()].waiting.map(|waiting| waiting.condvar)
    }
}
