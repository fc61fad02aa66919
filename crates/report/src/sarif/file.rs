//! The dozen objects of SARIF 2.1.0 that a log of ours has.

use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: Vec<Run>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    pub tool: Tool,
    pub column_kind: &'static str,
    pub automation_details: AutomationDetails,
    pub invocations: Vec<Invocation>,
    pub results: Vec<Result>,
    pub properties: RunProperties,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub name: &'static str,
    pub version: &'static str,
    pub information_uri: &'static str,
    pub rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    pub id: &'static str,
    pub short_description: Message,
}

#[derive(Serialize)]
pub(super) struct AutomationDetails {
    pub id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub execution_successful: bool,
    pub tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub level: &'static str,
    pub message: Message,
}

#[derive(Serialize)]
pub(super) struct RunProperties {
    pub verdict: &'static str,
    pub runs: u64,
    pub steps: u64,
    pub threads: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Result {
    pub rule_id: &'static str,
    pub rule_index: usize,
    pub level: &'static str,
    pub message: Message,
    pub locations: Vec<Location>,
    pub related_locations: Vec<Location>,
    pub code_flows: Vec<CodeFlow>,
    pub partial_fingerprints: Fingerprints,
    pub properties: ResultProperties,
}

#[derive(Serialize)]
pub(super) struct Fingerprints {
    /// The kind and all places of the fault.
    #[serde(rename = "raddleFault/v1")]
    pub fault: String,
}

#[derive(Serialize)]
pub(super) struct ResultProperties {
    pub id: String,
    pub run: u64,
    pub preemptions: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeFlow {
    pub message: Message,
    pub thread_flows: Vec<ThreadFlow>,
}

#[derive(Serialize)]
pub(super) struct ThreadFlow {
    pub id: String,
    pub locations: Vec<ThreadFlowLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadFlowLocation {
    pub execution_order: usize,
    pub importance: &'static str,
    pub location: Location,
}

#[derive(Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<PhysicalLocation>,
    pub message: Message,
}

#[derive(Serialize, PartialEq)]
pub(super) struct Message {
    pub text: String,
}

#[derive(Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

#[derive(Serialize, PartialEq)]
pub(super) struct ArtifactLocation {
    pub uri: String,
}

#[derive(Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u32>,
}
