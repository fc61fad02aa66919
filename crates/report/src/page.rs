//! The page: one HTML file that opens from disk, without network, and is whole without scripts.
//!
//! Everything is static: tables, lanes, arrows and source are in the document, and the script only follows the step that
//! is looked at. Text is escaped by construction (`maud`), after it has been made harmless like all text of the program
//! under test; a content security policy allows our script alone.

mod anchor;
mod beside;
mod cards;
mod coverage;
mod lanes;
mod net;
mod source;
mod story_view;
mod tree;
mod tried;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::sanitise::sanitise;
use crate::text::{count, grouped};
use crate::{Record, Style, summary};
use anchor::anchor;

pub(crate) const CSS: &str = include_str!("page/page.css");
/// One function, so that nothing of it is there for others.
pub(crate) const SCRIPT: &str = concat!(
    "(function () {\n'use strict';\n",
    include_str!("page/tried.js"),
    include_str!("page/folds.js"),
    include_str!("page/page.js"),
    "})();\n"
);
/// The SHA-256 of the script, by which the policy knows it; a test keeps it right.
pub(crate) const SCRIPT_HASH: &str = "hFUFfKRxgg+jAXa7lDrbKMaQA73eL4nn/xIewAsQzIQ=";

/// A page has no more bytes than this; what does not fit is left out, and the page says so.
const LARGEST: usize = 5_000_000;
/// What everything needs that is neither a finding nor the tree of what was tried.
const FOR_THE_REST: usize = 300_000;

/// Text of the program, made harmless; escaping for HTML comes on top.
pub(crate) fn clean(text: &str) -> String {
    sanitise(text, &Style::default())
}

/// The record as one HTML page; `source` gives the contents of a source file.
#[must_use]
pub fn page(record: &Record, source: &dyn Fn(&str) -> Option<String>) -> String {
    let program = clean(&record.program);
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'"
    );
    let findings: Vec<Markup> = record
        .findings
        .iter()
        .enumerate()
        .map(|(index, found)| story_view::finding_section(found, index, record.findings.len(), source))
        .collect();
    let taken: usize = findings.iter().map(|finding| finding.0.len()).sum();
    let room = LARGEST.saturating_sub(taken + FOR_THE_REST);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content="raddle";
                title { (badge(record).1) ": " (program) " – raddle" }
                style { (PreEscaped(CSS)) }
            }
            body {
                (header(record, &program))
                main {
                    (overview(record))
                    @for finding in &findings { (finding) }
                    @if let Some(tree) = &record.tree { (tree::section(tree, room)) }
                    @if let Some(coverage) = &record.coverage { (coverage::section(coverage)) }
                    @for (number, net) in record.nets.iter().enumerate() { (net::section(net, number)) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The class and the word of the verdict.
fn badge(record: &Record) -> (&'static str, &'static str) {
    match record.verdict.word() {
        "failed" => ("fail", "FAIL"),
        "stopped" => ("warn", "INCOMPLETE"),
        "untrusted" => ("warn", "UNTRUSTED"),
        _ => ("pass", "PASS"),
    }
}

fn header(record: &Record, program: &str) -> Markup {
    let (class, word) = badge(record);
    html! {
        header {
            h1 { "raddle" }
            span class={ "badge " (class) } { (word) }
            span.program { (program) }
            nav aria-label="parts of the page" {
                a href="#summary" { "summary" }
                @for (index, found) in record.findings.iter().enumerate() {
                    a href={ "#" (anchor(&found.id, index)) } { (clean(&found.id)) }
                }
                @if record.tree.is_some() { a href="#tree" { "what was tried" } }
                @if record.coverage.is_some() { a href="#coverage" { "coverage" } }
                @if !record.nets.is_empty() { a href="#net" { "net" } }
            }
        }
    }
}

fn overview(record: &Record) -> Markup {
    let reached = &record.reached;
    html! {
        section id="summary" {
            h2 { "Summary" }
            pre { (summary(&record.summary(), &Style::default())) }
            dl.facts {
                dt { "program" } dd { (clean(&record.program)) }
                dt { "strategy" } dd { (record.strategy.to_string()) }
                dt { "runs" } dd { (grouped(reached.runs)) @if reached.blocked > 0 { ", and " (grouped(reached.blocked)) " given up because they could only repeat others" } }
                dt { "steps" } dd { (grouped(reached.steps)) ", the longest run " (grouped(reached.longest as u64)) }
                dt { "threads" } dd { (reached.threads) }
                dt { "time" } dd { (format!("{:.1} s", record.seconds)) ", " (count(record.workers as u64, "worker")) }
                @if let Some(kept) = &record.isolation { dt { "kept apart" } dd { (kept.how) ": " (clean(&kept.why)) } }
                dt { "made by" } dd { "raddle " (env!("CARGO_PKG_VERSION")) " on " (std::env::consts::OS) ", " (std::env::consts::ARCH) }
                @if let Some(command) = &record.command { dt { "again" } dd { code { (clean(command)) } } }
            }
            @if !record.findings.is_empty() { (findings(record)) }
            @if !record.uncontrolled.is_empty() { (uncontrolled(record)) }
            @if let Some(model) = record.model {
                h3 { "The net" }
                dl.facts {
                    dt { "net" } dd { (count(model.places, "place")) ", " (count(model.transitions, "transition")) }
                    dt { "unfolding" } dd { (count(model.events, "event")) ", " (count(model.conditions, "condition")) ", " (count(model.terminals, "terminal")) }
                    dt { "markings" } dd { (grouped(model.markings)) }
                }
            }
        }
    }
}

fn findings(record: &Record) -> Markup {
    html! {
        h3 { "Findings" }
        div.scroll {
            table.plain {
                tr { th { "id" } th { "kind" } th { "what" } th { "run" } th { "steps" } th { "pre-emptions" } th { "see it again" } }
                @for (index, found) in record.findings.iter().enumerate() {
                    tr {
                        td { a href={ "#" (anchor(&found.id, index)) } { (clean(&found.id)) } }
                        td { (found.fact.kind.word()) }
                        td { (story_view::headline(found)) }
                        td { (grouped(found.found_in_run)) }
                        td { (grouped(found.fact.length(&found.run) as u64)) }
                        td { (found.preemptions) }
                        td { code { (clean(&found.replay)) } }
                    }
                }
            }
        }
    }
}

fn uncontrolled(record: &Record) -> Markup {
    html! {
        h3 { "Not under control" }
        table.plain {
            tr { th { "call" } th { "where" } th { "in runs" } }
            @for call in &record.uncontrolled {
                tr { td { code { (clean(&call.name)) } } td { (clean(&call.place.to_string())) } td { (grouped(call.runs)) " of " (grouped(record.reached.runs)) } }
            }
        }
    }
}
