//! Runs that go on from the middle of the run before are the runs that whole ones would have been.

mod common;

use common::{Folder, root};

/// Programs that keep something in every place where a run can keep it: locks, conditions, barriers, semaphores, the heap,
/// thread-local variables, keys, exit handlers, exceptions, random numbers, virtual time, jumps, library objects.
const PROGRAMS: &[&str] = &[
    "barrier_phases.c",
    "buffer_with_one_condvar.c",
    "c11_timed_and_try.c",
    "choose_one_pair.c",
    "cpp_async.cpp",
    "cpp_exceptions_inside_threads.cpp",
    "cpp_future_and_promise.cpp",
    "cpp_jthread.cpp",
    "cpp_queue.cpp",
    "cpp_shared_pointer.cpp",
    "cpp_thread_local.cpp",
    "dining_4.c",
    "indexer_13.c",
    "message_behind_fences.c",
    "once.c",
    "prints_in_threads.c",
    "readers_and_a_writer.c",
    "recursive_mutex.c",
    "reference_count_fixed.c",
    "sections_3x3.c",
    "seeded_rand.c",
    "semaphore_buffer.c",
    "spin_lock_by_hand.c",
    "static_containers.cpp",
    "static_destructors.cpp",
    "thread_keys.c",
    "thread_local_variables.c",
    "timed_wait_handled.c",
    "treiber_stack.c",
    "verifier_atomic_against_others.c",
    "virtual_time.c",
    "weak_compare_exchange.c",
];

/// The runs that a search lists, one line each, and what it said beside them.
fn runs(folder: &Folder, strategy: &str, checkpoints: &str) -> (Vec<String>, String) {
    let checkpoints = format!("--checkpoints={checkpoints}");
    let fixed = [
        "check",
        "./program",
        "--list",
        "runs",
        "--list-most",
        "2000",
        "--full",
        "--keep-going",
        "--max-runs",
        "2000",
    ];
    let ran = folder.raddle(&[&fixed[..], &["--strategy", strategy, &checkpoints]].concat());
    let (runs, said): (Vec<&str>, Vec<&str>) = ran.err.lines().partition(|line| line.starts_with("run "));
    (runs.into_iter().map(str::to_owned).collect(), said.join("; "))
}

#[test]
fn a_run_from_a_checkpoint_is_the_run_from_the_start() {
    let mut compared = 0;
    for program in PROGRAMS {
        let folder = Folder::new();
        let source = root().join("corpus/native").join(program).display().to_string();
        let (compiler, standard) =
            if program.ends_with(".cpp") { ("c++", "-std=c++20") } else { ("cc", "-std=gnu17") };
        let built = folder.raddle(&[compiler, standard, "-g", "-pthread", &source, "-o", "program"]);
        assert_eq!(built.code, Some(0), "{program}: {}", built.err);
        for strategy in ["every", "dpor", "dpor-cr-sleep", "optimal-dpor"] {
            let (whole, _) = runs(&folder, strategy, "no");
            let (from_checkpoints, said) = runs(&folder, strategy, "yes");
            assert!(!whole.is_empty(), "{program} with {strategy} has runs");
            assert!(from_checkpoints == whole, "{program} with {strategy}: other runs; {said}");
            assert!(!said.contains("began again"), "{program} with {strategy}: {said}");
            compared += whole.len();
        }
    }
    assert!(compared > 20_000, "only {compared} runs were compared");
}
