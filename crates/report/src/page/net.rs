//! A net or its unfolding as a picture, in layers from top to bottom.

use maud::{Markup, html};

use crate::text::{clip, count, width};
use crate::{Graph, Node, Shape};

use super::clean;

/// The width of a letter, and what a column has besides its longest label.
const LETTER: f64 = 7.3;
const BESIDE: f64 = 46.0;
/// Longer labels are cut; the whole one is shown where the mouse rests.
const LONGEST_LABEL: usize = 30;
const LAYER: f64 = 70.0;
/// Larger nets are not drawn: nobody would see anything.
const MOST: usize = 600;
/// How often the nodes of a layer are put below the middle of what leads to them.
const PASSES: usize = 4;

pub(super) fn section(net: &Graph, number: usize) -> Markup {
    let id = if number == 0 { "net".to_owned() } else { format!("net-{number}") };
    html! {
        section id=(id) {
            h2 { (if net.title.is_empty() { "The net".to_owned() } else { clean(&net.title) }) }
            @if net.nodes.len() > MOST {
                p.muted { (count(net.nodes.len() as u64, "node")) ": too many to be drawn; `raddle nets` exports them" }
            } @else { (picture(net)) }
            @if net.left_out > 0 { p.muted { (count(net.left_out, "node")) " left out" } }
        }
    }
}

fn picture(net: &Graph) -> Markup {
    let label = |node: &Node| clip(&clean(&node.label), LONGEST_LABEL, "…");
    let longest = net.nodes.iter().map(|node| width(&label(node))).max().unwrap_or(0);
    let column = BESIDE + longest as f64 * LETTER;
    let at = layout(net, column);
    let width = at.iter().map(|(x, _)| *x).fold(0.0, f64::max) + column;
    let height = at.iter().map(|(_, y)| *y).fold(0.0, f64::max) + LAYER;
    let known = |node: &usize| *node < net.nodes.len();
    html! {
        div.scroll {
            svg.picture role="img" aria-label="net" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) {
                defs { marker id="flow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto" { path class="tip" d="M0 0 L8 4 L0 8 z" {} } }
                @for (from, to) in net.edges.iter().filter(|(from, to)| known(from) && known(to)) {
                    @let ((x1, y1), (x2, y2)) = (at[*from], at[*to]);
                    @let down = if y2 >= y1 { 1.0 } else { -1.0 };
                    path.wire marker-end="url(#flow)" d=(format!("M{x1:.0} {:.0} L{x2:.0} {:.0}", y1 + 13.0 * down, y2 - 14.0 * down)) {}
                }
                @for (node, (x, y)) in net.nodes.iter().zip(&at) {
                    g {
                        title { (clean(&node.label)) }
                        @match node.shape {
                            Shape::Circle | Shape::Marked => {
                                circle.shape cx=(x) cy=(y) r="12" {}
                                @if node.shape == Shape::Marked { circle cx=(x) cy=(y) r="5" fill="var(--text)" {} }
                            }
                            Shape::Box | Shape::Terminal => {
                                rect class=(if node.shape == Shape::Terminal { "shape bad" } else { "shape" }) x=(x - 14.0) y=(y - 12.0) width="28" height="24" {}
                            }
                        }
                        text.over x=(x + 18.0) y=(y + 4.0) { (label(node)) }
                    }
                }
            }
        }
    }
}

/// Where every node is: its layer is one below the lowest of those that lead to it; cycles are cut where they close.
fn layout(net: &Graph, column: f64) -> Vec<(f64, f64)> {
    let count = net.nodes.len();
    let mut layer = vec![0_usize; count];
    for _ in 0..count {
        let mut moved = false;
        for (from, to) in net.edges.iter().filter(|(from, to)| from < to && *to < count) {
            if layer[*to] <= layer[*from] {
                layer[*to] = layer[*from] + 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let layers = layer.iter().max().map_or(0, |deepest| deepest + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); layers];
    (0..count).for_each(|node| rows[layer[node]].push(node));
    let mut position = vec![0.0; count];
    let place = |rows: &[Vec<usize>], position: &mut Vec<f64>| {
        for row in rows {
            row.iter().enumerate().for_each(|(at, node)| position[*node] = at as f64);
        }
    };
    place(&rows, &mut position);
    for _ in 0..PASSES {
        for row in &mut rows {
            let middle = |node: usize| {
                let before: Vec<f64> = net
                    .edges
                    .iter()
                    .filter(|(from, to)| *to == node && *from < count)
                    .map(|(from, _)| position[*from])
                    .collect();
                if before.is_empty() {
                    position[node]
                } else {
                    before.iter().sum::<f64>() / before.len() as f64
                }
            };
            row.sort_by(|a, b| middle(*a).total_cmp(&middle(*b)));
        }
        place(&rows, &mut position);
    }
    (0..count).map(|node| (30.0 + position[node] * column, 30.0 + layer[node] as f64 * LAYER)).collect()
}
