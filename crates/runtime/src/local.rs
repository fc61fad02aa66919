//! Storage of the program's thread-local variables: one per fiber.

use std::any::Any;

use raddle_trace::{Hidden, ThreadId};

use crate::visit::{current_thread, made_events, need_visible, with_stage};

/// Names a thread-local variable: the address of its static.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalKeyId(pub usize);

/// The values of one thread.
#[derive(Default)]
pub(crate) struct Locals {
    values: Vec<(LocalKeyId, Box<dyn Any>)>,
    /// Set while the values are destroyed: a variable that is gone does not come back.
    gone: Vec<LocalKeyId>,
}

impl Locals {
    /// Takes the value that was made last, to be destroyed.
    pub(crate) fn take_last(&mut self) -> Option<Box<dyn Any>> {
        let (key, value) = self.values.pop()?;
        self.gone.push(key);
        Some(value)
    }

    /// Whether there is nothing to destroy or to forget.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.gone.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.gone.clear();
    }
}

/// Uses the variable of the current thread, making it first if need be; `None` if it has been destroyed.
///
/// # Panics
/// Outside a run.
pub fn with_local<T: 'static, R>(
    key: LocalKeyId,
    make: impl FnOnce() -> T,
    use_it: impl FnOnce(&T) -> R,
) -> Option<R> {
    let find = || {
        with_stage(|stage| {
            let locals = stage.locals();
            if locals.gone.contains(&key) {
                return Err(());
            }
            let value = locals.values.iter().find(|(other, _)| *other == key);
            Ok(value.map(|(_, value)| {
                std::ptr::from_ref(
                    value.downcast_ref::<T>().expect("bug in raddle: two variables with one key"),
                )
            }))
        })
    };
    let value = match find().ok()? {
        Some(value) => value,
        None => {
            // Making the value is the program's code: it may visit the stage itself, so nothing is borrowed here.
            let value: Box<T> = Box::new(make());
            let address = std::ptr::from_ref(&*value);
            with_stage(|stage| stage.locals().values.push((key, value)));
            address
        }
    };
    // SAFETY: the value is boxed, so it stays where it is while the list grows, and it is only destroyed by its own
    // thread at its end (or after the run), when this call has returned or been unwound.
    Some(use_it(unsafe { &*value }))
}

/// Destroys the thread-local variables of the current thread, the youngest first.
///
/// If others can tell that from the end of what the thread was to do, the ends of threads have to be visible.
pub(crate) fn destroy_locals() {
    let ((), is_visible) = made_events(|| {
        while let Some(value) = with_stage(|stage| stage.locals().take_last()) {
            drop(value);
        }
    });
    with_stage(|stage| stage.locals().clear());
    if is_visible && current_thread() != ThreadId::MAIN {
        need_visible(Hidden::Ends);
    }
}
