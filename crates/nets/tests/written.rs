//! What is written for other tools, read by readers that know nothing of the writers: MCI as its description has it, DOT by
//! the grammar of Graphviz.
#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

mod common;
mod readers;

use std::collections::{BTreeMap, BTreeSet};

use common::{Random, product, rings};
use raddle_nets::format::{write_dot, write_mci, write_prefix_dot};
use raddle_nets::{Companion, Limits, Net, Order, Status, Unfolder, samples};
use readers::{Drawing, Mci, read_drawing, read_mci};

fn nets() -> Vec<Net> {
    let random = &mut Random(31);
    let mut nets: Vec<Net> = (0..60).map(|_| product(random, false)).collect();
    nets.extend((0..8).map(|_| rings(random)));
    nets.extend([samples::philosophers(3), samples::locks(3, 3, 1), samples::looping_locks(3)]);
    nets.extend([samples::locks(4, 2, 1), samples::readers(7, false)]);
    let mut odd = Net::new();
    let place = odd.add_place("grün \\ \"<weiß>\"", true);
    odd.add_transition("a -> b; }", &[place], &[]).unwrap();
    nets.push(odd);
    nets
}

fn prefixes() -> impl Iterator<Item = (Net, Unfolder)> {
    let orders = [Order::Erv, Order::Mole, Order::Mcmillan];
    nets().into_iter().zip(orders.into_iter().cycle()).map(|(net, order)| {
        let mut prefix = Unfolder::of_net(&net, order, Limits::default());
        prefix.complete().unwrap();
        (net, prefix)
    })
}

/// The events that come before one, itself included, as the file has it.
fn history(mci: &Mci, event: usize) -> BTreeSet<usize> {
    let (mut before, mut open) = (BTreeSet::new(), vec![event]);
    while let Some(event) = open.pop() {
        if before.insert(event) {
            open.extend(
                mci.presets[event].iter().filter_map(|&condition| mci.conditions[condition].producer),
            );
        }
    }
    before
}

/// The places that are marked after the events before this one and itself, as the file has it; `None` for no event.
fn marking(mci: &Mci, last: Option<usize>) -> Vec<usize> {
    let events = last.map(|event| history(mci, event)).unwrap_or_default();
    let holds = mci.conditions.iter().filter(|condition| {
        condition.producer.is_none_or(|event| events.contains(&event))
            && !condition.consumers.iter().any(|event| events.contains(event))
    });
    let mut places: Vec<usize> = holds.map(|condition| condition.place).collect();
    places.sort_unstable();
    places
}

#[test]
fn mci_holds_every_condition_event_and_cut_off_of_the_prefix() {
    let mut cut_offs = 0;
    for (net, prefix) in prefixes() {
        let mci = read_mci(&write_mci(&net, &prefix.unfolded()));
        assert_eq!(mci.conditions.len(), prefix.condition_count());
        assert_eq!(mci.events.len(), prefix.event_count());
        for (condition, read) in prefix.conditions().zip(&mci.conditions) {
            assert_eq!(read.place, prefix.place(condition).index());
            assert_eq!(read.producer, prefix.producer(condition).map(|event| event.index()));
        }
        for (event, &transition) in prefix.events().zip(&mci.events) {
            assert_eq!(transition, prefix.transition(event).index());
            let mut preset: Vec<usize> = prefix.preset(event).map(|condition| condition.index()).collect();
            preset.sort_unstable();
            assert_eq!(mci.presets[event.index()], preset);
            let expected = match prefix.status(event) {
                Status::CutOff(companion) => Some(companion.map(|companion| match companion {
                    Companion::Initial => None,
                    Companion::Event(event) => Some(event.index()),
                })),
                Status::Open | Status::Extended => None,
            };
            assert_eq!(mci.cut_offs.get(&event.index()).copied(), expected);
        }
        assert_eq!(mci.cut_offs.len(), prefix.cut_off_count());
        cut_offs += mci.cut_offs.len();
        let of_places: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
        let of_transitions: Vec<&str> = net.transitions().map(|step| net.transition_name(step)).collect();
        assert_eq!((mci.places, mci.transitions), (to_texts(&of_places), to_texts(&of_transitions)));
    }
    assert!(cut_offs > 500, "{cut_offs} cut-offs are too few to tell");
}

fn to_texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn mci_tells_by_itself_that_it_is_a_prefix_of_the_net() {
    for (net, mut prefix) in prefixes() {
        let mci = read_mci(&write_mci(&net, &prefix.unfolded()));
        let places = |of: &[raddle_nets::PlaceId]| of.iter().map(|place| place.index()).collect::<Vec<_>>();
        assert_eq!(marking(&mci, None), places(net.initial_marking().places()));
        for (event, transition) in prefix.events().zip(net_transitions(&net, &mci)) {
            let number = event.index();
            let labels = |conditions: &[usize]| {
                let mut labels: Vec<usize> = conditions.iter().map(|&at| mci.conditions[at].place).collect();
                labels.sort_unstable();
                labels
            };
            assert_eq!(labels(&mci.presets[number]), places(net.preset(transition)));
            assert_eq!(labels(&mci.postsets[number]), places(net.postset(transition)));
            let before = history(&mci, number);
            let known: BTreeSet<usize> =
                prefix.local_configuration(event).into_iter().map(|event| event.index()).collect();
            assert_eq!(before, known, "causality");
            let mut used = BTreeSet::new();
            let own = before.iter().flat_map(|&event| &mci.presets[event]);
            assert!(
                own.into_iter().all(|condition| used.insert(condition)),
                "nobody is in conflict with itself"
            );
            if let Some(Some(companion)) = mci.cut_offs.get(&number) {
                assert_eq!(marking(&mci, Some(number)), marking(&mci, *companion));
            }
        }
    }
}

