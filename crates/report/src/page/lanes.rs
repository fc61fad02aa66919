//! One lane per thread, time downwards, arrows for happens-before.
//!
//! All rows have the same height and all lanes a known width, so the arrows can be computed here, and the page needs no
//! script to show them. Rows come in chunks, each with its piece of the lanes and arrows. Of a long run all chunks but the
//! first stand in `noscript`: who has no scripts sees them as they are, and the script brings each one in when it comes
//! near, so that a run of ten thousand steps opens like a short one.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use raddle_detect::Detail;
use raddle_trace::ThreadId;

use crate::calls::Entered;
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
/// More rows on one page would make it larger than five megabytes: those in the middle are left out.
const MOST_ROWS: usize = 10_000;
/// However many findings share a page, so many rows of each are shown.
const FEWEST_ROWS: usize = 200;
/// An arrow over more chunks than this is drawn in the first and the last of them only.
const LONGEST: usize = 4;
/// Values that changed most recently before a chunk; the panel shows no more.
const RECENT: usize = 12;
/// Chunks of the first finding that are there at once.
const AT_ONCE: usize = 3;
/// Rows that are laid out together, or not at all while they are far away.
const CHUNK: usize = 100;

struct Layout {
    threads: Vec<ThreadId>,
    widths: Vec<usize>,
}

