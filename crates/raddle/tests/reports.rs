//! What reports say of programs that fail.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, Once, mpsc};
use raddle::thread;
use raddle::{Check, Finding};

/// The only finding.
fn found(f: impl Fn() + Send + Sync) -> Finding {
    let report = check().run(f);
    let [finding] = report.findings() else { panic!("{report}") };
    finding.clone()
}

fn check() -> Check {
    Check::new().out(std::env::temp_dir().join("raddle-reports"))
}

/// The text of the only finding.
fn text(f: impl Fn() + Send + Sync) -> String {
    found(f).text().to_owned()
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

/// Panics in the middle of its only initialisation.
fn poisoned() -> Once {
    let once = Once::new();
    let failed =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| once.call_once(|| panic!("on purpose"))));
    assert!(failed.is_err());
    once
}

#[test]
fn a_wrong_use_of_the_library_is_shown_where_the_program_made_it() {
    let uses: [fn(); 5] = [
        || _ = raddle::choose(usize::MAX),
        || _ = raddle::choose(0),
        || poisoned().call_once(|| ()),
        || _ = AtomicUsize::new(0).load(std::sync::atomic::Ordering::Release),
        || _ = thread::Builder::new().name("\0".to_owned()).spawn(|| ()),
    ];
    for wrong in uses {
        let finding = found(wrong);
        assert!(finding.place().contains("tests/reports.rs:"), "{}", finding.text());
    }
}

#[test]
fn a_run_that_is_too_long_is_said_to_end_in_its_loop() {
    let line = line!() + 4;
    let report = check().max_steps(100).run(|| {
        let counter = AtomicUsize::new(0);
        loop {
            counter.fetch_add(1, SeqCst);
        }
    });
    let summary = report.summary();
    assert!(
        summary.contains("last step  by T0, ") && summary.contains(&format!("reports.rs:{line}\n")),
        "{summary}"
    );
}

#[test]
fn a_search_by_several_workers_says_what_they_do() {
    let summary = |workers| check().workers(workers).run(|| ()).summary();
    assert!(summary(2).contains("dpor-cr-sleep in place of optimal-dpor"), "{}", summary(2));
    assert!(!summary(1).contains("dpor-cr-sleep"), "{}", summary(1));
}

#[test]
fn a_thread_that_waits_for_ever_gets_a_hint_of_what_is_missing() {
    let parked = text(|| thread::spawn(thread::park).join().unwrap());
    assert!(parked.contains("hint  nobody unparked T1"), "{parked}");
    let used_up = text(|| {
        let other = thread::spawn(|| {
            thread::park();
            thread::park();
        });
        other.thread().unpark();
        other.join().unwrap();
    });
    assert!(used_up.contains("was used up"), "{used_up}");
    let spinning = text(|| {
        let flag = AtomicUsize::new(0);
        while flag.load(SeqCst) == 0 {
            thread::yield_now();
        }
    });
    assert!(spinning.contains("hint  nobody changed atomic 1 in this run"), "{spinning}");
    let forgotten = text(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        thread::spawn(move || std::mem::forget(other.lock().unwrap())).join().unwrap();
        drop(lock.lock());
    });
    assert!(forgotten.contains("hint  T1 has ended and holds mutex 1 since step"), "{forgotten}");
}

#[test]
fn who_overflows_its_stack_is_told_how_large_it_is() {
    #[expect(unconditional_recursion, reason = "that is what overflows")]
    fn deeper() -> u64 {
        std::hint::black_box(deeper()) + 1
    }
    let text = text(|| _ = deeper());
    assert!(text.contains("hint  a thread has 2 MiB of stack unless thread::Builder::stack_size"), "{text}");
}
