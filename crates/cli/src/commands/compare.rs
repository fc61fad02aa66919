//! `raddle compare`: the same programs with several strategies, the numbers side by side.

mod table;

use std::path::Path;

use raddle_explore::{StrategyName, Verdict};
use raddle_native::{Plan, Survey, Watcher, interrupt};
use serde::Serialize;

use crate::arguments::Compare;
use crate::commands::{check, settings};
use crate::compile::{build, words};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{print, say, style};
use crate::settings::duration;
use crate::store;

/// The numbers of one strategy on one program; of several seeds, all of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    program: String,
    strategy: String,
    /// How many searches with different seeds the numbers come from.
    seeds: u64,
    verdict: &'static str,
    runs: u64,
    blocked: u64,
    /// The first run with a finding: the smallest and the largest number among the seeds that found something.
    first_finding: Option<(u64, u64)>,
    /// How many different findings: the smallest and the largest number among the seeds.
    findings: (usize, usize),
    seconds: f64,
    /// Bytes; none if the search was over too soon to look.
    memory: Option<u64>,
    covers: String,
}

/// Compares.
pub(crate) fn run(arguments: &Compare) -> Result<Exit, Failure> {
    let budget = duration(&arguments.budget).ok_or_else(|| {
        let text = &arguments.budget;
        Failure::usage(format!(
            "--budget: `{text}` is not a time; write it like `500ms`, `90s`, `10m` or `2h`"
        ))
    })?;
    let settings = settings(&arguments.settings)?;
    let strategies = strategies(&arguments.strategies)?;
    interrupt::listen();
    let mut rows = Vec::new();
    for program in &arguments.programs {
        let cflags = words(settings.text("cflags").unwrap_or_default())?;
        let built = build(std::slice::from_ref(program), &cflags)?;
        let mut plan = check::plan(&settings, &built, &arguments.arguments)?;
        plan.task.keep_going = true;
        plan.task.max_time = Some(budget);
        for strategy in &strategies {
            plan.task.strategy = *strategy;
            // The budget is the limit; samples that were counted otherwise would not be comparable.
            plan.task.max_runs = settings.number("max-runs");
            rows.push(row(&program.display().to_string(), &plan, arguments.seeds)?);
            if interrupt::requested() {
                break;
            }
        }
    }
    let unicode = style().unicode;
    let csv = table::csv(&rows);
    let format = settings.word("format");
    let json = serde_json::to_string_pretty(&rows).map_err(Failure::usage)?;
    let out = Path::new(settings.word("out"));
    match store::keep_latest(out, "compare.csv", &csv) {
        Ok(path) if format == "human" => {
            print(&format!("{}\n  raw data: {}\n", table::human(&rows, unicode), path.display()))?;
        }
        Ok(_) => print(&json)?,
        Err(error) => {
            say(&format!("raddle: note: the raw data could not be kept in {}: {error}", out.display()));
            print(&if format == "human" { table::human(&rows, unicode) } else { json })?;
        }
    }
    let untrusted = rows.iter().any(|row| row.verdict == "untrusted");
    Ok(match () {
        () if interrupt::requested() => Exit::Interrupted,
        () if untrusted => Exit::Untrusted,
        () => Exit::Good,
    })
}

fn strategies(names: &[String]) -> Result<Vec<StrategyName>, Failure> {
    if names.is_empty() {
        return Ok(StrategyName::ALL.to_vec());
    }
    names.iter().map(|name| name.trim().parse().map_err(Failure::usage)).collect()
}

fn row(program: &str, plan: &Plan, seeds: u64) -> Result<Row, Failure> {
    let strategy = plan.task.strategy.as_str();
    let seeds = if plan.task.strategy.only_samples() { seeds } else { 1 };
    let mut surveys: Vec<Survey> = Vec::new();
    for number in 0..seeds {
        let mut plan = plan.clone();
        plan.task.seed = plan.task.seed.wrapping_add(number);
        let mut watcher = Watcher {
            progress: &mut |_, _| (),
            listed: &mut |_, _, _| (),
            interrupted: &interrupt::requested,
        };
        surveys.push(raddle_native::survey(&plan, &mut watcher).map_err(Failure::not_started)?);
        if interrupt::requested() {
            break;
        }
    }
    let firsts: Vec<u64> =
        surveys.iter().filter_map(|survey| survey.found_in.iter().min().copied()).collect();
    let counts: Vec<usize> = surveys.iter().map(|survey| survey.found_in.len()).collect();
    let last = surveys.last();
    Ok(Row {
        program: program.to_owned(),
        strategy: strategy.to_owned(),
        seeds: surveys.len() as u64,
        verdict: last.map_or("stopped", |survey| survey.verdict.word()),
        runs: surveys.iter().map(|survey| survey.reached.runs).sum(),
        blocked: surveys.iter().map(|survey| survey.reached.blocked).sum(),
        first_finding: firsts.iter().min().copied().zip(firsts.iter().max().copied()),
        findings: (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0)),
        seconds: surveys.iter().map(|survey| survey.seconds).sum(),
        memory: surveys.iter().map(|survey| survey.memory).max().filter(|memory| *memory > 0),
        covers: last.map_or_else(String::new, covers),
    })
}

/// How far the search reached, in two words. A search that found something can still have come to its end.
fn covers(survey: &Survey) -> String {
    let reached = &survey.reached;
    match &survey.verdict {
        _ if survey.interrupted => "interrupted".to_owned(),
        Verdict::Untrusted(_) => "untrusted".to_owned(),
        _ if !reached.finished && reached.limit.is_some() => match reached.guarantee {
            Some(raddle_explore::Guarantee::Sample) => "a sample".to_owned(),
            _ => "out of time".to_owned(),
        },
        _ => match reached.guarantee {
            Some(raddle_explore::Guarantee::All) if reached.finished => "everything".to_owned(),
            Some(raddle_explore::Guarantee::Within(bound)) if reached.finished => format!("bound {bound}"),
            _ => "a sample".to_owned(),
        },
    }
}
