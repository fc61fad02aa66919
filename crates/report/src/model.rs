//! The model of a program in words: names for its places and transitions, as a net for files and as a picture.

use std::collections::BTreeMap;

use raddle_explore::model::{Author, Beyond, LabelledNet, LabelledTransition, ModelNet, ModelPlace};
use raddle_nets::{Net, PlaceId, Status, Unfolded, format};
use raddle_trace::level::{QUEUE_WORD, RW_FREE, channel, once};
use raddle_trace::{Kind, Outcome, ThreadId};

use crate::cells::spoken;
use crate::sanitise::sanitise;
use crate::text::{clip, count, grouped};
use crate::{Graph, Node, Shape, Style, values};

/// The nodes of a net, and of its unfolding, that are drawn on a page: nobody can read more.
pub const DRAWN_NODES: usize = 300;
/// The nodes of a net, and of its unfolding, that are written to a file.
pub const EXPORTED_NODES: usize = 500_000;
/// The longest name of an object that is shown whole.
const LONGEST_NAME: usize = 32;

/// The formats of a model.
pub const MODEL_FORMATS: [&str; 3] = ["dot", "pnml", "ll_net"];
/// The formats of its unfolding.
pub const PREFIX_FORMATS: [&str; 2] = ["dot", "mci"];

/// What of a model goes into a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelPart {
    /// The net of local states and valuations.
    Net,
    /// Its unfolding, with terminals marked.
    Prefix,
}

/// Why a model cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    /// The strategy builds none.
    #[error(
        "the model has no unfolding: only the strategies `unfolding` and `unfolding-stateless` build one"
    )]
    NoUnfolding,
    /// Nobody could read it anyway.
    #[error(
        "the {what} has {} nodes more than the {} that can be written; fewer threads or fewer steps make it smaller",
        grouped(*more), grouped(EXPORTED_NODES as u64)
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How many nodes were left out.
        more: u64,
    },
    /// There is no such format.
    #[error("{what} cannot be written as `{format}`; there are {known}")]
    Format {
        /// What was to be written.
        what: &'static str,
        /// How.
        format: String,
        /// What there is.
        known: String,
    },
}

/// A model or its unfolding as the contents of a file.
///
/// # Errors
/// If there is no such format for it, or it is too large.
pub fn model_file(model: &ModelNet, part: ModelPart, format: &str) -> Result<Vec<u8>, ModelError> {
    let wrong = |what, known: &[&str]| ModelError::Format {
        what,
        format: format.to_owned(),
        known: known.join(", "),
    };
    match part {
        ModelPart::Net => {
            let write = match format {
                "dot" => format::write_dot,
                "pnml" => format::write_pnml,
                "ll_net" => format::write_ll_net,
                _ => return Err(wrong("a model", &MODEL_FORMATS)),
            };
            if model.net.left_out > 0 {
                return Err(ModelError::TooLarge { what: "model", more: model.net.left_out });
            }
            Ok(write(&named_net(model, &model.net)).into_bytes())
        }
        ModelPart::Prefix => {
            let write = match format {
                "dot" => |net: &Net, prefix: &Unfolded| format::write_prefix_dot(net, prefix).into_bytes(),
                "mci" => format::write_mci,
                _ => return Err(wrong("an unfolding", &PREFIX_FORMATS)),
            };
            let unfolding = model.unfolding.as_ref().ok_or(ModelError::NoUnfolding)?;
            if unfolding.left_out > 0 {
                return Err(ModelError::TooLarge { what: "unfolding", more: unfolding.left_out });
            }
            Ok(write(&named_net(model, &unfolding.net), &unfolding.prefix))
        }
    }
}

/// Why no model of a program could be built, as half a sentence.
#[must_use]
pub fn beyond(why: Beyond) -> String {
    match why {
        Beyond::Operation(kind) => {
            let what = match kind {
                Kind::Spin => "waits in a loop",
                Kind::Taken | Kind::Offer => "uses a channel without room",
                _ => "uses an object in two ways",
            };
            format!("it {what}, which the model has no construct for")
        }
        Beyond::Plain => {
            "its threads pass data to each other through plain memory in a way that no step shows".to_owned()
        }
        Beyond::Unordered => {
            "its threads share plain memory that no lock guards, and learn of each other by what \
                              orders nothing: a failed try, a notification or a weak atomic operation"
                .to_owned()
        }
        Beyond::Objects => "its runs do not tell which of their objects are the same".to_owned(),
        Beyond::Unstable => {
            "a number that a thread uses, such as an address, differs between runs".to_owned()
        }
        Beyond::Hidden => "a run failed before it came to where it was sent".to_owned(),
        Beyond::Size => "it is too large".to_owned(),
    }
}

