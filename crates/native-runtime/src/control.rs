//! How the faces and hooks speak to the stage: visible operations, with what each fiber has to find again afterwards.

use raddle_runtime::{Executed, Here};
use raddle_trace::{
    Ending, Failure, Kind, ObjectId, Operation, Order, Outcome, Place, Run, ThreadId, Trouble,
};
use raddle_world::ObjectKind;

use crate::abi::{self, RawFrame};
use crate::faces::section;
use crate::objects::Use;
use crate::state::{self, State};
use crate::{lifetime, memory};

/// Whether the caller is a thread of a controlled run.
#[inline]
pub(crate) fn controlled() -> bool {
    abi::active() && raddle_runtime::in_run()
}

/// Whether the caller is a thread of a controlled run and the object its own, not one in a library's static memory.
#[inline]
pub(crate) fn controls<T>(object: *mut T) -> bool {
    controlled() && !state::with(|state| state.modules.is_strange(object as usize))
}

/// What belongs to the OS thread but has to be each fiber's own.
struct Own {
    thread: ThreadId,
    error: i32,
    top: *mut RawFrame,
    exceptions: [usize; 2],
    once: [usize; 2],
}

/// The exceptions that are being handled, as the C++ library keeps them for an OS thread; null without that library.
fn exceptions() -> *mut [usize; 2] {
    let Some(get) = state::with(|state| state.exceptions) else { return std::ptr::null_mut() };
    // SAFETY: the C++ library's function; it returns two words that belong to this OS thread.
    unsafe { get().cast() }
}

impl Own {
    #[inline]
    fn take() -> Own {
        section::settle();
        let top = abi::top();
        state::with(|state| state.own().top = top);
        let exceptions = exceptions();
        let once = state::with(|state| state.once_variables);
        Own {
            // SAFETY: null, or a variable of this OS thread.
            once: once.map(|at| if at.is_null() { 0 } else { unsafe { *at } }),
            thread: state::with(|state| state.current),
            // SAFETY: the C library's variable of this OS thread.
            error: unsafe { *state::with(|state| state.error) },
            top,
            // SAFETY: null, or two words.
            exceptions: if exceptions.is_null() { [0; 2] } else { unsafe { *exceptions } },
        }
    }

    #[inline]
    fn put_back(self) {
        let (went_back, current, error) = state::with(|state| (state.went_back, state.current, state.error));
        // SAFETY: the C library's variable of this OS thread.
        unsafe { *error = self.error };
        // Every fiber that goes on says so: if none did in the meantime, the rest is as it was.
        if current != self.thread || went_back {
            self.put_back_all();
        }
    }

    fn put_back_all(self) {
        let once = state::with(|state| {
            state.current = self.thread;
            state.went_back = false;
            // What another thread touched last says nothing about where this one is.
            state.last_site = std::ptr::null();
            state.once_variables
        });
        for (at, value) in once.into_iter().zip(self.once) {
            if !at.is_null() {
                // SAFETY: a variable of this OS thread.
                unsafe { *at = value };
            }
        }
        abi::set_top(self.top);
        let exceptions = exceptions();
        if !exceptions.is_null() {
            // SAFETY: two words that belong to this OS thread.
            unsafe { *exceptions = self.exceptions };
        }
    }
}

/// At the start of a fiber: nothing is inherited from whoever ran before. Below `frame` the program's own frames will lie.
pub(crate) fn enter(thread: ThreadId, frame: usize) {
    let own = Own { thread, error: 0, top: std::ptr::null_mut(), exceptions: [0; 2], once: [0; 2] };
    // SAFETY: the C library's variable of this OS thread.
    unsafe { *state::with(|state| state.error) = own.error };
    own.put_back_all();
    let here = 0_u8;
    // The frame of who called us lies above, and those of the program will lie below that.
    state::with(|state| {
        state.own().stack_top = &raw const here as usize + 4096;
        state.own().frames_top = frame;
    });
    follow(Here::now());
}

/// Takes in the events that have happened since the last time.
#[inline]
fn follow(here: Here) {
    let stop = state::with(|state| {
        here.with_run(|run| {
            state.thread(state.current).quiet = 0;
            if !state.plain_is_visible() {
                for number in state.followed..run.events.len() {
                    let event = &run.events[number];
                    // A plain access orders nothing, though it may be a step.
                    let is_plain = event.operation.order == Order::Plain;
                    if !is_plain && !section::is_bracket(&state.objects, event) {
                        state.clocks.follow(number, event);
                    }
                }
            }
            let before = state.followed;
            if state.tells_calls {
                tell_calls(state, run);
            }
            state.followed = run.events.len();
            state.stop_after.is_some_and(|stop| before < stop && stop <= run.events.len())
        })
    });
    if stop {
        // SAFETY: stops in the debugger that was asked for, in our own code, so that the program's is close above it.
        unsafe { std::arch::asm!("int3") };
    }
}

/// Takes note of the calls that led to what the current thread has just done.
#[cold]
fn tell_calls(state: &mut State, run: &mut Run) {
    let way: Vec<Place> = abi::way().map(|call| state.place(call)).collect();
    for number in state.followed..run.events.len() {
        let event = run.events[number];
        if event.thread != state.current {
            continue;
        }
        // A function that calls something has a frame, which names what it called last: that is none of the calls that led
        // to it.
        let function = |place: &Place| place.function().zip(place.file());
        let own = way.first().is_some_and(|call| function(call) == function(&event.place));
        run.calls.note(number, way[usize::from(own)..].iter().rev().copied());
    }
}

/// Does a visible operation.
#[inline]
pub(crate) fn visit(operation: Operation, place: Place) -> Executed {
    visit_here(Here::now(), operation, place)
}

