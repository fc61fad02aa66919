//! The numbers of the functions of the C library whose calls instrumented code tells. The compiler pass includes this file,
//! so that both sides mean the same.

pub(super) const LENGTH: u32 = 0;
pub(super) const LENGTH_AT_MOST: u32 = 1;
pub(super) const COPY: u32 = 2;
pub(super) const COPY_AT_MOST: u32 = 3;
pub(super) const APPEND: u32 = 4;
pub(super) const APPEND_AT_MOST: u32 = 5;
pub(super) const COMPARE: u32 = 6;
pub(super) const COMPARE_AT_MOST: u32 = 7;
pub(super) const COMPARE_LETTERS: u32 = 8;
pub(super) const COMPARE_LETTERS_AT_MOST: u32 = 9;
pub(super) const FIND: u32 = 10;
pub(super) const FIND_BYTE: u32 = 11;
pub(super) const FIND_TEXT: u32 = 12;
pub(super) const SPAN: u32 = 13;
pub(super) const SPAN_WITHOUT: u32 = 14;
pub(super) const PARSE: u32 = 15;
pub(super) const GOT_LINE: u32 = 16;
pub(super) const FORMATTED_AT_MOST: u32 = 17;
pub(super) const FORMATTED: u32 = 18;
pub(super) const GOT_RECORDS: u32 = 19;
pub(super) const PUT_RECORDS: u32 = 20;
pub(super) const SORT: u32 = 21;
pub(super) const FIND_LAST_BYTE: u32 = 22;
/// After a copy up to a byte: to where, at most how many bytes, and where it stopped.
pub(super) const COPIED_UNTIL: u32 = 23;
/// After a search for bytes: in what, how many bytes that has, and where they were found.
pub(super) const FOUND_BYTES: u32 = 24;
/// A text is cut up: the pointer to what is left of it, and the bytes that part the pieces.
pub(super) const CUT: u32 = 25;
/// The same, with the text itself, or null to go on, and the pointer behind.
pub(super) const TOKEN: u32 = 26;
pub(super) const COPY_WITHIN: u32 = 27;
/// After one conversion of formatted input. Above the lowest byte stand the bytes that it writes, 0 for a text, and its
/// number among those that were wanted.
pub(super) const SCANNED: u32 = 28;
/// How many bits the number of a function has, and each of the numbers above it.
pub(super) const FIELD: u32 = 8;
