//! What a user gets to see of a model: files, names, numbers, pictures; and the figures of the paper, read from the files.

#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

#[path = "../../../corpus/models/programs.rs"]
#[expect(dead_code, reason = "the benchmark uses all the others")]
mod programs;

use std::path::PathBuf;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::{Check, Report, Strategy, thread};
use raddle_nets::{Net, format, reachable};

use programs::{figure_3, figure_7};

const MODELS: [Strategy; 3] = [Strategy::StatefulNaive, Strategy::Unfolding, Strategy::UnfoldingStateless];

/// A folder of the test's own, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("raddle-models-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that is left behind hurts nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The model of a program, from its file.
fn model(name: &str, strategy: Strategy, f: impl Fn() + Send + Sync) -> (Net, Report) {
    let folder = Folder::new(&format!("{name}-{strategy}"));
    let file = folder.0.join("model.ll_net");
    let report = Check::new().strategy(strategy).out(&folder.0).model_file(&file).run(f);
    (format::read(&std::fs::read(file).unwrap()).unwrap().net, report)
}

/// The names of places and of transitions that have this text in them, sorted.
fn named(net: &Net, text: &str) -> (Vec<String>, Vec<String>) {
    let sorted = |names: &mut dyn Iterator<Item = &str>| {
        let mut names: Vec<String> = names.filter(|name| name.contains(text)).map(str::to_owned).collect();
        names.sort();
        names
    };
    (
        sorted(&mut net.places().map(|place| net.place_name(place))),
        sorted(&mut net.transitions().map(|transition| net.transition_name(transition))),
    )
}

#[test]
fn figure_3_both_orders_end_in_one_marking() {
    for strategy in MODELS {
        let (net, report) = model("figure-3", strategy, figure_3);
        assert_eq!(report.runs(), 1, "{strategy}");
        assert_eq!(reachable(&net, 1_000).unwrap().deadlocks.len(), 1, "{strategy}");
        // The lock is one place when it is free; each thread has one transition for each of its three steps.
        assert_eq!(named(&net, "mutex 1").0, ["mutex 1", "mutex 1 held"], "{strategy}");
        assert_eq!(
            named(&net, "mutex 1").1,
            ["T0 lock mutex 1", "T0 unlock mutex 1", "T1 lock mutex 1", "T1 unlock mutex 1"],
            "{strategy}"
        );
        assert_eq!(named(&net, "writes").1, ["T0 writes atomic 1=2", "T1 writes atomic 2=1"], "{strategy}");
    }
}

#[test]
fn figure_4_the_model_of_a_single_run_has_nine_writes_and_three_end_markings() {
    for strategy in MODELS {
        let (net, report) = model("figure-4", strategy, || programs::writes(3, 1));
        assert_eq!(report.runs(), 1, "{strategy}");
        // From the first valuation, and from those of the two others, for each of three threads.
        assert_eq!(named(&net, "writes").1.len(), 9, "{strategy}");
        assert_eq!(named(&net, "atomic 1").0.len(), 4, "{strategy}");
        assert_eq!(reachable(&net, 10_000).unwrap().deadlocks.len(), 3, "{strategy}");
    }
    let every = Check::new().strategy(Strategy::OptimalDpor).run(|| programs::writes(3, 1));
    assert_eq!(every.runs(), 6);
}

#[test]
fn figure_7_reads_are_independent_and_the_second_unlock_is_the_terminal() {
    let (net, report) = model("figure-7", Strategy::Unfolding, figure_7);
    assert_eq!(report.runs(), 2);
    assert_eq!(named(&net, "reads").1, ["T0 reads atomic 1=0", "T1 reads atomic 1=0"]);
    assert_eq!(named(&net, "chooses").1, ["T0 chooses 0", "T0 chooses 1"]);
    assert_eq!(reachable(&net, 1_000).unwrap().deadlocks.len(), 2);
    let folder = Folder::new("figure-7-prefix");
    let file = folder.0.join("model.prefix.dot");
    Check::new().strategy(Strategy::Unfolding).out(&folder.0).model_file(&file).run(figure_7);
    let drawing = std::fs::read_to_string(file).unwrap();
    let terminals: Vec<&str> = drawing.lines().filter(|line| line.contains("peripheries=2")).collect();
    assert_eq!(terminals.len(), 1, "{terminals:#?}");
    assert!(terminals[0].contains("unlock mutex 1"), "{terminals:#?}");
    // A copy of the variable for each thread.
    assert!(drawing.contains("atomic 1=0 for T0") && drawing.contains("atomic 1=0 for T1"));
    assert_eq!(drawing.matches("reads atomic 1=0").count(), 4, "each after either lock");
}

