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
