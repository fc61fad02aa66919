//! How the number of pairs in the HaPSets grew (Wang, Said, Gupta 2011): flat means that little new comes.

use maud::{Markup, html};

use crate::text::grouped;
use crate::{Coverage, Line};

use super::clean;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 30.0;

/// Pairs that the page lists; the JSON has them all.
const MOST_PAIRS: usize = 200;

pub(super) fn section(coverage: &Coverage) -> Markup {
    html! {
        section id="coverage" {
            h2 { "Coverage" }
            dl.facts {
                dt { "pairs of statements" } dd { (grouped(coverage.pairs)) }
                dt { "new" } dd { (coverage.new_per_100_runs) " in the last 100 runs" }
                dt { "one order only" } dd { (grouped(coverage.one_sided.len() as u64)) }
            }
            @if coverage.growth.len() > 1 { (curve(&coverage.growth)) }
            @if !coverage.one_sided.is_empty() {
                table.plain {
                    thead { tr { th { "seen first" } th { "seen later, never before it" } th { "try the other order" } } }
                    tbody {
                        @for (first, second) in coverage.one_sided.iter().take(MOST_PAIRS) {
                            tr {
                                td { code { (clean(&first.file)) ":" (first.line) } }
                                td { code { (clean(&second.file)) ":" (second.line) } }
                                td { code { "--aim " (clean(&Line::aim(second, first))) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn curve(growth: &[(u64, u64)]) -> Markup {
    let runs = growth.iter().map(|(runs, _)| *runs).max().unwrap_or(1).max(1) as f64;
    let pairs = growth.iter().map(|(_, pairs)| *pairs).max().unwrap_or(1).max(1) as f64;
    let x = |value: u64| LEFT + (WIDTH - LEFT - 10.0) * value as f64 / runs;
    let y = |value: u64| 10.0 + (HEIGHT - BOTTOM - 10.0) * (1.0 - value as f64 / pairs);
    // Between two points nothing was added.
    let mut points: Vec<String> = Vec::with_capacity(2 * growth.len());
    let mut before = None;
    for (runs, pairs) in growth {
        points.extend(before.map(|before| format!("{:.1},{:.1}", x(*runs), y(before))));
        points.push(format!("{:.1},{:.1}", x(*runs), y(*pairs)));
        before = Some(*pairs);
    }
    let last = growth.last().copied().unwrap_or_default();
    html! {
        svg.picture role="img" aria-label={ "pairs over runs, up to " (grouped(last.1)) } viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) {
            line.axis x1=(LEFT) x2=(LEFT) y1="10" y2=(HEIGHT - BOTTOM) {}
            line.axis x1=(LEFT) x2=(WIDTH - 10.0) y1=(HEIGHT - BOTTOM) y2=(HEIGHT - BOTTOM) {}
            text.faint x=(LEFT - 8.0) y="20" text-anchor="end" { (grouped(pairs as u64)) }
            text.faint x=(LEFT - 8.0) y=(HEIGHT - BOTTOM) text-anchor="end" { "0" }
            text.faint x=(WIDTH - 10.0) y=(HEIGHT - 8.0) text-anchor="end" { (grouped(runs as u64)) " runs" }
            text.faint x=(LEFT) y=(HEIGHT - 8.0) { "pairs over runs" }
            polyline.curve points=(points.join(" ")) {}
        }
    }
}
