//! Loops that only wait: with a hint, without one, and without anything but hints.

use std::time::Duration;

use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, mpsc};
use raddle::time::Instant;
use raddle::{Check, thread};

#[track_caller]
fn exhausted(program: impl Fn() + Send + Sync) -> u64 {
    let report = Check::new().run(program);
    assert!(report.is_exhausted(), "{report}");
    report.runs()
}

/// The message can come before the first look, between the first and the second, or later; and the sender can go before or
/// after each look that finds nothing.
#[test]
fn polling_a_channel_ends() {
    let runs = exhausted(|| {
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || sender.send(1).unwrap());
        while receiver.try_recv().is_err() {
            thread::yield_now();
        }
        other.join().unwrap();
    });
    assert_eq!(runs, 7);
}

#[test]
fn polling_under_a_lock_ends() {
    exhausted(|| {
        let flag = Arc::new(Mutex::new(false));
        let other = thread::spawn({
            let flag = Arc::clone(&flag);
            move || *flag.lock().unwrap() = true
        });
        while !*flag.lock().unwrap() {
            thread::yield_now();
        }
        other.join().unwrap();
    });
}

#[test]
fn a_spin_lock_without_a_hint_ends() {
    exhausted(|| {
        let lock = Arc::new(AtomicBool::new(false));
        let threads = [(); 2].map(|()| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                while lock.compare_exchange_weak(false, true, SeqCst, SeqCst).is_err() {}
                lock.store(false, SeqCst);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn waiting_for_the_clock_ends() {
    exhausted(|| {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(1) {
            thread::yield_now();
        }
    });
}

#[test]
fn a_loop_of_nothing_but_hints_is_given_up() {
    let report = Check::new().max_steps(50).run(|| {
        loop {
            thread::yield_now();
        }
    });
    assert_eq!(report.verdict(), "stopped");
    let report = Check::new().out(std::env::temp_dir()).run(|| {
        loop {
            thread::yield_now();
        }
    });
    assert_eq!(report.findings()[0].kind(), "livelock");
}

#[test]
fn a_check_inside_a_check_is_refused() {
    let nested = Check::new().out(std::env::temp_dir()).run(|| raddle::check(|| ()));
    assert!(nested.findings()[0].message().contains("inside another check"), "{nested}");
}
