//! What is special to a race, a deadlock and a wrong use of memory.

use maud::{Markup, html};
use raddle_detect::{Access, Block, Finding, Waiter};
use raddle_trace::{Kind, ObjectId, Place, ThreadId};

use crate::calls::Entered;
use crate::words::Words;
use crate::{deadlock, ending, memory as blocks, race as races};

use super::source::Sources;

fn code(place: Place, sources: &Sources) -> Markup {
    html! { @if let Some(text) = sources.text(place) { pre { (text) } } }
}

pub(super) fn race(
    object: ObjectId,
    first: &Access,
    second: &Access,
    words: &Words<'_>,
    sources: &Sources,
    entered: &Entered,
) -> Markup {
    html! {
        div.cards {
            @for access in [first, second] {
                div class=(if access.writes { "card strong" } else { "card" }) {
                    h3 { (words.thread(access.thread)) }
                    p { (races::with_place(access, words)) }
                    (code(access.place, sources))
                    @for call in entered.stack(access.event) { p.muted { (call) } }
                }
            }
        }
        p { (races::reason(first, second, words)) }
        p { (races::help(object, words)) }
    }
}

pub(super) fn memory(finding: &Finding, block: &Block, words: &Words<'_>, sources: &Sources) -> Markup {
    let spots = [&block.allocated, &block.freed].into_iter().flatten();
    html! {
        div.cards {
            div."card strong" {
                h3 { "access" }
                p { (words.thread(finding.thread)) " " (blocks::access(block)) ", " (words.files.named(finding.place)) }
                (code(finding.place, sources))
            }
            @for (spot, (key, text)) in spots.zip(blocks::history(block, words)) {
                div.card { h3 { (key) } p { (text) } (code(spot.place, sources)) }
            }
        }
    }
}

pub(super) fn deadlock(waiters: &[Waiter], cycle: &[ThreadId], words: &Words<'_>) -> Markup {
    let nothing = words.symbols.nothing;
    html! {
        div.cards {
            @if !cycle.is_empty() { div."card strong" { h3 { "Who waits for whom" } (circle(waiters, cycle, words)) } }
            div.card {
                h3 { "Who holds and wants what" }
                div.scroll { table.plain {
                    tr { th { "thread" } th { "holds" } th { "wants" } th { "at" } }
                    @for waiter in deadlock::ordered(waiters, cycle) {
                        tr {
                            td { (words.thread(waiter.thread)) }
                            td {
                                @for (object, since, place) in &waiter.holds {
                                    div { (words.object(*object)) " " span.muted { "since step " (since + 1) ", " (words.files.named(*place)) } }
                                }
                                @if waiter.holds.is_empty() { (nothing) }
                            }
                            td { (ending::wants(waiter, words)) }
                            td { (words.files.named(waiter.place)) }
                        }
                    }
                } }
                @for hint in deadlock::hints(waiters, cycle, words) { p { "hint: " (hint) } }
            }
        }
    }
}

/// The circle as a picture: threads on a ring, each with an arrow to the one it waits for.
fn circle(waiters: &[Waiter], cycle: &[ThreadId], words: &Words<'_>) -> Markup {
    let (width, height) = (620.0, 120.0 + 46.0 * cycle.len() as f64);
    let (middle_x, middle_y) = (width / 2.0, height / 2.0);
    let (radius_x, radius_y) = (if cycle.len() > 2 { 210.0 } else { 0.0 }, height / 2.0 - 30.0);
    let at = |index: usize| {
        let angle = std::f64::consts::TAU * index as f64 / cycle.len() as f64 - std::f64::consts::FRAC_PI_2;
        (middle_x + radius_x * angle.cos(), middle_y + radius_y * angle.sin())
    };
    let wants = |thread: &ThreadId| {
        let waiter = waiters.iter().find(|waiter| waiter.thread == *thread)?;
        let verb = if waiter.kind == Kind::Join { "joins" } else { "wants" };
        Some(format!("{verb} {}", ending::wants(waiter, words)))
    };
    html! {
        svg.picture role="img" aria-label=(deadlock::circle(waiters, cycle, words).join("; ")) viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) {
            defs { marker id="wait" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" { path class="tip" d="M0 0 L8 4 L0 8 z" {} } }
            @for index in 0..cycle.len() {
                @let (x1, y1) = at(index);
                @let (x2, y2) = at((index + 1) % cycle.len());
                @let bend = if cycle.len() > 2 { 0.0 } else { 110.0 * if index == 0 { 1.0 } else { -1.0 } };
                path class="wire bad" marker-end="url(#wait)" d=(wire(x1, y1, x2, y2, bend)) {}
            }
            @for (index, thread) in cycle.iter().enumerate() {
                @let (x, y) = at(index);
                @let (x2, y2) = at((index + 1) % cycle.len());
                @let bend = if cycle.len() > 2 { 0.0 } else { 132.0 * if index == 0 { 1.0 } else { -1.0 } };
                // Beside a bent line there is room outside, at a straight one over its middle, and above one that is flat.
                @let above = if bend == 0.0 && (y2 - y).abs() < 30.0 { 8.0 } else { 0.0 };
                @let side = if bend > 0.0 { "start" } else if bend < 0.0 { "end" } else { "middle" };
                @if let Some(wants) = wants(thread) {
                    text."faint label" x=(format!("{:.0}", (x + x2) / 2.0 + bend)) y=(format!("{:.0}", (y + y2) / 2.0 - above)) text-anchor=(side) { (wants) }
                }
                rect.shape x=(format!("{:.0}", x - 80.0)) y=(format!("{:.0}", y - 14.0)) width="160" height="28" rx="6" {}
                text x=(format!("{x:.0}")) y=(format!("{:.0}", y + 4.0)) text-anchor="middle" { (words.thread(*thread)) }
            }
        }
    }
}

/// A line between two boxes that starts and ends at their rims.
fn wire(x1: f64, y1: f64, x2: f64, y2: f64, bend: f64) -> String {
    let down = (y2 - y1).signum();
    let (from, to) = (y1 + 15.0 * down, y2 - 16.0 * down);
    if bend == 0.0 {
        let across = (x2 - x1).signum();
        let steep = (y2 - y1).abs() > 30.0;
        let (from_x, to_x) = if steep { (x1, x2) } else { (x1 + 82.0 * across, x2 - 82.0 * across) };
        let (from, to) = if steep { (from, to) } else { (y1, y2) };
        return format!("M{from_x:.0} {from:.0} L{to_x:.0} {to:.0}");
    }
    // A thread that waits for itself has nowhere to go but around.
    if (x1 - x2).abs() + (y1 - y2).abs() < 1.0 {
        return format!("M{:.0} {y1:.0} q 60 -40 0 12", x1 + 80.0);
    }
    let side = bend.signum() * 40.0;
    format!(
        "M{:.0} {from:.0} C{:.0} {:.0} {:.0} {:.0} {:.0} {to:.0}",
        x1 + side,
        x1 + side + bend,
        y1 + 60.0 * down,
        x2 + side + bend,
        y2 - 60.0 * down,
        x2 + side
    )
}
