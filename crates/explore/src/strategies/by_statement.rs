//! A random walk over statements instead of threads. Guarantee: a sample; how likely an order of statements is does not
//! depend on how many threads are at them.
//!
//! HaPSets do not tell threads apart that do the same (Wang, Said, Gupta, section 3.1), and neither does this walk: it
//! draws among the statements that some enabled thread has next, and then the first thread that is there. However many
//! threads compete, one that does something of its own is drawn as often as all of them together. Half of the runs keep
//! drawing like this; in the others a statement gets a priority when it is first met and keeps it for the run, so that
//! one kind of thread can get far while another waits.

use std::collections::BTreeMap;

use raddle_trace::{Place, Run, ThreadId};

use crate::archive::{Archive, Numbers};
use crate::rng::Rng;
use crate::{Again, Choice, Chooser, Decision, Estimate, Guarantee, NoPick, Offer, Strategy};

/// Statements drawn, whoever is at them.
#[derive(Clone, Debug)]
pub struct ByStatement {
    rng: Rng,
    /// The priorities of the places that were met in this run, if they have some.
    priorities: Option<BTreeMap<u64, u64>>,
    /// The different places at a decision, with the first thread at each.
    met: Vec<(u64, ThreadId)>,
}

impl ByStatement {
    /// The same seed makes the same runs.
    #[must_use]
    pub fn new(seed: u64) -> ByStatement {
        ByStatement { rng: Rng::new(seed), priorities: None, met: Vec::new() }
    }
}

/// What tells places apart in this process and in every other one; zero for a place that is not known.
pub(super) fn spot_of(place: Place) -> u64 {
    u64::from(place.line().unwrap_or(0)) << 32 | u64::from(place.column().unwrap_or(0))
}

/// The place at which a thread is.
pub(super) fn spot(at: &Decision<'_>, thread: ThreadId) -> u64 {
    spot_of(at.pending[thread.index()].place)
}

/// The different places at a decision, with the first thread at each.
pub(super) fn different_spots(at: &Decision<'_>, met: &mut Vec<(u64, ThreadId)>) {
    met.clear();
    for thread in at.enabled.iter() {
        let spot = spot(at, thread);
        if !met.iter().any(|(known, _)| *known == spot) {
            met.push((spot, thread));
        }
    }
}

impl Chooser for ByStatement {
    fn decide(&mut self, at: &Decision<'_>) -> Choice {
        different_spots(at, &mut self.met);
        let rng = &mut self.rng;
        let chosen = match &mut self.priorities {
            None => self.met.get(rng.below(self.met.len())),
            Some(known) => {
                self.met.iter().max_by_key(|(spot, _)| *known.entry(*spot).or_insert_with(|| rng.next()))
            }
        };
        Choice::Go(chosen.expect("bug in raddle: a decision without enabled threads").1)
    }

    fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        Ok(self.rng.below(at.alternatives as usize) as u32)
    }
}

impl Strategy for ByStatement {
    fn begin(&mut self) -> bool {
        self.priorities = (self.rng.below(2) == 1).then(BTreeMap::new);
        true
    }

    fn learn(&mut self, _run: &Run) {}

    fn replayed(&self) -> usize {
        0
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Sample
    }

    fn estimate(&self, _runs: u64) -> Option<Estimate> {
        None
    }

    fn save(&self) -> Option<Vec<u64>> {
        Some(self.rng.numbers())
    }

    fn restore(&mut self, saved: &[u64], _again: &mut Again<'_>) -> bool {
        Numbers::new(saved).only().map(|rng| self.rng = rng).is_some()
    }
}
