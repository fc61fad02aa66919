//! Readers of what is written for other tools. They stop at anything that the formats do not allow.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// A prefix as a file in MCI has it, counted from zero.
pub(crate) struct Mci {
    pub(crate) conditions: Vec<MciCondition>,
    /// The transition of each event.
    pub(crate) events: Vec<usize>,
    /// Of each cut-off the companion: `None` if it is not told, `Some(None)` for the beginning.
    pub(crate) cut_offs: BTreeMap<usize, Option<Option<usize>>>,
    pub(crate) places: Vec<String>,
    pub(crate) transitions: Vec<String>,
    /// The conditions that each event consumes, and those that it produces.
    pub(crate) presets: Vec<Vec<usize>>,
    pub(crate) postsets: Vec<Vec<usize>>,
}

pub(crate) struct MciCondition {
    pub(crate) place: usize,
    pub(crate) producer: Option<usize>,
    pub(crate) consumers: Vec<usize>,
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn number(&mut self) -> u32 {
        let (number, rest) = self.0.split_first_chunk::<4>().expect("a number of four bytes");
        self.0 = rest;
        u32::from_le_bytes(*number)
    }

    /// A number counted from one, `None` for zero.
    fn index(&mut self, below: usize) -> Option<usize> {
        let index = (self.number() as usize).checked_sub(1)?;
        assert!(index < below, "{index} of {below}");
        Some(index)
    }

    fn name(&mut self) -> String {
        let end = self.0.iter().position(|&byte| byte == 0).expect("the end of a name");
        let name = String::from_utf8(self.0[..end].to_vec()).expect("a name in UTF-8");
        self.0 = &self.0[end + 1..];
        name
    }

    /// Names up to an empty one.
    fn names(&mut self, longest: usize) -> Vec<String> {
        let names: Vec<String> =
            std::iter::from_fn(|| Some(self.name()).filter(|name| !name.is_empty())).collect();
        assert!(names.iter().all(|name| name.len() <= longest), "no name is longer than {longest}");
        names
    }
}

pub(crate) fn read_mci(bytes: &[u8]) -> Mci {
    let mut bytes = Bytes(bytes);
    let (conditions, events) = (bytes.number() as usize, bytes.number() as usize);
    let any = usize::MAX;
    let events: Vec<usize> = (0..events).map(|_| bytes.index(any).expect("a transition")).collect();
    let conditions: Vec<MciCondition> = (0..conditions)
        .map(|_| {
            let place = bytes.index(any).expect("a place");
            let producer = bytes.index(events.len());
            let consumers = std::iter::from_fn(|| bytes.index(events.len())).collect();
            MciCondition { place, producer, consumers }
        })
        .collect();
    let mut cut_offs = BTreeMap::new();
    while let Some(event) = bytes.index(events.len()) {
        let companion = match bytes.number() {
            u32::MAX => None,
            0 => Some(None),
            number => Some(Some(number as usize - 1)),
        };
        assert!(companion.flatten().is_none_or(|companion| companion < events.len()));
        assert_eq!(cut_offs.insert(event, companion), None, "a cut-off is told once");
    }
    assert_eq!(bytes.number(), 0, "the list of configurations that nobody uses is empty");
    let (place_count, transition_count) = (bytes.number() as usize, bytes.number() as usize);
    let longest = bytes.number() as usize;
    let (places, transitions) = (bytes.names(longest), bytes.names(longest));
    assert_eq!((places.len(), transitions.len()), (place_count, transition_count));
    assert!(places.iter().chain(&transitions).any(|name| name.len() == longest));
    assert!(bytes.0.is_empty(), "nothing comes after the names");
    assert!(conditions.iter().all(|condition| condition.place < place_count));
    assert!(events.iter().all(|&transition| transition < transition_count));
    let (mut presets, mut postsets) = (vec![Vec::new(); events.len()], vec![Vec::new(); events.len()]);
    for (number, condition) in conditions.iter().enumerate() {
        condition.consumers.iter().for_each(|&event| presets[event].push(number));
        condition.producer.into_iter().for_each(|event| postsets[event].push(number));
    }
    Mci { conditions, events, cut_offs, places, transitions, presets, postsets }
}

