//! System calls made directly: the futex, on which the atomic waits of C++ rest, and those that are harmless.
//!
//! A futex is a queue with a lock of its own: a waiter looks at the word and joins the queue in one step, a waker takes the
//! same lock. Here the lock is a mutex and the queue a condition variable, both named by the address of the word.

use std::ffi::{c_int, c_long};

use raddle_trace::limits::MAX_THREADS;
use raddle_trace::{Kind, ObjectId, Operation, Order, Place};
use raddle_world::ObjectKind;

use crate::control::{self, controlled};
use crate::faces::time;
use crate::objects::Use;
use crate::real::raw_syscall;
use crate::state::{here, uncontrolled};

const WAIT: c_int = 0;
const WAKE: c_int = 1;
const WAIT_BITSET: c_int = 9;
const WAKE_BITSET: c_int = 10;
const COMMAND: c_int = 0x7f;
/// The mask of a waiter that anybody may wake.
const ALL_BITS: u32 = u32::MAX;
const TIMED_OUT: c_long = -(libc::ETIMEDOUT as c_long);
const AGAIN: c_long = -(libc::EAGAIN as c_long);

/// The lock and the queue of a word. Words are aligned, so the addresses beside it are free.
fn parts(word: usize, place: Place) -> (ObjectId, ObjectId) {
    let lock = control::object(word + 1, Use::Primitive, place, || ObjectKind::Mutex);
    let queue = control::object(word + 2, Use::Primitive, place, || ObjectKind::Condvar);
    (lock, queue)
}

fn wait(word: usize, expected: u32, deadline: Option<u64>) -> c_long {
    let place = here();
    crate::memory::must_be_valid(word, 4, false, crate::abi::caller);
    let (lock, queue) = parts(word, place);
    control::visit(Operation::new(Kind::Lock, lock, 0), place);
    // SAFETY: the word that the program waits for.
    let value = unsafe { (word as *const u32).read_volatile() };
    let cell = control::object(word, Use::Cell, place, || ObjectKind::Cell(u64::from(value)));
    let load = Operation { order: Order::Relaxed, ..Operation::new(Kind::Load, cell, 0) };
    control::visit(load, place);
    // SAFETY: as above; others may have changed it meanwhile.
    let value = unsafe { (word as *const u32).read_volatile() };
    let mut result = 0;
    if value == expected {
        let kind = if deadline.is_some() { Kind::TimedWait } else { Kind::Wait };
        control::visit(Operation::new(kind, queue, lock.index() as u64), place);
        loop {
            match control::wait_for_turn().kind {
                Kind::Relock => break,
                Kind::Timeout => result = TIMED_OUT,
                _ => {}
            }
        }
        if let Some(deadline) = deadline.filter(|_| result == TIMED_OUT) {
            control::pass_until(deadline);
        }
    } else {
        result = AGAIN;
    }
    control::visit(Operation::new(Kind::Unlock, lock, 0), place);
    result
}

fn wake(word: usize, count: u32) -> c_long {
    let place = here();
    let (lock, queue) = parts(word, place);
    control::visit(Operation::new(Kind::Lock, lock, 0), place);
    let mut woken = 0;
    if count as usize >= MAX_THREADS {
        woken = control::visit(Operation::new(Kind::NotifyAll, queue, 0), place).before;
    } else {
        while woken < i64::from(count)
            && control::visit(Operation::new(Kind::NotifyOne, queue, 0), place).before > 0
        {
            woken += 1;
        }
    }
    control::visit(Operation::new(Kind::Unlock, lock, 0), place);
    woken
}

fn futex(arguments: [c_long; 6]) -> c_long {
    let [word, operation, value, time, _, bits] = arguments;
    let command = operation as c_int & COMMAND;
    if matches!(command, WAIT_BITSET | WAKE_BITSET) && bits as u32 != ALL_BITS {
        uncontrolled("futex with a mask");
    }
    let moment = time as *const libc::timespec;
    match command {
        WAIT | WAIT_BITSET => {
            let deadline = (time != 0).then(|| match command {
                // The one is given a time, the other a moment.
                WAIT => {
                    // SAFETY: the program gives a time.
                    let time = unsafe { &*moment };
                    raddle_runtime::virtual_now(0)
                        .saturating_add(time::nanoseconds(time.tv_sec, time.tv_nsec))
                }
                _ => time::moment(moment),
            });
            wait(word as usize, value as u32, deadline)
        }
        WAKE | WAKE_BITSET => wake(word as usize, value as u32),
        _ => {
            uncontrolled("futex");
            -c_long::from(libc::ENOSYS)
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    let arguments = [a, b, c, d, e, f];
    let result = if controlled() {
        match number {
            libc::SYS_futex => futex(arguments),
            libc::SYS_sched_yield => {
                crate::faces::time::pass(0);
                0
            }
            libc::SYS_gettid | libc::SYS_getpid | libc::SYS_membarrier | libc::SYS_getcpu => {
                // SAFETY: calls that only tell something.
                unsafe { raw_syscall(number, arguments) }
            }
            _ => {
                uncontrolled("syscall");
                // SAFETY: what the program asks for.
                unsafe { raw_syscall(number, arguments) }
            }
        }
    } else {
        // SAFETY: what the caller asks for.
        unsafe { raw_syscall(number, arguments) }
    };
    if (-4095..0).contains(&result) {
        // SAFETY: the C library's variable of this OS thread.
        unsafe { *libc::__errno_location() = -result as c_int };
        return -1;
    }
    result
}
