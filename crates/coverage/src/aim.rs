//! An order of two statements that somebody wants to see.

use std::fmt;
use std::str::FromStr;

use raddle_trace::Place;

use crate::{HapSets, Statement};

/// A line of a source file; of any file if none is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The file, or the end of its path.
    pub file: Option<String>,
    /// The line, counted from one.
    pub line: u32,
}

impl Spot {
    /// Whether a place is on this line.
    #[must_use]
    pub fn is_at(&self, place: Place) -> bool {
        place.line() == Some(self.line) && self.is_in(place.file())
    }

    /// Whether a file is the one that is meant.
    fn is_in(&self, file: Option<&str>) -> bool {
        self.file.as_deref().is_none_or(|wanted| file.is_some_and(|file| ends_with(file, wanted)))
    }

    fn is_of(&self, statement: &Statement) -> bool {
        statement.line == self.line && self.is_in(Some(&statement.file))
    }
}

/// Whether a path ends with another one, in whole components.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || end.starts_with('/'))
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}:{}", self.line),
            None => write!(f, "{}", self.line),
        }
    }
}

/// Schedules that put `first` before `second` are preferred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aim {
    /// What is to come first.
    pub first: Spot,
    /// What is to come later.
    pub second: Spot,
}

impl Aim {
    /// Whether runs have shown the one line right before the other.
    #[must_use]
    pub fn is_met(&self, sets: &HapSets) -> bool {
        sets.numbered().any(|(first, second, _)| {
            self.first.is_of(sets.statement(first)) && self.second.is_of(sets.statement(second))
        })
    }
}

/// An aim that could not be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{text}` is not an aim; write the line that is to come first and the other, as in `bank.c:12:bank.c:30` or `12:30`"
)]
pub struct BadAim {
    /// What was given.
    pub text: String,
}

impl FromStr for Aim {
    type Err = BadAim;

    fn from_str(text: &str) -> Result<Aim, BadAim> {
        let bad = || BadAim { text: text.to_owned() };
        let line = |text: &str| text.parse::<u32>().ok().filter(|line| *line > 0);
        let (rest, second_line) = text.rsplit_once(':').ok_or_else(bad)?;
        let second_line = line(second_line).ok_or_else(bad)?;
        // `12:30`, or `FILE:12:FILE:30`, or `FILE:12:30` with one file for both.
        if let Some(first_line) = line(rest) {
            let spot = |line| Spot { file: None, line };
            return Ok(Aim { first: spot(first_line), second: spot(second_line) });
        }
        let (before, last) = rest.rsplit_once(':').ok_or_else(bad)?;
        let (first_file, first_line, second_file) = match line(last) {
            Some(first_line) => (before, first_line, before),
            None => {
                let (file, first_line) = before.rsplit_once(':').ok_or_else(bad)?;
                (file, line(first_line).ok_or_else(bad)?, last)
            }
        };
        if first_file.is_empty() || second_file.is_empty() {
            return Err(bad());
        }
        Ok(Aim {
            first: Spot { file: Some(first_file.to_owned()), line: first_line },
            second: Spot { file: Some(second_file.to_owned()), line: second_line },
        })
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.first, self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(file: Option<&str>, line: u32) -> Spot {
        Spot { file: file.map(str::to_owned), line }
    }

    #[test]
    fn an_aim_is_two_lines_with_or_without_files() {
        let read = |text: &str| text.parse::<Aim>().expect("well formed");
        assert_eq!(read("12:30"), Aim { first: spot(None, 12), second: spot(None, 30) });
        assert_eq!(read("a.c:12:30"), Aim { first: spot(Some("a.c"), 12), second: spot(Some("a.c"), 30) });
        assert_eq!(read("a.c:12:b/c.c:30").to_string(), "a.c:12:b/c.c:30");
    }

    #[test]
    fn what_is_no_aim_is_refused_with_an_example() {
        for text in ["", ":", "12", "a:b", "a.c:12", "0:4", "a.c:x:9", ":1:a:2", "1:-2", "9999999999:1"] {
            let error = text.parse::<Aim>().expect_err(text).to_string();
            assert!(error.contains("as in `bank.c:12:bank.c:30`"), "{error}");
        }
    }

    #[test]
    fn a_file_is_named_by_the_end_of_its_path() {
        assert!(ends_with("src/bank.c", "bank.c") && ends_with("bank.c", "bank.c"));
        assert!(!ends_with("src/riverbank.c", "bank.c"));
    }
}
