//! Threads that get in the way.

use raddle::sync::Mutex;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::thread::Scope;

/// What competing threads compete for. None of it matters to anybody else.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    seen: AtomicUsize,
    kept: Mutex<usize>,
}

impl Crowd {
    /// Starts as many threads as are left when `used` of `threads` have their own work.
    pub(crate) fn fill<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, threads: usize, used: usize) {
        for number in used..threads {
            scope.spawn(move || {
                let seen = self.seen.load(SeqCst);
                self.seen.store(seen + number, SeqCst);
                *self.kept.lock().expect("nobody panics with this lock") += seen;
            });
        }
    }
}
