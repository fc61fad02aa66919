//! Input that is wrong: schedules, names of strategies, and programs that raddle cannot check. What is said tells what is
//! wrong and what to do.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize as RealAtomicUsize;
use std::time::Instant;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Check, Report, Strategy, thread};

/// What the check says when it refuses.
#[track_caller]
fn refusal<T>(check: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(check)).err().expect("it should be refused");
    panic
        .downcast_ref::<String>()
        .cloned()
        .or(panic.downcast_ref::<&str>().map(|&text| text.to_owned()))
        .unwrap()
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("raddle-bad-input-{}", std::process::id())).join(name)
}

fn lost_update() {
    let sum = Arc::new(AtomicUsize::new(0));
    let adders = [(); 2].map(|()| {
        let sum = Arc::clone(&sum);
        thread::spawn(move || {
            let seen = sum.load(SeqCst);
            sum.store(seen + 1, SeqCst);
        })
    });
    adders.into_iter().for_each(|adder| adder.join().unwrap());
    assert_eq!(sum.load(SeqCst), 2);
}

/// The schedule of a lost update, kept in a folder of its own.
#[track_caller]
fn recorded(name: &str) -> PathBuf {
    let report = Check::new().name("lost_update").out(folder(name)).run(lost_update);
    report.findings()[0].schedule().unwrap().to_owned()
}

/// What is said of a schedule whose text was changed in this way.
#[track_caller]
fn refusal_of_changed(name: &str, change: impl FnOnce(String) -> String) -> String {
    let path = recorded(name);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, change(text)).unwrap();
    let said = refusal(|| replay(path.to_str().unwrap()));
    says(&said, &[path.to_str().unwrap()]);
    said
}

fn replay(schedule: &str) -> Report {
    Check::new().name("lost_update").replay(schedule).run(lost_update)
}

#[test]
fn the_recorded_schedule_itself_is_good() {
    let path = recorded("good");
    assert_eq!(replay(path.to_str().unwrap()).findings()[0].kind(), "assertion");
}

#[test]
fn a_schedule_that_was_cut_off_is_refused() {
    let said = refusal_of_changed("cut", |text| text[..text.rfind("end ").unwrap()].to_owned());
    says(&said, &["could not use the schedule", "cut off", "record the finding again"]);
}

#[test]
fn a_schedule_is_refused_wherever_it_was_cut_off() {
    let path = recorded("cut-anywhere");
    let text = std::fs::read(&path).unwrap();
    for length in 0..text.len() {
        std::fs::write(&path, &text[..length]).unwrap();
        says(&refusal(|| replay(path.to_str().unwrap())), &["could not use the schedule"]);
    }
}

#[test]
fn a_schedule_that_was_damaged_is_refused() {
    let said = refusal_of_changed("damaged", |text| text.replacen("step t1", "step t2", 1));
    says(&said, &["checksum", "changed or damaged", "record the finding again"]);
    let said = refusal_of_changed("empty", |_| String::new());
    says(&said, &["not a schedule file"]);
    let said = refusal_of_changed("foreign", |_| "\u{0}\u{1}\u{2} something else entirely\n".to_owned());
    says(&said, &["not a schedule file"]);
}

/// Damage that is no text does not make another kind of file of it.
#[test]
fn a_schedule_with_bytes_that_are_no_text_is_refused_as_damaged() {
    let path = recorded("bytes");
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.get_mut(40).unwrap() = 0xff;
    std::fs::write(&path, &bytes).unwrap();
    let said = refusal(|| replay(path.to_str().unwrap()));
    says(&said, &["it is not UTF-8: the file was changed or damaged, record the finding again"]);
    bytes[0] = 0xff;
    std::fs::write(&path, &bytes).unwrap();
    says(&refusal(|| replay(path.to_str().unwrap())), &["this is not a schedule file"]);
}

#[test]
fn a_schedule_of_another_version_is_refused() {
    let said =
        refusal_of_changed("version", |text| text.replacen("raddle schedule 1", "raddle schedule 99", 1));
    says(&said, &["format version 99", "reads version 1", "record the finding again"]);
}

#[test]
fn a_schedule_of_another_program_is_refused() {
    let path = recorded("other");
    let said = refusal(|| Check::new().name("transfer").replay(path.to_str().unwrap()).run(lost_update));
    says(&said, &["`lost_update`", "`transfer`", "run without RADDLE_REPLAY"]);
}

