//! The outcomes of a program: every way in which runs came out, and how many traces each.

use raddle_detect::{Finding, FindingKind};
use raddle_explore::{Guarantee, Reached};
use raddle_trace::{Ending, Place};
use serde::Serialize;

use crate::sanitise::sanitise;
use crate::summary::stopped_by;
use crate::text::{clip, count, grouped, keyed, pad, width};
use crate::{Face, Style, ending};

/// More outcomes are not shown, unless everything is to be seen.
const MOST_LINES: usize = 30;
/// The widest text that says how runs end.
const WIDEST_END: usize = 48;
/// The widest value that is shown whole.
const WIDEST_VALUE: usize = 16;

/// What the runs of a program came to.
#[derive(Clone, Debug)]
pub struct Outcomes<'a> {
    /// The program.
    pub program: &'a str,
    /// How far the search came.
    pub reached: &'a Reached,
    /// The variables whose values tell outcomes apart.
    pub names: Vec<String>,
    /// The outcomes.
    pub all: Vec<OneOutcome>,
    /// Runs with outcomes that were not kept.
    pub others: u64,
}

/// One of the ways in which runs came out.
#[derive(Clone, Debug)]
pub struct OneOutcome {
    /// What was found, if anything was.
    pub finding: Option<Finding>,
    /// How the runs ended.
    pub ending: Ending,
    /// What the variables held at the end; nothing if the process was gone.
    pub values: Vec<String>,
    /// How many runs.
    pub runs: u64,
    /// How many different traces, if they could be told apart.
    pub traces: Option<u64>,
    /// The first such run.
    pub first: u64,
}

impl OneOutcome {
    fn times(&self) -> u64 {
        self.traces.unwrap_or(self.runs)
    }

    /// How the runs end, in a few words.
    fn end(&self) -> String {
        let Some(finding) = &self.finding else {
            return ending::without_finding(self.ending);
        };
        let message = finding.message.lines().next().unwrap_or_default();
        let what = match (finding.kind, ending::condition(message)) {
            (FindingKind::Assertion, Some(condition)) => format!("assertion `{condition}` failed"),
            (kind, _) => kind.word().replace('-', " "),
        };
        match (finding.place.file(), finding.place.line()) {
            (Some(file), Some(line)) => format!("{what}, {}:{line}", file.rsplit('/').next().unwrap_or(file)),
            _ => what,
        }
    }
}

impl Outcomes<'_> {
    fn traces(&self) -> Option<u64> {
        self.all.iter().map(|outcome| outcome.traces).sum::<Option<u64>>().filter(|_| self.others == 0)
    }

    /// Whether these are all that there are.
    fn is_complete(&self) -> bool {
        let reached = self.reached;
        reached.finished
            && reached.guarantee == Some(Guarantee::All)
            && reached.doubt.is_none()
            && self.others == 0
    }

    /// What may be claimed.
    fn claim(&self) -> String {
        let seen = match self.traces() {
            Some(traces) => count(traces, "trace"),
            None => count(self.reached.runs, "run"),
        };
        let number = format!("{} in {seen}", count(self.all.len() as u64, "outcome"));
        if let (Some(Guarantee::Within(bound)), true) = (self.reached.guarantee, self.reached.finished) {
            let bound = count(u64::from(bound), "pre-emption");
            return format!("{number}; there may be others with more than {bound}");
        }
        match (self.reached.limit, &self.reached.doubt) {
            (_, Some(_)) => {
                format!("{number}; there may be others, because the program is not under control")
            }
            _ if self.is_complete() => {
                format!("{number}; every interleaving was covered, so there are no others")
            }
            (Some(limit), None) => {
                format!("{number}; there may be others: {}", stopped_by(limit, Face::Command))
            }
            (None, None) => format!("{number}; there may be others: this is a sample"),
        }
    }

    /// The variables whose values differ; of a single outcome, all.
    fn telling(&self) -> Vec<usize> {
        let value = |outcome: &OneOutcome, index: usize| outcome.values.get(index).cloned();
        let differs = |index: &usize| {
            self.all.len() == 1
                || self.all.iter().any(|other| value(other, *index) != value(&self.all[0], *index))
        };
        (0..self.names.len()).filter(differs).collect()
    }

    /// In the order in which they are shown: what went well first, then by how often.
    fn sorted(&self) -> Vec<&OneOutcome> {
        let mut sorted: Vec<&OneOutcome> = self.all.iter().collect();
        sorted.sort_by_key(|one| (one.finding.is_some(), std::cmp::Reverse(one.times()), one.first));
        sorted
    }
}

