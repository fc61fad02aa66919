//! Allocation. Compiled code and C++ get their memory from the arena during a run; the C library keeps its own heap.

use std::ffi::{c_char, c_int, c_void};

use raddle_trace::{Operation, ThreadId};

use crate::abi;
use crate::arena::{self, Arena, Mark};
use crate::control::{self, controlled};
use crate::hooks;
use crate::memory;
use crate::objects::Use;
use crate::real::heap;
use crate::real::real;
use crate::shadow::GRANULE;
use crate::{start, state};

fn mark() -> Mark {
    let (thread, events): (ThreadId, u32) = memory::now();
    Mark { thread, site: abi::caller(), events }
}

/// Gives out a block of the arena; null if there is no memory for it.
fn give(size: usize, align: usize) -> *mut c_void {
    let mark = mark();
    let block = state::with(|state| state.arena.give(size, align, mark));
    block.map_or_else(
        || {
            // SAFETY: the C library's variable of this OS thread.
            unsafe { *libc::__errno_location() = libc::ENOMEM };
            std::ptr::null_mut()
        },
        |address| address as *mut c_void,
    )
}

/// Memory of the arena for the runtime's own use on behalf of a thread.
pub(crate) fn give_for_runtime(size: usize, align: usize) -> *mut c_void {
    give(size, align)
}

/// Memory for what static objects allocate before `main`, which is put back before each run; null without a supervisor.
fn give_early(size: usize, align: usize) -> *mut c_void {
    if state::is_set() || !start::is_supervised() {
        return std::ptr::null_mut();
    }
    let site = abi::caller();
    arena::before_main(|arena| arena.give_early(size, align, site))
        .map_or(std::ptr::null_mut(), |address| address as *mut c_void)
}

/// Memory during a run and before `main`; null if the C library has to give it, or if there is none.
fn given(size: usize, align: usize) -> *mut c_void {
    if controlled() { give(size, align) } else { give_early(size, align) }
}

fn is_ours(block: *mut c_void) -> bool {
    if arena::is_early(block as usize) {
        return true;
    }
    state::is_set() && state::with(|state| state.arena.contains(block as usize))
}

/// Takes a block of the arena back.
fn take(block: *mut c_void) {
    let (address, site) = (block as usize, abi::caller());
    let size = state::with(|state| {
        let block = state.arena.block_at(address).filter(|block| block.freed.is_none());
        block.map(|block| block.size)
    });
    let Some(size) = size else { memory::cannot_free(address, site) };
    write_cells(address, size);
    memory::show_free(address, size, true);
    // Another thread may have freed it while this one waited.
    let mark = mark();
    let freed = state::with(|state| {
        let block = state.arena.block_at(address).filter(|block| block.freed.is_none())?;
        block.freed = Some(mark);
        Some(())
    });
    if freed.is_none() {
        memory::cannot_free(address, site);
    }
    memory::freed(address, size, site);
}

