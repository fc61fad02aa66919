//! What was tried, on the page: the tree, the runs of its boxes, and how large all of it may become.

use super::page::long;
use super::records::{failed, found};
use super::*;
use crate::{Fate, Graph, Node, Record, Shape, Tree, TreeNode, TreeRun, TreeStep, page};

/// A run of two threads as the tree keeps it.
fn tried(number: Option<u64>, found: bool) -> TreeRun {
    let step = |thread, text: &str, preempts| TreeStep {
        thread,
        text: text.to_owned(),
        place: "bank.c:12".to_owned(),
        preempts,
    };
    let (first, second) = if found { (2, 1) } else { (1, 2) };
    TreeRun {
        number,
        found,
        threads: ["T0 main", "T1", "T2"].map(str::to_owned).to_vec(),
        steps: vec![
            step(0, "create T1", false),
            step(first, "lock mutex 1", false),
            step(first, "x → 3", false),
            step(second, "x ← 4", true),
            step(0, "join T1", false),
        ],
        left_out: if found { 0 } else { 1_200 },
        end: if found { "data race on x" } else { "in order" }.to_owned(),
    }
}

/// A record with everything that only some searches know.
pub(super) fn explored() -> Record {
    let mut record = records::stopped();
    let node = |parent, step: &str, fate, runs, before, shown| TreeNode {
        parent,
        step: step.to_owned(),
        fate,
        runs,
        before,
        shown,
    };
    record.tree = Some(Tree {
        nodes: vec![
            node(None, "start", Fate::Explored, 60, 1, Some(0)),
            node(Some(0), "T1 lock", Fate::Explored, 30, 1, Some(0)),
            node(Some(0), "T2 lock", Fate::Found, 29, 1, Some(1)),
            node(Some(0), "T3 load", Fate::Asleep, 0, 1, None),
            node(Some(1), "T2 load", Fate::Explored, 20, 3, Some(0)),
            node(Some(1), "T1 store", Fate::BeyondBound, 0, 3, None),
            node(Some(2), "T1 load", Fate::Equivalent, 0, 2, None),
            node(Some(2), "T2 store", Fate::Waiting, 9, 2, None),
            node(Some(7), "T1 store", Fate::Waiting, 0, 4, None),
        ],
        shown: vec![tried(Some(4), false), tried(Some(9), true)],
        levels: 3,
        left_out: 12,
    });
    let shapes = [Shape::Marked, Shape::Box, Shape::Circle, Shape::Terminal, Shape::Circle];
    record.nets = vec![Graph {
        title: "The unfolding".to_owned(),
        nodes: shapes
            .iter()
            .enumerate()
            .map(|(number, shape)| Node { label: format!("n{number}"), shape: *shape })
            .collect(),
        edges: vec![(0, 1), (1, 2), (2, 3), (1, 4), (3, 0)],
        left_out: 0,
    }];
    record
}

#[test]
fn tree_curve_and_net_are_on_the_page_if_the_record_has_them() {
    let text = page(&explored(), &source);
    for part in
        ["id=\"tree\"", "id=\"coverage\"", "id=\"net\"", "asleep: repeats another run", "class=\"curve\""]
    {
        assert!(text.contains(part), "{part}");
    }
    let plain = page(&failed("bank.c", vec![found(&bank::script(), "k3f7")]), &source);
    assert!(["id=\"tree\"", "id=\"coverage\"", "id=\"net\""].iter().all(|part| !plain.contains(part)));
}

/// As large a tree as a search keeps, with as many runs as it keeps.
fn largest_tree() -> Tree {
    let steps = |run: usize| (0..1_000).map(move |step| (run, step));
    let step = |(run, step): (usize, usize)| TreeStep {
        thread: step % 4,
        text: format!("some object with a name ← {run}{step}"),
        place: format!("a_file_with_a_name.c:{}", step % 70),
        preempts: step % 3 == 0,
    };
    let run = |number: usize| TreeRun {
        number: Some(number as u64),
        threads: (0..4).map(|thread| format!("T{thread} worker")).collect(),
        steps: steps(number).map(step).collect(),
        ..tried(None, false)
    };
    let node = |number: usize| TreeNode {
        parent: number.checked_sub(1).map(|before| before / 3),
        step: format!("T{} read modify write a_file_with_a_name.c:{number}", number % 4),
        fate: Fate::Equivalent,
        runs: 3,
        before: number,
        shown: Some(number % 30),
    };
    Tree { nodes: (0..2_000).map(node).collect(), shown: (0..30).map(run).collect(), levels: 8, left_out: 0 }
}

#[test]
fn a_page_says_which_runs_of_the_tree_it_leaves_out_to_stay_below_five_megabytes() {
    let mut record = long();
    record.tree = Some(largest_tree());
    let text = page(&record, &source);
    assert!(text.len() < 5_000_000, "{}", text.len());
    assert!(text.contains(" of 30 are left out: the page would be too large."));
    record.findings.clear();
    let text = page(&record, &source);
    assert!(text.len() < 2_500_000, "{}", text.len());
}

#[test]
fn a_box_has_its_run_or_that_of_the_decision_that_it_would_have_continued() {
    let text = page(&explored(), &source);
    for expected in [
        "id=\"tree/4\" href=\"#tree/4\" data-parent=\"1\" data-before=\"3\" data-run=\"1\" data-followed=\"1\"",
        // Not followed: the run that shows a finding comes to the decision, and stands first.
        "id=\"tree/6\" href=\"#tree/6\" data-parent=\"2\" data-before=\"2\" data-run=\"0\">",
        // Nothing is known of what comes before it.
        "id=\"tree/8\" href=\"#tree/8\" data-parent=\"7\" data-before=\"4\">",
        // A number, a finding, nothing left out, how it ended, three threads, five steps.
        "9;1;0;0;1 2 3;0,4,5 2,6,5 2,7,5 1,8,5! 0,9,5\n4;0;1200;10;1 2 3;0,4,5 1,6,5 1,7,5 2,8,5! 0,9,5<",
        ">data race on x\nT0 main\nT1\nT2\ncreate T1\nbank.c:12\n",
    ] {
        assert!(text.contains(expected), "{expected}");
    }
}
