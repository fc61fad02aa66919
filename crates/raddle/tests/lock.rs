//! Mutexes and reader-writer locks, in and outside of a check.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{finding_of, outcomes, runs};
use raddle::cell::UnsafeCell;
use raddle::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockWriteGuard, Semaphore, TryLockError};
use raddle::thread;
use raddle::{Check, Strategy};

#[test]
fn two_threads_that_add_under_a_mutex_have_two_runs() {
    let count = runs(|| {
        let sum = Arc::new(Mutex::new(0));
        let other = Arc::clone(&sum);
        let adder = thread::spawn(move || *other.lock().unwrap() += 1);
        *sum.lock().unwrap() += 1;
        adder.join().unwrap();
        assert_eq!(*sum.lock().unwrap(), 2);
    });
    assert_eq!(count, 2);
}

#[test]
fn three_readers_and_a_writer_have_eight_runs() {
    let count = runs(|| {
        let value = Arc::new(RwLock::new(0));
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let value = Arc::clone(&value);
                thread::spawn(move || *value.read().unwrap())
            })
            .collect();
        *value.write().unwrap() = 1;
        for reader in readers {
            assert!(reader.join().unwrap() <= 1);
        }
    });
    assert_eq!(count, 8);
}

/// The reader comes before the writer or after the downgrade; that the writer ends its reading is nothing to it.
#[test]
fn a_downgrade_beside_a_reader_has_two_runs() {
    let count = runs(|| {
        let value = Arc::new(RwLock::new(0));
        let other = Arc::clone(&value);
        let reader = thread::spawn(move || *other.read().unwrap());
        let mut writing = value.write().unwrap();
        *writing = 1;
        assert_eq!(*RwLockWriteGuard::downgrade(writing), 1);
        assert!(reader.join().unwrap() <= 1);
    });
    assert_eq!(count, 2);
}

/// The writers come in either order, and the reader before, between or after them: never between a write and its downgrade.
#[test]
fn no_writer_gets_in_at_a_downgrade() {
    let program = || {
        let value = Arc::new(RwLock::new(0));
        let (second, third) = (Arc::clone(&value), Arc::clone(&value));
        let writer = thread::spawn(move || *second.write().unwrap() = 2);
        let reader = thread::spawn(move || *third.read().unwrap());
        let mut writing = value.write().unwrap();
        *writing = 1;
        let reading = RwLockWriteGuard::downgrade(writing);
        assert_eq!(*reading, 1);
        drop(reading);
        writer.join().unwrap();
        assert!(reader.join().unwrap() <= 2);
    };
    assert_eq!(runs(program), 6);
    for strategy in [Strategy::OptimalDpor, Strategy::Unfolding, Strategy::StatefulNaive] {
        let report = Check::new().strategy(strategy).run(program);
        assert!(report.is_exhausted(), "{strategy}: {report}");
        assert_eq!(report.model().is_some(), strategy != Strategy::OptimalDpor, "{strategy}");
    }
}

/// Whoever tries to read fails between the write and the downgrade, and succeeds before and after.
#[test]
fn a_downgraded_lock_lets_readers_in_and_no_writer() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let writing = lock.write().unwrap();
        let other = Arc::clone(&lock);
        let trying = thread::spawn(move || other.try_read().is_ok());
        let reading = RwLockWriteGuard::downgrade(writing);
        assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
        let got = trying.join().unwrap();
        drop(reading);
        assert!(lock.try_write().is_ok());
        got
    });
    assert_eq!(seen, [false, true].into());
    let waits_for = |other: fn(&RwLock<u32>)| {
        move || {
            let lock = Arc::new(RwLock::new(0));
            let writing = lock.write().unwrap();
            let shared = Arc::clone(&lock);
            let waiting = thread::spawn(move || other(&shared));
            let _reading = RwLockWriteGuard::downgrade(writing);
            waiting.join().unwrap();
        }
    };
    assert_eq!(runs(waits_for(|lock| drop(lock.read()))), 1);
    let finding = finding_of(waits_for(|lock| drop(lock.write())));
    assert!(finding.to_lowercase().contains("deadlock"), "{finding}");
}

