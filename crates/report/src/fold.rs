//! Which steps of a long schedule are shown.
//!
//! Every row has a weight. When there are too many, the lightest are folded first: long stretches of one thread before
//! short ones, and of what matters the oldest. Neighbours that are folded share one line, so folding never makes a table
//! longer.

use std::cmp::Reverse;
use std::ops::Range;

use raddle_trace::{Kind, ObjectId, Run, ThreadId};

use crate::objects::shared_objects;

/// How much a row matters; the order counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Weight {
    /// Comes after everything that matters.
    After,
    /// Comings and goings.
    Frame,
    /// Touches only what no other thread touches.
    Private,
    /// Touches what another thread touches too.
    Shared,
    /// Explains the finding.
    Telling,
}

/// How many folded stretches are looked at again.
const SECOND_TRIES: usize = 100;

/// What stands on one line of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Line {
    /// The row with this number.
    Row(usize),
    /// The rows from the first number up to, without, the second.
    Folded(usize, usize),
}

/// The lines that show these rows in at most `room` lines.
pub(crate) fn fold(rows: &[(Weight, ThreadId)], room: usize) -> Vec<Line> {
    let mut stretches = stretches(rows);
    stretches.sort_by_key(|stretch| {
        let weight = rows[stretch.start].0;
        (weight, if weight < Weight::Shared { Reverse(stretch.len()) } else { Reverse(0) })
    });
    let hide = |count: usize| {
        let mut hidden = vec![false; rows.len()];
        stretches[..count].iter().for_each(|stretch| hidden[stretch.clone()].fill(true));
        hidden
    };
    let fits = |hidden: &[bool]| lines(hidden).len() <= room;
    // What comes after everything that matters is never shown.
    let after = stretches.iter().filter(|stretch| rows[stretch.start].0 == Weight::After).count();
    if fits(&hide(after)) {
        return lines(&hide(after));
    }
    // Folding more never adds a line, so the smallest number of folded stretches can be found by halving.
    let (mut enough, mut too_few) = (stretches.len(), after);
    while enough - too_few > 1 {
        let middle = usize::midpoint(enough, too_few);
        if fits(&hide(middle)) { enough = middle } else { too_few = middle }
    }
    // The last stretch may have been a long one, and left room for some that were folded before it.
    let mut hidden = hide(enough);
    for stretch in stretches[after..enough].iter().rev().take(SECOND_TRIES) {
        hidden[stretch.clone()].fill(false);
        if !fits(&hidden) {
            hidden[stretch.clone()].fill(true);
        }
    }
    lines(&hidden)
}

/// What is folded together: rows of one thread in a row that matter equally little; of those that matter, each alone.
fn stretches(rows: &[(Weight, ThreadId)]) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for (index, (weight, thread)) in rows.iter().enumerate() {
        let goes_on = |last: &Range<usize>| match weight {
            Weight::After => rows[last.start].0 == Weight::After,
            Weight::Frame | Weight::Private => rows[last.start] == (*weight, *thread),
            Weight::Shared | Weight::Telling => false,
        };
        match stretches.last_mut() {
            Some(last) if goes_on(last) => last.end = index + 1,
            _ => stretches.push(index..index + 1),
        }
    }
    stretches
}

fn lines(hidden: &[bool]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut row = 0;
    while row < hidden.len() {
        let end = (row..hidden.len()).find(|next| !hidden[*next]).unwrap_or(hidden.len());
        match end - row {
            // One folded row would take as much room as the row.
            0 | 1 => {
                lines.push(Line::Row(row));
                row += 1;
            }
            _ => {
                lines.push(Line::Folded(row, end));
                row = end;
            }
        }
    }
    lines
}

/// The weights of all events; those in `telling` explain the finding.
pub(crate) fn weights(run: &Run, telling: &[usize]) -> Vec<Weight> {
    let shared = shared_objects(run);
    let is_shared = |object: ObjectId| shared.get(object.index()).copied().unwrap_or(false);
    let weigh = |(index, event): (usize, &raddle_trace::Event)| {
        let operation = &event.operation;
        if event.preempts || telling.contains(&index) {
            Weight::Telling
        } else if is_frame(operation.kind) {
            Weight::Frame
        } else if is_shared(operation.object)
            || operation.mutex().is_some_and(is_shared)
            || operation.kind == Kind::Spin
        {
            Weight::Shared
        } else {
            Weight::Private
        }
    };
    run.events.iter().enumerate().map(weigh).collect()
}

/// Whether the kind is a coming or going.
fn is_frame(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Create | Start | End | Join | Detach | Pass | Fence | AddSender | LockAgain | UnlockInner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Weight::*;

    fn check(weights: &[(Weight, usize)], room: usize, expected: &[Line]) {
        let rows: Vec<(Weight, ThreadId)> =
            weights.iter().map(|(weight, thread)| (*weight, ThreadId::new(*thread))).collect();
        assert_eq!(fold(&rows, room), expected);
    }

    #[test]
    fn what_fits_is_not_folded() {
        check(&[(Frame, 0), (Frame, 0), (Shared, 0)], 3, &[Line::Row(0), Line::Row(1), Line::Row(2)]);
    }

    #[test]
    fn the_lightest_rows_are_folded_first() {
        let rows = [(Frame, 0), (Frame, 0), (Shared, 1), (Private, 0), (Private, 0), (Telling, 1)];
        check(&rows, 5, &[Line::Folded(0, 2), Line::Row(2), Line::Row(3), Line::Row(4), Line::Row(5)]);
        check(&rows, 4, &[Line::Folded(0, 2), Line::Row(2), Line::Folded(3, 5), Line::Row(5)]);
    }

    #[test]
    fn long_stretches_are_folded_before_short_ones() {
        let rows = [(Private, 0), (Private, 0), (Private, 1), (Private, 1), (Private, 1), (Shared, 0)];
        check(&rows, 5, &[Line::Row(0), Line::Row(1), Line::Folded(2, 5), Line::Row(5)]);
    }

    #[test]
    fn a_single_row_is_never_folded() {
        let rows = [(Shared, 0), (Frame, 0), (Shared, 0)];
        check(&rows, 3, &[Line::Row(0), Line::Row(1), Line::Row(2)]);
        check(&rows, 2, &[Line::Folded(0, 2), Line::Row(2)]);
    }

    #[test]
    fn what_comes_after_is_always_folded() {
        check(&[(Telling, 0), (After, 0), (After, 1)], 9, &[Line::Row(0), Line::Folded(1, 3)]);
    }
}
