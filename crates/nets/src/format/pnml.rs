//! PNML (ISO/IEC 15909-2), the part for place/transition nets: pages are flattened, references followed, tools' own data and
//! graphics stepped over. An arc whose type is `read` or `test` is a read arc. PIPE's files are read too: they have no
//! pages, call the type `P/T net`, write `value` for `text`, and name the class of tokens before their number.

use std::collections::BTreeMap;

use super::builder::{Builder, Names, Node, error};
use super::text::decode;
use super::xml::{Piece, Pieces, escape};
use super::{MAX_ARCS, MAX_NODES, Position, Problem, ReadError, Source};
use crate::net::Net;

/// Reads a net in PNML. Of several nets in one document the first is read.
///
/// # Errors
/// When it is no safe net; with line and column.
pub fn read_pnml(bytes: &[u8]) -> Result<Source, ReadError> {
    let text = decode(bytes)?;
    let mut reader = Reader::default();
    let mut pieces = Pieces::new(&text);
    while let Some((piece, position)) = pieces.next()? {
        match piece {
            Piece::Open { name, attributes } => reader.open(name, attributes, position)?,
            Piece::Text(text) => reader.text(&text, position)?,
            Piece::Close => reader.close()?,
        }
    }
    reader.finish()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Place,
    Transition,
    Arc { source: String, target: String },
    Reference { to: String },
}

/// A node or arc that is being read.
#[derive(Clone, Debug)]
struct Item {
    kind: Kind,
    id: String,
    name: Option<String>,
    /// Tokens of a place, weight of an arc.
    number: Option<u64>,
    is_read: bool,
    position: Position,
}

#[derive(Default)]
struct Reader {
    path: Vec<String>,
    /// The depth below which nothing is read: tools' own data, or a second net.
    skip_below: Option<usize>,
    nets: usize,
    current: Option<(Item, usize)>,
    builder: Builder,
    names: Option<Names<String>>,
    references: BTreeMap<String, String>,
    arcs: Vec<Item>,
    /// The class of the tokens, where a file names it.
    class: Option<String>,
}

impl Reader {
    fn open(
        &mut self,
        name: String,
        attributes: Vec<(String, String)>,
        position: Position,
    ) -> Result<(), ReadError> {
        let depth = self.path.len();
        if depth == 0 && name != "pnml" {
            let problem = Problem::Expected { expected: "the element `pnml`", found: format!("`{name}`") };
            return Err(error(position, problem));
        }
        self.path.push(name.clone());
        if self.skip_below.is_some() {
            return Ok(());
        }
        let find =
            |key: &str| attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone());
        match name.as_str() {
            "toolspecific" => self.skip_below = Some(depth),
            "net" => {
                self.nets += 1;
                if self.nets > 1 {
                    self.skip_below = Some(depth);
                } else {
                    check_type(find("type"), position)?;
                }
            }
            "type" if self.current.is_some() => self.arc_type(find("value").as_deref(), position)?,
            "place" | "transition" | "arc" | "referencePlace" | "referenceTransition" => {
                // TAPAAL calls its nets `P/T net` too. What it says in attributes would be taken for left out.
                if let Some(told) = ["initialMarking", "weight"].into_iter().find(|key| find(key).is_some()) {
                    let problem = format!("TAPAAL's own form, `{told}` as an attribute (export it as PNML)");
                    return Err(error(position, Problem::Unsupported(problem)));
                }
                self.current = Some((item(&name, &find, position)?, depth));
            }
            _ => {}
        }
        Ok(())
    }

    fn arc_type(&mut self, value: Option<&str>, position: Position) -> Result<(), ReadError> {
        let Some((item, _)) = &mut self.current else { return Ok(()) };
        match value {
            None | Some("normal") => Ok(()),
            Some("read" | "test") => {
                item.is_read = true;
                Ok(())
            }
            Some(other) => Err(error(position, Problem::Unsupported(format!("an arc of type `{other}`")))),
        }
    }

    fn text(&mut self, text: &str, position: Position) -> Result<(), ReadError> {
        if self.skip_below.is_some() {
            return Ok(());
        }
        let Some((item, depth)) = &mut self.current else { return Ok(()) };
        let inside = self.path.get(*depth + 1).map_or("", String::as_str);
        let is_text = matches!(self.path.last().map(String::as_str), Some("text" | "value"));
        match inside {
            "name" if is_text => item.name = Some(text.trim().to_owned()),
            "initialMarking" | "inscription" if is_text => {
                let number = number(text, &mut self.class, position)?;
                item.number = Some(number);
            }
            "type" if is_text => return self.arc_type(Some(text.trim()), position),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), ReadError> {
        self.path.pop();
        let depth = self.path.len();
        if self.skip_below == Some(depth) {
            self.skip_below = None;
        }
        match self.current.take() {
            Some((item, at)) if at == depth => self.add(item),
            other => {
                self.current = other;
                Ok(())
            }
        }
    }

    fn add(&mut self, item: Item) -> Result<(), ReadError> {
        let name = item.name.clone().unwrap_or_else(|| item.id.clone());
        let node = match &item.kind {
            Kind::Place => Node::Place(self.builder.place(name, item.number.unwrap_or(0), item.position)?),
            Kind::Transition => Node::Transition(self.builder.transition(name, item.position)?),
            Kind::Reference { to } => {
                if self.references.len() >= MAX_NODES {
                    let problem = Problem::TooMany { what: "references", limit: MAX_NODES };
                    return Err(error(item.position, problem));
                }
                self.references.insert(item.id.clone(), to.clone());
                return Ok(());
            }
            Kind::Arc { .. } => {
                if self.arcs.len() >= MAX_ARCS {
                    let problem = Problem::TooMany { what: "arcs", limit: MAX_ARCS };
                    return Err(error(item.position, problem));
                }
                self.arcs.push(item);
                return Ok(());
            }
        };
        self.names.get_or_insert_with(Names::new).add(item.id, node, item.position)
    }

    /// The node that an identifier stands for, through references.
    fn node(&self, id: &str, position: Position) -> Result<Node, ReadError> {
        let mut id = id.to_owned();
        for _ in 0..=self.references.len() {
            if let Some(node) = self.names.as_ref().and_then(|names| names.get(&id)) {
                return Ok(node);
            }
            match self.references.get(&id) {
                Some(next) => id.clone_from(next),
                None => break,
            }
        }
        Err(error(position, Problem::UnknownNode(format!("`{id}`"))))
    }

    fn finish(mut self) -> Result<Source, ReadError> {
        for arc in std::mem::take(&mut self.arcs) {
            let Kind::Arc { source, target } = &arc.kind else { continue };
            let (from, to) = (self.node(source, arc.position)?, self.node(target, arc.position)?);
            self.builder.arc(from, to, arc.is_read, arc.number.unwrap_or(1), arc.position)?;
        }
        self.builder.finish()
    }
}