/// What was written before the downgrade is seen by readers; what is written after it races with them.
#[test]
fn a_downgrade_publishes_what_was_written_before() {
    struct Guarded(RwLock<()>, UnsafeCell<u32>);
    // SAFETY: Raddle lets one thread go at a time; whether the lock orders them is what is asked.
    unsafe impl Sync for Guarded {}
    let program = |late: bool| {
        move || {
            let guarded = Arc::new(Guarded(RwLock::new(()), UnsafeCell::new(0)));
            let other = Arc::clone(&guarded);
            let reader = thread::spawn(move || {
                let _reading = other.0.read().unwrap();
                // SAFETY: as above.
                other.1.with(|value| unsafe { *value })
            });
            // SAFETY: as above.
            let write = |value: u32| guarded.1.with_mut(|place| unsafe { *place = value });
            let writing = guarded.0.write().unwrap();
            write(1);
            let reading = RwLockWriteGuard::downgrade(writing);
            if late {
                write(2);
            }
            drop(reading);
            reader.join().unwrap();
        }
    };
    assert_eq!(runs(program(false)), 2);
    let finding = finding_of(program(true));
    assert!(finding.to_lowercase().contains("data race"), "{finding}");
}

#[test]
fn a_panic_after_a_downgrade_poisons_nothing() {
    let panics = || {
        let lock = RwLock::new(5);
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let _reading = RwLockWriteGuard::downgrade(lock.write().unwrap());
            panic!("on purpose");
        }));
        assert!(panic.is_err() && !lock.is_poisoned());
        assert_eq!(*lock.write().unwrap(), 5);
    };
    panics();
    raddle::check(panics);
}

#[test]
fn outside_a_check_a_downgrade_lets_readers_in_and_no_writer() {
    let lock = RwLock::new(5);
    let mut writing = lock.write().unwrap();
    *writing += 1;
    let reading = RwLockWriteGuard::downgrade(writing);
    thread::scope(|scope| {
        assert_eq!(scope.spawn(|| *lock.read().unwrap()).join().unwrap(), 6);
        assert!(scope.spawn(|| lock.try_write().is_err()).join().unwrap());
    });
    drop(reading);
    assert!(lock.try_write().is_ok());
}

#[test]
fn locks_taken_in_opposite_orders_deadlock() {
    let finding = finding_of(|| {
        let locks = Arc::new((Mutex::new(1), Mutex::new(2)));
        let other = Arc::clone(&locks);
        let rival = thread::spawn(move || {
            let second = other.1.lock().unwrap();
            *second + *other.0.lock().unwrap()
        });
        let first = locks.0.lock().unwrap();
        let sum = *first + *locks.1.lock().unwrap();
        drop(first);
        assert_eq!(rival.join().unwrap(), sum);
    });
    assert!(finding.to_lowercase().contains("deadlock"), "{finding}");
}

#[test]
fn a_mutex_taken_twice_by_one_thread_deadlocks() {
    let finding = finding_of(|| {
        let lock = Mutex::new(());
        let _first = lock.lock();
        let _second = lock.lock();
    });
    assert!(finding.to_lowercase().contains("deadlock"), "{finding}");
}

#[test]
fn try_lock_succeeds_or_fails() {
    let seen = outcomes(|| {
        let lock = Arc::new(Mutex::new(()));
        let other = Arc::clone(&lock);
        let holder = thread::spawn(move || drop(other.lock().unwrap()));
        let got = lock.try_lock().is_ok();
        holder.join().unwrap();
        got
    });
    assert_eq!(seen, [false, true].into());
}

#[test]
fn try_read_and_try_write_see_who_holds_the_lock() {
    raddle::check(|| {
        let lock = RwLock::new(5);
        let reading = lock.read().unwrap();
        assert_eq!(lock.try_read().map(|value| *value).ok(), Some(5));
        assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
        drop(reading);
        let writing = lock.try_write().unwrap();
        assert!(matches!(lock.try_read(), Err(TryLockError::WouldBlock)));
        drop(writing);
    });
}

