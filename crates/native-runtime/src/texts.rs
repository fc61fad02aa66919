//! What functions of the C library do to memory that the program shares: instrumented code tells their calls, because they
//! were not compiled by us.

use std::ffi::{c_char, c_int};

use crate::abi::{self, RawSite};
use crate::hooks;

#[path = "library_numbers.rs"]
mod number;

/// A call of a function of the C library is about to happen, or has just happened.
///
/// # Safety
/// Called by instrumented code only, with the arguments of the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raddle_library(
    function: u32,
    shared: u32,
    first: u64,
    second: u64,
    third: u64,
    site: *const RawSite,
) {
    if abi::active() {
        let call = Call { shared, arguments: [first as usize, second as usize, third as usize], site };
        // SAFETY: passed on to the caller.
        unsafe { call.tell(function) };
    }
}

/// The bits of what is told that are the number of a function.
const NUMBER: u32 = (1 << number::FIELD) - 1;

struct Call {
    /// Which arguments others may touch, a bit for each.
    shared: u32,
    arguments: [usize; 3],
    site: *const RawSite,
}

/// The bytes of a text of at most `most` bytes that are looked at to find its end.
///
/// # Safety
/// The bytes up to the end have to be readable.
unsafe fn looked_at(text: usize, most: usize) -> usize {
    // SAFETY: passed on to the caller.
    let length = unsafe { libc::strnlen(text as *const c_char, most) };
    length.saturating_add(1).min(most)
}

/// The bytes that a comparison of two texts looks at.
///
/// # Safety
/// The bytes of both up to the end or the first difference have to be readable.
unsafe fn compared(one: usize, other: usize, most: usize, of: impl Fn(u8) -> u8) -> usize {
    let mut count = 0;
    while count < most {
        // SAFETY: passed on to the caller: all bytes before were equal and not the end.
        let (a, b) = unsafe { (*((one + count) as *const u8), *((other + count) as *const u8)) };
        count += 1;
        if of(a) != of(b) || a == 0 {
            break;
        }
    }
    count
}

impl Call {
    /// # Safety
    /// The program is about to read these bytes.
    unsafe fn reads(&self, argument: usize, size: usize) {
        // SAFETY: passed on to the caller.
        unsafe { self.reads_at(argument, self.arguments[argument], size) };
    }

    /// # Safety
    /// The program is about to read these bytes, which belong to this argument.
    unsafe fn reads_at(&self, argument: usize, at: usize, size: usize) {
        if self.shared >> argument & 1 != 0 {
            // SAFETY: passed on to the caller.
            unsafe { hooks::__raddle_read(at as *const _, size as u64, self.site) };
        }
    }

    /// # Safety
    /// The program is about to write these bytes, which belong to this argument, or has just done so.
    unsafe fn writes_at(&self, argument: usize, at: usize, size: usize) {
        if self.shared >> argument & 1 != 0 {
            // SAFETY: passed on to the caller.
            unsafe { hooks::__raddle_write(at as *mut _, size as u64, 0, self.site) };
        }
    }

    /// # Safety
    /// The arguments are those of a call of this function.
    unsafe fn tell(&self, function: u32) {
        let [first, second, third] = self.arguments;
        // SAFETY: the C library is about to do the same with the same arguments.
        unsafe {
            match function & NUMBER {
                number::LENGTH => self.reads_text(0, usize::MAX),
                number::LENGTH_AT_MOST => self.reads_text(0, second),
                number::COPY => self.copies(first, second, usize::MAX),
                number::COPY_AT_MOST => {
                    self.reads_text(1, third);
                    self.writes_at(0, first, third);
                }
                number::APPEND | number::APPEND_AT_MOST => {
                    let most = if function == number::APPEND { usize::MAX } else { third };
                    self.appends(first, second, most);
                }
                number::COMPARE => self.compares(usize::MAX, |byte| byte),
                number::COMPARE_AT_MOST => self.compares(third, |byte| byte),
                number::COMPARE_LETTERS => self.compares(usize::MAX, |byte| byte.to_ascii_lowercase()),
                number::COMPARE_LETTERS_AT_MOST => self.compares(third, |byte| byte.to_ascii_lowercase()),
                number::FIND => {
                    let found = libc::strchr(first as *const c_char, second as c_int) as usize;
                    let size = if found == 0 { looked_at(first, usize::MAX) } else { found - first + 1 };
                    self.reads(0, size);
                }
                number::FIND_BYTE => {
                    let found = libc::memchr(first as *const _, second as c_int, third) as usize;
                    self.reads(0, if found == 0 { third } else { found - first + 1 });
                }
                number::GOT_LINE if third != 0 => self.writes_at(0, first, looked_at(first, usize::MAX)),
                number::FORMATTED_AT_MOST if second > 0 && third as c_int >= 0 => {
                    self.writes_at(0, first, (third as c_int as usize).min(second - 1) + 1);
                }
                number::FORMATTED if third as c_int >= 0 => {
                    self.writes_at(0, first, third as c_int as usize + 1);
                }
                number::SCANNED => self.scanned(function >> number::FIELD),
                number::COPIED_UNTIL => {
                    self.writes_at(0, first, if third == 0 { second } else { third - first });
                }
                number::COPY_WITHIN if third > 0 => {
                    let length = libc::strlen(second as *const c_char);
                    self.reads(1, length + 1);
                    self.writes_at(0, first, (length + 1).min(third));
                }
                number::CUT => self.cuts(*(first as *const usize), 0),
                number::TOKEN => {
                    self.cuts(if first == 0 { *(third as *const usize) } else { first }, 2);
                }
                number::GOT_RECORDS => self.writes_at(0, first, second.saturating_mul(third)),
                number::PUT_RECORDS => self.reads(0, second.saturating_mul(third)),
                number::SORT => {
                    self.reads(0, second.saturating_mul(third));
                    self.writes_at(0, first, second.saturating_mul(third));
                }
                _ => self.looks(function),
            }
        }
    }

