//! Channels, in and outside of a check.

mod common;

use std::sync::PoisonError;

use common::{finding_of, outcomes, runs};
use raddle::sync::mpsc::{self, RecvTimeoutError, TryRecvError, TrySendError};
use raddle::thread;
use raddle::time::Duration;

#[test]
fn three_senders_of_three_messages_have_1680_runs() {
    let count = runs(|| {
        let (sender, receiver) = mpsc::channel();
        let others: Vec<_> = (0..3)
            .map(|_| {
                let sender = sender.clone();
                thread::spawn(move || (0..3).for_each(|n| sender.send(n).unwrap()))
            })
            .collect();
        drop(sender);
        for other in others {
            other.join().unwrap();
        }
        assert_eq!(receiver.iter().sum::<u32>(), 9);
    });
    assert_eq!(count, 1680);
}

#[test]
fn messages_of_two_senders_mix_in_every_way() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        let another = sender.clone();
        thread::spawn(move || (0..2).for_each(|n| sender.send(n).unwrap()));
        another.send(9).unwrap();
        drop(another);
        receiver.into_iter().collect::<Vec<_>>()
    });
    assert_eq!(seen, [vec![0, 1, 9], vec![0, 9, 1], vec![9, 0, 1]].into());
}

#[test]
fn the_other_side_can_be_gone() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        let dropper = thread::spawn(move || drop(receiver));
        let sent = sender.send(5).is_ok();
        dropper.join().unwrap();
        assert!(sender.send(6).is_err());
        sent
    });
    assert_eq!(seen, [false, true].into());
}

#[test]
fn try_recv_and_recv_timeout_find_a_message_or_not() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send(5).unwrap());
        let first = receiver.try_recv();
        let second = receiver.recv_timeout(Duration::from_secs(1));
        other.join().unwrap();
        let first = match first {
            Ok(_) => 'm',
            Err(TryRecvError::Empty) => 'e',
            Err(TryRecvError::Disconnected) => 'd',
        };
        let second = match second {
            Ok(_) => 'm',
            Err(RecvTimeoutError::Timeout) => 't',
            Err(RecvTimeoutError::Disconnected) => 'd',
        };
        (first, second)
    });
    assert_eq!(seen, [('e', 'm'), ('e', 't'), ('m', 'd'), ('m', 't')].into());
}

#[test]
fn a_full_channel_makes_its_sender_wait() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(1);
        sender.send(1).unwrap();
        assert!(matches!(sender.try_send(2), Err(TrySendError::Full(2))));
        let other = thread::spawn(move || sender.send(3).is_ok());
        assert_eq!(receiver.recv(), Ok(1));
        drop(receiver);
        other.join().unwrap()
    });
    assert_eq!(seen, [false, true].into());
}

#[test]
fn a_sender_without_a_receiver_waits_for_ever_when_the_channel_is_full() {
    let finding = finding_of(|| {
        let (sender, _receiver) = mpsc::sync_channel(1);
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    assert!(finding.to_lowercase().contains("deadlock"), "{finding}");
}

#[test]
fn with_bound_zero_a_send_ends_after_its_message_was_received() {
    use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
    raddle::check(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let received = raddle::sync::Arc::new(AtomicBool::new(false));
        let seen = raddle::sync::Arc::clone(&received);
        let other = thread::spawn(move || {
            seen.store(true, SeqCst);
            assert_eq!(receiver.recv(), Ok(5));
        });
        sender.send(5).unwrap();
        assert!(received.load(SeqCst));
        other.join().unwrap();
    });
}

#[test]
fn with_bound_zero_a_try_to_send_succeeds_only_while_the_receiver_waits() {
    let handed_over = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let other = thread::spawn(move || receiver.recv().ok());
        let sent = sender.try_send(5).is_ok();
        drop(sender);
        (sent, other.join().unwrap())
    });
    assert_eq!(handed_over, [(false, None), (true, Some(5))].into());
    let tried = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let other = thread::spawn(move || (receiver.try_recv().ok(), receiver));
        let sent = sender.try_send(5).is_ok();
        (sent, other.join().unwrap().0)
    });
    assert_eq!(tried, [(false, None)].into());
    let in_time = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let other = thread::spawn(move || receiver.recv_timeout(Duration::from_millis(1)).ok());
        let sent = sender.try_send(5).is_ok();
        (sent, other.join().unwrap())
    });
    assert_eq!(in_time, [(false, None), (true, Some(5))].into());
}

#[test]
fn with_bound_zero_one_of_two_tries_finds_the_receiver() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let senders =
            [sender.clone(), sender].map(|sender| thread::spawn(move || sender.try_send(()).is_ok()));
        let received = receiver.recv().is_ok();
        (received, senders.map(|sender| sender.join().unwrap()))
    });
    assert_eq!(seen, [(false, [false, false]), (true, [false, true]), (true, [true, false])].into());
}

#[test]
fn with_bound_zero_a_send_fails_when_the_receiver_goes() {
    raddle::check(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let other = thread::spawn(move || drop(receiver));
        assert_eq!(sender.send(5).map_err(|error| error.0), Err(5));
        other.join().unwrap();
    });
}

#[test]
fn messages_that_nobody_receives_are_dropped_with_the_receiver() {
    raddle::check(|| {
        let (sender, receiver) = mpsc::channel();
        let message = raddle::sync::Arc::new(());
        sender.send(raddle::sync::Arc::clone(&message)).unwrap();
        drop(receiver);
        assert_eq!(raddle::sync::Arc::strong_count(&message), 1);
    });
}

#[test]
fn a_channel_made_outside_gets_messages_out_of_a_run() {
    let (sender, receiver) = mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    raddle::check(move || sender.lock().unwrap().send(raddle::choose(2)).unwrap());
    assert!(receiver.iter().any(|value| value == 1));
}

#[test]
fn waiting_in_a_run_for_a_channel_made_outside_is_reported() {
    let (_sender, receiver) = mpsc::channel::<u32>();
    let receiver = std::sync::Mutex::new(receiver);
    let finding = finding_of(move || {
        // Each run's panic poisons the mutex for the next.
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = receiver.recv();
    });
    assert!(finding.contains("made outside"), "{finding}");
}

#[test]
fn outside_a_check_channels_connect_real_threads() {
    let (sender, receiver) = mpsc::sync_channel(0);
    let other = thread::spawn(move || (0..3).for_each(|n| sender.send(n).unwrap()));
    assert_eq!((&receiver).into_iter().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    other.join().unwrap();
}
