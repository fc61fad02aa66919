//! The programs of Table 1 of Kähkönen and Heljanko, "Lightweight State Capturing for Automated Testing of Multithreaded
//! Programs", written anew from their descriptions. Where the paper gives the number of traces (stateless unfolding makes
//! one run for each), the program here has the same number; where it gives only a sentence, the program is ours.

#![allow(clippy::unwrap_used, reason = "a panic of another thread ends the run")]

use std::sync::Arc;

use raddle::sync::Mutex;
use raddle::sync::atomic::{AtomicI64, Ordering::SeqCst};
use raddle::thread;

/// Runs the bodies as threads, and waits for all.
fn run_all(bodies: Vec<Box<dyn FnOnce() + Send>>) {
    let threads: Vec<_> = bodies.into_iter().map(thread::spawn).collect();
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

fn cells(count: usize) -> Arc<Vec<AtomicI64>> {
    Arc::new((0..count).map(|_| AtomicI64::new(0)).collect())
}

fn locks(count: usize) -> Arc<Vec<Mutex<()>>> {
    Arc::new((0..count).map(|_| Mutex::new(())).collect())
}

/// Uses everything once. As in the originals, the main thread prepares what the others use, so that every run knows every
/// object by the same name; objects that threads meet in an order of their own have to be told apart by further runs.
fn prepare<'a>(
    cells: impl IntoIterator<Item = &'a AtomicI64>,
    locks: impl IntoIterator<Item = &'a Mutex<()>>,
) {
    cells.into_iter().for_each(|cell| cell.store(0, SeqCst));
    locks.into_iter().for_each(|lock| drop(lock.lock()));
}

