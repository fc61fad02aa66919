//! `raddle compare`: the same programs with several strategies, the numbers side by side.

mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use raddle_explore::{Limit, StrategyName, Verdict};
use raddle_native::{Plan, Survey, Watcher, interrupt};
use raddle_report::{finding_id, parse_duration};
use raddle_store::{CheckFolder, Most};
use serde::Serialize;

use crate::arguments::Compare;
use crate::commands::{check, settings};
use crate::compile::{build, words};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{print, say, style};

/// The smallest and the largest number among the seeds.
type Range<T> = (T, T);

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
    /// Different traces among the runs of one search.
    traces: Option<Range<u64>>,
    /// The first run with a finding, among the seeds that found something.
    first_finding: Option<Range<u64>>,
    /// How many different findings.
    findings: Range<u64>,
    /// How many different findings all strategies have on this program together.
    all_findings: u64,
    seconds: f64,
    /// Bytes; none if the search was over too soon to look.
    memory: Option<u64>,
    covers: String,
    /// Whether the search ended and ran every trace.
    ran_every_trace: bool,
    /// What was found, by its short name.
    #[serde(skip)]
    names: BTreeSet<String>,
}

/// Compares.
pub(crate) fn run(arguments: &Compare) -> Result<Exit, Failure> {
    let budget = parse_duration(&arguments.budget).ok_or_else(|| {
        let text = &arguments.budget;
        Failure::usage(format!(
            "--budget: `{text}` is not a time; write it like `500ms`, `90s`, `10m`, `2h` or `30d`; --max-runs limits the runs"
        ))
    })?;
    let settings = settings(&arguments.settings.as_settings())?;
    let strategies = strategies(&arguments.strategies)?;
    interrupt::listen();
    let mut rows = Vec::new();
    for program in &arguments.programs {
        let cflags = words(settings.text("cflags").unwrap_or_default())?;
        let built = build(std::slice::from_ref(program), &cflags)?;
        let mut plan = check::plan(&settings, &built, &arguments.arguments)?;
        plan.task.keep_going = true;
        plan.task.max_time = Some(budget);
        plan.task.count_traces = true;
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
    count_findings(&mut rows);
    let json = serde_json::to_string_pretty(&rows).map_err(Failure::usage)?;
    let out = Path::new(settings.word("out"));
    let kept = keep(out, &rows, &json, &check::most(&settings));
    if let Err(error) = &kept {
        say(&format!("raddle: note: the raw data could not be kept in {}: {error}", out.display()));
    }
    let text = match (arguments.format.as_str(), kept) {
        ("json", _) => json,
        ("csv", _) => table::csv(&rows),
        (_, Ok(path)) => format!("{}\n  raw data: {}\n", table::human(&rows, &style()), path.display()),
        (_, Err(_)) => table::human(&rows, &style()),
    };
    print(&text)?;
    let untrusted = rows.iter().any(|row| row.verdict == "untrusted");
    Ok(match () {
        () if interrupt::requested() => Exit::Interrupted,
        () if untrusted => Exit::Untrusted,
        () => Exit::Good,
    })
}

/// Keeps the raw data; returns where.
fn keep(out: &Path, rows: &[Row], json: &str, most: &Most) -> std::io::Result<PathBuf> {
    let mut folder = CheckFolder::begin(out)?;
    let path = folder.keep("compare.csv", &table::csv(rows))?;
    folder.keep("compare.json", json)?;
    folder.finish(most)?;
    Ok(path)
}

fn strategies(names: &[String]) -> Result<Vec<StrategyName>, Failure> {
    if names.is_empty() {
        return Ok(StrategyName::ALL.to_vec());
    }
    names.iter().map(|name| name.trim().parse().map_err(Failure::usage)).collect()
}

/// How many findings there are on each program, whoever found them.
fn count_findings(rows: &mut [Row]) {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows.iter() {
        all.entry(row.program.clone()).or_default().extend(row.names.iter().cloned());
    }
    for row in rows {
        row.all_findings = all.get(&row.program).map_or(0, |names| names.len() as u64);
    }
}

fn range(numbers: impl Iterator<Item = u64> + Clone) -> Option<Range<u64>> {
    numbers.clone().min().zip(numbers.max())
}

fn row(program: &str, plan: &Plan, seeds: u64) -> Result<Row, Failure> {
    let strategy = plan.task.strategy;
    let draws = strategy.only_samples() || strategy == StrategyName::Auto;
    let mut surveys: Vec<Survey> = Vec::new();
    for number in 0..if draws { seeds } else { 1 } {
        let mut plan = plan.clone();
        plan.task.seed = plan.task.seed.wrapping_add(number);
        let mut watcher =
            Watcher { progress: &mut |_, _, _| (), listed: &mut |_| (), interrupted: &interrupt::requested };
        surveys.push(raddle_native::survey(&plan, &mut watcher).map_err(Failure::not_started)?);
        if interrupt::requested() {
            break;
        }
    }
    let found = surveys.iter().flat_map(|survey| &survey.found);
    let last = surveys.last();
    let covers = last.map_or_else(String::new, covers);
    Ok(Row {
        program: program.to_owned(),
        strategy: strategy.to_string(),
        seeds: surveys.len() as u64,
        verdict: last.map_or("stopped", |survey| survey.verdict.word()),
        runs: surveys.iter().map(|survey| survey.reached.runs).sum(),
        blocked: surveys.iter().map(|survey| survey.reached.blocked).sum(),
        traces: range(surveys.iter().filter_map(|survey| survey.reached.traces)),
        first_finding: range(
            surveys.iter().filter_map(|survey| survey.found.iter().map(|(_, run)| *run).min()),
        ),
        findings: range(surveys.iter().map(|survey| survey.found.len() as u64)).unwrap_or_default(),
        all_findings: 0,
        seconds: surveys.iter().map(|survey| survey.seconds).sum(),
        memory: surveys.iter().map(|survey| survey.memory).max().filter(|memory| *memory > 0),
        ran_every_trace: covers == EVERYTHING && strategy.runs_every_trace(),
        covers,
        names: found.map(|(finding, _)| finding_id(program, finding)).collect(),
    })
}

/// What a complete search covers.
const EVERYTHING: &str = "everything";

/// How far the search reached, in two words. A search that found something can still have come to its end.
fn covers(survey: &Survey) -> String {
    let reached = &survey.reached;
    match &survey.verdict {
        _ if survey.interrupted => "interrupted".to_owned(),
        Verdict::Untrusted(_) => "untrusted".to_owned(),
        _ if !reached.finished && reached.limit.is_some() => match reached.guarantee {
            Some(raddle_explore::Guarantee::Sample) => "a sample".to_owned(),
            _ if matches!(reached.limit, Some(Limit::Runs(_))) => "out of runs".to_owned(),
            _ => "out of time".to_owned(),
        },
        _ => match reached.guarantee {
            Some(raddle_explore::Guarantee::All) if reached.finished => EVERYTHING.to_owned(),
            Some(raddle_explore::Guarantee::Within(bound)) if reached.finished => format!("bound {bound}"),
            _ => "a sample".to_owned(),
        },
    }
}
