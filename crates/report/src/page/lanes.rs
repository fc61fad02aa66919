//! One lane per thread, time downwards, arrows for happens-before.
//!
//! All rows have the same height and all lanes a known width, so the arrows can be computed here, and the page needs no
//! script to show them.

use maud::{Markup, PreEscaped, html};
use raddle_detect::Detail;
use raddle_trace::ThreadId;

use crate::columns::Row;
use crate::fold::{Weight, weights};
use crate::story::StoryStep;
use crate::text::{count, width};
use crate::words::Words;
use crate::{FindingRecord, ending};

use super::anchor::step_anchor;
use super::source::Sources;

/// The height of a row; the style sheet has the same number.
const ROW: usize = 26;
/// The width of a letter of the rows.
const LETTER: usize = 8;
/// The column of step numbers; the style sheet has the same number.
const NUMBERS: usize = 64;
/// Where in its lane a thread's line is.
const INSET: usize = 18;
const NARROWEST: usize = 110;
const WIDEST: usize = 330;
/// More rows would make the page slow and large: those in the middle are left out.
const MOST_ROWS: usize = 20_000;
/// More arrows are not drawn.
const MOST_ARROWS: usize = 3_000;
/// Rows that are laid out together, or not at all while they are far away.
const CHUNK: usize = 100;

struct Layout {
    threads: Vec<ThreadId>,
    widths: Vec<usize>,
}

impl Layout {
    fn new(words: &Words<'_>, steps: &[StoryStep], last: &[Row]) -> Layout {
        let mut threads: Vec<ThreadId> = steps.iter().map(|step| step.thread).collect();
        threads.extend(last.iter().map(|row| row.thread));
        threads.sort_unstable();
        threads.dedup();
        let mut widths: Vec<usize> = threads.iter().map(|thread| width(&words.thread(*thread))).collect();
        let texts = steps.iter().map(|step| (step.thread, step.text.as_str()));
        for (thread, text) in texts.chain(last.iter().map(|row| (row.thread, row.text.as_str()))) {
            if let Ok(lane) = threads.binary_search(&thread) {
                widths[lane] = widths[lane].max(width(text));
            }
        }
        let widths = widths.iter().map(|letters| (letters * LETTER + 56).clamp(NARROWEST, WIDEST)).collect();
        Layout { threads, widths }
    }

    fn lane(&self, thread: ThreadId) -> usize {
        self.threads.binary_search(&thread).unwrap_or(0)
    }

    /// Where the line of a thread is, from the left.
    fn across(&self, thread: ThreadId) -> usize {
        NUMBERS + self.widths[..self.lane(thread)].iter().sum::<usize>() + INSET
    }

    fn all(&self) -> usize {
        self.widths.iter().sum()
    }
}

/// Which steps are shown: all, or the first and the last of very many.
fn shown(count: usize) -> Vec<usize> {
    if count <= MOST_ROWS {
        return (0..count).collect();
    }
    (0..MOST_ROWS / 2).chain(count - MOST_ROWS / 2..count).collect()
}

pub(super) fn lanes(
    found: &FindingRecord,
    words: &Words<'_>,
    steps: &[StoryStep],
    sources: &Sources,
    anchor: &str,
    index: usize,
) -> Markup {
    let last = ending::last_rows(&found.fact, words);
    let layout = Layout::new(words, steps, &last);
    let weights = weights(words.run, &[]);
    let rows = shown(steps.len());
    let left_out = steps.len() - rows.len();
    let view = View { found, words, steps, sources, anchor, layout: &layout, short: index == 0 };
    let heights: Vec<usize> = heights(steps.len(), &rows);
    html! {
        (widths(&layout, anchor))
        div.lanes tabindex="0" role="group" aria-label="the run, one lane per thread" {
            div.sheet {
                (head(words, &layout))
                (order(words, steps, &layout, &rows, &heights, last.len()))
                @for chunk in rows.chunks(CHUNK) {
                    div.chunk style={ "contain-intrinsic-size:auto " (chunk.len() * ROW) "px" } {
                        @for row in chunk { (view.row(*row, weights[*row] < Weight::Shared)) }
                    }
                }
                @for row in &last { (failing(words, &layout, row)) }
            }
        }
        @if rows.iter().map(|step| steps[*step].after.len()).sum::<usize>() > MOST_ARROWS {
            p.muted { "only the first " (count(MOST_ARROWS as u64, "arrow")) " are drawn; finding.json has them all" }
        }
        @if left_out > 0 { p.muted { (count(left_out as u64, "step")) " in the middle left out; finding.json has them all" } }
    }
}

