//! One cell of the table: one tester on one program, in a process of its own.
//!
//! The process ends with one line of JSON on its standard output, also when something panics: the panic hook
//! writes the line and leaves at once, since a tester that unwinds out of half-finished fibers may abort.
//!
//! The time counts from the first run to the last. Nothing is warmed up before, for no tester: what a tester
//! spends on its first runs is part of what its users wait for.

use crate::answer::Answer;
use crate::measure;
use crate::models;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A tester together with its way of searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tester {
    /// loom's only search.
    Loom,
    /// shuttle's depth-first scheduler.
    Shuttle,
    /// Raddle, every interleaving.
    RaddleEvery,
    /// Raddle, one run per trace.
    RaddleOptimal,
}

/// All testers that this build knows, in the order of the table.
pub const TESTERS: &[Tester] = if cfg!(feature = "raddle") {
    &[Tester::Loom, Tester::Shuttle, Tester::RaddleEvery, Tester::RaddleOptimal]
} else {
    &[Tester::Loom, Tester::Shuttle]
};

impl Tester {
    /// What is typed and what the table shows.
    pub fn name(self) -> &'static str {
        match self {
            Tester::Loom => "loom",
            Tester::Shuttle => "shuttle",
            Tester::RaddleEvery => "raddle-every",
            Tester::RaddleOptimal => "raddle-optimal-dpor",
        }
    }
}

/// Where a search is stopped if it has not ended by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Caps {
    /// Wall-clock time of a cell.
    pub time: Duration,
    /// Runs of a cell. Each tester is allowed one more: if it makes that one, there are more runs than this.
    pub runs: u64,
}

/// Runs begun so far. Counted in the program's body, the same way for every tester.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Runs a cell in this process and prints its answer.
pub fn run(tester: Tester, model: &str, caps: Caps) {
    let start = Start::now();
    std::panic::set_hook(Box::new(move |panic| {
        print(&Answer { error: Some(message(panic.payload())), ..start.answer(false) });
        std::process::exit(0);
    }));
    let stopped = search(tester, model, caps);
    let mut answer = start.answer(stopped == Stopped::AtTheEnd);
    if stopped == Stopped::AtACap {
        // The run beyond the cap may have been the last, so the table may claim no more than the cap.
        answer.runs = answer.runs.min(caps.runs);
    } else {
        average(&mut answer, tester, model, caps);
    }
    print(&answer);
}

/// One search, to its end or to a cap.
fn search(tester: Tester, model: &str, caps: Caps) -> Stopped {
    RUNS.store(0, Ordering::Relaxed);
    match tester {
        Tester::Loom => on_loom(known(models::on_loom::body(model)), caps),
        Tester::Shuttle => on_shuttle(known(models::on_shuttle::body(model)), caps),
        #[cfg(feature = "raddle")]
        Tester::RaddleEvery => {
            on_raddle(raddle::Strategy::Every, known(models::on_raddle::body(model)), caps)
        }
        #[cfg(feature = "raddle")]
        Tester::RaddleOptimal => {
            on_raddle(raddle::Strategy::OptimalDpor, known(models::on_raddle::body(model)), caps)
        }
        #[cfg(not(feature = "raddle"))]
        Tester::RaddleEvery | Tester::RaddleOptimal => panic!("built without the feature raddle"),
    }
}

/// A search of a few milliseconds is repeated until half a second has gone by, and the mean is taken: the clocks are too
/// coarse for one.
fn average(answer: &mut Answer, tester: Tester, model: &str, caps: Caps) {
    const ENOUGH: f64 = 0.5;
    let (mut searches, mut seconds, mut cpu_seconds) = (1.0, answer.seconds, answer.cpu_seconds);
    while cpu_seconds < ENOUGH {
        let start = Start::now();
        search(tester, model, caps);
        let again = start.answer(true);
        searches += 1.0;
        seconds += again.seconds;
        cpu_seconds += again.cpu_seconds;
    }
    answer.seconds = seconds / searches;
    answer.cpu_seconds = cpu_seconds / searches;
}

/// What a panic says; `panic!` carries either of two types of text.
fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}

/// Whether a search came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopped {
    AtTheEnd,
    AtACap,
}

impl Stopped {
    /// For testers that do not tell: a search that has used up neither cap has come to its end.
    fn by(caps: Caps, time: Duration) -> Self {
        let runs = RUNS.load(Ordering::Relaxed);
        if time < caps.time && runs <= caps.runs { Stopped::AtTheEnd } else { Stopped::AtACap }
    }
}

fn known(body: Option<fn()>) -> fn() {
    body.expect("the arguments were checked against the catalogue")
}

fn one_run(body: fn()) {
    RUNS.fetch_add(1, Ordering::Relaxed);
    body();
}

fn on_loom(body: fn(), caps: Caps) -> Stopped {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = None;
    builder.max_duration = Some(caps.time);
    // loom counts from one and looks before a run, so this stops it after `caps.runs + 1`.
    builder.max_permutations = Some(usize::try_from(caps.runs).unwrap_or(usize::MAX).saturating_add(2));
    // loom looks at its limits only where it would write a checkpoint, by default every 20,000 runs. Looking at
    // each run costs a reading of the clock, a thousandth of a run of loom's.
    builder.checkpoint_interval = 1;
    let start = Instant::now();
    builder.check(move || one_run(body));
    Stopped::by(caps, start.elapsed())
}

fn on_shuttle(body: fn(), caps: Caps) -> Stopped {
    let mut config = shuttle::Config::new();
    config.max_time = Some(caps.time);
    config.silence_warnings = true;
    // A failing schedule of a million steps helps nobody here.
    config.failure_persistence = shuttle::FailurePersistence::None;
    let runs = usize::try_from(caps.runs).unwrap_or(usize::MAX).saturating_add(1);
    let scheduler = shuttle::scheduler::DfsScheduler::new(Some(runs), false);
    let start = Instant::now();
    shuttle::Runner::new(scheduler, config).run(move || one_run(body));
    Stopped::by(caps, start.elapsed())
}

#[cfg(feature = "raddle")]
fn on_raddle(strategy: raddle::Strategy, body: fn(), caps: Caps) -> Stopped {
    let report = raddle::Check::new()
        .strategy(strategy)
        .max_runs(caps.runs.saturating_add(1))
        .max_time(caps.time)
        .run(move || one_run(body));
    // Now and then Raddle makes a run again, to see that the program is deterministic. That takes time, but is no run of
    // the search.
    RUNS.store(report.runs(), Ordering::Relaxed);
    if report.is_exhausted() { Stopped::AtTheEnd } else { Stopped::AtACap }
}

/// The clocks when the search began.
#[derive(Debug, Clone, Copy)]
struct Start {
    wall: Instant,
    cpu: Duration,
}

impl Start {
    fn now() -> Self {
        Start { wall: Instant::now(), cpu: measure::cpu_time() }
    }

    fn answer(&self, exhausted: bool) -> Answer {
        Answer {
            runs: RUNS.load(Ordering::Relaxed),
            exhausted,
            seconds: self.wall.elapsed().as_secs_f64(),
            cpu_seconds: (measure::cpu_time() - self.cpu).as_secs_f64(),
            peak_kib: measure::peak_kib(),
            error: None,
        }
    }
}

/// Writes the answer. If the parent has gone there is nobody left to tell, so a failure is ignored.
fn print(answer: &Answer) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{}", answer.to_json()).and_then(|()| out.flush());
}
