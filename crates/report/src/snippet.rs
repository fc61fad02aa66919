//! Lines of source with remarks.

use std::fmt::Write as _;

use raddle_trace::Place;

use crate::sanitise::sanitise;
use crate::text::{clip, clip_start, pad_start, width, wrap};
use crate::words::Words;

/// A remark on a place in the source.
pub(crate) struct Mark {
    pub place: Place,
    pub remark: String,
    /// Whether this is the place where it goes wrong.
    pub strong: bool,
}

/// Gives the contents of a source file.
pub(crate) type Source<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// More remarks than this would hide the rest.
const MOST: usize = 4;

/// Of a longer mark at least this much is shown.
const SHORTEST_MARK: usize = 12;
/// A remark that takes more lines would hide the rest as well.
const MOST_REMARK_LINES: usize = 3;

/// The lines with these remarks; a place whose file is not known, or does not have that line, is left out.
///
/// Remarks on the same line are put together, the last one being as strong as any of them.
pub(crate) fn snippet(words: &Words<'_>, marks: Vec<Mark>, source: &Source<'_>) -> Vec<String> {
    let mut spots: Vec<Spot> = Vec::new();
    for mark in marks {
        let (Some(file), Some(line), Some(column)) =
            (mark.place.file(), mark.place.line(), mark.place.column())
        else {
            continue;
        };
        if let Some(spot) = spots.iter_mut().find(|spot| (spot.file, spot.line) == (file, line)) {
            if spot.remark != mark.remark {
                let _ = write!(spot.remark, "; {}", mark.remark);
            }
            spot.strong |= mark.strong;
            spot.column = spot.column.min(column);
        } else if spots.len() < MOST {
            spots.push(Spot { file, line, column, remark: mark.remark, strong: mark.strong });
        }
    }
    // The file where it goes wrong comes first; within a file lines are in their order.
    let main = spots.iter().find(|spot| spot.strong).map(|spot| spot.file);
    spots.sort_by_key(|spot| (Some(spot.file) != main, spot.file, spot.line));
    let gutter = spots.iter().map(|spot| spot.line).max().map_or(0, |line| line.to_string().len()).max(3) + 2;
    let files = spots.chunk_by(|a, b| a.file == b.file);
    files.flat_map(|spots| of_file(words, spots, gutter, source)).collect()
}

struct Spot {
    file: &'static str,
    line: u32,
    column: u32,
    remark: String,
    strong: bool,
}

fn of_file(words: &Words<'_>, spots: &[Spot], gutter: usize, source: &Source<'_>) -> Vec<String> {
    let Some(text) = source(spots[0].file) else { return Vec::new() };
    let all: Vec<&str> = text.lines().collect();
    let known: Vec<&Spot> =
        spots.iter().filter(|spot| (1..=all.len()).contains(&(spot.line as usize))).collect();
    let Some(target) = known.iter().find(|spot| spot.strong).or(known.first()) else { return Vec::new() };
    let (symbols, columns) = (words.symbols, words.style.columns());
    let name = sanitise(target.file, words.style);
    let name = format!("{name}:{}:{}", target.line, target.column);
    let blank = " ".repeat(gutter);
    let mut lines = vec![clip(&format!("{blank} {} {name}", symbols.corner), columns, symbols.cut)];
    let mut last = None;
    for spot in known {
        match last {
            Some(last) if spot.line == last + 2 => {
                lines.push(code(words, last + 1, all[last as usize], gutter, 0))
            }
            Some(last) if spot.line > last + 2 => lines.push(format!("{blank} {}", symbols.cut)),
            _ => {}
        }
        lines.extend(marked(words, spot, all[spot.line as usize - 1], gutter));
        last = Some(spot.line);
    }
    lines
}

/// A line of source without its first `skipped` columns.
fn code(words: &Words<'_>, number: u32, line: &str, gutter: usize, skipped: usize) -> String {
    let number = pad_start(&number.to_string(), gutter);
    let line = sanitise(line, words.style);
    let line = match skipped {
        0 => line,
        _ => clip_start(&line, width(&line).saturating_sub(skipped), words.symbols.cut),
    };
    let line = format!("{number} {} {line}", words.symbols.bar);
    clip(line.trim_end(), words.style.columns(), words.symbols.cut)
}

/// The line of a spot, the mark exactly under what it speaks of, and what is said of it: beside the mark, or below it if there
/// is no room.
fn marked(words: &Words<'_>, spot: &Spot, line: &str, gutter: usize) -> Vec<String> {
    let symbols = words.symbols;
    let margin = format!("{} {} ", " ".repeat(gutter), symbols.bar);
    let room = words.style.columns().saturating_sub(width(&margin));
    let start = line.char_indices().nth(spot.column as usize - 1).map_or(0, |(at, _)| at);
    let before = width(&sanitise(&line[..start], words.style));
    let under = width(&sanitise(extent(&line[start..]), words.style)).max(1);
    // What is marked has to be seen, so a line that is too long for it loses its beginning.
    let skipped = (before + under.min(SHORTEST_MARK) + width(symbols.cut)).saturating_sub(room);
    let before = before - skipped.min(before);
    let under = under.min(room.saturating_sub(before));
    let rule = if spot.strong { symbols.strong_rule } else { symbols.rule };
    let mark = |under| format!("{margin}{}{}", " ".repeat(before), rule.to_string().repeat(under));
    let code = code(words, spot.line, line, gutter, skipped);
    let needed = width(&spot.remark);
    // The end of a long mark gives way to its remark; where it begins says enough.
    let beside = room.saturating_sub(before + 1 + needed);
    if beside >= under.min(SHORTEST_MARK) {
        return vec![code, format!("{} {}", mark(under.min(beside)), spot.remark)];
    }
    let mut below = wrap(&spot.remark, room);
    if below.len() > MOST_REMARK_LINES {
        // Cut where the rest would have gone on.
        let rest = below.split_off(MOST_REMARK_LINES - 1).join(" ");
        below.push(clip(&rest, room, symbols.cut));
    }
    let indent = " ".repeat(before.min(room.saturating_sub(needed)));
    let below = below.into_iter().map(|line| format!("{margin}{indent}{line}"));
    [code, mark(under)].into_iter().chain(below).collect()
}

/// The call that the text starts with, as far as brackets tell.
fn extent(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth <= 1 => return &text[..at + usize::from(depth == 1)],
            ')' | ']' | '}' => depth -= 1,
            ';' | ',' if depth == 0 => return &text[..at],
            _ => {}
        }
    }
    text.trim_end()
}

#[cfg(test)]
mod tests {
    use super::extent;

    #[test]
    fn a_call_ends_with_its_bracket() {
        assert_eq!(extent("load(f(SeqCst)) + 1;"), "load(f(SeqCst))");
        assert_eq!(extent("x + y; z"), "x + y");
        assert_eq!(extent("lock()) {"), "lock()");
        assert_eq!(extent("assert_eq!(a,"), "assert_eq!(a,");
        assert_eq!(extent(") é"), "");
    }
}
