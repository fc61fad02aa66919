//! Functions of the C library whose accesses depend on what lies in memory: texts, numbers in texts, formatted output. The
//! runtime is told the call and finds out itself.

use crate::accesses::{Access, Called};
use crate::llvm::Value;
use crate::private::Private;

#[path = "../../native-runtime/src/library_numbers.rs"]
mod number;

/// What a call does to memory that another thread may touch. Of a function that knows how large its buffers are,
/// `arguments` are all, with the sizes and flags that its plain twin has not.
pub(crate) fn of(name: &str, fortified: bool, arguments: &[Value], private: &mut Private) -> Vec<Access> {
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    let mut kept = arguments.to_vec();
    for added in added_arguments(name).iter().filter(|_| fortified) {
        if *added < kept.len() {
            kept.remove(*added);
        }
    }
    let mut told = formatted(name, &kept, private);
    told.extend(scanned(name, &kept, private));
    told.extend(plain(name, &kept).into_iter().filter_map(|called| shared(called, private)));
    told.into_iter().map(Access::Library).collect()
}

/// The arguments of a function's fortified twin that it has not itself, those behind first.
fn added_arguments(name: &str) -> &'static [usize] {
    match name {
        "printf" | "vprintf" => &[0],
        "fprintf" | "vfprintf" | "dprintf" | "vdprintf" | "fgets" | "fread" => &[1],
        "sprintf" | "vsprintf" => &[2, 1],
        "snprintf" | "vsnprintf" => &[3, 2],
        // Others have the size of the buffer as their last argument, which nobody looks at.
        _ => &[],
    }
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
        let writes = index == 0 || matches!(called.function, number::PARSE | number::TOKEN);
        let hidden = if writes { private.covers(argument) } else { private.covers_read(argument) };
        called.shared |= u32::from(!hidden) << index;
    }
    // What is cut is not an argument, or not always.
    let told = called.shared != 0 || matches!(called.function, number::CUT | number::TOKEN);
    told.then_some(called)
}

fn plain(name: &str, arguments: &[Value]) -> Vec<Called> {
    use number::*;
    let argument = |index: usize| arguments.get(index).copied();
    let first = |count: usize| [0, 1, 2].map(|index| argument(index).filter(|_| index < count));
    let one = match name {
        "memccpy" => {
            return vec![
                called(FIND_BYTE, [argument(1), argument(2), argument(3)]),
                afterwards(COPIED_UNTIL, [argument(0), argument(3), None]),
            ];
        }
        "memmem" => {
            return vec![
                called(
                    PUT_RECORDS,
                    [argument(2), argument(3), argument(3).map(|size| size.type_of().constant(1))],
                ),
                afterwards(FOUND_BYTES, first(2)),
            ];
        }
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
        "memrchr" => called(FIND_LAST_BYTE, first(3)),
        "strsep" => called(CUT, first(2)),
        "strtok_r" | "__strtok_r" => called(TOKEN, first(3)),
        "strlcpy" => called(COPY_WITHIN, first(3)),
        "sscanf" | "vsscanf" => called(LENGTH, first(1)),
        "strstr" | "strcasestr" => called(FIND_TEXT, first(2)),
        "strspn" => called(SPAN, first(2)),
        "strcspn" | "strpbrk" => called(SPAN_WITHOUT, first(2)),
        "atoi" | "atol" | "atoll" | "atof" => called(PARSE, first(1)),
        "strtol" | "strtoll" | "strtoul" | "strtoull" | "strtod" | "strtof" => called(PARSE, first(2)),
        "fgets" => afterwards(GOT_LINE, first(1)),
        "fread" => afterwards(GOT_RECORDS, first(2)),
        "fwrite" => called(PUT_RECORDS, first(3)),
        "qsort" | "qsort_r" => called(SORT, first(3)),
        "snprintf" | "vsnprintf" => afterwards(FORMATTED_AT_MOST, first(2)),
        "sprintf" | "vsprintf" => afterwards(FORMATTED, first(1)),
        _ => return Vec::new(),
    };
    vec![one]
}

/// What formatted input writes, if the format is a constant.
fn scanned(name: &str, arguments: &[Value], private: &mut Private) -> Vec<Called> {
    let at = match name {
        "scanf" => 0,
        "fscanf" | "sscanf" => 1,
        _ => return Vec::new(),
    };
    let Some(format) = arguments.get(at).and_then(|format| format.text()) else { return Vec::new() };
    let to = arguments[at + 1..].iter().copied();
    let mut told = Vec::new();
    for (wanted, to) in wanted(&format).into_iter().zip(to) {
        if to.type_of().is_pointer() && !private.covers(to) {
            let function = number::SCANNED | (wanted.size | wanted.nth << number::FIELD) << number::FIELD;
            told.push(Called { shared: 1, ..afterwards(function, [Some(to), None, None]) });
        }
    }
    told
}

/// A conversion of formatted input that is stored.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    /// The bytes that it writes; 0 for a text with its end.
    size: u32,
    /// How many conversions have been counted when it has been made.
    nth: u32,
}

/// The conversions of a format for input that are stored, in their order.
fn wanted(format: &[u8]) -> Vec<Wanted> {
    const MOST: u32 = 200;
    let mut found = Vec::new();
    let mut counted = 0;
    let mut rest = format;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        rest = &rest[at + 1..];
        let (mut width, mut dropped, mut short, mut long) = (0_u32, false, 0, 0);
        let kind = loop {
            let Some((byte, behind)) = rest.split_first() else { return found };
            rest = behind;
            match byte {
                b'0'..=b'9' => width = width.saturating_mul(10).saturating_add(u32::from(byte - b'0')),
                b'*' => dropped = true,
                b'h' => short += 1,
                b'l' | b'j' | b'z' | b't' | b'q' => long += 1,
                b'L' => long += 2,
                // A pointer to what is allocated for it; and other positions than in order.
                b'm' | b'$' => return found,
                b'\'' => {}
                kind => break *kind,
            }
        };
        if kind == b'[' {
            // A bracket that stands first belongs to the set.
            let first = usize::from(rest.first() == Some(&b'^'));
            let first = first + usize::from(rest.get(first) == Some(&b']'));
            let Some(end) = rest.iter().skip(first).position(|byte| *byte == b']') else { return found };
            rest = &rest[first + end + 1..];
        }
        let size = match kind {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'n' => [4, 2, 1][short.min(2)] << u32::from(long > 0),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => [4, 8, 16][long.min(2)],
            b'p' => 8,
            b'c' => width.clamp(1, MOST),
            b's' | b'[' => 0,
            _ => continue,
        };
        counted += u32::from(!dropped && kind != b'n');
        if !dropped {
            found.push(Wanted { size, nth: counted.min(MOST) });
        }
    }
    found
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

    #[test]
    fn input_is_stored_where_a_conversion_says_and_as_large() {
        let of = |format: &str| -> Vec<(u32, u32)> {
            wanted(format.as_bytes()).iter().map(|each| (each.size, each.nth)).collect()
        };
        assert_eq!(of("%d %hd,%hhu %ld %zu"), [(4, 1), (2, 2), (1, 3), (8, 4), (8, 5)]);
        assert_eq!(of("%f%lf%Lf"), [(4, 1), (8, 2), (16, 3)]);
        assert_eq!(of("%*d%% %15s%3c%[^]x]%n%d"), [(0, 1), (3, 2), (0, 3), (4, 3), (4, 4)]);
        assert_eq!(of("%"), []);
        assert_eq!(of("%[abc"), []);
    }
}
