//! Checking a closure: [`check`], the [`Check`] builder and its [`Report`].

mod again;
mod coverage;
mod environment;
mod findings;
mod fresh;
mod keep;
mod model;
mod replay;
mod report;
mod runs;
mod search;

use std::path::PathBuf;
use std::time::Duration;

use raddle_explore::StrategyName;
use raddle_report::Format;
use raddle_runtime::StageOptions;
use raddle_store::Most;
use raddle_trace::limits::DEFAULT_MAX_STEPS;

pub use report::{Finding, Report};

/// Runs of a strategy that only samples, unless a limit is given.
const DEFAULT_SAMPLES: u64 = 10_000;

/// The budget of [`Strategy::Auto`](crate::Strategy::Auto), unless a limit is given.
const DEFAULT_AUTO: u64 = 100_000;

/// How many recorded checks stay, unless a number is given: more than for the command, because a crate has many tests, and what one
/// `cargo test` has recorded should be there at its end.
const KEPT_CHECKS: usize = 1_000;

/// Checks a closure with every interleaving of its threads that matters.
///
/// The closure is called again for every run. If one of them fails, `check` panics with a report: what happened, in the
/// smallest schedule that shows it, and how to replay it.
///
/// ```
/// use raddle::sync::atomic::{AtomicUsize, Ordering};
/// use raddle::sync::Arc;
/// use raddle::thread;
///
/// raddle::check(|| {
///     let sum = Arc::new(AtomicUsize::new(0));
///     let adder = thread::spawn({
///         let sum = Arc::clone(&sum);
///         move || sum.fetch_add(1, Ordering::SeqCst)
///     });
///     sum.fetch_add(2, Ordering::SeqCst);
///     adder.join().unwrap();
///     assert_eq!(sum.load(Ordering::SeqCst), 3);
/// });
/// ```
///
/// # Panics
/// If something was found, or if what was found cannot be trusted.
#[track_caller]
pub fn check<F: Fn() + Send + Sync>(f: F) {
    Check::new().check(f);
}

/// How to check a closure.
///
/// A setting can also be given from outside, by a variable of the environment, which then counts more. What the world of the
/// program may do has none, since the test is written for it: [`Check::timeouts`], [`Check::spurious_wakeups`],
/// [`Check::spurious_failures`], [`Check::allow_panics`]; nor has [`Check::name`]. The variables are
/// `RADDLE_STRATEGY`, `RADDLE_MATCH` (`writes` or `values`, see [`Check::match_values`]), `RADDLE_MODEL` (the file of
/// [`Check::model_file`]), `RADDLE_SEED`, `RADDLE_BOUND`, `RADDLE_MAX_RUNS`, `RADDLE_MAX_TIME` (as in `90s`, `10m`),
/// `RADDLE_MAX_STEPS`, `RADDLE_MAX_RUN_TIME`, `RADDLE_WORKERS`, `RADDLE_KEEP_GOING`, `RADDLE_OUT` (where findings are kept),
/// `RADDLE_RECORD` (see [`Check::record`]) with `RADDLE_FORMATS`, `RADDLE_KEEP_CHECKS`, `RADDLE_KEEP_TIME` and
/// `RADDLE_KEEP_SIZE`, `RADDLE_REPORT` (where the report of the whole check goes), `RADDLE_REPLAY` (the
/// id of a finding, or the path of its schedule), `RADDLE_HAPSET` (the file of [`Check::hapset_file`]), `RADDLE_CONTEXT`,
/// `RADDLE_AIM`, `RADDLE_VERBOSE` (says what was covered also if nothing was found). One that switches something on switches it off
/// with `0`, `false` or `no`. Other names that begin with `RADDLE_` are refused.
///
/// ```
/// use raddle::{Check, Strategy};
///
/// let report = Check::new().strategy(Strategy::PreemptionBound).bound(1).max_runs(10_000).run(|| {
///     let other = raddle::thread::spawn(|| ());
///     other.join().unwrap();
/// });
/// assert!(report.findings().is_empty());
/// ```
#[derive(Clone, Debug)]
#[must_use = "a `Check` does nothing until `check` or `run` is called"]
pub struct Check {
    name: Option<String>,
    strategy: StrategyName,
    seed: u64,
    bound: Option<u32>,
    match_values: bool,
    max_runs: Option<u64>,
    max_time: Option<Duration>,
    max_steps: usize,
    max_run_time: Duration,
    workers: usize,
    keep_going: bool,
    options: StageOptions,
    out: PathBuf,
    report_to: Option<PathBuf>,
    record: bool,
    /// What is written besides, into the folder of a recorded check and the one of `report_to`.
    formats: Vec<Format>,
    most: Most,
    replay: Option<String>,
    verbose: bool,
    hapset_file: Option<PathBuf>,
    model_file: Option<PathBuf>,
    context: u32,
    aim: Option<String>,
    /// The name of the OS thread that asked for the check: in a test, the name of the test.
    caller: Option<String>,
    /// Which check of its name it is, of those that this OS thread has made.
    number: u32,
}

