//! The functions that instrumented code calls before it touches memory.
//!
//! The access itself stays in the program: all threads are fibers on one OS thread, so nothing can come between a hook and
//! the access that follows it. For an atomic operation the hook computes from memory and the operands what it will do.

use std::ffi::c_void;

use raddle_runtime::Here;
use raddle_trace::{Kind, ObjectId, Operation, Order, Place};
use raddle_world::ObjectKind;

use crate::abi::{self, RawSite};
use crate::control;
use crate::faces::section;
use crate::memory::{self, Coming, Shown};
use crate::objects::Use;
use crate::shadow::GRANULE;
use crate::{record, state};

/// The order that a C11 number stands for; consume is taken for acquire, as every compiler does.
fn order(number: u32) -> Order {
    match number {
        0 => Order::Relaxed,
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcquireRelease,
        _ => Order::SequentiallyConsistent,
    }
}

/// What lies at an address.
///
/// # Safety
/// The bytes have to be readable.
#[inline]
pub(crate) unsafe fn value_at(at: usize, size: u64) -> u64 {
    // SAFETY: the caller answers for the bytes; at most eight are read.
    unsafe {
        match size {
            1 => u64::from(*(at as *const u8)),
            2 => u64::from((at as *const u16).read_unaligned()),
            4 => u64::from((at as *const u32).read_unaligned()),
            8.. => (at as *const u64).read_unaligned(),
            _ => {
                let mut bytes = [0_u8; 8];
                std::ptr::copy_nonoverlapping(at as *const u8, bytes.as_mut_ptr(), size as usize);
                u64::from_le_bytes(bytes)
            }
        }
    }
}

pub(crate) fn truncated(value: u64, size: u64) -> u64 {
    if size >= 8 { value } else { value & ((1 << (size * 8)) - 1) }
}

/// The cell at this address, which holds what lies there.
///
/// # Safety
/// The bytes have to be readable.
#[inline]
unsafe fn cell(
    here: Here,
    at: usize,
    size: u64,
    writes: bool,
    site: *const RawSite,
    place: Place,
) -> ObjectId {
    memory::must_be_valid(at, size, writes, || site);
    // SAFETY: passed on to the caller.
    let value = unsafe { value_at(at, size) };
    let cell = control::object(at, Use::Cell, place, || ObjectKind::Cell(value));
    // Who ends this memory before the access happens has to show it, or the two are taken for independent.
    state::with(|state| {
        if !state.modules.is_own(at) {
            state.shadow.cell(at).atomic = true;
        }
    });
    // It may have been initialised by plain writes since it was last used.
    here.correct_cell(cell, value);
    cell
}

/// Judges an atomic access of the only thread there has been: it is no event, since everything happens before what later
/// threads do.
fn alone(at: usize, size: u64, writes: bool, site: *const RawSite) -> bool {
    let alone = state::with(|state| state.alone);
    if alone {
        memory::plain(Coming { at, size, writes, atomic: true, site, shown: Shown::Yes });
    }
    alone
}

fn operation(
    here: Here,
    kind: Kind,
    object: ObjectId,
    operand: u64,
    (success, failure): (u32, u32),
) -> Operation {
    let operation = Operation {
        order: order(success),
        order_on_failure: order(failure),
        ..Operation::new(kind, object, operand)
    };
    here.note_weaker_order(operation.order);
    operation
}

/// A plain read is about to happen.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_read(at: *const c_void, size: u64, site: *const RawSite) {
    if abi::active() && size > 0 {
        // SAFETY: passed on to the caller.
        unsafe { read(at as usize, size, site) };
    } else if abi::recording() {
        record::memory(Kind::PlainRead, at as usize, site);
    }
}

/// # Safety
/// The program is about to read these bytes.
#[inline]
unsafe fn read(at: usize, size: u64, site: *const RawSite) {
    let site = abi::own(site);
    // SAFETY: passed on to the caller.
    let shown = unsafe { show(at, size, Does::Reads, site) };
    memory::plain(Coming { at, size, writes: false, atomic: false, site, shown });
    if state::with(|state| state.plain_is_visible() && !state.alone) {
        // SAFETY: passed on to the caller.
        unsafe { visible_parts(at, size, Kind::Load, site, |_, old| old) };
    }
}

