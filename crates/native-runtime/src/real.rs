//! The functions that ours stand in front of.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of the C library, looked up when first needed.
pub(crate) struct Real {
    name: &'static CStr,
    version: Option<&'static CStr>,
    address: AtomicPtr<c_void>,
}

impl Real {
    pub(crate) const fn new(name: &'static CStr, version: Option<&'static CStr>) -> Real {
        Real { name, version, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Its address; null if there is none.
    #[inline]
    pub(crate) fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if known.is_null() { self.look_up() } else { known }
    }

    /// The function, whose type is `F`.
    #[inline]
    pub(crate) fn function<F: Copy>(&self) -> F {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let address = self.address();
        if address.is_null() {
            crate::host::leave(127);
        }
        // SAFETY: the C library's function of this name has the type that the face of it says, and is there.
        unsafe { std::mem::transmute_copy(&address) }
    }

    #[cold]
    fn look_up(&self) -> *mut c_void {
        // SAFETY: the names end with a zero.
        let address = unsafe {
            match self.version {
                Some(version) => libc::dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), version.as_ptr()),
                None => libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()),
            }
        };
        self.address.store(address, Ordering::Relaxed);
        address
    }
}

/// The real function of this name: `real!(fn close(c_int) -> c_int)`.
macro_rules! real {
    (fn $name:ident($($argument:ty),* $(,)?) $(-> $result:ty)?) => {
        $crate::real::real!(fn $name($($argument),*) $(-> $result)? = None)
    };
    (fn $name:ident($($argument:ty),* $(,)?) $(-> $result:ty)? = $version:expr) => {{
        const NAME: &std::ffi::CStr =
            match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            };
        static REAL: $crate::real::Real = $crate::real::Real::new(NAME, $version);
        REAL.function::<unsafe extern "C" fn($($argument),*) $(-> $result)?>()
    }};
}

pub(crate) use real;

#[allow(missing_docs, reason = "the C library's own allocator, which is documented there")]
pub(crate) mod heap {
    use std::ffi::c_void;

    unsafe extern "C" {
        pub(crate) fn __libc_malloc(size: usize) -> *mut c_void;
        pub(crate) fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
        pub(crate) fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
        pub(crate) fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
        pub(crate) fn __libc_free(block: *mut c_void);
    }
}

/// The allocator of this library itself: the C library's, past the functions that we stand in front of.
pub(crate) struct Own;

// SAFETY: the C library's functions keep what the trait asks for; small alignments are what they give by themselves.
unsafe impl std::alloc::GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        // SAFETY: the size is not zero, which the caller answers for.
        unsafe {
            if layout.align() <= 16 {
                heap::__libc_malloc(layout.size()).cast()
            } else {
                heap::__libc_memalign(layout.align(), layout.size()).cast()
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _layout: std::alloc::Layout) {
        // SAFETY: the block came from `alloc`.
        unsafe { heap::__libc_free(block.cast()) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: std::alloc::Layout, size: usize) -> *mut u8 {
        // SAFETY: the block came from `alloc` with this layout.
        unsafe {
            if layout.align() <= 16 {
                return heap::__libc_realloc(block.cast(), size).cast();
            }
            let new = heap::__libc_memalign(layout.align(), size).cast::<u8>();
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(block, new, layout.size().min(size));
                heap::__libc_free(block.cast());
            }
            new
        }
    }
}

/// A system call past every library; returns what the kernel does.
///
/// # Safety
/// As the kernel says of the call.
pub(crate) unsafe fn raw_syscall(
    number: std::ffi::c_long,
    arguments: [std::ffi::c_long; 6],
) -> std::ffi::c_long {
    let [a, b, c, d, e, f] = arguments;
    let result;
    // SAFETY: the caller answers for the call; the registers are those of the kernel's convention.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") a,
            in("rsi") b,
            in("rdx") c,
            in("r10") d,
            in("r8") e,
            in("r9") f,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack)
        );
    }
    result
}