impl Default for Check {
    fn default() -> Check {
        Check::new()
    }
}

impl Check {
    /// The default: optimal reduction, to the end.
    ///
    /// ```
    /// raddle::Check::new().check(|| assert_eq!(1 + 1, 2));
    /// ```
    pub fn new() -> Check {
        Check {
            name: None,
            strategy: StrategyName::default(),
            seed: 1,
            bound: None,
            match_values: false,
            max_runs: None,
            max_time: None,
            max_steps: DEFAULT_MAX_STEPS,
            max_run_time: Duration::from_secs(10),
            workers: 1,
            keep_going: false,
            options: StageOptions::default(),
            out: PathBuf::from("raddle-out"),
            report_to: None,
            record: false,
            formats: Vec::new(),
            most: Most { checks: KEPT_CHECKS, ..Most::default() },
            replay: None,
            verbose: false,
            hapset_file: None,
            model_file: None,
            context: 0,
            aim: None,
            caller: None,
            number: 1,
        }
    }

    /// The name under which schedules are kept; otherwise that of the test.
    ///
    /// ```
    /// let report = raddle::Check::new().name("nothing").run(|| ());
    /// assert_eq!(report.program(), "nothing");
    /// ```
    pub fn name(mut self, name: impl Into<String>) -> Check {
        self.name = Some(name.into());
        self
    }

    /// What to try.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// assert!(Check::new().strategy(Strategy::Every).run(|| ()).is_exhausted());
    /// ```
    pub fn strategy(mut self, strategy: StrategyName) -> Check {
        self.strategy = strategy;
        self
    }

    /// Where random strategies start: the same seed makes the same runs.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// let report = Check::new().strategy(Strategy::Random).seed(7).max_runs(10).run(|| ());
    /// assert_eq!(report.runs(), 10);
    /// ```
    pub fn seed(mut self, seed: u64) -> Check {
        self.seed = seed;
        self
    }

    /// How many pre-emptions `preemption-bound` allows, and guided runs of `hapset` if this is given, or the depth of the bugs that
    /// `pct` aims at.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// let report = Check::new().strategy(Strategy::PreemptionBound).bound(0).run(|| ());
    /// assert_eq!(report.verdict(), "exhausted-within");
    /// ```
    pub fn bound(mut self, bound: u32) -> Check {
        self.bound = Some(bound);
        self
    }

    /// Lets the strategies that build a model take two states for the same if their cells hold the same values, whoever
    /// wrote them. The model gets smaller; but what a pointer points to is not part of its value, so do not ask for this
    /// if a program follows pointers that it keeps in atomics. Other strategies refuse it.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// assert!(Check::new().strategy(Strategy::StatefulNaive).match_values(true).run(|| ()).is_exhausted());
    /// ```
    pub fn match_values(mut self, match_values: bool) -> Check {
        self.match_values = match_values;
        self
    }

    /// Writes the Petri-net model of the program that `stateful-naive`, `unfolding` and `unfolding-stateless` build into this
    /// file, in the format that its name ends with: `.dot`, `.pnml` or `.ll_net`. A name that ends with `.prefix.dot` or
    /// `.mci` asks for the unfolding, with terminals marked.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// let file = std::env::temp_dir().join(format!("raddle-doc-{}.dot", std::process::id()));
    /// Check::new().strategy(Strategy::Unfolding).model_file(&file).check(|| ());
    /// assert!(std::fs::read_to_string(&file).unwrap().contains("T0 starts"));
    /// # std::fs::remove_file(file).unwrap();
    /// ```
    pub fn model_file(mut self, file: impl Into<PathBuf>) -> Check {
        self.model_file = Some(file.into());
        self
    }

