//! Whether a lock is poisoned, as something that threads can see without taking it.
//!
//! A lock is poisoned by whoever holds it, so for those who take it the order in which they do decides. To look whether it is
//! poisoned, and to declare that it is not, nobody has to take it: these are operations on a cell beside the lock. Whoever
//! takes a lock that was poisoned in this run looks there too, since it may be declared to be in order at the same time.

use std::sync::atomic::{AtomicBool, Ordering};

use raddle_runtime::{Registration, unwinding, visit, visit_write};
use raddle_trace::{Kind, Operation, Order, Place};
use raddle_world::ObjectKind;

/// What threads see of a lock's poison. The real lock has the poison itself.
pub(super) struct Poison {
    cell: Registration,
    /// Whether the lock was ever poisoned in the current run. Only who holds the lock writes this, so whoever takes it finds what
    /// is decided by the order in which it was taken.
    ever: AtomicBool,
}

impl Poison {
    pub(super) const fn new() -> Poison {
        Poison { cell: Registration::new(), ever: AtomicBool::new(false) }
    }

    /// A run meets the lock.
    pub(super) fn begin_run(&self) {
        self.ever.store(false, Ordering::Relaxed);
    }

    /// Without any order, as in `std`.
    fn operation(&self, kind: Kind, place: Place) -> Operation {
        let cell = self.cell.number(place, || ObjectKind::Poison);
        Operation { order: Order::Relaxed, ..Operation::new(kind, cell, 0) }
    }

    /// Somebody is about to look at the poison of the real lock.
    pub(super) fn look(&self, place: Place) {
        visit(self.operation(Kind::Load, place), place);
    }

    /// Somebody is about to take the poison off the real lock.
    pub(super) fn clear(&self, place: Place) {
        visit_write(self.operation(Kind::Store, place), place, |_| 0);
    }

    /// The current thread has just been given the lock, and is about to take the real one.
    #[inline]
    pub(super) fn taken(&self, place: Place) {
        if self.ever.load(Ordering::Relaxed) {
            self.look(place);
        }
    }

    /// The current thread, which holds the lock, is about to give the real one back: in the middle of a panic that poisons it.
    #[inline]
    pub(super) fn give_back(&self, place: Place) {
        if std::thread::panicking() {
            self.poison(place);
        }
    }

    #[cold]
    fn poison(&self, place: Place) {
        if raddle_runtime::in_run() && !unwinding() {
            self.ever.store(true, Ordering::Relaxed);
            visit_write(self.operation(Kind::Store, place), place, |_| 1);
        }
    }
}
