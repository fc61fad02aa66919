//! Where the runtime's own allocations lie.
//!
//! Usually that is the heap of the C library. A process that was forked for one run takes them one after the other from
//! memory that all such processes share in turn: its pages are there already, whereas each page of the heap that a forked
//! process touches has to be copied, which costs more than many steps of the program. What is freed is forgotten with the
//! process.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::real::Own;

/// The allocator of the runtime: where the memory for the notes of a run begins and ends, and what is free of it; all zero in other processes.
///
/// Asked by every allocation, before there is a state. A process sets them once, when it is forked.
pub(crate) struct Notes {
    start: AtomicUsize,
    end: AtomicUsize,
    next: AtomicUsize,
}

impl Notes {
    pub(crate) const fn new() -> Notes {
        Notes { start: AtomicUsize::new(0), end: AtomicUsize::new(0), next: AtomicUsize::new(0) }
    }

    /// From now on this process takes notes of one run, in this memory.
    ///
    /// # Safety
    /// Nobody else may use the memory until the process has ended.
    pub(crate) unsafe fn begin(&self, memory: *mut u8, size: usize) {
        let start = memory as usize;
        self.end.store(start + size, Ordering::Relaxed);
        self.start.store(start, Ordering::Relaxed);
        self.next.store(start, Ordering::Relaxed);
    }

    /// The program is about to fork: the memory becomes that of this process alone, or the two would write over each other's
    /// notes.
    pub(crate) fn keep_apart(&self) {
        let (start, end) = (self.start.load(Ordering::Relaxed), self.end.load(Ordering::Relaxed));
        if start == 0 {
            return;
        }
        let used = match self.next.load(Ordering::Relaxed) {
            0 => end - start,
            next => next - start,
        };
        let map = |at: usize, size: usize, flags: i32| {
            let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: new memory, or that of the notes, of which a copy is kept meanwhile.
            unsafe { libc::mmap(at as *mut _, size.max(1), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) }
        };
        let copy = map(0, used, 0);
        if copy == libc::MAP_FAILED {
            return;
        }
        // SAFETY: both places have so many bytes. This process has one OS thread, so nobody looks at the notes while they are
        // away; afterwards they are where and what they were.
        unsafe {
            std::ptr::copy_nonoverlapping(start as *const u8, copy.cast(), used);
            map(start, end - start, libc::MAP_FIXED);
            std::ptr::copy_nonoverlapping(copy.cast::<u8>(), start as *mut u8, used);
            libc::munmap(copy, used.max(1));
        }
    }

    /// Whether a block lies in the memory for notes.
    #[inline]
    fn has(&self, block: *mut u8) -> bool {
        (self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed)).contains(&(block as usize))
    }

    /// Takes the next bytes; none if this process takes no notes, or has no room for more.
    #[inline]
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        let next = self.next.load(Ordering::Relaxed);
        if next == 0 {
            return None;
        }
        let start = next.checked_next_multiple_of(layout.align())?;
        let end = start.checked_add(layout.size()).filter(|end| *end <= self.end.load(Ordering::Relaxed));
        // Without room, it is from here on as in any other process.
        self.next.store(end.unwrap_or(0), Ordering::Relaxed);
        end.map(|_| start as *mut u8)
    }
}

// SAFETY: blocks are those of the C library's heap, or ranges of the memory for notes that are given out once. A process
// that takes notes has one OS thread.
unsafe impl GlobalAlloc for Notes {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on to the caller.
        self.take(layout).unwrap_or_else(|| unsafe { Own.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(block) => {
                // SAFETY: the block has this size. Another process may have left something in it.
                unsafe { block.write_bytes(0, layout.size()) };
                block
            }
            // SAFETY: passed on to the caller.
            None => unsafe { Own.alloc_zeroed(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if self.has(block) {
            if block as usize + layout.size() == self.next.load(Ordering::Relaxed) {
                self.next.store(block as usize, Ordering::Relaxed);
            }
        } else if self.next.load(Ordering::Relaxed) == 0 {
            // SAFETY: passed on to the caller.
            unsafe { Own.dealloc(block, layout) };
        }
        // Else it is left over from the process that forked this one.
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let next = self.next.load(Ordering::Relaxed);
        if next == 0 && !self.has(block) {
            // SAFETY: passed on to the caller.
            return unsafe { Own.realloc(block, layout, size) };
        }
        let is_last = self.has(block) && block as usize + layout.size() == next;
        if is_last
            && (block as usize).checked_add(size).is_some_and(|end| end <= self.end.load(Ordering::Relaxed))
        {
            self.next.store(block as usize + size, Ordering::Relaxed);
            return block;
        }
        // SAFETY: the caller gives a size that a layout can have; both blocks have as many bytes as are copied.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_follow_each_other_grow_in_place_and_end_in_the_usual_heap() {
        let notes = Notes::new();
        let mut memory = vec![7_u8; 256];
        let layout = |size| Layout::from_size_align(size, 8).expect("a size and an alignment");
        // SAFETY: the memory outlives the test, and every block is used as it was given out.
        unsafe {
            let before = notes.alloc(layout(16));
            notes.begin(memory.as_mut_ptr(), memory.len());
            let first = notes.alloc_zeroed(layout(16));
            assert!(notes.has(first) && !notes.has(before) && *first == 0);
            assert_eq!(notes.realloc(first, layout(16), 32), first);
            let second = notes.alloc(layout(8));
            assert!(second >= first.add(32));
            *before = 5;
            let moved = notes.realloc(before, layout(16), 24);
            assert!(notes.has(moved) && *moved == 5);
            notes.dealloc(moved, layout(24));
            assert_eq!(notes.alloc(layout(8)), moved);
            let beyond = notes.alloc(layout(512));
            assert!(!beyond.is_null() && !notes.has(beyond));
            notes.dealloc(beyond, layout(512));
            Own.dealloc(before, layout(16));
        }
    }
}
