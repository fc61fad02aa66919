//! How many panics an OS thread is in the middle of, as the runtime of Rust counts them.
//!
//! All threads of a run share one OS thread, and so one count. While one of them unwinds and another goes on, the other would
//! count as panicking: [`std::thread::panicking`] would say so, and locks that it gives back would be poisoned. So a thread that
//! leaves its fiber in the middle of a panic takes its count with it.
//!
//! The standard library does not say where the count is. It lies in the memory that every OS thread has of the executable, and is
//! the one number there that grows by one with each panic, and without which nobody is panicking.

use std::arch::asm;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::thread::panicking;

/// Panics that were taken off an OS thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetAside(u64);

/// Where the count is, from where the thread pointer points to; looked for when it is first needed. `None` if it was not found.
static OFFSET: OnceLock<Option<isize>> = OnceLock::new();

/// From now on nobody is panicking on this OS thread, until [`put_back`]. `None` if that cannot be done.
///
/// Only for a thread that is panicking.
pub(crate) fn set_aside() -> Option<SetAside> {
    let at = address((*OFFSET.get_or_init(find))?);
    let count = read(at);
    write(at, 0);
    Some(SetAside(count))
}

/// The current thread goes on in the middle of its panics.
pub(crate) fn put_back(panics: SetAside) {
    if let Some(offset) = OFFSET.get().copied().flatten() {
        write(address(offset), panics.0);
    }
}

/// Whether panics that a run left behind can be taken off an OS thread for good, so that it is of use for others.
#[must_use]
pub fn can_forget_panics() -> bool {
    OFFSET.get_or_init(find).is_some()
}

/// Takes all panics off this OS thread that nobody will go on with.
pub fn forget_panics() {
    if panicking() {
        let _ = set_aside();
    }
}

fn find() -> Option<isize> {
    // Only whoever is panicking can tell what that depends on.
    let mut found = None;
    in_a_panic(|| found = find_while_panicking());
    found
}

fn find_while_panicking() -> Option<isize> {
    let (start, words) = own_memory()?;
    let look = || (0..words).map(|index| read(start + index * 8)).collect::<Vec<_>>();
    let before = look();
    let (mut once, mut twice) = (Vec::new(), Vec::new());
    in_a_panic(|| {
        once = look();
        in_a_panic(|| twice = look());
    });
    let grows = |index: &usize| {
        once[*index] == before[*index].wrapping_add(1) && twice[*index] == before[*index].wrapping_add(2)
    };
    let mut found = (0..words).filter(grows).map(|index| start + index * 8).filter(|at| decides(*at));
    let at = found.next()?;
    found.next().is_none().then(|| at.wrapping_sub(thread_pointer()) as isize)
}

/// Whether the current thread is panicking because of this number.
fn decides(at: usize) -> bool {
    let count = read(at);
    write(at, 0);
    let without = panicking();
    write(at, count);
    !without && panicking()
}

/// Calls `f` while one panic more is being unwound.
fn in_a_panic(f: impl FnOnce()) {
    struct Calls<F: FnOnce()>(Option<F>);
    impl<F: FnOnce()> Drop for Calls<F> {
        fn drop(&mut self) {
            if let Some(f) = self.0.take() {
                f();
            }
        }
    }
    let calls = std::panic::AssertUnwindSafe(Calls(Some(f)));
    let _ = catch_unwind(move || {
        let _calls = calls;
        resume_unwind(Box::new(()));
    });
}

/// The memory that this OS thread has of the executable: where it starts, and how many words it has.
fn own_memory() -> Option<(usize, usize)> {
    unsafe extern "C" fn look(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        data: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes a valid description, and `data` is what is given below.
        let (info, found) = unsafe { (&*info, &mut *data.cast::<Option<(usize, usize)>>()) };
        for index in 0..usize::from(info.dlpi_phnum) {
            // SAFETY: `dlpi_phdr` has `dlpi_phnum` entries.
            let header = unsafe { &*info.dlpi_phdr.add(index) };
            if header.p_type == libc::PT_TLS && !info.dlpi_tls_data.is_null() {
                let start = info.dlpi_tls_data as usize;
                let end = start + header.p_memsz as usize;
                let first = start.next_multiple_of(8);
                *found = Some((first, end.saturating_sub(first) / 8));
            }
        }
        // The executable comes first, and only its part is at the same place for every OS thread.
        1
    }
    let mut found: Option<(usize, usize)> = None;
    // SAFETY: `look` matches the callback type, and `found` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), std::ptr::from_mut(&mut found).cast()) };
    found
}

fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: on x86-64 Linux the first word of what `fs` points to is its own address.
    unsafe { asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly, preserves_flags)) };
    pointer
}

fn address(offset: isize) -> usize {
    thread_pointer().wrapping_add_signed(offset)
}

fn read(at: usize) -> u64 {
    let word: u64;
    // SAFETY: memory of this OS thread, which nobody else changes. It may be part of a value of any type, so it is read as the
    // machine sees it.
    unsafe { asm!("mov {}, [{}]", out(reg) word, in(reg) at, options(nostack, readonly, preserves_flags)) };
    word
}

fn write(at: usize, word: u64) {
    // SAFETY: a number of this OS thread that grows with every panic. The standard library keeps it in a cell of its own, and
    // holds no reference to it while code of others runs.
    unsafe { asm!("mov [{}], {}", in(reg) at, in(reg) word, options(nostack, preserves_flags)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_that_is_set_aside_is_none_until_it_is_put_back() {
        let mut seen = Vec::new();
        in_a_panic(|| {
            seen.push(panicking());
            let panics = set_aside().expect("the count is found");
            seen.push(panicking());
            in_a_panic(|| seen.push(panicking()));
            seen.push(panicking());
            put_back(panics);
            seen.push(panicking());
        });
        seen.push(panicking());
        assert_eq!(seen, [true, false, true, false, true, false]);
    }

    #[test]
    fn every_os_thread_has_a_count_of_its_own() {
        in_a_panic(|| {
            let other = std::thread::spawn(|| {
                in_a_panic(|| {
                    let panics = set_aside().expect("the count is found");
                    assert!(!panicking());
                    put_back(panics);
                });
            });
            other.join().expect("no assertion failed");
            assert!(panicking());
        });
        assert!(!panicking());
    }
}