/// A plain write is about to happen.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_write(at: *mut c_void, size: u64, value: u64, site: *const RawSite) {
    if abi::active() && size > 0 {
        let site = abi::own(site);
        let does = Does::Writes((size <= 8).then_some(value));
        // SAFETY: the program is about to write these bytes.
        let shown = unsafe { show(at as usize, size, does, site) };
        memory::write(Coming { at: at as usize, size, writes: true, atomic: false, site, shown }, value);
        if state::with(|state| state.plain_is_visible() && !state.alone) {
            let new = |_, old| if size <= 8 { value } else { old };
            // SAFETY: the program is about to write these bytes.
            unsafe { visible_parts(at as usize, size, Kind::Store, site, new) };
        } else {
            wrote_cells(at as usize, size, value);
        }
    } else if abi::recording() {
        record::memory(Kind::PlainWrite, at as usize, site);
    }
}

/// Memory that is also used atomically gets a new value by a plain write.
#[inline]
fn wrote_cells(at: usize, size: u64, value: u64) {
    let atomic = state::with(|state| !state.alone && state.shadow.cell(at).atomic);
    if atomic && size <= 8 {
        let cell = state::with(|state| state.objects.find(at, Use::Cell));
        if let Some(cell) = cell {
            raddle_runtime::set_cell(cell, truncated(value, size));
        }
    }
}

/// What a plain access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    Reads,
    /// Leaves this value there, if it is known.
    Writes(Option<u64>),
    /// Ends the life of the memory.
    Frees,
}

/// Takes the steps that show a plain access to a model, where threads are known to share the memory.
///
/// # Safety
/// The program is about to touch these bytes.
#[inline]
unsafe fn show(at: usize, size: u64, does: Does, site: *const RawSite) -> Shown {
    let shows =
        |state: &mut state::State| state.shows_plain && !state.alone && !state.modules.is_thread_local(at);
    if !state::with(shows) {
        return Shown::No;
    }
    let end = at + size as usize;
    let mut granule = at & !(GRANULE - 1);
    while granule < end {
        // SAFETY: passed on to the caller.
        unsafe { show_pieces(granule, at, end, does, site) };
        granule += GRANULE;
    }
    Shown::Yes
}

/// The same for the pieces of one granule.
///
/// # Safety
/// As for [`show`].
pub(crate) unsafe fn show_pieces(granule: usize, at: usize, end: usize, does: Does, site: *const RawSite) {
    let piece_at = |index: usize| {
        state::with(|state| {
            let everybody = state.touched_in_any_run.as_ref()?;
            everybody.shown(granule).get(index).copied()
        })
    };
    let mut index = 0;
    while let Some(piece) = piece_at(index) {
        index += 1;
        let first = granule + piece.mask.trailing_zeros() as usize;
        let size = piece.mask.count_ones() as usize;
        if first + size <= at || end <= first {
            continue;
        }
        // SAFETY: passed on to the caller; a piece is made up of bytes that the program has touched.
        unsafe { show_piece(first, size, at, end, does, piece.atomic, site) };
    }
}

/// # Safety
/// As for [`show`].
#[cold]
unsafe fn show_piece(
    first: usize,
    size: usize,
    at: usize,
    end: usize,
    does: Does,
    atomic: bool,
    site: *const RawSite,
) {
    let place = state::with(|state| state.place_now(site));
    // SAFETY: passed on to the caller.
    let now = unsafe { value_at(first, size as u64) };
    let cell = control::object(first, Use::Cell, place, || ObjectKind::Cell(now));
    if raddle_runtime::with_world(|world| world.value(cell)) != now {
        raddle_runtime::set_cell(cell, now);
    }
    // Without a model only the end of what was used atomically in the same run is a step.
    let used = || state::with(|state| state.shadow.known_cell(first).is_some_and(|cell| cell.atomic));
    let order = if atomic && used() { Order::SequentiallyConsistent } else { Order::Plain };
    raddle_runtime::with_run(|run| run.has_plain_steps |= order == Order::Plain);
    let covers = at <= first && first + size <= end;
    let operation = match does {
        Does::Reads => Operation::new(Kind::Load, cell, 0),
        Does::Writes(_) if covers => Operation::new(Kind::Store, cell, 0),
        Does::Writes(_) => Operation::new(Kind::ReadModifyWrite, cell, 0),
        Does::Frees => Operation::free(cell),
    };
    let operation = Operation { order, ..operation };
    let written = match does {
        Does::Reads => {
            control::visit(operation, place);
            return;
        }
        Does::Writes(value) => {
            // Contents are named by who left them, unless they are to be named by what they are.
            if value.is_none() && state::with(|state| state.task.match_values) {
                raddle_runtime::note_unseen_access();
            }
            value
        }
        Does::Frees => None,
    };
    control::visit_write(operation, place, |old| {
        let Some(written) = written else { return old };
        let mut bytes = old.to_le_bytes();
        for (byte, address) in bytes.iter_mut().zip(first..first + size) {
            if (at..end).contains(&address) {
                *byte = written.to_le_bytes()[address - at];
            }
        }
        u64::from_le_bytes(bytes)
    });
}

