//! Who looks at OS threads that make runs: one OS thread for all of them.
//!
//! It looks a few times during the time that a run may go on without a step, and sleeps in between. To begin and to end a search
//! neither wakes it nor waits for it, because that would take longer than a short search; only if it would look too late is it woken.
//! When nobody has been searching for a while it ends, and the next search starts it again.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::watch::{Watch, Watched};

/// How long to stay when there is nobody to look at.
const LINGER: Duration = Duration::from_secs(2);

/// The longest time between two looks: a run may be allowed more than any clock can count.
const LONGEST: Duration = Duration::from_secs(3600);

/// Who is looked at.
struct Watchdog {
    watches: Vec<Watch>,
    /// When it looks next; `None` if it is not there.
    looks: Option<Instant>,
}

static WATCHDOG: Mutex<Watchdog> = Mutex::new(Watchdog { watches: Vec::new(), looks: None });
static SOONER: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Watchdog> {
    WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner)
}

/// When to look again.
fn after(pause: Duration) -> Instant {
    Instant::now() + pause.min(LONGEST)
}

/// Does something on this OS thread that makes runs. A run that goes on, or sleeps, for so long without a step is ended.
pub fn watched<R>(without_step: Duration, f: impl FnOnce() -> R) -> R {
    struct Unwatched(Arc<Watched>);
    impl Drop for Unwatched {
        fn drop(&mut self) {
            lock().watches.retain(|watch| !watch.is_on(&self.0));
        }
    }
    let watched = Unwatched(Watched::new(without_step));
    // SAFETY: it is only looked at while it is in the list, which it leaves before this function returns, so that its OS thread
    // is still there.
    let watch = unsafe { Watch::on(Arc::clone(&watched.0)) };
    let latest = after(watch.pause());
    let mut watchdog = lock();
    watchdog.watches.push(watch);
    match watchdog.looks {
        None => {
            watchdog.looks = Some(latest);
            drop(watchdog);
            start();
        }
        Some(looks) if looks > latest => {
            watchdog.looks = Some(latest);
            drop(watchdog);
            SOONER.notify_one();
        }
        Some(_) => drop(watchdog),
    }
    watched.0.during(f)
}

/// Starts it. Without an OS thread for it nobody is looked at: a run that never ends then hangs, as it would without us.
fn start() {
    let started = std::thread::Builder::new().name("raddle watchdog".to_owned()).spawn(stay);
    if started.is_err() {
        lock().looks = None;
    }
}

fn stay() {
    let mut watchdog = lock();
    let mut needed = Instant::now();
    loop {
        let now = Instant::now();
        if !watchdog.watches.is_empty() {
            needed = now;
        } else if now.duration_since(needed) >= LINGER {
            watchdog.looks = None;
            return;
        }
        match watchdog.looks {
            Some(looks) if looks > now => {
                let waited = SOONER.wait_timeout(watchdog, looks - now);
                watchdog = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            _ => {
                watchdog.watches.iter_mut().for_each(Watch::look);
                let pause = watchdog.watches.iter().map(Watch::pause).min().unwrap_or(LINGER);
                watchdog.looks = Some(after(pause));
            }
        }
    }
}
