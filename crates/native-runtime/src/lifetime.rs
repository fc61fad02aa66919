//! Locks and their like come into being and go again, and both have to be ordered with everything that threads do with them.
//!
//! To the race detector, making and destroying one writes its memory, and every use of it reads that. So a thread that may
//! use a lock before it is made, or after it is destroyed, is found in whatever order the two happened to come.

use std::sync::atomic::{AtomicBool, Ordering};

use raddle_trace::ThreadId;

use crate::abi::{self, RawSite};
use crate::control;
use crate::memory::{self, Coming, Shown};
use crate::state::{self, here};

/// Whether the program makes or destroys any by a call, as its static model says. In all others those in static memory are there
/// from the start, and their uses need not be looked at.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Whether a static model names a function that makes or destroys something.
pub(crate) fn is_in(model: &str) -> bool {
    model.lines().filter_map(|line| line.strip_prefix("external\t")).any(|name| {
        let kinds = [
            "pthread_mutex_",
            "pthread_cond_",
            "pthread_rwlock_",
            "pthread_spin_",
            "pthread_barrier_",
            "sem_",
        ];
        let what = kinds.iter().find_map(|kind| name.strip_prefix(kind));
        // The last one is the destructor of `std::condition_variable`.
        matches!(what, Some("init" | "destroy")) || name == "_ZNSt18condition_variableD1Ev"
    })
}

/// The program makes or destroys some.
pub(crate) fn expect() {
    WATCHED.store(true, Ordering::Relaxed);
}

/// The current thread uses what lies at this address.
#[inline]
pub(crate) fn used(at: usize) {
    // What lies on the heap or on a stack goes with its memory, without any call.
    if WATCHED.load(Ordering::Relaxed) || !state::with(|state| state.modules.is_own(at)) {
        let (site, shown) = (abi::caller(), Shown::Aside);
        let coming = Coming { at, size: 1, writes: false, atomic: false, site, shown };
        if let Some(other) = memory::unordered(&coming) {
            refuse("uses what", "makes or destroys", other);
        }
    }
}

/// The current thread makes or destroys what lies at this address; what it does is for messages, as in "destroys a mutex".
pub(crate) fn changed(at: usize, does: &str) {
    // Who uses it meanwhile is not told by what threads have seen.
    if state::with(|state| !state.alone && !state.has_joined_all()) {
        raddle_runtime::note_unseen_access();
    }
    let (site, shown) = (abi::caller(), Shown::Aside);
    let coming = Coming { at, size: 1, writes: true, atomic: false, site, shown };
    if let Some(other) = memory::unordered(&coming) {
        refuse(&format!("{does} that"), "uses", other);
    }
}

#[cold]
fn refuse(does: &str, does_other: &str, (other, site): (ThreadId, *const RawSite)) -> ! {
    // SAFETY: the pass gives sites that live as long as the program.
    let at = unsafe { site.as_ref() }.map(|site| format!(" at {}:{}", abi::text(site.file), site.line));
    let message = format!("{does} {other} {does_other}{}: nothing orders the two", at.unwrap_or_default());
    control::misuse(message, here())
}
