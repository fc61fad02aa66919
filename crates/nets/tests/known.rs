//! Sizes of prefixes that are known: derived by hand, or measured with two other unfolders.
#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

use raddle_nets::{Limits, Net, Order, Stop, Unfolder, samples};

fn sizes(net: &Net, order: Order) -> (usize, usize, usize) {
    let mut unfolder = Unfolder::of_net(net, order, Limits::default());
    unfolder.complete().unwrap();
    (unfolder.condition_count(), unfolder.event_count(), unfolder.cut_off_count())
}

#[test]
fn philosophers_have_three_events_each_and_one_cut_off() {
    for n in [2, 3, 5, 8, 12] {
        for order in [Order::Erv, Order::Mole, Order::Mcmillan] {
            assert_eq!(sizes(&samples::philosophers(n), order), (7 * n, 3 * n, n), "{n} {order:?}");
        }
    }
}

#[test]
fn looping_locks_have_two_events_for_each_thread() {
    for n in [2, 3, 4, 8] {
        assert_eq!(sizes(&samples::looping_locks(n), Order::Erv), (4 * n + 1, 2 * n, n));
    }
}

#[test]
fn critical_sections_have_the_sizes_that_other_unfolders_give() {
    for (threads, sections, locks, erv, mole) in [
        (2, 1, 1, (15, 8, 1), (15, 8, 1)),
        (2, 2, 1, (39, 24, 4), (39, 24, 4)),
        (2, 4, 1, (123, 80, 16), (123, 80, 16)),
        (3, 2, 1, (166, 108, 28), (166, 108, 28)),
        (3, 3, 1, (436, 288, 81), (436, 288, 81)),
        (3, 3, 3, (216, 140, 26), (207, 134, 28)),
        (4, 2, 1, (653, 432, 136), (653, 432, 136)),
        (4, 3, 4, (611, 402, 79), (554, 364, 82)),
    ] {
        let net = samples::locks(threads, sections, locks);
        assert_eq!(sizes(&net, Order::Erv), erv, "{threads} {sections} {locks}");
        assert_eq!(sizes(&net, Order::Mole), mole, "{threads} {sections} {locks}");
    }
}

#[test]
fn the_order_by_size_alone_has_larger_prefixes() {
    for (net, events) in [
        (samples::locks(2, 4, 1), 500),
        (samples::locks(3, 3, 1), 10_494),
        (samples::locks(4, 3, 4), 3_536),
        (samples::readers(4, false), 64),
        (samples::readers(6, false), 1_956),
        (samples::readers_and_writers(4, 1, false), 325),
    ] {
        assert_eq!(sizes(&net, Order::Mcmillan).1, events);
    }
}

#[test]
fn readers_of_one_place_exclude_each_other_and_readers_of_replicas_do_not() {
    for n in [2, 4, 6, 8, 10] {
        assert_eq!(sizes(&samples::readers(n, false), Order::Erv).1, n << (n - 1));
        assert_eq!(sizes(&samples::readers(n, true), Order::Erv), (4 * n, n, 0));
    }
}

#[test]
fn readers_and_writers_have_the_sizes_that_other_unfolders_give() {
    for (readers, writers, plain, replicated) in [
        (2, 1, (28, 12, 5), (34, 10, 4)),
        (2, 2, (69, 32, 17), (116, 30, 16)),
        (4, 1, (166, 80, 49), (154, 40, 20)),
        (4, 2, (391, 192, 129), (674, 146, 94)),
        (6, 1, (904, 448, 321), (742, 172, 102)),
    ] {
        for order in [Order::Erv, Order::Mole] {
            assert_eq!(sizes(&samples::readers_and_writers(readers, writers, false), order), plain);
            assert_eq!(sizes(&samples::readers_and_writers(readers, writers, true), order), replicated);
        }
    }
}

#[test]
fn the_limit_on_events_is_said_when_it_is_hit() {
    let net = samples::locks(3, 3, 1);
    let mut unfolder = Unfolder::of_net(&net, Order::Erv, Limits { events: 100, ..Limits::default() });
    assert_eq!(unfolder.complete(), Err(Stop::Events(100)));
    assert_eq!(unfolder.event_count(), 100);
}

#[test]
fn the_limit_on_memory_is_said_when_it_is_hit() {
    let net = samples::locks(4, 3, 1);
    let limits = Limits { bytes: 20_000, ..Limits::default() };
    let mut unfolder = Unfolder::of_net(&net, Order::Erv, limits);
    let Err(Stop::Bytes { used, limit: 20_000 }) = unfolder.complete() else {
        panic!("the limit was not noticed");
    };
    assert!((20_001..40_000).contains(&used), "{used}");
}

#[test]
fn a_net_that_is_not_safe_is_refused_with_the_place_and_the_transition() {
    let mut net = Net::new();
    let (a, b, target) = (net.add_place("a", true), net.add_place("b", true), net.add_place("c", false));
    net.add_transition("from a", &[a], &[target]).unwrap();
    let from_b = net.add_transition("from b", &[b], &[target]).unwrap();
    let mut unfolder = Unfolder::of_net(&net, Order::Erv, Limits::default());
    assert_eq!(unfolder.complete(), Err(Stop::Unsafe { place: target, transition: from_b }));
}

#[test]
fn a_transition_with_exponentially_many_extensions_hits_the_limit_on_memory() {
    // Twelve automata with twelve ways to the same place each, and a transition that waits for all of them.
    let mut net = Net::new();
    let mut all = Vec::new();
    for i in 0..12 {
        let (start, end) = (net.add_place(format!("s{i}"), true), net.add_place(format!("e{i}"), false));
        for j in 0..12 {
            let way = net.add_place(format!("w{i}_{j}"), false);
            net.add_transition(format!("t{i}_{j}"), &[start], &[end, way]).unwrap();
        }
        all.push(end);
    }
    let together = all.clone();
    for late in [false, true] {
        let limits = Limits { bytes: 4 << 20, ..Limits::default() };
        let mut unfolder = Unfolder::of_net(&net, Order::Erv, limits);
        if late {
            unfolder.complete().unwrap();
        }
        unfolder.add_transition(&together, &[]).unwrap();
        assert!(matches!(unfolder.complete(), Err(Stop::Bytes { limit: 4_194_304, .. })));
        assert!(matches!(unfolder.take(), Err(Stop::Bytes { .. })), "for good");
        assert!(unfolder.deadlocks().next().is_some_and(|found| found.is_err()), "nothing is claimed");
    }
}
