//! Joins that do not wait for ever. A program that has them sees when a thread ends, so that each end is a visible step of its
//! own there; in all others it is not.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use libc::{pthread_t, timespec};
use raddle_trace::{Kind, Operation, Outcome, ThreadId};
use raddle_world::ObjectKind;

use crate::control::{self, controlled};
use crate::faces::{thread, time};
use crate::objects::Use;
use crate::real::real;
use crate::state::{self, here};

/// Whether the program has such joins, as its static model says.
static USED: AtomicBool = AtomicBool::new(false);

/// The names of these functions in the static model.
pub(crate) const NAMES: [&str; 3] = [
    "external\tpthread_tryjoin_np\n",
    "external\tpthread_timedjoin_np\n",
    "external\tpthread_clockjoin_np\n",
];

/// The program has such joins.
pub(crate) fn expect() {
    USED.store(true, Ordering::Relaxed);
}

/// A permit stands for the end of a thread. The program's name of the thread is no address of anything else.
fn visit(thread: ThreadId, kind: Kind) -> Outcome {
    let place = here();
    let address = thread::name_of(thread) as usize;
    let end = control::object(address, Use::Primitive, place, || ObjectKind::Semaphore(0));
    control::visit(Operation::new(kind, end, u64::from(kind == Kind::Post)), place).outcome
}

/// The current thread is about to end.
pub(crate) fn ends() {
    if USED.load(Ordering::Relaxed) {
        visit(state::with(|state| state.current), Kind::Post);
    }
}

/// Joins a thread if it has ended, or ends until then.
fn join(name: pthread_t, result: *mut *mut c_void, kind: Kind, deadline: u64) -> c_int {
    let Some(ended) = thread::thread_of(name) else {
        control::misuse("joins something that is not a thread", here())
    };
    match visit(ended, kind) {
        Outcome::Failed => libc::EBUSY,
        Outcome::TimedOut => {
            control::pass_until(deadline);
            libc::ETIMEDOUT
        }
        // SAFETY: as for a join that waits.
        _ => unsafe { thread::pthread_join(name, result) },
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_tryjoin_np(name: pthread_t, result: *mut *mut c_void) -> c_int {
    if controlled() {
        return join(name, result, Kind::TryAcquire, 0);
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn pthread_tryjoin_np(pthread_t, *mut *mut c_void) -> c_int)(name, result) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_timedjoin_np(
    name: pthread_t,
    result: *mut *mut c_void,
    until: *const timespec,
) -> c_int {
    if controlled() {
        return join(name, result, Kind::TimedAcquire, time::moment(until));
    }
    let join = real!(fn pthread_timedjoin_np(pthread_t, *mut *mut c_void, *const timespec) -> c_int);
    // SAFETY: as the C library says.
    unsafe { join(name, result, until) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_clockjoin_np(
    name: pthread_t,
    result: *mut *mut c_void,
    clock: c_int,
    until: *const timespec,
) -> c_int {
    if controlled() {
        return join(name, result, Kind::TimedAcquire, time::moment(until));
    }
    let join = real!(fn pthread_clockjoin_np(pthread_t, *mut *mut c_void, c_int, *const timespec) -> c_int);
    // SAFETY: as the C library says.
    unsafe { join(name, result, clock, until) }
}