/// For cells that were used atomically, the end of their block is something that others can see.
pub(crate) fn write_cells(start: usize, size: usize) {
    let place = state::here();
    let end = start + size;
    for granule in (start & !(GRANULE - 1)..end).step_by(GRANULE) {
        let atomic = state::with(|state| state.shadow.known_cell(granule).is_some_and(|cell| cell.atomic));
        if !atomic {
            continue;
        }
        for address in start.max(granule)..end.min(granule + GRANULE) {
            let cell = state::with(|state| {
                let is_shown = state.shows_plain
                    && state.touched_in_any_run.as_ref().is_some_and(|all| all.shows(granule, address));
                state.objects.find(address, Use::Cell).filter(|_| !is_shown)
            });
            if let Some(cell) = cell {
                control::visit_write(Operation::free(cell), place, |old| old);
            }
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_malloc(size: usize) -> *mut c_void {
    let block = given(size, 16);
    if !block.is_null() || controlled() {
        return block;
    }
    // SAFETY: as the C library says.
    unsafe { heap::__libc_malloc(size) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_calloc(count: usize, size: usize) -> *mut c_void {
    // Memory of the arena is zero when it is given out.
    let block = count.checked_mul(size).map_or(std::ptr::null_mut(), |bytes| given(bytes, 16));
    if !block.is_null() || controlled() {
        return block;
    }
    // SAFETY: as the C library says.
    unsafe { heap::__libc_calloc(count, size) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_free(block: *mut c_void) {
    // SAFETY: as the C library says.
    unsafe { free(block) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    if is_ours(block) {
        if controlled() {
            take(block);
        }
        return;
    }
    if controlled() {
        // SAFETY: as the C library says.
        let size = unsafe { malloc_usable_size(block) };
        memory::forget(block as usize, size);
    }
    if abi::recording() {
        // SAFETY: as the C library says.
        crate::record::freed(block as usize, unsafe { malloc_usable_size(block) });
    }
    // SAFETY: as the C library says.
    unsafe { heap::__libc_free(block) }
}

/// Exceptions lie in the C library's heap, which uses its memory again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_allocate_exception(size: usize) -> *mut c_void {
    // SAFETY: as the C++ library says.
    let exception = unsafe { real!(fn __cxa_allocate_exception(usize) -> *mut c_void)(size) };
    if controlled() {
        memory::forget(exception as usize, size);
        state::with(|state| state.beyond_checkpoints = true);
    }
    exception
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if !controlled() {
        // SAFETY: as the C library says.
        return unsafe { resize_early(block, size) };
    }
    if block.is_null() {
        return give(size, 16);
    }
    if !is_ours(block) {
        // SAFETY: the block is the C library's.
        return unsafe { heap::__libc_realloc(block, size) };
    }
    let old = state::with(|state| {
        let known = state.arena.block_at(block as usize).filter(|block| block.freed.is_none());
        known.map(|block| block.size)
    });
    let Some(old) = old else { memory::cannot_free(block as usize, abi::caller()) };
    if size == 0 {
        take(block);
        return std::ptr::null_mut();
    }
    let new = give(size, 16);
    if !new.is_null() {
        // SAFETY: both blocks are in use and do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), old.min(size)) };
        take(block);
    }
    new
}

/// Gives a block another size before `main`, or without a supervisor.
///
/// # Safety
/// As the C library says for `realloc`.
unsafe fn resize_early(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: as the C library says.
        return unsafe { __raddle_malloc(size) };
    }
    if !arena::is_early(block as usize) {
        // SAFETY: passed on to the caller.
        return unsafe { heap::__libc_realloc(block, size) };
    }
    let old = arena::before_main(|arena| arena.block_at(block as usize).map_or(0, |block| block.size));
    let new = give_early(size, 16);
    if !new.is_null() {
        // SAFETY: both blocks are in use and do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), old.min(size)) };
    }
    new
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if !block.is_null() && is_ours(block) {
        // SAFETY: as the C library says.
        return unsafe { __raddle_realloc(block, size) };
    }
    // SAFETY: as the C library says.
    unsafe { heap::__libc_realloc(block, size) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_reallocarray(block: *mut c_void, count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        // SAFETY: as the C library says.
        Some(bytes) => unsafe { __raddle_realloc(block, bytes) },
        None => std::ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_aligned_alloc(align: usize, size: usize) -> *mut c_void {
    let block = given(size, align.max(1).checked_next_power_of_two().unwrap_or(16));
    if !block.is_null() || controlled() {
        return block;
    }
    // SAFETY: as the C library says.
    unsafe { heap::__libc_memalign(align, size) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_memalign(align: usize, size: usize) -> *mut c_void {
    // SAFETY: as the C library says.
    unsafe { __raddle_aligned_alloc(align, size) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_posix_memalign(
    block: *mut *mut c_void,
    align: usize,
    size: usize,
) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(8) {
        return libc::EINVAL;
    }
    // SAFETY: as the C library says.
    let given = unsafe { __raddle_aligned_alloc(align, size) };
    if given.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller gives a place for the result.
    unsafe { *block = given };
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_strdup(text: *const c_char) -> *mut c_char {
    // SAFETY: the caller gives a text.
    unsafe { __raddle_strndup(text, usize::MAX) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_strndup(text: *const c_char, most: usize) -> *mut c_char {
    // SAFETY: the caller gives a text, of which as many bytes are read as it has.
    unsafe {
        let length = libc::strnlen(text, most);
        hooks::__raddle_read(text.cast(), length.saturating_add(1).min(most) as u64, abi::caller());
        let copy = __raddle_malloc(length + 1).cast::<c_char>();
        if !copy.is_null() {
            std::ptr::copy_nonoverlapping(text, copy, length);
            *copy.add(length) = 0;
        }
        copy
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    if !block.is_null() && is_ours(block) {
        let size = |arena: &mut Arena| arena.block_at(block as usize).map_or(0, |block| block.size);
        return if state::is_set() {
            state::with(|state| size(&mut state.arena))
        } else {
            arena::before_main(size)
        };
    }
    // SAFETY: as the C library says.
    unsafe { real!(fn malloc_usable_size(*mut c_void) -> usize)(block) }
}

/// The operators of C++, by their mangled names.
macro_rules! operators {
    ($($new:ident $new_nothrow:ident $new_aligned:ident $delete:ident $delete_sized:ident $delete_nothrow:ident
       $delete_aligned:ident $delete_sized_aligned:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $new(size: usize) -> *mut c_void {
            let block = given(size.max(1), 16);
            if !block.is_null() {
                return block;
            }
            // SAFETY: as the C++ library says; it throws if there is no memory.
            unsafe { real!(fn $new(usize) -> *mut c_void)(size) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $new_nothrow(size: usize, tag: *const c_void) -> *mut c_void {
            let block = given(size.max(1), 16);
            if !block.is_null() || controlled() {
                return block;
            }
            // SAFETY: as the C++ library says.
            unsafe { real!(fn $new_nothrow(usize, *const c_void) -> *mut c_void)(size, tag) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $new_aligned(size: usize, align: usize) -> *mut c_void {
            let block = given(size.max(1), align);
            if !block.is_null() {
                return block;
            }
            // SAFETY: as the C++ library says; it throws if there is no memory.
            unsafe { real!(fn $new_aligned(usize, usize) -> *mut c_void)(size, align) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $delete(block: *mut c_void) {
            // SAFETY: as the C++ library says.
            unsafe { free(block) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $delete_sized(block: *mut c_void, _size: usize) {
            // SAFETY: as the C++ library says.
            unsafe { free(block) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $delete_nothrow(block: *mut c_void, _tag: *const c_void) {
            // SAFETY: as the C++ library says.
            unsafe { free(block) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $delete_aligned(block: *mut c_void, _align: usize) {
            // SAFETY: as the C++ library says.
            unsafe { free(block) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $delete_sized_aligned(block: *mut c_void, _size: usize, _align: usize) {
            // SAFETY: as the C++ library says.
            unsafe { free(block) }
        }
    )*};
}

operators! {
    _Znwm _ZnwmRKSt9nothrow_t _ZnwmSt11align_val_t _ZdlPv _ZdlPvm _ZdlPvRKSt9nothrow_t _ZdlPvSt11align_val_t
        _ZdlPvmSt11align_val_t;
    _Znam _ZnamRKSt9nothrow_t _ZnamSt11align_val_t _ZdaPv _ZdaPvm _ZdaPvRKSt9nothrow_t _ZdaPvSt11align_val_t
        _ZdaPvmSt11align_val_t;
}
