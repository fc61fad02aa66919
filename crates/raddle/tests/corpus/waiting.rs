//! Threads that wait for what does not come, or do not wait for what does.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
use raddle::sync::{Barrier, Condvar, Mutex, mpsc};
use raddle::{future, thread};

use super::{Case, fails, share};

pub(crate) const CASES: [Case; 14] = [
    fails("lost_wakeup", "deadlock", 0, lost_wakeup),
    fails("stolen_wakeup", "assertion", 0, stolen_wakeup),
    fails("one_woken_where_two_wait", "deadlock", 0, one_woken_where_two_wait),
    fails("spurious_wakeup_without_a_loop", "assertion", 0, wait_without_a_loop).with_a_spurious_wakeup(),
    fails("timed_wait_that_gives_up", "assertion", 0, timed_wait_that_gives_up),
    fails("timed_receive_that_gives_up", "assertion", 0, timed_receive_that_gives_up),
    fails("both_receive_first", "deadlock", 0, both_receive_first),
    fails("joined_before_its_message_is_sent", "deadlock", 0, joined_before_its_message_is_sent),
    fails("full_channel", "deadlock", 0, full_channel),
    fails("barrier_with_a_missing_thread", "deadlock", 0, barrier_with_a_missing_thread),
    fails("parked_without_unpark", "deadlock", 0, parked_without_unpark),
    fails("future_that_nobody_wakes", "deadlock", 0, future_that_nobody_wakes),
    fails("livelock", "livelock", 0, livelock),
    fails("sender_kept_by_the_receiver", "deadlock", 0, sender_kept_by_the_receiver),
];

type Signal = (Mutex<bool>, Condvar);

fn signal(signal: &Signal) {
    *signal.0.lock().unwrap() = true;
    signal.1.notify_one();
}

/// The waiter does not look whether it is already done.
fn lost_wakeup() {
    let wait = |signal: &Signal| drop(signal.1.wait(signal.0.lock().unwrap()).unwrap());
    share(Signal::default(), &[wait, signal]);
}

fn stolen_wakeup() {
    type Queue = (Mutex<Vec<usize>>, Condvar);
    let consume = |queue: &Queue| {
        let mut items = queue.0.lock().unwrap();
        if items.is_empty() {
            items = queue.1.wait(items).unwrap();
        }
        assert!(items.pop().is_some());
    };
    let steal = |queue: &Queue| _ = queue.0.lock().unwrap().pop();
    let produce = |queue: &Queue| {
        queue.0.lock().unwrap().push(1);
        queue.1.notify_one();
    };
    share(Queue::default(), &[consume, produce, steal]);
}

fn one_woken_where_two_wait() {
    let wait = |signal: &Signal| {
        let done = signal.0.lock().unwrap();
        drop(signal.1.wait_while(done, |done| !*done).unwrap());
    };
    share(Signal::default(), &[wait, wait, signal]);
}

fn wait_without_a_loop() {
    let wait = |signal: &Signal| {
        let mut done = signal.0.lock().unwrap();
        if !*done {
            done = signal.1.wait(done).unwrap();
        }
        assert!(*done);
    };
    share(Signal::default(), &[wait, signal]);
}

fn timed_wait_that_gives_up() {
    let wait = |signal: &Signal| {
        let done = signal.0.lock().unwrap();
        let waited = signal.1.wait_timeout_while(done, Duration::from_secs(60), |done| !*done).unwrap();
        assert!(!waited.1.timed_out());
    };
    share(Signal::default(), &[wait, signal]);
}

fn timed_receive_that_gives_up() {
    let (sender, receiver) = mpsc::channel();
    let other = thread::spawn(move || sender.send(1));
    assert!(receiver.recv_timeout(Duration::from_secs(60)).is_ok());
    assert!(other.join().unwrap().is_ok());
}

fn both_receive_first() {
    let (to_other, from_main) = mpsc::channel();
    let (to_main, from_other) = mpsc::channel();
    let other = thread::spawn(move || {
        let number: usize = from_main.recv().unwrap();
        to_main.send(number).unwrap();
    });
    let number = from_other.recv().unwrap();
    to_other.send(number).unwrap();
    other.join().unwrap();
}

fn joined_before_its_message_is_sent() {
    let (sender, receiver) = mpsc::channel();
    let other = thread::spawn(move || receiver.recv().unwrap());
    other.join().unwrap();
    sender.send(()).unwrap();
}

fn full_channel() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let other = thread::spawn(move || (0..2).for_each(|item| sender.send(item).unwrap()));
    other.join().unwrap();
    assert_eq!(receiver.iter().count(), 2);
}

fn barrier_with_a_missing_thread() {
    let wait = |barrier: &Barrier| {
        barrier.wait();
    };
    share(Barrier::new(3), &[wait, wait]);
}

fn parked_without_unpark() {
    thread::spawn(thread::park).join().unwrap();
}

fn future_that_nobody_wakes() {
    future::block_on(poll_fn(|_| Poll::<()>::Pending));
}

/// Each waits for the other to go first.
fn livelock() {
    type Flags = [AtomicBool; 2];
    let wait = |flags: &Flags, me: usize| {
        while !flags[1 - me].load(SeqCst) {
            thread::yield_now();
        }
        flags[me].store(true, SeqCst);
    };
    let flags = raddle::sync::Arc::new(Flags::default());
    let other = raddle::sync::Arc::clone(&flags);
    let rival = thread::spawn(move || wait(&other, 1));
    wait(&flags, 0);
    rival.join().unwrap();
}

/// The channel never closes, because the receiver itself has a sender.
fn sender_kept_by_the_receiver() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    let worker = thread::spawn(move || other.send(1).unwrap());
    assert_eq!(receiver.iter().count(), 1);
    worker.join().unwrap();
    drop(sender);
}
