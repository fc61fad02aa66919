use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicI64, Ordering::SeqCst};
use raddle::thread;

#[raddle::test]
fn withdrawals_add_up() {
    let balance = Arc::new(AtomicI64::new(100));
    let tellers = [30, 40].map(|amount| {
        let balance = Arc::clone(&balance);
        thread::spawn(move || {
            let seen = balance.load(SeqCst);
            balance.store(seen - amount, SeqCst);
        })
    });
    for teller in tellers {
        teller.join().unwrap();
    }
    assert_eq!(balance.load(SeqCst), 30);
}