    /// Stops after this many runs, at least 1. May stop earlier, never later.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// assert_eq!(Check::new().strategy(Strategy::Pct).max_runs(3).run(|| ()).runs(), 3);
    /// ```
    pub fn max_runs(mut self, runs: u64) -> Check {
        self.max_runs = Some(runs);
        self
    }

    /// Stops after the run in which this much time has passed.
    ///
    /// ```
    /// use std::time::Duration;
    /// assert!(raddle::Check::new().max_time(Duration::from_secs(60)).run(|| ()).is_exhausted());
    /// ```
    pub fn max_time(mut self, time: Duration) -> Check {
        self.max_time = Some(time);
        self
    }

    /// Gives up a run after this many steps. The verdict says so: a run that was given up covers nothing.
    ///
    /// ```
    /// let report = raddle::Check::new().max_steps(10).run(|| loop {
    ///     raddle::thread::spawn(|| ()).join().unwrap();
    /// });
    /// assert_eq!(report.verdict(), "stopped");
    /// ```
    pub fn max_steps(mut self, steps: usize) -> Check {
        self.max_steps = steps;
        self
    }

    /// Ends a run in which a thread makes no step for this long. The default is ten seconds.
    ///
    /// If the thread sleeps in a call that Raddle does not control, such as for a lock of `std`, the one that could wake it is
    /// part of the same run, and would never get its turn. The verdict is `untrusted` then, and says where it was.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let report = raddle::Check::new().max_run_time(Duration::from_millis(100)).run(|| {
    ///     let mutex = std::sync::Mutex::new(());
    ///     let _first = mutex.lock();
    ///     let _second = mutex.lock();
    /// });
    /// assert_eq!(report.verdict(), "untrusted");
    /// ```
    ///
    /// If it is busy, by its own processor time, it is in an endless loop, which is a finding. Its frames are left as they are:
    /// what they own is not dropped. A run is only ended in the program's own code, not within a library.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// # let out = std::env::temp_dir().join("raddle-max-run-time");
    /// let check = raddle::Check::new().max_run_time(Duration::from_millis(100));
    /// # let check = check.out(out);
    /// let report = check.run(|| loop {
    ///     std::hint::black_box(0);
    /// });
    /// assert_eq!(report.findings()[0].kind(), "livelock");
    /// ```
    pub fn max_run_time(mut self, time: Duration) -> Check {
        self.max_run_time = time;
        self
    }

    /// Searches on this many OS threads, from 1 to 1024. They cover together exactly what one would, and come to the same verdict
    /// and the same number of traces.
    ///
    /// What reduces the search is then always `dpor-cr-sleep`, also if `optimal-dpor` was asked for or a strategy that
    /// builds a model, since their plans cannot be shared out. It also runs no trace twice to its end, but some runs are
    /// given up on the way ([`Report::blocked`]); and of a weak compare-exchange it may try the success twice, so that
    /// [`Report::runs`] can be more than with one worker.
    ///
    /// ```
    /// assert!(raddle::Check::new().workers(2).run(|| ()).is_exhausted());
    /// ```
    pub fn workers(mut self, workers: usize) -> Check {
        self.workers = workers;
        self
    }

    /// Goes on after a finding and collects all different ones.
    ///
    /// ```
    /// let report = raddle::Check::new().keep_going(true).run(|| ());
    /// assert_eq!(report.findings().len(), 0);
    /// ```
    pub fn keep_going(mut self, keep_going: bool) -> Check {
        self.keep_going = keep_going;
        self
    }

    /// Whether timed operations can give up although other threads could go on. They can unless this is switched off.
    ///
    /// ```
    /// assert!(raddle::Check::new().timeouts(false).run(|| ()).is_exhausted());
    /// ```
    pub fn timeouts(mut self, timeouts: bool) -> Check {
        self.options.world.timeouts = timeouts;
        self
    }

