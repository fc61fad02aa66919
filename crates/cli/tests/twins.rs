//! A program means the same in C and in Rust: every strategy makes as many runs of the one as of the other, gives up as
//! many, and finds the same.

mod common;
#[path = "twins/programs.rs"]
mod programs;

use common::{Folder, root};
use raddle::{Check, Report, Strategy};

/// What a search came to: its verdict, its runs, those given up, and the kinds of its findings.
#[derive(PartialEq, Eq, Debug)]
struct Answer {
    verdict: String,
    runs: u64,
    blocked: u64,
    kinds: Vec<String>,
}

impl Answer {
    fn in_rust(report: &Report) -> Answer {
        let kinds = report.findings().iter().map(|finding| finding.kind().to_owned()).collect();
        Answer { verdict: report.verdict().to_owned(), runs: report.runs(), blocked: report.blocked(), kinds }
    }

    fn in_c(document: &serde_json::Value) -> Answer {
        let number = |name: &str| document[name].as_u64().expect("a count is a number");
        let findings = document["findings"].as_array().expect("findings are a list");
        let kinds =
            findings.iter().filter_map(|finding| Some(finding["kind"].as_str()?.to_owned())).collect();
        let verdict = document["verdict"].as_str().expect("a verdict is a word").to_owned();
        Answer { verdict, runs: number("runs"), blocked: number("blocked"), kinds }
    }
}

/// Runs after which a search is stopped: some have more schedules than anybody could try.
const MAX_RUNS: u64 = 3_000;

fn same(name: &str, strategies: &[Strategy], program: fn()) {
    let folder = Folder::new();
    let source = root().join(format!("corpus/native/{name}.c"));
    let built = folder.raddle(&["cc", "-g", "-pthread", "-o", "twin", &source.to_string_lossy()]);
    assert_eq!(built.code, Some(0), "{name}: {built:#?}");
    for strategy in strategies {
        let runs = MAX_RUNS.to_string();
        let arguments = ["check", "./twin", "--keep-going", "--format", "json", "--max-runs", &runs];
        let ran = folder.raddle(&[&arguments[..], &["--strategy", strategy.as_str()]].concat());
        let in_c = Answer::in_c(&ran.json());
        let check = Check::new().strategy(*strategy).keep_going(true).max_runs(MAX_RUNS);
        let in_rust = Answer::in_rust(&check.out(folder.0.join("rust")).run(program));
        assert_eq!(in_c, in_rust, "{name} by {strategy}");
    }
}

/// Strategies that promise everything, whatever they reduce.
const ALL: [Strategy; 7] = [
    Strategy::Every,
    Strategy::PreemptionBound,
    Strategy::Dpor,
    Strategy::DporSleep,
    Strategy::DporCr,
    Strategy::DporCrSleep,
    Strategy::OptimalDpor,
];

#[test]
fn atomics() {
    same("store_buffering", &ALL, programs::store_buffering);
    same("useless_read", &ALL, programs::useless_read);
    same("lost_update", &ALL, programs::lost_update);
    same("check_then_act", &ALL, programs::check_then_act);
    same("one_winner_by_compare_exchange", &ALL, programs::one_winner);
    same("independent_reads_of_independent_writes", &ALL, programs::independent_reads);
    same("message_behind_a_flag", &ALL, programs::message_behind_a_flag);
    same("readers_and_a_writer", &ALL, programs::readers_and_a_writer);
    same("increments_3x3", &ALL, programs::increments);
    same("writers_3", &ALL, || programs::writers(3));
    same("writers_5", &ALL, || programs::writers(5));
    same("choose", &ALL, programs::choose);
}

#[test]
fn locks() {
    same("sections_2x5", &ALL, || programs::sections(2, 5));
    same("sections_3x2", &ALL, || programs::sections(3, 2));
    same("sections_4x1", &ALL, || programs::sections(4, 1));
    same("try_lock", &ALL, programs::try_lock);
    same("independent_locks", &ALL, programs::independent_locks);
    same("rwlock_readers", &ALL, programs::rwlock_readers);
    same("dining_2", &ALL, || programs::dining(2, false, 2));
    same("dining_3", &ALL, || programs::dining(3, false, 2));
    same("dining_greedy_3", &ALL, || programs::dining(3, true, 1));
}

#[test]
fn threads_that_wait_for_each_other() {
    same("condvar_handshake", &ALL, programs::condvar_handshake);
    same("lost_wakeup", &ALL, programs::lost_wakeup);
    same("broadcast", &ALL, programs::broadcast);
    same("one_place_queue", &ALL, programs::one_place_queue);
    same("semaphore_as_lock", &ALL, programs::semaphore_as_lock);
    same("once", &ALL, programs::once);
    same("barrier_phases", &ALL, programs::barrier_phases);
    same("barrier_with_a_missing_thread", &ALL, programs::barrier_with_a_missing_thread);
}

/// Too many schedules for strategies that do not reduce.
#[test]
fn programs_of_many_threads() {
    let reduced = [Strategy::DporCrSleep, Strategy::OptimalDpor];
    same("sections_4x2", &reduced, || programs::sections(4, 2));
    same("sections_3x3", &reduced, || programs::sections(3, 3));
    same("dining_4", &reduced, || programs::dining(4, false, 2));
    same("indexer_11", &reduced, || programs::indexer(11));
    same("indexer_12", &reduced, || programs::indexer(12));
    same("indexer_13", &reduced, || programs::indexer(13));
    same("indexer_14", &reduced, || programs::indexer(14));
    same("file_system_14", &reduced, || programs::file_system(14));
    same("file_system_16", &reduced, || programs::file_system(16));
    same("file_system_18", &reduced, || programs::file_system(18));
}
