//! DOT, the language of Graphviz: nets read and written, prefixes written.
//!
//! Places are circles, transitions boxes; a marked place has `tokens=1`, which Graphviz ignores, and is filled. Read is what a
//! person may have drawn: nodes with a shape, edges, chains of edges, defaults for nodes; subgraphs are not.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::builder::{Builder, Names, Node, error};
use super::text::{Cursor, decode};
use super::{MAX_ARCS, MAX_NODES, Position, Problem, ReadError, Source};
use crate::id::EventId;
use crate::net::Net;
use crate::unfolded::Unfolded;
use crate::unfolder::{Companion, Status};

/// Events above which a picture of a prefix shows events alone: nobody can read more.
const MAX_DRAWN_CONDITIONS: usize = 200;

/// Reads a net drawn in DOT.
///
/// # Errors
/// When it is no safe net; with line and column.
pub fn read_dot(bytes: &[u8]) -> Result<Source, ReadError> {
    let text = decode(bytes)?;
    let mut reader = Reader {
        cursor: Cursor::new(&text),
        default_shape: String::new(),
        nodes: Vec::new(),
        numbers: BTreeMap::new(),
        edges: Vec::new(),
    };
    reader.graph()?;
    reader.finish()
}

struct Drawn {
    id: String,
    label: Option<String>,
    shape: String,
    tokens: u64,
    position: Position,
}

struct Edge {
    from: usize,
    to: usize,
    weight: u64,
    is_read: bool,
    position: Position,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    default_shape: String,
    nodes: Vec<Drawn>,
    numbers: BTreeMap<String, usize>,
    edges: Vec<Edge>,
}

