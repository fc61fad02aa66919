//! Leaving a thread by `pthread_exit`: the handlers that it has pushed are called, and the destructors of what C++ has on its stack.

use std::ffi::{c_int, c_void};

use raddle_trace::ThreadId;

use crate::control;
use crate::faces::{exceptions, exit, heap, thread};
use crate::state::{self, here};

/// What the unwinder calls before it leaves a frame.
type Stop = unsafe extern "C-unwind" fn(c_int, c_int, u64, *mut Exception, *mut c_void, *mut c_void) -> c_int;

unsafe extern "C-unwind" {
    fn _Unwind_ForcedUnwind(exception: *mut Exception, stop: Stop, argument: *mut c_void) -> c_int;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

unsafe extern "C" {
    fn siglongjmp(buffer: *mut c_void, value: c_int) -> !;
}

/// What the unwinder is given, as the ABI of C++ has it.
#[repr(C, align(16))]
struct Exception {
    class: u64,
    cleanup: unsafe extern "C" fn(c_int, *mut Exception),
    private: [u64; 6],
}

/// Nothing is left above a frame.
const END_OF_STACK: c_int = 16;

/// Leaves the current thread. Without C++ there are only handlers: each is called, the last one first, and returns to this
/// function by way of `__pthread_unwind_next`.
pub(crate) fn leave_thread() -> ! {
    if state::with(|state| state.exceptions.is_none()) {
        if let Some(buffer) = state::with(|state| state.own().cleanups.pop()) {
            // SAFETY: the program set the buffer up in a frame that is still there; it is its way to call the handler.
            unsafe { siglongjmp(buffer, 1) };
        }
        end();
    }
    exceptions::note_leaving();
    // The memory of the run: the frame of this function will be overwritten on the way.
    let exception =
        heap::give_for_runtime(size_of::<Exception>(), align_of::<Exception>()).cast::<Exception>();
    if exception.is_null() {
        end();
    }
    // SAFETY: enough memory was just given out. The unwinder leaves frames of the program and of the C++ library, and ours
    // above it, which have nothing to destroy; `stop` does not let it come to an end.
    unsafe {
        exception.write(Exception { class: 0, cleanup: caught, private: [0; 6] });
        _Unwind_ForcedUnwind(exception, stop, std::ptr::null_mut());
    }
    end()
}

/// Before the frame of a handler is left, the handler is called; at the end of the stack the thread ends.
///
/// # Safety
/// Called by the unwinder only.
unsafe extern "C-unwind" fn stop(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut Exception,
    context: *mut c_void,
    _argument: *mut c_void,
) -> c_int {
    let last = state::with(|state| state.own().cleanups.last().copied());
    if let Some(buffer) = last {
        // SAFETY: the unwinder gives a context. The buffer lies in a frame that is not left yet, and is the program's way to
        // call its handler.
        unsafe {
            if (buffer as usize) < _Unwind_GetCFA(context) {
                state::with(|state| state.own().cleanups.pop());
                siglongjmp(buffer, 1);
            }
        }
    }
    if actions & END_OF_STACK != 0 {
        end();
    }
    0
}

/// The program caught what leaves a thread, and did not throw it again.
unsafe extern "C" fn caught(_reason: c_int, _exception: *mut Exception) {
    control::misuse("keeps pthread_exit from leaving the thread: catch (...) has to throw it again", here());
}

/// The thread has nothing more to do.
fn end() -> ! {
    let result = state::with(|state| state.own().result);
    thread::finish(result);
    if state::with(|state| state.current) == ThreadId::MAIN {
        exit::main_leaves();
    }
    raddle_runtime::end_thread()
}
