//! `raddle nets`: files in, prefixes and deadlocks out.
#![allow(clippy::unwrap_used, reason = "a test fails when something does")]

mod common;

use common::Folder;
use raddle_nets::{format, samples};

#[test]
fn a_net_is_unfolded_and_the_sizes_are_written_as_json() {
    let folder = Folder::new();
    folder.file("locks.ll_net", &format::write_ll_net(&samples::locks(4, 3, 4)));
    for (order, conditions, events, cutoffs) in [("erv", 611, 402, 79), ("mole", 554, 364, 82)] {
        let ran = folder.raddle(&["nets", "unfold", "locks.ll_net", "--order", order, "--format", "json"]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(document["conditions"], conditions);
        assert_eq!(document["events"], events);
        assert_eq!(document["cutoffs"], cutoffs);
        assert_eq!(document["complete"], true);
        assert!(document["seconds"].is_f64());
    }
    let people = folder.raddle(&["nets", "unfold", "locks.ll_net"]);
    assert!(people.out.contains("611 conditions, 402 events, 79 of them cut-offs"), "{}", people.out);
}

#[test]
fn every_format_can_be_read_again() {
    let folder = Folder::new();
    folder.file("first.ll_net", &format::write_ll_net(&samples::philosophers(3)));
    for (name, format) in [("net.pnml", "pnml"), ("net.dot", "dot"), ("net.ll_net", "ll_net")] {
        let ran = folder.raddle(&["nets", "convert", "first.ll_net", "--format", format]);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        folder.file(name, &ran.out);
        let ran = folder.raddle(&["nets", "unfold", name, "--format", "json"]);
        let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((&document["events"], &document["cutoffs"]), (&9.into(), &3.into()), "{name}");
    }
    let drawn = folder.raddle(&["nets", "unfold", "first.ll_net", "--format", "dot"]);
    assert!(drawn.out.starts_with("digraph prefix {"), "{}", drawn.out);
    let mci = folder.raddle(&["nets", "unfold", "first.ll_net", "--format", "mci"]);
    assert!(mci.code == Some(0) && mci.out.as_bytes().starts_with(&[21, 0, 0, 0, 9, 0, 0, 0]));
}

#[test]
fn deadlocks_are_found_with_the_steps_that_lead_there() {
    let folder = Folder::new();
    folder.file("phil.ll_net", &format::write_ll_net(&samples::philosophers(3)));
    let ran = folder.raddle(&["nets", "deadlocks", "phil.ll_net"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_eq!(ran.out, "deadlock after left0, left1, left2\n  marked: l0, l1, l2\n1 in all\n");
    folder.file("loop.ll_net", &format::write_ll_net(&samples::looping_locks(3)));
    let ran = folder.raddle(&["nets", "deadlocks", "loop.ll_net", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &document["complete"]), (Some(0), &true.into()));
    assert_eq!(document["deadlocks"].as_array().map(Vec::len), Some(0));
}

#[test]
fn bad_nets_are_refused_with_line_and_column() {
    let folder = Folder::new();
    let head = "PEP\nPTNet\nFORMAT_N2\nPL\n1\"a\"M1\n2\"b\"M1\n3\"c\"\nTR\n1\"s\"\n2\"t\"\n";
    let cases = [
        ("PT\n1>3\n", "bad.ll_net: line 12, column 3: transition 3 does not exist"),
        ("PT\n1=1\n", "bad.ll_net: line 12, column 2: expected `>`, found `=`"),
        ("PT\n1>1\n2>2\nTP\n1<3\n2<3\n", "line 10, column 1: place `c` can hold two tokens at once"),
    ];
    for (rest, expected) in cases {
        folder.file("bad.ll_net", &format!("{head}{rest}"));
        let ran = folder.raddle(&["nets", "unfold", "bad.ll_net"]);
        assert_eq!(ran.code, Some(2), "{ran:#?}");
        assert!(ran.err.contains(expected), "{}", ran.err);
        assert_eq!(ran.out, "");
    }
    let missing = folder.raddle(&["nets", "unfold", "none.pnml"]);
    assert_eq!(missing.code, Some(2));
}

#[test]
fn a_limit_is_said_and_has_its_exit_code() {
    let folder = Folder::new();
    folder.file("locks.ll_net", &format::write_ll_net(&samples::locks(3, 3, 1)));
    let ran = folder.raddle(&["nets", "unfold", "locks.ll_net", "--max-events", "50", "--format", "json"]);
    assert_eq!(ran.code, Some(4), "{ran:#?}");
    assert!(ran.err.contains("stopped at 50 events, the limit"), "{}", ran.err);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&document["complete"], &document["events"]), (&false.into(), &50.into()));
}
