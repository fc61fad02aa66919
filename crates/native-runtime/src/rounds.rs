//! Whether a loop only waits, told by what a thread keeps to itself: its registers, its stack, its thread-local variables, and
//! what it has written elsewhere. If all that is the same after a round, and the round only looked at things, then the next one
//! will be the same as well, until somebody changes one of them.
//!
//! The compiler pass has every loop that it cannot see through tell of its rounds.

use crate::abi::{self, RawSite};
use crate::control::{self, controlled};
use crate::faces::condition::POLLS;
use crate::faces::time;
use crate::hooks;
use crate::memory::Coming;
use crate::state::{self, Foreign, OfThread, State};

/// Below this address nobody has memory.
const NOWHERE: usize = 1 << 16;

/// How far below the first frame of a thread what others write counts as its stack.
pub(crate) const NEAR_TOP: usize = 1 << 20;

// Registers that belong to the caller are put on the stack first, where the rest of what it keeps to itself lies.
std::arch::global_asm!(
    ".pushsection .text.__raddle_round,\"ax\",@progbits",
    ".globl __raddle_round",
    ".type __raddle_round, @function",
    "__raddle_round:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_adjust_cfa_offset 8",
    "push rbx",
    ".cfi_adjust_cfa_offset 8",
    "push r12",
    ".cfi_adjust_cfa_offset 8",
    "push r13",
    ".cfi_adjust_cfa_offset 8",
    "push r14",
    ".cfi_adjust_cfa_offset 8",
    "push r15",
    ".cfi_adjust_cfa_offset 8",
    "mov rdx, rsp",
    "sub rsp, 8",
    ".cfi_adjust_cfa_offset 8",
    "call {round}",
    "add rsp, 8",
    ".cfi_adjust_cfa_offset -8",
    "pop r15",
    ".cfi_adjust_cfa_offset -8",
    "pop r14",
    ".cfi_adjust_cfa_offset -8",
    "pop r13",
    ".cfi_adjust_cfa_offset -8",
    "pop r12",
    ".cfi_adjust_cfa_offset -8",
    "pop rbx",
    ".cfi_adjust_cfa_offset -8",
    "pop rbp",
    ".cfi_adjust_cfa_offset -8",
    "ret",
    ".cfi_endproc",
    ".size __raddle_round, . - __raddle_round",
    ".popsection",
    round = sym round,
);

/// A loop is entered: what lies on the stack that nobody has written may be something else than at an earlier visit.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_begin(name: *const RawSite) {
    if controlled() {
        raddle_runtime::begin_loop(name as u64);
    }
}

/// A loop goes round again; from `low` on lies what the thread keeps on its stack.
unsafe extern "C" fn round(site: *const RawSite, name: *const RawSite, low: usize) {
    if !controlled() {
        return;
    }
    let (looked_at_clock, mark) = state::with(|state| {
        let own = state.own();
        (std::mem::take(&mut own.looked_at_clock), mixed(own.written) ^ own.random.1)
    });
    // A loop that looks at the clock and does nothing else would never see it move.
    if looked_at_clock {
        raddle_runtime::pass_a_moment();
    }
    if !raddle_runtime::may_wait(name as u64, mark) {
        return;
    }
    let (own, place) = state::with(|state| (own_state(state, low), state.place_now(abi::own(site))));
    control::round(place, name as u64, own);
}

/// Takes note of what the current thread is about to write to plain memory, for whoever wants to know whether it makes progress.
#[inline]
pub(crate) fn takes_note(state: &mut State, coming: &Coming, value: Option<u64>) {
    writes_for_others(state, coming);
    let (here, own) = (0_u8, state.own());
    if (&raw const here as usize..own.frames_top).contains(&coming.at) {
        // What lies on its stack is looked at itself.
        let written = coming.at & !7..coming.at + coming.size as usize;
        own.written_by_others.retain(|each| !written.contains(&each.at));
        return;
    }
    match value {
        Some(value) if coming.at >= NOWHERE => {
            // SAFETY: the program is about to write these bytes.
            let old = unsafe { hooks::value_at(coming.at, coming.size) };
            own.written ^= exchange(coming.at, coming.size, old, hooks::truncated(value, coming.size));
        }
        _ => own.writes_something(),
    }
}

