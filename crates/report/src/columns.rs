//! The schedule as a table with one column per thread.

use std::ops::Range;

use raddle_detect::Finding;
use raddle_trace::{Kind, Place, ThreadId};

use crate::cells::cell;
use crate::comments::comments;
use crate::fold::{Line, Weight, fold, weights};
use crate::grid::{GAP, shrink};
use crate::text::{clip, clip_start, count, keyed, listed, pad, pad_start, width};
use crate::words::Words;

/// Columns of threads are not made narrower than this.
const NARROWEST: usize = 12;
/// The place of a step gets at most this.
const WIDEST_PLACE: usize = 26;
/// What fails at the end asks for no more than this.
const WIDEST_FAILURE: usize = 24;
/// The heading of the column for threads that have none of their own.
const OTHERS: &str = "others";
/// The heading of the column for places.
const WHERE: &str = "where";

/// One line of the table that is not folded.
pub(crate) struct Row {
    /// The number of the step; none for what happens at the end.
    pub step: Option<usize>,
    pub thread: ThreadId,
    pub text: String,
    pub place: Place,
    pub preempts: bool,
    pub comment: String,
    pub weight: Weight,
}

/// The rows for all events of the run that shows the finding; those in `telling` explain it.
pub(crate) fn rows(words: &Words<'_>, finding: &Finding, telling: &[usize]) -> Vec<Row> {
    let run = words.run;
    let weights = weights(run, telling);
    let comments = comments(run, finding);
    let row = |index: usize| Row {
        step: Some(index + 1),
        thread: run.events[index].thread,
        text: cell(words, index),
        place: run.events[index].place,
        preempts: run.events[index].preempts,
        comment: comments[index].clone(),
        weight: weights[index],
    };
    // That a thread starts says nothing that its creation and its first step do not say.
    let is_shown = |index: &usize| {
        let says_something = run.events[*index].operation.kind != Kind::Start || run.events.len() == 1;
        says_something || words.style.full
    };
    (0..run.events.len()).filter(is_shown).map(row).collect()
}

/// The table in at most `room` lines, the two of its head included.
pub(crate) fn table(words: &Words<'_>, rows: &[Row], room: usize) -> Vec<String> {
    let weights: Vec<(Weight, ThreadId)> = rows.iter().map(|row| (row.weight, row.thread)).collect();
    let lines = fold(&weights, room.saturating_sub(2).max(1));
    let layout = Layout::new(words, rows, &lines);
    let mut table = layout.head(words);
    table.extend(lines.iter().map(|line| match line {
        Line::Row(row) => layout.row(words, &rows[*row]),
        Line::Folded(first, end) => layout.folded(words, rows, *first..*end),
    }));
    table
}

struct Layout {
    step: usize,
    /// The threads with a column of their own.
    threads: Vec<ThreadId>,
    widths: Vec<usize>,
    has_others: bool,
    place: usize,
    /// Whether the line alone says where, because all steps are in one file with a long name.
    only_lines: bool,
    comment: usize,
}

impl Layout {
    fn new(words: &Words<'_>, rows: &[Row], lines: &[Line]) -> Layout {
        let shown: Vec<&Row> = lines
            .iter()
            .filter_map(|line| match line {
                Line::Row(row) => Some(&rows[*row]),
                Line::Folded(..) => None,
            })
            .collect();
        let digits = words.run.events.len().to_string().len().max(3);
        let mut layout = Layout {
            step: width(words.symbols.switch) + digits,
            threads: Vec::new(),
            widths: Vec::new(),
            has_others: false,
            place: 0,
            only_lines: false,
            comment: shown.iter().map(|row| width(&row.comment)).max().unwrap_or(0),
        };
        let widest = |layout: &Layout| {
            let places = shown.iter().map(|row| width(&layout.place_of(words, row)));
            places.max().unwrap_or(0).max(width(WHERE))
        };
        let mut files = shown.iter().filter_map(|row| row.place.file());
        let first = files.next();
        layout.only_lines = widest(&layout) > WIDEST_PLACE && files.all(|file| Some(file) == first);
        layout.place = widest(&layout).min(WIDEST_PLACE);
        // Comments are the first to go when there is little room.
        if layout.room(words) < 2 * (NARROWEST + GAP) {
            layout.comment = 0;
        }
        layout.choose_columns(words, &shown);
        layout
    }

    /// The room for the columns of threads, gaps included.
    fn room(&self, words: &Words<'_>) -> usize {
        let comment = if self.comment > 0 { GAP + self.comment } else { 0 };
        words.style.columns().saturating_sub(GAP + self.step + GAP + self.place + comment)
    }

