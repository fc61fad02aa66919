//! The receiving side of channels.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use raddle_trace::{Kind, Place};

use super::queue::{Nothing, Queue};
use super::{RecvError, RecvTimeoutError, TryRecvError};
use crate::place::here;

/// The receiving side of a channel.
///
/// ```
/// use raddle::sync::mpsc::{self, Receiver};
///
/// let (sender, receiver) = mpsc::channel();
/// let receiver: Receiver<u32> = receiver;
/// sender.send(5).unwrap();
/// assert_eq!(receiver.recv(), Ok(5));
/// ```
pub struct Receiver<T>(Side<T>);

enum Side<T> {
    Real(std::sync::mpsc::Receiver<T>),
    InRun(ReceiverInRun<T>),
}

struct ReceiverInRun<T> {
    queue: Arc<Queue<T>>,
    place: Place,
}

impl<T> Drop for ReceiverInRun<T> {
    fn drop(&mut self) {
        self.queue.drop_receiver(self.place);
    }
}

impl<T> Receiver<T> {
    pub(super) fn real(receiver: std::sync::mpsc::Receiver<T>) -> Receiver<T> {
        Receiver(Side::Real(receiver))
    }

    pub(super) fn in_run(queue: Arc<Queue<T>>, place: Place) -> Receiver<T> {
        Receiver(Side::InRun(ReceiverInRun { queue, place }))
    }

    /// Takes the first message, waiting for one.
    ///
    /// # Errors
    /// If there is none and all senders are gone.
    ///
    /// # Panics
    /// In a run, if the channel was made outside and is empty.
    ///
    /// ```
    /// let (sender, receiver) = raddle::sync::mpsc::channel();
    /// sender.send(5).unwrap();
    /// drop(sender);
    /// assert!(receiver.recv().is_ok());
    /// assert!(receiver.recv().is_err());
    /// ```
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.0 {
            Side::Real(receiver) if raddle_runtime::in_run() => match receiver.try_recv() {
                Err(TryRecvError::Empty) => panic!("waited in a run for a channel that was made outside it"),
                Err(TryRecvError::Disconnected) => Err(RecvError),
                Ok(message) => Ok(message),
            },
            Side::Real(receiver) => receiver.recv(),
            Side::InRun(receiver) => receiver.queue.receive(Kind::Receive, here()).map_err(|_| RecvError),
        }
    }

    /// Takes the first message if there is one.
    ///
    /// # Errors
    /// If there is none.
    ///
    /// ```
    /// use raddle::sync::mpsc::{self, TryRecvError};
    ///
    /// let (sender, receiver) = mpsc::channel::<u32>();
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    /// drop(sender);
    /// assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    /// ```
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.0 {
            Side::Real(receiver) => receiver.try_recv(),
            Side::InRun(receiver) => {
                receiver.queue.receive(Kind::TryReceive, here()).map_err(|nothing| match nothing {
                    Nothing::Closed => TryRecvError::Disconnected,
                    _ => TryRecvError::Empty,
                })
            }
        }
    }

    /// Takes the first message, but does not wait for longer than `timeout`. A check tries both, and puts the thread's
    /// clock forward by `timeout` if the time is over.
    ///
    /// # Errors
    /// If there is none.
    ///
    /// ```
    /// use raddle::sync::mpsc::{self, RecvTimeoutError};
    /// use raddle::time::Duration;
    ///
    /// let (sender, receiver) = mpsc::channel::<u32>();
    /// assert_eq!(receiver.recv_timeout(Duration::from_millis(1)), Err(RecvTimeoutError::Timeout));
    /// # drop(sender);
    /// ```
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.0 {
            Side::Real(receiver) => receiver.recv_timeout(timeout),
            Side::InRun(receiver) => match receiver.queue.receive(Kind::TimedReceive, here()) {
                Ok(message) => Ok(message),
                Err(Nothing::Closed) => Err(RecvTimeoutError::Disconnected),
                Err(Nothing::TimedOut | Nothing::Empty) => {
                    crate::time::pass(timeout);
                    Err(RecvTimeoutError::Timeout)
                }
            },
        }
    }

    /// The messages, waiting for each, until all senders are gone.
    ///
    /// ```
    /// let (sender, receiver) = raddle::sync::mpsc::channel();
    /// raddle::thread::spawn(move || (0..3).for_each(|n| sender.send(n).unwrap()));
    /// assert_eq!(receiver.iter().sum::<u32>(), 3);
    /// ```
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// The messages that are there.
    ///
    /// ```
    /// let (sender, receiver) = raddle::sync::mpsc::channel();
    /// sender.send(5).unwrap();
    /// assert_eq!(receiver.try_iter().count(), 1);
    /// ```
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// The messages of a channel, waiting for each: see [`Receiver::iter`].
///
/// ```
/// use raddle::sync::mpsc;
///
/// let (sender, receiver) = mpsc::channel();
/// sender.send(5).unwrap();
/// let mut messages: mpsc::Iter<'_, u32> = receiver.iter();
/// assert_eq!(messages.next(), Some(5));
/// ```
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
}

/// The messages that are there: see [`Receiver::try_iter`].
///
/// ```
/// use raddle::sync::mpsc;
///
/// let (sender, receiver) = mpsc::channel();
/// sender.send(5).unwrap();
/// let mut messages: mpsc::TryIter<'_, u32> = receiver.try_iter();
/// assert_eq!((messages.next(), messages.next()), (Some(5), None));
/// ```
#[derive(Debug)]
pub struct TryIter<'a, T> {
    receiver: &'a Receiver<T>,
}

/// The messages of a channel with its receiver.
///
/// ```
/// use raddle::sync::mpsc;
///
/// let (sender, receiver) = mpsc::channel();
/// sender.send(5).unwrap();
/// drop(sender);
/// let messages: mpsc::IntoIter<u32> = receiver.into_iter();
/// assert_eq!(messages.count(), 1);
/// ```
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}
