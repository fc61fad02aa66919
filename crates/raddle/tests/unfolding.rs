//! The strategies that build a model: the figures of their paper, known numbers, findings.

#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

#[path = "../../../corpus/models/programs.rs"]
#[expect(dead_code, reason = "the benchmark uses all the others")]
mod programs;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Check, Report, Strategy, thread};

use programs::{figure_3, figure_7};

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
fn table_1_takes_as_many_runs_as_the_book_says() {
    // The runs of unfolding-stateless, optimal-dpor, stateful-naive and unfolding; without a number where a cell is too
    // large for a test.
    type Row = (&'static str, fn(), [Option<u64>; 4]);
    let rows: [Row; 10] = [
        ("Filesystem 1", || programs::filesystem(14), [Some(2), Some(2), None, Some(2)]),
        ("Filesystem 2", || programs::filesystem(18), [Some(2), Some(32), None, Some(2)]),
        ("Dining 1", || programs::dining(4, 2), [Some(1), Some(786), Some(1), Some(1)]),
        ("Dining 2", || programs::dining(5, 2), [None, Some(5_730), None, Some(1)]),
        ("Locking 1", || programs::locking(4, 0), [Some(11), Some(2_520), Some(13), Some(11)]),
        ("Locking 2", || programs::locking(4, 1), [None, None, None, Some(13)]),
        ("Locking 3", || programs::locking(5, 0), [None, None, None, Some(16)]),
        ("Updater", || programs::updater(2, 3, 2), [None, None, None, Some(50)]),
        ("Writes", || programs::writes(4, 3), [None, None, Some(1), Some(1)]),
        ("Synthetic 1", || programs::synthetic(1, 3, 5), [Some(118), Some(558), Some(155), Some(119)]),
    ];
    let columns =
        [Strategy::UnfoldingStateless, Strategy::OptimalDpor, Strategy::StatefulNaive, Strategy::Unfolding];
    for (title, program, cells) in rows {
        for (strategy, runs) in columns.into_iter().zip(cells) {
            let Some(runs) = runs else { continue };
            let report = run(strategy, program);
            assert_eq!((report.verdict(), report.runs()), ("exhausted", runs), "{title}, {strategy}");
            assert_eq!(report.model().is_some(), strategy != Strategy::OptimalDpor, "{title}, {strategy}");
        }
    }
}

/// The places of a model in which three threads read what another wrote, and return something of it.
fn places_of_readers<T: Send + 'static>(returns: fn(usize) -> T) -> usize {
    let report = run(Strategy::Unfolding, move || {
        let cell = Arc::new(AtomicUsize::new(0));
        let readers = [1, 2, 3].map(|number| {
            let cell = Arc::clone(&cell);
            thread::spawn(move || returns(cell.swap(number, SeqCst)))
        });
        readers.into_iter().for_each(|reader| drop(reader.join()));
    });
    assert_eq!(report.verdict(), "exhausted");
    report.model().unwrap().places
}

#[test]
fn what_ended_threads_have_seen_is_forgotten_unless_they_hand_it_over() {
    // 16 valuations; main's 9 states; of each reader the first two, one for each of five orders of those before it, its end.
    assert_eq!(places_of_readers(|_| ()), 16 + 9 + 3 * (2 + 5 + 1));
    // An end for each of the five, and what main was handed: by the first one of five, by two and three one of six.
    assert_eq!(places_of_readers(|seen| seen), 16 + (6 + 5 + 6 + 6) + 3 * (2 + 5 + 5));
}
