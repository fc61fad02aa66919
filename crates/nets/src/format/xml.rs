//! As much of XML as PNML needs: elements, attributes, text, entities; comments and the like are stepped over.
//!
//! Document types are not interpreted, so no entity can grow. Namespace prefixes are dropped.

use super::text::Cursor;
use super::{Position, Problem, ReadError};

/// How deeply elements may be nested.
const MAX_DEPTH: usize = 200;

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Open { name: String, attributes: Vec<(String, String)> },
    Text(String),
    Close,
}

/// A document, piece by piece.
pub(super) struct Pieces<'a> {
    cursor: Cursor<'a>,
    open: Vec<String>,
    /// The end of an element that was closed where it was opened.
    pending_close: bool,
    has_root: bool,
}

impl<'a> Pieces<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { cursor: Cursor::new(text), open: Vec::new(), pending_close: false, has_root: false }
    }

    /// The next piece and where it stands; `None` at the end of the document.
    pub(super) fn next(&mut self) -> Result<Option<(Piece, Position)>, ReadError> {
        loop {
            let position = self.cursor.position;
            if std::mem::take(&mut self.pending_close) {
                self.open.pop();
                return Ok(Some((Piece::Close, position)));
            }
            match self.cursor.peek() {
                None if self.open.is_empty() && self.has_root => return Ok(None),
                None => return self.cursor.expected("a closing tag"),
                Some('<') if self.cursor.skip("<![CDATA[") => match self.cursor.take_until("]]>") {
                    Some(text) => return Ok(Some((Piece::Text(text.to_owned()), position))),
                    None => return self.cursor.expected("the end of character data, ]]>"),
                },
                Some('<') if self.skip_what_is_no_element()? => {}
                Some('<') if self.cursor.rest().starts_with("</") => {
                    self.close_tag()?;
                    return Ok(Some((Piece::Close, position)));
                }
                Some('<') => return self.open_tag().map(|piece| Some((piece, position))),
                Some(_) => {
                    let raw = self.cursor.take_while(|character| character != '<');
                    if self.open.is_empty() && !raw.trim().is_empty() {
                        let found = format!("`{}`", raw.trim().chars().take(20).collect::<String>());
                        let problem = Problem::Expected { expected: "an element", found };
                        return Err(ReadError { position, problem });
                    }
                    if !raw.trim().is_empty() {
                        return Ok(Some((Piece::Text(unescape(raw, position)?), position)));
                    }
                }
            }
        }
    }

    /// Steps over a comment, an instruction or a document type.
    fn skip_what_is_no_element(&mut self) -> Result<bool, ReadError> {
        for (begin, end, expected) in [
            ("<!--", "-->", "the end of a comment, -->"),
            ("<?", "?>", "the end of an instruction, ?>"),
            ("<!", ">", "the end of a declaration, >"),
        ] {
            if self.cursor.skip(begin) {
                if self.cursor.take_until(end).is_none() {
                    return self.cursor.expected(expected);
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn name(&mut self) -> Result<String, ReadError> {
        let of_a_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let name = self.cursor.take_while(of_a_name);
        if name.is_empty() {
            return self.cursor.expected("a name");
        }
        Ok(name.rsplit(':').next().unwrap_or(name).to_owned())
    }

    fn spaces(&mut self) {
        self.cursor.take_while(char::is_whitespace);
    }

    fn close_tag(&mut self) -> Result<(), ReadError> {
        self.cursor.skip("</");
        let position = self.cursor.position;
        let name = self.name()?;
        self.spaces();
        if !self.cursor.skip(">") {
            return self.cursor.expected("`>`");
        }
        match self.open.pop() {
            Some(open) if open == name => Ok(()),
            _ => {
                let problem = Problem::Expected {
                    expected: "the end of the open element",
                    found: format!("`</{name}>`"),
                };
                Err(ReadError { position, problem })
            }
        }
    }

    fn open_tag(&mut self) -> Result<Piece, ReadError> {
        let position = self.cursor.position;
        if self.open.is_empty() && self.has_root {
            return self.cursor.expected("the end of the document");
        }
        self.has_root = true;
        self.cursor.skip("<");
        let name = self.name()?;
        if self.open.len() >= MAX_DEPTH {
            let problem = Problem::TooMany { what: "elements inside each other", limit: MAX_DEPTH };
            return Err(ReadError { position, problem });
        }
        let mut attributes = Vec::new();
        loop {
            self.spaces();
            if self.cursor.skip("/>") {
                self.pending_close = true;
                break;
            }
            if self.cursor.skip(">") {
                break;
            }
            let key = self.name()?;
            self.spaces();
            if !self.cursor.skip("=") {
                return self.cursor.expected("`=`");
            }
            self.spaces();
            let quote = match self.cursor.peek() {
                Some('"') => "\"",
                Some('\'') => "'",
                _ => return self.cursor.expected("a value in quotes"),
            };
            self.cursor.skip(quote);
            let position = self.cursor.position;
            let Some(value) = self.cursor.take_until(quote) else {
                return self.cursor.expected("a closing quote");
            };
            attributes.push((key, unescape(value, position)?));
        }
        self.open.push(name.clone());
        Ok(Piece::Open { name, attributes })
    }
}

/// Replaces the entities that XML itself has.
fn unescape(raw: &str, position: Position) -> Result<String, ReadError> {
    let mut text = String::new();
    let mut parts = raw.split('&');
    text.push_str(parts.next().unwrap_or(""));
    for part in parts {
        let (entity, rest) = part.split_once(';').unwrap_or((part, ""));
        let character = match entity {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => entity.strip_prefix('#').and_then(|number| {
                let code = match number.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)
            }),
        };
        match character {
            Some(character) if part.contains(';') => text.push(character),
            _ => {
                let found = format!("`&{}`", entity.chars().take(20).collect::<String>());
                let problem = Problem::Expected { expected: "an entity of XML, such as &amp;", found };
                return Err(ReadError { position, problem });
            }
        }
        text.push_str(rest);
    }
    Ok(text)
}

/// A text as it may stand in an element or attribute.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            character if character.is_control() => escaped.push(' '),
            character => escaped.push(character),
        }
    }
    escaped
}
