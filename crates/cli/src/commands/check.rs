//! `raddle check`: compile, search, say what was found.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle_channel::{Isolation, Races, Task};
use raddle_coverage::{Aim, HapSets};
use raddle_explore::model::Beyond;
use raddle_explore::{StrategyName, Verdict};
use raddle_native::{Keeping, Limits, Listed, Outcome, Plan, Program, Watcher, interrupt, strays};
use raddle_report::{
    DRAWN_NODES, Format, ListedRun, Record, Style, add_hapsets, beyond, listed_run, read_hapsets,
};
use raddle_store::Most;

use crate::arguments::{Check, View};
use crate::commands::settings;
use crate::compile::{Built, Listener, build_in, words};
use crate::events::Events;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::github;
use crate::listing::{Fate, Listing};
use crate::output::{coloured, colours, print, say};
use crate::panics;
use crate::progress::{Display, Reporter};
use crate::record::record;
use crate::settings::Settings;
use crate::sources::Sources;
use crate::store;

/// Runs of a strategy that only samples, unless a limit is given.
const DEFAULT_SAMPLES: u64 = 10_000;
/// What the strategy `auto` may take, unless a limit is given.
const AUTO_TIME: Duration = Duration::from_secs(60);
/// How much longer than a run may be stuck a silent process is waited for: the runtime notices most by itself.
const SILENCE: Duration = Duration::from_secs(20);

/// Checks the programs that were named, or those of `raddle.toml`.
pub(crate) fn run(arguments: &Check) -> Result<Exit, Failure> {
    let settings = settings(&arguments.settings)?;
    if settings.word("message-format") == "json" && settings.word("format") != "human" {
        return Err(Failure::usage(format!(
            "--message-format json and --format {} both write to stdout: leave one of them out; the folder of the check has \
             all formats",
            settings.word("format")
        )));
    }
    strays::adopt();
    interrupt::listen();
    if let Some(which) = &arguments.resume {
        return go_on(&settings, &arguments.view, which);
    }
    if !arguments.programs.is_empty() {
        let cflags = words(settings.text("cflags").unwrap_or_default())?;
        let name = arguments.programs[0].display().to_string();
        return check_one(
            &settings,
            &arguments.view,
            None,
            &name,
            &arguments.programs,
            &cflags,
            &arguments.arguments,
        );
    }
    let Some(file) = settings.file.as_ref().filter(|file| !file.programs.is_empty()) else {
        return Err(Failure::usage(
            "there is nothing to check: give a C or C++ source file or a binary built by `raddle cc`, or list programs in \
             raddle.toml",
        ));
    };
    let folder = file.path.parent().unwrap_or(Path::new("")).to_owned();
    let mut worst = Exit::Good;
    for program in &file.programs {
        let sources: Vec<PathBuf> = program.source.iter().map(|source| folder.join(source)).collect();
        let mut cflags = words(settings.text("cflags").unwrap_or_default())?;
        cflags.extend(words(program.cflags.as_deref().unwrap_or_default())?);
        let own: Vec<OsString> = program.arguments.iter().map(OsString::from).collect();
        // A file that lies further up speaks of files beside it.
        let beside = Some(folder.as_path()).filter(|folder| !folder.as_os_str().is_empty());
        let exit = check_one(&settings, &arguments.view, beside, &program.name, &sources, &cflags, &own)?;
        // A finding weighs most; of the rest, what comes first.
        if worst == Exit::Good || exit == Exit::Found {
            worst = exit;
        }
        if exit == Exit::Interrupted {
            return Ok(exit);
        }
    }
    Ok(worst)
}