/// The pictures of a model: the net, and the unfolding if there is one.
pub(crate) fn pictures(model: &ModelNet) -> Vec<Graph> {
    let mut pictures = vec![net_picture(&named_net(model, &model.net), model.net.left_out)];
    if let Some(unfolding) = &model.unfolding {
        let net = named_net(model, &unfolding.net);
        pictures.push(prefix_picture(&net, &unfolding.prefix, unfolding.left_out > 0));
    }
    pictures
}

/// Nodes stand in the order in which they are met, because a picture is drawn in that direction.
fn net_picture(net: &Net, left_out: u64) -> Graph {
    let mut graph = Graph { title: "The model of the program".to_owned(), left_out, ..Graph::default() };
    let mut numbers: Vec<Option<usize>> = vec![None; net.places().len()];
    let mut place = |graph: &mut Graph, place: PlaceId| {
        *numbers[place.index()].get_or_insert_with(|| {
            let shape = if net.is_marked(place) { Shape::Marked } else { Shape::Circle };
            add(graph, net.place_name(place), shape)
        })
    };
    for marked in net.places().filter(|&at| net.is_marked(at)) {
        place(&mut graph, marked);
    }
    for transition in net.transitions() {
        let before: Vec<usize> = net.preset(transition).iter().map(|&at| place(&mut graph, at)).collect();
        let own = add(&mut graph, net.transition_name(transition), Shape::Box);
        graph.edges.extend(before.into_iter().map(|from| (from, own)));
        for &after in net.postset(transition) {
            let to = place(&mut graph, after);
            graph.edges.push((own, to));
        }
    }
    graph
}

fn prefix_picture(net: &Net, prefix: &Unfolded, is_cut: bool) -> Graph {
    // How many more there are is not known: it is only unfolded as far as it is shown.
    let title = match (is_cut, count(prefix.events.len() as u64, "event")) {
        (true, events) => format!("The first {events} of its unfolding, terminals in red"),
        (false, _) => "Its unfolding, terminals in red".to_owned(),
    };
    let mut graph = Graph { title, ..Graph::default() };
    let mut produced: Vec<Vec<usize>> = vec![Vec::new(); prefix.events.len()];
    let mut numbers = vec![0; prefix.conditions.len()];
    let name = |condition: usize| net.place_name(prefix.conditions[condition].place);
    for (index, condition) in prefix.conditions.iter().enumerate() {
        match condition.producer {
            Some(event) => produced[event.index()].push(index),
            None => numbers[index] = add(&mut graph, name(index), Shape::Marked),
        }
    }
    for (number, event) in prefix.numbered() {
        let shape = if matches!(event.status, Status::CutOff(_)) { Shape::Terminal } else { Shape::Box };
        let own = add(&mut graph, net.transition_name(event.transition), shape);
        graph.edges.extend(event.preset.iter().map(|condition| (numbers[condition.index()], own)));
        for &condition in &produced[number.index()] {
            numbers[condition] = add(&mut graph, name(condition), Shape::Circle);
            graph.edges.push((own, numbers[condition]));
        }
    }
    graph
}

fn add(graph: &mut Graph, label: &str, shape: Shape) -> usize {
    graph.nodes.push(Node { label: label.to_owned(), shape });
    graph.nodes.len() - 1
}

/// The net with a name of its own for every place.
fn named_net(model: &ModelNet, labelled: &LabelledNet) -> Net {
    let names = Names::of(model);
    let mut net = Net::new();
    let short: Vec<String> = labelled.places.iter().map(|place| names.place(&place.stands_for)).collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    short.iter().for_each(|name| *uses.entry(name).or_default() += 1);
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for (place, short) in labelled.places.iter().zip(&short) {
        let by = match place.stands_for {
            ModelPlace::Object { by: Some(Author { thread, step }), .. } => format!(" by {thread}:{step}"),
            _ => String::new(),
        };
        let name = if uses[short.as_str()] > 1 { format!("{short}{by}") } else { short.clone() };
        let times = taken.entry(name.clone()).or_default();
        *times += 1;
        let again = if *times == 1 { String::new() } else { format!(" ~{times}") };
        net.add_place(format!("{name}{again}"), place.is_marked);
    }
    for transition in &labelled.transitions {
        let side = |places: &[u32]| places.iter().map(|place| PlaceId(*place)).collect::<Vec<_>>();
        let (before, after) = (side(&transition.before), side(&transition.after));
        let added = net.add_transition(names.transition(transition), &before, &after);
        debug_assert!(added.is_ok(), "bug in raddle: a step is no transition: {added:?}");
    }
    net
}

