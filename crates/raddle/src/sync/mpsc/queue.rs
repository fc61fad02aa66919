//! The messages of a channel in a run.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use raddle_runtime::{Executed, Registration, end_of_run, in_run, visit, with_world};
use raddle_trace::level::channel::OFFERED;
use raddle_trace::{Kind, ObjectId, Operation, Outcome, Place};
use raddle_world::ObjectKind;

use super::{SendError, TrySendError};

/// What senders and the receiver share. The world counts messages and senders; here are the messages themselves.
pub(super) struct Queue<T> {
    registration: Registration,
    messages: Mutex<VecDeque<T>>,
    senders: AtomicUsize,
    receiver_gone: AtomicBool,
    /// Whether the last message of a channel that holds nothing has to go back to its sender.
    refused: AtomicBool,
    /// `u64::MAX` if there is no limit.
    capacity: u64,
}

/// Why there is no message.
pub(super) enum Nothing {
    Empty,
    TimedOut,
    Closed,
}

impl<T> Queue<T> {
    /// Of a channel with one sender.
    pub(super) fn new(capacity: u64) -> Queue<T> {
        Queue {
            registration: Registration::new(),
            messages: Mutex::new(VecDeque::new()),
            senders: AtomicUsize::new(1),
            receiver_gone: AtomicBool::new(false),
            refused: AtomicBool::new(false),
            capacity,
        }
    }

    fn number(&self, place: Place) -> ObjectId {
        let mut from_before = VecDeque::new();
        let number = self.registration.number(place, || {
            std::mem::swap(&mut from_before, &mut *self.messages());
            ObjectKind::Channel { senders: self.senders.load(Ordering::Relaxed) as u64 }
        });
        // If the channel is from an earlier run, so were the messages in it. Dropping them is the program's code, which
        // must not happen while the number is made.
        drop(from_before);
        number
    }

    fn messages(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn visit(&self, kind: Kind, operand: u64, place: Place) -> Executed {
        visit(Operation::new(kind, self.number(place), operand), place)
    }

    /// Outside a run, or when it is over: takes the message if anybody can still receive it.
    fn push_quietly(&self, message: T) -> Result<(), SendError<T>> {
        if self.receiver_gone.load(Ordering::Relaxed) {
            return Err(SendError(message));
        }
        self.messages().push_back(message);
        Ok(())
    }

    pub(super) fn send(&self, message: T, place: Place) -> Result<(), SendError<T>> {
        if !self.registration.in_run() {
            return self.push_quietly(message);
        }
        let executed = self.visit(Kind::Send, self.capacity.max(1), place);
        if executed.skipped {
            return self.push_quietly(message);
        }
        if executed.outcome == Outcome::Closed {
            return Err(SendError(message));
        }
        self.messages().push_back(message);
        if self.capacity == 0 {
            return self.wait_until_taken(place);
        }
        Ok(())
    }

    /// The channel holds nothing: waits until the message that was just sent has been received.
    fn wait_until_taken(&self, place: Place) -> Result<(), SendError<T>> {
        let channel = self.number(place);
        let index = with_world(|world| world.sent(channel)) - 1;
        let executed = self.visit(Kind::Taken, index, place);
        if executed.skipped || !self.refused.load(Ordering::Relaxed) {
            return Ok(());
        }
        let message = self.messages().pop_front();
        message.map_or(Ok(()), |message| Err(SendError(message)))
    }

    pub(super) fn try_send(&self, message: T, place: Place) -> Result<(), TrySendError<T>> {
        if !self.registration.in_run() {
            return self.push_quietly(message).map_err(TrySendError::from);
        }
        let executed = self.visit(Kind::TrySend, self.capacity, place);
        if executed.skipped {
            return self.push_quietly(message).map_err(TrySendError::from);
        }
        match executed.outcome {
            Outcome::Closed => Err(TrySendError::Disconnected(message)),
            Outcome::Failed => Err(TrySendError::Full(message)),
            _ => {
                self.messages().push_back(message);
                Ok(())
            }
        }
    }

    pub(super) fn receive(&self, kind: Kind, place: Place) -> Result<T, Nothing> {
        if !self.registration.in_run() {
            return self.messages().pop_front().ok_or(Nothing::Closed);
        }
        let offers = self.capacity == 0 && kind != Kind::TryReceive;
        let executed = if offers {
            self.visit(Kind::Offer, 0, place);
            self.visit(kind, OFFERED, place)
        } else {
            self.visit(kind, 0, place)
        };
        if executed.skipped {
            return self.receive_after_the_end(kind);
        }
        match executed.outcome {
            Outcome::Closed => Err(Nothing::Closed),
            Outcome::Failed => Err(Nothing::Empty),
            Outcome::TimedOut => Err(Nothing::TimedOut),
            _ => {
                Ok(self.messages().pop_front().expect("bug in raddle: received a message that is not there"))
            }
        }
    }

    fn receive_after_the_end(&self, kind: Kind) -> Result<T, Nothing> {
        let message = self.messages().pop_front();
        match (message, kind) {
            (Some(message), _) => Ok(message),
            (None, _) if self.senders.load(Ordering::Relaxed) == 0 => Err(Nothing::Closed),
            (None, Kind::TryReceive) => Err(Nothing::Empty),
            // A destructor waits for a thread that will never act again.
            (None, _) => end_of_run(),
        }
    }

    fn add_sender(&self, place: Place) {
        if self.registration.in_run() {
            self.visit(Kind::AddSender, 0, place);
        }
        self.senders.fetch_add(1, Ordering::Relaxed);
    }

    fn drop_sender(&self, place: Place) {
        // The number first: it counts the senders if it is new.
        let channel = in_run().then(|| self.number(place));
        // The visit may unwind, and the sender is gone nevertheless.
        self.senders.fetch_sub(1, Ordering::Relaxed);
        if let Some(channel) = channel {
            visit(Operation::new(Kind::DropSender, channel, 0), place);
        }
    }

    pub(super) fn drop_receiver(&self, place: Place) {
        let channel = in_run().then(|| self.number(place));
        self.receiver_gone.store(true, Ordering::Relaxed);
        if let Some(channel) = channel {
            visit(Operation::new(Kind::DropReceiver, channel, 0), place);
        }
        if self.capacity == 0 && in_run() {
            self.refuse_last(place);
        } else {
            // As in `std`, what nobody can receive goes with the receiver. Dropping it is the program's code, so not under
            // the lock.
            let left = std::mem::take(&mut *self.messages());
            drop(left);
        }
    }

    /// The receiver is gone, and somebody may still be waiting for his message to be taken: lets him go on, and take it
    /// back.
    fn refuse_last(&self, place: Place) {
        let some = !self.messages().is_empty();
        if some {
            self.refused.store(true, Ordering::Relaxed);
            self.visit(Kind::TryReceive, 0, place);
        }
    }
}

/// One sender of a channel of a run.
pub(super) struct SenderInRun<T> {
    pub queue: Arc<Queue<T>>,
    /// Where it was made: its end has no place of its own.
    pub place: Place,
}

impl<T> SenderInRun<T> {
    pub(super) fn another(&self, place: Place) -> SenderInRun<T> {
        self.queue.add_sender(place);
        SenderInRun { queue: Arc::clone(&self.queue), place }
    }
}

impl<T> Drop for SenderInRun<T> {
    fn drop(&mut self) {
        self.queue.drop_sender(self.place);
    }
}
