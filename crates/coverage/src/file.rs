//! The file format of HaPSets: text, versioned, with a checksum.
//!
//! ```text
//! raddle hapset 1
//! context 0
//! statement 12 5 first 00000000 src/bank.rs
//! statement 30 9 second 00000000 src/bank.rs
//! pair 0 1 scheduled
//! end 2 1 8c1d2e3f
//! ```
//! A statement has its line, column, half, calls and file; a pair the numbers of its statements, counted from zero. The
//! last line has the numbers of statements and pairs, and the CRC-32 of everything before it. Statements and pairs are
//! sorted, so that equal sets have equal files. The reader is total: whatever the bytes are, it returns sets or says in
//! which line and why not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use raddle_trace::limits::MAX_HAPSET_BYTES;

use crate::{Half, HapSets, Order, Statement, StatementId};

/// The version that is written, and the only one that is read.
pub const FORMAT_VERSION: u32 = 1;

/// Why HaPSets could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The first line is not ours.
    #[error("it does not begin with `raddle hapset`: this is not a file of HaPSets")]
    NotHapSets,
    /// Written by a version that this one does not know.
    #[error(
        "it has format version {found}, this version of raddle reads version {FORMAT_VERSION}: learn again"
    )]
    OtherVersion {
        /// The version in the file.
        found: String,
    },
    /// The last line is missing.
    #[error("it ends without its `end` line: the file was cut off, learn again")]
    Truncated,
    /// The checksum is wrong.
    #[error("its checksum does not match: the file was changed or damaged, learn again")]
    Checksum,
    /// A line makes no sense.
    #[error("line {line}: {what}")]
    Line {
        /// Which line, counted from one.
        line: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The file is too large.
    #[error("it is larger than {MAX_HAPSET_BYTES} bytes")]
    TooLarge,
}

impl HapSets {
    /// The sets as the text of a file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let pairs = self.pairs();
        let used: BTreeSet<&Statement> = pairs.iter().flat_map(|pair| [&pair.first, &pair.second]).collect();
        let numbers: BTreeMap<&Statement, usize> =
            used.iter().enumerate().map(|(at, used)| (*used, at)).collect();
        let mut text = format!("raddle hapset {FORMAT_VERSION}\ncontext {}\n", self.context());
        for statement in &used {
            let half = match statement.half {
                Half::First => "first",
                Half::Second => "second",
            };
            let file: String = statement.file.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let (line, column, context) = (statement.line, statement.column, statement.context);
            text.push_str(&format!("statement {line} {column} {half} {context:08x} {file}\n"));
        }
        for pair in &pairs {
            let order = match pair.order {
                Order::Fixed => "fixed",
                Order::Scheduled => "scheduled",
            };
            text.push_str(&format!("pair {} {} {order}\n", numbers[&pair.first], numbers[&pair.second]));
        }
        let checksum = crc32fast::hash(text.as_bytes());
        text.push_str(&format!("end {} {} {checksum:08x}\n", used.len(), pairs.len()));
        text
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// If the bytes are not what [`HapSets::to_text`] of this version writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<HapSets, ReadError> {
        if bytes.len() > MAX_HAPSET_BYTES {
            return Err(ReadError::TooLarge);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ReadError::NotHapSets)?;
        let first = text.lines().next().unwrap_or("");
        let version = first.strip_prefix("raddle hapset ").ok_or(ReadError::NotHapSets)?;
        if version != FORMAT_VERSION.to_string() {
            return Err(ReadError::OtherVersion { found: version.chars().take(20).collect() });
        }
        let trimmed = text.strip_suffix('\n').ok_or(ReadError::Truncated)?;
        let start = trimmed.rfind('\n').map_or(0, |at| at + 1);
        let end = trimmed[start..].strip_prefix("end ").ok_or(ReadError::Truncated)?;
        let (sets, statements, pairs) = read_body(&text[..start])?;
        let checksum = crc32fast::hash(&bytes[..start]);
        if end != format!("{statements} {pairs} {checksum:08x}") {
            Err(ReadError::Checksum)
        } else {
            Ok(sets)
        }
    }
}

fn read_body(body: &str) -> Result<(HapSets, usize, usize), ReadError> {
    let mut sets = HapSets::default();
    let mut numbers: Vec<StatementId> = Vec::new();
    let mut pairs = 0;
    for (index, line) in body.lines().enumerate().skip(1) {
        let bad = |what| ReadError::Line { line: index + 1, what };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "context" if index == 1 => {
                sets = HapSets::new(rest.parse().map_err(|_| bad("the context is a whole number"))?);
            }
            "statement" => {
                let statement = read_statement(rest);
                let statement =
                    statement.ok_or_else(|| bad("a statement is line, column, half, calls and file"))?;
                numbers.push(sets.number(&statement));
            }
            "pair" => {
                let pair = read_pair(rest, &numbers);
                let (first, second, order) =
                    pair.ok_or_else(|| bad("a pair is two known statements and their order"))?;
                sets.insert(first, second, order);
                pairs += 1;
            }
            _ => return Err(bad("only `context`, `statement` and `pair` lines are known")),
        }
    }
    Ok((sets, numbers.len(), pairs))
}

