//! How much is left of the stack of an OS thread.

use std::cell::Cell;

thread_local! {
    /// The lowest address of the stack, once it has been asked for: the system takes long to tell of the main thread.
    static LOWEST: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Bytes of the stack of this OS thread below the caller; none if the system does not tell.
#[must_use]
pub fn stack_left() -> usize {
    let here = 0_u8;
    let lowest = LOWEST.get().unwrap_or_else(|| {
        let lowest = ask();
        LOWEST.set(Some(lowest));
        lowest
    });
    (&raw const here as usize).saturating_sub(lowest)
}

fn ask() -> usize {
    let mut lowest: *mut libc::c_void = std::ptr::null_mut();
    let mut size = 0;
    // SAFETY: the attributes are initialised by the first call, read only if that succeeded, and destroyed once.
    let told = unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) == 0 && {
            let told =
                libc::pthread_attr_getstack(&raw const attributes, &raw mut lowest, &raw mut size) == 0;
            libc::pthread_attr_destroy(&raw mut attributes);
            told
        }
    };
    if told { lowest as usize } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_os_thread_has_a_stack_of_its_own() {
        for bytes in [1 << 17, 1 << 21] {
            let left = std::thread::Builder::new().stack_size(bytes).spawn(stack_left);
            let left = left.expect("a thread can be started").join().expect("it ends well");
            assert!((bytes / 2..=bytes + (1 << 16)).contains(&left), "{left} of {bytes}");
        }
    }
}
