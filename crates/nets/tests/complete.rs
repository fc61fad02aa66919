//! A complete prefix shows exactly the reachable markings and exactly the deadlocks: compared with brute force.
#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

mod common;

use std::collections::BTreeSet;

use common::{Random, any, product, rings};
use raddle_nets::{
    EventId, Limits, Marking, Net, Order, PlaceId, ReachStop, Status, Stop, Unfolder, markings_of_prefix,
    reachable, samples,
};

const ORDERS: [Order; 3] = [Order::Erv, Order::Mole, Order::Mcmillan];

/// Compares the prefix of a safe net with brute force, in one order.
fn compare(net: &Net, order: Order) {
    let truth = reachable(net, 100_000).unwrap();
    let mut prefix = Unfolder::of_net(net, order, Limits::default());
    prefix.complete().unwrap();
    assert_eq!(markings_of_prefix(&prefix, 1_000_000).unwrap(), truth.markings, "{order:?} {net:?}");
    let found: Vec<_> = prefix.deadlocks().map(Result::unwrap).collect();
    let deadlocks: BTreeSet<Marking> = found.iter().map(|deadlock| deadlock.marking.clone()).collect();
    assert_eq!(deadlocks.len(), found.len(), "no deadlock twice: {net:?}");
    assert_eq!(deadlocks, truth.deadlocks, "{order:?} {net:?}");
    for deadlock in &found {
        assert_eq!(fire_all(net, &prefix, &deadlock.configuration), deadlock.marking);
    }
}

/// The marking after the transitions of some events have fired in the net, one after the other.
fn fire_all(net: &Net, prefix: &Unfolder, events: &[EventId]) -> Marking {
    let mut marking = net.initial_marking();
    for &event in events {
        let transition = prefix.transition(event);
        assert!(net.is_enabled(&marking, transition));
        marking = net.fire(&marking, transition).unwrap();
    }
    marking
}

#[test]
fn generated_nets_have_complete_prefixes() {
    let mut nets = vec![
        samples::locks(2, 3, 1),
        samples::locks(3, 2, 1),
        samples::locks(3, 2, 2),
        samples::locks(3, 3, 3),
        samples::looping_locks(5),
    ];
    nets.extend((2..=7).map(samples::philosophers));
    for is_replicated in [false, true] {
        nets.push(samples::readers(4, is_replicated));
        nets.push(samples::readers_and_writers(2, 1, is_replicated));
        nets.push(samples::readers_and_writers(2, 2, is_replicated));
    }
    for net in nets {
        for order in ORDERS {
            compare(&net, order);
        }
    }
}

#[test]
fn twelve_philosophers_have_39202_markings_and_one_deadlock() {
    let net = samples::philosophers(12);
    assert_eq!(reachable(&net, 100_000).unwrap().markings.len(), 39_202);
    compare(&net, Order::Erv);
}

#[test]
fn random_automata_have_complete_prefixes() {
    let random = &mut Random(11);
    for round in 0..600 {
        let net = product(random, round % 4 == 0);
        for order in ORDERS {
            compare(&net, order);
        }
    }
}

#[test]
fn random_nets_have_complete_prefixes_or_are_found_unsafe() {
    let random = &mut Random(12);
    let (mut safe, mut not_safe) = (0, 0);
    for _ in 0..3_000 {
        let net = any(random);
        match reachable(&net, 100_000) {
            Ok(_) => {
                safe += 1;
                for order in ORDERS {
                    compare(&net, order);
                }
            }
            Err(ReachStop::Unsafe { .. }) => {
                not_safe += 1;
                for order in ORDERS {
                    let stop = Unfolder::of_net(&net, order, Limits::default()).complete();
                    assert!(matches!(stop, Err(Stop::Unsafe { .. })), "{stop:?} {net:?}");
                }
            }
            Err(stop) => panic!("{stop}"),
        }
    }
    assert!(safe > 500 && not_safe > 500, "{safe} {not_safe}");
}

#[test]
fn every_event_of_a_prefix_can_happen_and_leads_to_its_marking() {
    let random = &mut Random(13);
    for _ in 0..200 {
        let net = product(random, false);
        let mut prefix = Unfolder::of_net(&net, Order::Erv, Limits::default());
        prefix.complete().unwrap();
        for event in prefix.events() {
            let configuration = prefix.local_configuration(event);
            assert_eq!(configuration.len(), prefix.size(event));
            let marking = Marking::new(prefix.marking(&[event]));
            assert_eq!(fire_all(&net, &prefix, &configuration), marking);
        }
    }
}

