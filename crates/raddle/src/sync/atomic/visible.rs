//! The operations of all atomics in a run: on bits, whose meaning the types know.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use raddle_runtime::{
    Executed, LocalKeyId, Registration, note_weaker_order, spurious_failures, visit, visit_write, with_local,
    with_world,
};
use raddle_trace::{Kind, ObjectId, Operation, Outcome, Place};
use raddle_world::ObjectKind;

use super::order;

/// A compare-exchange may fail for no reason.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    Strong,
    Weak,
}

/// An atomic as the run sees it: where it is registered, and how to find the value it starts with.
#[derive(Clone, Copy)]
pub(super) struct Visible<'a, F> {
    pub registration: &'a Registration,
    pub first: F,
    pub place: Place,
}

impl<F: FnOnce() -> u64> Visible<'_, F> {
    #[inline]
    fn cell(self) -> ObjectId {
        self.registration.number(self.place, || ObjectKind::Cell((self.first)()))
    }

    #[inline]
    #[track_caller]
    pub(super) fn load(self, order: Ordering) -> u64 {
        let order = order::of_load(order);
        let place = self.place;
        let cell = self.cell();
        note_weaker_order(order);
        let operation = Operation { order, ..Operation::new(Kind::Load, cell, 0) };
        let executed = visit(operation, place);
        if executed.skipped {
            return value(cell);
        }
        executed.value as u64
    }

    #[inline]
    #[track_caller]
    pub(super) fn store(self, new: u64, order: Ordering) {
        let order = order::of_store(order);
        let place = self.place;
        let cell = self.cell();
        note_weaker_order(order);
        let operation = Operation { order, ..Operation::new(Kind::Store, cell, 0) };
        visit_write(operation, place, |_| new);
    }

    /// Returns the old value.
    #[inline]
    pub(super) fn update(self, order: Ordering, new: impl FnOnce(u64) -> u64) -> u64 {
        let order = order::of(order);
        let place = self.place;
        let cell = self.cell();
        note_weaker_order(order);
        let operation = Operation { order, ..Operation::new(Kind::ReadModifyWrite, cell, 0) };
        let mut old = None;
        let executed = visit_write(operation, place, |value| {
            old = Some(value);
            new(value)
        });
        before(cell, &executed, old)
    }

    #[inline]
    #[track_caller]
    pub(super) fn compare_exchange(
        self,
        strength: Strength,
        (expected, new): (u64, u64),
        (success, failure): (Ordering, Ordering),
    ) -> Result<u64, u64> {
        let (order, order_on_failure) = (order::of(success), order::of_failure(failure));
        let place = self.place;
        let cell = self.cell();
        note_weaker_order(order);
        note_weaker_order(order_on_failure);
        let kind = match strength {
            Strength::Weak if fickle_failures(cell) < spurious_failures() => Kind::WeakCompareExchange,
            _ => Kind::CompareExchange,
        };
        let operation = Operation { order, order_on_failure, ..Operation::new(kind, cell, expected) };
        let mut old = None;
        let executed = visit_write(operation, place, |value| {
            old = Some(value);
            new
        });
        let old = before(cell, &executed, old);
        let succeeded = if executed.skipped { old == expected } else { executed.outcome == Outcome::Done };
        if strength == Strength::Weak {
            let fickle = !succeeded && old == expected;
            let times = fickle_failures(cell) + 1;
            last_fickle(|last| last.set(fickle.then_some((cell, times))));
        }
        if succeeded { Ok(old) } else { Err(old) }
    }
}

/// How often in a row weak compare-exchanges of the current thread on this cell have failed for no reason.
///
/// There is a limit: otherwise a loop of them would have runs without end, which mostly differ in nothing but the number of
/// rounds.
fn fickle_failures(cell: ObjectId) -> u32 {
    last_fickle(Cell::get).filter(|(last, _)| *last == cell).map_or(0, |(_, times)| times)
}

/// The cell on which the last weak compare-exchange of the current thread failed for no reason, and how often in a row.
fn last_fickle<R: Default>(f: impl FnOnce(&Cell<Option<(ObjectId, u32)>>) -> R) -> R {
    static KEY: u8 = 0;
    let key = LocalKeyId(std::ptr::from_ref(&KEY) as usize);
    with_local(key, || Cell::new(None), f).unwrap_or_default()
}

/// What the cell holds now.
fn value(cell: ObjectId) -> u64 {
    with_world(|world| world.value(cell))
}

/// What the cell held before an operation. When the run is over and the thread is being unwound, there is no event that
/// tells; `seen` is what was overwritten, if anything was.
#[inline]
fn before(cell: ObjectId, executed: &Executed, seen: Option<u64>) -> u64 {
    if executed.skipped { seen.unwrap_or_else(|| value(cell)) } else { executed.before as u64 }
}

/// The value in the current run, if there is a run and it has met the atomic.
pub(super) fn value_in_run(registration: &Registration) -> Option<u64> {
    if !raddle_runtime::in_run() {
        return None;
    }
    registration.known().map(value)
}