fn check_one(
    settings: &Settings,
    view: &View,
    folder: Option<&Path>,
    name: &str,
    programs: &[PathBuf],
    cflags: &[String],
    arguments: &[OsString],
) -> Result<Exit, Failure> {
    let display = Display::of(settings.word("progress"));
    let mut reporter = Reporter::new(display, name, settings.word("strategy"), view.style().unicode);
    reporter.begin("Compiling");
    let drawn = reporter.is_drawn();
    let mut make_room = |said: &str| {
        reporter.clear();
        say(said);
    };
    let built = build_in(folder, programs, cflags, drawn.then_some(&mut make_room as Listener<'_>));
    reporter.clear();
    if interrupt::requested() {
        let text = "interrupted before the first run".to_owned();
        return Err(Failure { exit: Exit::Interrupted, text });
    }
    let built = built?;
    let mut plan = plan(settings, &built, arguments)?;
    plan.task.watched = true;
    plan.task.listed = Listing::of(settings).is_wanted();
    if plan.task.listed && plan.workers > 1 {
        plan.workers = 1;
        say("raddle: note: --list takes one worker, which tells of its runs in their order, so one searches");
    }
    if plan.task.match_values {
        builds_model("--match values", plan.task.strategy)?;
    }
    for guide in ["aim", "hapset"] {
        guides(settings, guide, plan.task.strategy)?;
    }
    learn(settings, &mut plan)?;
    search(settings, view, name, &plan, reporter)
}

/// Goes on with a search that was stopped, with new limits and otherwise as it began.
fn go_on(settings: &Settings, view: &View, which: &str) -> Result<Exit, Failure> {
    let stopped = store::stopped(Path::new(settings.word("out")), which)?;
    let saved = stopped.saved.clone();
    let own: Vec<OsString> = saved.arguments.iter().map(OsString::from).collect();
    let mut plan = plan(settings, &Built::before(stopped.program.clone()), &own)?;
    plan.keeping = Keeping::Always(saved.task.isolation);
    plan.workers = 1;
    // A tree of the rest alone would not add up.
    let rest = Task { listed: Listing::of(settings).is_wanted(), watched: false, ..saved.task };
    plan.task = with_limits(settings, rest);
    let display = Display::of(settings.word("progress"));
    let strategy = plan.task.strategy.as_str();
    let reporter = Reporter::new(display, &saved.program, strategy, view.style().unicode);
    search(settings, view, &saved.program, &plan, reporter)
}

/// Searches, keeps what was found, and says it.
fn search(
    settings: &Settings,
    view: &View,
    name: &str,
    plan: &Plan,
    reporter: Reporter,
) -> Result<Exit, Failure> {
    let style = view.style();
    let sources = Sources::of(&plan.program.path);
    let out = PathBuf::from(settings.word("out"));
    let printed = settings.word("message-format") == "json";
    let told = RefCell::new(Events::begin(&out, printed, name, plan));
    let mut listing = Listing::of(settings);
    let reporter = RefCell::new(reporter);
    let outcome = raddle_native::check(
        plan,
        &mut Watcher {
            progress: &mut |progress, findings, workers| {
                told.borrow_mut().progress(progress, findings);
                reporter.borrow_mut().note(progress, findings, workers);
            },
            listed: &mut |&Listed { number, events, ending, found }| {
                let run = ListedRun { number, events, ending, found };
                let line = match listing.take(&run) {
                    Fate::Listed => {
                        told.borrow_mut().listed(&run);
                        (!printed).then(|| listed_run(&run, &style))
                    }
                    Fate::TooMany => Some(listing.too_many()),
                    Fate::Skipped => None,
                };
                if let Some(line) = line {
                    reporter.borrow_mut().clear();
                    say(&line);
                }
            },
            interrupted: &|| {
                reporter.borrow_mut().tick();
                interrupt::requested()
            },
        },
    );
    reporter.into_inner().end();
    let outcome = outcome.map_err(Failure::not_started)?;
    panics::on_purpose("check");
    let mut record = record(name, plan, &outcome, &out, &sources);
    let exit = exit(settings, &outcome);
    let kept = keep(&mut record, plan, &outcome, told.into_inner(), exit, settings)?;
    keep_hapsets(settings, &outcome)?;
    remarks(settings, &outcome, kept.err());
    show(settings, &record, &style, &sources)?;
    Ok(exit)
}

/// Prints the result, and tells GitHub where it is asked for or runs this.
fn show(settings: &Settings, record: &Record, style: &Style, sources: &Sources) -> Result<(), Failure> {
    let format: Format = settings.word("format").parse().map_err(Failure::usage)?;
    let Some(text) = format.write(record, style, &|file| sources.read(file)) else {
        return Err(Failure::usage(format!(
            "this build of raddle cannot write the format `{}`",
            format.as_str()
        )));
    };
    // Stdout is for programs if they asked for it.
    let is_stdout_taken = settings.word("message-format") == "json";
    match format {
        _ if is_stdout_taken => say(&text),
        Format::Human if colours(settings.word("color")) => print(&coloured(&text))?,
        _ => print(&text)?,
    }
    let is_human = format == Format::Human && !is_stdout_taken;
    let is_asked = settings.words("formats").contains(&Format::Github.as_str()) && format != Format::Github;
    if is_asked || (is_human && github::is_here()) {
        github::tell(record, sources, !is_human)?;
    }
    Ok(())
}

/// The formats in which the check is kept besides those that are always there.
fn formats(settings: &Settings) -> Result<Vec<Format>, Failure> {
    settings.words("formats").iter().map(|name| name.parse().map_err(Failure::usage)).collect()
}

/// Keeps the check in its folder, with what it needs to go on, and tells of its end. What cannot be kept is no reason to
/// keep silent about the result.
fn keep(
    record: &mut Record,
    plan: &Plan,
    outcome: &Outcome,
    mut events: Events,
    exit: Exit,
    settings: &Settings,
) -> Result<std::io::Result<()>, Failure> {
    let sources = Sources::of(&plan.program.path);
    let out = PathBuf::from(settings.word("out"));
    let formats = formats(settings)?;
    let kept = events.folder().and_then(|folder| {
        if let Some(resume) = outcome.resume.as_deref() {
            store::keep_stopped(folder, &record.program, plan, resume)?;
            let which = folder.resume_name();
            record.resume = Some(format!("raddle check --resume {which}{}", store::elsewhere(&out)));
        }
        folder.keep_record(record, &formats, &|file| sources.read(file))?;
        let public = folder.public_path().display().to_string();
        record.kept_in = Some(public).filter(|_| store::elsewhere(&out).is_empty());
        Ok(())
    });
    let finished = events.end(record, exit.code(), &most(settings))?;
    Ok(kept.and(finished))
}

/// How much is kept of earlier checks.
pub(super) fn most(settings: &Settings) -> Most {
    Most {
        checks: settings.number("keep-checks").map_or(usize::MAX, |checks| checks as usize),
        age: settings.time("keep-time").unwrap_or(Duration::MAX),
        size: settings.bytes("keep-size").unwrap_or(u64::MAX),
    }
}

/// What is said beside the result.
fn remarks(settings: &Settings, outcome: &Outcome, not_kept: Option<std::io::Error>) {
    for note in &outcome.notes {
        say(&format!("raddle: note: {note}"));
    }
    let aim = settings.text("aim").and_then(|aim| aim.parse::<Aim>().ok());
    // A run with a finding is not learned from, and may be the one that was wanted.
    if let (Some(Aim { first, second }), Some(covered), true) =
        (&aim, &outcome.reached.covered, outcome.findings.is_empty())
    {
        let met = aim.as_ref().is_some_and(|aim| aim.is_met(&covered.sets));
        let seen = if met { "was seen right before" } else { "was never seen right before" };
        say(&format!(
            "raddle: note: line {first} {seen} line {second} on the same object, as --aim wants it"
        ));
    }
    let shared = ["optimal-dpor", "stateful-naive", "unfolding", "unfolding-stateless"];
    if settings.number("workers").is_some_and(|workers| workers > 1)
        && shared.contains(&settings.word("strategy"))
    {
        say(&format!(
            "raddle: note: {} cannot be divided among workers, so they search by dpor-cr-sleep, which covers the same",
            settings.word("strategy")
        ));
    }
    if let Some(why) = outcome.reached.beyond {
        say(&format!("raddle: note: the search went on without a model of the program: {}", no_model(why)));
    }
    if let Some(error) = not_kept {
        say(&format!(
            "raddle: note: the record could not be kept in {}: {error}; --out names another folder",
            settings.word("out")
        ));
    }
    if settings.is_on("show-output") {
        let output = &outcome.output;
        say(&format!("raddle: the program wrote {} bytes:", output.kept.len() as u64 + output.dropped));
        say(&String::from_utf8_lossy(&output.kept));
        if output.dropped > 0 {
            say(&format!("raddle: and {} bytes more, see --max-output", output.dropped));
        }
    }
    if outcome.reached.threads <= 1 && outcome.reached.runs <= 1 && outcome.findings.is_empty() {
        let text = String::from_utf8_lossy(&outcome.output.kept);
        let wrote = text.lines().rfind(|line| !line.trim().is_empty());
        let wrote = wrote.map_or_else(String::new, |line| format!(" (it wrote: {})", line.trim()));
        say(&format!(
            "raddle: note: the program started no thread, so there was one run to make{wrote}; if it needs arguments, give \
             them after `--`"
        ));
    }
}

/// Why there is no model, and what can be done about it.
pub(super) fn no_model(why: Beyond) -> String {
    let help = match why {
        Beyond::Plain | Beyond::Unordered => {
            " (with --races ignore every access to it is a step, and the model shows it)"
        }
        _ => "",
    };
    format!("{}{help}", beyond(why))
}

/// Refuses what only guided strategies can make use of: it would be left aside without a word.
fn guides(settings: &Settings, guide: &str, strategy: StrategyName) -> Result<(), Failure> {
    if settings.text(guide).is_none() || strategy.is_guided() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--{guide}: the strategy `{strategy}` is not guided; those that are are hapset and auto"
    )))
}