    /// Functions that only look, and how far they do.
    ///
    /// # Safety
    /// As for [`Call::tell`].
    unsafe fn looks(&self, function: u32) {
        let [first, second, third] = self.arguments;
        let (text, set) = (first as *const c_char, second as *const c_char);
        // SAFETY: passed on to the caller.
        unsafe {
            match function {
                number::FIND_TEXT => {
                    let found = libc::strstr(text, set) as usize;
                    let whole = looked_at(first, usize::MAX);
                    self.reads(0, if found == 0 { whole } else { found - first + libc::strlen(set) });
                    self.reads_text(1, usize::MAX);
                }
                number::FIND_LAST_BYTE => {
                    let found = libc::memrchr(first as *const _, second as c_int, third) as usize;
                    let from = if found == 0 { first } else { found };
                    self.reads_at(0, from, first + third - from);
                }
                number::FOUND_BYTES => self.reads(0, if third == 0 { second } else { third - first + 1 }),
                number::SPAN => {
                    self.reads(0, libc::strspn(text, set) + 1);
                    self.reads_text(1, usize::MAX);
                }
                number::SPAN_WITHOUT => {
                    self.reads(0, libc::strcspn(text, set) + 1);
                    self.reads_text(1, usize::MAX);
                }
                number::PARSE => {
                    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b" \t\n+-.".contains(&byte);
                    let mut size = 0;
                    while is_part(*((first + size) as *const u8)) {
                        size += 1;
                    }
                    self.reads(0, size + 1);
                    if second != 0 {
                        self.writes_at(1, second, 8);
                    }
                }
                _ => {}
            }
        }
    }

    /// A piece is cut off a text, and the argument `rest` says where the next one begins.
    ///
    /// # Safety
    /// As for [`Call::tell`].
    unsafe fn cuts(&self, text: usize, rest: usize) {
        let parting = self.arguments[1] as *const c_char;
        // SAFETY: passed on to the caller.
        unsafe {
            self.reads_text(1, usize::MAX);
            self.reads(rest, 8);
            self.writes_at(rest, self.arguments[rest], 8);
            if text == 0 {
                return;
            }
            // Of the two, only the one that says where to go on takes an empty piece for one.
            let skipped = if rest == 0 { 0 } else { libc::strspn(text as *const c_char, parting) };
            let size = skipped + libc::strcspn((text + skipped) as *const c_char, parting);
            hooks::__raddle_read(text as *const _, size as u64 + 1, self.site);
            if *((text + size) as *const u8) != 0 {
                hooks::__raddle_write((text + size) as *mut _, 1, 0, self.site);
            }
        }
    }

    /// # Safety
    /// As for [`Call::tell`], after the call.
    unsafe fn scanned(&self, fields: u32) {
        let [first, _, converted] = self.arguments;
        let (size, nth) = (fields & NUMBER, fields >> number::FIELD);
        if (converted as c_int) < nth as c_int {
            return;
        }
        // SAFETY: passed on to the caller: the conversion was made.
        unsafe {
            let size = if size == 0 { looked_at(first, usize::MAX) } else { size as usize };
            self.writes_at(0, first, size);
        }
    }

    /// # Safety
    /// The argument has to be a text.
    unsafe fn reads_text(&self, argument: usize, most: usize) {
        let text = self.arguments[argument];
        if text != 0 {
            // SAFETY: passed on to the caller.
            unsafe { self.reads(argument, looked_at(text, most)) };
        }
    }

    /// # Safety
    /// As for [`Call::tell`].
    unsafe fn copies(&self, to: usize, from: usize, most: usize) {
        // SAFETY: passed on to the caller.
        unsafe {
            let size = looked_at(from, most);
            self.reads(1, size);
            self.writes_at(0, to, size);
        }
    }

    /// # Safety
    /// As for [`Call::tell`].
    unsafe fn appends(&self, to: usize, from: usize, most: usize) {
        // SAFETY: passed on to the caller.
        unsafe {
            let before = libc::strlen(to as *const c_char);
            self.reads(0, before + 1);
            self.reads(1, looked_at(from, most));
            self.writes_at(0, to + before, libc::strnlen(from as *const c_char, most) + 1);
        }
    }

    /// # Safety
    /// As for [`Call::tell`].
    unsafe fn compares(&self, most: usize, of: impl Fn(u8) -> u8) {
        // SAFETY: passed on to the caller.
        unsafe {
            let size = compared(self.arguments[0], self.arguments[1], most, of);
            self.reads(0, size);
            self.reads(1, size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_looks_no_further_than_it_has_to() {
        let (one, other) = (c"abcdef".as_ptr() as usize, c"abXdef".as_ptr() as usize);
        // SAFETY: both are texts.
        unsafe {
            assert_eq!(compared(one, other, usize::MAX, |byte| byte), 3);
            assert_eq!(compared(one, other, 2, |byte| byte), 2);
            assert_eq!(compared(one, one, usize::MAX, |byte| byte), 7);
            assert_eq!(looked_at(one, usize::MAX), 7);
            assert_eq!(looked_at(one, 3), 3);
        }
    }
}
