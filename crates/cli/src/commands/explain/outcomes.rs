//! `raddle explain --outcomes`: every way in which the runs of a program come out.

use std::ffi::OsString;
use std::path::PathBuf;

use raddle_channel::Variable;
use raddle_explore::{Limit, Verdict};
use raddle_native::{Plan, Scalar, Survey, Symbols, Watcher, interrupt, strays};
use raddle_report::{OneOutcome, Outcomes};

use crate::arguments::Explain;
use crate::commands::{check, settings};
use crate::compile::{Built, build, words};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::print;
use crate::store;

/// Searches the program to the end, whatever is found, and shows what its runs came to.
pub(super) fn run(arguments: &Explain) -> Result<Exit, Failure> {
    let settings = settings(&arguments.settings.as_settings())?;
    strays::adopt();
    interrupt::listen();
    let cflags = words(settings.text("cflags").unwrap_or_default())?;
    let (name, built, own) = program(arguments, &cflags)?;
    let mut plan = check::plan(&settings, &built, &own)?;
    let strategy = plan.task.strategy;
    if strategy.builds_model() {
        return Err(Failure::usage(format!(
            "--outcomes: the strategy `{strategy}` predicts runs instead of making them, so it does not see how they come out; \
             take optimal-dpor, or leave --strategy out"
        )));
    }
    let scalars = Symbols::of(&plan.program.path).scalars();
    plan.workers = 1;
    plan.task.keep_going = true;
    plan.task.outcomes = true;
    let variable = |scalar: &Scalar| Variable { offset: scalar.offset, bytes: scalar.bytes };
    plan.task.variables = scalars.iter().map(variable).collect();
    let survey = search(&plan)?;
    let outcomes = told(&name, &survey, &scalars);
    print(&match arguments.format.as_str() {
        "json" => raddle_report::outcomes_json(&outcomes),
        _ => raddle_report::outcomes(&outcomes, &arguments.view.style()),
    })?;
    Ok(exit(&survey))
}

/// The program, what it is called, and its arguments: that of a finding, or one that is given as for a check.
fn program(arguments: &Explain, cflags: &[String]) -> Result<(String, Built, Vec<OsString>), Failure> {
    let out = store::out(arguments.out.as_deref());
    if let [id] = arguments.topics.as_slice()
        && raddle_store::folder_of(&out, id).is_dir()
    {
        let stored = store::find(&out, id)?;
        let own = stored.replay.arguments.iter().map(OsString::from).collect();
        return Ok((stored.replay.program.clone(), Built::before(stored.program()), own));
    }
    let programs: Vec<PathBuf> = arguments.topics.iter().map(PathBuf::from).collect();
    let built = build(&programs, cflags)?;
    Ok((arguments.topics[0].clone(), built, arguments.arguments.clone()))
}

fn search(plan: &Plan) -> Result<Survey, Failure> {
    let mut watcher =
        Watcher { progress: &mut |_, _, _| (), listed: &mut |_| (), interrupted: &interrupt::requested };
    raddle_native::survey(plan, &mut watcher).map_err(Failure::not_started)
}

fn told<'a>(name: &'a str, survey: &'a Survey, scalars: &[Scalar]) -> Outcomes<'a> {
    let one = |outcome: &raddle_channel::Outcome| OneOutcome {
        finding: outcome.finding.clone(),
        ending: outcome.ending,
        values: outcome.values.iter().zip(scalars).map(|(bits, scalar)| scalar.show(*bits)).collect(),
        runs: outcome.times.runs,
        traces: outcome.times.traces,
        first: outcome.first,
    };
    Outcomes {
        program: name,
        reached: &survey.reached,
        names: scalars.iter().map(|scalar| scalar.name.clone()).collect(),
        all: survey.outcomes.iter().map(one).collect(),
        others: survey.other_outcomes,
    }
}

/// Outcomes that are wrong are what was asked for, so they are no failure; that there may be others is.
fn exit(survey: &Survey) -> Exit {
    match (&survey.verdict, survey.reached.limit) {
        _ if survey.interrupted => Exit::Interrupted,
        (Verdict::Untrusted(_), _) => Exit::Untrusted,
        (_, Some(Limit::Interrupted(_))) => Exit::Interrupted,
        (_, Some(_)) if !survey.reached.finished => Exit::Incomplete,
        _ => Exit::Good,
    }
}
