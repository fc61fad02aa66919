//! The runs that a search tries, one line each: who goes how many steps at a time, and how it ends.

use raddle_detect::FindingKind;
use raddle_trace::{Ending, Event, ThreadId};

use crate::Style;
use crate::text::clip;

/// The longest words for an ending.
const ENDING_WIDTH: usize = 14;

/// A run to be listed.
#[derive(Clone, Copy, Debug)]
pub struct ListedRun<'a> {
    /// Its number, counted from one.
    pub number: u64,
    /// What happened, in order.
    pub events: &'a [Event],
    /// How it ended.
    pub ending: Ending,
    /// What is wrong with it, if anything is.
    pub found: Option<FindingKind>,
}

impl ListedRun<'_> {
    /// Who went how many steps at a time.
    pub(crate) fn turns(&self) -> impl Iterator<Item = (ThreadId, usize)> {
        self.events.chunk_by(|one, next| one.thread == next.thread).map(|turn| (turn[0].thread, turn.len()))
    }

    /// How it ended, in a word or a few.
    pub(crate) fn how(&self) -> &'static str {
        match (self.found, self.ending) {
            (Some(kind), _) => kind.word(),
            (None, Ending::Finished) => "in order",
            (None, Ending::Assumed) => "assumed away",
            (None, Ending::StepLimit) => "too many steps",
            (None, _) => "given up",
        }
    }
}

/// The line of a run. It fits the screen, unless everything is to be shown.
#[must_use]
pub fn listed_run(run: &ListedRun<'_>, style: &Style) -> String {
    let times = if style.unicode { "×" } else { "*" };
    let turn = |(thread, steps): (ThreadId, usize)| match steps {
        1 => thread.to_string(),
        _ => format!("{thread}{times}{steps}"),
    };
    let turns: Vec<String> = run.turns().map(turn).collect();
    let line = format!("run {:>6}  {:ENDING_WIDTH$}  {}", run.number, run.how(), turns.join(" "));
    if style.full { line } else { clip(&line, style.columns(), style.symbols().cut) }
}