    /// How often in each run a thread may be woken from a condition variable for no reason.
    ///
    /// ```
    /// assert!(raddle::Check::new().spurious_wakeups(1).run(|| ()).is_exhausted());
    /// ```
    pub fn spurious_wakeups(mut self, times: u32) -> Check {
        self.options.world.spurious_wakeups = times;
        self
    }

    /// How often in a row a thread's weak compare-exchange may fail for no reason; once, unless this is set. More than that
    /// matters only to a program that gives up after so many failures.
    ///
    /// ```
    /// use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
    ///
    /// let tries_twice = || {
    ///     let number = AtomicU32::new(0);
    ///     let tries = (0..2).any(|_| number.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok());
    ///     assert!(tries);
    /// };
    /// # let out = std::env::temp_dir().join("raddle-spurious-failures");
    /// let check = raddle::Check::new();
    /// # let check = check.out(out);
    /// assert!(check.clone().run(tries_twice).is_exhausted());
    /// assert_eq!(check.spurious_failures(2).run(tries_twice).findings().len(), 1);
    /// ```
    pub fn spurious_failures(mut self, times: u32) -> Check {
        self.options.spurious_failures = times;
        self
    }

    /// Lets a panic of a spawned thread end only that thread, as in a real program, so that `join` returns it. Without
    /// this it is a finding.
    ///
    /// ```
    /// raddle::Check::new().allow_panics(true).check(|| {
    ///     assert!(raddle::thread::spawn(|| panic!("on purpose")).join().is_err());
    /// });
    /// ```
    pub fn allow_panics(mut self, allow: bool) -> Check {
        self.options.panics_allowed = allow;
        self
    }

    /// Where findings are kept, each in a folder with its schedule, its page (`report.html`) and its steps (`finding.json`,
    /// `explain.txt`); otherwise in `raddle-out`.
    ///
    /// ```
    /// let report = raddle::Check::new().out(std::env::temp_dir()).run(|| ());
    /// assert!(report.is_exhausted());
    /// ```
    pub fn out(mut self, folder: impl Into<PathBuf>) -> Check {
        self.out = folder.into();
        self
    }

    /// Keeps the whole check, also if nothing was found, in a folder of its own in `raddle-out/checks`, as the command `raddle`
    /// does: `record.json`, `events.jsonl`, `report.html`, `results.sarif`, with the feature `junit` also `junit.xml`, and
    /// links to its findings. `raddle-out/latest` leads to the check that began last. Asking for `RADDLE_FORMATS`, as in
    /// `shiviz,sarif`, records as well.
    ///
    /// ```
    /// let folder = std::env::temp_dir().join(format!("raddle-doc-record-{}", std::process::id()));
    /// raddle::Check::new().out(&folder).record(true).check(|| ());
    /// assert!(folder.join("latest/record.json").is_file());
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// ```
    pub fn record(mut self, record: bool) -> Check {
        self.record = record;
        self
    }

    /// Writes what the check arrived at, also if nothing was found, into this folder: `report.html`, `record.json`,
    /// `results.sarif`, and with the feature `junit` also `junit.xml`. The next check that names the folder replaces them; to
    /// keep many checks, [record](Check::record) them.
    ///
    /// ```
    /// let folder = std::env::temp_dir().join("raddle report_to example");
    /// raddle::Check::new().report_to(&folder).check(|| ());
    /// assert!(folder.join("report.html").is_file());
    /// ```
    pub fn report_to(mut self, folder: impl Into<PathBuf>) -> Check {
        self.report_to = Some(folder.into());
        self
    }

    /// Replays a finding instead of searching: its id, or the path of its schedule.
    ///
    /// ```
    /// let refused = std::panic::catch_unwind(|| raddle::Check::new().replay("no such file").run(|| ()));
    /// assert!(refused.is_err());
    /// ```
    pub fn replay(mut self, finding: impl Into<String>) -> Check {
        self.replay = Some(finding.into());
        self
    }