/// The program of the same name now does something else in the same place of the schedule.
#[test]
fn a_schedule_of_a_program_that_has_changed_is_refused() {
    let path = recorded("changed");
    let replay = |program: fn()| {
        refusal(|| Check::new().name("lost_update").replay(path.to_str().unwrap()).run(program))
    };
    let advice =
        ["left the recorded schedule", "step 1", "recorded", "observed", "has changed", "search again"];
    says(&replay(|| ()), &advice);
    says(&replay(|| _ = AtomicUsize::new(0).load(SeqCst)), &advice);
    let said = replay(|| {
        let sum = Arc::new(AtomicUsize::new(0));
        let adders = [(); 2].map(|()| {
            let sum = Arc::clone(&sum);
            thread::spawn(move || _ = sum.fetch_add(1, SeqCst))
        });
        adders.into_iter().for_each(|adder| adder.join().unwrap());
    });
    says(&said, &advice);
    says(&said, &["recorded  load, ", "observed  read modify write, ", "bad_input.rs"]);
}

#[test]
fn a_finding_that_does_not_exist_is_refused() {
    let said =
        refusal(|| Check::new().name("lost_update").out(folder("none")).replay("zzzzz").run(lost_update));
    says(&said, &["no finding `zzzzz`", "schedule.txt", "without RADDLE_REPLAY", "find it again"]);
}

#[test]
fn a_strategy_that_does_not_exist_is_refused_with_the_list() {
    let said = "x".parse::<Strategy>().unwrap_err().to_string();
    says(&said, &["no strategy `x`", "optimal-dpor", "preemption-bound", "random"]);
    let said = "optimal-dpo".parse::<Strategy>().unwrap_err().to_string();
    says(&said, &["did you mean `optimal-dpor`?"]);
}

/// A check without a single run would pass.
#[test]
fn a_setting_that_makes_no_sense_is_refused() {
    let check = |check: Check| refusal(|| check.run(lost_update));
    assert_eq!(
        check(Check::new().max_runs(0)),
        "max_runs: 0 is too few, it takes at least 1; write it like `max_runs(1000)`"
    );
    assert_eq!(
        check(Check::new().max_time(std::time::Duration::ZERO)),
        "max_time: there is no time for at least 1 run; write it like `max_time(Duration::from_secs(90))`"
    );
    for workers in [0, 100_000] {
        assert_eq!(
            check(Check::new().workers(workers)),
            format!("workers: {workers} is not a number from 1 to 1024; write it like `workers(2)`")
        );
    }
}

const ALL_WITHOUT_SAMPLES: [Strategy; 7] = [
    Strategy::Every,
    Strategy::PreemptionBound,
    Strategy::Dpor,
    Strategy::DporSleep,
    Strategy::DporCr,
    Strategy::DporCrSleep,
    Strategy::OptimalDpor,
];

/// Checks a program that is not under control with every strategy that could claim something.
#[track_caller]
fn no_claim(program: impl Fn() + Send + Sync) {
    for strategy in ALL_WITHOUT_SAMPLES {
        let report = Check::new().strategy(strategy).out(folder("no-claim")).max_runs(10_000).run(&program);
        assert_eq!(report.verdict(), "untrusted", "{strategy}: {report}");
        assert!(report.findings().is_empty(), "{strategy}: {report}");
        says(&report.summary(), &["UNTRUSTED", "with the same schedule", "BTreeMap", "raddle::choose"]);
    }
    let said = refusal(|| Check::new().out(folder("no-claim")).check(&program));
    says(&said, &["UNTRUSTED", "no claim", "next"]);
}

/// Two threads that take all locks, one after the other, one always in the same order, one in this.
fn take_all(order: Vec<usize>) {
    let locks: Arc<[Mutex<()>; 4]> = Arc::default();
    let takers = [vec![0, 1, 2, 3], order].map(|order| {
        let locks = Arc::clone(&locks);
        thread::spawn(move || order.iter().for_each(|&number| drop(locks[number].lock().unwrap())))
    });
    takers.into_iter().for_each(|taker| taker.join().unwrap());
}

#[test]
fn no_claim_is_made_if_calls_before_decide_what_is_done() {
    static CALLS: RealAtomicUsize = RealAtomicUsize::new(0);
    no_claim(|| {
        let call = CALLS.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        take_all((0..4).map(|number| (number + call) % 4).collect());
    });
}