fn item(
    element: &str,
    find: &impl Fn(&str) -> Option<String>,
    position: Position,
) -> Result<Item, ReadError> {
    let need = |key: &'static str, expected: &'static str| {
        find(key).ok_or_else(|| {
            error(position, Problem::Expected { expected, found: format!("`{element}` without it") })
        })
    };
    let kind = match element {
        "place" => Kind::Place,
        "transition" => Kind::Transition,
        "arc" => Kind::Arc {
            source: need("source", "an attribute `source`")?,
            target: need("target", "an attribute `target`")?,
        },
        _ => Kind::Reference { to: need("ref", "an attribute `ref`")? },
    };
    let id = match kind {
        Kind::Arc { .. } => find("id").unwrap_or_default(),
        _ => need("id", "an attribute `id`")?,
    };
    Ok(Item { kind, id, name: None, number: None, is_read: false, position })
}

/// A number of tokens: a number, or classes of tokens with a number each, all but one of them zero and it always the same.
fn number(text: &str, class: &mut Option<String>, position: Position) -> Result<u64, ReadError> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let pairs: Vec<(&str, &str)> = match words[..] {
        [number] => vec![("", number)],
        _ => words.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or_default())).collect(),
    };
    let mut total = 0;
    for (of, number) in pairs {
        let Ok(number) = number.parse::<u64>() else {
            let found = format!("`{}`", number.chars().take(20).collect::<String>());
            return Err(error(position, Problem::Expected { expected: "a number", found }));
        };
        if number == 0 {
            continue;
        }
        if !of.is_empty() && class.get_or_insert_with(|| of.to_owned()) != of {
            return Err(error(position, Problem::Unsupported("tokens of several classes".to_owned())));
        }
        total = number;
    }
    Ok(total)
}

/// The names of the type that tools write: the standard's and its predecessors', and PIPE's.
fn check_type(value: Option<String>, position: Position) -> Result<(), ReadError> {
    let is_known = |value: &str| value.contains("ptnet") || value == "p/t net";
    match value {
        Some(value) if !value.is_empty() && !is_known(&value.trim().to_ascii_lowercase()) => {
            let shown = value.chars().take(80).collect::<String>();
            Err(error(position, Problem::Unsupported(format!("a net of type `{shown}`"))))
        }
        _ => Ok(()),
    }
}

