//! PEP's low-level format, `.ll_net`: what most published nets are written in.
//!
//! Three header lines, then blocks of one item a line: places (`PL`), transitions (`TR`), arcs to places (`TP`, `1<2`: transition
//! 1 produces into place 2), arcs to transitions (`PT`, `2>1`), read arcs (`RA`, `1<2`). Layout, colours and the like stand in
//! fields and blocks that are stepped over.

use super::builder::{Builder, Names, Node, error};
use super::text::{Cursor, decode, plain};
use super::{MAX_NODES, Problem, ReadError, Source};
use crate::net::Net;

/// The blocks of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Places,
    Transitions,
    ArcsToPlaces,
    ArcsToTransitions,
    ReadArcs,
    /// A block that says nothing about behaviour.
    Skipped,
}

fn block(word: &str) -> Option<Block> {
    Some(match word {
        "PL" => Block::Places,
        "TR" => Block::Transitions,
        "TP" => Block::ArcsToPlaces,
        "PT" => Block::ArcsToTransitions,
        "RA" => Block::ReadArcs,
        "BL" | "DBL" | "DPL" | "DTR" | "DPT" | "PTR" | "PTP" | "PPT" | "TX" => Block::Skipped,
        _ => return None,
    })
}

/// Reads a net in PEP's low-level format.
///
/// # Errors
/// When it is no safe net; with line and column.
pub fn read_ll_net(bytes: &[u8]) -> Result<Source, ReadError> {
    let text = decode(bytes)?;
    let mut reader = Reader { cursor: Cursor::new(&text), ..Reader::default() };
    reader.header()?;
    while reader.cursor.peek().is_some() {
        reader.line()?;
    }
    reader.builder.finish()
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    block: Block,
    builder: Builder,
    places: Names<u64>,
    transitions: Names<u64>,
    next_place: u64,
    next_transition: u64,
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Self {
            cursor: Cursor::new(""),
            block: Block::Skipped,
            builder: Builder::default(),
            places: Names::new(),
            transitions: Names::new(),
            next_place: 1,
            next_transition: 1,
        }
    }
}

impl<'a> Reader<'a> {
    fn header(&mut self) -> Result<(), ReadError> {
        for (words, expected) in [
            (&["PEP"][..], "PEP"),
            (&["PTNet", "PetriBox"], "PTNet or PetriBox"),
            (&["FORMAT_N2", "FORMAT_N"], "FORMAT_N or FORMAT_N2"),
        ] {
            self.cursor.take_while(char::is_whitespace);
            if !words.iter().any(|word| self.cursor.skip(word)) {
                return self.cursor.expected(expected);
            }
            self.end_of_line()?;
        }
        Ok(())
    }

    /// Spaces, a comment, and the end of the line.
    fn end_of_line(&mut self) -> Result<(), ReadError> {
        self.spaces();
        if self.cursor.peek() == Some('%') {
            self.cursor.take_while(|character| character != '\n');
        }
        match self.cursor.peek() {
            None => Ok(()),
            Some('\n') => {
                self.cursor.next();
                Ok(())
            }
            Some(_) => self.cursor.expected("the end of the line"),
        }
    }

    fn spaces(&mut self) {
        self.cursor.take_while(|character| character.is_whitespace() && character != '\n');
    }

    fn line(&mut self) -> Result<(), ReadError> {
        self.spaces();
        if let None | Some('\n' | '%') = self.cursor.peek() {
            return self.end_of_line();
        }
        let mut ahead = self.cursor;
        let word = ahead.take_while(|character| character.is_ascii_uppercase());
        if word.len() >= 2 {
            match block(word) {
                Some(block) => {
                    self.block = block;
                    self.cursor = ahead;
                    if block != Block::Skipped {
                        return self.end_of_line();
                    }
                }
                None if self.block == Block::Skipped => {}
                None => return self.cursor.expected("a block (PL, TR, TP, PT or RA)"),
            }
        }
        match self.block {
            Block::Skipped => {
                self.cursor.take_while(|character| character != '\n');
                self.cursor.next();
                Ok(())
            }
            Block::Places | Block::Transitions => self.node(),
            Block::ArcsToPlaces => self.arc('<', false),
            Block::ArcsToTransitions => self.arc('>', false),
            Block::ReadArcs => self.arc('<', true),
        }
    }

    fn number(&mut self) -> Result<Option<u64>, ReadError> {
        let position = self.cursor.position;
        let digits = self.cursor.take_while(|character| character.is_ascii_digit());
        if digits.is_empty() {
            return Ok(None);
        }
        match digits.parse::<u64>() {
            Ok(number) if number <= u64::from(u32::MAX) => Ok(Some(number)),
            _ => Err(error(position, Problem::TooMany { what: "as a number", limit: u32::MAX as usize })),
        }
    }

