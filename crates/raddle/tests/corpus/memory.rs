//! Memory that nothing protects, or not enough.

use raddle::cell::UnsafeCell;
use raddle::sync::Mutex;
use raddle::sync::atomic::{
    AtomicBool, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use super::{Case, fails, share};

pub(crate) const CASES: [Case; 7] = [
    fails("data_race", "data-race", 0, data_race),
    fails("read_beside_a_write", "data-race", 0, read_beside_a_write),
    fails("relaxed_store_of_a_flag", "data-race", 0, relaxed_store_of_a_flag),
    fails("relaxed_load_of_a_flag", "data-race", 0, relaxed_load_of_a_flag),
    fails("double_checked_plain_flag", "data-race", 0, double_checked_plain_flag),
    fails("two_locks_for_one_cell", "data-race", 0, two_locks_for_one_cell),
    fails("last_owner_does_not_acquire", "data-race", 0, last_owner_does_not_acquire),
];

/// Data that the programs here wrongly take for protected.
#[derive(Default)]
struct Shared {
    data: UnsafeCell<usize>,
    initialised: UnsafeCell<bool>,
    flag: AtomicBool,
    owners: AtomicUsize,
    locks: [Mutex<()>; 2],
}

// SAFETY: threads of a check never run at the same time; that the programs are wrong is the point.
unsafe impl Sync for Shared {}

impl Shared {
    fn read(&self) -> usize {
        // SAFETY: as above.
        self.data.with(|data| unsafe { *data })
    }

    fn write(&self, value: usize) {
        // SAFETY: as above.
        self.data.with_mut(|data| unsafe { *data = value });
    }

    fn read_if_ready(&self, order: raddle::sync::atomic::Ordering) {
        if self.flag.load(order) {
            assert_eq!(self.read(), 42);
        }
    }
}

fn data_race() {
    let write = |shared: &Shared| shared.write(1);
    share(Shared::default(), &[write, write]);
}

fn read_beside_a_write() {
    share(Shared::default(), &[|shared: &Shared| shared.write(1), |shared: &Shared| _ = shared.read()]);
}

fn relaxed_store_of_a_flag() {
    let write = |shared: &Shared| {
        shared.write(42);
        shared.flag.store(true, Relaxed);
    };
    share(Shared::default(), &[write, |shared: &Shared| shared.read_if_ready(Acquire)]);
}

fn relaxed_load_of_a_flag() {
    let write = |shared: &Shared| {
        shared.write(42);
        shared.flag.store(true, Release);
    };
    share(Shared::default(), &[write, |shared: &Shared| shared.read_if_ready(Relaxed)]);
}

fn double_checked_plain_flag() {
    let get = |shared: &Shared| {
        // SAFETY: as above.
        let is_initialised = || shared.initialised.with(|initialised| unsafe { *initialised });
        if !is_initialised() {
            let _lock = shared.locks[0].lock().unwrap();
            if !is_initialised() {
                shared.write(42);
                // SAFETY: as above.
                shared.initialised.with_mut(|initialised| unsafe { *initialised = true });
            }
        }
        assert_eq!(shared.read(), 42);
    };
    share(Shared::default(), &[get, get]);
}

fn two_locks_for_one_cell() {
    let write = |shared: &Shared, lock: usize| {
        let _lock = shared.locks[lock].lock().unwrap();
        shared.write(lock);
    };
    let shared = raddle::sync::Arc::new(Shared::default());
    let other = raddle::sync::Arc::clone(&shared);
    let rival = raddle::thread::spawn(move || write(&other, 1));
    write(&shared, 0);
    rival.join().unwrap();
}

/// The last one to let go writes without having seen what the others did before.
fn last_owner_does_not_acquire() {
    let let_go = |shared: &Shared| {
        shared.read();
        if shared.owners.fetch_sub(1, Release) == 1 {
            shared.write(0);
        }
    };
    share(Shared { owners: AtomicUsize::new(2), ..Shared::default() }, &[let_go, let_go]);
}
