//! Locks that are taken in the wrong order, twice, or not long enough.

use raddle::sync::{Mutex, Once, RwLock, Semaphore};

use super::{Case, fails, share};

pub(crate) const CASES: [Case; 10] = [
    fails("lock_order_of_two", "deadlock", 1, lock_order_of_two),
    fails("lock_order_of_three", "deadlock", 1, lock_order_of_three),
    fails("self_deadlock", "deadlock", 0, self_deadlock),
    fails("lock_held_while_joining", "deadlock", 0, lock_held_while_joining),
    fails("rwlock_upgrade", "deadlock", 0, rwlock_upgrade),
    fails("rwlock_order", "deadlock", 1, rwlock_order),
    fails("semaphore_taken_by_halves", "deadlock", 1, semaphore_taken_by_halves),
    fails("once_within_itself", "deadlock", 0, once_within_itself),
    fails("two_critical_sections", "assertion", 1, two_critical_sections),
    fails("try_lock_that_must_succeed", "panic", 1, try_lock_that_must_succeed),
];

type Locks = [Mutex<()>; 3];

fn both(locks: &Locks, first: usize, second: usize) {
    let _first = locks[first].lock().unwrap();
    let _second = locks[second].lock().unwrap();
}

fn lock_order_of_two() {
    share(Locks::default(), &[|locks: &Locks| both(locks, 0, 1), |locks: &Locks| both(locks, 1, 0)]);
}

/// One pre-emption is enough: the thread that is then blocked lets the third one go.
fn lock_order_of_three() {
    let bodies: [fn(&Locks); 3] =
        [|locks| both(locks, 0, 1), |locks| both(locks, 1, 2), |locks| both(locks, 2, 0)];
    share(Locks::default(), &bodies);
}

fn self_deadlock() {
    let lock = Mutex::new(0);
    let first = lock.lock().unwrap();
    let second = lock.lock().unwrap();
    drop((first, second));
}

fn lock_held_while_joining() {
    let lock = raddle::sync::Arc::new(Mutex::new(0));
    let held = lock.lock().unwrap();
    let other = raddle::sync::Arc::clone(&lock);
    let adder = raddle::thread::spawn(move || *other.lock().unwrap() += 1);
    adder.join().unwrap();
    drop(held);
}

fn rwlock_upgrade() {
    let upgrade = |lock: &RwLock<usize>| {
        let seen = lock.read().unwrap();
        *lock.write().unwrap() = *seen + 1;
    };
    share(RwLock::new(0), &[upgrade, upgrade]);
}

fn rwlock_order() {
    type Pair = (RwLock<()>, RwLock<()>);
    let one = |pair: &Pair| {
        let _read = pair.0.read().unwrap();
        let _write = pair.1.write().unwrap();
    };
    let other = |pair: &Pair| {
        let _read = pair.1.read().unwrap();
        let _write = pair.0.write().unwrap();
    };
    share(Pair::default(), &[one, other]);
}

fn semaphore_taken_by_halves() {
    let take = |semaphore: &Semaphore| {
        semaphore.acquire();
        semaphore.acquire();
        semaphore.release(2);
    };
    share(Semaphore::new(2), &[take, take]);
}

fn once_within_itself() {
    let once = Once::new();
    once.call_once(|| once.call_once(|| ()));
}

fn two_critical_sections() {
    let add = |sum: &Mutex<usize>| {
        let seen = *sum.lock().unwrap();
        *sum.lock().unwrap() = seen + 1;
    };
    let sum = share(Mutex::new(0), &[add, add]);
    assert_eq!(*sum.lock().unwrap(), 2);
}

fn try_lock_that_must_succeed() {
    let add = |sum: &Mutex<usize>| *sum.try_lock().expect("nobody else has it") += 1;
    share(Mutex::new(0), &[add, add]);
}
