//! Characters of a file, one after the other, with their positions.

use super::{MAX_BYTES, Position, Problem, ReadError};

/// A file as characters. Bytes that are not UTF-8 are read as Latin-1, which old nets are written in.
pub(super) fn decode(bytes: &[u8]) -> Result<String, ReadError> {
    if bytes.len() > MAX_BYTES {
        let problem = Problem::TooMany { what: "bytes", limit: MAX_BYTES };
        return Err(ReadError { position: Position::START, problem });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    })
}

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    pub(super) position: Position,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { rest: text, position: Position::START }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) const fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let character = chars.next()?;
        self.rest = chars.as_str();
        if character == '\n' {
            self.position = Position { line: self.position.line.saturating_add(1), column: 1 };
        } else {
            self.position.column = self.position.column.saturating_add(1);
        }
        Some(character)
    }

    /// Steps over a text that stands here.
    pub(super) fn skip(&mut self, text: &str) -> bool {
        let stands_here = self.rest.starts_with(text);
        if stands_here {
            for _ in text.chars() {
                self.next();
            }
        }
        stands_here
    }

    /// Takes characters while they are of a kind.
    pub(super) fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let begin = self.rest;
        while self.peek().is_some_and(&is_wanted) {
            self.next();
        }
        &begin[..begin.len() - self.rest.len()]
    }

    /// Takes everything up to a text, and steps over it; `None`, at the end, if it does not come.
    pub(super) fn take_until(&mut self, end: &str) -> Option<&'a str> {
        let length = self.rest.find(end);
        let begin = self.rest;
        let target = length.unwrap_or(begin.len());
        while begin.len() - self.rest.len() < target {
            self.next();
        }
        length?;
        self.skip(end);
        Some(&begin[..target])
    }

    /// An error here: something else was expected.
    pub(super) fn expected<T>(&self, expected: &'static str) -> Result<T, ReadError> {
        let found = match self.peek() {
            None => "the end of the file".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(character) => format!("`{}`", character.escape_debug()),
        };
        Err(ReadError { position: self.position, problem: Problem::Expected { expected, found } })
    }
}

/// A name as it may stand between quotes: no quotes, no line ends, no control characters.
pub(super) fn plain(name: &str) -> String {
    name.chars()
        .map(|character| match character {
            '"' | '\'' => '`',
            '\\' => '/',
            character if character.is_control() => ' ',
            character => character,
        })
        .collect()
}