/// Fib: two threads add the other's number to their own, so often, while the main thread looks at both.
pub(crate) fn fib(rounds: usize) {
    let numbers = cells(2);
    numbers[0].store(1, SeqCst);
    numbers[1].store(1, SeqCst);
    let body = |own: usize, numbers: Arc<Vec<AtomicI64>>| -> Box<dyn FnOnce() + Send> {
        Box::new(move || {
            for _ in 0..rounds {
                let sum = numbers[own].load(SeqCst) + numbers[1 - own].load(SeqCst);
                numbers[own].store(sum, SeqCst);
            }
        })
    };
    let threads = [body(0, Arc::clone(&numbers)), body(1, Arc::clone(&numbers))].map(thread::spawn);
    numbers[0].load(SeqCst);
    numbers[1].load(SeqCst);
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

/// Filesystem: threads look for free blocks for their inodes (Flanagan and Godefroid 2005, Figure 4).
pub(crate) fn filesystem(threads: usize) {
    const BLOCKS: usize = 26;
    const INODES: usize = 32;
    let (inode, busy) = (cells(INODES), cells(BLOCKS));
    let (inode_locks, block_locks) = (locks(INODES), locks(BLOCKS));
    prepare(inode.iter().chain(busy.iter()), inode_locks.iter().chain(block_locks.iter()));
    let bodies = (0..threads).map(|number| -> Box<dyn FnOnce() + Send> {
        let (inode, busy) = (Arc::clone(&inode), Arc::clone(&busy));
        let (inode_locks, block_locks) = (Arc::clone(&inode_locks), Arc::clone(&block_locks));
        Box::new(move || {
            let at = number % INODES;
            let _inode = inode_locks[at].lock().unwrap();
            if inode[at].load(SeqCst) == 0 {
                let mut block = (at * 2) % BLOCKS;
                loop {
                    let _block = block_locks[block].lock().unwrap();
                    if busy[block].load(SeqCst) == 0 {
                        busy[block].store(1, SeqCst);
                        inode[at].store(block as i64 + 1, SeqCst);
                        break;
                    }
                    block = (block + 1) % BLOCKS;
                }
            }
        })
    });
    run_all(bodies.collect());
}

/// Dining: philosophers eat so often; the last one takes the forks in the other order, so that nobody starves.
pub(crate) fn dining(philosophers: usize, times: usize) {
    let forks = locks(philosophers);
    let bodies = (0..philosophers).map(|seat| -> Box<dyn FnOnce() + Send> {
        let forks = Arc::clone(&forks);
        let (left, right) = (seat, (seat + 1) % philosophers);
        let (first, second) = (left.min(right), left.max(right));
        Box::new(move || {
            for _ in 0..times {
                let _first = forks[first].lock().unwrap();
                let _second = forks[second].lock().unwrap();
            }
        })
    });
    run_all(bodies.collect());
}

/// Szymanski's mutual exclusion for two threads; each wait looks at most so often, and then gives up.
pub(crate) fn szymanski(looks: usize) {
    let flags = cells(2);
    let inside = cells(1);
    prepare(flags.iter().chain(inside.iter()), []);
    let body =
        |own: usize, flags: Arc<Vec<AtomicI64>>, inside: Arc<Vec<AtomicI64>>| -> Box<dyn FnOnce() + Send> {
            Box::new(move || {
                let other = &flags[1 - own];
                let wait = |ready: &dyn Fn(i64) -> bool| (0..looks).any(|_| ready(other.load(SeqCst)));
                flags[own].store(1, SeqCst);
                if !wait(&|flag| flag < 3) {
                    return;
                }
                flags[own].store(3, SeqCst);
                if other.load(SeqCst) == 1 {
                    flags[own].store(2, SeqCst);
                    if !wait(&|flag| flag == 4) {
                        return;
                    }
                }
                flags[own].store(4, SeqCst);
                if own == 1 && !wait(&|flag| flag < 2) {
                    return;
                }
                inside[0].store(own as i64, SeqCst);
                assert_eq!(inside[0].load(SeqCst), own as i64);
                if own == 0 && !wait(&|flag| !(2..=3).contains(&flag)) {
                    return;
                }
                flags[own].store(0, SeqCst);
            })
        };
    run_all(vec![body(0, Arc::clone(&flags), Arc::clone(&inside)), body(1, flags, inside)]);
}

/// Locking: every access to shared memory is protected by one lock. Each thread writes its number in its first section and
/// reads the cell in the second; `more` threads have one section, in which they write.
pub(crate) fn locking(threads: usize, more: usize) {
    let (lock, shared) = (locks(1), cells(1));
    let bodies = (0..threads + more).map(|number| -> Box<dyn FnOnce() + Send> {
        let (lock, shared) = (Arc::clone(&lock), Arc::clone(&shared));
        Box::new(move || {
            if number >= threads {
                let _held = lock[0].lock().unwrap();
                shared[0].store(number as i64, SeqCst);
                return;
            }
            {
                let _held = lock[0].lock().unwrap();
                shared[0].store(number as i64, SeqCst);
            }
            let _held = lock[0].lock().unwrap();
            shared[0].load(SeqCst);
        })
    });
    run_all(bodies.collect());
}

/// Locking without data: each thread has so many sections, in which it writes its number.
pub(crate) fn locking_writes(threads: usize, sections: usize) {
    let (lock, shared) = (locks(1), cells(1));
    let bodies = (0..threads).map(|number| -> Box<dyn FnOnce() + Send> {
        let (lock, shared) = (Arc::clone(&lock), Arc::clone(&shared));
        Box::new(move || {
            for _ in 0..sections {
                let _held = lock[0].lock().unwrap();
                shared[0].store(number as i64, SeqCst);
            }
        })
    });
    run_all(bodies.collect());
}

/// Updater: some threads update a value, others look at it and work with what they find.
pub(crate) fn updater(updaters: usize, workers: usize, times: usize) {
    let (value, results) = (cells(1), cells(workers));
    prepare(value.iter().chain(results.iter()), []);
    let bodies = (0..updaters + workers).map(|number| -> Box<dyn FnOnce() + Send> {
        let (value, results) = (Arc::clone(&value), Arc::clone(&results));
        Box::new(move || {
            for round in 0..times {
                if number < updaters {
                    value[0].store((10 * number + round) as i64, SeqCst);
                } else {
                    let found = value[0].load(SeqCst);
                    results[number - updaters].store(found + 1, SeqCst);
                }
            }
        })
    });
    run_all(bodies.collect());
}

/// Writes: threads write to one cell (Figure 4, with more threads and more writes).
pub(crate) fn writes(threads: usize, times: usize) {
    let shared = cells(1);
    let bodies = (0..threads).map(|number| -> Box<dyn FnOnce() + Send> {
        let shared = Arc::clone(&shared);
        Box::new(move || (0..times).for_each(|_| shared[0].store(number as i64, SeqCst)))
    });
    run_all(bodies.collect());
}

/// Synthetic: threads read and write random cells, and now and then take a lock or do what a value tells them.
pub(crate) fn synthetic(seed: u64, threads: usize, steps: usize) {
    let (shared, lock) = (cells(4), locks(1));
    prepare(shared.iter(), lock.iter());
    let bodies = (0..threads).map(|number| -> Box<dyn FnOnce() + Send> {
        let (shared, lock) = (Arc::clone(&shared), Arc::clone(&lock));
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number as u64 + 1);
        let mut draw = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        Box::new(move || {
            for step in 0..steps {
                let cell = &shared[draw(4) as usize];
                match draw(8) {
                    0..=3 => cell.store((step + 1) as i64, SeqCst),
                    4 | 5 => drop(cell.load(SeqCst)),
                    6 => {
                        let _held = lock[0].lock().unwrap();
                        cell.store(7, SeqCst);
                    }
                    _ if cell.load(SeqCst) == 0 => cell.store(9, SeqCst),
                    _ => {}
                }
            }
        })
    });
    run_all(bodies.collect());
}

/// Figure 3: two threads take the lock and write a cell each.
pub(crate) fn figure_3() {
    let (lock, shared) = (locks(1), cells(2));
    let (other_lock, other_shared) = (Arc::clone(&lock), Arc::clone(&shared));
    let other = thread::spawn(move || {
        let _held = other_lock[0].lock().unwrap();
        other_shared[0].store(1, SeqCst);
    });
    {
        let _held = lock[0].lock().unwrap();
        shared[1].store(2, SeqCst);
    }
    other.join().unwrap();
}

/// Figure 7: two threads take a lock and read; the first then branches on an input.
pub(crate) fn figure_7() {
    let (lock, shared) = (locks(1), cells(2));
    let (other_lock, other_shared) = (Arc::clone(&lock), Arc::clone(&shared));
    let reader = thread::spawn(move || {
        let _held = other_lock[0].lock().unwrap();
        other_shared[0].load(SeqCst);
    });
    {
        let _held = lock[0].lock().unwrap();
        shared[0].load(SeqCst);
    }
    if raddle::choose(2) == 1 {
        shared[1].store(1, SeqCst);
    }
    reader.join().unwrap();
}
