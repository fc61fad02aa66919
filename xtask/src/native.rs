//! `cargo xtask oracle --native`: C and C++ programs against brute force.
//!
//! A random program is written as C or C++ source, compiled as users do it, and searched in every way there is. The runs
//! that the search tells of are followed by the oracle's interpreter step by step, and the set of their traces is compared
//! with that of brute force. What the program itself computed is compared by the program: each thread fails if its
//! registers are not among those that it can end with.

mod batch;
mod way;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use raddle_instrument::tools::Tools;
use raddle_oracle::{Distribution, Feature, Form, Program, c_source, shrink};

use crate::arguments::Arguments;
use batch::{Batch, Case};
use way::Way;

/// Programs in one file.
const BATCH: u64 = 16;
/// Failures that are made small; the others are only counted.
const MOST_SHRUNK: u64 = 3;
/// How long a failure may be made smaller.
const SHRINKING: Duration = Duration::from_secs(60);

/// Parking, channels, and what others are made of in C: additions that show nothing, and downgrades.
const NOT_IN_C: [Feature; 14] = [
    Feature::Add,
    Feature::Downgrade,
    Feature::Park,
    Feature::TimedPark,
    Feature::Unpark,
    Feature::Send,
    Feature::TrySend,
    Feature::Receive,
    Feature::TryReceive,
    Feature::TimedReceive,
    Feature::DropSender,
    Feature::BoundedChannel,
    Feature::ChannelWithoutRoom,
    Feature::UnboundedChannel,
];

/// What to compare.
struct Plan {
    programs: u64,
    seed: u64,
    tools: Tools,
    folder: PathBuf,
    /// Only the ways with this in their name.
    only: Option<String>,
}

#[derive(Default)]
struct Tally {
    distribution: Distribution,
    forms: BTreeMap<String, u64>,
    ways: BTreeMap<&'static str, u64>,
    runs: u64,
    failures: u64,
}

pub fn main(mut arguments: Arguments) -> ExitCode {
    let programs = arguments.number("--programs", 1000);
    let seed = arguments.number("--seed", 1);
    let only = arguments.text("--way");
    let folder = std::env::temp_dir().join(format!("raddle-oracle-{}", std::process::id()));
    let ready = arguments.finish().and_then(|()| {
        crate::commands::build_command()?;
        std::fs::create_dir_all(&folder).map_err(|error| format!("could not make a folder: {error}"))?;
        Tools::find().map_err(|error| error.to_string())
    });
    match ready {
        Ok(tools) => run(&Plan { programs, seed, tools, folder, only }),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run(plan: &Plan) -> ExitCode {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (next, tally) = (&next, &tally);
            scope.spawn(move || work(plan, worker, next, tally));
        }
    });
    // Nobody needs what was compiled.
    let _ = std::fs::remove_dir_all(&plan.folder);
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    report(plan, &tally, start.elapsed().as_secs_f64())
}

fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

fn work(plan: &Plan, worker: usize, next: &AtomicU64, tally: &Mutex<Tally>) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let first = number * BATCH;
        if first >= plan.programs {
            return;
        }
        let count = BATCH.min(plan.programs - first);
        let cases: Vec<Case> = (first..first + count).map(|index| batch::draw(plan.seed, index)).collect();
        let binary = plan.folder.join(format!("batch{worker}"));
        let batch = match Batch::compile(&plan.tools, &binary, number, cases) {
            Ok(batch) => batch,
            Err(problem) => {
                lock(tally).failures += 1;
                println!("DIFFERENCE  {problem}");
                continue;
            }
        };
        for (index, case) in batch.cases.iter().enumerate() {
            compare(plan, worker, &batch, index, case, tally);
        }
    }
}

/// Compares one program in all ways.
fn compare(plan: &Plan, worker: usize, batch: &Batch, index: usize, case: &Case, tally: &Mutex<Tally>) {
    {
        let mut tally = lock(tally);
        tally.distribution.add(&case.program, &case.truth.endings());
        case.words().into_iter().for_each(|word| *tally.forms.entry(word).or_default() += 1);
    }
    for way in Way::all() {
        if !way.fits(case) || plan.only.as_ref().is_some_and(|only| !way.name.contains(only.as_str())) {
            continue;
        }
        let (difference, runs) = way.difference(batch, index, case);
        let mut held = lock(tally);
        held.runs += runs;
        *held.ways.entry(way.name).or_default() += 1;
        let Some(difference) = difference else { continue };
        held.failures += 1;
        let small = held.failures <= MOST_SHRUNK;
        drop(held);
        let words = case.words().join(", ");
        println!("DIFFERENCE  program {}, {}, {words}: {difference}\n{}", case.index, way.name, case.program);
        if small {
            println!("{}", smallest(plan, worker, &way, case));
        }
    }
}

/// The smallest program with a difference in this way, with its source.
fn smallest(plan: &Plan, worker: usize, way: &Way, case: &Case) -> String {
    let start = Instant::now();
    let differs = |program: &Program, form: Form| {
        let case = Case::of(case.index, program.clone(), form, case.races)?;
        let binary = plan.folder.join(format!("small{worker}"));
        let batch = Batch::compile(&plan.tools, &binary, case.index, vec![case]).ok()?;
        way.difference(&batch, 0, &batch.cases[0]).0
    };
    let small = shrink(&case.program, &mut |candidate| {
        start.elapsed() < SHRINKING && differs(candidate, case.form).is_some()
    });
    let difference = differs(&small, case.form).unwrap_or_default();
    let source = match Case::of(case.index, small.clone(), case.form, case.races) {
        Some(case) => c_source(case.form.language, &[case.written()]),
        None => String::new(),
    };
    format!("smaller: {difference}\n{small}\n{source}")
}

fn report(plan: &Plan, tally: &Tally, seconds: f64) -> ExitCode {
    let distribution = &tally.distribution;
    let mut failed = tally.failures;
    let never: Vec<Feature> =
        distribution.never_drawn().into_iter().filter(|feature| !NOT_IN_C.contains(feature)).collect();
    if !never.is_empty() && plan.programs >= 500 {
        println!("FAILED  never drawn: {never:?}");
        failed += 1;
    }
    let drawn: Vec<String> = Feature::all()
        .into_iter()
        .filter(|feature| distribution.count(*feature) > 0)
        .map(|feature| format!("{feature:?} {}", distribution.count(feature)))
        .collect();
    println!("features drawn, in how many programs: {}", drawn.join(", "));
    println!("never drawn, because there is nothing like it in C: {NOT_IN_C:?}");
    for (title, counts) in [("forms", named(&tally.forms)), ("ways", named(&tally.ways))] {
        println!("{title}: {counts}");
    }
    println!(
        "{} programs, {} distinct; {} runs followed; seed {}; {seconds:.1} s",
        distribution.programs(),
        distribution.distinct(),
        tally.runs,
        plan.seed,
    );
    println!("{} passed, {failed} failed", distribution.programs());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn named<N: std::fmt::Display>(counts: &BTreeMap<N, u64>) -> String {
    let each: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    each.join(", ")
}
