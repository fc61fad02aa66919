//! The macro `thread_local!`, in a file of its own because macros come first.

/// Declares thread-local variables: the mirror of the macro of this name in `std`.
///
/// In a check every thread of every run has its own, made when it is first used and destroyed at the end of the
/// thread.
///
/// ```
/// use std::cell::{Cell, RefCell};
///
/// raddle::thread_local! {
///     static DEPTH: Cell<u32> = const { Cell::new(0) };
///     static NAMES: RefCell<Vec<String>> = RefCell::new(Vec::new());
/// }
///
/// raddle::check(|| {
///     DEPTH.set(1);
///     let other = raddle::thread::spawn(|| DEPTH.get());
///     assert_eq!((DEPTH.get(), other.join().unwrap()), (1, 0));
///     NAMES.with_borrow_mut(|names| names.push("a".to_owned()));
/// });
/// ```
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = const $first:block; $($rest:tt)*) => {
        $crate::thread_local!(@one $(#[$attribute])* $visibility $name $type, (const $first), $first);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = const $first:block) => {
        $crate::thread_local!(@one $(#[$attribute])* $visibility $name $type, (const $first), $first);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $first:expr; $($rest:tt)*) => {
        $crate::thread_local!(@one $(#[$attribute])* $visibility $name $type, ($first), $first);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $first:expr) => {
        $crate::thread_local!(@one $(#[$attribute])* $visibility $name $type, ($first), $first);
    };
    (@one $(#[$attribute:meta])* $visibility:vis $name:ident $type:ty, ($($real:tt)*), $first:expr) => {
        $(#[$attribute])*
        $visibility static $name: $crate::thread::LocalKey<$type> = {
            ::std::thread_local! {
                static REAL: $type = $($real)*;
            }
            fn first() -> $type {
                $first
            }
            $crate::thread::LocalKey::new(&REAL, first)
        };
    };
}