/// Refuses what only strategies that build a model can do.
pub(super) fn builds_model(what: &str, strategy: StrategyName) -> Result<(), Failure> {
    if strategy.builds_model() {
        return Ok(());
    }
    let known = StrategyName::ALL.into_iter().filter(|known| known.builds_model());
    let known: Vec<&str> = known.map(StrategyName::as_str).collect();
    Err(Failure::usage(format!(
        "{what}: the strategy `{strategy}` builds no model; those that do are {}",
        known.join(", ")
    )))
}

/// How the settings ask for the program to be checked.
pub(super) fn plan(settings: &Settings, built: &Built, arguments: &[OsString]) -> Result<Plan, Failure> {
    let strategy: StrategyName = settings.word("strategy").parse().map_err(Failure::usage)?;
    let task = Task {
        strategy,
        bound: settings.number("bound").and_then(|bound| u32::try_from(bound).ok()),
        seed: settings.number("seed").unwrap_or(1),
        max_steps: settings.number("max-steps").map_or(usize::MAX, |steps| steps as usize),
        keep_going: settings.is_on("keep-going"),
        races: if settings.word("races") == "ignore" { Races::Ignore } else { Races::Fail },
        leaks: settings.is_on("leaks"),
        stack: settings.bytes("stack-size").unwrap_or(1 << 20),
        memory: settings.bytes("max-memory").unwrap_or(2 << 30),
        stuck_after: settings.time("max-run-time").unwrap_or(Duration::from_secs(10)),
        checkpoints: settings.is_on("checkpoints"),
        timeouts: settings.is_on("timeouts"),
        spurious_wakeups: settings
            .number("spurious-wakeups")
            .and_then(|times| u32::try_from(times).ok())
            .unwrap_or(0),
        coverage: hapsets(settings)?,
        match_values: settings.word("match") == "values",
        model_nodes: DRAWN_NODES as u64,
        context: context(settings),
        aim: aim(settings)?,
        ..Task::default()
    };
    let task = with_limits(settings, task);
    let keeping = match settings.word("isolation") {
        "inline" => Keeping::Always(Isolation::Inline),
        "fork" => Keeping::Always(Isolation::Fork),
        _ => Keeping::Auto,
    };
    let limits = Limits {
        memory: task.memory.saturating_add(OVERHEAD),
        output: settings.bytes("max-output").unwrap_or(16 << 20),
        processes: settings.number("max-processes").unwrap_or(64),
        file_size: settings.bytes("max-file-size").unwrap_or(1 << 30),
        descriptors: settings.number("max-descriptors").unwrap_or(1024),
        silence: task.stuck_after + SILENCE,
    };
    let program = Program {
        path: built.binary.clone(),
        arguments: arguments.to_vec(),
        libraries: built.libraries.clone(),
    };
    let workers = settings.number("workers").map_or(1, |workers| workers.clamp(1, 1024) as u32);
    Ok(Plan { program, task, keeping, limits, workers, wants_output: settings.is_on("show-output") })
}