/// The transitions of the events, in the order of the file.
fn net_transitions(net: &Net, mci: &Mci) -> Vec<raddle_nets::TransitionId> {
    let all: Vec<_> = net.transitions().collect();
    mci.events.iter().map(|&transition| all[transition]).collect()
}

type Edges = BTreeSet<(String, String)>;

/// The edges whose style is this one; those without a style for `None`.
fn edges(drawing: &Drawing, style: Option<&str>) -> Edges {
    let with_style = drawing
        .edges
        .iter()
        .filter(|(_, _, attributes)| attributes.get("style").map(String::as_str) == style);
    with_style.map(|(from, to, _)| (from.clone(), to.clone())).collect()
}

#[test]
fn a_drawn_net_is_dot_and_has_every_node_and_arc() {
    for net in nets() {
        let drawing = read_drawing(&write_dot(&net));
        let mut nodes = BTreeMap::new();
        for place in net.places() {
            let tokens = net.is_marked(place).then(|| "1".to_owned());
            nodes.insert(format!("p{place}"), ("circle", net.place_name(place).to_owned(), tokens));
        }
        let mut arcs = Edges::new();
        for step in net.transitions() {
            nodes.insert(format!("t{step}"), ("box", net.transition_name(step).to_owned(), None));
            arcs.extend(net.preset(step).iter().map(|place| (format!("p{place}"), format!("t{step}"))));
            arcs.extend(net.postset(step).iter().map(|place| (format!("t{step}"), format!("p{place}"))));
        }
        let read = drawing.nodes.iter().map(|(id, attributes)| {
            let tokens = attributes.get("tokens").cloned();
            (id.clone(), (attributes["shape"].as_str(), attributes["label"].clone(), tokens))
        });
        assert_eq!(read.collect::<BTreeMap<_, _>>(), nodes);
        assert_eq!(edges(&drawing, None), arcs);
        assert_eq!(drawing.edges.len(), arcs.len());
    }
}

#[test]
fn a_drawn_prefix_is_dot_and_shows_conditions_events_and_cut_offs() {
    let (mut small, mut large) = (0, 0);
    for (net, prefix) in prefixes() {
        let drawing = read_drawing(&write_prefix_dot(&net, &prefix.unfolded()));
        let (mut arcs, mut causes, mut companions) = (Edges::new(), Edges::new(), Edges::new());
        let mut cut_offs = BTreeSet::new();
        for event in prefix.events() {
            let id = format!("e{event}");
            assert_eq!(drawing.nodes[&id]["shape"], "box");
            let name = net.transition_name(prefix.transition(event));
            assert_eq!(drawing.nodes[&id]["label"], format!("{name}:e{event}"));
            for condition in prefix.preset(event) {
                arcs.insert((format!("c{condition}"), id.clone()));
                causes.extend(prefix.producer(condition).map(|cause| (format!("e{cause}"), id.clone())));
            }
            if let Status::CutOff(companion) = prefix.status(event) {
                cut_offs.insert(id.clone());
                if let Some(Companion::Event(companion)) = companion {
                    companions.insert((id.clone(), format!("e{companion}")));
                }
            }
        }
        let framed = drawing.nodes.iter().filter(|(_, attributes)| attributes.contains_key("peripheries"));
        assert_eq!(framed.map(|(id, _)| id.clone()).collect::<BTreeSet<_>>(), cut_offs);
        assert_eq!(edges(&drawing, Some("dotted")), companions);
        if prefix.event_count() > 200 {
            large += 1;
            assert_eq!(drawing.nodes.len(), prefix.event_count(), "events alone");
            assert_eq!(edges(&drawing, None), causes);
            continue;
        }
        small += 1;
        for condition in prefix.conditions() {
            let id = format!("c{condition}");
            assert_eq!(drawing.nodes[&id]["shape"], "circle");
            assert_eq!(
                drawing.nodes[&id]["label"],
                format!("{}:{id}", net.place_name(prefix.place(condition)))
            );
            arcs.extend(prefix.producer(condition).map(|event| (format!("e{event}"), id)));
        }
        assert_eq!(drawing.nodes.len(), prefix.event_count() + prefix.condition_count());
        assert_eq!(edges(&drawing, None), arcs);
    }
    assert!(small > 20 && large > 2, "{small} small and {large} large prefixes");
}

#[test]
fn events_of_a_large_drawing_that_exclude_each_other_are_joined_by_dashes() {
    let net = samples::readers(8, false);
    let mut prefix = Unfolder::of_net(&net, Order::Erv, Limits::default());
    prefix.complete().unwrap();
    let drawing = read_drawing(&write_prefix_dot(&net, &prefix.unfolded()));
    assert_eq!(drawing.nodes.len(), 1_024);
    let dashed = edges(&drawing, Some("dashed"));
    assert!(!dashed.is_empty());
    let events: BTreeMap<String, _> = prefix.events().map(|event| (format!("e{event}"), event)).collect();
    for (left, right) in dashed {
        assert!(prefix.in_conflict(events[&left], events[&right]), "{left} and {right}");
    }
}
