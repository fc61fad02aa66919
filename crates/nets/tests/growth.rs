//! A net that grows while it is unfolded.
#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

mod common;

use common::{Random, histories, product};
use raddle_nets::{
    Companion, Limits, Marking, Net, Order, PlaceId, Status, TransitionId, Unfolder, markings_of_prefix,
    reachable, samples,
};

fn at_once(net: &Net) -> Unfolder {
    let mut unfolder = Unfolder::of_net(net, Order::Erv, Limits::default());
    unfolder.complete().unwrap();
    unfolder
}

/// Adds the transitions in a random order, each with its rank in the original net, and calls `between` after each.
fn grow(
    net: &Net,
    random: &mut Random,
    mut between: impl FnMut(&mut Unfolder, &mut Random),
) -> (Unfolder, Vec<u32>) {
    let mut unfolder = Unfolder::new(Order::Erv, Limits::default());
    for place in net.places() {
        unfolder.add_place(net.is_marked(place));
    }
    let mut transitions: Vec<TransitionId> = net.transitions().collect();
    random.shuffle(&mut transitions);
    for &transition in &transitions {
        unfolder
            .add_ranked_transition(net.preset(transition), net.postset(transition), transition.0)
            .unwrap();
        between(&mut unfolder, random);
    }
    unfolder.complete().unwrap();
    (unfolder, transitions.iter().map(|transition| transition.0).collect())
}

fn ranks(net: &Net) -> Vec<u32> {
    net.transitions().map(|transition| transition.0).collect()
}

fn nets(random: &mut Random, is_acyclic: bool, count: usize) -> Vec<Net> {
    let mut nets: Vec<Net> = (0..count).map(|_| product(random, is_acyclic)).collect();
    nets.push(samples::locks(2, 2, 1));
    nets.push(samples::readers_and_writers(2, 2, true));
    if !is_acyclic {
        nets.push(samples::philosophers(4));
        nets.push(samples::looping_locks(3));
    }
    nets
}

#[test]
fn the_order_in_which_transitions_are_given_changes_nothing() {
    let random = &mut Random(1);
    for net in nets(random, false, 300) {
        let (grown, grown_ranks) = grow(&net, random, |_, _| {});
        assert_eq!(histories(&grown, &grown_ranks), histories(&at_once(&net), &ranks(&net)), "{net:?}");
    }
}

#[test]
fn without_cut_offs_transitions_given_at_any_time_lead_to_the_same_unfolding() {
    let random = &mut Random(2);
    for net in nets(random, true, 300) {
        // Nothing is cut off by the caller, which is allowed because the net is acyclic.
        let everything = |unfolder: &mut Unfolder, most: usize| {
            for _ in 0..most {
                let Some(event) = unfolder.take().unwrap() else { break };
                unfolder.extend(event).unwrap();
            }
        };
        let mut whole = Unfolder::of_net(&net, Order::Erv, Limits::default());
        everything(&mut whole, usize::MAX);
        let mut grown = Unfolder::new(Order::Erv, Limits::default());
        net.places().for_each(|place| {
            grown.add_place(net.is_marked(place));
        });
        let mut transitions: Vec<TransitionId> = net.transitions().collect();
        random.shuffle(&mut transitions);
        for &transition in &transitions {
            grown
                .add_ranked_transition(net.preset(transition), net.postset(transition), transition.0)
                .unwrap();
            everything(&mut grown, random.below(10));
        }
        everything(&mut grown, usize::MAX);
        let grown_ranks: Vec<u32> = transitions.iter().map(|transition| transition.0).collect();
        assert_eq!(histories(&grown, &grown_ranks), histories(&whole, &ranks(&net)), "{net:?}");
    }
}

