//! Mirror of `std::sync::atomic`.
//!
//! In a check all operations are sequentially consistent for now, whatever order the program asks for; if it asked for
//! a weaker one, the verdict says so. Every operation is a decision about who goes next.
//!
//! An atomic that lives longer than a run, in a `static` or in an `Arc` made outside the check, starts every run with
//! the value it had before the check, and has that value again afterwards.
//!
//! A weak compare-exchange fails for no reason at most once in a row, and the loop inside `fetch_update` never does: more
//! rounds of a loop would show nothing new.
//!
//! Not here, because they would get round the search: `as_ptr`, `from_ptr`, `from_mut`.

mod boolean;
mod integer;
mod order;
mod pointer;
mod visible;

use raddle_trace::{Kind, ObjectId, Operation};

use crate::place::here;

pub use boolean::AtomicBool;
pub use integer::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    AtomicUsize,
};
pub use pointer::AtomicPtr;
pub use std::sync::atomic::Ordering;

/// An atomic fence.
///
/// In a check it does nothing, since all operations are sequentially consistent; it is in the record of the run.
///
/// # Panics
/// If `order` is `Relaxed`.
///
/// ```
/// use raddle::sync::atomic::{Ordering, fence};
///
/// fence(Ordering::SeqCst);
/// raddle::check(|| fence(Ordering::AcqRel));
/// ```
#[inline]
#[track_caller]
pub fn fence(order: Ordering) {
    if !raddle_runtime::in_run() {
        return std::sync::atomic::fence(order);
    }
    assert!(order != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    let order = order::of(order);
    raddle_runtime::note_weaker_order(order);
    let operation = Operation { order, ..Operation::new(Kind::Fence, ObjectId::NONE, 0) };
    raddle_runtime::visit(operation, here());
}

/// A fence for the compiler only; the same as in `std`, also in a check.
///
/// ```
/// use raddle::sync::atomic::{Ordering, compiler_fence};
///
/// compiler_fence(Ordering::SeqCst);
/// ```
#[inline]
#[track_caller]
pub fn compiler_fence(order: Ordering) {
    std::sync::atomic::compiler_fence(order);
}