#[test]
fn no_claim_is_made_if_only_the_kind_of_a_step_changes() {
    static CALLS: RealAtomicUsize = RealAtomicUsize::new(0);
    no_claim(|| {
        let call = CALLS.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let shared = Arc::new(AtomicUsize::new(0));
        let threads = [(); 2].map(|()| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                if call.is_multiple_of(2) { shared.store(1, SeqCst) } else { _ = shared.load(SeqCst) }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn no_claim_is_made_if_a_real_clock_decides() {
    let start = Instant::now();
    no_claim(|| {
        let now = start.elapsed().as_nanos() as usize / 100;
        take_all((0..4).map(|number| (number + now) % 4).collect());
    });
}

#[test]
fn no_claim_is_made_if_the_order_of_a_hash_map_decides() {
    no_claim(|| {
        let numbers: HashMap<usize, ()> = (0..4).map(|number| (number, ())).collect();
        take_all(numbers.into_keys().collect());
    });
}

#[test]
fn a_run_that_does_not_end_is_given_up() {
    let endless = || {
        let number = AtomicUsize::new(0);
        loop {
            number.fetch_add(1, SeqCst);
        }
    };
    let report = Check::new().run(endless);
    assert_eq!((report.verdict(), report.findings().len()), ("stopped", 0), "{report}");
    let said = refusal(|| Check::new().name("endless").max_steps(500).check(endless));
    says(&said, &["INCOMPLETE", "longer than max_steps 500", "loop that does not end", "raise max_steps"]);
}

#[test]
fn more_threads_than_raddle_can_tell_apart_are_refused() {
    let many = || {
        let threads: Vec<_> = (0..130).map(|_| thread::spawn(|| ())).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    let report = Check::new().run(many);
    assert_eq!((report.verdict(), report.findings().len()), ("stopped", 0), "{report}");
    let said = refusal(|| Check::new().name("many").check(many));
    says(&said, &["INCOMPLETE", "more than 128 threads", "fewer threads"]);
}

/// All threads of a run share an OS thread, so a lock of `std` that one of them holds stops them all.
#[test]
fn a_run_that_waits_for_a_lock_of_std_is_ended() {
    let waiting = || {
        let mutex = std::sync::Arc::new(std::sync::Mutex::new(0));
        let number = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let (mutex, number) = (std::sync::Arc::clone(&mutex), Arc::clone(&number));
            move || {
                let _held = mutex.lock();
                number.fetch_add(1, SeqCst);
            }
        });
        let held = mutex.lock();
        number.fetch_add(1, SeqCst);
        drop(held);
        other.join().unwrap();
    };
    let soon = std::time::Duration::from_millis(200);
    let said = refusal(|| Check::new().name("std lock").max_run_time(soon).check(waiting));
    says(&said, &["UNTRUSTED", "a call that waits", "bad_input.rs:", "in place of std::thread,"]);
    assert!(Check::new().run(|| ()).is_exhausted());
}

/// With few schedules there are few runs to notice it in, so some are made again.
#[test]
fn a_program_that_does_something_else_now_and_then_is_noticed_in_a_single_run() {
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let said = refusal(|| {
        Check::new().name("now and then").check(|| {
            let number = AtomicUsize::new(0);
            if calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 5 {
                number.store(1, SeqCst);
            }
        });
    });
    says(&said, &["UNTRUSTED", "with the same schedule the program did something else"]);
}

/// What such a thread does is in no schedule.
#[test]
fn no_claim_is_made_about_threads_of_std() {
    let known_before = || {
        let number = Arc::new(AtomicUsize::new(0));
        number.store(1, SeqCst);
        let other = std::thread::spawn({
            let number = Arc::clone(&number);
            move || number.store(2, SeqCst)
        });
        other.join().unwrap();
    };
    let met_afterwards = || {
        let number = Arc::new(Mutex::new(0));
        let other = std::thread::spawn({
            let number = Arc::clone(&number);
            move || *number.lock().unwrap() += 1
        });
        other.join().unwrap();
        *number.lock().unwrap() += 1;
    };
    let said = refusal(|| Check::new().name("std thread").check(known_before));
    says(&said, &["UNTRUSTED", "a thread that raddle::thread did not start", "use raddle::thread"]);
    assert_eq!(Check::new().run(met_afterwards).verdict(), "untrusted");
}

/// Before and after a check an object may be used anywhere.
#[test]
fn objects_may_be_used_outside_of_checks() {
    let number = Arc::new(AtomicUsize::new(0));
    for round in 0..2 {
        let before = Arc::clone(&number);
        std::thread::spawn(move || before.fetch_add(1, SeqCst)).join().unwrap();
        let inside = Arc::clone(&number);
        let report = Check::new().run(move || _ = inside.load(SeqCst));
        assert!(report.is_exhausted(), "round {round}: {report}");
    }
    assert_eq!(number.load(SeqCst), 2);
}

/// What was refused leaves nothing behind that would disturb the next check.
#[test]
fn after_a_refusal_the_next_check_works() {
    let number = AtomicUsize::new(0);
    let endless = || loop {
        number.fetch_add(1, SeqCst);
    };
    refusal(|| Check::new().out(folder("after")).max_steps(50).check(endless));
    let report = Check::new().out(folder("after")).run(lost_update);
    assert_eq!(report.findings()[0].kind(), "assertion");
    assert!(Check::new().run(|| ()).is_exhausted());
}

/// Cutting the number off would leave alternatives out without a word.
#[test]
fn a_choice_that_is_too_large_is_refused() {
    let report = Check::new().out(folder("choice")).run(|| {
        let _ = raddle::choose(1 << 33);
    });
    says(report.findings()[0].message(), &["a choice of 8589934592 alternatives", "at most 65536"]);
}
