//! The runs that the boxes of the tree stand for, as data that the script shows.
//!
//! As tables they would be larger than everything else on the page. So each text stands once, in a line of its own, and a
//! run is a line of numbers. Texts have no line breaks, because all text of the program is made harmless first.

use std::collections::BTreeMap;
use std::fmt::Write;

use maud::{Markup, html};

use crate::text::count;
use crate::{Tree, TreeRun};

use super::clean;

/// More bytes of runs make a page slow to open.
const LARGEST: usize = 1_000_000;

/// The runs that are on the page.
pub(super) struct Shown {
    /// For each run of the tree its line; none if it does not fit.
    lines: Vec<Option<usize>>,
    texts: Vec<String>,
    runs: Vec<String>,
}

impl Shown {
    /// The runs that fit into so many bytes.
    pub(super) fn of(tree: &Tree, room: usize) -> Shown {
        let mut shown = Shown { lines: vec![None; tree.shown.len()], texts: Vec::new(), runs: Vec::new() };
        let mut numbers = BTreeMap::new();
        let mut bytes = 0;
        // If not all fit, those that show a finding are there.
        let (found, others): (Vec<usize>, Vec<usize>) =
            (0..tree.shown.len()).partition(|run| tree.shown[*run].found);
        for index in found.into_iter().chain(others) {
            let texts = shown.texts.len();
            let line = shown.line(&tree.shown[index], &mut numbers);
            // A letter of a text becomes up to six on the page.
            bytes += line.len() + shown.texts[texts..].iter().map(|text| 6 * text.len()).sum::<usize>();
            if bytes > LARGEST.min(room) {
                break;
            }
            shown.lines[index] = Some(shown.runs.len());
            shown.runs.push(line);
        }
        shown
    }

    /// The run that shows what a box stands for: one that begins with it, or, if it was not followed, one that comes to its
    /// decision.
    pub(super) fn of_node(&self, tree: &Tree, node: usize) -> Option<usize> {
        let node = &tree.nodes[node];
        let above = || tree.nodes.get(node.parent?)?.shown;
        self.lines.get(node.shown.or_else(above)?).copied().flatten()
    }

    fn text(&mut self, text: &str, numbers: &mut BTreeMap<String, usize>) -> usize {
        let text = clean(text);
        let next = self.texts.len();
        let number = *numbers.entry(text.clone()).or_insert(next);
        if number == next {
            self.texts.push(text);
        }
        number
    }

    /// Its number, whether something was found, how many steps are left out, how it ended, its threads, and its steps: who,
    /// what and where, with an exclamation mark behind a pre-emption.
    fn line(&mut self, run: &TreeRun, numbers: &mut BTreeMap<String, usize>) -> String {
        let end = self.text(&run.end, numbers);
        let threads: Vec<String> =
            run.threads.iter().map(|thread| self.text(thread, numbers).to_string()).collect();
        let mut line = format!("{};{};{};{end};", run.number.unwrap_or(0), u8::from(run.found), run.left_out);
        line.push_str(&threads.join(" "));
        let mut separator = ';';
        for step in &run.steps {
            let (text, place) = (self.text(&step.text, numbers), self.text(&step.place, numbers));
            let preempts = if step.preempts { "!" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(line, "{separator}{},{text},{place}{preempts}", step.thread);
            separator = ' ';
        }
        line
    }
}

/// How to come to a run, with a script and without one.
pub(super) fn keys() -> Markup {
    html! {
        p.muted.scripted-only { "A click on a box shows its run below. With the keyboard: " kbd { "t" } " goes to the tree, arrows move in it, " kbd { "Enter" } " shows the run." }
        noscript { p.muted { "With scripts, a box shows its run." } }
    }
}

/// What the script shows.
pub(super) fn data(tree: &Tree, shown: &Shown) -> Markup {
    let left_out = shown.lines.iter().filter(|line| line.is_none()).count();
    html! {
        div.tried-run aria-live="polite" {}
        pre.tried-texts hidden { (shown.texts.join("\n")) }
        pre.tried-runs hidden { (shown.runs.join("\n")) }
        @if left_out > 0 {
            p.muted { "The steps of " (count(left_out as u64, "run")) " of " (tree.shown.len()) " are left out: the page would be too large." }
        }
    }
}