#[test]
fn with_cut_offs_transitions_given_at_any_time_still_make_a_complete_prefix() {
    let random = &mut Random(3);
    for net in nets(random, false, 300) {
        let (grown, _) = grow(&net, random, |unfolder, random| {
            for _ in 0..random.below(10) {
                unfolder.next().unwrap();
            }
        });
        // What makes the prefix complete: the companion is smaller, also when it was taken later.
        for event in grown.events() {
            if let Status::CutOff(Some(Companion::Event(companion))) = grown.status(event) {
                assert!(grown.size(companion) <= grown.size(event), "{event} {companion} {net:?}");
            }
        }
        let shown = markings_of_prefix(&grown, 1_000_000).unwrap();
        assert_eq!(shown, reachable(&net, 100_000).unwrap().markings, "{net:?}");
    }
}

#[test]
fn a_marked_place_given_late_is_marked_in_everything_that_happened() {
    let mut unfolder = Unfolder::new(Order::Erv, Limits::default());
    let (a, b) = (unfolder.add_place(true), unfolder.add_place(false));
    unfolder.add_transition(&[a], &[b]).unwrap();
    let first = unfolder.next().unwrap().unwrap();
    let (lock, done) = (unfolder.add_place(true), unfolder.add_place(false));
    unfolder.add_transition(&[b, lock], &[done]).unwrap();
    let second = unfolder.next().unwrap().unwrap();
    assert_eq!(unfolder.next(), Ok(None));
    assert_eq!(unfolder.marking(&[first]), [b, lock]);
    assert_eq!(unfolder.marking(&[second]), [done]);
    assert!(unfolder.is_before(first, second));
    assert_eq!(unfolder.local_configuration(second), [first, second]);
}

#[test]
fn places_marked_late_change_no_prefix() {
    let random = &mut Random(4);
    for net in nets(random, false, 200) {
        // Each place is added just before the first transition that touches it, with steps in between.
        let mut unfolder = Unfolder::new(Order::Erv, Limits::default());
        let mut numbers: Vec<Option<PlaceId>> = vec![None; net.places().len()];
        for transition in net.transitions() {
            let mut number = |unfolder: &mut Unfolder, place: &PlaceId| {
                *numbers[place.index()].get_or_insert_with(|| unfolder.add_place(net.is_marked(*place)))
            };
            let preset: Vec<PlaceId> =
                net.preset(transition).iter().map(|place| number(&mut unfolder, place)).collect();
            let postset: Vec<PlaceId> =
                net.postset(transition).iter().map(|place| number(&mut unfolder, place)).collect();
            unfolder.add_transition(&preset, &postset).unwrap();
            for _ in 0..random.below(4) {
                unfolder.next().unwrap();
            }
        }
        for place in net.places() {
            numbers[place.index()].get_or_insert_with(|| unfolder.add_place(net.is_marked(place)));
        }
        unfolder.complete().unwrap();
        let original = |place: PlaceId| {
            PlaceId(numbers.iter().position(|&number| number == Some(place)).unwrap() as u32)
        };
        let shown: std::collections::BTreeSet<Marking> = markings_of_prefix(&unfolder, 1_000_000)
            .unwrap()
            .iter()
            .map(|marking| Marking::new(marking.places().iter().map(|&place| original(place)).collect()))
            .collect();
        assert_eq!(shown, reachable(&net, 100_000).unwrap().markings, "{net:?}");
    }
}

#[test]
fn an_event_that_was_cut_off_can_be_extended_later() {
    let net = samples::locks(2, 2, 1);
    let mut whole = Unfolder::of_net(&net, Order::Erv, Limits::default());
    while let Some(event) = whole.take().unwrap() {
        whole.extend(event).unwrap();
    }
    // Cut off everything that can be, then extend it after all.
    let mut late = at_once(&net);
    assert_eq!(late.cut_off_count(), 4);
    loop {
        let cut_off = late.events().find(|&event| matches!(late.status(event), Status::CutOff(_)));
        let Some(event) = cut_off else { break };
        late.extend(event).unwrap();
        while let Some(event) = late.take().unwrap() {
            late.extend(event).unwrap();
        }
    }
    assert_eq!(late.cut_off_count(), 0);
    assert_eq!(histories(&late, &ranks(&net)), histories(&whole, &ranks(&net)));
}