    fn node(&mut self) -> Result<(), ReadError> {
        let position = self.cursor.position;
        let number = self.number()?;
        self.spaces();
        let name = match self.cursor.peek() {
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?.to_owned(),
            _ => return self.cursor.expected("a name in quotes"),
        };
        let (mut tokens, mut has_initial) = (0, false);
        while let Some((letter, value)) = self.field()? {
            match letter {
                'M' => (tokens, has_initial) = (value.unwrap_or(1), true),
                // The current marking stands for the initial one where only it is given.
                'm' if !has_initial => tokens = value.unwrap_or(1),
                _ => {}
            }
        }
        let (names, next) = match self.block {
            Block::Places => (&mut self.places, &mut self.next_place),
            _ => (&mut self.transitions, &mut self.next_transition),
        };
        let key = number.unwrap_or(*next);
        if key == 0 || key > 16 * MAX_NODES as u64 {
            let problem = Problem::TooMany { what: "as the number of a node", limit: 16 * MAX_NODES };
            return Err(error(position, problem));
        }
        *next = key + 1;
        let node = if self.block == Block::Places {
            Node::Place(self.builder.place(name, tokens, position)?)
        } else {
            Node::Transition(self.builder.transition(name, position)?)
        };
        names.add(key, node, position)?;
        self.end_of_line()
    }

    fn quoted(&mut self, quote: char) -> Result<&'a str, ReadError> {
        self.cursor.next();
        let inside = self.cursor.take_while(|character| character != quote && character != '\n');
        if self.cursor.peek() != Some(quote) {
            return self.cursor.expected("a closing quote");
        }
        self.cursor.next();
        Ok(inside)
    }

    /// A field: a letter and a value; or a position alone. `None` at the end of the line.
    fn field(&mut self) -> Result<Option<(char, Option<u64>)>, ReadError> {
        self.spaces();
        let letter = match self.cursor.peek() {
            None | Some('\n' | '%') => return Ok(None),
            Some(character) if character.is_ascii_alphabetic() => {
                self.cursor.next();
                character
            }
            Some(character) if character.is_ascii_digit() || matches!(character, '-' | '@' | ',') => {
                let of_a_position = |c: char| c.is_ascii_digit() || matches!(c, '-' | '@' | ',' | '.');
                self.cursor.take_while(of_a_position);
                return Ok(Some(('@', None)));
            }
            _ => return self.cursor.expected("a field (a letter and a value)"),
        };
        let value = match self.cursor.peek() {
            Some(quote @ ('"' | '\'')) => {
                self.quoted(quote)?;
                None
            }
            _ => {
                let number = self.number()?;
                let of_a_position = |c: char| c.is_ascii_digit() || matches!(c, '-' | '@' | ',' | '.');
                self.cursor.take_while(of_a_position);
                number
            }
        };
        Ok(Some((letter, value)))
    }

    fn arc(&mut self, sign: char, is_read: bool) -> Result<(), ReadError> {
        let position = self.cursor.position;
        let Some(left) = self.number()? else { return self.cursor.expected("the number of a node") };
        self.spaces();
        if self.cursor.peek() != Some(sign) {
            return self.cursor.expected(if sign == '<' { "`<`" } else { "`>`" });
        }
        self.cursor.next();
        self.spaces();
        let right_position = self.cursor.position;
        let Some(right) = self.number()? else { return self.cursor.expected("the number of a node") };
        let mut weight = 1;
        while let Some((letter, value)) = self.field()? {
            if letter == 'w' {
                weight = value.unwrap_or(1);
            }
        }
        let find = |names: &Names<u64>, key, position, problem: fn(String) -> Problem| {
            names.get(&key).ok_or_else(|| error(position, problem(key.to_string())))
        };
        let to_place = sign == '<';
        let ((transition, at_transition), (place, at_place)) = if to_place {
            ((left, position), (right, right_position))
        } else {
            ((right, right_position), (left, position))
        };
        let transition = find(&self.transitions, transition, at_transition, Problem::UnknownTransition)?;
        let place = find(&self.places, place, at_place, Problem::UnknownPlace)?;
        let (from, to) = if to_place { (transition, place) } else { (place, transition) };
        self.builder.arc(from, to, is_read, weight, position)?;
        self.end_of_line()
    }
}

