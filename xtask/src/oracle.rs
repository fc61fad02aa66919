//! `cargo xtask oracle`: all strategies against brute force, on random programs.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use raddle_explore::StrategyName;
use raddle_oracle::{
    Distribution, Feature, Program, Shape, Topic, brute_force, check_commutes, generate, reached, shrink,
};

use crate::arguments::Arguments;
use crate::compare::{self, COMPLETE, SAMPLING};
use crate::guided;
use crate::modelled::{self, Model};
use crate::small;

/// Interleavings of the largest program that is compared.
pub const LIMIT: u64 = 20_000;

/// What to compare.
struct Plan {
    programs: u64,
    bounded: u64,
    commuting: u64,
    seed: u64,
    large: bool,
    only: Option<StrategyName>,
}

/// What came out.
#[derive(Default)]
struct Tally {
    distribution: Distribution,
    bounded: u64,
    modelled: u64,
    sized: u64,
    pairs: u64,
    failures: Vec<String>,
}

pub fn main(arguments: &[String]) -> ExitCode {
    let mut arguments = Arguments::new(arguments);
    if arguments.has("--native") {
        return crate::native::main(arguments);
    }
    match read(arguments) {
        Ok(plan) => run(&plan),
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn read(mut arguments: Arguments) -> Result<Plan, String> {
    let programs = arguments.number("--programs", 10_000);
    let plan = Plan {
        programs,
        bounded: arguments.number("--bounded", programs / 2),
        commuting: arguments.number("--commuting", programs / 2),
        seed: arguments.number("--seed", 1),
        large: arguments.has("--large"),
        only: arguments
            .text("--strategy")
            .map(|name| name.parse().map_err(|error: raddle_explore::UnknownStrategy| error.to_string()))
            .transpose()?,
    };
    arguments.finish()?;
    Ok(plan)
}

/// Program number `index` of a seed: small enough that brute force is quick, of four shapes.
pub fn program(seed: u64, index: u64) -> Program {
    let shape = match index % 8 {
        0 | 4 => Shape::new(2, 5),
        1 | 5 => Shape::new(3, 3),
        2 => Shape::new(2, 4),
        3 => Shape::new(3, 2),
        6 => Shape::new(4, 2),
        _ => Shape::about(3, 3, &Topic::ALL),
    };
    generate(seed.wrapping_mul(1_000_003).wrapping_add(index), &shape)
}

/// Larger programs, for a longer suite.
fn large_program(seed: u64, index: u64) -> Program {
    generate(seed.wrapping_mul(1_000_003).wrapping_add(index), &Shape::new(3, 4))
}

fn run(plan: &Plan) -> ExitCode {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally { failures: small_failures(), ..Tally::default() });
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| work(plan, &next, &tally));
        }
    });
    let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    report(plan, &tally, start.elapsed().as_secs_f64())
}

/// The differences on the small programs of the corpus.
fn small_failures() -> Vec<String> {
    let mut failures = Vec::from_iter(guided::difference());
    for (name, program) in small::programs() {
        let Ok(truth) = brute_force(&program, LIMIT) else {
            failures.push(format!("{name} is too large for brute force"));
            continue;
        };
        for strategy in COMPLETE {
            let alone = compare::difference(&program, strategy, &truth);
            let shared = compare::shared_difference(&program, strategy, &truth);
            failures.extend(alone.or(shared).map(|difference| format!("{name}, {strategy}: {difference}")));
        }
        let Ok(truth) = reached(&program, LIMIT) else { continue };
        let compared = modelled::compare(&program, &Model::ALL, &truth, LIMIT);
        for (model, difference) in compared.differences {
            let what = model.map_or("sizes of models".to_owned(), |model| format!("{model:?}"));
            failures.push(format!("{name}, {what}: {difference}"));
        }
    }
    failures
}

fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compares until enough programs have been compared. Programs that are too large for brute force do not count.
fn work(plan: &Plan, next: &AtomicU64, tally: &Mutex<Tally>) {
    let lock = || lock(tally);
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if lock().distribution.programs() >= plan.programs {
            return;
        }
        let program = if plan.large { large_program(plan.seed, index) } else { program(plan.seed, index) };
        let Ok(truth) = brute_force(&program, LIMIT) else { continue };
        let (bounded, commuting) = {
            let mut tally = lock();
            tally.distribution.add(&program, &truth.endings());
            let bounded = tally.bounded < plan.bounded && !truth.within[0].is_empty();
            tally.bounded += u64::from(bounded);
            (bounded, tally.distribution.programs() <= plan.commuting)
        };
        let mut failures = Vec::new();
        for strategy in COMPLETE.into_iter().filter(|strategy| plan.only.is_none_or(|only| only == *strategy))
        {
            let differs = |program: &Program| {
                let truth = brute_force(program, LIMIT).ok()?;
                compare::difference(program, strategy, &truth)
            };
            if compare::difference(&program, strategy, &truth).is_some() {
                failures.push(describe(index, strategy.as_str(), &program, &differs));
            }
        }
        failures.extend(model_failures(plan, index, &program, truth.interleavings, tally));
        for strategy in SAMPLING.into_iter().filter(|strategy| plan.only.is_none_or(|only| only == *strategy))
        {
            let differs = |program: &Program| {
                let truth = brute_force(program, LIMIT).ok()?;
                compare::sample_difference(program, strategy, &truth)
            };
            if compare::sample_difference(&program, strategy, &truth).is_some() {
                failures.push(describe(index, strategy.as_str(), &program, &differs));
            }
        }
        let panics = truth.endings().contains(&raddle_oracle::Ending::Panic);
        for strategy in COMPLETE.into_iter().filter(|_| bounded && !panics && plan.only.is_none()) {
            let differs = |program: &Program| {
                let truth = brute_force(program, LIMIT).ok()?;
                compare::shared_difference(program, strategy, &truth)
            };
            if compare::shared_difference(&program, strategy, &truth).is_some() {
                failures.push(describe(index, strategy.as_str(), &program, &differs));
            }
        }
        for bound in (0..=3).filter(|_| bounded) {
            let differs = |program: &Program| {
                let truth = brute_force(program, LIMIT).ok()?;
                compare::bound_difference(program, bound, &truth)
            };
            if compare::bound_difference(&program, bound, &truth).is_some() {
                failures.push(describe(index, "preemption-bound", &program, &differs));
            }
        }
        let mut pairs = 0;
        if commuting {
            match check_commutes(&program, 300) {
                Ok(tested) => pairs = tested.pairs,
                Err(pair) => failures.push(format!("program {index}: {pair:?}\n{program}")),
            }
        }
        let mut tally = lock();
        tally.pairs += pairs;
        tally.failures.append(&mut failures);
    }
}

/// The differences of the strategies that build a model.
fn model_failures(
    plan: &Plan,
    index: u64,
    program: &Program,
    interleavings: u64,
    tally: &Mutex<Tally>,
) -> Vec<String> {
    let mut failures = Vec::new();
    let Ok(truth) = reached(program, LIMIT) else { return failures };
    // Their sizes are compared with each other, so whoever asks for one of them gets all.
    if plan.only.is_some_and(|only| !only.builds_model()) {
        return failures;
    }
    // Without terminals an unfolding has as many events as there are traces.
    let small = |model: &Model| *model != Model::Stateless || interleavings <= 500;
    let models: Vec<Model> = Model::ALL.into_iter().filter(small).collect();
    let compared = modelled::compare(program, &models, &truth, LIMIT);
    for (model, _) in compared.differences {
        let differs = |program: &Program| match model {
            Some(model) => modelled::difference(program, model, &reached(program, LIMIT).ok()?, LIMIT),
            None => modelled::size_difference(program, &models, LIMIT),
        };
        let what = model.map_or("sizes of models".to_owned(), |model| format!("{model:?}"));
        failures.push(describe(index, &what, program, &differs));
    }
    let mut tally = lock(tally);
    tally.modelled += u64::from(compared.within);
    tally.sized += u64::from(compared.sized);
    failures
}

/// A difference, with the smallest program that has one.
fn describe(
    index: u64,
    strategy: &str,
    program: &Program,
    differs: &dyn Fn(&Program) -> Option<String>,
) -> String {
    let smallest = shrink(program, &mut |candidate| differs(candidate).is_some());
    let difference = differs(&smallest).unwrap_or_default();
    format!("program {index}, {strategy}: {difference}\n{smallest}")
}

fn report(plan: &Plan, tally: &Tally, seconds: f64) -> ExitCode {
    let distribution = &tally.distribution;
    let mut failed = tally.failures.len() as u64;
    for failure in &tally.failures {
        println!("DIFFERENCE  {failure}");
    }
    let drawn: Vec<String> = Feature::all()
        .into_iter()
        .map(|feature| format!("{feature:?} {}", distribution.count(feature)))
        .collect();
    println!("features drawn, in how many programs: {}", drawn.join(", "));
    let never = distribution.never_drawn();
    if !never.is_empty() && plan.programs >= 500 {
        println!("FAILED  never drawn: {never:?}");
        failed += 1;
    }
    if distribution.distinct() * 100 < distribution.programs() * 99 {
        println!(
            "FAILED  only {} of {} programs are distinct",
            distribution.distinct(),
            distribution.programs()
        );
        failed += 1;
    }
    println!(
        "{} programs, {} distinct; pairs of features that never met: {}; {} programs with bounds 0 to 3; {} within \
         the model, {} of them with sizes compared; {} independent pairs run in both orders; seed {}; {seconds:.1} s",
        distribution.programs(),
        distribution.distinct(),
        distribution.never_paired().len(),
        tally.bounded,
        tally.modelled,
        tally.sized,
        tally.pairs,
        plan.seed,
    );
    println!("{} passed, {failed} failed", distribution.programs());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
