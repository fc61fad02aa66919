//! Mirror of `std::sync::mpsc`. The errors are those of `std`.
//!
//! A channel made in a run belongs to the run; after it, messages can still be sent and received, but nobody waits. A
//! channel made outside is one of `std`: in a run it can be used to get messages out, but to wait for one there is a
//! panic, since nothing in the run could know when it comes.

mod queue;
mod receiver;
mod sender;
mod sync_sender;

use std::sync::Arc;

use raddle_runtime::in_run;

use self::queue::Queue;
use crate::place::here;

pub use receiver::{IntoIter, Iter, Receiver, TryIter};
pub use sender::Sender;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
pub use sync_sender::SyncSender;

/// A channel without a limit.
///
/// ```
/// use raddle::sync::mpsc;
///
/// raddle::check(|| {
///     let (sender, receiver) = mpsc::channel();
///     let other = raddle::thread::spawn(move || sender.send(5).unwrap());
///     assert_eq!(receiver.recv(), Ok(5));
///     assert!(receiver.recv().is_err());
///     other.join().unwrap();
/// });
/// ```
#[must_use]
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if in_run() {
        let queue = Arc::new(Queue::new(u64::MAX));
        let sender = Sender::in_run(Arc::clone(&queue), here());
        (sender, Receiver::in_run(queue, here()))
    } else {
        let (sender, receiver) = std::sync::mpsc::channel();
        (Sender::real(sender), Receiver::real(receiver))
    }
}

/// A channel that holds at most `bound` messages; with 0, a send waits until its message is received.
///
/// ```
/// use raddle::sync::mpsc;
///
/// raddle::check(|| {
///     let (sender, receiver) = mpsc::sync_channel(1);
///     let other = raddle::thread::spawn(move || (0..3).for_each(|n| sender.send(n).unwrap()));
///     assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
///     other.join().unwrap();
/// });
/// ```
#[must_use]
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if in_run() {
        let queue = Arc::new(Queue::new(bound as u64));
        let sender = SyncSender::in_run(Arc::clone(&queue), here());
        (sender, Receiver::in_run(queue, here()))
    } else {
        let (sender, receiver) = std::sync::mpsc::sync_channel(bound);
        (SyncSender::real(sender), Receiver::real(receiver))
    }
}
