//! Fibers and the pool of their stacks.

use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};

use corosensei::stack::{DefaultStack, Stack};

use crate::switch::{Body, Context, start, switch};

/// Stack of a fiber unless another size is asked for, as that of a thread of `std`. Only touched pages count.
pub(crate) const STACK_BYTES: usize = 2 << 20;

/// Stacks that no search is using. A test binary makes many short searches, and getting memory from the system costs more
/// than a hundred runs.
static SPARE: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// Stacks that are kept between searches.
const MAX_SPARE: usize = 32;

/// The page below a stack that nobody may touch, at most.
const GUARD_BYTES: usize = 1 << 16;

/// What a thread is to do lies on its stack, unless it is larger than this.
const MAX_ON_STACK: usize = 4096;

/// Where the stack of a fiber lies, with the page below it that nobody may touch.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Bounds {
    pub lowest: usize,
    /// Its frames lie below.
    pub base: usize,
}

impl Bounds {
    pub(crate) fn of(stack: &DefaultStack) -> Bounds {
        Bounds { lowest: stack.limit().get(), base: stack.base().get() }
    }

    pub(crate) fn bytes(self) -> usize {
        self.base - self.lowest
    }

    pub(crate) fn contain(self, address: usize) -> bool {
        (self.lowest..self.base).contains(&address)
    }
}

/// How far a fiber is.
enum Progress {
    New(Todo),
    Begun,
    Ended,
}

/// What a fiber that has not begun is to do.
#[derive(Clone, Copy)]
pub(crate) struct Todo {
    /// Lies on its stack, which is free below.
    closure: *mut u8,
    body: Body,
    /// What destroys the closure.
    destroy: unsafe fn(*mut u8),
}

/// A thread of the program: a stack, and where it was left.
pub(crate) struct Fiber {
    stack: ManuallyDrop<DefaultStack>,
    /// Where it goes on. Only of use while it is not running.
    context: Context,
    progress: Progress,
}

impl Fiber {
    /// A fiber that will do `f` and then go on in the context that this returns, for good.
    ///
    /// # Safety
    /// What `f` borrows has to live until the fiber has ended, or is dropped without having begun.
    pub(crate) unsafe fn new<F: FnOnce() -> Context>(stack: DefaultStack, f: F) -> Fiber {
        if size_of::<F>() > MAX_ON_STACK || align_of::<F>() > MAX_ON_STACK {
            let f: Box<dyn FnOnce() -> Context + '_> = Box::new(f);
            // SAFETY: passed on to the caller.
            return unsafe { Fiber::with_small(stack, f) };
        }
        // SAFETY: passed on to the caller.
        unsafe { Fiber::with_small(stack, f) }
    }

    /// # Safety
    /// As for [`Fiber::new`], and `F` leaves most of any stack free.
    unsafe fn with_small<F: FnOnce() -> Context>(stack: DefaultStack, f: F) -> Fiber {
        let place = (Bounds::of(&stack).base - size_of::<F>()) & !(align_of::<F>().max(16) - 1);
        let closure = place as *mut F;
        // SAFETY: the stack is not in use, its upper part is writable memory, and `place` is aligned for what is put there.
        unsafe { closure.write(f) };
        let todo = Todo { closure: closure.cast(), body: body::<F>, destroy: destroy::<F> };
        Fiber { stack: ManuallyDrop::new(stack), context: Context::NONE, progress: Progress::New(todo) }
    }

    /// A fiber that goes on where a copy of its stack was left.
    ///
    /// # Safety
    /// The stack holds again what it held when the fiber was left in this context.
    pub(crate) unsafe fn left(stack: DefaultStack, context: Context) -> Fiber {
        Fiber { stack: ManuallyDrop::new(stack), context, progress: Progress::Begun }
    }

    /// Whether it has been switched to.
    pub(crate) fn has_begun(&self) -> bool {
        !matches!(self.progress, Progress::New(..))
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.progress, Progress::Ended)
    }

    /// Where it goes on; only of use while it is not running.
    pub(crate) fn context(&self) -> Context {
        self.context
    }

    /// Where to write down where it was left.
    pub(crate) fn leaves(&mut self) -> *mut Context {
        &raw mut self.context
    }

    /// How to go to it.
    #[inline]
    pub(crate) fn way(&mut self) -> Way {
        match std::mem::replace(&mut self.progress, Progress::Begun) {
            Progress::New(todo) => Way::Start(todo),
            _ => Way::Switch(self.context),
        }
    }

    /// Nobody will switch to it any more, and nobody refers to what is on its stack.
    pub(crate) fn end(&mut self) {
        self.progress = Progress::Ended;
    }

    pub(crate) fn bounds(&self) -> Bounds {
        Bounds::of(&self.stack)
    }

    /// The stack of a fiber that has ended or not begun; what that was to do is destroyed.
    pub(crate) fn into_stack(mut self) -> Option<DefaultStack> {
        let ended = match std::mem::replace(&mut self.progress, Progress::Begun) {
            Progress::Begun => false,
            Progress::Ended => true,
            Progress::New(todo) => {
                // SAFETY: it was put there by `new`, and neither moved nor destroyed since.
                unsafe { (todo.destroy)(todo.closure) };
                true
            }
        };
        // SAFETY: the drop of the fiber leaves the stack of one that has begun alone.
        ended.then(|| unsafe { ManuallyDrop::take(&mut self.stack) })
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        // What lies on the stack of a fiber that has begun may be referred to by others: it is lost.
        match std::mem::replace(&mut self.progress, Progress::Begun) {
            Progress::Begun => return,
            Progress::Ended => {}
            // SAFETY: as in `into_stack`.
            Progress::New(todo) => unsafe { (todo.destroy)(todo.closure) },
        }
        // SAFETY: nobody uses it any more, and this is the last use of the fiber.
        unsafe { ManuallyDrop::drop(&mut self.stack) };
    }
}

/// # Safety
/// A value of this type is there, and is not used any more.
unsafe fn destroy<F>(closure: *mut u8) {
    // SAFETY: passed on to the caller.
    unsafe { closure.cast::<F>().drop_in_place() };
}

/// What runs on the stack of a fiber.
///
/// # Safety
/// The closure that `new` put there has not been moved.
unsafe extern "C" fn body<F: FnOnce() -> Context>(closure: *mut u8) -> Context {
    // SAFETY: passed on to the caller.
    let f = unsafe { closure.cast::<F>().read() };
    f()
}

/// How to go to another stack.
pub(crate) enum Way {
    /// Where it was left.
    Switch(Context),
    Start(Todo),
}

impl Way {
    /// Leaves this stack, of which `from` will tell where it was left.
    ///
    /// # Safety
    /// `from` can be written, and the other stack is still there and not in use.
    #[inline]
    pub(crate) unsafe fn go(self, from: *mut Context) {
        // SAFETY: passed on to the caller; the closure lies where the stack of its fiber begins.
        unsafe {
            match self {
                Way::Switch(to) => switch(from, to),
                // `new` aligned it for a stack.
                Way::Start(todo) => start(from, todo.closure as usize, todo.body, todo.closure),
            }
        }
    }
}

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
        let is_usual = |stack: &DefaultStack| Bounds::of(stack).bytes() <= STACK_BYTES + GUARD_BYTES;
        spare.extend(self.free.drain(..).filter(is_usual).take(room));
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
        let Some(stack) = fiber.into_stack() else { return };
        // A handful is enough for any program that is searched; a run with many threads must not keep its memory.
        if self.free.len() < 160 {
            self.free.push(stack);
        }
    }
}
