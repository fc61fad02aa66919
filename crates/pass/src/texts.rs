//! Functions of the C library whose accesses depend on what lies in memory: texts, numbers in texts, formatted output. The
//! runtime is told the call and finds out itself.

use crate::accesses::{Access, Called};
use crate::llvm::Value;
use crate::private::Private;

#[path = "../../native-runtime/src/library_numbers.rs"]
mod number;

/// What a call does to memory that another thread may touch.
pub(crate) fn of(name: &str, arguments: &[Value], private: &mut Private) -> Vec<Access> {
    let mut told = formatted(name, arguments, private);
    told.extend(plain(name, arguments).and_then(|called| shared(called, private)));
    told.into_iter().map(Access::Library).collect()
}

fn called(function: u32, arguments: [Option<Value>; 3]) -> Called {
    Called { function, arguments, shared: 0, after: false }
}

fn afterwards(function: u32, arguments: [Option<Value>; 3]) -> Called {
    Called { after: true, ..called(function, arguments) }
}

/// Marks the arguments that others may touch; nothing has to be told if there are none.
fn shared(mut called: Called, private: &mut Private) -> Option<Called> {
    for (index, argument) in called.arguments.into_iter().enumerate() {
        let Some(argument) = argument.filter(|argument| argument.type_of().is_pointer()) else { continue };
        let writes = index == 0 || called.function == number::PARSE;
        let hidden = if writes { private.covers(argument) } else { private.covers_read(argument) };
        called.shared |= u32::from(!hidden) << index;
    }
    (called.shared != 0).then_some(called)
}

fn plain(name: &str, arguments: &[Value]) -> Option<Called> {
    use number::*;
    let argument = |index: usize| arguments.get(index).copied();
    let first = |count: usize| [0, 1, 2].map(|index| argument(index).filter(|_| index < count));
    Some(match name {
        "strlen" | "strrchr" | "rindex" | "puts" | "fputs" | "perror" => called(LENGTH, first(1)),
        "strnlen" => called(LENGTH_AT_MOST, first(2)),
        "strcpy" | "stpcpy" => called(COPY, first(2)),
        "strncpy" | "stpncpy" => called(COPY_AT_MOST, first(3)),
        "strcat" => called(APPEND, first(2)),
        "strncat" => called(APPEND_AT_MOST, first(3)),
        "strcmp" | "strcoll" => called(COMPARE, first(2)),
        "strncmp" => called(COMPARE_AT_MOST, first(3)),
        "strcasecmp" => called(COMPARE_LETTERS, first(2)),
        "strncasecmp" => called(COMPARE_LETTERS_AT_MOST, first(3)),
        "strchr" | "index" | "strchrnul" => called(FIND, first(2)),
        "memchr" => called(FIND_BYTE, first(3)),
        "strstr" | "strcasestr" => called(FIND_TEXT, first(2)),
        "strspn" => called(SPAN, first(2)),
        "strcspn" | "strpbrk" => called(SPAN_WITHOUT, first(2)),
        "atoi" | "atol" | "atoll" | "atof" => called(PARSE, first(1)),
        "strtol" | "strtoll" | "strtoul" | "strtoull" | "strtod" | "strtof" => called(PARSE, first(2)),
        "fgets" => afterwards(GOT_LINE, first(1)),
        "fread" => afterwards(GOT_RECORDS, first(2)),
        "fwrite" => called(PUT_RECORDS, first(3)),
        "qsort" => called(SORT, first(3)),
        "snprintf" | "vsnprintf" => afterwards(FORMATTED_AT_MOST, first(2)),
        "sprintf" | "vsprintf" => afterwards(FORMATTED, first(1)),
        _ => return None,
    })
}

/// The texts that a format with `%s` takes, if the format is a constant.
fn formatted(name: &str, arguments: &[Value], private: &mut Private) -> Vec<Called> {
    let at = match name {
        "printf" => 0,
        "fprintf" | "dprintf" | "sprintf" => 1,
        "snprintf" => 2,
        _ => return Vec::new(),
    };
    let Some(format) = arguments.get(at).and_then(|format| format.text()) else { return Vec::new() };
    let mut rest = arguments[at + 1..].iter().copied();
    let mut told = Vec::new();
    for taken in conversions(&format) {
        let length = taken.stars_before.iter().filter_map(|_| rest.next()).last();
        let Some(argument) = rest.next() else { break };
        if taken.kind == b's' && argument.type_of().is_pointer() && !taken.is_cut {
            let text = match length.filter(|_| taken.ends_with_star) {
                Some(most) => called(number::LENGTH_AT_MOST, [Some(argument), Some(most), None]),
                None => called(number::LENGTH, [Some(argument), None, None]),
            };
            if !private.covers_read(argument) {
                told.push(Called { shared: 1, ..text });
            }
        }
    }
    told
}

/// A conversion in a format.
struct Conversion {
    kind: u8,
    /// One for each width or precision that is an argument.
    stars_before: Vec<()>,
    /// Whether its precision is an argument.
    ends_with_star: bool,
    /// Whether its precision is a number, so that the text need not have an end.
    is_cut: bool,
}

fn conversions(format: &[u8]) -> Vec<Conversion> {
    let mut found = Vec::new();
    let mut bytes = format.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            continue;
        }
        let (mut stars, mut precision, mut last) = (Vec::new(), false, b'%');
        for byte in bytes.by_ref() {
            match byte {
                b'*' => stars.push(()),
                b'.' => precision = true,
                b'0'..=b'9'
                | b'-'
                | b'+'
                | b' '
                | b'#'
                | b'\''
                | b'h'
                | b'l'
                | b'j'
                | b'z'
                | b't'
                | b'L'
                | b'q' => {}
                kind => {
                    if kind != b'%' {
                        let ends_with_star = precision && last == b'*';
                        let is_cut = precision && !ends_with_star;
                        found.push(Conversion { kind, stars_before: stars, ends_with_star, is_cut });
                    }
                    break;
                }
            }
            last = byte;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_take_their_arguments_in_order() {
        let of = |format: &str| -> String {
            conversions(format.as_bytes())
                .iter()
                .map(|each| {
                    format!(
                        "{}{}{} ",
                        each.stars_before.len(),
                        each.kind as char,
                        if each.is_cut { "!" } else { "" }
                    )
                })
                .collect()
        };
        assert_eq!(of("%d%% and %-8s, %.3s %*.*s %zu"), "0d 0s 0s! 2s 0u ");
    }
}
