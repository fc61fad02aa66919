//! Condition variables, barriers and semaphores, in and outside of a check.

mod common;

use common::{finding_of, outcomes, runs};
use raddle::sync::{Arc, Barrier, Condvar, Mutex, Semaphore};
use raddle::thread;
use raddle::time::{Duration, Instant};

#[test]
fn a_wait_ends_with_its_notification() {
    raddle::check(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let other = Arc::clone(&shared);
        let setter = thread::spawn(move || {
            *other.0.lock().unwrap() = 5;
            other.1.notify_one();
        });
        let guard = shared.1.wait_while(shared.0.lock().unwrap(), |value| *value == 0).unwrap();
        assert_eq!(*guard, 5);
        drop(guard);
        setter.join().unwrap();
    });
}

#[test]
fn a_notification_that_comes_too_early_is_lost() {
    let finding = finding_of(|| {
        let shared = Arc::new((Mutex::new(()), Condvar::new()));
        let other = Arc::clone(&shared);
        let setter = thread::spawn(move || other.1.notify_one());
        drop(shared.1.wait(shared.0.lock().unwrap()).unwrap());
        setter.join().unwrap();
    });
    assert!(finding.to_lowercase().contains("deadlock"), "{finding}");
}

#[test]
fn any_waiter_can_be_the_one_that_is_woken() {
    let seen = outcomes(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let (waiting, woken) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let waiters = [1, 2].map(|number| {
            let (shared, waiting, woken) = (Arc::clone(&shared), Arc::clone(&waiting), Arc::clone(&woken));
            thread::spawn(move || {
                let mut guard = shared.0.lock().unwrap();
                waiting.release(1);
                guard = shared.1.wait(guard).unwrap();
                if *guard == 0 {
                    *guard = number;
                }
                drop(guard);
                woken.release(1);
            })
        });
        waiting.acquire();
        waiting.acquire();
        // Who released holds the mutex until it waits.
        drop(shared.0.lock());
        shared.1.notify_one();
        woken.acquire();
        let first = *shared.0.lock().unwrap();
        shared.1.notify_all();
        waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
        first
    });
    assert_eq!(seen, [1, 2].into());
}

#[test]
fn a_timed_wait_ends_either_way_and_only_a_timeout_takes_time() {
    let seen = outcomes(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let setter = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_all();
        });
        let start = Instant::now();
        let guard = shared.0.lock().unwrap();
        let (guard, result) =
            shared.1.wait_timeout_while(guard, Duration::from_secs(9), |set| !*set).unwrap();
        let seconds = start.elapsed().as_secs();
        let set = *guard;
        drop(guard);
        setter.join().unwrap();
        (set, result.timed_out(), seconds)
    });
    assert_eq!(seen, [(false, true, 9), (true, false, 0), (true, false, 9)].into());
}

#[test]
fn outside_a_check_condition_variables_wake_real_threads() {
    let shared = (Mutex::new(0), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..3 {
                let guard = shared.0.lock().unwrap();
                let mut guard = shared.1.wait_while(guard, |turn| *turn % 2 == 0).unwrap();
                *guard += 1;
                shared.1.notify_all();
            }
        });
        for _ in 0..3 {
            let mut guard = shared.1.wait_while(shared.0.lock().unwrap(), |turn| *turn % 2 == 1).unwrap();
            *guard += 1;
            shared.1.notify_all();
        }
    });
    assert_eq!(shared.0.into_inner().unwrap(), 6);
}

#[test]
fn each_thread_can_be_the_leader_and_one_always_is() {
    let seen = outcomes(|| {
        let barrier = Arc::new(Barrier::new(3));
        let others: Vec<_> = (0..2)
            .map(|_| {
                let barrier = Arc::clone(&barrier);
                thread::spawn(move || barrier.wait().is_leader())
            })
            .collect();
        let mut leaders = vec![barrier.wait().is_leader()];
        leaders.extend(others.into_iter().map(|other| other.join().unwrap()));
        leaders
    });
    let one = |n: usize| (0..3).map(|m| m == n).collect::<Vec<_>>();
    assert_eq!(seen, [one(0), one(1), one(2)].into());
}

