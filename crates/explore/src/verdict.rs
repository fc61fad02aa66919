//! What may be claimed at the end of a search.

use raddle_trace::Place;

use crate::{Guarantee, Limit};

/// A reason not to trust what a search says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// With the same schedule the program did something else than before.
    NotDeterministic {
        /// At which event.
        event: usize,
        /// What it did before, in a few words.
        before: String,
        /// What it did now.
        now: String,
        /// Where it did it now.
        place: Place,
    },
    /// The program used something that is not under control.
    Uncontrolled {
        /// What, as in `pthread_cancel`; the first, if there are several.
        name: String,
        /// Where.
        place: Place,
    },
    /// The process that searched is gone, and with it what it had covered.
    Lost {
        /// How it went, in a few words.
        how: String,
    },
}

/// What may be claimed at the end of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every interleaving was covered and nothing was found.
    Exhausted,
    /// Everything within a bound was covered and nothing was found.
    ExhaustedWithin(u32),
    /// As many samples as asked for were taken and nothing was found.
    Sampled(u64),
    /// A limit ended the search before it was done; nothing was found.
    Stopped(Limit),
    /// Something was found.
    Failed,
    /// The program was not under control, so no claim is made.
    Untrusted(Doubt),
}

impl Verdict {
    /// What a search with this guarantee may claim when it has come to its end without a finding.
    #[must_use]
    pub fn at_end(guarantee: Guarantee, runs: u64) -> Verdict {
        match guarantee {
            Guarantee::All => Verdict::Exhausted,
            Guarantee::Within(bound) => Verdict::ExhaustedWithin(bound),
            Guarantee::Sample => Verdict::Sampled(runs),
        }
    }

    /// The word that scripts rely on.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Exhausted => "exhausted",
            Verdict::ExhaustedWithin(_) => "exhausted-within",
            Verdict::Sampled(_) => "sampled",
            Verdict::Stopped(_) => "stopped",
            Verdict::Failed => "failed",
            Verdict::Untrusted(_) => "untrusted",
        }
    }
}