    /// Gives every thread a column if they fit; otherwise those that do most that matters, and the rest shares one.
    fn choose_columns(&mut self, words: &Words<'_>, shown: &[&Row]) {
        self.threads = shown.iter().map(|row| row.thread).collect();
        self.threads.sort_unstable();
        self.threads.dedup();
        let mut by_merit = self.threads.clone();
        by_merit.sort_by_key(|thread| std::cmp::Reverse(merit(*thread, shown)));
        let room = self.room(words);
        loop {
            self.widths = self.natural_widths(words, shown);
            let least: usize = self.widths.iter().map(|width| (*width).min(NARROWEST) + GAP).sum();
            if least <= room || self.threads.len() <= 1 {
                break;
            }
            let least_of_all = by_merit.pop();
            self.threads.retain(|thread| Some(*thread) != least_of_all);
            self.has_others = true;
        }
        let room = room.saturating_sub(GAP * self.widths.len());
        // What is too long for its column runs on into the next, but behind the last there is none.
        if let Some((last, others)) = self.widths.split_last_mut() {
            shrink(others, room.saturating_sub(*last), NARROWEST);
            let least = (*last).min(NARROWEST);
            *last = (*last).min(room.saturating_sub(others.iter().sum())).max(least);
        }
        self.widen(room, shown);
    }

    fn natural_widths(&self, words: &Words<'_>, shown: &[&Row]) -> Vec<usize> {
        let headings = self.threads.iter().map(|thread| width(&words.thread(*thread)));
        let mut widths: Vec<usize> = headings.chain(self.has_others.then_some(width(OTHERS))).collect();
        for row in shown {
            // What fails may be a whole sentence: it does not ask for all the room.
            let most = if row.step.is_some() { usize::MAX } else { WIDEST_FAILURE };
            let column = &mut widths[self.column(row.thread)];
            *column = (*column).max(width(&self.text_of(row)).min(most));
        }
        widths
    }

    /// Where the step is in the source.
    fn place_of(&self, words: &Words<'_>, row: &Row) -> String {
        match row.place.line() {
            Some(line) if self.only_lines => format!("line {line}"),
            _ => words.files.place(row.place),
        }
    }

    /// Gives the last column what is left of the room, if a text that runs into it needs that.
    fn widen(&mut self, room: usize, shown: &[&Row]) {
        let left = room.saturating_sub(self.widths.iter().sum());
        let lacking =
            |row: &&&Row| width(&self.text_of(row)).saturating_sub(self.span(self.column(row.thread)).1);
        let lacking = shown.iter().map(|row| lacking(&row)).max().unwrap_or(0);
        if let Some(last) = self.widths.last_mut() {
            *last += lacking.min(left);
        }
    }

    fn column(&self, thread: ThreadId) -> usize {
        self.threads.iter().position(|own| *own == thread).unwrap_or(self.threads.len())
    }

    /// The text of a row; in the column of the others it says who.
    fn text_of(&self, row: &Row) -> String {
        if self.threads.contains(&row.thread) {
            row.text.clone()
        } else {
            format!("{} {}", row.thread, row.text)
        }
    }

    /// Where a column starts, and how much there is from there to the place.
    fn span(&self, column: usize) -> (usize, usize) {
        let before: usize = self.widths[..column].iter().map(|width| width + GAP).sum();
        let all: usize = self.widths.iter().map(|width| width + GAP).sum::<usize>().saturating_sub(GAP);
        (before, all - before)
    }

    fn head(&self, words: &Words<'_>) -> Vec<String> {
        let cut = words.symbols.cut;
        let mut titles = vec![pad_start("step", self.step)];
        titles.extend(self.threads.iter().map(|thread| words.thread(*thread)));
        titles.extend(self.has_others.then(|| OTHERS.to_owned()));
        titles.push(WHERE.to_owned());
        let widths: Vec<usize> =
            std::iter::once(self.step).chain(self.widths.iter().copied()).chain([self.place]).collect();
        let line = |cell: &dyn Fn(usize) -> String| {
            let cells = (0..widths.len()).map(|column| format!("  {}", pad(&cell(column), widths[column])));
            cells.collect::<String>().trim_end().to_owned()
        };
        let rule = words.symbols.rule.to_string();
        vec![
            line(&|column| clip(&titles[column], widths[column], cut)),
            line(&|column| rule.repeat(widths[column])),
        ]
    }

    fn row(&self, words: &Words<'_>, row: &Row) -> String {
        let mark = if row.preempts { words.symbols.switch } else { "" };
        let step = row.step.map_or_else(String::new, |step| step.to_string());
        let step = format!("{mark}{}", pad_start(&step, self.step - width(mark)));
        let (column, text) = (self.column(row.thread), self.text_of(row));
        self.line(words, &step, column, &text, (self.place_of(words, row), &row.comment))
    }

