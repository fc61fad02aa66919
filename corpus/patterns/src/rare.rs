//! Failures that a random walk hardly ever meets.

use raddle::sync::Mutex;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::thread;

/// The middle thread takes two steps for every thread there is, all of which have to come between two adjacent steps of
/// the first one. A random walk keeps the first one waiting with a probability of one half for each.
pub(crate) fn between_adjacent_steps(threads: usize) {
    let (gate, steps, noise) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let long = 2 * threads;
    thread::scope(|scope| {
        for _ in 2..threads + 1 {
            scope.spawn(|| noise.fetch_add(1, SeqCst));
        }
        scope.spawn(|| {
            gate.store(1, SeqCst);
            gate.store(2, SeqCst);
        });
        scope.spawn(|| {
            let first = gate.load(SeqCst);
            for _ in 0..long {
                steps.fetch_add(1, SeqCst);
            }
            let last = gate.load(SeqCst);
            assert!(first != 1 || last != 1, "ran between two adjacent steps");
        });
    });
}

/// Only the order last, first, middle fails.
pub(crate) fn third_in_line(threads: usize) {
    let (line, place) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 3..threads {
            scope.spawn(|| place.fetch_add(1, SeqCst));
        }
        for number in 1..4 {
            let line = &line;
            scope.spawn(move || {
                let before = line.load(SeqCst);
                line.store(before * 10 + number, SeqCst);
            });
        }
    });
    assert_ne!(line.load(SeqCst), 312, "came in the one order that is wrong");
}

/// Link `i` is set under its own lock by thread `i` in two stages: first its value, then that of the next link. Somebody
/// reads the middle of the chain.
pub(crate) fn two_stage_chain(threads: usize) {
    let links: Vec<(Mutex<usize>, Mutex<usize>)> =
        (0..threads.max(2) - 1).map(|_| (Mutex::new(0), Mutex::new(0))).collect();
    thread::scope(|scope| {
        for (number, link) in links.iter().enumerate() {
            scope.spawn(move || {
                *link.0.lock().unwrap() = number + 1;
                *link.1.lock().unwrap() = number + 2;
            });
        }
        scope.spawn(|| {
            let link = &links[links.len() / 2];
            let first = *link.0.lock().unwrap();
            if first != 0 {
                assert_eq!(*link.1.lock().unwrap(), first + 1, "read between the stages");
            }
        });
    });
}
