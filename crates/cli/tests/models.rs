//! `raddle nets model`, `--match values` and the numbers of models, on the C programs of `corpus/models`.
#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

mod common;

use std::cell::Cell;
use std::time::Duration;

use common::{Folder, Ran, root};
use raddle_channel::Task;
use raddle_explore::{Limit, StrategyName, Verdict};
use raddle_native::{Keeping, Limits, Plan, Program, Survey, Watcher, survey};
use raddle_nets::{Net, format, reachable};

const MODELS: [&str; 3] = ["stateful-naive", "unfolding", "unfolding-stateless"];

/// A program of the corpus, compiled with these definitions.
fn compiled(folder: &Folder, file: &str, defines: &[&str]) -> String {
    let source = root().join("corpus/models").join(file).display().to_string();
    let name = format!("./{file}-{}", defines.concat().replace(['-', '='], ""));
    let mut arguments = vec!["cc", "-pthread", &source, "-o", &name];
    arguments.extend(defines);
    let ran = folder.raddle(&arguments);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    name
}

fn check(folder: &Folder, program: &str, strategy: &str) -> serde_json::Value {
    folder.raddle(&["check", program, "--format", "json", "--strategy", strategy]).json()
}

fn net(ran: &Ran) -> Net {
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    format::read(ran.out.as_bytes()).unwrap().net
}

#[test]
fn the_model_of_a_c_program_has_the_names_of_the_program_and_the_size_of_the_report() {
    let folder = Folder::new();
    let program = compiled(&folder, "locking.c", &["-DFULL=2"]);
    let mut sizes = Vec::new();
    for strategy in ["stateful-naive", "unfolding"] {
        for format in ["dot", "pnml", "ll_net"] {
            let ran = folder.raddle(&["nets", "model", &program, "--strategy", strategy, "--format", format]);
            let net = net(&ran);
            let names: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
            for name in ["lock", "lock held", "shared=1", "T2:4"] {
                assert!(names.contains(&name), "{name} is not among {names:?}");
            }
            let steps: Vec<&str> = net.transitions().map(|step| net.transition_name(step)).collect();
            for name in ["T1 lock lock", "T1 writes shared=0", "T2 reads shared=1", "T0 joins T2"] {
                assert!(steps.contains(&name), "{name} is not among {steps:?}");
            }
            sizes.push((names.len() as u64, steps.len() as u64));
        }
        let model = &check(&folder, &program, strategy)["model"];
        sizes.push((model["places"].as_u64().unwrap(), model["transitions"].as_u64().unwrap()));
    }
    sizes.dedup();
    assert_eq!(sizes.len(), 1, "both strategies build the same model: {sizes:?}");
}

#[test]
fn figure_4_in_c_has_three_end_markings_and_needs_a_single_run() {
    let folder = Folder::new();
    let program = compiled(&folder, "writes.c", &["-DN=3", "-DTIMES=1"]);
    let net = net(&folder.raddle(&["nets", "model", &program, "--format", "ll_net"]));
    assert_eq!(reachable(&net, 10_000).unwrap().deadlocks.len(), 3);
    for strategy in MODELS {
        let document = check(&folder, &program, strategy);
        assert_eq!((&document["runs"], &document["verdict"]), (&1.into(), &"exhausted".into()), "{strategy}");
    }
    assert_eq!(check(&folder, &program, "optimal-dpor")["runs"], 6);
}

