//! Where code was loaded.

use std::ops::Range;

struct Search {
    address: usize,
    found: Range<usize>,
}

/// The part of a file that was loaded around an address: with the address of a function, the code of its file. Empty if there
/// is none.
#[must_use]
pub fn loaded_around(address: usize) -> Range<usize> {
    let mut search = Search { address, found: 0..0 };
    // SAFETY: the callback has the right type, and the search outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(find), (&raw mut search).cast()) };
    search.found
}

/// # Safety
/// Called by the loader, with the search given above.
unsafe extern "C" fn find(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    data: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader passes a valid description, and `data` is the search given above.
    let (info, search) = unsafe { (&*info, &mut *data.cast::<Search>()) };
    for index in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: there are as many headers as the description says.
        let header = unsafe { &*info.dlpi_phdr.add(index) };
        let start = info.dlpi_addr as usize + header.p_vaddr as usize;
        let part = start..start + header.p_memsz as usize;
        if header.p_type == libc::PT_LOAD && part.contains(&search.address) {
            search.found = part;
        }
    }
    0
}
