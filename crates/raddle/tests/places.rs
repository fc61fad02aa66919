//! Every event has the place in the program where it was asked for.

use std::time::Duration;

use raddle::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst, fence};
use raddle::sync::{Arc, Condvar, LazyLock, Mutex, OnceLock, RwLock, RwLockWriteGuard, mpsc};
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
        let guard = shared.write().unwrap();
        let guard = RwLockWriteGuard::downgrade(guard); // 15
        drop(guard);
        Condvar::new().notify_one(); // 17
        let cell = OnceLock::new(); // 18
        cell.get_or_init(|| 5);
        assert_eq!(cell.get().copied(), Some(*LAZY)); // 20
        let (sender, receiver) = mpsc::channel();
        sender.clone().send(5).unwrap(); // 22
        receiver.recv().unwrap();
        drop((sender, receiver)); // 24
        let other = thread::spawn(|| ());
        other.join().unwrap(); // 26
        thread::scope(|scope| {
            scope.spawn(|| ()); // 28
        });
    });
    let expected = [
        (Store, 3), (ReadModifyWrite, 4), (Load, 5), (CompareExchange, 5), (Fence, 6),
        (Lock, 8), (Unlock, 8), (Read, 11), (ReadUnlock, 11), (TryWrite, 13), (WriteUnlock, 13),
        (Write, 14), (Downgrade, 15), (ReadUnlock, 15), (NotifyOne, 17),
        (OnceEnter, 19), (OnceExit, 19), (OnceLook, 20), (OnceEnter, 20), (OnceExit, 20),
        (AddSender, 22), (Send, 22), (DropSender, 22), (Receive, 23), (DropSender, 21), (DropReceiver, 21),
        (Create, 25), (Join, 26), (Create, 28), (Join, 27),
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