#[test]
fn a_barrier_can_be_used_again() {
    raddle::check(|| {
        let barrier = Arc::new(Barrier::new(2));
        let other = Arc::clone(&barrier);
        let rival = thread::spawn(move || {
            usize::from(other.wait().is_leader()) + usize::from(other.wait().is_leader())
        });
        let mine = usize::from(barrier.wait().is_leader()) + usize::from(barrier.wait().is_leader());
        assert_eq!(mine + rival.join().unwrap(), 2);
    });
}

#[test]
fn a_missing_thread_at_a_barrier_is_a_deadlock() {
    let finding = finding_of(|| _ = Barrier::new(2).wait());
    assert!(finding.to_lowercase().contains("deadlock"), "{finding}");
}

#[test]
fn outside_a_check_barriers_stop_real_threads() {
    let barrier = Barrier::new(2);
    let leaders = thread::scope(|scope| {
        let other = scope.spawn(|| usize::from(barrier.wait().is_leader()));
        usize::from(barrier.wait().is_leader()) + other.join().unwrap()
    });
    assert_eq!(leaders, 1);
}

#[test]
fn permits_are_taken_and_given() {
    let count = runs(|| {
        let semaphore = Arc::new(Semaphore::new(1));
        let other = Arc::clone(&semaphore);
        let rival = thread::spawn(move || drop(other.access()));
        drop(semaphore.access());
        rival.join().unwrap();
        assert!(semaphore.try_acquire() && !semaphore.try_acquire());
    });
    assert_eq!(count, 2);
}

#[test]
fn a_timed_acquire_gets_its_permit_or_gives_up() {
    let seen = outcomes(|| {
        let semaphore = Arc::new(Semaphore::new(0));
        let other = Arc::clone(&semaphore);
        let giver = thread::spawn(move || other.release(1));
        let got = semaphore.acquire_timeout(Duration::from_secs(1));
        giver.join().unwrap();
        got
    });
    assert_eq!(seen, [false, true].into());
}

#[test]
fn outside_a_check_semaphores_count() {
    static PERMITS: Semaphore = Semaphore::new(0);
    thread::scope(|scope| {
        scope.spawn(|| PERMITS.release(2));
        PERMITS.acquire();
        drop(PERMITS.access());
    });
    assert!(PERMITS.acquire_timeout(Duration::ZERO));
    assert!(!PERMITS.try_acquire());
}

#[test]
fn a_loop_of_timed_waits_ends_when_its_condition_holds() {
    let seen = outcomes(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let setter = thread::spawn(move || *other.0.lock().unwrap() = true);
        let mut ready = shared.0.lock().unwrap();
        while !*ready {
            ready = shared.1.wait_timeout(ready, Duration::from_millis(1)).unwrap().0;
        }
        drop(ready);
        setter.join().unwrap();
    });
    assert_eq!(seen, [()].into());
}

#[test]
fn a_loop_of_timed_waits_whose_condition_never_holds_has_no_end() {
    let finding = finding_of(|| {
        let (mutex, changed) = (Mutex::new(false), Condvar::new());
        let mut ready = mutex.lock().unwrap();
        while !*ready {
            ready = changed.wait_timeout(ready, Duration::from_millis(1)).unwrap().0;
        }
    });
    assert!(finding.contains("livelock"), "{finding}");
}

#[test]
fn timed_waits_that_are_counted_give_up_as_often_as_they_can() {
    let seen = outcomes(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let setter = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let mut waits = 0;
        let mut in_time = false;
        let mut ready = shared.0.lock().unwrap();
        while !*ready && waits < 6 {
            let (guard, result) = shared.1.wait_timeout(ready, Duration::from_millis(1)).unwrap();
            ready = guard;
            in_time = !result.timed_out();
            waits += 1;
        }
        drop(ready);
        setter.join().unwrap();
        (waits, in_time)
    });
    // The last wait ends in time or not; before the first there is none.
    let all = (1..=6).flat_map(|waits| [(waits, false), (waits, true)]).chain([(0, false)]);
    assert_eq!(seen, all.collect());
}