/// The same, for who has looked up the run.
#[inline]
pub(crate) fn visit_here(here: Here, operation: Operation, place: Place) -> Executed {
    let own = Own::take();
    let executed = here.visit(operation, place);
    own.put_back();
    follow(here);
    executed
}

/// Does a visible operation on memory; `new` makes the new value of the old one.
#[inline]
pub(crate) fn visit_write(operation: Operation, place: Place, new: impl FnOnce(u64) -> u64) -> Executed {
    visit_write_here(Here::now(), operation, place, new)
}

/// The same, for who has looked up the run.
#[inline]
pub(crate) fn visit_write_here(
    here: Here,
    operation: Operation,
    place: Place,
    new: impl FnOnce(u64) -> u64,
) -> Executed {
    let own = Own::take();
    let executed = here.visit_write(operation, place, new);
    own.put_back();
    follow(here);
    executed
}

/// Does what the world gave the thread to do next.
pub(crate) fn wait_for_turn() -> Executed {
    let own = Own::take();
    let executed = raddle_runtime::wait_for_turn();
    own.put_back();
    follow(Here::now());
    executed
}

/// The thread has nothing to do until something changes.
pub(crate) fn give_way(place: Place) {
    let own = Own::take();
    raddle_runtime::spin_hint(None, place);
    own.put_back();
    follow(Here::now());
}

/// The thread goes round a loop; `own` stands for everything that it keeps to itself.
pub(crate) fn round(place: Place, which: u64, own_state: u64) {
    let own = Own::take();
    raddle_runtime::round(place, which, own_state);
    own.put_back();
    follow(Here::now());
}

/// Waits for the end of a thread.
pub(crate) fn join(thread: ThreadId, for_result: bool, place: Place) {
    let own = Own::take();
    raddle_runtime::join_for_result(thread, for_result, place);
    own.put_back();
    follow(Here::now());
}

/// Creates a thread.
pub(crate) fn spawn(body: impl FnOnce() + 'static, stack: Option<usize>, place: Place) -> ThreadId {
    let own = Own::take();
    let thread = raddle_runtime::spawn(body, None, stack, place);
    own.put_back();
    state::with(|state| state.alone = false);
    follow(Here::now());
    thread
}

/// Chooses one of `count` alternatives.
pub(crate) fn choose(count: u64, place: Place) -> u64 {
    if count <= 1 {
        return 0;
    }
    let count = count.min(raddle_trace::limits::MAX_ALTERNATIVES);
    u64::from(visit(Operation::new(Kind::Choose, ObjectId::NONE, count), place).alternative)
}

/// The number of the primitive at this address. If the run meets it for the first time, `first` says what it is.
#[inline]
pub(crate) fn primitive(address: usize, place: Place, first: impl FnOnce() -> ObjectKind) -> ObjectId {
    memory::must_be_valid(address, 1, true, abi::caller);
    lifetime::used(address);
    object(address, Use::Primitive, place, first)
}

/// The number of the object at this address.
#[inline]
pub(crate) fn object(
    address: usize,
    used_as: Use,
    place: Place,
    first: impl FnOnce() -> ObjectKind,
) -> ObjectId {
    if let Some(known) = state::with(|state| state.objects.find(address, used_as)) {
        return known;
    }
    let number = registered(address, used_as, place, first());
    state::with(|state| state.objects.set(address, used_as, number));
    number
}

/// Adds the object at this address to the run, with the number that it has in all runs if objects keep theirs.
pub(crate) fn registered(address: usize, used_as: Use, place: Place, kind: ObjectKind) -> ObjectId {
    if let Some(kept) = state::with(|state| state.objects.kept(address, used_as)) {
        raddle_runtime::register_as(kept, kind, place);
        return kept;
    }
    let number = raddle_runtime::register(kind, place);
    state::with(|state| state.objects.keep(address, used_as, number));
    number
}

/// There is a new object at this address.
pub(crate) fn renew(address: usize, place: Place, kind: ObjectKind) {
    state::with(|state| state.objects.forget(address, Use::Primitive));
    object(address, Use::Primitive, place, || kind);
}

/// The run ends here because of what the program did.
#[cold]
pub(crate) fn fail(failure: Failure, message: impl Into<String>, place: Place) -> ! {
    fail_with(Ending::Failed(failure), message.into(), place)
}

/// The run ends here because a rule of a primitive was broken.
#[cold]
pub(crate) fn misuse(message: impl Into<String>, place: Place) -> ! {
    fail_with(Ending::Misuse, message.into(), place)
}

#[cold]
fn fail_with(ending: Ending, message: String, place: Place) -> ! {
    let thread = state::with(|state| state.current);
    raddle_runtime::end_run(ending, Some(Trouble { thread, message, place, block: None }))
}

/// What a function that takes a lock answers.
pub(crate) fn answer(executed: &Executed, deadline: u64) -> libc::c_int {
    if gave_up(executed, deadline) {
        libc::ETIMEDOUT
    } else if executed.outcome == Outcome::Failed {
        libc::EBUSY
    } else {
        0
    }
}

/// Whether a timed operation gave up, in which case the thread's clock is put forward to `deadline`.
pub(crate) fn gave_up(executed: &Executed, deadline: u64) -> bool {
    let gave_up = executed.outcome == Outcome::TimedOut;
    if gave_up {
        pass_until(deadline);
    }
    gave_up
}

/// Puts the thread's clock forward to a moment in nanoseconds.
pub(crate) fn pass_until(deadline: u64) {
    let now = raddle_runtime::virtual_now(0);
    raddle_runtime::virtual_now(deadline.saturating_sub(now));
}