/// Writes a net in PNML.
#[must_use]
pub fn write_pnml(net: &Net) -> String {
    use std::fmt::Write as _;
    let mut text = String::from(concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n",
        " <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n",
        "  <page id=\"page\">\n",
    ));
    for place in net.places() {
        let mark = match net.is_marked(place) {
            true => "<initialMarking><text>1</text></initialMarking>",
            false => "",
        };
        let name = escape(net.place_name(place));
        let _ = writeln!(
            text,
            "   <place id=\"p{}\"><name><text>{name}</text></name>{mark}</place>",
            place.0 + 1
        );
    }
    for transition in net.transitions() {
        let name = escape(net.transition_name(transition));
        let _ = writeln!(
            text,
            "   <transition id=\"t{}\"><name><text>{name}</text></name></transition>",
            transition.0 + 1
        );
    }
    let mut arcs = 0;
    for transition in net.transitions() {
        let number = transition.0 + 1;
        let inputs =
            net.preset(transition).iter().map(|place| (format!("p{}", place.0 + 1), format!("t{number}")));
        let outputs =
            net.postset(transition).iter().map(|place| (format!("t{number}"), format!("p{}", place.0 + 1)));
        for (source, target) in inputs.chain(outputs) {
            arcs += 1;
            let _ = writeln!(text, "   <arc id=\"a{arcs}\" source=\"{source}\" target=\"{target}\"/>");
        }
    }
    text.push_str("  </page>\n </net>\n</pnml>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap(inside: &str) -> String {
        format!(
            "<pnml>\n<net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n{inside}\n</net></pnml>"
        )
    }

    fn problem_of(inside: &str) -> (u32, u32, Problem) {
        let error = read_pnml(wrap(inside).as_bytes()).unwrap_err();
        (error.position.line, error.position.column, error.problem)
    }

    #[test]
    fn pages_references_and_tool_data_are_understood() {
        let text = wrap(
            "<page id=\"g\"><place id=\"p\"><name><text>a &amp; b</text><graphics/></name>
            <initialMarking><text> 1 </text></initialMarking><toolspecific tool=\"x\"><place id=\"p\"/></toolspecific></place>
            <!-- nested --><page id=\"h\"><referencePlace id=\"r\" ref=\"p\"/><transition id=\"t\"/>
            <arc id=\"x\" source=\"r\" target=\"t\"><inscription><text>1</text></inscription></arc></page></page>",
        );
        let net = read_pnml(text.as_bytes()).unwrap().net;
        assert_eq!((net.places().len(), net.transitions().len(), net.arc_count()), (1, 1, 1));
        assert_eq!(net.place_name(crate::PlaceId(0)), "a & b");
        assert_eq!(net.transition_name(crate::TransitionId(0)), "t");
    }

    /// As PIPE 4 writes it, also the classes of tokens that nobody uses.
    const PIPE: &str = "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\n<pnml>\n<net id=\"Net-One\" type=\"P/T net\">
