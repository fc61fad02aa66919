//! A bank with a bug: two tellers read the balance before either has written it back, and one withdrawal is lost.
//!
//! It happens only in some interleavings; `raddle::check` finds one, makes it small, and shows it.

#![expect(clippy::unwrap_used, reason = "as a test would")]

use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicI64, Ordering::SeqCst};
use raddle::thread;

/// Takes money out of an account.
fn withdraw(balance: &AtomicI64, amount: i64) {
    let seen = balance.load(SeqCst);
    balance.store(seen - amount, SeqCst);
}

fn main() {
    raddle::Check::new().name("bank").check(|| {
        let balance = Arc::new(AtomicI64::new(100));
        let tellers = [30, 40].map(|amount| {
            let balance = Arc::clone(&balance);
            thread::spawn(move || withdraw(&balance, amount))
        });
        for teller in tellers {
            teller.join().unwrap();
        }
        assert_eq!(balance.load(SeqCst), 30);
    });
}