impl Reader<'_> {
    fn spaces(&mut self) -> Result<(), ReadError> {
        loop {
            self.cursor.take_while(|character| character.is_whitespace() || matches!(character, ';' | ','));
            if self.cursor.rest().starts_with("//") || self.cursor.rest().starts_with('#') {
                self.cursor.take_while(|character| character != '\n');
            } else if self.cursor.skip("/*") {
                if self.cursor.take_until("*/").is_none() {
                    return self.cursor.expected("the end of a comment, */");
                }
            } else {
                return Ok(());
            }
        }
    }

    /// A word or a text in quotes; `None` if something else stands here.
    fn word(&mut self) -> Result<Option<String>, ReadError> {
        self.spaces()?;
        if !self.cursor.skip("\"") {
            let of_a_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
            let mut word = self.cursor.take_while(of_a_word).to_owned();
            if word.is_empty() && self.cursor.rest().starts_with('-') && !self.cursor.rest().starts_with("->")
            {
                self.cursor.next();
                word = format!("-{}", self.cursor.take_while(of_a_word));
            }
            return Ok((!word.is_empty()).then_some(word));
        }
        let mut text = String::new();
        loop {
            match self.cursor.next() {
                Some('"') => return Ok(Some(text)),
                Some('\\') => match self.cursor.next() {
                    Some(character @ ('"' | '\\')) => text.push(character),
                    Some(character) => text.extend(['\\', character]),
                    None => return self.cursor.expected("a closing quote"),
                },
                Some(character) => text.push(character),
                None => return self.cursor.expected("a closing quote"),
            }
        }
    }

    fn graph(&mut self) -> Result<(), ReadError> {
        self.spaces()?;
        self.cursor.skip("strict");
        self.spaces()?;
        if !self.cursor.skip("digraph") {
            return self.cursor.expected("digraph");
        }
        self.word()?;
        self.spaces()?;
        if !self.cursor.skip("{") {
            return self.cursor.expected("`{`");
        }
        loop {
            self.spaces()?;
            if self.cursor.skip("}") {
                self.spaces()?;
                return if self.cursor.peek().is_none() {
                    Ok(())
                } else {
                    self.cursor.expected("the end of the file")
                };
            }
            self.statement()?;
        }
    }

    fn statement(&mut self) -> Result<(), ReadError> {
        self.spaces()?;
        let position = self.cursor.position;
        let is_quoted = self.cursor.peek() == Some('"');
        let Some(word) = self.word()? else { return self.cursor.expected("a node or an edge") };
        if !is_quoted && matches!(word.as_str(), "node" | "edge" | "graph") {
            let attributes = self.attributes()?;
            if let ("node", Some(shape)) = (word.as_str(), attributes.get("shape")) {
                self.default_shape.clone_from(shape);
            }
            return Ok(());
        }
        if !is_quoted && word == "subgraph" {
            return Err(error(position, Problem::Unsupported("a subgraph".to_owned())));
        }
        self.spaces()?;
        if self.cursor.skip("=") {
            self.word()?;
            return Ok(());
        }
        let mut chain = vec![self.node(&word, position)?];
        loop {
            self.spaces()?;
            if !self.cursor.skip("->") {
                break;
            }
            self.spaces()?;
            let position = self.cursor.position;
            let Some(word) = self.word()? else { return self.cursor.expected("a node") };
            chain.push(self.node(&word, position)?);
        }
        let attributes = self.attributes()?;
        if let [node] = chain[..] {
            self.describe(node, &attributes, position)
        } else {
            self.edge(&chain, &attributes, position)
        }
    }

    fn attributes(&mut self) -> Result<BTreeMap<String, String>, ReadError> {
        let mut attributes = BTreeMap::new();
        loop {
            self.spaces()?;
            if !self.cursor.skip("[") {
                return Ok(attributes);
            }
            loop {
                self.spaces()?;
                if self.cursor.skip("]") {
                    break;
                }
                let Some(key) = self.word()? else { return self.cursor.expected("an attribute or `]`") };
                self.spaces()?;
                let mut value = String::from("true");
                if self.cursor.skip("=") {
                    match self.word()? {
                        Some(word) => value = word,
                        None => return self.cursor.expected("a value"),
                    }
                }
                attributes.insert(key, value);
            }
        }
    }

    fn node(&mut self, id: &str, position: Position) -> Result<usize, ReadError> {
        if let Some(&number) = self.numbers.get(id) {
            return Ok(number);
        }
        if self.nodes.len() >= 2 * MAX_NODES {
            return Err(error(position, Problem::TooMany { what: "nodes", limit: 2 * MAX_NODES }));
        }
        let number = self.nodes.len();
        let shape = self.default_shape.clone();
        self.nodes.push(Drawn { id: id.to_owned(), label: None, shape, tokens: 0, position });
        self.numbers.insert(id.to_owned(), number);
        Ok(number)
    }

    fn describe(
        &mut self,
        node: usize,
        attributes: &BTreeMap<String, String>,
        position: Position,
    ) -> Result<(), ReadError> {
        let drawn = &mut self.nodes[node];
        // A node is declared where it is described, though an edge may have named it before.
        drawn.position = position;
        drawn.shape.clone_from(attributes.get("shape").unwrap_or(&self.default_shape));
        drawn.label = attributes.get("label").cloned();
        if let Some(tokens) = attributes.get("tokens") {
            match tokens.parse() {
                Ok(number) => drawn.tokens = number,
                Err(_) => {
                    let found = format!("`{tokens}`");
                    return Err(error(position, Problem::Expected { expected: "a number of tokens", found }));
                }
            }
        }
        Ok(())
    }

    fn edge(
        &mut self,
        chain: &[usize],
        attributes: &BTreeMap<String, String>,
        position: Position,
    ) -> Result<(), ReadError> {
        let is_read = attributes.get("dir").is_some_and(|dir| dir == "none" || dir == "both");
        let weight = match attributes.get("tokens").map(|weight| weight.parse()) {
            None => 1,
            Some(Ok(weight)) => weight,
            Some(Err(_)) => {
                let found = "something else".to_owned();
                return Err(error(position, Problem::Expected { expected: "a number of tokens", found }));
            }
        };
        for pair in chain.windows(2) {
            if self.edges.len() >= MAX_ARCS {
                return Err(error(position, Problem::TooMany { what: "arcs", limit: MAX_ARCS }));
            }
            self.edges.push(Edge { from: pair[0], to: pair[1], weight, is_read, position });
        }
        Ok(())
    }

    fn finish(self) -> Result<Source, ReadError> {
        let (mut builder, mut names) = (Builder::default(), Names::new());
        for drawn in &self.nodes {
            let name = drawn.label.clone().unwrap_or_else(|| drawn.id.clone());
            let node = match drawn.shape.as_str() {
                "circle" | "ellipse" | "oval" | "doublecircle" => {
                    Node::Place(builder.place(name, drawn.tokens, drawn.position)?)
                }
                "box" | "rect" | "rectangle" | "square" => {
                    Node::Transition(builder.transition(name, drawn.position)?)
                }
                _ => return Err(error(drawn.position, Problem::UnknownNode(format!("`{}`", drawn.id)))),
            };
            names.add(drawn.id.clone(), node, drawn.position)?;
        }
        for edge in &self.edges {
            let node = |number: usize| names.get(&self.nodes[number].id);
            if let (Some(from), Some(to)) = (node(edge.from), node(edge.to)) {
                builder.arc(from, to, edge.is_read, edge.weight, edge.position)?;
            }
        }
        builder.finish()
    }
}

