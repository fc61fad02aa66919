//! Local variables whose address others may know: who touches one after its function has returned uses memory that is no longer
//! there, like a block that was freed.
//!
//! Nothing is said where it cannot be known: a thread may find objects of functions that were not compiled by us on its stack, where
//! such a variable was before.

use std::ffi::c_void;

use raddle_coverage::hash::Table;
use raddle_trace::{Ending, Failure, ThreadId, Trouble};

use crate::abi::{self, RawSite};
use crate::control::controlled;
use crate::faces::heap;
use crate::memory::{self, Coming};
use crate::objects::Use;
use crate::rounds::NEAR_TOP;
use crate::shadow::GRANULE;
use crate::state::{self, State};

/// More bytes of one variable are not followed.
const MOST: usize = 4096;

/// What is known of variables that are gone, for messages.
#[derive(Default)]
pub(crate) struct Gone {
    /// Whether the run has any.
    pub any: bool,
    /// Whose they were, and where their function returned.
    by_granule: Table<usize, (ThreadId, *const RawSite)>,
}

impl Gone {
    /// A new run begins.
    pub(crate) fn reset(&mut self) {
        self.any = false;
        self.by_granule.clear();
    }
}

/// The granules of a range of bytes, and which of their bytes it covers.
fn granules(at: usize, size: usize) -> impl Iterator<Item = (usize, u8)> {
    let end = at + size;
    (at & !(GRANULE - 1)..end).step_by(GRANULE).map(move |granule| {
        let (low, high) = (at.max(granule) - granule, end.min(granule + GRANULE) - granule);
        (granule, ((1_u16 << high) - (1_u16 << low)) as u8)
    })
}

/// A variable comes into being.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_born(at: *mut c_void, size: u64) {
    if controlled() && state::with(|state| state.gone.any) {
        state::with(|state| {
            for (granule, mask) in granules(at as usize, size as usize) {
                if let Some(cell) = state.shadow.known_cell(granule) {
                    cell.gone &= !mask;
                }
            }
        });
    }
}

/// The function of a variable returns.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_left(at: *mut c_void, size: u64, site: *const RawSite) {
    let (at, size) = (at as usize, (size as usize).min(MOST));
    // Before there are other threads, nobody can have the address.
    if !controlled() || size == 0 || state::with(|state| state.alone) {
        return;
    }
    heap::write_cells(at, size);
    memory::show_free(at, size, false);
    if let Some((thread, touched)) = memory::touched_unordered(at, size, abi::own(site)) {
        let trouble = state::with(|state| Trouble {
            thread,
            message: format!("uses {}, which may have returned by then", named(site)),
            place: state.place(touched),
            block: None,
        });
        raddle_runtime::end_run(Ending::Failed(Failure::UseAfterFree), Some(trouble));
    }
    state::with(|state| {
        state.gone.any = true;
        for (granule, mask) in granules(at, size) {
            let cell = state.shadow.cell(granule);
            cell.gone |= mask;
            cell.clear();
            // What comes to lie there is another object.
            if std::mem::take(&mut cell.atomic) {
                let addresses = at.max(granule)..(at + size).min(granule + GRANULE);
                addresses.for_each(|address| state.objects.forget(address, Use::Cell));
            }
            state.gone.by_granule.insert(granule, (state.current, site));
        }
    });
}

/// A variable in words.
fn named(site: *const RawSite) -> String {
    // SAFETY: null, or a site that the pass wrote into the program.
    let Some(site) = (unsafe { site.as_ref() }) else { return "a local variable of a function".to_owned() };
    let function = abi::text(site.function);
    match site.name.is_null() {
        true => format!("a local variable of {function}"),
        false => format!("{}, a local variable of {function}", abi::text(site.name)),
    }
}

/// What is wrong with an access, if it touches a variable that is gone.
#[inline]
pub(crate) fn judge(state: &mut State, coming: &Coming) -> Option<String> {
    if state.gone.any && !state.arena.contains(coming.at) { look_closer(state, coming) } else { None }
}

fn look_closer(state: &mut State, coming: &Coming) -> Option<String> {
    for (granule, mask) in granules(coming.at, (coming.size as usize).min(MOST)) {
        let Some(cell) = state.shadow.known_cell(granule) else { continue };
        if cell.gone & mask == 0 {
            continue;
        }
        if is_gone(state, granule) {
            let (_, site) = state.gone.by_granule.get(&granule).copied()?;
            let does = if coming.writes { "writes" } else { "reads" };
            return Some(format!("{does} {}, which has returned", named(site)));
        }
        state.shadow.cell(granule).gone = 0;
    }
    None
}

/// Whether there can be nothing else at this address.
fn is_gone(state: &mut State, at: usize) -> bool {
    let here = 0_u8;
    let on_stack = |top: usize| (top.saturating_sub(NEAR_TOP)..top).contains(&at);
    let Some(owner) = state.threads.iter().position(|thread| on_stack(thread.frames_top)) else {
        return false;
    };
    let owner = ThreadId::new(owner);
    if owner == state.current {
        return at < &raw const here as usize;
    }
    let is_alive = raddle_runtime::with_world(|world| world.alive().contains(owner));
    !is_alive || is_in_known_code(state.thread(owner).top)
}

/// Whether a thread that waits was called from instrumented code, or by a library that keeps nothing for others on the stack.
fn is_in_known_code(top: *mut abi::RawFrame) -> bool {
    const KNOWN: [&str; 14] = [
        "pthread_",
        "sem_",
        "mtx_",
        "cnd_",
        "thrd_",
        "sched_",
        "usleep",
        "sleep",
        "nanosleep",
        "raddle_",
        "__raddle_",
        "_ZNSt",
        "_ZSt",
        "_ZNKSt",
    ];
    // SAFETY: the frame of a function that has not returned, and a site that the pass wrote.
    let call = unsafe { top.as_ref().and_then(|frame| frame.call.as_ref()) };
    call.is_none_or(|call| {
        let name = abi::text(call.name);
        KNOWN.iter().any(|known| name.starts_with(known))
    })
}