type Attributes = BTreeMap<String, String>;

/// A directed graph as a file in DOT has it.
#[derive(Default)]
pub(crate) struct Drawing {
    pub(crate) nodes: BTreeMap<String, Attributes>,
    pub(crate) edges: Vec<(String, String, Attributes)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Id(String),
    Sign(char),
    Arrow,
}

/// The tokens of Graphviz's grammar; keywords are told by their letters.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&first) = chars.peek() {
        match first {
            ' ' | '\n' => drop(chars.next()),
            '{' | '}' | '[' | ']' | ';' | ',' | '=' => tokens.extend(chars.next().map(Token::Sign)),
            '"' => tokens.push(Token::Id(quoted(&mut chars))),
            '-' => {
                chars.next();
                assert_eq!(chars.next(), Some('>'), "a directed graph has directed edges");
                tokens.push(Token::Arrow);
            }
            '0'..='9' => tokens.push(Token::Id(run(&mut chars, |c| c.is_ascii_digit()))),
            'a'..='z' | 'A'..='Z' | '_' => {
                tokens.push(Token::Id(run(&mut chars, |c| c.is_ascii_alphanumeric() || c == '_')));
            }
            other => panic!("{other:?} begins no token of DOT"),
        }
    }
    tokens
}

fn run(chars: &mut Peekable<Chars<'_>>, belongs: impl Fn(char) -> bool) -> String {
    std::iter::from_fn(|| chars.next_if(|&c| belongs(c))).collect()
}

/// A text in quotes. Graphviz itself knows only the escaped quote; in labels a backslash has to be escaped too.
fn quoted(chars: &mut Peekable<Chars<'_>>) -> String {
    chars.next();
    let mut text = String::new();
    loop {
        match chars.next().expect("the end of a text") {
            '"' => return text,
            '\\' => match chars.next() {
                Some(escaped @ ('"' | '\\')) => text.push(escaped),
                other => panic!("\\{other:?} means something else in a label"),
            },
            character => text.push(character),
        }
    }
}

/// Reads `digraph ID { ... }` with statements for nodes and edges.
pub(crate) fn read_drawing(text: &str) -> Drawing {
    let mut tokens = tokens(text).into_iter().peekable();
    let id = |tokens: &mut Peekable<std::vec::IntoIter<Token>>| match tokens.next() {
        Some(Token::Id(id)) => id,
        other => panic!("{other:?} where a name belongs"),
    };
    assert_eq!(id(&mut tokens), "digraph");
    id(&mut tokens);
    assert_eq!(tokens.next(), Some(Token::Sign('{')));
    let mut drawing = Drawing::default();
    while tokens.next_if_eq(&Token::Sign('}')).is_none() {
        let node = id(&mut tokens);
        assert!(!["node", "edge", "graph", "digraph", "subgraph", "strict"].contains(&node.as_str()));
        let to = tokens.next_if_eq(&Token::Arrow).map(|_| id(&mut tokens));
        let mut attributes = Attributes::new();
        if tokens.next_if_eq(&Token::Sign('[')).is_some() {
            loop {
                let key = id(&mut tokens);
                assert_eq!(tokens.next(), Some(Token::Sign('=')));
                assert_eq!(attributes.insert(key, id(&mut tokens)), None);
                match tokens.next() {
                    Some(Token::Sign(',')) => {}
                    Some(Token::Sign(']')) => break,
                    other => panic!("{other:?} in a list of attributes"),
                }
            }
        }
        assert_eq!(tokens.next(), Some(Token::Sign(';')));
        match to {
            Some(to) => drawing.edges.push((node, to, attributes)),
            None => assert_eq!(drawing.nodes.insert(node, attributes), None, "a node is described once"),
        }
    }
    assert_eq!(tokens.next(), None, "nothing comes after the graph");
    for (from, to, _) in &drawing.edges {
        assert!(drawing.nodes.contains_key(from) && drawing.nodes.contains_key(to), "{from} -> {to}");
    }
    drawing
}
