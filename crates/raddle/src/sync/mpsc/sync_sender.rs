//! The sending side of a channel with a limit.

use std::fmt;
use std::sync::Arc;

use raddle_trace::Place;

use super::queue::{Queue, SenderInRun};
use super::{SendError, TrySendError};
use crate::place::here;

/// The sending side of [`sync_channel`](super::sync_channel).
///
/// ```
/// use raddle::sync::mpsc::{self, SyncSender};
///
/// let (sender, receiver) = mpsc::sync_channel(1);
/// let another: SyncSender<u32> = sender.clone();
/// another.send(5).unwrap();
/// assert_eq!(receiver.recv(), Ok(5));
/// ```
pub struct SyncSender<T>(Kind<T>);

enum Kind<T> {
    Real(std::sync::mpsc::SyncSender<T>),
    InRun(SenderInRun<T>),
}

impl<T> SyncSender<T> {
    pub(super) fn real(sender: std::sync::mpsc::SyncSender<T>) -> SyncSender<T> {
        SyncSender(Kind::Real(sender))
    }

    pub(super) fn in_run(queue: Arc<Queue<T>>, place: Place) -> SyncSender<T> {
        SyncSender(Kind::InRun(SenderInRun { queue, place }))
    }

    /// Sends a message, waiting for room.
    ///
    /// # Errors
    /// If the receiver is gone: gives the message back.
    ///
    /// ```
    /// let (sender, receiver) = raddle::sync::mpsc::sync_channel(1);
    /// assert!(sender.send(5).is_ok());
    /// drop(receiver);
    /// assert!(sender.send(6).is_err());
    /// ```
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match &self.0 {
            Kind::Real(sender) if raddle_runtime::in_run() => {
                // Waiting would stop the run, and nobody in it could end the wait.
                match sender.try_send(message) {
                    Err(TrySendError::Full(_)) => panic!("a channel made outside the run is full"),
                    Err(TrySendError::Disconnected(message)) => Err(SendError(message)),
                    Ok(()) => Ok(()),
                }
            }
            Kind::Real(sender) => sender.send(message),
            Kind::InRun(sender) => sender.queue.send(message, here()),
        }
    }

    /// Sends a message if there is room.
    ///
    /// # Errors
    /// If there is none, or if the receiver is gone: gives the message back.
    ///
    /// ```
    /// let (sender, receiver) = raddle::sync::mpsc::sync_channel(1);
    /// assert!(sender.try_send(5).is_ok());
    /// assert!(sender.try_send(6).is_err());
    /// assert_eq!(receiver.recv(), Ok(5));
    /// ```
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        match &self.0 {
            Kind::Real(sender) => sender.try_send(message),
            Kind::InRun(sender) => sender.queue.try_send(message, here()),
        }
    }
}

impl<T> Clone for SyncSender<T> {
    #[track_caller]
    fn clone(&self) -> SyncSender<T> {
        SyncSender(match &self.0 {
            Kind::Real(sender) => Kind::Real(sender.clone()),
            Kind::InRun(sender) => Kind::InRun(sender.another(here())),
        })
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}
