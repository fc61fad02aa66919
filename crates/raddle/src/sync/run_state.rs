//! What one-time initialisations need in a run.
//!
//! A run initialises anew what an earlier run did, and two searches may use one static at the same time. So what a run
//! has initialised is remembered beside the object, by OS thread and object number: there is one run at a time on an OS
//! thread, and a run that meets an object for the first time overwrites what is left of runs before.

use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use raddle_runtime::{Registration, end_of_run, visit, with_world};
use raddle_trace::level::once;
use raddle_trace::{Kind, ObjectId, Operation, Outcome, Place};
use raddle_world::ObjectKind;

/// What the current run knows of a one-time initialisation.
#[derive(Clone, Copy, Default)]
pub(super) struct RunState {
    /// Which of the object's [`Kept`] values is the one of the run.
    pub value: Option<usize>,
    /// Whether the last attempt panicked.
    pub poisoned: bool,
}

std::thread_local! {
    static STATES: RefCell<Vec<RunState>> = const { RefCell::new(Vec::new()) };
}

/// Uses what the run knows of an object.
pub(super) fn state<R>(object: ObjectId, f: impl FnOnce(&mut RunState) -> R) -> R {
    STATES.with_borrow_mut(|states| {
        if states.len() <= object.index() {
            states.resize(object.index() + 1, RunState::default());
        }
        f(&mut states[object.index()])
    })
}

/// The number of a one-time initialisation, which counts as done if it was done outside all runs.
pub(super) fn number(
    registration: &Registration,
    place: Place,
    done_outside: impl FnOnce() -> bool,
) -> ObjectId {
    let mut is_first = false;
    let object = registration.number(place, || {
        is_first = true;
        if done_outside() { ObjectKind::OnceDone } else { ObjectKind::Once }
    });
    if is_first {
        state(object, |state| *state = RunState::default());
    }
    object
}

/// Whether the initialisation is done, as a visible operation.
pub(super) fn look(object: ObjectId, place: Place) -> bool {
    let executed = visit(Operation::new(Kind::OnceLook, object, 0).carrying(true), place);
    if executed.skipped {
        return with_world(|world| world.is_complete(object)) || state(object, |state| state.value.is_some());
    }
    executed.value == once::COMPLETE
}

/// What a thread that wants to initialise has to do.
pub(super) enum Entered {
    /// Initialise.
    Ours(Running),
    /// Nothing.
    Already,
}

/// Starts the initialisation, waiting for whoever is doing it.
pub(super) fn enter(object: ObjectId, place: Place) -> Entered {
    let executed = visit(Operation::new(Kind::OnceEnter, object, 0).carrying(true), place);
    let ours = if executed.skipped {
        let level = with_world(|world| world.level(object));
        if level == once::RUNNING {
            // A destructor waits for a thread that will never act again.
            end_of_run();
        }
        level == once::NEW && state(object, |state| state.value.is_none())
    } else {
        executed.outcome == Outcome::Done
    };
    if ours { Entered::Ours(Running { object, place, ends_by: Kind::OncePoison }) } else { Entered::Already }
}

/// An initialisation under way. Dropping it without [`Running::complete`] lets somebody else try again.
pub(super) struct Running {
    object: ObjectId,
    place: Place,
    ends_by: Kind,
}

impl Running {
    pub(super) fn complete(mut self) {
        self.ends_by = Kind::OnceExit;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        visit(Operation::new(self.ends_by, self.object, 0).carrying(true), self.place);
    }
}

/// The values that runs have made for one object. References to them may live as long as the object, and longer than
/// their run; so they are kept until the object is dropped. For a static that is never, as for the value of a static of
/// `std`: one value per run is leaked.
pub(super) struct Kept<T> {
    values: Mutex<Vec<NonNull<T>>>,
}

// SAFETY: the pointers are owned, like boxes; sending the list sends the values.
unsafe impl<T: Send> Send for Kept<T> {}
// SAFETY: through a shared list values come in (so `T: Send`), and references to them go out (so `T: Sync`).
unsafe impl<T: Send + Sync> Sync for Kept<T> {}

impl<T> Kept<T> {
    pub(super) const fn new() -> Kept<T> {
        Kept { values: Mutex::new(Vec::new()) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<NonNull<T>>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a value as the one of the current run.
    pub(super) fn keep(&self, object: ObjectId, value: T) {
        let mut values = self.lock();
        values.push(NonNull::from(Box::leak(Box::new(value))));
        let index = values.len() - 1;
        drop(values);
        state(object, |state| state.value = Some(index));
    }

    /// The value of the current run, if it has made one.
    pub(super) fn get(&self, object: ObjectId) -> Option<&T> {
        let index = state(object, |state| state.value)?;
        let pointer = *self.lock().get(index)?;
        // SAFETY: the value is only freed with `&mut self`, so it lives as long as this reference to the list.
        Some(unsafe { pointer.as_ref() })
    }

    /// The same, for the only one who can use it.
    pub(super) fn get_mut(&mut self, object: ObjectId) -> Option<&mut T> {
        let index = state(object, |state| state.value)?;
        let mut pointer = *self.lock().get(index)?;
        // SAFETY: as in `get`; and nobody else has a reference, since all come from references to the list.
        Some(unsafe { pointer.as_mut() })
    }

    /// Takes the value of the current run out, if it has made one; frees all others.
    pub(super) fn take(&mut self, object: ObjectId) -> Option<T> {
        let index = state(object, |state| state.value.take())?;
        let mut values = std::mem::take(&mut *self.lock());
        let taken = (index < values.len()).then(|| values.remove(index));
        free(values);
        // SAFETY: every pointer in the list came from a box, and this one is not in the list any more.
        taken.map(|pointer| *unsafe { Box::from_raw(pointer.as_ptr()) })
    }
}

fn free<T>(values: Vec<NonNull<T>>) {
    for value in values {
        // SAFETY: every pointer in a list came from a box, and the list is gone.
        drop(unsafe { Box::from_raw(value.as_ptr()) });
    }
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        free(std::mem::take(&mut *self.lock()));
    }
}