/// Keeps what lies on the stack of another thread before the current one writes there.
#[inline]
pub(crate) fn writes_for_others(state: &mut State, coming: &Coming) {
    if !state.alone && !state.arena.contains(coming.at) {
        keep_for_others(state, coming);
    }
}

fn keep_for_others(state: &mut State, coming: &Coming) {
    let (current, time) = (state.current, state.clocks.time(state.current));
    let is_on_stack = |thread: &OfThread| {
        (thread.frames_top.saturating_sub(NEAR_TOP)..thread.frames_top).contains(&coming.at)
    };
    let others = state.threads.iter_mut().enumerate();
    let owner = others.filter(|(index, _)| *index != current.index()).find(|(_, thread)| is_on_stack(thread));
    let Some((_, owner)) = owner else { return };
    let end = (coming.at + coming.size as usize).min(owner.frames_top);
    for at in (coming.at & !7..end).step_by(8) {
        // SAFETY: the stack of a thread stays where it is as long as the run.
        let before = unsafe { std::ptr::read_volatile(at as *const u64) };
        owner.written_by_others.push(Foreign { at, before, thread: current, time: time + 1 });
    }
}

/// What stands for everything that the current thread keeps to itself.
fn own_state(state: &mut State, low: usize) -> u64 {
    // SAFETY: the C library's variable of this OS thread.
    let error = unsafe { *state.error };
    let (current, clocks) = (state.current, &state.clocks);
    let own = &mut state.threads[current.index()];
    own.written_by_others.retain(|each| !clocks.knows(current, each.thread, each.time));
    // A thread that polls by timed waits, and has given up often enough, goes by no moment in particular.
    let timeless = own.gave_up >= POLLS;
    let mut sum = words(error as u64, low, own.frames_top, timeless, &own.written_by_others);
    for local in own.locals.iter().filter(|local| !local.at.is_null()) {
        sum = words(sum, local.at as usize, local.at as usize + local.size, timeless, &[]);
    }
    sum
}

fn words(mut sum: u64, from: usize, to: usize, timeless: bool, by_others: &[Foreign]) -> u64 {
    let mut after_time = false;
    for at in (from..to).step_by(8) {
        // SAFETY: the thread's own stack or variable, which is there as long as the thread; memory comes in words.
        let word = unsafe { std::ptr::read_volatile(at as *const u64) };
        // What the thread does not know of yet does not count.
        let word = by_others.iter().find(|each| each.at == at).map_or(word, |each| each.before);
        // The nanoseconds of a moment come behind its seconds.
        let passes = timeless && (after_time || time::is_moment(word));
        after_time = time::is_moment(word);
        // Multiplying spreads to the upper bits, the rotation brings them down again.
        sum = (sum.rotate_left(29) ^ if passes { 0 } else { word }).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    sum
}

/// Spreads a number over all bits (splitmix64).
#[inline]
fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// What stands for a write to memory: what was there goes, and what is written comes. Who puts back what was there has changed
/// nothing.
#[inline]
pub(crate) fn exchange(at: usize, size: u64, old: u64, new: u64) -> u64 {
    let part =
        |value: u64| mixed(mixed((at as u64 ^ size << 56).wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ value);
    part(old) ^ part(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_back_has_not_changed() {
        let there = exchange(0x1000, 4, 0, 7);
        assert_ne!(there, 0);
        assert_eq!(there ^ exchange(0x1000, 4, 7, 0), 0);
        assert_ne!(there ^ exchange(0x1008, 4, 7, 0), 0);
        assert_eq!(exchange(0x1000, 8, 5, 5), 0);
    }

    #[test]
    fn a_moment_does_not_count_if_time_does_not() {
        let second = 1_700_000_003_u64;
        let (one, other) = ([1, second, 5, 9], [1, second + 1, 6, 9]);
        let sum = |words: &[u64; 4], timeless| {
            let from = words.as_ptr() as usize;
            super::words(0, from, from + 32, timeless, &[])
        };
        assert_ne!(sum(&one, false), sum(&other, false));
        assert_eq!(sum(&one, true), sum(&other, true));
        assert_ne!(sum(&one, true), sum(&[1, second, 5, 8], true));
    }
}
