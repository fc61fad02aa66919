//! What is written can be read again, and nothing that is read makes a reader panic.
#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

mod common;

use common::{Random, any, product};
use raddle_nets::format::{
    Problem, read, read_dot, read_ll_net, read_pnml, write_dot, write_ll_net, write_pnml,
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
