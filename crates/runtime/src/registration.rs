//! How an object of the program finds its number in the current run.
//!
//! A mutex or an atomic is made by a `const fn`, so it cannot be registered when it is made; it is when a thread
//! first publishes an operation on it. Its slot remembers the number together with the run for which it is valid.
//! Objects in static memory are shared by all searches of the process, and everything that a closure captured by all
//! workers of a search, so their slot is only a hint: the run itself remembers their numbers by address.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use raddle_trace::{ObjectId, Place};
use raddle_world::ObjectKind;

use crate::outside;
use crate::visit::with_stage;

/// Bits of the slot that hold the object's number; the rest names the run.
const NUMBER_BITS: u32 = 24;

/// Marks the slot of an object that no run has met, but that was used outside of runs: the rest names the last run that had
/// begun by then.
const OUTSIDE: u64 = 1 << 63;

/// The slot in an object.
#[derive(Debug, Default)]
pub struct Registration {
    slot: AtomicU64,
}

impl Registration {
    /// Of an object that no run has met.
    #[must_use]
    pub const fn new() -> Registration {
        Registration { slot: AtomicU64::new(0) }
    }

    /// Whether the caller is part of a run. If it is not, a run that uses the object at the same time is told.
    #[inline]
    #[must_use]
    pub fn in_run(&self) -> bool {
        let inside = crate::visit::in_run();
        if !inside {
            self.note_outside();
        }
        inside
    }

    fn note_outside(&self) {
        let last = outside::last_stamp();
        if last == 0 {
            return;
        }
        let slot = self.slot.load(Ordering::Relaxed);
        let mark = OUTSIDE | last << NUMBER_BITS;
        if slot != 0 && slot & OUTSIDE == 0 {
            outside::note_use(slot >> NUMBER_BITS);
        } else if slot != mark {
            // A run that meets the object at this very moment keeps its number: it has to find the object again.
            let _ = self.slot.compare_exchange(slot, mark, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// The number of the object in the current run. If the run meets it for the first time, `first` is called to say
    /// what it is and to bring it into its first state.
    ///
    /// # Panics
    /// Outside a run.
    #[inline]
    pub fn number(&self, place: Place, first: impl FnOnce() -> ObjectKind) -> ObjectId {
        let slot = self.slot.load(Ordering::Relaxed);
        with_stage(|stage| {
            if slot >> NUMBER_BITS == stage.stamp {
                return ObjectId::new((slot & ((1 << NUMBER_BITS) - 1)) as usize);
            }
            self.register(stage, place, first)
        })
    }

    #[cold]
    fn register(
        &self,
        stage: &mut crate::Stage,
        place: Place,
        first: impl FnOnce() -> ObjectKind,
    ) -> ObjectId {
        let address = std::ptr::from_ref(self) as usize;
        // Another worker may have used the slot in the meantime; an object that nobody has used is a new one.
        let by_address = stage.options.shared || is_static(address);
        let slot = self.slot.load(Ordering::Relaxed);
        let met = slot != 0 && slot & OUTSIDE == 0;
        if slot & OUTSIDE != 0 && (slot & !OUTSIDE) >> NUMBER_BITS >= stage.stamp {
            outside::note_use(stage.stamp);
        }
        let known = if by_address && met { stage.remembered(address) } else { None };
        let number = known.unwrap_or_else(|| {
            let number = stage.register(first(), place);
            if by_address {
                stage.remember(address, number);
            }
            number
        });
        assert!(number.index() < 1 << NUMBER_BITS, "the program uses more than {} objects", 1 << NUMBER_BITS);
        self.slot.store(stage.stamp << NUMBER_BITS | number.index() as u64, Ordering::Relaxed);
        number
    }

    /// The number of the object in the current run, if the run has met it.
    #[must_use]
    pub fn known(&self) -> Option<ObjectId> {
        let slot = self.slot.load(Ordering::Relaxed);
        with_stage(|stage| {
            if slot >> NUMBER_BITS == stage.stamp {
                Some(ObjectId::new((slot & ((1 << NUMBER_BITS) - 1)) as usize))
            } else {
                stage.remembered(std::ptr::from_ref(self) as usize)
            }
        })
    }

    /// Makes the run forget the object: its owner changed it without visible operations.
    pub fn forget(&mut self) {
        crate::visit::note_unseen_access();
        *self.slot.get_mut() = 0;
    }
}

/// Whether the address lies in the static memory of the program or of one of its libraries.
#[must_use]
pub fn is_static(address: usize) -> bool {
    static SEGMENTS: OnceLock<Vec<(usize, usize)>> = OnceLock::new();
    let segments = SEGMENTS.get_or_init(loaded_segments);
    let next = segments.partition_point(|&(start, _)| start <= address);
    next > 0 && address < segments[next - 1].1
}

fn loaded_segments() -> Vec<(usize, usize)> {
    unsafe extern "C" fn collect(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        data: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes a valid description, and `data` is the vector given below.
        let (info, segments) = unsafe { (&*info, &mut *data.cast::<Vec<(usize, usize)>>()) };
        for index in 0..usize::from(info.dlpi_phnum) {
            // SAFETY: `dlpi_phdr` has `dlpi_phnum` entries.
            let header = unsafe { &*info.dlpi_phdr.add(index) };
            if header.p_type == libc::PT_LOAD {
                let start = info.dlpi_addr as usize + header.p_vaddr as usize;
                segments.push((start, start + header.p_memsz as usize));
            }
        }
        0
    }
    let mut segments: Vec<(usize, usize)> = Vec::new();
    // SAFETY: `collect` matches the callback type and the vector outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(collect), std::ptr::from_mut(&mut segments).cast()) };
    merged(segments)
}

/// The same memory in as few pieces as can be: this is looked at whenever a run meets an object.
fn merged(mut segments: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    const PAGE: usize = 4096;
    segments.sort_unstable();
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    for (start, end) in segments {
        match pieces.last_mut() {
            // Nothing else can lie in the rest of a page.
            Some(last) if start <= last.1.next_multiple_of(PAGE) => last.1 = last.1.max(end),
            _ => pieces.push((start, end)),
        }
    }
    pieces
}
