//! A run that passes beside the one that shows the finding, row by row, and where they part.
//!
//! It is a part of the page that opens by itself, without a script: `a` only presses the same button.

use maud::{Markup, html};

use crate::cells::cell;
use crate::passing::{Beside, Row, instead, same_step, sentence};
use crate::text::{clip, count};
use crate::words::Words;
use crate::{FindingRecord, ending};

use super::anchor::step_anchor;

/// Steps before the parting that are shown.
const BEFORE: usize = 3;
/// Columns of what a step does; the rest can be seen in the lanes.
const WIDEST: usize = 60;

/// Both runs, or why there is only one; nothing if no other was looked for.
pub(super) fn section(
    found: &FindingRecord,
    words: &Words<'_>,
    beside: Option<&Beside<'_>>,
    is_shown: &dyn Fn(usize) -> bool,
    anchor: &str,
) -> Markup {
    let Some(beside) = beside else {
        let why = sentence(words, &found.fact, found.passing.as_ref());
        return html! { @if let Some(why) = why { p.muted { "A run that passes: " (why) "." } } };
    };
    let view = View { words, beside, is_shown, anchor };
    html! {
        details.beside id={ (anchor) "/passing" } {
            summary { "A run that passes parts at step " (beside.parts + 1) span.muted { ": " (instead(words, beside)) } }
            div.scroll {
                table.plain {
                    tr { th { "thread" } th colspan="2" { "this run" } th colspan="2" { "a run that passes" } th { "where" } }
                    (view.shared())
                    tr.parts { th colspan="6" { "They part here." } }
                    @for row in &beside.rows { (view.row(*row)) }
                    (view.ends(found))
                }
            }
        }
    }
}

struct View<'a> {
    words: &'a Words<'a>,
    beside: &'a Beside<'a>,
    /// Whether the lanes show the step of this event.
    is_shown: &'a dyn Fn(usize) -> bool,
    anchor: &'a str,
}

impl View<'_> {
    /// The last steps that both have.
    fn shared(&self) -> Markup {
        let (parts, goes_on) = (self.beside.parts, self.beside.goes_on);
        let shown = BEFORE.min(parts).min(goes_on);
        let last = parts - shown;
        html! {
            @if last > 0 {
                tr.same { td colspan="6" { @match last { 1 => "Step 1 is", 2 => "Steps 1 and 2 are", _ => { "Steps 1 to " (last) " are" } } " the same in both." } }
            }
            @for before in (1..=shown).rev() { (self.row(Row::Both(parts - before, goes_on - before))) }
        }
    }

    fn row(&self, row: Row) -> Markup {
        let (here, there) = match row {
            Row::Both(here, there) => (Some(here), Some(there)),
            Row::Here(here) => (Some(here), None),
            Row::There(there) => (None, Some(there)),
        };
        let (words, others) = (self.words, &self.beside.words);
        let texts = (here.map(|here| text(words, here)), there.map(|there| text(others, there)));
        let differ = here.is_some() && there.is_some() && texts.0 != texts.1;
        let event = here.map(|here| &words.run.events[here]);
        let Some(event) = event.or(there.map(|there| &others.run.events[there])) else { return html! {} };
        let class = match row {
            Row::Both(..) if differ => "differs",
            Row::Both(here, _) if here < self.beside.parts => "same",
            _ => "",
        };
        html! {
            tr class=(class) {
                td { (words.thread(event.thread)) }
                td.number { @if let Some(here) = here { (self.link(here)) } }
                td.does { @if let Some(text) = texts.0 { (text) } @else { (elsewhere(there, others, words)) } }
                td.number { @if let Some(there) = there { (there + 1) } }
                td.does { @if let Some(text) = texts.1 { (text) } @else { (elsewhere(here, words, others)) } }
                td.muted { (words.files.place(event.place)) }
            }
        }
    }

    /// The number of a step, which leads to it.
    fn link(&self, event: usize) -> Markup {
        let switch = self.words.run.events[event].preempts.then_some(self.words.symbols.switch);
        html! {
            @if let Some(switch) = switch { (switch) " " }
            @if (self.is_shown)(event) { a href={ "#" (step_anchor(self.anchor, event + 1)) } { (event + 1) } } @else { (event + 1) }
        }
    }

    /// How each of them ends.
    fn ends(&self, found: &FindingRecord) -> Markup {
        let last = ending::last_rows(&found.fact, self.words);
        let (here, there) = self.beside.left_out;
        let more = |left_out: usize| {
            (left_out > 0).then(|| format!("and {} more; ", count(left_out as u64, "step")))
        };
        html! {
            tr.end {
                td {}
                td {}
                td.bad {
                    @if let Some(more) = more(here) { (more) }
                    @for row in &last { div { (self.words.thread(row.thread)) " " (clip(&row.text, WIDEST, self.words.symbols.cut)) } }
                    @if last.is_empty() { (ending::sentence(&found.fact, self.words)) }
                }
                td {}
                td.good { @if let Some(more) = more(there) { (more) } "passes: comes to its end, nothing is wrong" }
                td {}
            }
        }
    }
}

/// Where the other run takes the same step, if it does.
fn elsewhere(event: Option<usize>, words: &Words<'_>, others: &Words<'_>) -> Markup {
    let same = event.and_then(|event| same_step(&words.run.events, event, &others.run.events));
    html! { @if let Some(same) = same { span.muted { "at step " (same + 1) } } }
}

fn text(words: &Words<'_>, event: usize) -> String {
    clip(&cell(words, event), WIDEST, words.symbols.cut)
}