/// Writes a net in PEP's low-level format.
#[must_use]
pub fn write_ll_net(net: &Net) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("PEP\nPTNet\nFORMAT_N2\nPL\n");
    for place in net.places() {
        let mark = if net.is_marked(place) { "M1" } else { "" };
        let _ = writeln!(text, "{}\"{}\"{mark}", place.0 + 1, plain(net.place_name(place)));
    }
    text.push_str("TR\n");
    for transition in net.transitions() {
        let _ = writeln!(text, "{}\"{}\"", transition.0 + 1, plain(net.transition_name(transition)));
    }
    text.push_str("TP\n");
    for transition in net.transitions() {
        for place in net.postset(transition) {
            let _ = writeln!(text, "{}<{}", transition.0 + 1, place.0 + 1);
        }
    }
    text.push_str("PT\n");
    for transition in net.transitions() {
        for place in net.preset(transition) {
            let _ = writeln!(text, "{}>{}", place.0 + 1, transition.0 + 1);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::Position;
    use super::*;

    fn problem_of(text: &str) -> (u32, u32, Problem) {
        let error = read_ll_net(text.as_bytes()).unwrap_err();
        let Position { line, column } = error.position;
        (line, column, error.problem)
    }

    #[test]
    fn fields_comments_and_other_blocks_are_stepped_over() {
        let text = "PEP\nPetriBox\nFORMAT_N\nDPL s7n10@-9t2\nBL\n1 \"B1\"630@330 b\"x\"\nPL\n\"P1\"690@270u\"(1)\"M1m1 % marked\n\
                    'P2'750@-180ex\nTR\n\"T1\"720@330b\"<x'=1>\"\nTP\n1<2w1v1J10@20\nPT\n1>1\nTX\n\"some text\"\n";
        let net = read_ll_net(text.as_bytes()).unwrap().net;
        assert_eq!((net.places().len(), net.transitions().len(), net.arc_count()), (2, 1, 2));
        assert_eq!(net.place_name(crate::PlaceId(1)), "P2");
        assert!(net.is_marked(crate::PlaceId(0)) && !net.is_marked(crate::PlaceId(1)));
    }

    #[test]
    fn latin_1_is_read() {
        let source = read_ll_net(b"PEP\nPTNet\nFORMAT_N\nPL\n1\"gr\xfcn\"M1\n").unwrap();
        assert_eq!(source.net.place_name(crate::PlaceId(0)), "grün");
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let head = "PEP\nPTNet\nFORMAT_N2\nPL\n1\"a\"M1\n2\"b\"\nTR\n1\"t\"\n";
        let unknown = |text: &str| Problem::UnknownPlace(text.to_owned());
        assert_eq!(problem_of(&format!("{head}TP\n1<3\n")), (10, 3, unknown("3")));
        assert_eq!(problem_of(&format!("{head}PT\n9>1\n")), (10, 1, unknown("9")));
        let (line, column, problem) = problem_of(&format!("{head}PT\n1>7\n"));
        assert_eq!((line, column, problem), (10, 3, Problem::UnknownTransition("7".to_owned())));
        assert!(matches!(problem_of(&format!("{head}PT\n1>1w2\n")), (10, 1, Problem::Weight(..))));
        assert!(matches!(problem_of(&format!("{head}PT\n1>1\n1>1\n")), (8, 1, Problem::Weight(..))));
        assert!(matches!(problem_of(&format!("{head}PT\n1<1\n")), (10, 2, Problem::Expected { .. })));
        assert!(matches!(problem_of(head), (8, 1, Problem::NoPreset(_))));
        assert!(matches!(problem_of(&head.replace("M1", "M2")), (5, 1, Problem::Tokens(_, 2))));
        assert!(matches!(problem_of(&head.replace("M1", "")), (5, 1, Problem::EmptyMarking)));
        assert!(matches!(problem_of(&head.replace("2\"b", "1\"b")), (6, 1, Problem::Twice(_))));
        assert!(matches!(problem_of(&head.replace("2\"b\"", "2\"b")), (6, 4, Problem::Expected { .. })));
        assert!(matches!(problem_of(&head.replace("TR", "XY")), (7, 1, Problem::Expected { .. })));
        assert!(matches!(problem_of("PEP\nfoo\n"), (2, 1, Problem::Expected { .. })));
        let large = head.replace("2\"b", "99999999999999999999\"b");
        assert!(matches!(problem_of(&large), (6, 1, Problem::TooMany { .. })));
    }

    #[test]
    fn an_error_says_what_and_where() {
        let error = read_ll_net(b"PEP\nPTNet\nFORMAT_N2\nPL\n1\"a\"M3\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 5, column 1: place `a` has 3 tokens; only safe nets, with at most one token a place, can be read"
        );
    }
}
