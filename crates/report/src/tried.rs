//! What a search tried, in words: the tree of its decisions, and runs that show what its branches do.

use raddle_detect::judge;
pub use raddle_explore::Fate;
use raddle_explore::{Explored, KeptRun, Prefix};
use raddle_trace::ThreadId;

use crate::cells::{cell, spoken};
use crate::words::Words;
use crate::{Style, ending};

/// What a search tried, as the tree of its decisions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tree {
    /// Parents stand before their children; the first is the root.
    pub nodes: Vec<TreeNode>,
    /// Runs that begin with them.
    pub shown: Vec<TreeRun>,
    /// How many levels of decisions are kept.
    pub levels: u64,
    /// How many decisions below those levels were not kept.
    pub left_out: u64,
}

/// One prefix of schedules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeNode {
    /// The prefix that this one continues by a step; none for the root.
    pub parent: Option<usize>,
    /// The step, in a few words.
    pub step: String,
    /// What became of it.
    pub fate: Fate,
    /// How many runs began with it.
    pub runs: u64,
    /// How many steps come before it.
    pub before: usize,
    /// A run that begins with it, among [`Tree::shown`].
    pub shown: Option<usize>,
}

/// A run, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TreeRun {
    /// Its number among the complete runs; none if it was given up.
    pub number: Option<u64>,
    /// Whether it shows a finding.
    pub found: bool,
    /// The names of its threads.
    pub threads: Vec<String>,
    /// Its first steps.
    pub steps: Vec<TreeStep>,
    /// How many more there were.
    pub left_out: u64,
    /// How it ended.
    pub end: String,
}

/// One step of a run, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeStep {
    /// Who, among [`TreeRun::threads`].
    pub thread: usize,
    /// What it did.
    pub text: String,
    /// Where; empty if that is not known.
    pub place: String,
    /// Whether it is a pre-emption.
    pub preempts: bool,
}

impl Tree {
    /// What a search has tried, in words.
    #[must_use]
    pub fn of(explored: &Explored) -> Tree {
        let mut nodes = vec![root(explored)];
        for prefix in &explored.prefixes {
            nodes.push(TreeNode {
                parent: Some(prefix.parent.map_or(0, |parent| parent + 1)),
                step: step_of(prefix),
                fate: prefix.fate,
                runs: prefix.runs,
                before: prefix.event,
                shown: prefix.kept,
            });
        }
        let shown = explored.kept.iter().map(TreeRun::of).collect();
        Tree { nodes, shown, levels: explored.levels as u64, left_out: explored.left_out }
    }
}

/// What all runs begin with.
fn root(explored: &Explored) -> TreeNode {
    let first = || explored.prefixes.iter().filter(|prefix| prefix.parent.is_none());
    let found = first().any(|prefix| prefix.fate == Fate::Found);
    TreeNode {
        parent: None,
        step: "start".to_owned(),
        fate: if found { Fate::Found } else { Fate::Explored },
        runs: first().map(|prefix| prefix.runs).sum(),
        before: first().map(|prefix| prefix.event).min().unwrap_or(0),
        shown: first().find_map(|prefix| prefix.kept),
    }
}

/// A decision in a few words.
fn step_of(prefix: &Prefix) -> String {
    let kind = spoken(prefix.kind);
    match (prefix.alternative, prefix.place.file()) {
        (Some(alternative), _) => format!("{} {kind}: alternative {alternative}", prefix.thread),
        (None, Some(file)) => {
            let file = file.rsplit('/').next().unwrap_or(file);
            format!("{} {kind} {file}:{}", prefix.thread, prefix.place.line().unwrap_or(0))
        }
        (None, None) => format!("{} {kind}", prefix.thread),
    }
}

impl TreeRun {
    fn of(kept: &KeptRun) -> TreeRun {
        let style = Style::default();
        let run = &kept.run;
        let words = Words::new(run, &[], &[], &style);
        let last = run.events.iter().map(|event| event.thread.index()).max().unwrap_or(0);
        let step = |(number, event): (usize, &raddle_trace::Event)| TreeStep {
            thread: event.thread.index(),
            text: cell(&words, number),
            place: words.files.place(event.place),
            preempts: event.preempts,
        };
        let finding = judge(run).filter(|_| kept.found);
        TreeRun {
            number: kept.number,
            found: kept.found,
            threads: (0..=last).map(|thread| words.thread(ThreadId::new(thread))).collect(),
            steps: run.events.iter().enumerate().map(step).collect(),
            left_out: kept.left_out,
            end: match finding {
                Some(finding) => ending::sentence(&finding, &words),
                None => ending::without_finding(run.ending),
            },
        }
    }
}
