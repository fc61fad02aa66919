//! What was tried and what was not, as an icicle: each prefix as wide as the runs below it.

use maud::{Markup, html};

use crate::text::{clip, count, grouped};
use crate::{Fate, Tree};

use super::clean;

const WIDTH: f64 = 1_400.0;
const LEVEL: f64 = 22.0;
/// The width of a letter, and the room at both ends of a box.
const LETTER: f64 = 7.3;
const ROOM: f64 = 10.0;
/// Narrower parts cannot be seen.
const NARROWEST: f64 = 1.0;
/// Deeper levels are not drawn.
const DEEPEST: usize = 40;
/// More parts are not drawn.
const MOST: usize = 5_000;

/// All fates with their class and words.
const FATES: [(Fate, &str, &str); 8] = [
    (Fate::Explored, "fate-explored", "tried"),
    (Fate::Found, "fate-found", "leads to a finding"),
    (Fate::Asleep, "fate-asleep", "asleep: repeats another run"),
    (Fate::BeyondBound, "fate-bound", "beyond the bound"),
    (Fate::Equivalent, "fate-equivalent", "left out: an equivalent run was made"),
    (Fate::Covered, "fate-covered", "left out: the order that it would show had been seen"),
    (Fate::NotDrawn, "fate-not-drawn", "not drawn"),
    (Fate::Waiting, "fate-waiting", "not tried yet"),
];

fn words(fate: Fate) -> (&'static str, &'static str) {
    FATES.iter().find(|(known, _, _)| *known == fate).map_or(("", ""), |(_, class, words)| (class, words))
}

struct Part {
    node: usize,
    x: f64,
    width: f64,
    level: usize,
}

pub(super) fn section(tree: &Tree) -> Markup {
    let parts = layout(tree);
    let levels = parts.iter().map(|part| part.level + 1).max().unwrap_or(0);
    let height = levels as f64 * LEVEL;
    html! {
        section id="tree" {
            h2 { "What was tried" }
            p.muted { "Every box is a decision, below the one that it continues, and as wide as the runs that begin with it. What was not followed has a box too, and its colour says why." }
            p.legend {
                @for (fate, class, words) in &FATES {
                    @if tree.nodes.iter().any(|node| node.fate == *fate) {
                        span { span class={ "swatch " (class) } {} (words) ": " (grouped(tree.nodes.iter().filter(|node| node.fate == *fate).count() as u64)) }
                    }
                }
            }
            div.scroll {
                svg."picture wide" viewBox={ "0 0 " (WIDTH) " " (format!("{height:.0}")) } width=(WIDTH) height=(format!("{height:.0}")) {
                    @for part in &parts {
                        @let node = &tree.nodes[part.node];
                        @let (class, fate) = words(node.fate);
                        g {
                            title { (clean(&node.step)) ": " (fate) ", " (count(node.runs, "run")) }
                            rect class=(class) stroke="var(--bg)" x=(format!("{:.1}", part.x)) y=(format!("{:.0}", part.level as f64 * LEVEL)) width=(format!("{:.1}", part.width)) height=(LEVEL) {}
                            @if let Some(label) = label(&node.step, part.width) {
                                text.inside x=(format!("{:.1}", part.x + 5.0)) y=(format!("{:.0}", part.level as f64 * LEVEL + 15.0)) { (label) }
                            }
                        }
                    }
                }
            }
            @if tree.left_out > 0 {
                p.muted { "The first " (count(tree.levels, "level")) " of decisions are kept; " (count(tree.left_out, "decision")) " below them " (if tree.left_out == 1 { "is" } else { "are" }) " not shown." }
            }
            @if parts.len() < tree.nodes.len() {
                p.muted { (count((tree.nodes.len() - parts.len()) as u64, "box")) " too small or too deep to be drawn." }
            }
        }
    }
}

/// What stands in a box: as much of the step as fits, at least its thread, or nothing.
fn label(step: &str, width: f64) -> Option<String> {
    let step = clean(step);
    let fits = ((width - ROOM) / LETTER).max(0.0) as usize;
    let thread = step.split(' ').next().unwrap_or_default();
    match width {
        60.0.. => Some(clip(&step, fits, "…")),
        _ if thread.chars().count() <= fits => Some(thread.to_owned()),
        _ => None,
    }
}

fn layout(tree: &Tree) -> Vec<Part> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); tree.nodes.len()];
    let mut roots = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        match node.parent {
            // Parents stand before their children, so a tree that says otherwise cannot make this go in circles.
            Some(parent) if parent < index => children[parent].push(index),
            _ => roots.push(index),
        }
    }
    let mut parts = Vec::new();
    let mut waiting = Vec::new();
    place(tree, &roots, 0.0, WIDTH, 0, &mut waiting);
    while let Some(part) = waiting.pop() {
        if part.width < NARROWEST || part.level >= DEEPEST || parts.len() >= MOST {
            continue;
        }
        place(tree, &children[part.node], part.x, part.width, part.level + 1, &mut waiting);
        parts.push(part);
    }
    parts
}

/// The part of the width that something gets that was not followed, so that it can be seen beside many runs.
const NOT_FOLLOWED: f64 = 0.03;

/// Shares the width among siblings by their runs.
fn place(tree: &Tree, nodes: &[usize], x: f64, width: f64, level: usize, parts: &mut Vec<Part>) {
    let runs: u64 = nodes.iter().map(|node| tree.nodes[*node].runs).sum();
    let weight = |node: usize| (tree.nodes[node].runs as f64).max(runs as f64 * NOT_FOLLOWED).max(1.0);
    let all: f64 = nodes.iter().map(|node| weight(*node)).sum();
    let mut x = x;
    for node in nodes {
        let share = width * weight(*node) / all;
        parts.push(Part { node: *node, x, width: share, level });
        x += share;
    }
}
