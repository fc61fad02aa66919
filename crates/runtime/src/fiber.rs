//! Fibers and the pool of their stacks.

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// What a fiber is made of.
pub(crate) type Fiber = Coroutine<(), (), (), DefaultStack>;

/// The way out of a fiber, back to whoever resumed it.
pub(crate) type Way = Yielder<(), ()>;

/// Stack of a fiber unless another size is asked for. Only touched pages count.
pub(crate) const STACK_BYTES: usize = 1 << 20;

/// Stacks that are not in use.
#[derive(Default)]
pub(crate) struct StackPool {
    free: Vec<DefaultStack>,
}

impl StackPool {
    /// A stack of the usual size, or a new one of a special size.
    ///
    /// # Panics
    /// If the system has no memory for it.
    pub(crate) fn take(&mut self, bytes: Option<usize>) -> DefaultStack {
        let usual = bytes.is_none_or(|bytes| bytes <= STACK_BYTES);
        match self.free.pop().filter(|_| usual) {
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
