//! `raddle nets`: Petri nets from files: their unfolding, their deadlocks, other formats; and models of programs.

mod model;

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use raddle_nets::format::{self, Source};
use raddle_nets::{Deadlock, Limits, Net, Order, Stop, Unfolder};
use raddle_report::grouped;

use crate::arguments::{ConvertNet, NetDeadlocks, Nets, NetsCommand, UnfoldNet};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{print, print_bytes, say};

/// The largest file of a net that is read, in bytes.
const MAX_FILE: u64 = 1 << 28;

/// Does what was asked for with a net.
pub(crate) fn run(arguments: &Nets) -> Result<Exit, Failure> {
    match &arguments.command {
        NetsCommand::Unfold(arguments) => unfold(arguments),
        NetsCommand::Deadlocks(arguments) => deadlocks(arguments),
        NetsCommand::Convert(arguments) => convert(arguments),
        NetsCommand::Model(arguments) => model::run(arguments),
    }
}

fn read(file: &Path) -> Result<Source, Failure> {
    let shown = file.display();
    let mut bytes = Vec::new();
    // A device or a pipe may never end, so no more is read than any net has.
    std::fs::File::open(file).and_then(|opened| opened.take(MAX_FILE + 1).read_to_end(&mut bytes)).map_err(
        |error| {
            Failure::usage(format!(
                "could not read {shown}: {error}; give the path of a net (.ll_net, PNML or DOT)"
            ))
        },
    )?;
    if bytes.len() as u64 > MAX_FILE {
        let most = grouped(MAX_FILE);
        return Err(Failure::usage(format!(
            "{shown}: more than {most} bytes, the limit for the file of a net"
        )));
    }
    format::read(&bytes).map_err(|error| Failure::usage(format!("{shown}: {error}")))
}

/// Unfolds a net as far as the limits allow. A net that is not safe is a failure; a limit is told beside the prefix.
fn prefix_of(
    file: &Path,
    source: &Source,
    order: Order,
    limits: Limits,
) -> Result<(Unfolder, Option<Stop>), Failure> {
    let mut unfolder = Unfolder::of_net(&source.net, order, limits);
    let stop = unfolder.complete().err();
    match stop.as_ref().and_then(|stop| source.explain(stop)) {
        Some(error) => Err(Failure::usage(format!("{}: {error}", file.display()))),
        None => Ok((unfolder, stop)),
    }
}

fn unfold(arguments: &UnfoldNet) -> Result<Exit, Failure> {
    let source = read(&arguments.file)?;
    let order: Order =
        arguments.order.parse().map_err(|error| Failure::usage(format!("--order: {error}")))?;
    let limits = Limits { events: arguments.max_events, bytes: arguments.max_memory.saturating_mul(1 << 20) };
    let begin = Instant::now();
    let (prefix, stop) = prefix_of(&arguments.file, &source, order, limits)?;
    let took = begin.elapsed();
    match arguments.format.as_str() {
        "json" => print(&json(&prefix, stop.as_ref(), took))?,
        "dot" => print(&format::write_prefix_dot(&source.net, &prefix.unfolded()))?,
        "mci" => print_bytes(&format::write_mci(&source.net, &prefix.unfolded()))?,
        _ => print(&human(&prefix, took))?,
    }
    let Some(stop) = stop else { return Ok(Exit::Good) };
    say(&format!("raddle: {}: {stop} (--max-events, --max-memory)", arguments.file.display()));
    Ok(Exit::Incomplete)
}

fn human(prefix: &Unfolder, took: Duration) -> String {
    let number = |count: usize| grouped(count as u64);
    format!(
        "net     {} places, {} transitions\nprefix  {} conditions, {} events, {} of them cut-offs (order {})\n\
         cost    {:.3} s, {} KB\n",
        number(prefix.place_count()),
        number(prefix.transition_count()),
        number(prefix.condition_count()),
        number(prefix.event_count()),
        number(prefix.cut_off_count()),
        prefix.order().name(),
        took.as_secs_f64(),
        number(prefix.bytes().div_ceil(1024)),
    )
}