#[test]
fn the_unfolding_has_its_terminals_marked_and_goes_to_a_file() {
    let folder = Folder::new();
    let program = compiled(&folder, "dining.c", &["-DN=2", "-DTIMES=1"]);
    let ran = folder.raddle(&["nets", "model", &program, "--prefix"]);
    assert!(ran.out.starts_with("digraph prefix {"), "{ran:#?}");
    assert_eq!(ran.out.matches("peripheries=2").count(), 1, "the second of the threads that have eaten");
    let drawing = ran.out;
    let ran = folder.raddle(&["nets", "model", &program, "--prefix", "--format", "mci", "--output", "a.mci"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:#?}");
    let written = std::fs::read(folder.0.join("a.mci")).unwrap();
    let number = |at: usize| u32::from_le_bytes(written[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(number(0), drawing.matches("shape=circle").count());
    assert_eq!(number(4), drawing.matches("shape=box").count());
}

#[test]
fn what_has_no_model_or_no_unfolding_is_refused_with_the_reason() {
    let folder = Folder::new();
    folder.file(
        "mixed.c",
        "#include <pthread.h>\n\
         int x;\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         void *body(void *v) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return v; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, body, 0); pthread_join(t, 0);\n\
         __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); }\n",
    );
    folder.file(
        "tried.c",
        "#include <pthread.h>\n\
         int x;\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         void *body(void *v) { x = 1; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return v; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, body, 0);\n\
         if (pthread_mutex_trylock(&m)) x = 2; else pthread_mutex_unlock(&m); pthread_join(t, 0); }\n",
    );
    let refused = |arguments: &[&str], expected: &str| {
        let ran = folder.raddle(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:#?}");
        assert!(ran.err.contains(expected), "{}", ran.err);
    };
    refused(
        &["nets", "model", "mixed.c"],
        "mixed.c: no model of this program can be built: its threads pass data to each other through plain memory in a",
    );
    refused(
        &["nets", "model", "tried.c"],
        "tried.c: no model of this program can be built: its threads share plain memory that no lock guards, and learn",
    );
    let document = check(&folder, "tried.c", "unfolding");
    assert_eq!(document["findings"][0]["kind"], "data-race", "{document}");
    let document = check(&folder, "mixed.c", "unfolding");
    assert_eq!((&document["verdict"], &document["model"]), (&"exhausted".into(), &serde_json::Value::Null));
    assert!(document["no_model"].as_str().is_some_and(|why| why.contains("plain memory")), "{document}");
    let program = compiled(&folder, "dining.c", &["-DN=2", "-DTIMES=1"]);
    refused(
        &["nets", "model", &program, "--strategy", "stateful-naive", "--prefix"],
        "the model has no unfolding: only the strategies",
    );
    refused(
        &["nets", "model", &program, "--strategy", "optimal-dpor"],
        "the strategy `optimal-dpor` builds no model; those that do are stateful-naive",
    );
    refused(&["nets", "model", &program, "--format", "mci"], "a model cannot be written as `mci`");
    refused(
        &["nets", "model", &program, "--prefix", "--format", "pnml"],
        "an unfolding cannot be written as `pnml`; there are dot, mci",
    );
    refused(&["check", &program, "--match", "values"], "--match values: the strategy `auto` builds no");
    refused(&["check", &program, "--match", "value"], "did you mean `values`?");
}

#[test]
fn plain_memory_that_threads_share_under_a_lock_is_part_of_the_model() {
    let folder = Folder::new();
    folder.file(
        "plain.c",
        "#include <pthread.h>\n\
         int x;\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         void *body(void *v) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return v; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, body, 0); body(0); pthread_join(t, 0); }\n",
    );
    let shown = folder.raddle(&["nets", "model", "plain.c"]);
    assert!(shown.code == Some(0) && shown.out.contains("T1 writes x=2"), "{shown:#?}");
    for strategy in MODELS {
        let document = check(&folder, "plain.c", strategy);
        assert_eq!(document["verdict"], "exhausted", "{strategy}: {document}");
        assert!(document["model"].is_object() && document["no_model"].is_null(), "{strategy}: {document}");
    }
}

/// A function lends its local variable to a thread, and takes it back before it returns: the thread looks under the lock
/// whether there is one, and uses it under the same lock or, with `LATE`, after it has let go of it and taken it again.
const LENT: &str = "#include <pthread.h>\n\
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
    static int *lent;\n\
    static void change(void) { pthread_mutex_unlock(&lock); pthread_mutex_lock(&lock); }\n\
    static void *use(void *unused) {\n\
        pthread_mutex_lock(&lock);\n\
        int *mine = lent;\n\
        if (LATE) change();\n\
        if (mine) *mine = 1;\n\
        pthread_mutex_unlock(&lock);\n\
        return unused;\n\
    }\n\
    static void lend(void) {\n\
        int local = 0;\n\
        pthread_mutex_lock(&lock);\n\
        lent = &local;\n\
        change();\n\
        lent = 0;\n\
        pthread_mutex_unlock(&lock);\n\
    }\n\
    int main(void) {\n\
        pthread_t thread;\n\
        pthread_create(&thread, 0, use, 0);\n\
        lend();\n\
        pthread_join(thread, 0);\n\
    }\n";

#[test]
fn the_end_of_a_local_variable_is_a_step_of_the_model() {
    let folder = Folder::new();
    folder.file("lent.c", &LENT.replace("LATE", "0"));
    for strategy in MODELS {
        let document = check(&folder, "lent.c", strategy);
        assert_eq!(document["verdict"], "exhausted", "{strategy}: {document}");
        assert!(document["model"].is_object(), "{strategy}: {document}");
        let net =
            net(&folder.raddle(&["nets", "model", "lent.c", "--strategy", strategy, "--format", "pnml"]));
        let steps = net.transitions().map(|step| net.transition_name(step));
        // It comes after nobody has used the variable, and after the thread has.
        let ends = steps.filter(|name| name.starts_with("T0 writes ") && name.ends_with("=?")).count();
        assert_eq!(ends, 2, "{strategy}");
    }
}

#[test]
fn the_use_of_a_local_variable_after_its_end_is_found_by_the_model() {
    let folder = Folder::new();
    folder.file("lent.c", &LENT.replace("LATE", "1"));
    for strategy in MODELS {
        let options = ["--keep-going", "--format", "json", "--strategy", strategy];
        let document = folder.raddle(&[&["check", "lent.c"], &options[..]].concat()).json();
        let findings = document["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 1, "{strategy}: {document}");
        assert_eq!((&findings[0]["kind"], &findings[0]["at"]["line"]), (&"use-after-free".into(), &9.into()));
        // The thread has to look before the variable is taken back, and to use it after its function has returned: what
        // the first runs do not show.
        assert!(findings[0]["run"].as_u64() > Some(2), "{strategy}: {document}");
    }
}

#[test]
fn matching_values_makes_the_model_smaller() {
    let folder = Folder::new();
    let program = compiled(&folder, "locking_writes.c", &["-DN=2", "-DSECTIONS=2"]);
    let places = |matching: &str| {
        let arguments =
            ["check", &program, "--format", "json", "--strategy", "unfolding", "--match", matching];
        folder.raddle(&arguments).json()["model"]["places"].as_u64().unwrap()
    };
    assert!(places("values") < places("writes"));
}

/// Searches a compiled program by `unfolding` under a supervisor that waits no longer than a second for a word.
fn survey_by_unfolding(folder: &Folder, program: &str, stop_when_told: bool) -> Survey {
    let plan = Plan {
        program: Program { path: folder.0.join(program), arguments: Vec::new(), libraries: None },
        // A process that was ended is followed by one per run, where there is no model; that would not come to its end.
        task: Task { strategy: StrategyName::Unfolding, max_runs: Some(100), ..Task::default() },
        keeping: Keeping::default(),
        limits: Limits { silence: Duration::from_secs(1), ..Limits::default() },
        workers: 1,
        wants_output: false,
    };
    let told = Cell::new(false);
    let mut watcher = Watcher {
        progress: &mut |_, _, _| told.set(true),
        listed: &mut |_| {},
        interrupted: &|| stop_when_told && told.get(),
    };
    survey(&plan, &mut watcher).unwrap()
}

#[test]
fn a_search_that_thinks_for_long_is_not_taken_for_a_program_that_is_stuck() {
    let folder = Folder::new();
    // Everything is known after the first run; what follows are the events of the unfolding.
    let program = compiled(&folder, "locking_writes.c", &["-DN=9"]);
    let searched = survey_by_unfolding(&folder, &program, false);
    assert_eq!(searched.verdict, Verdict::Exhausted, "{:?}", searched.reached.doubt);
    let events = searched.reached.model.map(|model| model.events);
    assert_eq!((searched.reached.runs, events), (1, Some(703_672)));
    assert!(searched.seconds > 1.0, "it thought for {} s only, so this shows nothing", searched.seconds);
}

#[test]
fn a_search_that_thinks_can_be_stopped_and_tells_how_far_it_came() {
    let folder = Folder::new();
    let program = compiled(&folder, "locking_writes.c", &["-DN=9"]);
    let searched = survey_by_unfolding(&folder, &program, true);
    assert!(searched.interrupted);
    assert_eq!(searched.verdict, Verdict::Stopped(Limit::Interrupted(1)));
    // Only the process itself can tell.
    let events = searched.reached.model.map_or(0, |model| model.events);
    assert!((1..703_672).contains(&events), "{events}");
}

#[test]
fn an_endless_loop_of_the_program_is_found_by_strategies_that_think() {
    let folder = Folder::new();
    let program = root().join("corpus/hostile/endless_loop.c").display().to_string();
    let options = ["--strategy", "unfolding", "--max-run-time", "300ms", "--format", "json"];
    let document = folder.raddle(&[&["check", &program], &options[..]].concat()).json();
    assert_eq!(
        (&document["verdict"], &document["findings"][0]["kind"]),
        (&"failed".into(), &"livelock".into())
    );
}
