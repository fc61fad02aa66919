//! `raddle nets model`: searches a program with a strategy that builds a model, and writes the model.

use raddle_explore::{StrategyName, Verdict};
use raddle_native::{Survey, Watcher, interrupt};
use raddle_report::{EXPORTED_NODES, ModelPart, count, model_file};

use crate::arguments::ModelOfProgram;
use crate::commands::{check, settings};
use crate::compile::{build, words};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{print_bytes, say};
use crate::settings::Settings;

/// Writes the model of a program.
pub(super) fn run(arguments: &ModelOfProgram) -> Result<Exit, Failure> {
    let settings = settings(&arguments.settings.as_settings())?;
    let strategy = strategy(&settings)?;
    let part = if arguments.prefix { ModelPart::Prefix } else { ModelPart::Net };
    interrupt::listen();
    let cflags = words(settings.text("cflags").unwrap_or_default())?;
    let built = build(&arguments.programs, &cflags)?;
    let mut plan = check::plan(&settings, &built, &arguments.arguments)?;
    plan.task.strategy = strategy;
    // The model is wanted whole, whatever is wrong with the program.
    plan.task.keep_going = true;
    plan.task.model_nodes = EXPORTED_NODES as u64;
    let mut watcher =
        Watcher { progress: &mut |_, _, _| (), listed: &mut |_| (), interrupted: &interrupt::requested };
    let survey = raddle_native::survey(&plan, &mut watcher).map_err(Failure::not_started)?;
    let shown = arguments.programs[0].display();
    let Some(net) = &survey.reached.net else {
        let why = survey.reached.beyond.map_or_else(|| "the search was lost".to_owned(), check::no_model);
        return Err(Failure::usage(format!(
            "{shown}: no model of this program can be built: {why}; see docs/src/limits.md. `raddle check --strategy \
             {strategy}` searches it without a model"
        )));
    };
    let contents = model_file(net, part, &arguments.format).map_err(Failure::usage)?;
    match &arguments.output {
        Some(file) => std::fs::write(file, contents).map_err(|error| {
            Failure::usage(format!("--output: could not write {}: {error}", file.display()))
        })?,
        None => print_bytes(&contents)?,
    }
    Ok(remarks(&survey, &shown.to_string()))
}

/// The strategy that was asked for, if it builds a model; `unfolding` if none was.
fn strategy(settings: &Settings) -> Result<StrategyName, Failure> {
    if settings.is_built_in("strategy") {
        return Ok(StrategyName::Unfolding);
    }
    let strategy: StrategyName = settings.word("strategy").parse().map_err(Failure::usage)?;
    check::builds_model("a model", strategy).map(|()| strategy)
}

/// What is said beside the model.
fn remarks(survey: &Survey, program: &str) -> Exit {
    if let Some(size) = survey.reached.model {
        say(&format!(
            "raddle: {}, {}; {}",
            count(size.places as u64, "place"),
            count(size.transitions as u64, "transition"),
            count(survey.reached.runs, "run")
        ));
    }
    if !survey.found.is_empty() {
        say(&format!("raddle: note: something is wrong in {program}; `raddle check {program}` shows it"));
    }
    match &survey.verdict {
        _ if survey.interrupted => {
            say("raddle: note: interrupted, so the model is not whole");
            Exit::Interrupted
        }
        Verdict::Stopped(_) => {
            say("raddle: note: a limit stopped the search, so the model is not whole");
            Exit::Incomplete
        }
        Verdict::Untrusted(_) => {
            say(&format!("raddle: note: the search cannot be trusted; `raddle check {program}` says why"));
            Exit::Untrusted
        }
        _ => Exit::Good,
    }
}
