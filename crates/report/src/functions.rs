//! Which function of a Rust source a line lies in, found by reading it: a place of Rust does not tell.
//!
//! This is a reader of braces, not of Rust: it skips comments and texts, and takes the first brace after `fn name` for the
//! beginning of its body.

/// The functions of a source file, those inside others after them.
pub(crate) struct Functions(Vec<Body>);

struct Body {
    name: String,
    first: u32,
    last: u32,
}

impl Functions {
    pub(crate) fn of(source: &str) -> Functions {
        let mut bodies: Vec<Body> = Vec::new();
        // The bodies that are not closed yet, with the depth of their brace.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let (mut depth, mut line) = (0, 1);
        let (mut after_fn, mut name) = (false, None);
        for (piece, text) in pieces(source) {
            match (piece, text) {
                (Piece::Word, "fn") => after_fn = true,
                (Piece::Word, word) if std::mem::take(&mut after_fn) => name = Some((word.to_owned(), line)),
                (Piece::Sign, "{") => {
                    depth += 1;
                    if let Some((name, first)) = name.take() {
                        open.push((bodies.len(), depth));
                        bodies.push(Body { name, first, last: first });
                    }
                }
                (Piece::Sign, "}") => {
                    if let Some((body, _)) = open.pop_if(|(_, own)| *own == depth) {
                        bodies[body].last = line;
                    }
                    depth = depth.saturating_sub(1);
                }
                // A declaration without a body.
                (Piece::Sign, ";") => name = None,
                (Piece::Sign, "(") => after_fn = false,
                _ => {}
            }
            line += text.matches('\n').count() as u32;
        }
        Functions(bodies)
    }

    /// The innermost function around a line.
    pub(crate) fn around(&self, line: u32) -> Option<&str> {
        let around = |body: &&Body| (body.first..=body.last).contains(&line);
        self.0.iter().rfind(around).map(|body| body.name.as_str())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Word,
    Sign,
    /// A comment, a text or a space.
    Other,
}

/// The pieces of a source, in order; together they are all of it.
fn pieces(source: &str) -> impl Iterator<Item = (Piece, &str)> {
    let mut rest = source;
    std::iter::from_fn(move || {
        let (piece, length) = next(rest)?;
        let (text, after) = rest.split_at(length);
        rest = after;
        Some((piece, text))
    })
}

/// What a source begins with, and how long that is.
fn next(rest: &str) -> Option<(Piece, usize)> {
    let first = rest.chars().next()?;
    let until =
        |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    if rest.starts_with("//") {
        return Some((Piece::Other, until("\n", 2)));
    }
    if rest.starts_with("/*") {
        return Some((Piece::Other, until("*/", 2)));
    }
    if let Some(raw) = raw_text(rest) {
        return Some((Piece::Other, raw));
    }
    if first == '"' {
        return Some((Piece::Other, text_end(rest)));
    }
    if first == '\'' {
        // A letter between quotes; otherwise the name of a lifetime, whose quote stands alone.
        let letter = rest[1..].chars().next().map_or(0, char::len_utf8);
        let quoted = rest[1..].starts_with('\\') || rest[1 + letter..].starts_with('\'');
        let escaped = if rest[1..].starts_with('\\') { 3 } else { 1 + letter };
        let is_escape = rest.is_char_boundary(escaped.min(rest.len()));
        return Some((
            Piece::Other,
            if quoted && is_escape { until("'", escaped.min(rest.len())) } else { 1 },
        ));
    }
    if first.is_alphanumeric() || first == '_' {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        return Some((Piece::Word, end.unwrap_or(rest.len())));
    }
    let piece = if first.is_whitespace() { Piece::Other } else { Piece::Sign };
    Some((piece, first.len_utf8()))
}

/// The length of a text with escapes.
fn text_end(rest: &str) -> usize {
    let mut escaped = true;
    let end = rest.char_indices().find(|(_, letter)| {
        let is_end = *letter == '"' && !escaped;
        escaped = *letter == '\\' && !escaped;
        is_end
    });
    end.map_or(rest.len(), |(at, _)| at + 1)
}

/// The length of a text without escapes, as in `r#"…"#`, if there is one.
fn raw_text(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let inside = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = rest.len() - inside.len();
    Some(inside.find(&end).map_or(rest.len(), |at| start + at + end.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r##"struct Queue<'a>(&'a str);
impl<'a> Queue<'a> {
    /// fn not_this() {
    fn put(&self, other: fn(u8) -> u8) -> Result<(), ()> {
        let letters = ['{', '\'', '"', '\n'];
        let text = "} \" fn {"; let raw = r#"}" fn x() {"#;
        fn inner() {
            work();
        }
        Ok(())
    }
    fn declared(&self);
}
static OUTSIDE: u8 = 0;
fn test() { /* } */
    run(|| { put() });
}
"##;

    #[test]
    fn a_line_lies_in_the_innermost_function_around_it() {
        let functions = Functions::of(SOURCE);
        let at = |text: &str| {
            let line = SOURCE.lines().position(|line| line.contains(text)).expect("it is there") + 1;
            functions.around(line as u32)
        };
        assert_eq!((at("letters"), at("raw"), at("Ok(())")), (Some("put"), Some("put"), Some("put")));
        assert_eq!((at("work()"), at("run(||"), at("OUTSIDE")), (Some("inner"), Some("test"), None));
        assert_eq!(at("declared"), None);
    }

    #[test]
    fn anything_can_be_read() {
        for source in ["", "'", "'\\", "\"", "r#\"", "/*", "fn", "fn f", "}}}", "'é", "'\\é", "fn é { '"] {
            Functions::of(source).around(1);
        }
    }
}
