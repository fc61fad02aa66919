//! Every event has the place in the program where it was asked for.

use std::time::Duration;

use raddle::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst, fence};
use raddle::sync::{Arc, Condvar, LazyLock, Mutex, OnceLock, RwLock, mpsc};
use raddle::thread;
use raddle_explore::strategies::OptimalDpor;
use raddle_explore::{Budget, RunLimits, Search, Stop};
use raddle_runtime::{Program, StageOptions};
use raddle_trace::Kind;

/// The kinds and lines of the events of the first run, the lines counted from the first one, and whether weaker orders
/// than the strongest were asked for.
fn places(first: u32, f: impl Fn()) -> (Vec<(Kind, u32)>, bool) {
    let mut program = Program::new(f, StageOptions::default());
    let mut search = Search {
        subject: &mut program,
        strategy: &mut OptimalDpor::new(),
        budget: Budget { max_runs: Some(1), max_time: None },
        limits: RunLimits::default(),
        elapsed: &|| Duration::ZERO,
    };
    let mut places = Vec::new();
    let reached = search.run(&mut |run, _| {
        for event in &run.events {
            if let Some(line) = event.place.line() {
                assert!(event.place.file().is_some_and(|file| file.ends_with("places.rs")), "{event:?}");
                places.push((event.operation.kind, line - first));
            }
        }
        Stop::No
    });
    (places, reached.weaker_orders)
}

#[rustfmt::skip]
#[test]
fn events_are_where_the_program_asked_for_them() {
    use Kind::*;
    static LAZY: LazyLock<u32> = LazyLock::new(|| 5);
    let first = line!();
    let (places, weaker) = places(first, || {
        let atomic = AtomicU32::new(0);
        atomic.store(1, SeqCst); // 3
        atomic.fetch_add(1, SeqCst);
        let _ = atomic.fetch_update(SeqCst, SeqCst, |value| Some(value + 1)); // 5
        fence(SeqCst);
        let lock = Mutex::new(0);
        let guard = lock.lock(); // 8
        drop(guard);
        let shared = RwLock::new(0);
        let guard = shared.read(); // 11
        drop(guard);
        drop(shared.try_write()); // 13
        Condvar::new().notify_one();
        let cell = OnceLock::new(); // 15
        cell.get_or_init(|| 5);
        assert_eq!(cell.get().copied(), Some(*LAZY)); // 17
        let (sender, receiver) = mpsc::channel();
        sender.clone().send(5).unwrap(); // 19
        receiver.recv().unwrap();
        drop((sender, receiver)); // 21
        let other = thread::spawn(|| ());
        other.join().unwrap(); // 23
        thread::scope(|scope| {
            scope.spawn(|| ()); // 25
        });
    });
    let expected = [
        (Store, 3), (ReadModifyWrite, 4), (Load, 5), (CompareExchange, 5), (Fence, 6),
        (Lock, 8), (Unlock, 8), (Read, 11), (ReadUnlock, 11), (TryWrite, 13), (WriteUnlock, 13), (NotifyOne, 14),
        (OnceEnter, 16), (OnceExit, 16), (OnceLook, 17), (OnceEnter, 17), (OnceExit, 17),
        (AddSender, 19), (Send, 19), (DropSender, 19), (Receive, 20), (DropSender, 18), (DropReceiver, 18),
        (Create, 22), (Join, 23), (Create, 25), (Join, 24),
    ];
    assert_eq!(places, expected);
    assert!(!weaker);
}

#[test]
fn weaker_orders_are_noticed() {
    assert!(places(0, || AtomicU32::new(0).store(1, Relaxed)).1);
    assert!(places(0, || _ = AtomicU32::new(0).compare_exchange(0, 1, SeqCst, Relaxed)).1);
    let arc = Arc::new(AtomicU32::new(0));
    assert!(!places(0, move || arc.store(1, SeqCst)).1);
}