/// For each step the number of its row; a step that is left out has that of the one before.
fn heights(count: usize, rows: &[usize]) -> Vec<usize> {
    let mut heights = vec![0; count];
    let mut next = 0;
    for (step, height) in heights.iter_mut().enumerate() {
        if rows.get(next) == Some(&step) {
            next += 1;
        }
        *height = next.saturating_sub(1);
    }
    heights
}

fn head(words: &Words<'_>, layout: &Layout) -> Markup {
    html! {
        div.head {
            span.step { "step" }
            @for (thread, width) in layout.threads.iter().zip(&layout.widths) {
                span.thread style={ "width:" (width) "px" } { (words.thread(*thread)) }
            }
            span.where { "where" }
            span.note { "what else" }
        }
    }
}

/// Where the text of each lane starts.
fn widths(layout: &Layout, anchor: &str) -> Markup {
    let all = layout.all();
    let rule = |lane: usize| {
        let before: usize = layout.widths[..lane].iter().sum();
        format!("[id=\"{anchor}\"] .in{lane}{{width:{all}px;padding-left:{}px}}", before + INSET + 12)
    };
    let rules: String = (0..layout.widths.len()).map(rule).collect();
    // An anchor has letters, digits and hyphens only, so the rules cannot end early.
    html! { style { (PreEscaped(rules)) } }
}

struct View<'a> {
    found: &'a FindingRecord,
    words: &'a Words<'a>,
    steps: &'a [StoryStep],
    sources: &'a Sources,
    anchor: &'a str,
    layout: &'a Layout,
    /// Whether its steps can be linked to without the id of the finding.
    short: bool,
}

impl View<'_> {
    fn row(&self, index: usize, quiet: bool) -> Markup {
        let (step, words) = (&self.steps[index], self.words);
        let mut class = "row".to_owned();
        for (is, name) in [
            (step.preempts, " switch"),
            (quiet && !step.preempts, " quiet"),
            (step.change.is_some(), " changes"),
        ] {
            if is {
                class.push_str(name);
            }
        }
        let change = step.change.as_ref();
        let name = step_anchor(self.anchor, step.number);
        html! {
            a class=(class) id=(name) href={ "#" (name) } data-step=(step.number)
                data-lane=(self.layout.lane(step.thread)) data-source=[self.sources.anchor(step.place, self.anchor)]
                data-what=[change.map(|change| &change.what)] data-before=[change.map(|change| &change.before)]
                data-after=[change.map(|change| &change.after)] data-error=[self.is_error(index).then_some("1")]
            {
                span.step id=[self.short.then(|| format!("step-{}", step.number))] {
                    @if step.preempts { (words.symbols.switch) " " }
                    (step.number)
                }
                span class={ "cell in" (self.layout.lane(step.thread)) } { b { (step.text) } }
                span.where { (words.files.place(step.place)) }
                span.note { (self.note(step)) }
            }
        }
    }

    /// What the other columns do not say.
    fn note(&self, step: &StoryStep) -> Markup {
        let read = self.words.symbols.read;
        html! {
            @if !step.comment.is_empty() { i.comment { (step.comment) } }
            @if let Some(change) = &step.change { i { (change.what) ": " (change.before) " " (read) " " (change.after) } }
            @if !step.holds.is_empty() { i { "holds " span.holds { (step.holds.join(", ")) } } }
            @if !step.switch.is_empty() { i.why { (step.switch) } }
        }
    }

    /// Whether this is the step where it first goes wrong.
    fn is_error(&self, index: usize) -> bool {
        match &self.found.fact.detail {
            Detail::Race { first, second, .. } => index == first.event.max(second.event),
            _ => index + 1 == self.steps.len(),
        }
    }
}