    /// For [`Strategy::HapSet`](crate::Strategy::HapSet) and [`Strategy::Auto`](crate::Strategy::Auto): a file with the
    /// orders of statements that earlier checks have seen. What this one sees is added to it, so that tests which are run
    /// every day look every day for something else. Other strategies leave it alone.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// let file = std::env::temp_dir().join(format!("raddle-doc-{}.hapset", std::process::id()));
    /// Check::new().strategy(Strategy::HapSet).max_runs(10).hapset_file(&file).check(|| ());
    /// assert!(file.is_file());
    /// # std::fs::remove_file(file).unwrap();
    /// ```
    pub fn hapset_file(mut self, file: impl Into<PathBuf>) -> Check {
        self.hapset_file = Some(file.into());
        self
    }

    /// How many calls tell two executions of one statement apart, for guided strategies. In Rust programs the calls in
    /// between are not known, so anything above zero adds one thing: where the thread was started.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// assert_eq!(Check::new().strategy(Strategy::HapSet).context(1).max_runs(5).run(|| ()).verdict(), "sampled");
    /// ```
    pub fn context(mut self, calls: u32) -> Check {
        self.context = calls;
        self
    }

    /// Prefers schedules in which one line comes before another, as in `"src/bank.rs:12:src/bank.rs:30"` or `"12:30"`, for
    /// guided strategies.
    ///
    /// ```
    /// use raddle::{Check, Strategy};
    /// assert_eq!(Check::new().strategy(Strategy::HapSet).aim("12:30").max_runs(5).run(|| ()).verdict(), "sampled");
    /// ```
    pub fn aim(mut self, aim: impl Into<String>) -> Check {
        self.aim = Some(aim.into());
        self
    }

    /// Checks the closure.
    ///
    /// ```
    /// raddle::Check::new().max_runs(100).check(|| ());
    /// ```
    ///
    /// # Panics
    /// With the report, if something was found; with the reason, if the search cannot be trusted or a run had to be given
    /// up. A search that a limit of yours has stopped is no reason.
    #[track_caller]
    pub fn check<F: Fn() + Send + Sync>(self, f: F) {
        let report = self.run(f);
        if let Some(text) = report.failure() {
            panic!("{text}");
        }
    }

    /// Checks the closure and returns what was found, whatever it is.
    ///
    /// ```
    /// use raddle::sync::{Arc, Mutex};
    ///
    /// let report = raddle::Check::new().run(|| {
    ///     let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    ///     let other = raddle::thread::spawn({
    ///         let (a, b) = (Arc::clone(&a), Arc::clone(&b));
    ///         move || {
    ///             let _b = b.lock().unwrap();
    ///             let _a = a.lock().unwrap();
    ///         }
    ///     });
    ///     let a = a.lock().unwrap();
    ///     let b = b.lock().unwrap();
    ///     drop((a, b));
    ///     other.join().unwrap();
    /// });
    /// assert_eq!(report.findings()[0].kind(), "deadlock");
    /// ```
    ///
    /// # Panics
    /// If a setting or a variable of the environment makes no sense, or a schedule to replay cannot be read.
    #[track_caller]
    pub fn run<F: Fn() + Send + Sync>(self, f: F) -> Report {
        assert!(
            !raddle_runtime::in_run(),
            "a check was started inside another check: start them one after the other"
        );
        let variables = environment::Variables::of_process();
        let settings = variables.and_then(|variables| environment::apply(self, &variables));
        let result = settings.and_then(|mut check| {
            check.caller = std::thread::current().name().map(str::to_owned);
            check.number = again::count(&check.program());
            match check.replay.clone() {
                Some(finding) => replay::replay(&check, &finding, &f),
                None => search::search(&check, &f),
            }
        });
        match result {
            Ok(report) => report,
            Err(problem) => panic!("{problem}"),
        }
    }

    /// The command that makes the same check again, if it is known.
    fn command(&self) -> Option<String> {
        // The name of a test's thread is the name of the test.
        self.caller.as_deref().filter(|test| *test != "main").map(again::test_command)
    }

    /// The command that replays a finding.
    fn replay_command(&self, id: &str) -> String {
        match self.command() {
            Some(command) => format!("{} {command}", again::variables(id)),
            None => format!("set {} and run the program again", again::variables(id)),
        }
    }

    /// The name of the program: what was given, or that of the test, which is the name of its OS thread.
    fn program(&self) -> String {
        self.name.as_ref().or(self.caller.as_ref()).map_or("unnamed", String::as_str).to_owned()
    }
}
