//! Programs of `corpus/native`, once more in Rust.
#![expect(clippy::unwrap_used, reason = "programs under test are written as programs are")]

use raddle::sync::atomic::{
    AtomicBool, AtomicI32,
    Ordering::{Acquire, Release, SeqCst},
};
use raddle::sync::{Arc, Barrier, Condvar, Mutex, Once, RwLock, Semaphore};
use raddle::thread;

type Body = Box<dyn FnOnce() + Send>;

/// Creates the threads one after the other, and joins them in the same order.
fn threads(bodies: Vec<Body>) {
    let threads: Vec<_> = bodies.into_iter().map(thread::spawn).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// So many threads that do the same; each gets its number.
fn alike(count: usize, body: impl Fn(usize) + Send + Sync + 'static) {
    let body = std::sync::Arc::new(body);
    threads(
        (0..count)
            .map(|number| {
                let body = std::sync::Arc::clone(&body);
                Box::new(move || body(number)) as Body
            })
            .collect(),
    );
}

fn atomics<const N: usize>() -> Arc<[AtomicI32; N]> {
    Arc::new([const { AtomicI32::new(0) }; N])
}

pub(super) fn sections(count: usize, sections: usize) {
    let counter = Arc::new(Mutex::new(0));
    alike(count, {
        let counter = Arc::clone(&counter);
        move |_| (0..sections).for_each(|_| *counter.lock().unwrap() += 1)
    });
    assert_eq!(*counter.lock().unwrap(), count * sections);
}

pub(super) fn writers(count: usize) {
    let variable = atomics::<1>();
    alike(count, move |number| variable[0].store(number as i32 + 1, SeqCst));
}

pub(super) fn increments() {
    let sum = atomics::<1>();
    alike(3, {
        let sum = Arc::clone(&sum);
        move |_| (0..3).for_each(|_| _ = sum[0].fetch_add(1, SeqCst))
    });
    assert_eq!(sum[0].load(SeqCst), 9);
}

pub(super) fn dining(philosophers: usize, greedy: bool, meals: usize) {
    let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..philosophers).map(|_| Mutex::new(())).collect());
    alike(philosophers, move |number| {
        let next = (number + 1) % philosophers;
        let (first, second) = if greedy { (number, next) } else { (number.min(next), number.max(next)) };
        for _ in 0..meals {
            let _first = forks[first].lock().unwrap();
            let _second = forks[second].lock().unwrap();
        }
    });
}

pub(super) fn indexer(count: usize) {
    let table = atomics::<128>();
    alike(count, move |number| {
        for message in 1..=4 {
            let word = message * 11 + number as i32;
            let mut place = (word * 7) as usize % 128;
            while table[place].compare_exchange(0, word, SeqCst, SeqCst).is_err() {
                place = (place + 1) % 128;
            }
        }
    });
}

pub(super) fn file_system(count: usize) {
    let inodes: Arc<Vec<Mutex<usize>>> = Arc::new((0..32).map(|_| Mutex::new(0)).collect());
    let blocks: Arc<Vec<Mutex<bool>>> = Arc::new((0..26).map(|_| Mutex::new(false)).collect());
    alike(count, move |number| {
        let own = number % 32;
        let mut inode = inodes[own].lock().unwrap();
        if *inode == 0 {
            let mut block = own * 2 % 26;
            loop {
                let mut busy = blocks[block].lock().unwrap();
                if !*busy {
                    *busy = true;
                    *inode = block + 1;
                    break;
                }
                drop(busy);
                block = (block + 1) % 26;
            }
        }
    });
}

pub(super) fn store_buffering() {
    let shared = atomics::<2>();
    let seen = std::sync::Arc::new(std::sync::Mutex::new([0; 2]));
    let into = std::sync::Arc::clone(&seen);
    alike(2, move |number| {
        shared[number].store(1, SeqCst);
        let other = shared[1 - number].load(SeqCst);
        into.lock().unwrap()[number] = other;
    });
    assert_ne!(*seen.lock().unwrap(), [0, 0]);
}

pub(super) fn useless_read() {
    let shared = atomics::<2>();
    let other = Arc::clone(&shared);
    threads(vec![
        Box::new(move || {
            let [key, value] = &*shared;
            key.store(1, SeqCst);
            value.store(1, SeqCst);
            value.store(0, SeqCst);
            key.load(SeqCst);
            key.store(0, SeqCst);
        }),
        Box::new(move || {
            other[1].load(SeqCst);
            other[0].load(SeqCst);
        }),
    ]);
}

pub(super) fn lost_update() {
    let sum = atomics::<1>();
    alike(2, {
        let sum = Arc::clone(&sum);
        move |_| {
            let seen = sum[0].load(SeqCst);
            sum[0].store(seen + 1, SeqCst);
        }
    });
    assert_eq!(sum[0].load(SeqCst), 2);
}

pub(super) fn check_then_act() {
    let seats = Arc::new(AtomicI32::new(1));
    alike(2, {
        let seats = Arc::clone(&seats);
        move |_| {
            if seats.load(SeqCst) > 0 {
                seats.fetch_sub(1, SeqCst);
            }
        }
    });
    assert!(seats.load(SeqCst) >= 0);
}

