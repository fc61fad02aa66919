//! What reports say of programs that fail.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use raddle::Check;
use raddle::sync::{Mutex, mpsc};
use raddle::thread;

/// The text of the only finding.
fn text(f: impl Fn() + Send + Sync) -> String {
    let report = Check::new().out(std::env::temp_dir().join("raddle-reports")).run(f);
    let [finding] = report.findings() else { panic!("{report}") };
    finding.text().to_owned()
}

/// The lines of the table below its head.
fn table(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| !line.starts_with("  ────")).skip(1);
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn a_failure_stands_before_what_destructors_do_because_of_it() {
    let text = text(|| {
        let lock = Mutex::new(0);
        let guard = lock.lock().unwrap();
        assert_eq!(*guard, 1);
    });
    let table = table(&text);
    assert!(table[table.len() - 1].contains("✗ left == right"), "{text}");
    assert!(table[table.len() - 2].contains("lock mutex 1"), "{text}");
    assert!(!text.contains("unlock") && text.contains("2 steps, 0 pre-emptions"), "{text}");
}

#[test]
fn a_failure_stands_right_after_the_step_that_led_to_it() {
    let text = text(|| {
        let (tx, rx) = mpsc::channel();
        let t = thread::spawn(move || tx.send(1).unwrap());
        assert_eq!(rx.recv_timeout(Duration::from_secs(1)), Ok(1));
        t.join().unwrap();
    });
    let table = table(&text);
    assert!(table[table.len() - 1].contains("✗ left == right"), "{text}");
    assert!(table[table.len() - 2].contains("receive channel 1: gives up"), "{text}");
    assert!(!text.contains("detach") && !text.contains("drops the receiver"), "{text}");
}
