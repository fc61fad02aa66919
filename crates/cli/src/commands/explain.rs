//! `raddle explain`: an exit code or a word of a report, at length.

mod outcomes;

use raddle_explore::StrategyName;

use crate::arguments::Explain;
use crate::commands::replay;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::print;
use crate::store::{self, Stored};
use crate::suggest::suggestion;

/// What can be explained besides numbers.
const TOPICS: [&str; 3] = ["scope", "limits", "strategies"];

/// Explains.
pub(crate) fn run(arguments: &Explain) -> Result<Exit, Failure> {
    if arguments.outcomes {
        return outcomes::run(arguments);
    }
    let [topic] = arguments.topics.as_slice() else {
        return Err(Failure::usage("one thing at a time can be explained: give one id, exit code or word"));
    };
    let topic = topic.as_str();
    let out = store::out(arguments.out.as_deref());
    let text = match topic {
        "scope" => SCOPE.to_owned(),
        "limits" => LIMITS.to_owned(),
        "strategies" => strategies(),
        _ => match topic.parse::<u8>().ok().and_then(Exit::from_code) {
            Some(exit) => {
                let advice = raddle_report::wrapped(exit.advice(), arguments.view.style().width);
                format!("exit code {}: {}\n\n{advice}\n", exit.code(), exit.meaning())
            }
            None => match store::folder_given(&out, topic) {
                Ok((folder, _)) => match store::of_rust(&folder) {
                    // What a test has told cannot be made again here.
                    Some((text, _)) => text,
                    None => finding(&store::find(&out, topic)?, arguments)?,
                },
                Err(failure) if topic.contains('/') => return Err(failure),
                Err(_) => return Err(unknown(topic)),
            },
        },
    };
    print(&text)?;
    Ok(Exit::Good)
}

/// A finding at length: made again, and told step by step.
fn finding(stored: &Stored, arguments: &Explain) -> Result<String, Failure> {
    let plan = replay::plan(stored, None)?;
    let (mut record, sources) = replay::made_again(&plan, stored, None)?;
    replay::add_passing(&mut record, &plan, stored);
    let style = arguments.view.style();
    let texts = record
        .findings
        .iter()
        .map(|finding| raddle_report::explain(&finding.view(), &style, &|file| sources.read(file)));
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

fn unknown(topic: &str) -> Failure {
    let codes = Exit::ALL.map(|exit| exit.code().to_string()).join(", ");
    Failure::usage(format!(
        "there is nothing to explain about `{topic}`{} there are the ids of findings, the exit codes {codes}, and {}",
        suggestion(topic, &TOPICS),
        TOPICS.join(", ")
    ))
}

fn strategies() -> String {
    let mut text = "What can be tried (--strategy NAME), and what may be claimed at the end.\n\n".to_owned();
    for name in StrategyName::ALL {
        text.push_str(&format!("  {:<20}  {}\n", name.as_str(), about(name.as_str())));
    }
    text
}

/// A strategy in a few words.
fn about(strategy: &str) -> &'static str {
    match strategy {
        "every" => "every schedule, without reduction: all",
        "random" => "uniformly random threads: a sample",
        "pct" => "random priorities with a few random changes (--bound): a sample",
        "pos" => "partial order sampling: a sample",
        "surw" => "selectively uniform random walk: a sample",
        "preemption-bound" => "every schedule with at most --bound pre-emptions: all within the bound",
        "dpor" => "partial order reduction by Flanagan and Godefroid: all",
        "dpor-sleep" => "the same with sleep sets: all",
        "dpor-cr" => "with reads that commute: all",
        "dpor-cr-sleep" => "with reads that commute, and sleep sets: all",
        "optimal-dpor" => "source sets and wake-up trees, each trace once: all",
        "hapset" => {
            "guided to orders of two lines that no run has shown (--hapset, --aim, --context): a sample"
        }
        "auto" => {
            "optimal-dpor if the budget will do, else guided and sampled; the default: all, or a sample"
        }
        "stateful-naive" => "a Petri net that is learned from runs, its markings: all reachable local states",
        "unfolding" => "the unfolding of that net, with cut-offs; all local states and deadlocks",
        "unfolding-stateless" => "the unfolding without cut-offs; all local states and deadlocks",
        _ => "see the book",
    }
}

const SCOPE: &str = "\
What a verdict covers.

  exhausted         every order of the operations that raddle controls, up to
                    swapping independent ones, under sequential consistency, for
                    these inputs
  exhausted-within  the same, for schedules with at most --bound pre-emptions
  sampled           as many runs as were asked for; nothing is said of the others
  stopped           what was run until the limit; nothing is said of the rest
  failed            the finding happened, and its schedule makes it happen again
  untrusted         nothing: the program did something that raddle does not control

Never covered: other inputs, signals, and weak memory. Orders weaker than
sequentially consistent are taken for it; data races on plain variables are judged
by the real orders, so a program without races that uses only sequentially
consistent atomics is covered completely.
";

const LIMITS: &str = "\
What raddle does not control.

  signals, fork, pthread_cancel, and calls that block outside the C library: the
      verdict is `untrusted` and names them
  objects that were not compiled by `raddle cc`: their memory accesses are not
      seen; the verdict names them
  weak memory: see raddle explain scope
  threads: at most 128 in one search
";
