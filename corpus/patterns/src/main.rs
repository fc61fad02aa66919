//! The table of `cargo xtask bench --patterns`: runs to the first finding, for each pattern and strategy.

use std::process::ExitCode;

use raddle_explore::{Settings, StrategyName};
use raddle_patterns::{CHAIN, CORRECT, PATTERNS, Pattern, first_finding, learning_overhead};

const HELP: &str = "\
cargo xtask bench --patterns [--threads 2,10] [--runs 10000] [--seeds 20] [--only NAME] [--strategy NAME]

Runs to the first finding, for each pattern, number of threads and strategy: the median over the seeds where a strategy
draws. `--learning` measures instead what learning adds to the time per run. `-` stands for not found within the runs; `(7/20)` for found with 7 of 20 seeds only.
";

const STRATEGIES: [StrategyName; 8] = [
    StrategyName::HapSet,
    StrategyName::Auto,
    StrategyName::OptimalDpor,
    StrategyName::PreemptionBound,
    StrategyName::Pct,
    StrategyName::Pos,
    StrategyName::Surw,
    StrategyName::Random,
];

struct Plan {
    threads: Vec<usize>,
    runs: u64,
    seeds: u64,
    only: Option<String>,
    strategies: Vec<StrategyName>,
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("--learning") {
        overhead();
        return ExitCode::SUCCESS;
    }
    match read(std::env::args().skip(1)) {
        Ok(plan) => {
            table(&plan);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            print!("{problem}\n\n{HELP}");
            ExitCode::from(2)
        }
    }
}

/// What learning costs on the thread pool, and on the pattern with the most threads at one object.
fn overhead() {
    const RUNS: u64 = 2000;
    let pool = learning_overhead(RUNS, &|| CORRECT.day());
    println!("thread pool, three workers: learning adds {:.1} % to the time per run", 100.0 * pool);
    for threads in [2, 10] {
        let correct = learning_overhead(RUNS, &|| correct_counter(threads));
        println!("counter, {threads} threads: learning adds {:.1} % to the time per run", 100.0 * correct);
    }
}

/// Threads that add to one counter, without a bug.
fn correct_counter(threads: usize) {
    use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    let counter = AtomicUsize::new(0);
    raddle::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| counter.fetch_add(1, SeqCst));
        }
    });
}

fn read(mut words: impl Iterator<Item = String>) -> Result<Plan, String> {
    let mut plan =
        Plan { threads: vec![2, 10], runs: 10_000, seeds: 20, only: None, strategies: STRATEGIES.to_vec() };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |text: String| text.parse().map_err(|_| format!("`{text}` is not a whole number"));
        match word.as_str() {
            "--threads" => {
                let list = value()?;
                let numbers = list.split(',').map(|text| number(text.to_owned()));
                plan.threads = numbers.map(|n| n.map(|n: u64| n as usize)).collect::<Result<_, String>>()?;
            }
            "--runs" => plan.runs = number(value()?)?,
            "--seeds" => plan.seeds = number(value()?)?.max(1),
            "--only" => plan.only = Some(value()?),
            "--strategy" => {
                let name = value()?.parse().map_err(|error| format!("{error}"))?;
                plan.strategies = vec![name];
            }
            _ => return Err(format!("`{word}` is not known here")),
        }
    }
    Ok(plan)
}

fn table(plan: &Plan) {
    print!("| pattern | threads |");
    plan.strategies.iter().for_each(|strategy| print!(" {strategy} |"));
    print!("\n|---|---:|");
    plan.strategies.iter().for_each(|_| print!("---:|"));
    println!();
    let chain = plan.only.as_deref().is_none_or(|only| only == CHAIN.name).then_some(CHAIN);
    let wanted = |pattern: &&Pattern| plan.only.as_deref().is_none_or(|only| pattern.name == only);
    for pattern in PATTERNS.iter().filter(wanted) {
        plan.threads.iter().for_each(|threads| row(plan, pattern, *threads));
    }
    if let Some(chain) = chain {
        row(plan, &chain, 100);
    }
}

fn row(plan: &Plan, pattern: &Pattern, threads: usize) {
    print!("| {} | {threads} |", pattern.name);
    for strategy in &plan.strategies {
        print!(" {} |", cell(plan, pattern, threads, *strategy));
    }
    println!();
}

fn cell(plan: &Plan, pattern: &Pattern, threads: usize, strategy: StrategyName) -> String {
    let draws = strategy.only_samples() || strategy == StrategyName::Auto;
    let seeds = if draws { plan.seeds } else { 1 };
    let mut firsts: Vec<u64> = (1..=seeds)
        .map(|seed| {
            let settings = Settings { seed, ..Settings::default() };
            let first = first_finding(strategy, &settings, plan.runs, &|| (pattern.run)(threads));
            first.found.map_or(u64::MAX, |(run, _)| run)
        })
        .collect();
    firsts.sort_unstable();
    let found = firsts.iter().filter(|first| **first != u64::MAX).count();
    match firsts[(firsts.len() - 1) / 2] {
        u64::MAX if found == 0 => "-".to_owned(),
        u64::MAX => format!("- ({found}/{seeds})"),
        median if found < firsts.len() => format!("{median} ({found}/{seeds})"),
        median => median.to_string(),
    }
}
