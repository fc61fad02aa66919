//! Threads of a program: from their creation to their end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use corosensei::stack::DefaultStack;
use raddle_trace::{Ending, Hidden, Kind, ObjectId, Operation, Place, ThreadId};

use crate::fiber::Fiber;
use crate::local::destroy_locals;
use crate::panics::{self, RunIsOver};
use crate::stage::{Stage, Turn};
use crate::visit::{end_of_run, leave, need_visible, visit, visit_write, with_stage};

/// What the token of a thread holds from its visible end on; more than all unparks could add up to.
const ENDED: u64 = 1 << 62;

/// Whether a thread has ended, without waiting for it.
///
/// For that the ends of threads have to be visible operations. If they are not, the run is over, and the search starts
/// again with visible ends.
pub fn has_ended(thread: ThreadId, place: Place) -> bool {
    need_visible(Hidden::Ends);
    let token = with_stage(|stage| stage.world.token(thread));
    let executed = visit(Operation::new(Kind::Load, token, 0), place);
    !executed.skipped && executed.value as u64 >= ENDED
}

/// Whether the ends of threads are visible, so that [`has_ended`] tells them from the ends of what threads were to do.
#[must_use]
pub fn ends_are_visible() -> bool {
    with_stage(|stage| stage.options.visible_ends)
}

/// Whether threads queue visibly for this lock, which can be shared and which the current thread comes to.
///
/// Where everybody who waits gets the lock at last, it makes no difference who came first. But one who has it already and comes
/// again waits behind a writer who waits for that very thread. If the current thread is one of those, the run is over, and the
/// search starts again with visible queues.
pub fn queues_for(lock: ObjectId) -> bool {
    if with_stage(|stage| stage.world.reads(lock, stage.current)) {
        need_visible(Hidden::Queues);
    }
    with_stage(|stage| stage.options.visible_queues)
}

/// Creates a thread that runs `f`.
pub fn spawn<F: FnOnce() + 'static>(
    f: F,
    name: Option<String>,
    stack: Option<usize>,
    place: Place,
) -> ThreadId {
    // SAFETY: `f` is `'static`, so it may live as long as any fiber.
    unsafe { spawn_unchecked(f, name, stack, place) }
}

/// Creates a thread that runs `f`, which may borrow.
///
/// # Safety
/// What `f` borrows has to live until the thread has come to its end, or the run has.
pub unsafe fn spawn_unchecked<F: FnOnce()>(
    f: F,
    name: Option<String>,
    stack: Option<usize>,
    place: Place,
) -> ThreadId {
    let child = with_stage(|stage| {
        if stage.over {
            return None;
        }
        let parent = stage.current;
        let nth = stage.slot(parent).children;
        let child = stage.names.child(parent, nth);
        if child.is_none() {
            stage.end(Ending::TooManyThreads);
        }
        child
    });
    let Some(child) = child else {
        leave();
        // While unwinding there is nobody to run it.
        return ThreadId::MAIN;
    };
    let executed = visit(Operation::new(Kind::Create, ObjectId::NONE, child.index() as u64), place);
    if executed.skipped {
        return child;
    }
    with_stage(|stage| {
        let parent = stage.current;
        stage.slot(parent).children += 1;
        let (clock, slept) = (stage.slot(parent).clock, stage.slot(parent).slept);
        let stack = stage.stack_for(child, stack);
        // SAFETY: passed on to the caller.
        let fiber = unsafe { make_fiber(stack, f) };
        let slot = stage.slot(child);
        slot.fiber = Some(fiber);
        slot.name = name;
        (slot.clock, slot.slept) = (clock, slept);
        stage.world.publish(child, Operation::new(Kind::Start, ObjectId::NONE, 0), Place::Unknown);
    });
    child
}

/// # Safety
/// What `f` borrows has to live until the fiber has come to its end.
pub(crate) unsafe fn make_fiber<F: FnOnce()>(stack: DefaultStack, f: F) -> Fiber {
    let main = move || {
        thread_main(f);
        with_stage(|stage| {
            stage.fiber(stage.current).end();
            stage.root
        })
    };
    // SAFETY: passed on to the caller.
    unsafe { Fiber::new(stack, main) }
}

/// From the first to the last step of a thread.
fn thread_main<F: FnOnce()>(f: F) {
    with_stage(|stage| {
        if !stage.over {
            stage.perform_without_hurry();
        }
    });
    let result = catch_unwind(AssertUnwindSafe(|| {
        f();
        // As in `std`, what the thread was to do is done before its variables go.
        if with_stage(|stage| stage.options.visible_ends) {
            let token = with_stage(|stage| stage.world.token(stage.current));
            visit_write(Operation::new(Kind::Store, token, 0), Place::Unknown, |_| ENDED);
        }
        destroy_locals();
    }));
    match result {
        Ok(()) => {}
        Err(payload) if payload.is::<RunIsOver>() => return,
        Err(payload) => {
            let note = panics::take_note(&*payload);
            with_stage(|stage| stage.panicked(note));
            // The payload may be of any type; destroying it is the program's code and may panic as well.
            let _ = catch_unwind(AssertUnwindSafe(move || drop(payload)));
            return;
        }
    }
    with_stage(Stage::end_current);
}

/// Ends the current thread here and now; what is on its stack is lost. Only for foreign code.
pub fn end_thread() -> ! {
    with_stage(Stage::end_current);
    end_of_run()
}

/// Gives the current thread a name.
pub fn name_thread(thread: ThreadId, name: String) {
    with_stage(|stage| stage.slot(thread).name = Some(name));
}

/// The name that a thread was given.
#[must_use]
pub fn name_of_thread(thread: ThreadId) -> Option<String> {
    with_stage(|stage| stage.slot(thread).name.clone())
}

/// Waits for the end of a thread.
pub fn join(thread: ThreadId, place: Place) {
    join_for_result(thread, false, place);
}

/// Waits for the end of a thread, and for its result if it has one.
pub fn join_for_result(thread: ThreadId, carries: bool, place: Place) {
    let operation = Operation::new(Kind::Join, ObjectId::NONE, thread.index() as u64).carrying(carries);
    let executed = visit(operation, place);
    if !executed.skipped {
        with_stage(|stage| {
            let other = stage.slot(thread).clock;
            let current = stage.current;
            let clock = &mut stage.slot(current).clock;
            *clock = (*clock).max(other);
        });
    }
}

impl Stage {
    /// The last step of the current thread, and whose turn it is then.
    fn end_current(&mut self) {
        if !self.over {
            self.world.publish(self.current, Operation::new(Kind::End, ObjectId::NONE, 0), Place::Unknown);
            self.perform_without_hurry();
            if let Turn::Of(other) = self.turn() {
                self.next = Some(other);
            }
        }
    }
}
