//! Memory orders: from those of `std` to ours, and which of them an operation cannot have.

use std::sync::atomic::Ordering;

use raddle_trace::Order;

#[inline]
pub(super) fn of(order: Ordering) -> Order {
    match order {
        Ordering::Relaxed => Order::Relaxed,
        Ordering::Acquire => Order::Acquire,
        Ordering::Release => Order::Release,
        Ordering::AcqRel => Order::AcquireRelease,
        _ => Order::SequentiallyConsistent,
    }
}

#[inline]
#[track_caller]
pub(super) fn of_load(order: Ordering) -> Order {
    match order {
        Ordering::Release => panic!("there is no such thing as a release load"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release load"),
        order => of(order),
    }
}

#[inline]
#[track_caller]
pub(super) fn of_store(order: Ordering) -> Order {
    match order {
        Ordering::Acquire => panic!("there is no such thing as an acquire store"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release store"),
        order => of(order),
    }
}

#[inline]
#[track_caller]
pub(super) fn of_failure(order: Ordering) -> Order {
    match order {
        Ordering::Release => panic!("there is no such thing as a release failure ordering"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release failure ordering"),
        order => of(order),
    }
}
