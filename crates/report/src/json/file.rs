//! The documents as they are written: `docs/schema/raddle-1.schema.json` in types.

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Check {
    pub schema: u32,
    pub program: String,
    pub strategy: String,
    pub verdict: &'static str,
    pub runs: u64,
    pub blocked: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guided_runs: Option<u64>,
    pub steps: u64,
    pub threads: usize,
    pub longest: usize,
    pub seconds: f64,
    pub workers: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation_reason: Option<String>,
    pub finished: bool,
    pub weaker_orders: bool,
    /// Where a loop was taken for waiting, or made to wait, without certainty that it only waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed_waiting: Option<At>,
    pub limit: Option<Limit>,
    pub estimate: Option<Estimate>,
    pub doubt: Option<Doubt>,
    pub uncontrolled: Vec<Uncontrolled>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explored: Option<Explored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub findings: Vec<Finding>,
}

#[derive(Serialize)]
pub(crate) struct FindingFile {
    pub schema: u32,
    pub program: String,
    pub strategy: String,
    pub finding: Finding,
}

#[derive(Serialize)]
pub(crate) struct Limit {
    pub kind: &'static str,
    pub at: f64,
}

#[derive(Serialize)]
pub(crate) struct Estimate {
    pub done: f64,
    pub total_runs: f64,
    pub uncertainty: f64,
}

#[derive(Serialize)]
pub(crate) struct Doubt {
    pub kind: &'static str,
    pub step: usize,
    pub before: String,
    pub now: String,
    pub at: Option<At>,
}

#[derive(Serialize)]
pub(crate) struct Uncontrolled {
    pub name: String,
    pub at: Option<At>,
    pub runs: u64,
}

#[derive(Serialize)]
pub(crate) struct Model {
    pub places: u64,
    pub transitions: u64,
    pub events: u64,
    pub conditions: u64,
    pub terminals: u64,
    pub markings: u64,
}

#[derive(Serialize)]
pub(crate) struct Coverage {
    pub pairs: u64,
    pub new_per_100_runs: f64,
    pub one_sided: Vec<OneSided>,
    pub growth: Vec<(u64, u64)>,
}

#[derive(Serialize)]
pub(crate) struct Explored {
    pub levels: u64,
    pub left_out: u64,
    pub prefixes: Vec<Prefix>,
}

#[derive(Serialize)]
pub(crate) struct Prefix {
    pub parent: Option<usize>,
    pub step: String,
    pub fate: &'static str,
    pub runs: u64,
}

#[derive(Serialize)]
pub(crate) struct OneSided {
    pub first: At,
    pub second: At,
    pub aim: String,
}

#[derive(Serialize)]
pub(crate) struct At {
    pub file: String,
    pub line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Finding {
    pub id: String,
    pub kind: &'static str,
    pub message: String,
    pub run: u64,
    pub at: Option<At>,
    pub schedule: Option<String>,
    pub replay: String,
    pub headline: String,
    pub thread: usize,
    pub steps: usize,
    pub preemptions: usize,
    pub found_steps: usize,
    pub found_preemptions: usize,
    pub threads: Vec<Thread>,
    pub notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met: Option<Met>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<Race>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadlock: Option<Deadlock>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passing: Option<Passing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Step>>,
}

#[derive(Serialize)]
pub(crate) struct Passing {
    pub tried: u64,
    pub parts_at: Option<usize>,
    pub goes_on_at: Option<usize>,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Step>>,
}

#[derive(Serialize)]
pub(crate) struct Met {
    pub times: u64,
    pub of: u64,
    pub what: &'static str,
    pub finished: bool,
}

#[derive(Serialize)]
pub(crate) struct Thread {
    pub number: usize,
    pub label: String,
    pub name: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Step {
    pub step: usize,
    pub thread: usize,
    pub text: String,
    pub at: Option<At>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preempts: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<usize>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub switch: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct Change {
    pub what: String,
    pub before: String,
    pub after: String,
}

#[derive(Serialize)]
pub(crate) struct Race {
    pub object: String,
    pub first: Access,
    pub second: Access,
}

#[derive(Serialize)]
pub(crate) struct Access {
    pub thread: usize,
    pub step: usize,
    pub writes: bool,
    pub at: Option<At>,
    pub holding: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct Deadlock {
    pub waiters: Vec<Waiter>,
    pub cycle: Vec<usize>,
}

#[derive(Serialize)]
pub(crate) struct Waiter {
    pub thread: usize,
    pub wants: String,
    pub at: Option<At>,
    pub by: Option<usize>,
    pub holds: Vec<Held>,
}

#[derive(Serialize)]
pub(crate) struct Held {
    pub object: String,
    pub since: usize,
    pub at: Option<At>,
}

#[derive(Serialize)]
pub(crate) struct Memory {
    pub size: u64,
    pub offset: i64,
    pub touched: u64,
    pub writes: bool,
    pub allocated: Option<Spot>,
    pub freed: Option<Spot>,
}

#[derive(Serialize)]
pub(crate) struct Spot {
    pub thread: usize,
    pub after_step: usize,
    pub at: Option<At>,
    pub stack: Vec<At>,
}
