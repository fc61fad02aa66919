//! Inputs that the search chooses: a test with a choice is checked with every value.

use crate::place::here;

/// One of the numbers below `count`; a check tries them all.
///
/// Outside a check it is always 0.
///
/// # Panics
/// If `count` is 0, or more than `65,536`.
///
/// ```
/// use std::collections::BTreeSet;
/// use std::sync::{Arc, Mutex};
///
/// let seen = Arc::new(Mutex::new(BTreeSet::new()));
/// let in_check = Arc::clone(&seen);
/// raddle::check(move || {
///     in_check.lock().unwrap().insert(raddle::input::choose(3));
/// });
/// assert_eq!(*seen.lock().unwrap(), BTreeSet::from([0, 1, 2]));
/// assert_eq!(raddle::input::choose(3), 0);
/// ```
#[must_use]
#[track_caller]
pub fn choose(count: usize) -> usize {
    assert!(count > 0, "cannot choose from the empty range 0..0");
    if raddle_runtime::in_run() { raddle_runtime::choose(count as u64, here()) as usize } else { 0 }
}

/// False and true; a check tries both. Outside a check it is false.
///
/// ```
/// raddle::check(|| {
///     let (first, second) = (raddle::input::any_bool(), raddle::input::any_bool());
///     assert_eq!(first && second, second && first);
/// });
/// ```
#[must_use]
#[track_caller]
pub fn any_bool() -> bool {
    choose(2) == 1
}
