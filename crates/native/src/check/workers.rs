//! Several processes that search one program together: who takes which part is settled in memory that they share.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use raddle_channel::{Part, Progress, SHARED_BYTES};

use super::search::{Attempt, Effort, Searched, attempt};
use super::{CheckError, Doing, Watcher, Worker};

/// How often it is looked how far everybody is.
const LOOK: Duration = Duration::from_millis(50);

/// One process for each worker; each tells what it came to.
pub(super) fn together(effort: &Effort<'_>, watcher: &mut Watcher<'_>) -> Result<Vec<Attempt>, CheckError> {
    let memory = memory().map_err(|error| CheckError::NotStarted {
        program: effort.plan.program.path.display().to_string(),
        error,
    })?;
    let stop = AtomicBool::new(false);
    let slots: Vec<Mutex<Worker>> = (0..effort.plan.workers).map(|_| Mutex::new(Worker::new())).collect();
    std::thread::scope(|scope| {
        let workers: Vec<_> = slots
            .iter()
            .enumerate()
            .map(|(worker, slot)| {
                let part = Part { descriptor: memory.as_raw_fd() as u32, worker: worker as u32 };
                let stop = &stop;
                scope.spawn(move || work(effort, part, slot, stop))
            })
            .collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            if (watcher.interrupted)() {
                stop.store(true, Ordering::Relaxed);
            }
            let states: Vec<Worker> = slots.iter().map(|slot| locked(slot).clone()).collect();
            let (progress, findings) = sum(&states);
            (watcher.progress)(&progress, findings, &states);
            std::thread::park_timeout(LOOK);
        }
        let joined = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload)));
        joined.collect()
    })
}

fn work(
    effort: &Effort<'_>,
    part: Part,
    slot: &Mutex<Worker>,
    stop: &AtomicBool,
) -> Result<Attempt, CheckError> {
    let mut watcher = Watcher {
        progress: &mut |progress, findings, _| locked(slot).tell(progress, findings),
        listed: &mut |_| {},
        interrupted: &|| stop.load(Ordering::Relaxed),
    };
    let made = attempt(effort, Some(part), &mut watcher);
    locked(slot).doing = Doing::Done;
    made
}

fn locked(slot: &Mutex<Worker>) -> MutexGuard<'_, Worker> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How far all of them are.
fn sum(workers: &[Worker]) -> (Progress, usize) {
    let mut all = (Progress::default(), 0);
    for Worker { progress, findings, .. } in workers {
        all.0.runs += progress.runs;
        all.0.blocked += progress.blocked;
        all.0.steps += progress.steps;
        all.0.threads = all.0.threads.max(progress.threads);
        all.1 += findings;
    }
    all
}

/// What all of them came to.
pub(super) fn merged(parts: Vec<Searched>) -> Searched {
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    for part in parts {
        // Who met the same in several parts is not known.
        all.met.clear();
        all.reached.add(&part.reached);
        for found in part.found {
            if !all.found.iter().any(|known| known.finding.is_same(&found.finding)) {
                all.found.push(found);
            }
        }
        for strange in part.uncontrolled {
            match all.uncontrolled.iter_mut().find(|known| known.name == strange.name) {
                Some(known) => known.runs += strange.runs,
                None => all.uncontrolled.push(strange),
            }
        }
        all.notes.extend(part.notes);
        all.interrupted |= part.interrupted;
        all.memory += part.memory;
    }
    all
}

/// New memory that processes which get its descriptor share.
fn memory() -> std::io::Result<OwnedFd> {
    // SAFETY: the name ends with a zero; the descriptor that is returned is ours alone.
    let memory = unsafe {
        let descriptor = libc::memfd_create(c"raddle".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(std::io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(descriptor)
    };
    // SAFETY: our own descriptor.
    match unsafe { libc::ftruncate(memory.as_raw_fd(), SHARED_BYTES as libc::off_t) } {
        0 => Ok(memory),
        _ => Err(std::io::Error::last_os_error()),
    }
}