    /// One line for rows that are folded and for the steps between them that have no row.
    fn folded(&self, words: &Words<'_>, rows: &[Row], folded: Range<usize>) -> String {
        let events = &words.run.events;
        let before = rows[..folded.start].iter().rev().find_map(|row| row.step).unwrap_or(0);
        let after = rows[folded.end..].iter().find_map(|row| row.step).unwrap_or(events.len() + 1);
        let between = events.get(before..after - 1).unwrap_or_default();
        let mut threads: Vec<ThreadId> = between.iter().map(|event| event.thread).collect();
        threads.retain(|thread| words.style.shows(*thread));
        let steps = count(threads.len() as u64, "step");
        threads.sort_unstable();
        threads.dedup();
        let (column, text) = match threads[..] {
            [only] if self.threads.contains(&only) => (self.column(only), steps),
            _ if threads.len() > 4 => (0, format!("{steps} of {} threads", threads.len())),
            _ => {
                let names: Vec<String> = threads.iter().map(ThreadId::to_string).collect();
                (0, format!("{steps} of {}", listed(&names)))
            }
        };
        let text = format!("{} {text}", words.symbols.cut);
        self.line(words, &pad("", self.step), column, &text, (String::new(), ""))
    }

    fn line(&self, words: &Words<'_>, step: &str, column: usize, text: &str, end: (String, &str)) -> String {
        let cut = words.symbols.cut;
        let (before, room) = self.span(column);
        let text = pad(&clip(text, room, cut), room);
        let place = pad(&clip_start(&end.0, self.place, cut), self.place);
        let comment = if self.comment > 0 { end.1 } else { "" };
        format!("  {step}  {}{text}  {place}  {comment}", " ".repeat(before)).trim_end().to_owned()
    }
}

/// How much a thread does that matters; main often only creates and joins.
fn merit(thread: ThreadId, rows: &[&Row]) -> usize {
    let own = rows.iter().filter(|row| row.thread == thread);
    own.map(|row| match row.weight {
        Weight::After | Weight::Frame => 0,
        Weight::Private => 1,
        Weight::Shared => 10,
        Weight::Telling => 1_000,
    })
    .sum()
}

/// What the symbols mean that stand in these lines.
pub(crate) fn legend(words: &Words<'_>, table: &[String]) -> Vec<String> {
    let symbols = words.symbols;
    let meanings = [
        (symbols.read, "read"),
        (symbols.written, "written"),
        (symbols.exchanged, "exchanged"),
        (symbols.switch, "a switch nobody forced (pre-emption)"),
    ];
    let stands = |symbol: &str| table.iter().any(|line| line.contains(symbol));
    let known = meanings.iter().filter(|(symbol, _)| stands(symbol));
    let mut entries: Vec<String> = known.map(|(symbol, meaning)| format!("{symbol} {meaning}")).collect();
    // The first block that there is stands for all.
    let block = table.iter().find_map(|line| line.split("heap:").nth(1));
    let line = block.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    entries.extend(line.map(|line| format!("heap:{line} is the block that line {line} allocated")));
    let mut lines: Vec<String> = Vec::new();
    for entry in entries {
        match lines.last_mut() {
            Some(line) if width(line) + 3 + width(&entry) <= words.style.columns() => {
                line.push_str("   ");
                line.push_str(&entry);
            }
            _ => lines.push(format!("        {entry}")),
        }
    }
    lines
}

/// A blank at which no line is broken.
const TOGETHER: &str = "\u{a0}";

/// Where the objects that stand in these lines were first used, in at most `room` lines.
///
/// What has a name in the source is found by it.
pub(crate) fn first_uses(words: &Words<'_>, lines: &[String], room: usize) -> Vec<String> {
    let shown = words.objects.in_order().iter().filter_map(|object| {
        let note = words.run.objects.get(object.index())?;
        let place = words.files.place(note.place);
        let label = words.object(*object);
        let stands = note.name.is_none() && lines.iter().any(|line| has_label(line, label));
        (stands && !place.is_empty()).then(|| format!("{label} {place}").replace(' ', TOGETHER))
    });
    // More than that does not fit any room.
    let shown: Vec<String> = shown.take(20).collect();
    let first = |count: usize| {
        let more = (count < shown.len()).then(|| words.symbols.cut.to_owned());
        let parts: Vec<String> = shown[..count].iter().cloned().chain(more).collect();
        let lines = keyed("first used", &words.dotted(&parts), words.style.columns());
        lines.iter().map(|line| line.replace(TOGETHER, " ")).collect::<Vec<String>>()
    };
    (1..=shown.len()).rev().map(first).find(|lines| lines.len() <= room).unwrap_or_default()
}

/// Whether the label stands in the line, and not only as the start of a longer one.
fn has_label(line: &str, label: &str) -> bool {
    let ends_there = |at: usize| !line[at + label.len()..].starts_with(|next: char| next.is_ascii_digit());
    line.match_indices(label).any(|(at, _)| ends_there(at))
}
