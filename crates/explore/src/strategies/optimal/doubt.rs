//! Plans that could not be compared with the branch before them.
//!
//! Before a plan is added to a tree it is compared with the branches that are there: if the first step of one commutes
//! with all of it, the plan is covered by what will be tried below that branch. Where the two speak of objects that got
//! their numbers in different runs, that cannot be told. Then the plan waits behind the branch, and the runs below the
//! branch tell: if the plan is covered, one of them contains all its steps, each with the same past as planned, and none
//! of them after the step of the branch. If there is such a run the plan is struck out; if all runs below the branch have
//! been made and there was none, the plan is not covered. If there are several alternatives of the step of the branch, the runs
//! below each of them have to show it. A plan that leads into a doubtful one is not left to it but goes on behind it: it may hold a
//! step that is not covered.

use raddle_trace::{HappensBefore, Run, fault};

use super::wakeup_tree::{Branch, Planned, PlannedStep};
use super::{Level, OptimalDpor};

impl OptimalDpor {
    /// Strikes out the doubtful plans that the run shows to be covered.
    pub(super) fn settle_doubts(&mut self, run: &Run) {
        if !self.had_doubts {
            return;
        }
        for level in &mut self.levels {
            let Level::Threads(node) = level else { continue };
            if !node.doubtful || node.event >= run.events.len() || fault!(DoubtsAreKept) {
                continue;
            }
            let mut path = Vec::new();
            let tried = match node.planned {
                Planned::One(alternative) if !fault!(OneAlternativeSettlesDoubts) => {
                    Tried { which: 1 << alternative.min(63), all: (1 << node.known.min(63)) - 1 }
                }
                _ => Tried { which: 1, all: 1 },
            };
            let shown = |path: &[PlannedStep]| shows(&self.order, run, node.event, path);
            node.plans.retain_mut(|branch| !branch.doubtful || keep(branch, &mut path, tried, &shown));
            node.doubtful = node.plans.iter().any(|branch| branch.doubtful);
        }
    }
}

/// The alternative of the step of a branch that was tried, and all that there are, as bits.
#[derive(Clone, Copy)]
struct Tried {
    which: u64,
    all: u64,
}

/// Whether something is left of a branch without the plans that are shown to be covered, by each of the alternatives.
fn keep(
    branch: &mut Branch,
    path: &mut Vec<PlannedStep>,
    tried: Tried,
    shown: &dyn Fn(&[PlannedStep]) -> bool,
) -> bool {
    path.push(branch.step);
    let kept = if branch.then.is_empty() {
        if shown(path) {
            branch.shown_by |= tried.which;
        }
        branch.shown_by & tried.all != tried.all
    } else {
        branch.then.retain_mut(|next| keep(next, path, tried, shown));
        !branch.then.is_empty()
    };
    path.pop();
    kept
}

/// Whether the run contains the steps of a plan, with nothing between them and the state before event `tried` but each
/// other.
fn shows(order: &HappensBefore, run: &Run, tried: usize, path: &[PlannedStep]) -> bool {
    let mut steps: Vec<usize> = Vec::with_capacity(path.len());
    path.iter().all(|step| {
        let Some(&number) = order.events_of(step.thread).get(step.position) else { return false };
        let number = number as usize;
        let planned = match step.planned {
            Planned::All => true,
            Planned::One(alternative) => run.events[number].alternative == alternative,
        };
        let alone = (tried..number).all(|other| {
            !order.happens_before(other, number) || steps.contains(&other) || !run.events[other].is_step()
        });
        steps.push(number);
        number > tried && planned && alone
    })
}