<token id=\"Default\" enabled=\"true\" red=\"0\" green=\"0\" blue=\"0\"/>
<labels x=\"121\" y=\"234\" width=\"104\" height=\"36\" border=\"false\">\n<text>7</text>\n</labels>
<place id=\"P0\">\n<graphics>\n<position x=\"615.0\" y=\"210.0\"/>\n</graphics>
<name>\n<value>bereit</value>\n<graphics>\n<offset x=\"0.0\" y=\"0.0\"/>\n</graphics>\n</name>
<initialMarking>\n<value>Default,1,Red,0</value>\n<graphics>\n<offset x=\"0.0\" y=\"0.0\"/>\n</graphics>\n</initialMarking>
<capacity>\n<value>0</value>\n</capacity>\n</place>
<place id=\"P1\">\n<name>\n<value>P1</value>\n</name>
<initialMarking>\n<value>Default,0,Red,0</value>\n</initialMarking>\n<capacity>\n<value>3</value>\n</capacity>\n</place>
<transition id=\"T0\">\n<name>\n<value>T0</value>\n</name>\n<orientation>\n<value>90</value>\n</orientation>
<rate>\n<value>1.0</value>\n</rate>\n<timed>\n<value>false</value>\n</timed>
<infiniteServer>\n<value>false</value>\n</infiniteServer>\n<priority>\n<value>1</value>\n</priority>\n</transition>
<arc id=\"P0 to T0\" source=\"P0\" target=\"T0\">\n<graphics/>\n<inscription>\n<value>Default,1</value>\n<graphics/>\n</inscription>
<tagged>\n<value>false</value>\n</tagged>
<arcpath id=\"000\" x=\"629\" y=\"221\" curvePoint=\"false\"/>\n<type value=\"normal\"/>\n</arc>
<arc id=\"T0 to P1\" source=\"T0\" target=\"P1\">\n<inscription>\n<value>1</value>\n</inscription>\n<type value=\"normal\"/>\n</arc>
</net>\n</pnml>\n";

    #[test]
    fn files_of_pipe_are_read() {
        // In Latin-1, as the file says.
        let bytes: Vec<u8> =
            PIPE.replace("bereit", "gr\u{fc}n").chars().map(|character| character as u8).collect();
        let net = read_pnml(&bytes).unwrap().net;
        assert_eq!((net.places().len(), net.transitions().len(), net.arc_count()), (2, 1, 2));
        assert_eq!(net.place_name(crate::PlaceId(0)), "gr\u{fc}n");
        assert_eq!((net.is_marked(crate::PlaceId(0)), net.is_marked(crate::PlaceId(1))), (true, false));
        let problem = |from: &str, to: &str| {
            let error = read_pnml(PIPE.replacen(from, to, 1).as_bytes()).unwrap_err();
            (error.position.line, error.problem)
        };
        let classes = Problem::Unsupported("tokens of several classes".to_owned());
        assert_eq!(problem("Default,0,Red,0", "Default,0,Red,1"), (33, classes.clone()));
        assert_eq!(problem("Default,1</value>", "Red,1</value>"), (62, classes));
        assert!(matches!(problem("Default,1,Red,0", "Default,1,Red"), (19, Problem::Expected { .. })));
        assert!(matches!(problem("Default,1,Red,0", "Default,2"), (_, Problem::Tokens(_, 2))));
        assert!(matches!(problem("\"normal\"", "\"inhibitor\""), (_, Problem::Unsupported(_))));
        assert!(matches!(problem("P/T net", "Coloured net"), (3, Problem::Unsupported(_))));
        let timed = problem("<place id=\"P1\">", "<place id=\"P1\" initialMarking=\"1\">");
        assert!(matches!(timed, (28, Problem::Unsupported(_))), "{timed:?}");
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let place =
            "<place id=\"p\"><initialMarking><text>1</text></initialMarking></place><transition id=\"t\"/>\n";
        let unknown = Problem::UnknownNode("`q`".to_owned());
        assert_eq!(problem_of(&format!("{place}<arc source=\"q\" target=\"t\"/>")), (4, 1, unknown));
        let same = problem_of(&format!("{place} <arc source=\"p\" target=\"p\"/>"));
        assert!(matches!(same, (4, 2, Problem::SameKind(..))), "{same:?}");
        let heavy = "<arc source=\"p\" target=\"t\"><inscription><text>2</text></inscription></arc>";
        assert!(matches!(problem_of(&format!("{place}{heavy}")), (4, 1, Problem::Weight(_, _, 2))));
        let inhibitor = "<arc source=\"p\" target=\"t\"><type value=\"inhibitor\"/></arc>";
        assert!(matches!(problem_of(&format!("{place}{inhibitor}")), (4, 28, Problem::Unsupported(_))));
        let inhibitor = "<arc source=\"p\" target=\"t\"><type><text>inhibitor</text></type></arc>";
        assert!(matches!(problem_of(&format!("{place}{inhibitor}")), (4, 40, Problem::Unsupported(_))));
        let loops = "<referencePlace id=\"a\" ref=\"b\"/><referencePlace id=\"b\" ref=\"a\"/><arc source=\"a\" target=\"t\"/>";
        assert!(matches!(problem_of(&format!("{place}{loops}")), (4, _, Problem::UnknownNode(_))));
        assert!(matches!(problem_of("<place id=\"p\"/>"), (3, 1, Problem::EmptyMarking)));
        assert!(matches!(problem_of("<place/>"), (3, 1, Problem::Expected { .. })));
        assert!(matches!(problem_of("<place id=\"p\"></plac>"), (3, 17, Problem::Expected { .. })));
        assert!(matches!(problem_of(&place.replace(">1<", ">2<")), (3, 1, Problem::Tokens(_, 2))));
        assert!(matches!(problem_of(&place.replace(">1<", ">x<")), (3, 37, Problem::Expected { .. })));
        assert!(matches!(problem_of(place), (3, 70, Problem::NoPreset(_))));
        assert!(matches!(problem_of(&"<page>".repeat(300)), (3, _, Problem::TooMany { .. })));
        assert!(matches!(problem_of("<a b=\"&bomb;\"/>"), (3, 7, Problem::Expected { .. })));
    }
}