fn failing(words: &Words<'_>, layout: &Layout, row: &Row) -> Markup {
    html! {
        div."row fails" {
            span.step {}
            span class={ "cell in" (layout.lane(row.thread)) } { b { (row.text) } }
            span.where { (words.files.place(row.place)) }
        }
    }
}

/// The lines of the threads, what they hold, their steps, and the arrows between them.
fn order(
    words: &Words<'_>,
    steps: &[StoryStep],
    layout: &Layout,
    rows: &[usize],
    heights: &[usize],
    last: usize,
) -> Markup {
    let middle = |step: usize| heights[step] * ROW + ROW / 2;
    let (width, height) = (NUMBERS + layout.all(), (rows.len() + last) * ROW);
    let arrows: Vec<(usize, usize)> = rows
        .iter()
        .flat_map(|step| steps[*step].after.iter().map(move |before| (before - 1, *step)))
        .take(MOST_ARROWS)
        .collect();
    html! {
        svg.order aria-hidden="true" width=(width) height=(height) {
            defs { marker id="tip" class="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto" { path d="M0 0 L8 4 L0 8 z" {} } }
            @for thread in &layout.threads {
                @let own: Vec<usize> = rows.iter().copied().filter(|step| steps[*step].thread == *thread).collect();
                @if let (Some(first), Some(end)) = (own.first(), own.last()) {
                    line.lane x1=(layout.across(*thread)) x2=(layout.across(*thread)) y1=(middle(*first)) y2=(middle(*end)) {}
                    @for (from, to, holds) in held(steps, &own) {
                        line.held x1=(layout.across(*thread)) x2=(layout.across(*thread)) y1=(middle(from)) y2=(middle(to)) {
                            title { (words.thread(*thread)) " holds " (holds) }
                        }
                    }
                }
            }
            g.arrows {
                @for (from, to) in &arrows {
                    path data-from=(from + 1) data-to=(to + 1) marker-end="url(#tip)"
                        d=(arrow(layout.across(steps[*from].thread), middle(*from), layout.across(steps[*to].thread), middle(*to))) {}
                }
            }
            @for thread in &layout.threads {
                @let dots = dots(rows, |step| steps[step].thread == *thread && !steps[step].preempts, layout.across(*thread), middle);
                path.rim d=(dots) {}
                path.dot d=(dots) {}
            }
            @for step in rows.iter().filter(|step| steps[**step].preempts) {
                circle.switch cx=(layout.across(steps[*step].thread)) cy=(middle(*step)) r="4" {}
            }
        }
    }
}

/// The dots of one thread in one line of its own: strokes without length, drawn with round ends.
fn dots(
    rows: &[usize],
    own: impl Fn(usize) -> bool,
    across: usize,
    middle: impl Fn(usize) -> usize,
) -> String {
    rows.iter().filter(|step| own(**step)).map(|step| format!("M{across} {}h0", middle(*step))).collect()
}

/// The stretches in which a thread holds something: from which of its steps to which, and what.
fn held(steps: &[StoryStep], own: &[usize]) -> Vec<(usize, usize, String)> {
    let mut stretches: Vec<(usize, usize, String)> = Vec::new();
    for pair in own.windows(2) {
        if !steps[pair[0]].holds.is_empty() {
            stretches.push((pair[0], pair[1], steps[pair[0]].holds.join(", ")));
        }
    }
    stretches
}

/// From one dot down between the rows, across, and down beside the other lane to its dot: never over text.
fn arrow(x1: usize, y1: usize, x2: usize, y2: usize) -> String {
    let beside = x2.saturating_sub(9);
    let between = y1 + ROW / 2;
    format!("M{x1} {} V{between} H{beside} V{y2} H{}", y1 + 4, x2.saturating_sub(5))
}