/// The outcomes as text: a table with a line for each.
#[must_use]
pub fn outcomes(outcomes: &Outcomes<'_>, style: &Style) -> String {
    let symbols = style.symbols();
    let clean = |text: &str, most: usize| clip(&sanitise(text, style), most, symbols.cut);
    let unit = if outcomes.traces().is_some() { "traces" } else { "runs" };
    let sorted = outcomes.sorted();
    let most = if style.full { usize::MAX } else { MOST_LINES };
    let mut columns: Vec<Vec<String>> = Vec::new();
    let column = |head: &str, cell: &dyn Fn(&OneOutcome) -> String| -> Vec<String> {
        std::iter::once(head.to_owned()).chain(sorted.iter().take(most).map(|one| cell(one))).collect()
    };
    columns.push(column(unit, &|one| grouped(one.times())));
    columns.push(column("ends", &|one| clean(&one.end(), WIDEST_END)));
    let wide = |column: &[String]| column.iter().map(|cell| width(cell)).max().unwrap_or(0);
    let mut room = style.columns().saturating_sub(columns.iter().map(|column| wide(column) + 2).sum());
    let mut left_out = 0;
    for index in outcomes.telling() {
        let value = |one: &OneOutcome| {
            one.values.get(index).map_or_else(|| "?".to_owned(), |value| clean(value, WIDEST_VALUE))
        };
        let cells = column(&clean(&outcomes.names[index], WIDEST_VALUE), &value);
        match room.checked_sub(wide(&cells) + 2) {
            Some(rest) => {
                room = rest;
                columns.push(cells);
            }
            None => left_out += 1,
        }
    }
    let mut lines = table(&columns, symbols.rule);
    let hidden = sorted.len().saturating_sub(most);
    if hidden > 0 {
        lines.push(format!("  {} {} more, with --full", symbols.cut, grouped(hidden as u64)));
    }
    lines.push(String::new());
    lines.extend(keyed("outcomes", &outcomes.claim(), style.columns()));
    if left_out > 0 {
        let note = format!(
            "{} differ and do not fit; --wide and --format json have them",
            count(left_out, "more variable")
        );
        lines.extend(keyed("note", &note, style.columns()));
    }
    if outcomes.names.is_empty() {
        let note = "the program has no static variables that debug information describes, so only its endings are told apart";
        lines.extend(keyed("note", note, style.columns()));
    }
    lines.join("\n") + "\n"
}

/// Columns side by side: numbers to the right, words to the left.
fn table(columns: &[Vec<String>], rule: char) -> Vec<String> {
    let height = columns.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        columns.iter().map(|column| column.iter().map(|cell| width(cell)).max().unwrap_or(0)).collect();
    let row = |line: usize| {
        let cells = columns.iter().zip(&widths).enumerate().map(|(number, (column, wide))| {
            if number == 1 { pad(&column[line], *wide) } else { format!("{:>wide$}", column[line]) }
        });
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
    };
    let rules: Vec<String> = widths.iter().map(|wide| rule.to_string().repeat(*wide)).collect();
    let mut lines = vec![row(0), format!("  {}", rules.join("  "))];
    lines.extend((1..height).map(row));
    lines
}

/// The outcomes as one JSON document.
#[must_use]
pub fn outcomes_json(outcomes: &Outcomes<'_>) -> String {
    let at = |place: Place| Some(At { file: place.file()?.to_owned(), line: place.line()? });
    let one = |one: &&OneOutcome| File {
        ends: one.end(),
        kind: one.finding.as_ref().map(|finding| finding.kind.word()),
        at: one.finding.as_ref().and_then(|finding| at(finding.place)),
        values: outcomes.names.iter().cloned().zip(one.values.iter().cloned()).collect(),
        runs: one.runs,
        traces: one.traces,
        first_run: one.first,
    };
    let document = Document {
        schema: crate::json::SCHEMA,
        program: outcomes.program.to_owned(),
        runs: outcomes.reached.runs,
        traces: outcomes.traces(),
        complete: outcomes.is_complete(),
        outcomes: outcomes.sorted().iter().map(one).collect(),
        other_runs: outcomes.others,
    };
    // Only maps with keys that are no strings, and failing implementations, cannot be written; there are none here.
    serde_json::to_string_pretty(&document).expect("bug in raddle: outcomes cannot be written as JSON") + "\n"
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    program: String,
    runs: u64,
    traces: Option<u64>,
    complete: bool,
    outcomes: Vec<File>,
    other_runs: u64,
}

#[derive(Serialize)]
struct File {
    ends: String,
    kind: Option<&'static str>,
    at: Option<At>,
    values: std::collections::BTreeMap<String, String>,
    runs: u64,
    traces: Option<u64>,
    first_run: u64,
}

#[derive(Serialize)]
struct At {
    file: String,
    line: u32,
}
