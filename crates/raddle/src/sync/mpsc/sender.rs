//! The sending side of a channel without a limit.

use std::fmt;
use std::sync::Arc;

use raddle_trace::Place;

use super::SendError;
use super::queue::{Queue, SenderInRun};
use crate::place::here;

/// The sending side of [`channel`](super::channel).
///
/// ```
/// use raddle::sync::mpsc::{self, Sender};
///
/// let (sender, receiver) = mpsc::channel();
/// let another: Sender<u32> = sender.clone();
/// another.send(5).unwrap();
/// assert_eq!(receiver.recv(), Ok(5));
/// ```
pub struct Sender<T>(Kind<T>);

enum Kind<T> {
    Real(std::sync::mpsc::Sender<T>),
    InRun(SenderInRun<T>),
}

impl<T> Sender<T> {
    pub(super) fn real(sender: std::sync::mpsc::Sender<T>) -> Sender<T> {
        Sender(Kind::Real(sender))
    }

    pub(super) fn in_run(queue: Arc<Queue<T>>, place: Place) -> Sender<T> {
        Sender(Kind::InRun(SenderInRun { queue, place }))
    }

    /// Sends a message; never waits.
    ///
    /// # Errors
    /// If the receiver is gone: gives the message back.
    ///
    /// ```
    /// let (sender, receiver) = raddle::sync::mpsc::channel();
    /// assert!(sender.send(5).is_ok());
    /// drop(receiver);
    /// assert!(sender.send(6).is_err());
    /// ```
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match &self.0 {
            Kind::Real(sender) => sender.send(message),
            Kind::InRun(sender) => sender.queue.send(message, here()),
        }
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Sender<T> {
        Sender(match &self.0 {
            Kind::Real(sender) => Kind::Real(sender.clone()),
            Kind::InRun(sender) => Kind::InRun(sender.another(here())),
        })
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}
