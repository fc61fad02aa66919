//! Fibers and the pool of their stacks.

use std::sync::{Mutex, PoisonError};

use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// What a fiber is made of.
pub(crate) type Fiber = Coroutine<(), (), (), DefaultStack>;

/// The way out of a fiber, back to whoever resumed it.
pub(crate) type Way = Yielder<(), ()>;

/// Stack of a fiber unless another size is asked for. Only touched pages count.
pub(crate) const STACK_BYTES: usize = 1 << 20;

/// Stacks that no search is using. A test binary makes many short searches, and getting memory from the system costs more
/// than a hundred runs.
static SPARE: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// Stacks that are kept between searches.
const MAX_SPARE: usize = 32;

/// The page below a stack that nobody may touch, at most.
const GUARD_BYTES: usize = 1 << 16;

/// Stacks that are not in use.
#[derive(Default)]
pub(crate) struct StackPool {
    free: Vec<DefaultStack>,
}

impl Drop for StackPool {
    fn drop(&mut self) {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_SPARE.saturating_sub(spare.len());
        // Larger ones than usual would be wasted on others.
        let size = |stack: &DefaultStack| stack.base().get() - stack.limit().get();
        let usual = self.free.drain(..).filter(|stack| size(stack) <= STACK_BYTES + GUARD_BYTES);
        spare.extend(usual.take(room));
    }
}

impl StackPool {
    /// A stack of the usual size, or a new one of a special size.
    ///
    /// # Panics
    /// If the system has no memory for it.
    pub(crate) fn take(&mut self, bytes: Option<usize>) -> DefaultStack {
        let usual = bytes.is_none_or(|bytes| bytes <= STACK_BYTES);
        let spare = || SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match if usual { self.free.pop().or_else(spare) } else { None } {
            Some(stack) => stack,
            None => DefaultStack::new(bytes.unwrap_or(STACK_BYTES).max(STACK_BYTES))
                .expect("could not get memory for the stack of a thread"),
        }
    }

    /// Takes the stack of a finished fiber back.
    pub(crate) fn give(&mut self, fiber: Fiber) {
        // A handful is enough for any program that is searched; a run with many threads must not keep its memory.
        let stack = fiber.into_stack();
        if self.free.len() < 160 {
            self.free.push(stack);
        }
    }
}

/// Lets a fiber go on; true if it came to its end.
pub(crate) fn resume(fiber: &mut Fiber) -> bool {
    matches!(fiber.resume(()), CoroutineResult::Return(()))
}
