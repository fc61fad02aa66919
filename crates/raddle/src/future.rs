//! Mirror of `std::future`, and how to run a future in a check.
//!
//! The futures of `std` wait for nobody by themselves, so they are the same in a check.

pub use std::future::{Future, IntoFuture, Pending, PollFn, Ready, pending, poll_fn, ready};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::thread::{self, Thread};

/// Runs a future to its end in the current thread.
///
/// While the future is not ready the thread is parked; its waker unparks it. So in a check it is part of the search who
/// wakes it and when, and a future that nobody wakes is a deadlock.
///
/// ```
/// use raddle::{future, sync::mpsc, thread};
/// use std::task::{Poll, Waker};
///
/// raddle::check(|| {
///     let (sender, receiver) = mpsc::channel::<Waker>();
///     let other = thread::spawn(move || receiver.recv().unwrap().wake());
///     let mut first = true;
///     future::block_on(future::poll_fn(|context| {
///         if std::mem::take(&mut first) {
///             sender.send(context.waker().clone()).unwrap();
///             return Poll::Pending;
///         }
///         Poll::Ready(())
///     }));
///     other.join().unwrap();
/// });
/// ```
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        thread::park();
    }
}

/// Wakes a future by unparking the thread that runs it.
struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}