/// Plain accesses as visible operations, eight bytes at a time; a large one is one operation on its first bytes.
///
/// # Safety
/// The bytes have to be readable.
unsafe fn visible_parts(
    at: usize,
    size: u64,
    kind: Kind,
    site: *const RawSite,
    new: impl Fn(usize, u64) -> u64,
) {
    let place = state::with(|state| state.place_now(site));
    let part = size.min(8);
    section::keep_out(at, place);
    // SAFETY: passed on to the caller.
    let cell = unsafe { cell(Here::now(), at, part, kind != Kind::Load, site, place) };
    let operation = Operation::new(kind, cell, 0);
    match kind {
        Kind::Load => {
            control::visit(operation, place);
        }
        _ => {
            control::visit_write(operation, place, |old| truncated(new(at, old), part));
        }
    }
}

/// Memory is about to be copied.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_copy(
    to: *mut c_void,
    from: *const c_void,
    size: u64,
    site: *const RawSite,
) {
    if abi::active() && size > 0 {
        // SAFETY: the program is about to read and write these bytes.
        unsafe {
            __raddle_read(from, size, site);
            let value = if size <= 8 { value_at(from as usize, size) } else { 0 };
            __raddle_write(to, size, value, site);
        }
    } else if abi::recording() {
        record::memory(Kind::PlainRead, from as usize, site);
        record::memory(Kind::PlainWrite, to as usize, site);
    }
}

/// Memory is about to be filled.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_fill(to: *mut c_void, size: u64, byte: u64, site: *const RawSite) {
    if abi::active() && size > 0 {
        let value = (byte & 0xff).wrapping_mul(0x0101_0101_0101_0101);
        // SAFETY: the program is about to write these bytes.
        unsafe { __raddle_write(to, size, truncated(value, size.min(8)), site) };
    } else if abi::recording() {
        record::memory(Kind::PlainWrite, to as usize, site);
    }
}

/// An atomic access that is about to happen and that somebody sees.
struct About {
    here: Here,
    at: usize,
    place: Place,
    cell: ObjectId,
}

impl About {
    fn operation(&self, kind: Kind, operand: u64, orders: (u32, u32)) -> Operation {
        operation(self.here, kind, self.cell, operand, orders)
    }
}

/// The atomic access that is about to happen; `None` if nobody is there to see it.
///
/// # Safety
/// The bytes can be read.
#[inline]
unsafe fn about_to(at: usize, size: u64, writes: bool, site: *const RawSite) -> Option<About> {
    if !abi::active() {
        if abi::recording() {
            record::memory(if writes { Kind::Store } else { Kind::Load }, at, site);
        }
        return None;
    }
    let here = Here::find()?;
    if alone(at, size, writes, site) {
        return None;
    }
    let place = state::with(|state| state.place_now(site));
    section::keep_out(at, place);
    // SAFETY: as the caller says.
    Some(About { here, at, place, cell: unsafe { cell(here, at, size, writes, site, place) } })
}

/// An atomic load is about to happen.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_load(at: *const c_void, size: u64, order: u32, site: *const RawSite) {
    let site = abi::own(site);
    // SAFETY: the program is about to read these bytes.
    let Some(about) = (unsafe { about_to(at as usize, size, false, site) }) else { return };
    control::visit_here(about.here, about.operation(Kind::Load, 0, (order, order)), about.place);
    memory::atomic(Coming { at: about.at, size, writes: false, atomic: true, site, shown: Shown::Yes });
}

/// An atomic store is about to happen.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_store(
    at: *mut c_void,
    size: u64,
    value: u64,
    order: u32,
    site: *const RawSite,
) {
    let site = abi::own(site);
    // SAFETY: the program is about to write these bytes.
    let Some(about) = (unsafe { about_to(at as usize, size, true, site) }) else { return };
    let store = about.operation(Kind::Store, 0, (order, order));
    control::visit_write_here(about.here, store, about.place, |_| truncated(value, size));
    memory::atomic(Coming { at: about.at, size, writes: true, atomic: true, site, shown: Shown::Yes });
}

