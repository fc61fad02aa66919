//! A run that passes beside a finding of a Rust program.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use raddle::Check;
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// A folder that goes away with the test.
struct Out(PathBuf);

impl Out {
    fn new() -> Out {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Out(std::env::temp_dir().join(format!("raddle-passing-{}-{number}", std::process::id())))
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What is kept of the finding in this program.
fn found(out: &Out, f: impl Fn() + Send + Sync) -> (PathBuf, String) {
    let report = Check::new().out(&out.0).run(f);
    let schedule = report.findings()[0].schedule().expect("it was kept").to_owned();
    let folder = schedule.parent().expect("it lies in a folder").to_owned();
    let text = std::fs::read_to_string(folder.join("finding.json")).expect("it was kept");
    (folder, text)
}

fn lost_update() {
    let sum = Arc::new(AtomicU64::new(0));
    let add = || {
        let sum = Arc::clone(&sum);
        raddle::thread::spawn(move || sum.store(sum.load(SeqCst) + 1, SeqCst))
    };
    let threads = [add(), add()];
    threads.into_iter().for_each(|thread| thread.join().expect("it does not panic"));
    assert_eq!(sum.load(SeqCst), 2);
}

#[test]
fn a_run_without_the_switch_passes_and_can_be_replayed() {
    let out = Out::new();
    let (folder, text) = found(&out, lost_update);
    assert!(text.contains("\"text\": \"a run that passes parts at step "), "{text}");
    assert!(text.contains("goes on with `atomic 1 ← 1`"), "{text}");
    let page = std::fs::read_to_string(folder.join("report.html")).expect("it was kept");
    assert!(page.contains("A run that passes parts at step "));
    let explained = std::fs::read_to_string(folder.join("explain.txt")).expect("it was kept");
    assert!(explained.contains("passing  a run that passes parts at step "), "{explained}");
    let passing = folder.join("passing.txt").display().to_string();
    let again = Check::new().out(&out.0).replay(passing).run(lost_update);
    assert!(again.findings().is_empty());
}

#[test]
fn another_choice_can_be_what_passes() {
    let out = Out::new();
    let (_, text) = found(&out, || assert_ne!(raddle::choose(3), 2));
    assert!(text.contains("does `chooses 0 of 0..3`"), "{text}");
}

#[test]
fn where_no_run_passes_that_is_said() {
    let out = Out::new();
    let (folder, text) = found(&out, || {
        let sum = Arc::new(AtomicU64::new(0));
        let other = Arc::clone(&sum);
        let thread = raddle::thread::spawn(move || other.fetch_add(1, SeqCst));
        sum.fetch_add(1, SeqCst);
        let _ = thread.join();
        panic!("it always does");
    });
    assert!(text.contains("none was found: ") && text.contains("\"parts_at\": null"), "{text}");
    assert!(!folder.join("passing.txt").exists());
}
