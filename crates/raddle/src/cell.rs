//! Cells whose accesses a check sees: mirror of `std::cell::Cell`, and of the `UnsafeCell` of loom.
//!
//! An access is no decision, but it is recorded, so that two that are not ordered by synchronisation are found to be a
//! data race, whatever the order in which they happened. Outside a check the cells are those of `std`. What threads cannot
//! share, such as `RefCell`, is that of `std` in a check as well.

mod plain_cell;
mod pointer;
mod tracked;
mod unsafe_cell;

pub use plain_cell::Cell;
pub use pointer::{ConstPtr, MutPtr};
pub use std::cell::{BorrowError, BorrowMutError, LazyCell, OnceCell, Ref, RefCell, RefMut};
pub use unsafe_cell::UnsafeCell;