/// What a read-modify-write makes of a value.
fn modified(op: u32, old: u64, operand: u64, size: u64) -> u64 {
    let bits = 64 - size.min(8) as u32 * 8;
    let signed = |value: u64| ((value << bits) as i64) >> bits;
    let new = match op {
        0 => operand,
        1 => old.wrapping_add(operand),
        2 => old.wrapping_sub(operand),
        3 => old & operand,
        4 => !(old & operand),
        5 => old | operand,
        6 => old ^ operand,
        7 => signed(old).max(signed(operand)) as u64,
        8 => signed(old).min(signed(operand)) as u64,
        9 => truncated(old, size).max(truncated(operand, size)),
        10 => truncated(old, size).min(truncated(operand, size)),
        // What it does is seen at the next access.
        _ => old,
    };
    truncated(new, size)
}

/// An atomic read-modify-write is about to happen.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_rmw(
    at: *mut c_void,
    size: u64,
    op: u32,
    operand: u64,
    order: u32,
    site: *const RawSite,
) {
    let site = abi::own(site);
    // SAFETY: the program is about to change these bytes.
    let Some(about) = (unsafe { about_to(at as usize, size, true, site) }) else { return };
    let modifies = about.operation(Kind::ReadModifyWrite, 0, (order, order));
    control::visit_write_here(about.here, modifies, about.place, |old| modified(op, old, operand, size));
    memory::atomic(Coming { at: about.at, size, writes: true, atomic: true, site, shown: Shown::Yes });
}

/// An atomic compare-exchange is about to happen. Returns whether a weak one has to fail for no reason; the next one of the
/// thread on the same cell will not, because a loop of them would have runs without end.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_compare_exchange(
    at: *mut c_void,
    size: u64,
    expected: u64,
    desired: u64,
    weak: u32,
    success: u32,
    failure: u32,
    site: *const RawSite,
) -> u8 {
    let site = abi::own(site);
    // SAFETY: the program is about to change these bytes.
    let Some(about) = (unsafe { about_to(at as usize, size, true, site) }) else { return 0 };
    let About { here, at, place, cell } = about;
    let orders = (success, failure);
    if size > 8 {
        // Too large for a value: what it does is seen at the next access.
        let operation = about.operation(Kind::ReadModifyWrite, 0, orders);
        control::visit_write_here(here, operation, place, |old| old);
        memory::atomic(Coming { at, size, writes: true, atomic: true, site, shown: Shown::Yes });
        return 0;
    }
    let fickle = weak != 0 && state::with(|state| state.own().fickle) != Some(cell);
    let kind = if fickle { Kind::WeakCompareExchange } else { Kind::CompareExchange };
    let operation = about.operation(kind, truncated(expected, size), orders);
    let executed = control::visit_write_here(here, operation, place, |_| truncated(desired, size));
    let writes = executed.outcome == raddle_trace::Outcome::Done;
    let for_no_reason = !writes && executed.before as u64 == truncated(expected, size);
    if weak != 0 {
        state::with(|state| state.own().fickle = for_no_reason.then_some(cell));
    }
    memory::atomic(Coming { at, size, writes, atomic: true, site, shown: Shown::Yes });
    u8::from(for_no_reason)
}

/// An atomic fence is about to happen.
///
/// # Safety
/// Called by instrumented code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_fence(order: u32, site: *const RawSite) {
    if let Some(here) = Here::find().filter(|_| abi::active()) {
        let place = state::with(|state| state.place_now(abi::own(site)));
        control::visit_here(here, operation(here, Kind::Fence, ObjectId::NONE, 0, (order, order)), place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_modify_write_does_what_the_machine_does() {
        assert_eq!(modified(1, 0xff, 1, 1), 0);
        assert_eq!(modified(2, 0, 1, 4), 0xffff_ffff);
        assert_eq!(modified(4, 0b11, 0b01, 1), 0xfe);
        assert_eq!(modified(7, 0xff, 1, 1), 1);
        assert_eq!(modified(9, 0xff, 1, 1), 0xff);
        assert_eq!(modified(8, 0xff, 1, 1), 0xff);
        assert_eq!(modified(0, 5, u64::MAX, 8), u64::MAX);
    }
}
