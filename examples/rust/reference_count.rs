//! A reference count with a bug: it is decremented and then looked at, so two owners can both see zero and both clean up.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::thread;

struct Session {
    owners: AtomicUsize,
    closed: AtomicUsize,
}

impl Session {
    fn release(&self) {
        self.owners.fetch_sub(1, SeqCst);
        if self.owners.load(SeqCst) == 0 {
            self.closed.fetch_add(1, SeqCst);
        }
    }
}

fn main() {
    raddle::Check::new().name("reference_count").check(|| {
        let session = Arc::new(Session { owners: AtomicUsize::new(2), closed: AtomicUsize::new(0) });
        let owners = [(), ()].map(|()| {
            let session = Arc::clone(&session);
            thread::spawn(move || session.release())
        });
        for owner in owners {
            owner.join().unwrap();
        }
        assert_eq!(session.closed.load(SeqCst), 1, "closed once");
    });
}