#[test]
fn causality_conflict_and_concurrency_are_what_configurations_say() {
    let random = &mut Random(14);
    for _ in 0..60 {
        let net = product(random, true);
        let mut prefix = Unfolder::of_net(&net, Order::Erv, Limits::default());
        prefix.complete().unwrap();
        // All sets of events that are configurations, cut-offs left out.
        let occurrence = prefix.as_net();
        let events: Vec<EventId> =
            prefix.events().filter(|&event| prefix.status(event) == Status::Extended).collect();
        let cuts = reachable(&occurrence, 1_000_000).unwrap();
        for &a in &events {
            for &b in &events {
                let closure = prefix.closure(&[a, b]);
                let cut =
                    Marking::new(prefix.cut(&closure).iter().map(|condition| PlaceId(condition.0)).collect());
                let is_together = cuts.markings.contains(&cut) && !prefix.in_conflict(a, b);
                assert_eq!(prefix.in_conflict(a, b), !is_together);
                let relations = [
                    a == b,
                    prefix.is_before(a, b),
                    prefix.is_before(b, a),
                    prefix.in_conflict(a, b),
                    prefix.are_concurrent(a, b),
                ];
                assert_eq!(relations.iter().filter(|&&holds| holds).count(), 1, "{a} {b} {relations:?}");
            }
        }
        for left in prefix.conditions() {
            for right in prefix.conditions() {
                let places = [left, right].map(|condition| PlaceId(condition.0));
                let is_seen = left != right
                    && cuts.markings.iter().any(|cut| places.iter().all(|&place| cut.contains(place)));
                if [left, right].iter().all(|&condition| {
                    prefix.producer(condition).is_none_or(|event| prefix.status(event) == Status::Extended)
                }) {
                    assert_eq!(prefix.can_hold_together(left, right), is_seen, "{left} {right}");
                }
            }
        }
    }
}

#[test]
fn the_neighbours_of_an_event_are_what_can_hold_together_with_it() {
    // Large enough that some conditions outlive hundreds of events: their lists are searched, not walked.
    let random = &mut Random(15);
    let mut nets = vec![samples::locks(4, 2, 1), samples::locks(3, 3, 2)];
    nets.extend((0..60).map(|_| rings(random)));
    let mut large = 0;
    for net in nets {
        let mut prefix = Unfolder::of_net(&net, Order::Erv, Limits::default());
        let mut held: Vec<_> = prefix.initial().collect();
        let mut extended = 0;
        while let Some(event) = prefix.take().unwrap() {
            if let Some(companion) = prefix.companion(event) {
                prefix.cut_off(event, Some(companion));
                continue;
            }
            prefix.admit(event);
            let mut neighbours: Vec<PlaceId> = prefix.neighbours().collect();
            prefix.grow(event).unwrap();
            let own: Vec<_> = prefix.postset(event).collect();
            let mut expected = held.clone();
            expected.retain(|&other| prefix.can_hold_together(own[0], other));
            let mut expected: Vec<PlaceId> =
                expected.iter().map(|&condition| prefix.place(condition)).collect();
            neighbours.sort_unstable();
            expected.sort_unstable();
            assert_eq!(neighbours, expected, "{event}");
            held.extend(own);
            extended += 1;
        }
        large += usize::from(extended > 128);
    }
    assert!(large > 20, "{large} large nets");
}

#[test]
fn a_deadlock_can_be_asked_to_have_somebody_waiting() {
    // Two threads, two locks, taken in opposite orders: they end, or they wait for each other.
    let mut net = Net::new();
    let locks = [net.add_place("x", true), net.add_place("y", true)];
    let mut not_ended = Vec::new();
    for (i, [first, second]) in [locks, [locks[1], locks[0]]].into_iter().enumerate() {
        let chain: Vec<_> = (0..5).map(|j| net.add_place(format!("t{i}_{j}"), j == 0)).collect();
        net.add_transition("lock", &[chain[0], first], &[chain[1]]).unwrap();
        net.add_transition("lock", &[chain[1], second], &[chain[2]]).unwrap();
        net.add_transition("unlock", &[chain[2]], &[chain[3], second]).unwrap();
        net.add_transition("unlock", &[chain[3]], &[chain[4], first]).unwrap();
        not_ended.extend_from_slice(&chain[..4]);
    }
    let mut prefix = Unfolder::of_net(&net, Order::Erv, Limits::default());
    prefix.complete().unwrap();
    assert_eq!(prefix.deadlocks().count(), 2);
    let waiting: Vec<_> = prefix.deadlocks().with_one_of(&not_ended).map(Result::unwrap).collect();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].configuration.len(), 2);
}

#[test]
fn a_prefix_that_is_not_finished_shows_no_false_deadlock() {
    let net = samples::philosophers(4);
    let mut prefix = Unfolder::of_net(&net, Order::Erv, Limits::default());
    let truth = reachable(&net, 1_000).unwrap().deadlocks;
    loop {
        let found: BTreeSet<Marking> = prefix.deadlocks().map(|deadlock| deadlock.unwrap().marking).collect();
        assert!(found.is_subset(&truth));
        if prefix.next().unwrap().is_none() {
            assert_eq!(found, truth);
            break;
        }
    }
}