/// A text in quotes.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            character if character.is_control() => quoted.push(' '),
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// Draws a net.
#[must_use]
pub fn write_dot(net: &Net) -> String {
    let mut text = String::from("digraph net {\n");
    for place in net.places() {
        let mark = if net.is_marked(place) { ", tokens=1, style=filled, fillcolor=gold" } else { "" };
        let _ = writeln!(text, "  p{place} [shape=circle, label={}{mark}];", quote(net.place_name(place)));
    }
    for transition in net.transitions() {
        let _ =
            writeln!(text, "  t{transition} [shape=box, label={}];", quote(net.transition_name(transition)));
    }
    for transition in net.transitions() {
        for place in net.preset(transition) {
            let _ = writeln!(text, "  p{place} -> t{transition};");
        }
        for place in net.postset(transition) {
            let _ = writeln!(text, "  t{transition} -> p{place};");
        }
    }
    text.push_str("}\n");
    text
}

/// Draws a prefix of a net: conditions and events, or, of more than 200 events, events alone with their immediate causes
/// and the choices between them. Cut-offs have a double frame, and a dotted line to their companion.
#[must_use]
pub fn write_prefix_dot(net: &Net, prefix: &Unfolded) -> String {
    let mut text = String::from("digraph prefix {\n");
    for (number, event) in prefix.numbered() {
        let name = net.transition_name(event.transition);
        let label = quote(&format!("{name}:e{number}"));
        let frame = match event.status {
            Status::CutOff(_) => ", peripheries=2, style=filled, fillcolor=lightgrey",
            Status::Open | Status::Extended => "",
        };
        let _ = writeln!(text, "  e{number} [shape=box, label={label}{frame}];");
        if let Status::CutOff(Some(Companion::Event(companion))) = event.status {
            let _ = writeln!(text, "  e{number} -> e{companion} [style=dotted, constraint=false];");
        }
    }
    if prefix.events.len() > MAX_DRAWN_CONDITIONS {
        draw_events(prefix, &mut text);
    } else {
        draw_conditions(net, prefix, &mut text);
    }
    text.push_str("}\n");
    text
}

fn draw_conditions(net: &Net, prefix: &Unfolded, text: &mut String) {
    for (number, condition) in prefix.conditions.iter().enumerate() {
        let label = quote(&format!("{}:c{number}", net.place_name(condition.place)));
        let mark = if condition.producer.is_none() { ", tokens=1, style=filled, fillcolor=gold" } else { "" };
        let _ = writeln!(text, "  c{number} [shape=circle, label={label}{mark}];");
    }
    for (number, event) in prefix.numbered() {
        for condition in &event.preset {
            let _ = writeln!(text, "  c{condition} -> e{number};");
        }
    }
    for (number, condition) in prefix.conditions.iter().enumerate() {
        if let Some(producer) = condition.producer {
            let _ = writeln!(text, "  e{producer} -> c{number};");
        }
    }
}

fn draw_events(prefix: &Unfolded, text: &mut String) {
    let mut consumers: Vec<Vec<EventId>> = vec![Vec::new(); prefix.conditions.len()];
    for (number, event) in prefix.numbered() {
        let producers = event.preset.iter().filter_map(|at| prefix.conditions[at.index()].producer);
        let mut causes: Vec<EventId> = producers.collect();
        causes.sort_unstable();
        causes.dedup();
        for cause in causes {
            let _ = writeln!(text, "  e{cause} -> e{number};");
        }
        event.preset.iter().for_each(|condition| consumers[condition.index()].push(number));
    }
    // A chain through those that exclude each other says the same as all pairs, in fewer lines.
    for rivals in consumers {
        for pair in rivals.windows(2) {
            let (left, right) = (pair[0], pair[1]);
            let _ = writeln!(
                text,
                "  e{left} -> e{right} [dir=none, style=dashed, color=red, constraint=false];"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_by_hand_is_read() {
        let text = "// by hand\ndigraph g { rankdir=LR; node [shape=circle]\n a [tokens=1]; b;\n node [shape=box]; t [label=\"fire \\\"now\\\"\"];\n a -> t -> b; }";
        let net = read_dot(text.as_bytes()).unwrap().net;
        assert_eq!((net.places().len(), net.transitions().len(), net.arc_count()), (2, 1, 2));
        assert_eq!(net.transition_name(crate::TransitionId(0)), "fire \"now\"");
        assert!(net.is_marked(crate::PlaceId(0)));
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let place = |text: &str| {
            let error = read_dot(text.as_bytes()).unwrap_err();
            (error.position.line, error.position.column)
        };
        assert_eq!(place("digraph {\n a -> b\n}"), (2, 2), "nodes without a shape");
        assert_eq!(place("digraph {\n a [shape=circle"), (2, 17));
        assert_eq!(place("digraph {\n a [shape=circle tokens=2]\n}"), (2, 2));
        assert_eq!(place("graph {}"), (1, 1));
        assert_eq!(place("digraph { subgraph x {} }"), (1, 11));
    }
}
