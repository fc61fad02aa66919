//! The strategies that build a model: the figures of their paper, known numbers, findings.

#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

#[path = "../../../corpus/models/programs.rs"]
#[expect(dead_code, reason = "the benchmark uses all of them")]
mod programs;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Check, Report, Strategy, thread};

const MODELS: [Strategy; 3] = [Strategy::StatefulNaive, Strategy::Unfolding, Strategy::UnfoldingStateless];

fn run(strategy: Strategy, f: impl Fn() + Send + Sync) -> Report {
    Check::new().strategy(strategy).out(std::env::temp_dir()).run(f)
}

/// Verdict and runs.
fn told(strategy: Strategy, f: impl Fn() + Send + Sync) -> (String, u64) {
    let report = run(strategy, f);
    assert!(report.model().is_some(), "the program is within the model");
    (report.verdict().to_owned(), report.runs())
}

/// How a search ends that has seen everything.
fn exhausted(runs: u64) -> (String, u64) {
    ("exhausted".to_owned(), runs)
}

/// Figure 3: two threads take the lock and write a cell each.
fn figure_3() {
    let shared = Arc::new((Mutex::new(()), AtomicUsize::new(0), AtomicUsize::new(0)));
    let other = Arc::clone(&shared);
    let first = thread::spawn(move || {
        let _held = other.0.lock().unwrap();
        other.1.store(1, SeqCst);
    });
    {
        let _held = shared.0.lock().unwrap();
        shared.2.store(2, SeqCst);
    }
    first.join().unwrap();
}

#[test]
fn figure_3_both_orders_end_in_the_same_marking_and_one_run_shows_both() {
    for strategy in MODELS {
        assert_eq!(told(strategy, figure_3), exhausted(1), "{strategy}");
    }
    assert_eq!(run(Strategy::OptimalDpor, figure_3).runs(), 2);
    // Start, three steps and end of each thread; the creation and the join.
    assert_eq!(run(Strategy::Unfolding, figure_3).model().map(|model| model.transitions), Some(12));
    assert_eq!(run(Strategy::Unfolding, figure_3).model().map(|model| model.terminals), Some(1));
}

#[test]
fn figure_4_three_writes_need_a_single_run() {
    for strategy in MODELS {
        assert_eq!(told(strategy, || programs::writes(3, 1)), exhausted(1), "{strategy}");
    }
    assert_eq!(run(Strategy::OptimalDpor, || programs::writes(3, 1)).runs(), 6);
    // Each of three writes finds the first valuation, or that of one of the two others.
    let writes = |model: raddle::ModelSize| model.transitions - (2 + 3 + 3 + 3 * 2);
    assert_eq!(run(Strategy::Unfolding, || programs::writes(3, 1)).model().map(writes), Some(9));
    assert_eq!(run(Strategy::StatefulNaive, || programs::writes(3, 1)).model().map(writes), Some(9));
}

/// Figure 7: two threads take a lock and read; the first then branches on an input.
fn figure_7() {
    let shared = Arc::new((Mutex::new(()), AtomicUsize::new(0), AtomicUsize::new(0)));
    let other = Arc::clone(&shared);
    let reader = thread::spawn(move || {
        let _held = other.0.lock().unwrap();
        other.1.load(SeqCst);
    });
    {
        let _held = shared.0.lock().unwrap();
        shared.1.load(SeqCst);
    }
    if raddle::choose(2) == 1 {
        shared.2.store(1, SeqCst);
    }
    reader.join().unwrap();
}

#[test]
fn figure_7_the_branch_that_was_not_taken_needs_a_second_run() {
    for strategy in MODELS {
        assert_eq!(told(strategy, figure_7), exhausted(2), "{strategy}");
    }
    assert_eq!(run(Strategy::OptimalDpor, figure_7).runs(), 4);
}

#[test]
fn what_a_mutex_guards_decides_what_a_thread_does() {
    let body = || {
        let turn = Arc::new(Mutex::new(0));
        let other = Arc::clone(&turn);
        let second = thread::spawn(move || *other.lock().unwrap() += 1);
        let seen = *turn.lock().unwrap();
        assert!(seen == 0, "the other thread was faster");
        second.join().unwrap();
    };
    for strategy in MODELS {
        let report = run(strategy, body);
        assert_eq!(report.findings().len(), 1, "{strategy}");
        assert_eq!(report.findings()[0].kind(), "panic", "{strategy}");
    }
}

#[test]
fn a_deadlock_that_no_run_met_is_found_in_the_model() {
    let body = || {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = Arc::clone(&locks);
        let second = thread::spawn(move || {
            let _second = other.1.lock().unwrap();
            let _first = other.0.lock().unwrap();
        });
        {
            let _first = locks.0.lock().unwrap();
            let _second = locks.1.lock().unwrap();
        }
        second.join().unwrap();
    };
    for strategy in MODELS {
        let report = run(strategy, body);
        assert_eq!(report.findings().len(), 1, "{strategy}");
        assert_eq!(report.findings()[0].kind(), "deadlock", "{strategy}");
        assert_eq!(report.runs(), 2, "{strategy}");
    }
}

#[test]
fn beyond_the_model_the_search_goes_on_without_it() {
    let body = || {
        let cell = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&cell);
        let setter = thread::spawn(move || other.store(1, SeqCst));
        while cell.load(SeqCst) == 0 {
            raddle::hint::spin_loop();
        }
        setter.join().unwrap();
    };
    let report = run(Strategy::Unfolding, body);
    assert_eq!((report.verdict(), report.model()), ("exhausted", None));
}

#[test]
fn a_value_taken_out_of_its_cell_is_beyond_the_model() {
    let body = || {
        let mut sum = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| sum.store(1, SeqCst));
            scope.spawn(|| sum.store(2, SeqCst));
        });
        assert!(*sum.get_mut() == 2, "the order of the writes shows");
    };
    assert_eq!(run(Strategy::Unfolding, body).verdict(), "failed");
}

#[test]
fn dining_philosophers_need_a_run_or_two_where_reduction_needs_thousands() {
    assert_eq!(run(Strategy::OptimalDpor, || programs::dining(4, 2)).runs(), 786);
    for philosophers in [4, 5] {
        let (verdict, runs) = told(Strategy::Unfolding, || programs::dining(philosophers, 2));
        assert!(verdict == "exhausted" && runs <= 4, "{verdict} {runs}");
    }
}

#[test]
fn critical_sections_that_do_not_share_data_need_few_runs() {
    let (verdict, runs) = told(Strategy::Unfolding, || programs::locking(4, 0));
    assert!(verdict == "exhausted" && runs <= 20, "{verdict} {runs}");
    assert_eq!(told(Strategy::Unfolding, || programs::writes(4, 3)), exhausted(1));
    let (verdict, runs) = told(Strategy::Unfolding, || programs::filesystem(16));
    assert!(verdict == "exhausted" && runs <= 3, "{verdict} {runs}");
}