fn json(prefix: &Unfolder, stop: Option<&Stop>, took: Duration) -> String {
    let document = serde_json::json!({
        "schema": 1,
        "order": prefix.order().name(),
        "complete": stop.is_none(),
        "places": prefix.place_count(),
        "transitions": prefix.transition_count(),
        "conditions": prefix.condition_count(),
        "events": prefix.event_count(),
        "cutoffs": prefix.cut_off_count(),
        "seconds": took.as_secs_f64(),
        "bytes": prefix.bytes(),
    });
    format!("{document:#}\n")
}

fn deadlocks(arguments: &NetDeadlocks) -> Result<Exit, Failure> {
    let source = read(&arguments.file)?;
    let (prefix, mut stop) = prefix_of(&arguments.file, &source, Order::Erv, Limits::default())
        .map(|(prefix, stop)| (prefix, stop.map(|stop| stop.to_string())))?;
    let mut found = Vec::new();
    let mut all = prefix.deadlocks();
    let mut has_more = false;
    loop {
        match all.next() {
            None => break,
            Some(Err(gave_up)) => {
                stop = Some(gave_up.to_string());
                break;
            }
            Some(Ok(_)) if found.len() == arguments.most => {
                has_more = true;
                break;
            }
            Some(Ok(deadlock)) => found.push(deadlock),
        }
    }
    let is_complete = stop.is_none() && !has_more;
    let text = match arguments.format.as_str() {
        "json" => deadlocks_json(&source.net, &prefix, &found, is_complete),
        _ => deadlocks_human(&source.net, &prefix, &found, has_more),
    };
    print(&text)?;
    if let Some(stop) = stop {
        say(&format!("raddle: {}: {stop}", arguments.file.display()));
        return Ok(Exit::Incomplete);
    }
    Ok(if found.is_empty() { Exit::Good } else { Exit::Found })
}

/// The transitions that lead to a deadlock, and the places that are marked there.
fn names<'a>(net: &'a Net, prefix: &Unfolder, deadlock: &Deadlock) -> (Vec<&'a str>, Vec<&'a str>) {
    let transitions = deadlock.configuration.iter().map(|&event| prefix.transition(event));
    (
        transitions.map(|transition| net.transition_name(transition)).collect(),
        deadlock.marking.places().iter().map(|&place| net.place_name(place)).collect(),
    )
}

fn deadlocks_human(net: &Net, prefix: &Unfolder, found: &[Deadlock], has_more: bool) -> String {
    let mut text = String::new();
    for deadlock in found {
        let (steps, places) = names(net, prefix, deadlock);
        let steps = if steps.is_empty() { "nothing".to_owned() } else { steps.join(", ") };
        let _ = writeln!(text, "deadlock after {steps}\n  marked: {}", places.join(", "));
    }
    match (found.len(), has_more) {
        (_, true) => text.push_str("there are more (--most)\n"),
        (0, false) => text.push_str("no deadlock\n"),
        (count, false) => {
            let _ = writeln!(text, "{} in all", grouped(count as u64));
        }
    }
    text
}

fn deadlocks_json(net: &Net, prefix: &Unfolder, found: &[Deadlock], is_complete: bool) -> String {
    let deadlocks: Vec<serde_json::Value> = found
        .iter()
        .map(|deadlock| {
            let (steps, marking) = names(net, prefix, deadlock);
            serde_json::json!({ "steps": steps, "marking": marking })
        })
        .collect();
    let document = serde_json::json!({ "schema": 1, "complete": is_complete, "deadlocks": deadlocks });
    format!("{document:#}\n")
}

fn convert(arguments: &ConvertNet) -> Result<Exit, Failure> {
    let net = read(&arguments.file)?.net;
    print(&match arguments.format.as_str() {
        "pnml" => format::write_pnml(&net),
        "dot" => format::write_dot(&net),
        _ => format::write_ll_net(&net),
    })?;
    Ok(Exit::Good)
}
