//! `--list`: which runs, or which different traces, are told of as they are made.

use std::collections::BTreeSet;

use raddle_report::ListedRun;
use raddle_trace::TraceKey;

use crate::settings::Settings;

/// What is listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Nothing,
    Traces,
    Runs,
}

/// What was listed so far.
#[derive(Debug)]
pub(crate) struct Listing {
    what: What,
    most: u64,
    listed: u64,
    /// The traces that were listed.
    seen: BTreeSet<TraceKey>,
}

/// What becomes of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It is listed.
    Listed,
    /// It is the first that is too many.
    TooMany,
    /// It is passed over.
    Skipped,
}

impl Listing {
    /// What the settings ask for.
    pub(crate) fn of(settings: &Settings) -> Listing {
        let what = match settings.word("list") {
            "traces" => What::Traces,
            "runs" => What::Runs,
            _ => What::Nothing,
        };
        let most = settings.number("list-most").unwrap_or(u64::MAX);
        Listing { what, most, listed: 0, seen: BTreeSet::new() }
    }

    /// Whether something is to be listed.
    pub(crate) fn is_wanted(&self) -> bool {
        self.what != What::Nothing
    }

    /// Takes a run, and says what becomes of it.
    pub(crate) fn take(&mut self, run: &ListedRun<'_>) -> Fate {
        let is_over = self.listed > self.most;
        if is_over || (self.what == What::Traces && !self.is_new(run)) {
            return Fate::Skipped;
        }
        self.listed += 1;
        if self.listed > self.most { Fate::TooMany } else { Fate::Listed }
    }

    fn is_new(&mut self, run: &ListedRun<'_>) -> bool {
        self.seen.insert(TraceKey::of(run.events))
    }

    /// What is said when there are too many.
    pub(crate) fn too_many(&self) -> String {
        let what = if self.what == What::Runs { "runs" } else { "traces" };
        let most = raddle_report::grouped(self.most);
        format!(
            "raddle: note: {most} {what} are listed, and there are more; --list-most N lists more of them"
        )
    }
}
