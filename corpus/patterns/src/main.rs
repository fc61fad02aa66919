//! The table of `cargo xtask bench --patterns`: runs to the first finding, for each pattern and strategy.

use std::process::ExitCode;

use raddle_explore::{Settings, StrategyName};
use raddle_patterns::{BROKEN, CHAIN, CORRECT, PATTERNS, Pattern, Pool, first_finding, learning_overhead};

const HELP: &str = "\
cargo xtask bench --patterns [--threads 2,10] [--runs 10000] [--seeds 20] [--only NAME] [--strategy NAME] [--document]

Runs to the first finding, for each pattern, number of threads and strategy: the median over the seeds where a strategy
draws. `-` stands for not found within the runs; `(7/20)` for found with 7 of 20 seeds only. `--document` writes
docs/src/patterns.md to stdout: this table, and how the runs of the guided strategies grow with the threads. `--learning [RUNS]`
measures instead what learning adds to the time per run.
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
    document: bool,
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("--learning") {
        overhead(std::env::args().nth(2).and_then(|runs| runs.parse().ok()).unwrap_or(2000));
        return ExitCode::SUCCESS;
    }
    match read(std::env::args().skip(1)) {
        Ok(plan) => {
            if plan.document {
                document(&plan);
            } else {
                table(&plan);
            }
            ExitCode::SUCCESS
        }
        Err(problem) => {
            print!("{problem}\n\n{HELP}");
            ExitCode::from(2)
        }
    }
}

/// What learning costs on the thread pool, and on the pattern with the most threads at one object.
fn overhead(runs: u64) {
    let pool = learning_overhead(runs, &|| CORRECT.day());
    println!("thread pool, three workers: learning adds {:.1} % to the time per run", 100.0 * pool);
    for threads in [2, 10] {
        let correct = learning_overhead(runs, &|| correct_counter(threads));
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
    let mut plan = Plan {
        threads: vec![2, 10],
        runs: 10_000,
        seeds: 20,
        only: None,
        strategies: STRATEGIES.to_vec(),
        document: false,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |text: String| text.parse().map_err(|_| format!("`{text}` is not a whole number"));
        match word.as_str() {
            "--threads" => {
                let list = value()?;
                let numbers = list.split(',').map(|text| number(text.to_owned()));
                plan.threads = numbers.map(|n| n.map(|n: u64| n as usize)).collect::<Result<_, String>>()?;
            }
            "--document" => plan.document = true,
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
    if plan.only.as_deref().is_none_or(|only| only == POOL.name) {
        row(plan, &POOL, 3);
    }
}

/// The thread pool as a pattern: its workers are its threads.
const POOL: Pattern = Pattern {
    name: "thread_pool",
    finding: "deadlock",
    what: "three workers lock three lanes round in a circle",
    run: |workers| Pool { workers, ..BROKEN }.day(),
};

/// The numbers of threads over which growth is measured.
const GROWTH: [usize; 5] = [2, 4, 6, 8, 10];

/// The page of the book.
fn document(plan: &Plan) {
    println!("{}", PAGE.trim_end());
    println!("\n## Runs to the first finding\n");
    table(plan);
    println!("\n## How the runs grow with the threads\n");
    println!("{}", GROWTH_TEXT.trim_end());
    print!("\n| pattern | strategy |");
    GROWTH.iter().for_each(|threads| print!(" {threads} |"));
    print!(" most per thread |\n|---|---|");
    (0..=GROWTH.len()).for_each(|_| print!("---:|"));
    println!();
    for pattern in PATTERNS {
        for strategy in [StrategyName::HapSet, StrategyName::Auto] {
            growth(plan, pattern, strategy);
        }
    }
    println!("\n## The patterns\n\n| pattern | finding | what is wrong |\n|---|---|---|");
    for pattern in PATTERNS.iter().chain([&CHAIN, &POOL]) {
        println!("| `{}` | {} | {} |", pattern.name, pattern.finding, pattern.what);
    }
}

fn growth(plan: &Plan, pattern: &Pattern, strategy: StrategyName) {
    print!("| {} | {strategy} |", pattern.name);
    let mut most: f64 = 0.0;
    for threads in GROWTH {
        let firsts = firsts(plan, pattern, threads, strategy);
        let median = firsts[(firsts.len() - 1) / 2];
        most = most.max(median as f64 / threads as f64);
        print!(" {} |", cell(&firsts));
    }
    println!(" {most:.1} |");
}

const PAGE: &str = "\
# Bug patterns

Small programs of our own (`corpus/patterns`), each a real bug pattern, with any number of threads. `cargo xtask bench --patterns
--document` makes this page again. A cell is the number of the run in which the bug was first found: the median over 20 seeds
where a strategy draws. `-` means not found in 10,000 runs, `(7/20)` found with 7 of 20 seeds only.

`between_adjacent_steps` is the failure for which a uniform random walk needs exponentially many runs: one thread has to run,
whole, between two adjacent steps of another, while the others compete. `two_stage_chain` is a chain of two-stage locks with 100
threads. `thread_pool` is a program of several hundred lines (a pool with a work queue, dependent tasks and shutdown) whose
deadlock needs three workers.
";

const GROWTH_TEXT: &str = "\
The runs of the guided strategies are to grow at most linearly from 2 to 10 threads: the last column is the largest quotient of runs
and threads in the row, and the tests hold every row to a bound on it.
";

fn row(plan: &Plan, pattern: &Pattern, threads: usize) {
    print!("| {} | {threads} |", pattern.name);
    for strategy in &plan.strategies {
        print!(" {} |", cell(&firsts(plan, pattern, threads, *strategy)));
    }
    println!();
}

/// The first run with a finding, for each seed, in order; the largest number there is for none.
fn firsts(plan: &Plan, pattern: &Pattern, threads: usize, strategy: StrategyName) -> Vec<u64> {
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
    firsts
}

fn cell(firsts: &[u64]) -> String {
    let seeds = firsts.len();
    let found = firsts.iter().filter(|first| **first != u64::MAX).count();
    match firsts[(seeds - 1) / 2] {
        u64::MAX if found == 0 => "-".to_owned(),
        u64::MAX => format!("- ({found}/{seeds})"),
        median if found < seeds => format!("{median} ({found}/{seeds})"),
        median => median.to_string(),
    }
}
