//! Depth-first search over all decisions, without reduction: what `every` and `preemption-bound` have in common.

use raddle_trace::{ThreadId, ThreadSet};

use crate::archive::{Archive, Numbers};
use crate::share::Turn;
use crate::{Choice, Decision, Estimate, NoPick, Offer, Share};

/// A decision with more than one way to go.
#[derive(Clone, Copy, Debug)]
enum Level {
    Threads { chosen: ThreadId, left: ThreadSet, known: usize, event: usize },
    Alternatives { chosen: u32, known: u32, event: usize },
}

impl Archive for Level {
    fn put(&self, out: &mut Vec<u64>) {
        match *self {
            Level::Threads { chosen, left, known, event } => {
                (0_u32, ((chosen, left), (known, event))).put(out);
            }
            Level::Alternatives { chosen, known, event } => (1_u32, ((chosen, known), event)).put(out),
        }
    }

    fn take(input: &mut Numbers<'_>) -> Option<Level> {
        Some(if u32::take(input)? == 0 {
            let ((chosen, left), (known, event)) = Archive::take(input)?;
            Level::Threads { chosen, left, known, event }
        } else {
            let ((chosen, known), event) = Archive::take(input)?;
            Level::Alternatives { chosen, known, event }
        })
    }
}

/// The decisions of the current run, and what is left to try at each.
#[derive(Clone, Debug, Default)]
pub(super) struct DepthFirst {
    levels: Vec<Level>,
    depth: usize,
    started: bool,
    replayed: usize,
    share: Option<Share>,
}

impl Level {
    fn turn(&self) -> Turn {
        match *self {
            Level::Threads { chosen, known, .. } => Turn { choice: chosen.index() as u32, known },
            Level::Alternatives { chosen, known, .. } => {
                Turn { choice: chosen | 1 << 31, known: known as usize }
            }
        }
    }
}

impl DepthFirst {
    pub(super) fn shared(share: Option<Share>) -> DepthFirst {
        DepthFirst { share, ..DepthFirst::default() }
    }

    fn is_elsewhere(&mut self) -> bool {
        let way = self.levels.iter().map(Level::turn);
        self.share.as_mut().is_some_and(|share| !share.is_ours(way))
    }

    pub(super) fn keeps(&mut self) -> bool {
        let way = self.levels.iter().map(Level::turn);
        self.share.as_mut().is_none_or(|share| share.keeps(way))
    }

    /// Goes on to the next way; false if there is none.
    pub(super) fn begin(&mut self) -> bool {
        self.depth = 0;
        let another = if self.started { self.turn_to_next() } else { true };
        self.started = true;
        if let Some(share) = &mut self.share {
            share.begin(self.levels.len(), self.levels.iter().map(Level::turn));
        }
        another
    }

    fn turn_to_next(&mut self) -> bool {
        while let Some(level) = self.levels.last_mut() {
            match level {
                Level::Threads { chosen, left, event, .. } => {
                    if let Some(next) = left.first() {
                        left.remove(next);
                        *chosen = next;
                        self.replayed = *event;
                        return true;
                    }
                }
                Level::Alternatives { chosen, known, event } => {
                    if *chosen + 1 < *known && !raddle_trace::fault!(EverySkipsAlternatives) {
                        *chosen += 1;
                        self.replayed = *event;
                        return true;
                    }
                }
            }
            self.levels.pop();
        }
        false
    }

    /// Chooses among `allowed`, a part of the enabled threads that is never empty.
    #[inline]
    pub(super) fn decide(&mut self, at: &Decision<'_>, allowed: ThreadSet) -> Choice {
        if let Some(only) = allowed.sole() {
            return Choice::Go(only);
        }
        if let Some(level) = self.levels.get(self.depth) {
            self.depth += 1;
            return match *level {
                Level::Threads { chosen, .. } if allowed.contains(chosen) => Choice::Go(chosen),
                _ => Choice::Diverged,
            };
        }
        if self.is_elsewhere() {
            return Choice::Elsewhere;
        }
        let chosen = at.natural(allowed).expect("bug in raddle: a decision without enabled threads");
        let mut left = allowed;
        left.remove(chosen);
        if raddle_trace::fault!(EveryForgetsOne) && left.len() > 1 {
            left.remove(left.first().unwrap_or_default());
        }
        self.levels.push(Level::Threads { chosen, left, known: allowed.len(), event: at.event });
        self.depth += 1;
        Choice::Go(chosen)
    }

    pub(super) fn pick(&mut self, at: &Offer) -> Result<u32, NoPick> {
        if let Some(level) = self.levels.get(self.depth) {
            self.depth += 1;
            return match *level {
                Level::Alternatives { chosen, known, .. } if known == at.alternatives => Ok(chosen),
                _ => Err(NoPick::Diverged),
            };
        }
        if self.is_elsewhere() {
            return Err(NoPick::Elsewhere);
        }
        self.levels.push(Level::Alternatives { chosen: 0, known: at.alternatives, event: at.event });
        self.depth += 1;
        Ok(0)
    }

    /// The run goes on after its first events.
    pub(super) fn skip(&mut self, events: usize) {
        let event = |level: &Level| match *level {
            Level::Threads { event, .. } | Level::Alternatives { event, .. } => event,
        };
        self.depth = self.levels.partition_point(|level| event(level) < events);
    }

    /// The state after the last run; none if others search the rest.
    pub(super) fn save(&self) -> Option<Vec<u64>> {
        (self.started && self.share.is_none()).then(|| self.levels.numbers())
    }

    pub(super) fn restore(&mut self, saved: &[u64]) -> bool {
        let levels = Numbers::new(saved).only();
        self.started = levels.is_some();
        self.levels = levels.unwrap_or_default();
        self.started
    }

    pub(super) fn replayed(&self) -> usize {
        self.replayed
    }

    pub(super) fn estimate(&self, runs: u64) -> Option<Estimate> {
        let way = self.levels.iter().map(|level| match *level {
            Level::Threads { left, known, .. } => (known - left.len() - 1, known),
            Level::Alternatives { chosen, known, .. } => (chosen as usize, known as usize),
        });
        Estimate::along(way, runs)
    }
}