/// What the objects of a model are called.
struct Names {
    objects: Vec<(&'static str, String)>,
}

impl Names {
    fn of(model: &ModelNet) -> Names {
        let style = Style::default();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let objects = model.objects.iter().map(|note| {
            let number = numbers.entry(note.kind).or_default();
            let name = note.name.map(|name| clip(&sanitise(name, &style), LONGEST_NAME, "…"));
            let name = name.unwrap_or_else(|| {
                *number += 1;
                format!("{} {number}", note.kind)
            });
            (note.kind, name)
        });
        Names { objects: objects.collect() }
    }

    fn object(&self, object: u32) -> (&'static str, &str) {
        self.objects.get(object as usize).map_or(("object", "object"), |(kind, name)| (kind, name))
    }

    fn place(&self, place: &ModelPlace) -> String {
        match place {
            ModelPlace::Thread { thread, steps, read, asleep, ended } => {
                let read: Vec<String> = read.iter().copied().map(values::number).collect();
                let read = if read.is_empty() { String::new() } else { format!("[{}]", read.join(",")) };
                let state = match (asleep, ended) {
                    (true, _) => " asleep",
                    (_, true) => " ended",
                    _ => "",
                };
                // What a thread has seen is forgotten when it has ended and nobody is told.
                let steps = if *ended && *steps == 0 { String::new() } else { format!(":{steps}") };
                format!("{thread}{steps}{read}{state}")
            }
            ModelPlace::Object { object, copy, cell, number, waiting, messages, .. } => {
                let (kind, name) = self.object(*object);
                let number = number.unwrap_or_default();
                let copy = copy.map_or_else(String::new, |thread| format!(" for {thread}"));
                if *cell {
                    return format!("{name}={}{copy}", values::number(number));
                }
                let state = level(kind, number, waiting, *messages);
                format!("{name}{state}{copy}")
            }
        }
    }

    fn transition(&self, step: &LabelledTransition) -> String {
        use Kind::*;
        let thread = step.thread;
        let object = step.object.map_or("", |object| self.object(object).1);
        let other = step.other.map_or_else(|| "a thread".to_owned(), |other| other.to_string());
        let value = step.value.map_or_else(|| "?".to_owned(), values::number);
        let what = match step.kind {
            Load => format!("reads {object}={value}"),
            Store => format!("writes {object}={value}"),
            ReadModifyWrite => format!("changes {object} to {value}"),
            CompareExchange | WeakCompareExchange if step.outcome == Outcome::Failed => {
                format!("does not exchange {object}")
            }
            CompareExchange | WeakCompareExchange => format!("exchanges {object} for {value}"),
            Create => format!("creates {other}"),
            Join => format!("joins {other}"),
            Start => "starts".to_owned(),
            End => "ends".to_owned(),
            Choose => format!("chooses {value}"),
            NotifyOne if step.other.is_some() => format!("notifies {other} at {object}"),
            kind => format!("{} {object}", spoken(kind)).trim_end().to_owned(),
        };
        let outcome = match (step.kind, step.outcome) {
            (CompareExchange | WeakCompareExchange, _) => "",
            (_, Outcome::Failed) => ": fails",
            (Timeout | SpuriousWake, _) => "",
            (_, Outcome::TimedOut) => ": gives up",
            (_, Outcome::Already) => ": done before",
            (_, Outcome::Last) => ": the last",
            (_, Outcome::Closed) => ": closed",
            (_, Outcome::Done | Outcome::LastButOne) => "",
        };
        format!("{thread} {what}{outcome}")
    }
}

/// The state of an object that is no cell, behind its name; a lock that is free is known by its name alone.
fn level(kind: &str, level: i64, waiting: &[ThreadId], messages: u32) -> String {
    match kind {
        "mutex" | QUEUE_WORD => (if level > 0 { "" } else { " held" }).to_owned(),
        "rwlock" if level >= RW_FREE => String::new(),
        "rwlock" if level <= 0 => " written".to_owned(),
        "rwlock" => format!(" read by {}", RW_FREE - level),
        "condvar" | "barrier" if waiting.is_empty() => String::new(),
        "condvar" | "barrier" => {
            let waiting: Vec<String> = waiting.iter().map(ThreadId::to_string).collect();
            format!(" with {}", waiting.join(" "))
        }
        "once" if level == once::NEW => " new".to_owned(),
        "once" if level == once::RUNNING => " running".to_owned(),
        "once" => " done".to_owned(),
        "channel" => {
            let closed = channel::without_senders(level) || channel::without_receiver(level);
            let closed = if closed { ", closed" } else { "" };
            format!(" with {}{closed}", count(u64::from(messages), "message"))
        }
        _ => format!("={level}"),
    }
}