pub(super) fn semaphore_as_lock() {
    let permit = Arc::new(Semaphore::new(1));
    alike(2, move |_| {
        for _ in 0..2 {
            permit.acquire();
            permit.release(1);
        }
    });
}

pub(super) fn try_lock() {
    let lock = Arc::new(Mutex::new(0));
    alike(2, move |_| {
        if let Ok(mut inside) = lock.try_lock() {
            *inside += 1;
        }
    });
}

pub(super) fn once() {
    let once = Arc::new(Once::new());
    alike(3, move |_| once.call_once(|| ()));
}

pub(super) fn condvar_handshake() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let other = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            let mut done = shared.0.lock().unwrap();
            *done = true;
            shared.1.notify_one();
        }
    });
    let mut done = shared.0.lock().unwrap();
    while !*done {
        done = shared.1.wait(done).unwrap();
    }
    drop(done);
    other.join().unwrap();
}

pub(super) fn lost_wakeup() {
    let shared = Arc::new((Mutex::new(()), Condvar::new()));
    let other = thread::spawn({
        let shared = Arc::clone(&shared);
        move || {
            let _guard = shared.0.lock().unwrap();
            shared.1.notify_one();
        }
    });
    let guard = shared.0.lock().unwrap();
    drop(shared.1.wait(guard).unwrap());
    other.join().unwrap();
}

pub(super) fn broadcast() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let visitors: Vec<_> = (0..2)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut open = shared.0.lock().unwrap();
                while !*open {
                    open = shared.1.wait(open).unwrap();
                }
            })
        })
        .collect();
    let mut open = shared.0.lock().unwrap();
    *open = true;
    shared.1.notify_all();
    drop(open);
    visitors.into_iter().for_each(|visitor| visitor.join().unwrap());
}

pub(super) fn one_place_queue() {
    struct Queue {
        place: Mutex<Option<i32>>,
        filled: Condvar,
        emptied: Condvar,
    }
    let queue = Arc::new(Queue { place: Mutex::new(None), filled: Condvar::new(), emptied: Condvar::new() });
    let producer = thread::spawn({
        let queue = Arc::clone(&queue);
        move || {
            for item in 0..5 {
                let mut place = queue.place.lock().unwrap();
                while place.is_some() {
                    place = queue.emptied.wait(place).unwrap();
                }
                *place = Some(item);
                queue.filled.notify_one();
            }
        }
    });
    for item in 0..5 {
        let mut place = queue.place.lock().unwrap();
        while place.is_none() {
            place = queue.filled.wait(place).unwrap();
        }
        assert_eq!(place.take(), Some(item));
        queue.emptied.notify_one();
    }
    producer.join().unwrap();
}

pub(super) fn one_winner() {
    let shared = atomics::<2>();
    alike(4, {
        let shared = Arc::clone(&shared);
        move |number| {
            let [winner, winners] = &*shared;
            if winner.compare_exchange(0, number as i32 + 1, SeqCst, SeqCst).is_ok() {
                winners.fetch_add(1, SeqCst);
            }
        }
    });
    assert_eq!(shared[1].load(SeqCst), 1);
}

pub(super) fn independent_locks() {
    let locks = Arc::new([Mutex::new(0), Mutex::new(0)]);
    alike(2, move |number| (0..3).for_each(|_| *locks[number].lock().unwrap() += 1));
}

pub(super) fn independent_reads() {
    let shared = atomics::<2>();
    let bodies = [(0, None), (1, None), (0, Some(1)), (1, Some(0))];
    threads(
        bodies
            .into_iter()
            .map(|(first, second)| {
                let shared = Arc::clone(&shared);
                Box::new(move || match second {
                    None => shared[first].store(1, SeqCst),
                    Some(second) => {
                        shared[first].load(SeqCst);
                        shared[second].load(SeqCst);
                    }
                }) as Body
            })
            .collect(),
    );
}

pub(super) fn message_behind_a_flag() {
    let ready = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&ready);
    threads(vec![Box::new(move || ready.store(true, Release)), Box::new(move || _ = other.load(Acquire))]);
}

pub(super) fn readers_and_a_writer() {
    let variable = atomics::<1>();
    alike(4, move |number| {
        if number == 3 {
            variable[0].store(1, SeqCst);
        } else {
            variable[0].load(SeqCst);
            variable[0].load(SeqCst);
        }
    });
}

pub(super) fn rwlock_readers() {
    let lock = Arc::new(RwLock::new((0, 0)));
    alike(4, move |number| {
        if number == 3 {
            let mut pair = lock.write().unwrap();
            *pair = (pair.0 + 1, pair.1 + 1);
        } else {
            let pair = lock.read().unwrap();
            assert_eq!(pair.0, pair.1);
        }
    });
}

pub(super) fn barrier_phases() {
    let barrier = Arc::new(Barrier::new(2));
    alike(2, move |_| {
        barrier.wait();
        barrier.wait();
    });
}

pub(super) fn barrier_with_a_missing_thread() {
    let barrier = Arc::new(Barrier::new(3));
    alike(2, move |_| _ = barrier.wait());
}

pub(super) fn choose() {
    let (x, y) = (raddle::choose(3), raddle::choose(2));
    assert!(x < 3 && y < 2);
}