fn read_statement(text: &str) -> Option<Statement> {
    let mut parts = text.splitn(5, ' ');
    let line = parts.next()?.parse().ok()?;
    let column = parts.next()?.parse().ok()?;
    let half = match parts.next()? {
        "first" => Half::First,
        "second" => Half::Second,
        _ => return None,
    };
    let context = u32::from_str_radix(parts.next()?, 16).ok()?;
    Some(Statement { file: Arc::from(parts.next()?), line, column, half, context })
}

fn read_pair(text: &str, numbers: &[StatementId]) -> Option<(StatementId, StatementId, Order)> {
    let mut parts = text.split(' ');
    let first = numbers.get(parts.next()?.parse::<usize>().ok()?)?;
    let second = numbers.get(parts.next()?.parse::<usize>().ok()?)?;
    let order = match parts.next()? {
        "fixed" => Order::Fixed,
        "scheduled" => Order::Scheduled,
        _ => return None,
    };
    parts.next().is_none().then_some((*first, *second, order))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(lines: &[(u32, u32)]) -> HapSets {
        let mut sets = HapSets::new(0);
        let statement = |line| Statement {
            file: Arc::from("src/a bank.rs"),
            line,
            column: 5,
            half: if line % 2 == 0 { Half::First } else { Half::Second },
            context: line / 3,
        };
        for (first, second) in lines {
            let (first, second) = (sets.number(&statement(*first)), sets.number(&statement(*second)));
            sets.insert(
                first,
                second,
                if lines.len().is_multiple_of(2) { Order::Fixed } else { Order::Scheduled },
            );
        }
        sets
    }

    #[test]
    fn what_is_written_is_read_back() {
        for lines in [&[][..], &[(1, 2)], &[(1, 2), (2, 1), (2, 2), (9, 1)]] {
            let sets = sample(lines);
            assert_eq!(HapSets::from_bytes(sets.to_text().as_bytes()), Ok(sets));
        }
    }

    #[test]
    fn equal_sets_have_equal_files_whatever_the_order_of_learning() {
        assert_eq!(sample(&[(1, 2), (2, 1)]).to_text(), sample(&[(2, 1), (1, 2)]).to_text());
    }

    #[test]
    fn merging_is_commutative_associative_and_idempotent() {
        let parts = [sample(&[(1, 2), (3, 4)]), sample(&[(3, 4)]), sample(&[(4, 3), (1, 1), (1, 2)])];
        let merged = |order: &[usize]| {
            let mut all = HapSets::new(0);
            order.iter().for_each(|part| all.merge(&parts[*part]).expect("one context"));
            all.to_text()
        };
        for order in [&[0, 2, 1][..], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0], &[0, 0, 1, 1, 2, 2, 0]]
        {
            assert_eq!(merged(order), merged(&[0, 1, 2]));
        }
    }

    #[test]
    fn sets_that_tell_calls_apart_are_not_merged_with_sets_that_do_not() {
        let error = HapSets::new(0).merge(&HapSets::new(2)).expect_err("another context").to_string();
        assert_eq!(
            error,
            "they tell 2 calls of a statement apart, these tell 0: learn again with the same context"
        );
    }

    #[test]
    fn every_truncation_is_refused() {
        let text = sample(&[(1, 2), (2, 1)]).to_text();
        for length in 0..text.len() {
            assert!(HapSets::from_bytes(&text.as_bytes()[..length]).is_err(), "accepted {length} bytes");
        }
    }

    #[test]
    fn every_flipped_bit_is_refused() {
        let text = sample(&[(1, 2), (2, 1)]).to_text();
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                assert!(HapSets::from_bytes(&bytes).is_err(), "accepted a flip of bit {bit} in byte {at}");
            }
        }
    }

    #[test]
    fn foreign_files_and_bad_lines_are_refused_with_their_reason() {
        let reason = |text: &str| HapSets::from_bytes(text.as_bytes()).expect_err(text).to_string();
        assert!(reason("raddle schedule 1\n").contains("this is not a file of HaPSets"));
        assert!(reason("raddle hapset 7\n").contains("format version 7"));
        assert!(
            reason("raddle hapset 1\ncontext 0\npair 0 1 fixed\nend 0 1 0\n")
                .starts_with("line 3: a pair is")
        );
        assert!(reason("raddle hapset 1\nprogram x\nend 0 0 0\n").starts_with("line 2: only `context`"));
    }
}