#[test]
fn a_panic_poisons_in_a_run_but_not_in_the_next() {
    static LOCK: Mutex<u32> = Mutex::new(5);
    static SHARED: RwLock<u32> = RwLock::new(5);
    let seen = outcomes(|| {
        let before = LOCK.lock().is_ok() && SHARED.write().is_ok();
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let _lock = LOCK.lock().unwrap();
            let _shared = SHARED.write().unwrap();
            panic!("on purpose");
        }));
        assert!(panic.is_err() && LOCK.is_poisoned() && SHARED.is_poisoned());
        assert!(matches!(LOCK.try_lock(), Err(TryLockError::Poisoned(_))));
        assert!(SHARED.read().is_err());
        let _ = raddle::choose(3);
        before
    });
    assert_eq!(seen, [true].into());
}

#[test]
fn guards_show_what_they_guard() {
    let lock = Mutex::new(5);
    assert_eq!(format!("{:?}", lock.lock().unwrap()), "5");
    raddle::check(|| {
        let lock = RwLock::new(5);
        assert_eq!(format!("{}", lock.read().unwrap()), "5");
        assert_eq!(format!("{:?}", lock.write().unwrap()), "5");
    });
}

#[test]
fn a_mutex_can_hold_what_has_no_size() {
    raddle::check(|| {
        let slice: std::sync::Arc<Mutex<[u32]>> = std::sync::Arc::new(Mutex::new([1, 2, 3]));
        slice.lock().unwrap()[1] = 5;
        assert_eq!(slice.lock().unwrap().iter().sum::<u32>(), 9);
    });
}

#[test]
fn a_lock_that_is_held_outside_the_run_is_reported() {
    static LOCK: Mutex<()> = Mutex::new(());
    let _held: MutexGuard<'_, ()> = LOCK.lock().unwrap();
    let finding = finding_of(|| drop(LOCK.lock()));
    assert!(finding.contains("held by somebody outside the run"), "{finding}");
}

#[test]
fn outside_a_check_locks_work_between_real_threads() {
    let (sum, shared) = (Mutex::new(0), RwLock::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    *sum.lock().unwrap() += 1;
                    *shared.write().unwrap() += 1;
                }
            });
        }
    });
    assert_eq!((sum.into_inner().unwrap(), *shared.read().unwrap()), (400, 400));
}

/// When a run ends in the middle, the destructors of what its threads hold run, and may use locks themselves.
#[test]
fn destructors_that_lock_do_not_disturb_the_end_of_a_run() {
    struct Locks(Arc<Mutex<u32>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) += 1;
        }
    }
    let finding = finding_of(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Locks(Arc::clone(&lock));
        thread::spawn(move || {
            let _other = other;
            thread::park();
        });
        let _mine = Locks(lock);
        thread::yield_now();
        panic!("on purpose");
    });
    assert!(finding.contains("on purpose"), "{finding}");
}

#[test]
fn a_thread_that_reads_again_behind_a_writer_waits_for_ever() {
    let finding = finding_of(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let writer = thread::spawn(move || *other.write().unwrap() = 1);
        let first = lock.read().unwrap();
        let second = lock.read().unwrap();
        assert_eq!(*first, *second);
        drop((first, second));
        writer.join().unwrap();
    });
    assert!(finding.contains("deadlock: T0 and T1 wait for each other"), "{finding}");
    assert!(finding.contains("T0 reads rwlock 1 a second time, behind T1"), "{finding}");
}

#[test]
fn a_thread_may_read_again_where_nobody_writes_meanwhile() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let reader = thread::spawn(move || {
            let first = other.read().unwrap();
            *first + *other.read().unwrap()
        });
        let here = *lock.read().unwrap();
        let there = reader.join().unwrap();
        *lock.write().unwrap() += 1;
        (here, there, *lock.read().unwrap())
    });
    assert_eq!(seen, [(0, 0, 1)].into());
}

#[test]
fn a_semaphore_has_the_same_limit_in_a_check_and_outside() {
    let most = || Semaphore::new(Semaphore::MAX_PERMITS);
    let body = || assert!(most().try_acquire());
    body();
    raddle::check(body);
    let too_many: [fn(); 3] = [
        || Semaphore::new(Semaphore::MAX_PERMITS).release(1),
        || Semaphore::new(1).release(usize::MAX),
        || _ = Semaphore::new(usize::MAX),
    ];
    for body in too_many {
        assert!(catch_unwind(body).is_err());
        let finding = finding_of(body);
        assert!(finding.contains("too many permits in a semaphore"), "{finding}");
    }
}
