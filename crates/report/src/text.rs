//! Lines of a given width.

use unicode_width::UnicodeWidthChar;

/// Where the text of a line with a keyword starts.
pub(crate) const INDENT: usize = 13;

/// How many columns the text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(letter_width).sum()
}

fn letter_width(letter: char) -> usize {
    letter.width().unwrap_or(0)
}

/// The text, cut at the end to at most `columns`.
pub(crate) fn clip(text: &str, columns: usize, cut: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut clipped = first_columns(text, columns.saturating_sub(width(cut))).to_owned();
    clipped.push_str(first_columns(cut, columns));
    clipped
}

/// The text, cut at the beginning to at most `columns`.
pub(crate) fn clip_start(text: &str, columns: usize, cut: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut rest = text;
    while width(rest) + width(cut) > columns && !rest.is_empty() {
        let mut letters = rest.chars();
        letters.next();
        rest = letters.as_str();
    }
    format!("{cut}{rest}")
}

/// As many letters as fit.
fn first_columns(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, letter)| {
        used += letter_width(*letter);
        used > columns
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The text with spaces behind it, at least `columns` wide.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces in front of it, at least `columns` wide.
pub(crate) fn pad_start(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Units that stay on the line of their number.
const UNITS: &[&str] = &["s", "ms", "min", "h", "%", "MB"];

/// The words of a text; a number and its unit are one.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let word = text.split(' ').next()?;
        let after = text.get(word.len() + 1..);
        let unit = after.and_then(|after| after.split(' ').next()).filter(|unit| UNITS.contains(unit));
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        let end = word.len() + unit.filter(|_| is_number).map_or(0, |unit| 1 + unit.len());
        rest = text.get(end + 1..);
        Some(&text[..end])
    })
}

/// The words of the text in lines of at most `columns`; a word that is longer is broken.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for mut word in words(text) {
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        }
        while width(word) > columns {
            let start = first_columns(word, columns);
            // A letter wider than the line would never fit.
            if start.is_empty() {
                break;
            }
            lines.push(start.to_owned());
            word = &word[start.len()..];
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// The text in lines of at most `columns`.
#[must_use]
pub fn wrapped(text: &str, columns: usize) -> String {
    wrap(text, columns).join("\n")
}

/// Lines that start with a keyword; what does not fit goes on below.
pub(crate) fn keyed(key: &str, text: &str, columns: usize) -> Vec<String> {
    let lines = wrap(text, columns - INDENT).into_iter().enumerate();
    lines
        .map(|(number, line)| {
            format!("{}  {line}", pad_start(if number == 0 { key } else { "" }, INDENT - 2))
        })
        .collect()
}

/// A line that starts with a keyword and is there to be copied, so it is never broken.
pub(crate) fn keyed_as_is(key: &str, text: &str) -> String {
    format!("{}  {text}", pad_start(key, INDENT - 2))
}

/// Lines that start with a keyword and are a command to be copied: where it goes on below, the shell is told so.
pub(crate) fn keyed_command(key: &str, command: &str, columns: usize) -> Vec<String> {
    const GOES_ON: &str = " \\";
    if width(command) <= columns - INDENT {
        return vec![keyed_as_is(key, command)];
    }
    let mut lines = keyed(key, command, columns - GOES_ON.len());
    let last = lines.len() - 1;
    lines[..last].iter_mut().for_each(|line| line.push_str(GOES_ON));
    lines
}

/// A headline: keyword, text, and something short at the right margin.
pub(crate) fn headline(key: &str, text: &str, right: &str, columns: usize) -> Vec<String> {
    let room = columns - INDENT - width(right) - 2;
    let mut lines = wrap(text, room);
    let first = lines[0].clone();
    lines[0] = format!("{}{right}", pad(&first, columns - INDENT - width(right)));
    let key = |number| pad_start(if number == 0 { key } else { "" }, INDENT - 2);
    lines
        .iter()
        .enumerate()
        .map(|(number, line)| format!("{}  {line}", key(number)).trim_end().to_owned())
        .collect()
}

/// A number with its thousands apart.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number that is only estimated: beyond a thousand millions only its size is shown.
#[must_use]
pub fn roughly(number: f64) -> String {
    if number < 1e9 {
        return grouped(number as u64);
    }
    format!("10^{:.0}", number.log10().floor())
}

/// A time in seconds.
#[must_use]
pub fn seconds(seconds: f64) -> String {
    format!("{seconds:.1} s")
}

/// A part of a whole, from 0 to 1, in per cent.
#[must_use]
pub fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

/// Bytes of memory.
#[must_use]
pub fn megabytes(bytes: u64) -> String {
    format!("{} MB", grouped(bytes >> 20))
}

/// A number with its noun.
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// The parts as a list in words.
pub(crate) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_columns_not_by_letters() {
        assert_eq!(clip("日本語", 6, "…"), "日本語");
        assert_eq!(clip("日本語", 5, "…"), "日本…");
        assert_eq!(clip("日本語", 4, "…"), "日…");
        assert_eq!(clip_start("long/way/to.rs:7", 8, "…"), "…to.rs:7");
    }

    #[test]
    fn long_words_are_broken() {
        assert_eq!(wrap("ab cdefgh i", 4), ["ab", "cdef", "gh i"]);
    }

    #[test]
    fn a_number_and_its_unit_stay_together() {
        assert_eq!(wrap("it took 3.1 s", 12), ["it took", "3.1 s"]);
        assert_eq!(wrap("T1 s  a ", 3), ["T1", "s", "a"]);
        assert_eq!(wrap("", 3), [""]);
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(
            [grouped(0), grouped(999), grouped(1_204), grouped(1_000_000)],
            ["0", "999", "1,204", "1,000,000"]
        );
        assert_eq!([roughly(210_000.4), roughly(1e9), roughly(3.2e22)], ["210,000", "10^9", "10^22"]);
    }
}
