//! `raddle nets`: the unfolding of a Petri net from a file.

use raddle_nets::{Limits, Net, Order, Unfolder, format};
use raddle_report::grouped;

use crate::arguments::Nets;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::print;

/// Deadlocks that are shown.
const MOST_DEADLOCKS: usize = 10;

/// Reads a net, unfolds it, and says or writes what came out.
pub(crate) fn run(arguments: &Nets) -> Result<Exit, Failure> {
    let shown = arguments.file.display();
    let bytes = std::fs::read(&arguments.file)
        .map_err(|error| Failure::usage(format!("could not read {shown}: {error}")))?;
    let source = format::read(&bytes).map_err(|error| Failure::usage(format!("{shown}:{error}")))?;
    let net = &source.net;
    match arguments.write.as_deref() {
        Some("dot") => return written(&format::write_dot(net)),
        Some("pnml") => return written(&format::write_pnml(net)),
        Some("ll_net") => return written(&format::write_ll_net(net)),
        _ => {}
    }
    let order: Order =
        arguments.order.parse().map_err(|error| Failure::usage(format!("--order: {error}")))?;
    let limits = Limits { events: arguments.max_events, ..Limits::default() };
    let mut unfolder = Unfolder::of_net(net, order, limits);
    if let Err(stop) = unfolder.complete() {
        return Err(match source.explain(&stop) {
            Some(error) => Failure::usage(format!("{shown}:{error}")),
            None => Failure { exit: Exit::Incomplete, text: format!("{shown}: {stop} (--max-events)") },
        });
    }
    if arguments.write.as_deref() == Some("prefix-dot") {
        return written(&format::write_prefix_dot(net, &unfolder));
    }
    written(&sizes(net, &unfolder))
}

fn written(text: &str) -> Result<Exit, Failure> {
    print(text)?;
    Ok(Exit::Good)
}

fn sizes(net: &Net, unfolder: &Unfolder) -> String {
    let number = |count: usize| grouped(count as u64);
    let mut text = format!(
        "net      {} places, {} transitions\nprefix   {} conditions, {} events, {} of them cut-offs\n",
        number(unfolder.place_count()),
        number(unfolder.transition_count()),
        number(unfolder.condition_count()),
        number(unfolder.event_count()),
        number(unfolder.cut_off_count()),
    );
    let mut count = 0;
    for deadlock in unfolder.deadlocks() {
        let Ok(deadlock) = deadlock else {
            text.push_str("deadlock the search was given up; there may be more\n");
            return text;
        };
        count += 1;
        if count > MOST_DEADLOCKS {
            text.push_str("deadlock …and more\n");
            return text;
        }
        let names: Vec<&str> = deadlock
            .configuration
            .iter()
            .map(|event| net.transition_name(unfolder.transition(*event)))
            .collect();
        text.push_str(&format!(
            "deadlock after {}\n",
            if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
        ));
    }
    if count == 0 {
        text.push_str("deadlock none\n");
    }
    text
}