/// The limits of a search: what was asked for, else what its strategy needs.
fn with_limits(settings: &Settings, task: Task) -> Task {
    let (max_runs, max_time) = (settings.number("max-runs"), settings.time("max-time"));
    let open = max_runs.is_none() && max_time.is_none();
    // Without a budget it would not know when to stop being thorough.
    let hurried = open && task.strategy == StrategyName::Auto;
    let samples = open && task.strategy.only_samples();
    Task {
        max_runs: max_runs.or(samples.then_some(DEFAULT_SAMPLES)),
        max_time: max_time.or(hurried.then_some(AUTO_TIME)),
        ..task
    }
}

/// What the search itself may take beside the program's memory.
const OVERHEAD: u64 = 1 << 30;

/// Lets the program run by itself first, if that was asked for, and takes what it showed for known.
fn learn(settings: &Settings, plan: &mut Plan) -> Result<(), Failure> {
    let runs = settings.number("learn-native").unwrap_or(0);
    if runs == 0 || !plan.task.strategy.is_guided() {
        return Ok(());
    }
    let learned = raddle_native::learn(plan, runs, &interrupt::requested).map_err(Failure::not_started)?;
    say(&format!(
        "raddle: note: learned {} ordered pairs of statements from {} good native runs of {}",
        learned.sets.len(),
        learned.good,
        learned.runs
    ));
    plan.task.coverage = learned.sets.to_text().into_bytes();
    Ok(())
}

