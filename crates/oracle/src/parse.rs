//! Reads the text of a program.
//!
//! More is accepted than [`crate::text`] writes: names of objects are free, a `#` starts a comment, empty lines are
//! skipped. What is accepted is not checked for sense; that is [`crate::check`].

use std::collections::BTreeMap;

use raddle_trace::limits::MAX_THREADS;

use crate::words::{Names, Parsed, Words};
use crate::{Program, Stmt};

/// Why a text is not a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ParseError {
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

/// Reads a program.
///
/// # Errors
/// If a line is not understood.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut lines = Lines { lines: split(text), next: 0 };
    let mut program = Program::default();
    let mut names = BTreeMap::new();
    while let Some(mut words) = lines.next() {
        if words.word()? == "thread" {
            let number: usize = words.number()?;
            words.end()?;
            if number != program.threads.len() || number >= MAX_THREADS {
                return words.wrong(format!("expected thread {}", program.threads.len()));
            }
            let block = lines.block(&names, Depth(0))?;
            program.threads.push(block);
        } else {
            words.next = 0;
            let (name, object) = words.declaration()?;
            if !program.threads.is_empty() || names.contains_key(name) {
                return words.wrong(format!("`{name}` cannot be declared here"));
            }
            names.insert(name, program.declare(object));
        }
    }
    Ok(program)
}

/// The lines that say something, with their numbers.
fn split(text: &str) -> Vec<Words<'_>> {
    let mut lines = Vec::new();
    for (index, content) in text.lines().enumerate() {
        let words: Vec<&str> = content.split('#').next().unwrap_or("").split_whitespace().collect();
        if !words.is_empty() {
            lines.push(Words { line: index + 1, words, next: 0 });
        }
    }
    lines
}

/// How many blocks are open. Limited, because blocks are read by recursion and a file must not overflow our stack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
struct Depth(usize);

const MAX_DEPTH: Depth = Depth(32);

struct Lines<'t> {
    lines: Vec<Words<'t>>,
    next: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Option<Words<'t>> {
        let words = self.lines.get(self.next).cloned();
        self.next += 1;
        words
    }

    /// Reads statements up to the line that closes the block, which stays unread.
    fn block(&mut self, names: &Names<'t>, depth: Depth) -> Parsed<Vec<Stmt>> {
        let mut block = Vec::new();
        while let Some(words) = self.lines.get(self.next).cloned() {
            match words.words[0] {
                "thread" if depth == Depth(0) => break,
                "}" if depth > Depth(0) => break,
                _ => block.push(self.statement(names, depth)?),
            }
        }
        Ok(block)
    }

    fn statement(&mut self, names: &Names<'t>, depth: Depth) -> Parsed<Stmt> {
        let Some(mut words) = self.next() else { unreachable!("bug in raddle: no line to read") };
        match words.word()? {
            "once" => {
                let once = words.object(names)?;
                words.expect(&["{"])?;
                let body = self.inner(names, depth, &words)?;
                self.close(&words)?;
                Ok(Stmt::Once { once, body })
            }
            "if" => self.branch(names, depth, words),
            _ => {
                words.next = 0;
                let statement = words.statement(names)?;
                words.end()?;
                Ok(statement)
            }
        }
    }

    fn branch(&mut self, names: &Names<'t>, depth: Depth, mut words: Words<'t>) -> Parsed<Stmt> {
        let (reg, equals) = (words.register()?, words.number()?);
        words.expect(&["{"])?;
        let then = self.inner(names, depth, &words)?;
        let mut otherwise = Vec::new();
        if self.lines.get(self.next).is_some_and(|line| line.words == ["}", "else", "{"]) {
            self.next += 1;
            otherwise = self.inner(names, depth, &words)?;
        }
        self.close(&words)?;
        Ok(Stmt::If { reg, equals, then, otherwise })
    }

    fn inner(&mut self, names: &Names<'t>, depth: Depth, opening: &Words<'t>) -> Parsed<Vec<Stmt>> {
        if depth >= MAX_DEPTH {
            return opening.wrong("too many blocks inside each other".to_owned());
        }
        self.block(names, Depth(depth.0 + 1))
    }

    fn close(&mut self, opening: &Words<'t>) -> Parsed<()> {
        match self.next() {
            Some(mut words) => words.expect(&["}"]),
            None => opening.wrong("the block is not closed".to_owned()),
        }
    }
}