#[test]
fn the_file_has_as_many_places_and_transitions_as_the_report_says() {
    let handshake = || {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let setter = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let mut ready = shared.0.lock().unwrap();
        while !*ready {
            ready = shared.1.wait(ready).unwrap();
        }
        drop(ready);
        setter.join().unwrap();
    };
    let programs: [(&str, &(dyn Fn() + Send + Sync)); 4] = [
        ("dining", &|| programs::dining(3, 1)),
        ("locking", &|| programs::locking(2, 1)),
        ("handshake", &handshake),
        ("fib", &|| programs::fib(1)),
    ];
    for (name, program) in programs {
        for strategy in [Strategy::StatefulNaive, Strategy::Unfolding] {
            let (net, report) = model(name, strategy, program);
            let size = report.model().unwrap();
            assert_eq!(
                (net.places().len(), net.transitions().len()),
                (size.places, size.transitions),
                "{name}, {strategy}"
            );
        }
    }
}

#[test]
fn every_format_can_be_asked_for_by_the_name_of_the_file() {
    let folder = Folder::new("formats");
    let file = |name: &str| {
        let file = folder.0.join(name);
        Check::new().strategy(Strategy::Unfolding).out(&folder.0).model_file(&file).run(figure_3);
        std::fs::read(file).ok()
    };
    for name in ["a.dot", "a.pnml", "a.ll_net"] {
        let net = format::read(&file(name).unwrap()).unwrap().net;
        assert_eq!(net.transitions().len(), 12, "{name}");
    }
    assert!(file("a.prefix.dot").unwrap().starts_with(b"digraph prefix {"));
    assert!(file("a.mci").is_some());
    assert!(file("a.png").is_none(), "there is no such format");
}

#[test]
fn the_json_has_the_sizes_of_the_model_for_all_three_strategies() {
    for strategy in MODELS {
        let report = Check::new().strategy(strategy).out(std::env::temp_dir()).run(figure_3);
        let document: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        let model = document["model"].as_object().unwrap();
        let keys: Vec<&str> = model.keys().map(String::as_str).collect();
        assert_eq!(keys.len(), 6, "{keys:?}");
        assert_eq!(model["transitions"], 12, "{strategy}");
        assert!(model["markings"].as_u64().unwrap() > 0, "{strategy}");
        for key in ["places", "events", "conditions", "terminals"] {
            assert!(model[key].is_u64(), "{strategy}: {key}");
        }
    }
}

#[test]
fn the_page_shows_the_net_and_its_unfolding() {
    let page = |strategy| Check::new().strategy(strategy).out(std::env::temp_dir()).run(figure_3).page();
    let unfolding = page(Strategy::Unfolding);
    assert!(unfolding.contains("id=\"net\"") && unfolding.contains("id=\"net-1\""));
    assert!(unfolding.contains("T1 lock mutex 1"));
    let naive = page(Strategy::StatefulNaive);
    assert!(naive.contains("id=\"net\"") && !naive.contains("id=\"net-1\""), "it unfolds nothing");
    assert!(!page(Strategy::OptimalDpor).contains("id=\"net\""));
}

#[test]
fn a_large_net_is_drawn_in_part_and_the_page_says_so() {
    let page = Check::new()
        .strategy(Strategy::Unfolding)
        .out(std::env::temp_dir())
        .run(|| programs::dining(4, 2))
        .page();
    assert!(page.contains("The first ") && page.contains(" events of its unfolding"));
}

#[test]
fn matching_values_makes_the_model_of_equal_writes_smaller() {
    let twice = || {
        let cell = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&cell);
        let writer = thread::spawn(move || {
            other.store(1, SeqCst);
            other.store(2, SeqCst);
        });
        cell.store(1, SeqCst);
        cell.load(SeqCst);
        writer.join().unwrap();
    };
    for strategy in MODELS {
        let places = |by_value: bool| {
            let check = Check::new().strategy(strategy).match_values(by_value).out(std::env::temp_dir());
            check.run(twice).model().unwrap().places
        };
        assert!(places(true) < places(false), "{strategy}: {} {}", places(true), places(false));
    }
}

#[test]
fn matching_values_is_refused_where_there_is_no_model() {
    let refused = std::panic::catch_unwind(|| Check::new().match_values(true).run(|| ()));
    let message = refused.unwrap_err().downcast::<String>().unwrap();
    assert!(message.starts_with("match_values: the strategy `optimal-dpor` builds no model"), "{message}");
}