fn context(settings: &Settings) -> u32 {
    settings.number("context").and_then(|calls| u32::try_from(calls).ok()).unwrap_or(0)
}

/// The order that somebody wants to see, once it is known to be one.
fn aim(settings: &Settings) -> Result<Option<String>, Failure> {
    let aim = settings.text("aim").map(str::parse::<Aim>).transpose();
    let aim = aim.map_err(|error| Failure::usage(format!("--aim: {error}")))?;
    Ok(aim.map(|aim| aim.to_string()))
}

/// What the file of `--hapset` knows from earlier searches; nothing if there is none yet.
fn hapsets(settings: &Settings) -> Result<Vec<u8>, Failure> {
    let Some(path) = settings.text("hapset") else { return Ok(Vec::new()) };
    let refused = |error: String| Failure::usage(format!("--hapset: {error}; name another file"));
    let known = read_hapsets(Path::new(path), context(settings)).map_err(refused)?;
    // What cannot be written is better known before the search than after it.
    add_hapsets(Path::new(path), &HapSets::new(context(settings))).map_err(refused)?;
    Ok(known.map(|sets| sets.to_text().into_bytes()).unwrap_or_default())
}

/// Keeps what the runs covered for the next search.
fn keep_hapsets(settings: &Settings, outcome: &Outcome) -> Result<(), Failure> {
    let (Some(path), Some(covered)) = (settings.text("hapset"), &outcome.reached.covered) else {
        return Ok(());
    };
    add_hapsets(Path::new(path), &covered.sets)
        .map_err(|error| Failure::usage(format!("--hapset: {error}; name another file")))
}

fn exit(settings: &Settings, outcome: &Outcome) -> Exit {
    match &outcome.verdict {
        _ if outcome.interrupted => Exit::Interrupted,
        Verdict::Failed => Exit::Found,
        Verdict::Untrusted(_) => Exit::Untrusted,
        Verdict::Stopped(_) if !settings.is_on("accept-incomplete") => Exit::Incomplete,
        _ => Exit::Good,
    }
}
