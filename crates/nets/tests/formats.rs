//! What is written can be read again, and nothing that is read makes a reader panic.
#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

mod common;

use common::{Random, any, product};
use raddle_nets::format::{
    Problem, read, read_dot, read_ll_net, read_pnml, write_dot, write_ll_net, write_mci, write_pnml,
    write_prefix_dot,
};
use raddle_nets::{Limits, Net, Order, Unfolder, samples};

fn nets() -> Vec<Net> {
    let random = &mut Random(21);
    let mut nets: Vec<Net> = (0..50).map(|_| product(random, false)).collect();
    let is_marked = |net: &Net| net.places().any(|place| net.is_marked(place));
    nets.extend((0..50).map(|_| any(random)).filter(is_marked));
    nets.extend([samples::philosophers(3), samples::locks(2, 2, 2), samples::readers(3, true)]);
    let mut odd = Net::new();
    let place = odd.add_place("grün & <weiß>", true);
    odd.add_transition("x", &[place], &[]).unwrap();
    nets.push(odd);
    nets
}

#[test]
fn every_format_gives_back_what_was_written() {
    for net in nets() {
        for text in [write_ll_net(&net), write_pnml(&net), write_dot(&net)] {
            assert_eq!(read(text.as_bytes()).map(|source| source.net), Ok(net.clone()), "{text}");
        }
    }
}

#[test]
fn a_name_with_quotes_loses_them_in_the_format_that_has_no_way_to_write_them() {
    let mut net = Net::new();
    net.add_place("a \"b\"\nc", true);
    let read_again =
        |text: String| read(text.as_bytes()).unwrap().net.place_name(raddle_nets::PlaceId(0)).to_owned();
    assert_eq!(read_again(write_ll_net(&net)), "a `b` c");
    assert_eq!(read_again(write_pnml(&net)), "a \"b\" c");
    assert_eq!(read_again(write_dot(&net)), "a \"b\" c");
}

#[test]
fn damaged_files_give_a_net_or_an_error_and_never_a_panic() {
    let random = &mut Random(22);
    let net = samples::philosophers(2);
    let (mut read_well, mut refused) = (0, 0);
    for text in [write_ll_net(&net), write_pnml(&net), write_dot(&net)] {
        for _ in 0..3_000 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] = random.below(256) as u8,
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, b"<>\"[]{}&;=1\n"[random.below(12)]),
                    _ => bytes.truncate(at.max(1)),
                }
                if bytes.is_empty() {
                    bytes.push(b'<');
                }
            }
            for reader in [read, read_ll_net, read_pnml, read_dot] {
                match reader(&bytes) {
                    Ok(source) => {
                        read_well += 1;
                        assert!(source.net.places().len() <= bytes.len());
                    }
                    Err(error) => {
                        refused += 1;
                        let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
                        assert!(error.position.line <= lines, "{error}");
                    }
                }
            }
        }
    }
    assert!(read_well > 500 && refused > 500, "{read_well} {refused}");
}

#[test]
fn a_file_that_is_no_net_is_refused() {
    for bytes in [&b""[..], b"\0\0\0", b"hello", b"PE"] {
        assert_eq!(read(bytes).unwrap_err().problem, Problem::UnknownFormat);
    }
}

#[test]
fn a_read_arc_is_a_loop() {
    let source = read(b"PEP\nPetriBox\nFORMAT_N2\nPL\n1\"s0\"M1m1\n2\"s1\"M1\n3\"s2\"\nTR\n1\"t\"\nTP\n1<3\nPT\n1>1\nRA\n1<2\n");
    let net = source.unwrap().net;
    let transition = net.transitions().next().unwrap();
    let numbers = |places: &[raddle_nets::PlaceId]| places.iter().map(|place| place.0).collect::<Vec<u32>>();
    assert_eq!((numbers(net.preset(transition)), numbers(net.postset(transition))), (vec![0, 1], vec![1, 2]));
}

#[test]
fn a_net_that_turns_out_not_to_be_safe_is_shown_in_its_file() {
    let text =
        "PEP\nPTNet\nFORMAT_N2\nPL\n\"a\"M1\n\"b\"M1\n\"c\"\nTR\n\"s\"\n\"t\"\nTP\n1<3\n2<3\nPT\n1>1\n2>2\n";
    let source = read(text.as_bytes()).unwrap();
    let stop = Unfolder::of_net(&source.net, Order::Erv, Limits::default()).complete().unwrap_err();
    assert_eq!(
        source.explain(&stop).unwrap().to_string(),
        "line 10, column 1: place `c` can hold two tokens at once after transition `t`: only safe nets can be unfolded"
    );
}

/// Reads back what matters of MCI.
fn read_mci(bytes: &[u8]) -> (usize, usize, usize, Vec<u8>) {
    let mut numbers = bytes.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap()));
    let mut read = 0;
    let mut next = || {
        read += 4;
        numbers.next().unwrap()
    };
    let (conditions, events) = (next() as usize, next() as usize);
    (0..events).for_each(|_| assert!(next() > 0));
    for _ in 0..conditions {
        assert!(next() > 0, "a place");
        assert!(next() as usize <= events, "a producer");
        while next() != 0 {}
    }
    let mut cut_offs = 0;
    while next() != 0 {
        assert!(next() as usize <= events, "a companion");
        cut_offs += 1;
    }
    assert_eq!(next(), 0, "the list that nobody uses");
    let (places, transitions, longest) = (next(), next(), next());
    assert_eq!((places, transitions, longest), (8, 6, 6));
    (conditions, events, cut_offs, bytes[read..].to_vec())
}

#[test]
fn mci_holds_the_whole_prefix() {
    let net = samples::philosophers(2);
    let mut prefix = Unfolder::of_net(&net, Order::Erv, Limits::default());
    prefix.complete().unwrap();
    let (conditions, events, cut_offs, names) = read_mci(&write_mci(&net, &prefix.unfolded()));
    assert_eq!((conditions, events, cut_offs), (14, 6, 2));
    assert_eq!(
        String::from_utf8(names).unwrap(),
        "f0\0f1\0th0\0l0\0e0\0th1\0l1\0e1\0\0left0\0right0\0put0\0left1\0right1\0put1\0\0"
    );
}

#[test]
fn a_drawn_prefix_is_itself_a_net() {
    let net = samples::looping_locks(2);
    let mut prefix = Unfolder::of_net(&net, Order::Erv, Limits::default());
    prefix.complete().unwrap();
    let drawing = write_prefix_dot(&net, &prefix.unfolded());
    assert_eq!(drawing.matches("peripheries=2").count(), 2);
    assert_eq!(drawing.matches("shape=circle").count(), 9);
    let large = samples::readers(8, false);
    let mut prefix = Unfolder::of_net(&large, Order::Erv, Limits::default());
    prefix.complete().unwrap();
    let drawing = write_prefix_dot(&large, &prefix.unfolded());
    assert_eq!(drawing.matches("shape=circle").count(), 0, "events alone");
    assert_eq!(drawing.matches("shape=box").count(), 1_024);
}