impl Layout {
    fn new(words: &Words<'_>, steps: &[StoryStep], last: &[Row], entered: &Entered) -> Layout {
        let mut threads: Vec<ThreadId> = steps.iter().map(|step| step.thread).collect();
        threads.extend(last.iter().map(|row| row.thread));
        threads.sort_unstable();
        threads.dedup();
        let mut widths: Vec<usize> = threads.iter().map(|thread| width(&words.thread(*thread))).collect();
        let texts = steps.iter().map(|step| (step.thread, step.text.as_str()));
        let texts = texts.chain(last.iter().map(|row| (row.thread, row.text.as_str())));
        let texts = texts.map(|(thread, text)| (thread, width(text)));
        let names = steps.iter().filter_map(|step| Some((step.thread, entered.width(step.number - 1)?)));
        for (thread, width) in texts.chain(names) {
            if let Ok(lane) = threads.binary_search(&thread) {
                widths[lane] = widths[lane].max(width);
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
pub(super) fn shown(count: usize, findings: usize) -> Vec<usize> {
    let most = (MOST_ROWS / findings.max(1)).max(FEWEST_ROWS);
    if count <= most {
        return (0..count).collect();
    }
    (0..most / 2).chain(count - most / 2..count).collect()
}

/// What of a finding is shown.
pub(super) struct Shown<'a> {
    /// The steps, by number of event.
    pub rows: &'a [usize],
    /// Whether it is the first finding of the page.
    pub is_first: bool,
    /// The event at which a run that passes parts.
    pub parts: Option<usize>,
    /// The calls that its steps lie in.
    pub entered: &'a Entered,
}

pub(super) fn lanes(
    found: &FindingRecord,
    words: &Words<'_>,
    steps: &[StoryStep],
    sources: &Sources,
    anchor: &str,
    Shown { rows, is_first, parts, entered }: Shown<'_>,
) -> Markup {
    let last = ending::last_rows(&found.fact, words);
    let layout = Layout::new(words, steps, &last, entered);
    let weights = weights(words.run, &[]);
    let left_out = steps.len() - rows.len();
    let view = View { found, words, steps, sources, anchor, layout: &layout, parts, entered };
    let drawing = Drawing::new(words, steps, &layout, rows);
    let mut before = Before::default();
    html! {
        (widths(&layout, anchor))
        div.lanes tabindex="0" role="group" aria-label="the run, one lane per thread" data-calls=[entered.told()] {
            div.sheet {
                @if is_first { (TIP) }
                (head(words, &layout))
                @for (number, chunk) in rows.chunks(CHUNK).enumerate() {
                    @let rows = html! {
                        (drawing.chunk(number, chunk.len()))
                        @for row in chunk { (view.row(*row, weights[*row] < Weight::Shared)) }
                    };
                    @let told = before.next(&layout, steps, chunk);
                    @let error = chunk.iter().any(|row| view.is_error(*row));
                    div.chunk style={ "height:" (chunk.len() * ROW) "px" } data-first=(steps[chunk[0]].number) data-count=(chunk.len())
                        data-before=[told] data-error=[error.then_some("1")]
                    {
                        @if number < AT_ONCE && is_first || rows_fit(steps.len(), number) { (rows) } @else { noscript { (rows) } }
                    }
                }
                @for row in &last { (failing(words, &layout, row)) }
            }
        }
        @if left_out > 0 { p.muted { (count(left_out as u64, "step")) " in the middle left out; finding.json has them all" } }
    }
}

/// Whether a chunk of a run of so many steps is there at once: a short run needs no waiting.
fn rows_fit(steps: usize, chunk: usize) -> bool {
    steps <= AT_ONCE * CHUNK || chunk == 0
}

/// What had changed and who held what before a chunk: what the panel needs besides the chunk itself.
#[derive(Default)]
struct Before<'a> {
    /// What, before, after; the most recent last.
    values: Vec<(&'a str, &'a str, &'a str)>,
    /// For each thread that has gone, what it holds.
    held: BTreeMap<usize, String>,
}

impl<'a> Before<'a> {
    /// As the script reads it; nothing before the first chunk.
    fn told(&self) -> Option<String> {
        let recent = &self.values[self.values.len().saturating_sub(RECENT)..];
        let held: Vec<_> = self.held.iter().filter(|(_, holds)| !holds.is_empty()).collect();
        let told = serde_json::json!({ "values": recent, "held": held });
        (!recent.is_empty() || !held.is_empty()).then(|| told.to_string())
    }

    /// What stands before a chunk; then its steps are taken into account.
    fn next(&mut self, layout: &Layout, steps: &'a [StoryStep], chunk: &[usize]) -> Option<String> {
        let told = self.told();
        for step in chunk.iter().map(|row| &steps[*row]) {
            if let Some(change) = &step.change {
                self.values.retain(|(what, ..)| *what != change.what);
                self.values.push((&change.what, &change.before, &change.after));
            }
            self.held.insert(layout.lane(step.thread), step.holds.join(", "));
        }
        let old = self.values.len().saturating_sub(RECENT);
        self.values.drain(..old);
        told
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
    parts: Option<usize>,
    entered: &'a Entered,
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
            a class=(class) id=(name) href={ "#" (name) }
                data-lane=(self.layout.lane(step.thread)) data-source=[self.sources.anchor(step.place, self.anchor)]
                data-what=[change.map(|change| &change.what)] data-before=[change.map(|change| &change.before)]
                data-after=[change.map(|change| &change.after)] data-call=[self.entered.of_step(index)] data-error=[self.is_error(index).then_some("1")]
            {
                span.step {
                    @if step.preempts { (words.symbols.switch) " " }
                    (step.number)
                }
                span class={ "cell in" (self.layout.lane(step.thread)) } { b { (step.text) } }
                span.where { (words.files.place(step.place)) }
                span.note { (self.note(step, self.parts == Some(index))) }
            }
        }
    }

    /// What the other columns do not say.
    fn note(&self, step: &StoryStep, parts: bool) -> Markup {
        let read = self.words.symbols.read;
        html! {
            @if !step.comment.is_empty() { i.comment { (step.comment) } }
            @if parts { i.parts { "a run that passes parts here" } }
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

/// The lines of the threads, what they hold, their steps, and the arrows between them, in pieces.
struct Drawing<'a> {
    words: &'a Words<'a>,
    steps: &'a [StoryStep],
    layout: &'a Layout,
    rows: &'a [usize],
    /// For each step the number of its row.
    heights: Vec<usize>,
    /// For each lane, its first and its last row.
    spans: Vec<Option<(usize, usize)>>,
    /// For each lane, the stretches of rows in which its thread holds something, and what.
    held: Vec<Vec<(usize, usize, String)>>,
    /// For each chunk, the arrows that have a part in it, from which step to which.
    arrows: Vec<Vec<(usize, usize)>>,
}

impl<'a> Drawing<'a> {
    fn new(
        words: &'a Words<'a>,
        steps: &'a [StoryStep],
        layout: &'a Layout,
        rows: &'a [usize],
    ) -> Drawing<'a> {
        let heights = heights(steps.len(), rows);
        let mut spans = vec![None; layout.threads.len()];
        let mut held = vec![Vec::new(); layout.threads.len()];
        let mut last: Vec<Option<usize>> = vec![None; layout.threads.len()];
        let mut arrows = vec![Vec::new(); rows.len().div_ceil(CHUNK)];
        for (row, step) in rows.iter().enumerate() {
            let lane = layout.lane(steps[*step].thread);
            let span = spans[lane].get_or_insert((row, row));
            span.1 = row;
            if let Some(before) = last[lane].replace(*step)
                && !steps[before].holds.is_empty()
            {
                hold(&mut held[lane], heights[before], row, steps[before].holds.join(", "));
            }
            for from in steps[*step].after.iter().map(|before| before - 1) {
                let (first, end) = (heights[from] / CHUNK, row / CHUNK);
                let pieces: Vec<usize> =
                    if end - first <= LONGEST { (first..=end).collect() } else { vec![first, end] };
                for piece in pieces {
                    arrows[piece].push((from, *step));
                }
            }
        }
        Drawing { words, steps, layout, rows, heights, spans, held, arrows }
    }

    /// What stands behind the rows of a chunk.
    fn chunk(&self, number: usize, rows: usize) -> Markup {
        let first = number * CHUNK;
        let (width, height) = (NUMBERS + self.layout.all(), rows * ROW);
        let own = &self.rows[first..first + rows];
        // Rows above and below are beyond the edges, which cut off what lies there.
        let middle = |row: usize| (row as isize - first as isize) * ROW as isize + ROW as isize / 2;
        let inside = |from: usize, to: usize| from < first + rows && to >= first;
        html! {
            svg.order aria-hidden="true" width=(width) height=(height) {
                @for (lane, thread) in self.layout.threads.iter().enumerate() {
                    @let across = self.layout.across(*thread);
                    @if let Some((from, to)) = self.spans[lane].filter(|(from, to)| inside(*from, *to)) {
                        path.lane d={ "M" (across) " " (middle(from).max(-EDGE)) "V" (middle(to).min(height as isize + EDGE)) } {}
                    }
                    @for (from, to, holds) in self.held[lane].iter().filter(|(from, to, _)| inside(*from, *to)) {
                        path.held d={ "M" (across) " " (middle(*from).max(-EDGE)) "V" (middle(*to).min(height as isize + EDGE)) } {
                            title { (self.words.thread(*thread)) " holds " (holds) }
                        }
                    }
                }
                g.arrows {
                    @for (from, to) in &self.arrows[number] {
                        path data-from=(from + 1) data-to=(to + 1) marker-end="url(#tip)"
                            d=(arrow(self.layout.across(self.steps[*from].thread), middle(self.heights[*from]), self.layout.across(self.steps[*to].thread), middle(self.heights[*to]))) {}
                    }
                }
                @for thread in &self.layout.threads {
                    @let dots = self.dots(own, first, *thread);
                    @if !dots.is_empty() { path.rim d=(dots) {} path.dot d=(dots) {} }
                }
                @for (row, step) in own.iter().enumerate().filter(|(_, step)| self.steps[**step].preempts) {
                    circle.switch cx=(self.layout.across(self.steps[*step].thread)) cy=(middle(first + row)) r="4" {}
                }
            }
        }
    }

    /// The dots of one thread in one line of its own: strokes without length, drawn with round ends.
    fn dots(&self, rows: &[usize], first: usize, thread: ThreadId) -> String {
        let own = |step: usize| self.steps[step].thread == thread && !self.steps[step].preempts;
        let across = self.layout.across(thread);
        let dot = |step: &usize| format!("M{across} {}h0", (self.heights[*step] - first) * ROW + ROW / 2);
        rows.iter().filter(|step| own(**step)).map(dot).collect()
    }
}

/// How far a line goes beyond the edge of its chunk.
const EDGE: isize = 2;

/// The tip of the arrows, outside of all chunks: what is far away is not there for the others.
const TIP: PreEscaped<&str> = PreEscaped(
    r#"<svg class="order" aria-hidden="true" width="0" height="0"><defs><marker id="tip" class="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L8 4 L0 8 z"></path></marker></defs></svg>"#,
);

/// A stretch in which a thread holds something; one that goes on where the one before ended is the same.
fn hold(stretches: &mut Vec<(usize, usize, String)>, from: usize, to: usize, holds: String) {
    match stretches.last_mut() {
        Some((_, end, known)) if *end == from && *known == holds => *end = to,
        _ => stretches.push((from, to, holds)),
    }
}

/// From one dot down between the rows, across, and down beside the other lane to its dot: never over text.
fn arrow(x1: usize, y1: isize, x2: usize, y2: isize) -> String {
    let beside = x2.saturating_sub(9);
    let between = y1 + ROW as isize / 2;
    format!("M{x1} {} V{between} H{beside} V{y2} H{}", y1 + 4, x2.saturating_sub(5))
}
