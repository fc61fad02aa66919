//! What the processes that search one program together have in common: memory that each of them maps.
//!
//! Which prefixes of the search are taken ([`raddle_explore::Share`]), which numbers threads have, how many runs were made,
//! and whether somebody has found what was looked for. All of it is used under one lock, for a few instructions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use raddle_channel::{Part, SHARED_BYTES};
use raddle_explore::{Claims, Share};
use raddle_runtime::Names;
use raddle_trace::limits::MAX_THREADS;
use raddle_trace::schedule::ThreadName;

use crate::host::leave;
use crate::real::raw_syscall;

/// Levels of decisions that are divided among the processes, as among the workers of a Rust program.
const LEVELS: usize = 6;
/// Places for prefixes. When they are all taken, whoever comes searches: twice is too much, but not wrong.
const CLAIMS: usize = 1 << 18;
/// The most steps of the creation tree that lead to a thread.
const DEPTH: usize = MAX_THREADS;
/// Looks at the lock before its owner is taken to have died with it.
const PATIENCE: u32 = 1 << 22;

/// A prefix that was taken, and by whom, counted from one; zeros if the place is free.
#[derive(Clone, Copy)]
#[repr(C)]
struct Claim {
    low: u64,
    high: u64,
    owner: u64,
}

/// The name of a thread: its length and its steps.
#[derive(Clone, Copy)]
#[repr(C)]
struct Name {
    length: u32,
    steps: [u32; DEPTH],
}

#[repr(C)]
struct Layout {
    lock: AtomicU32,
    stop: AtomicU32,
    runs: AtomicU64,
    count: u32,
    names: [Name; MAX_THREADS],
    claims: [Claim; CLAIMS],
}

const _: () = assert!(size_of::<Layout>() <= SHARED_BYTES as usize);

/// The memory, and who we are.
#[derive(Clone, Copy)]
pub(crate) struct Shared {
    layout: *mut Layout,
    worker: u32,
}

// SAFETY: all processes and threads use the memory by atomic operations, or under its lock.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// Maps the memory; without it the task cannot be done.
    pub(crate) fn open(part: Part) -> Shared {
        // SAFETY: a new mapping of the descriptor that the supervisor left open for us; it is not needed afterwards.
        let memory = unsafe {
            let descriptor = part.descriptor as libc::c_int;
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let memory = libc::mmap(
                std::ptr::null_mut(),
                SHARED_BYTES as usize,
                rights,
                libc::MAP_SHARED,
                descriptor,
                0,
            );
            libc::close(descriptor);
            memory
        };
        if memory == libc::MAP_FAILED {
            leave(4);
        }
        Shared { layout: memory.cast(), worker: part.worker }
    }

    /// Our part of the search.
    pub(crate) fn share(self) -> Share {
        Share::new(Claims::kept_by(move |prefix| self.claim(prefix)), LEVELS, self.worker.into())
    }

    /// Numbers of threads that are the same in all processes.
    pub(crate) fn names(self) -> Names {
        Names::kept_by(Arc::new(move |known, name| self.add_name(known, name)))
    }

    /// Counts a run; returns how many there are, those of others included.
    pub(crate) fn count_run(self) -> u64 {
        // SAFETY: mapped for ever.
        unsafe { (*self.layout).runs.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// Nobody needs to go on.
    pub(crate) fn stop(self) {
        // SAFETY: mapped for ever.
        unsafe { (*self.layout).stop.store(1, Ordering::Relaxed) };
    }

    /// Whether somebody said so.
    pub(crate) fn is_stopped(self) -> bool {
        // SAFETY: mapped for ever.
        unsafe { (*self.layout).stop.load(Ordering::Relaxed) != 0 }
    }

    fn locked<R>(self, f: impl FnOnce(*mut Layout) -> R) -> R {
        // SAFETY: mapped for ever.
        let lock = unsafe { &(*self.layout).lock };
        let mut looks = 0;
        while lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            looks += 1;
            if looks > PATIENCE {
                leave(4);
            }
            // SAFETY: lets others go on.
            unsafe { raw_syscall(libc::SYS_sched_yield, [0; 6]) };
        }
        let result = f(self.layout);
        lock.store(0, Ordering::Release);
        result
    }

    /// Takes a prefix; false if another process has it. The process that makes a run and the one that learns from it are one
    /// worker.
    fn claim(self, prefix: u128) -> bool {
        let (low, high, owner) = (prefix as u64, (prefix >> 64) as u64, u64::from(self.worker) + 1);
        self.locked(|layout| {
            for probe in 0..CLAIMS {
                let at = (low as usize).wrapping_add(probe) % CLAIMS;
                // SAFETY: mapped for ever, the index is in bounds, and we hold the lock.
                let claim = unsafe { &mut *(&raw mut (*layout).claims).cast::<Claim>().add(at) };
                if claim.owner == 0 {
                    *claim = Claim { low, high, owner };
                    return true;
                }
                if (claim.low, claim.high) == (low, high) {
                    return claim.owner == owner;
                }
            }
            true
        })
    }

    /// Takes over the names that others have found, and adds this one if it is not among them.
    fn add_name(self, known: &mut Vec<ThreadName>, name: &ThreadName) {
        self.locked(|layout| {
            // SAFETY: mapped for ever, and we hold the lock.
            let (count, names) = unsafe { (&mut (*layout).count, &mut (*layout).names) };
            let found = (*count as usize).min(MAX_THREADS);
            // The main thread, which all know, is not among them.
            for other in names.get(known.len() - 1..found).unwrap_or_default() {
                let length = (other.length as usize).min(DEPTH);
                known.push(ThreadName(other.steps[..length].to_vec()));
            }
            let is_known = known.contains(name) || name.0.len() > DEPTH || found + 1 >= MAX_THREADS;
            if !is_known {
                names[found].length = name.0.len() as u32;
                names[found].steps[..name.0.len()].copy_from_slice(&name.0);
                *count = found as u32 + 1;
                known.push(name.clone());
            }
        });
    }
}
