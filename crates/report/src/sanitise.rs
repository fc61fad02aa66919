//! Makes text of the program under test harmless.

use crate::Style;

/// Longer texts are cut before anything else is done with them.
const LONGEST: usize = 4_000;

/// The text on one line, without anything that a terminal would obey.
pub(crate) fn sanitise(text: &str, style: &Style) -> String {
    let mut harmless = String::new();
    for letter in text.chars().take(LONGEST) {
        match letter {
            '\t' => harmless.push_str("    "),
            '\n' => harmless.push_str("\\n"),
            '\r' => harmless.push_str("\\r"),
            _ if is_harmless(letter, style) => harmless.push(letter),
            _ => harmless.extend(letter.escape_unicode()),
        }
    }
    harmless
}

/// The lines of the text, each made harmless.
pub(crate) fn sanitised_lines(text: &str, style: &Style) -> Vec<String> {
    text.lines().take(LONGEST).map(|line| sanitise(line, style).trim_end().to_owned()).collect()
}

fn is_harmless(letter: char, style: &Style) -> bool {
    if letter.is_ascii() {
        return !letter.is_ascii_control();
    }
    style.unicode && !letter.is_control() && !is_invisible(letter)
}

/// Marks that change the direction or the look of what stands beside them, or cannot be seen at all.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNICODE: Style = Style::new(true, 100);
    const ASCII: Style = Style::new(false, 100);

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let text = "a\x1b[31mb\nc\u{202e}d\0\r\te\u{9b}";
        assert_eq!(sanitise(text, &UNICODE), "a\\u{1b}[31mb\\nc\\u{202e}d\\u{0}\\r    e\\u{9b}");
    }

    #[test]
    fn letters_stay_unless_the_terminal_has_none() {
        assert_eq!(sanitise("Löffel", &UNICODE), "Löffel");
        assert_eq!(sanitise("Löffel", &ASCII), "L\\u{f6}ffel");
    }
}
