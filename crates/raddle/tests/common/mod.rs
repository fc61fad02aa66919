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

/// How many runs it takes to cover everything.
pub(crate) fn runs(f: impl Fn() + Send + Sync + 'static) -> u64 {
    let report = raddle::Check::new().run(f);
    assert!(report.is_exhausted(), "{report}");
    report.runs()
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
