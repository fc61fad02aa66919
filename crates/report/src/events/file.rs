//! The lines as they are written: `docs/schema/raddle-events-1.schema.json` in types.

use serde::Serialize;

use crate::json::{EstimateFile, FindingObject};

#[derive(Serialize)]
pub(super) struct Started<'a> {
    pub schema: u32,
    pub event: &'static str,
    pub seconds: f64,
    pub program: &'a str,
    pub arguments: &'a [String],
    pub strategy: &'a str,
    pub workers: usize,
    pub version: &'a str,
    pub time: u64,
    pub folder: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct Progress {
    pub schema: u32,
    pub event: &'static str,
    pub seconds: f64,
    pub runs: u64,
    pub blocked: u64,
    pub steps: u64,
    pub threads: usize,
    pub findings: usize,
    pub estimate: Option<EstimateFile>,
}

#[derive(Serialize)]
pub(super) struct Found {
    pub schema: u32,
    pub event: &'static str,
    pub seconds: f64,
    pub finding: FindingObject,
}

#[derive(Serialize)]
pub(super) struct Listed {
    pub schema: u32,
    pub event: &'static str,
    pub seconds: f64,
    pub run: u64,
    pub ending: &'static str,
    pub turns: Vec<Turn>,
}

#[derive(Serialize)]
pub(super) struct Turn {
    pub thread: usize,
    pub steps: usize,
}

#[derive(Serialize)]
pub(super) struct Ended<'a> {
    pub schema: u32,
    pub event: &'static str,
    pub seconds: f64,
    pub verdict: &'static str,
    pub exit_code: Option<u8>,
    pub runs: u64,
    pub blocked: u64,
    pub steps: u64,
    pub threads: usize,
    pub findings: Vec<&'a str>,
    pub resume: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct Failed<'a> {
    pub schema: u32,
    pub event: &'static str,
    pub seconds: f64,
    pub error: Refusal<'a>,
}

#[derive(Serialize)]
pub(super) struct Refusal<'a> {
    pub exit_code: u8,
    pub meaning: &'a str,
    pub message: &'a str,
}
