//! What all tests of the mirrors use.
#![allow(dead_code, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// What `f` returned in all its runs, in the order of the runs. Every run is made twice by the search now and then, so the
/// number of entries is no number of runs.
pub(crate) fn outcomes<T: Ord + Send + 'static>(f: impl Fn() -> T + Send + Sync + 'static) -> BTreeSet<T> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let in_check = Arc::clone(&seen);
    raddle::check(move || {
        let outcome = f();
        in_check.lock().unwrap().insert(outcome);
    });
    std::mem::take(&mut *seen.lock().unwrap())
}

/// How many runs a check makes.
pub(crate) fn runs(f: impl Fn() + Send + Sync + 'static) -> u64 {
    let calls = Arc::new(Mutex::new(0_u64));
    let in_check = Arc::clone(&calls);
    raddle::check(move || {
        *in_check.lock().unwrap() += 1;
        f();
    });
    let calls = *calls.lock().unwrap();
    // The search makes the runs numbered 1, 2, 4, 8, … twice, to see that they are the same.
    (0..=calls)
        .rev()
        .find(|runs| runs + u64::from(u64::BITS - runs.leading_zeros()) == calls)
        .expect("a number of runs")
}

/// The text of the panic of `f`.
pub(crate) fn panic_of(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("should panic");
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .expect("a panic with a text")
}

/// The text of the finding of a check of `f`.
pub(crate) fn finding_of(f: impl Fn() + Send + Sync + 'static) -> String {
    panic_of(|| raddle::check(f))
}
