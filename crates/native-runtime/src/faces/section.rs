//! Sections that verification programs declare atomic: nobody touches memory while somebody is in one.
//!
//! One lock stands for all of them. A section takes it for writing. Every access to memory outside takes it for reading, and
//! gives it back before the thread's next visible step: the access itself happens only after we have returned to the program.
//! Accesses outside sections stay independent of each other that way.

use std::sync::atomic::{AtomicBool, Ordering};

use raddle_trace::{Event, Kind, ObjectId, Operation, Place};
use raddle_world::ObjectKind;

use crate::control::{self, controlled};
use crate::objects::{Objects, Use};
use crate::state::{self, here, uncontrolled};

/// Stands for the lock; no object of the program has this address.
const ADDRESS: usize = 1;

/// Bytes below the first frame of a thread in which its local variables are looked for.
const NEAR_TOP: usize = 1 << 20;

/// How far an access outside sections has come, which keeps others from beginning one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// There is none.
    None,
    /// It is the thread's next visible step.
    Coming,
    /// It was the thread's last visible step.
    Done,
}

/// Whether the program has any sections.
static USED: AtomicBool = AtomicBool::new(false);

/// The program has sections, as its static model says.
pub(crate) fn expect() {
    USED.store(true, Ordering::Relaxed);
}

/// Whether the program has any sections.
pub(crate) fn is_used() -> bool {
    USED.load(Ordering::Relaxed)
}

fn lock(place: Place) -> ObjectId {
    control::object(ADDRESS, Use::Primitive, place, || ObjectKind::RwLock)
}

/// Whether an event is only there to keep an access out of sections: it orders nothing in the program.
#[inline]
pub(crate) fn is_bracket(objects: &Objects, event: &Event) -> bool {
    USED.load(Ordering::Relaxed)
        && matches!(event.operation.kind, Kind::Read | Kind::ReadUnlock)
        && objects.find(ADDRESS, Use::Primitive) == Some(event.operation.object)
}

/// The current thread is about to touch memory.
#[inline]
pub(crate) fn keep_out(at: usize, place: Place) {
    if USED.load(Ordering::Relaxed) {
        touches(at, place);
    }
}

/// Local variables of the thread itself are left out: sections of others rarely touch them, and the verdict names those that do.
#[cold]
fn touches(at: usize, place: Place) {
    let here = 0_u8;
    let (own, inside, of_another) = state::with(|state| {
        let top = state.own().stack_top;
        let own = (&raw const here as usize..top).contains(&at);
        let on = |top: usize| (top.saturating_sub(NEAR_TOP)..top).contains(&at);
        let of_another = !own && state.threads.iter().any(|thread| on(thread.stack_top));
        (own, state.own().sections > 0, of_another)
    });
    if inside && of_another {
        uncontrolled("an atomic section that touches a local variable of another thread");
    }
    if !inside && !own {
        control::visit(Operation::new(Kind::Read, lock(place), 0), place);
        state::with(|state| state.own().access = Access::Coming);
    }
}

/// The current thread is about to take a visible step, or to end.
#[inline]
pub(crate) fn settle() {
    if USED.load(Ordering::Relaxed) && raddle_runtime::in_run() {
        let access = state::with(|state| {
            let own = state.own();
            let access = own.access;
            own.access = if access == Access::Coming { Access::Done } else { Access::None };
            access
        });
        if access == Access::Done {
            let place = here();
            control::visit(Operation::new(Kind::ReadUnlock, lock(place), 0), place);
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __VERIFIER_atomic_begin() {
    if !controlled() {
        return;
    }
    let before = state::with(|state| {
        state.own().sections += 1;
        state.own().sections - 1
    });
    if before == 0 {
        let place = here();
        control::visit(Operation::new(Kind::Write, lock(place), 0), place);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __VERIFIER_atomic_end() {
    if !controlled() {
        return;
    }
    let place = here();
    match state::with(|state| state.own().sections) {
        0 => control::misuse("ends an atomic section that it has not begun", place),
        1 => {
            control::visit(Operation::new(Kind::WriteUnlock, lock(place), 0), place);
        }
        _ => {}
    }
    state::with(|state| state.own().sections -= 1);
}
