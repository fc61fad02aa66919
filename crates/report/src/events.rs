//! What happens during a check, one line of JSON each: `events.jsonl`, and what `--message-format json` prints.
//!
//! `docs/schema/raddle-events-1.schema.json` has the schema. As in the documents, keys are never renamed or removed within
//! one number; more may be added, and so may events.

mod file;

use raddle_explore::{Estimate, StrategyName};

use crate::json::{brief, estimate};
use crate::{FindingRecord, ListedRun, Record};

/// The version of the lines.
const SCHEMA: u32 = 1;

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub enum Happening<'a> {
    /// A check begins: always the first.
    Started {
        /// What is checked.
        program: &'a str,
        /// Its arguments.
        arguments: &'a [String],
        /// How it is searched.
        strategy: StrategyName,
        /// How many workers search.
        workers: usize,
        /// The version of raddle.
        version: &'a str,
        /// Seconds since 1970.
        time: u64,
        /// The folder of the check, if there is one.
        folder: Option<&'a str>,
    },
    /// So far the search has come; about once a second.
    Progress {
        /// Complete runs.
        runs: u64,
        /// Runs given up.
        blocked: u64,
        /// Events of all runs.
        steps: u64,
        /// Threads that occurred.
        threads: usize,
        /// Different findings.
        findings: usize,
        /// How much there will be.
        estimate: Option<Estimate>,
    },
    /// A run was made, if runs or traces are to be listed.
    Listed(&'a ListedRun<'a>),
    /// A finding was shrunk, kept and replayed.
    Finding(&'a FindingRecord),
    /// The check has come to its end: always the last, unless it failed.
    Ended {
        /// What it arrived at.
        record: &'a Record,
        /// The exit code of the command, if this is its only check; none if a Rust test checked.
        exit_code: Option<u8>,
    },
    /// There is no result.
    Failed {
        /// The exit code of the command.
        exit_code: u8,
        /// What the code means.
        meaning: &'a str,
        /// What is wrong.
        message: &'a str,
    },
}

/// The line for something that happened so many seconds after the beginning.
#[must_use]
pub fn event_line(seconds: f64, happening: &Happening<'_>) -> String {
    let (schema, seconds) = (SCHEMA, (seconds * 1000.0).round() / 1000.0);
    match *happening {
        Happening::Started { program, arguments, strategy, workers, version, time, folder } => {
            let (event, strategy) = ("started", strategy.as_str());
            line(&file::Started {
                schema,
                event,
                seconds,
                program,
                arguments,
                strategy,
                workers,
                version,
                time,
                folder,
            })
        }
        Happening::Progress { runs, blocked, steps, threads, findings, estimate: expected } => {
            let (event, estimate) = ("progress", expected.map(estimate));
            line(&file::Progress {
                schema,
                event,
                seconds,
                runs,
                blocked,
                steps,
                threads,
                findings,
                estimate,
            })
        }
        Happening::Listed(run) => {
            let turn = |(thread, steps): (raddle_trace::ThreadId, usize)| file::Turn {
                thread: thread.index(),
                steps,
            };
            let turns = run.turns().map(turn).collect();
            let ending = run.how();
            line(&file::Listed { schema, event: "listed", seconds, run: run.number, ending, turns })
        }
        Happening::Finding(finding) => {
            line(&file::Found { schema, event: "finding", seconds, finding: brief(finding) })
        }
        Happening::Ended { record, exit_code } => line(&file::Ended {
            schema,
            event: "ended",
            seconds,
            verdict: record.verdict.word(),
            exit_code,
            runs: record.reached.runs,
            blocked: record.reached.blocked,
            steps: record.reached.steps,
            threads: record.reached.threads,
            findings: record.findings.iter().map(|finding| finding.id.as_str()).collect(),
            resume: record.resume.as_deref(),
        }),
        Happening::Failed { exit_code, meaning, message } => {
            let error = file::Refusal { exit_code, meaning, message: message.trim() };
            line(&file::Failed { schema, event: "failed", seconds, error })
        }
    }
}

fn line(value: &impl serde::Serialize) -> String {
    // Only maps with keys that are no strings, and failing implementations, cannot be written; there are none here.
    serde_json::to_string(value).expect("bug in raddle: an event cannot be written as JSON") + "\n"
}
