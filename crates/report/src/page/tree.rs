//! What was tried and what was not, as an icicle: each prefix as wide as the runs below it, and a run that begins with it.

use maud::{Markup, html};

use crate::text::{clip, count, grouped};
use crate::{Fate, Tree};

use super::anchor::tree_anchor;
use super::clean;
use super::tried::{self, Shown};

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
/// The most bytes of one part.
const LARGEST_PART: usize = 500;

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

/// The tree and its runs, in so many bytes at most.
pub(super) fn section(tree: &Tree, room: usize) -> Markup {
    let parts = layout(tree, room / 2 / LARGEST_PART);
    let levels = parts.iter().map(|part| part.level + 1).max().unwrap_or(0);
    let height = levels as f64 * LEVEL;
    let shown = Shown::of(tree, room.saturating_sub(parts.len() * LARGEST_PART));
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
            (tried::keys())
            div.scroll {
                svg."picture wide tried" viewBox={ "0 0 " (WIDTH) " " (format!("{height:.0}")) } width=(WIDTH) height=(format!("{height:.0}")) role="group" aria-label="the tree of decisions" {
                    @for part in &parts { (drawn(tree, part, &shown)) }
                }
            }
            @if tree.left_out > 0 {
                p.muted { "The first " (count(tree.levels, "level")) " of decisions are kept; " (count(tree.left_out, "decision")) " below them " (if tree.left_out == 1 { "is" } else { "are" }) " not shown." }
            }
            @if parts.len() < tree.nodes.len() {
                p.muted { (count((tree.nodes.len() - parts.len()) as u64, "decision")) " too small or too deep to be drawn." }
            }
            (tried::data(tree, &shown))
        }
    }
}

/// One box: a link to itself, which the script answers with its run.
fn drawn(tree: &Tree, part: &Part, shown: &Shown) -> Markup {
    let node = &tree.nodes[part.node];
    let (class, fate) = words(node.fate);
    let name = tree_anchor(part.node);
    let (x, y) = (format!("{:.1}", part.x), part.level as f64 * LEVEL);
    html! {
        a id=(name) href={ "#" (name) } data-parent=[node.parent] data-before=(node.before) data-run=[shown.of_node(tree, part.node)]
            data-followed=[node.shown.map(|_| "1")]
        {
            title { (clean(&node.step)) ": " (fate) ", " (count(node.runs, "run")) }
            rect class=(class) stroke="var(--bg)" x=(x) y=(format!("{y:.0}")) width=(format!("{:.1}", part.width)) height=(LEVEL) {}
            @if let Some(label) = label(&node.step, part.width) {
                text.inside x=(format!("{:.1}", part.x + 5.0)) y=(format!("{:.0}", y + 15.0)) { (label) }
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

fn layout(tree: &Tree, most: usize) -> Vec<Part> {
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
        if part.width < NARROWEST || part.level >= DEEPEST || parts.len() >= most.min(MOST) {
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
