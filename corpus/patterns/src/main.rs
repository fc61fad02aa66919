//! The table of `cargo xtask bench --patterns`: runs to the first finding, for each pattern and strategy.

mod overhead;

use std::process::ExitCode;
use std::time::Duration;

use raddle_explore::{Settings, StrategyName};
use raddle_patterns::{BROKEN, CHAIN, PATTERNS, Pattern, Pool, first_finding, reach};

const HELP: &str = "\
cargo xtask bench --patterns [--threads 2,10] [--runs 10000] [--seeds 20] [--only NAME] [--strategy NAME] [--document]

Runs to the first finding, for each pattern, number of threads and strategy: the median over the seeds where a strategy
draws. `-` stands for not found within the runs; `(7/20)` for found with 7 of 20 seeds only. `--document` writes
docs/src/patterns.md to stdout: this table, and how the runs of the guided strategies grow with the threads.

cargo xtask bench --patterns --learning [RUNS=2000]
What learning adds to a run: to its time, and to its instructions if valgrind is installed.

cargo xtask bench --patterns --pool SECONDS [STRATEGY=optimal-dpor]
How far a strategy comes in the thread pool in so much time.
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
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("--learning") => return overhead::main(&words[1..]),
        Some("--pool") => return pool(&words[1..]),
        _ => {}
    }
    match read(words.into_iter()) {
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

/// How far a strategy comes in the thread pool.
fn pool(words: &[String]) -> ExitCode {
    let seconds = words.first().and_then(|seconds| seconds.parse().ok());
    let strategy = words.get(1).map_or(Ok(StrategyName::OptimalDpor), |name| name.parse());
    let (Some(seconds), Ok(strategy)) = (seconds, strategy) else {
        print!("{HELP}");
        return ExitCode::from(2);
    };
    let reach = reach(strategy, Duration::from_secs(seconds), &|| BROKEN.day());
    let found = reach.found.map_or_else(|| "nothing found".to_owned(), |run| format!("found in run {run}"));
    let end = if reach.finished { "came to its end" } else { "did not come to its end" };
    let done = reach.done.map_or_else(String::new, |done| format!(", an estimated {:.1e} of all", done));
    println!("{strategy}: {} runs in {seconds} s{done}; {end}; {found}", reach.runs);
    ExitCode::SUCCESS
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
const GROWTH: [usize; 6] = [2, 4, 6, 8, 10, 20];

/// The page of the book.
fn document(plan: &Plan) {
    println!("{}", PAGE.trim_end());
    println!("\n## Runs to the first finding\n");
    table(plan);
    println!("\n## How the runs grow with the threads\n");
    println!("{}", GROWTH_TEXT.trim_end());
    print!("\n| pattern | strategy |");
    GROWTH.iter().for_each(|threads| print!(" {threads} |"));
    print!(" growth |\n|---|---|");
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
    let mut medians = Vec::new();
    for threads in GROWTH {
        let firsts = firsts(plan, pattern, threads, strategy);
        medians.push(firsts[(firsts.len() - 1) / 2]);
        print!(" {} |", cell(&firsts));
    }
    let most = medians.iter().max().map_or(0.0, |most| *most as f64 / medians[0] as f64);
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
deadlock needs three workers. In ten minutes of one core (`cargo xtask bench --patterns --pool 600`), shared with other work,
`optimal-dpor` made 14,927,434 runs of it and did not come to its end; its first deadlock was in run 117,121.
";

const GROWTH_TEXT: &str = "\
The runs of the guided strategies are to grow at most linearly with the threads: the last column is the largest quotient of the
runs in the row and those with two threads, and the tests hold every row to at most 5.
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
