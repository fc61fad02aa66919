//! Counts that are not what they count.

use raddle::sync::Mutex;
use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use raddle::thread;

use crate::crowd::Crowd;

pub(crate) fn resurrected(threads: usize) {
    let (count, freed) = (AtomicUsize::new(1), AtomicBool::new(false));
    let crowd = Crowd::default();
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            if count.fetch_sub(1, SeqCst) == 1 {
                freed.store(true, SeqCst);
            }
        });
        scope.spawn(|| {
            if count.load(SeqCst) > 0 {
                count.fetch_add(1, SeqCst);
                assert!(!freed.load(SeqCst), "a reference to what was freed");
            }
        });
    });
}

pub(crate) fn counted_in_two_steps(threads: usize) {
    let (count, freed) = (AtomicUsize::new(threads), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let left = count.load(SeqCst) - 1;
                count.store(left, SeqCst);
                if left == 0 {
                    freed.fetch_add(1, SeqCst);
                }
            });
        }
    });
    assert_eq!(freed.load(SeqCst), 1, "never freed, or freed twice");
}

/// A stack of three entries, as numbers: the head, and what lies under each. Entries that are taken may be put back.
pub(crate) fn aba(threads: usize) {
    const NONE: usize = 0;
    let head = AtomicUsize::new(1);
    let under = [NONE, 2, 3, NONE].map(AtomicUsize::new);
    let taken = [0; 4].map(AtomicUsize::new);
    let crowd = Crowd::default();
    let pop = || {
        let top = head.load(SeqCst);
        let next = under[top].load(SeqCst);
        if top != NONE && head.compare_exchange(top, next, SeqCst, SeqCst).is_ok() {
            assert_eq!(taken[top].fetch_add(1, SeqCst), 0, "one entry was taken by two");
            return top;
        }
        NONE
    };
    thread::scope(|scope| {
        crowd.fill(scope, threads, 2);
        scope.spawn(|| {
            pop();
            pop();
        });
        scope.spawn(|| {
            let first = pop();
            pop();
            if first != NONE {
                let top = head.load(SeqCst);
                under[first].store(top, SeqCst);
                taken[first].store(0, SeqCst);
                let _ = head.compare_exchange(top, first, SeqCst, SeqCst);
            }
        });
    });
}

pub(crate) fn stale_size(threads: usize) {
    let (size, items) = (AtomicUsize::new(1), Mutex::new(vec![7]));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                if size.load(SeqCst) > 0 {
                    let item = items.lock().unwrap().pop();
                    assert!(item.is_some(), "nothing where something was");
                    size.fetch_sub(1, SeqCst);
                }
            });
        }
    });
}
